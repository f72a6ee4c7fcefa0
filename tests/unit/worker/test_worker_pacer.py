import pytest

from xceserver.worker.pacer import LAZY_S, Pacer


def test_a_lazy_sync_waits_a_moment_for_others() -> None:
    pacer = Pacer(now=0.0)
    assert pacer.wait_s(asked_at=1.0, now=1.0) == pytest.approx(LAZY_S)
    assert pacer.wait_s(asked_at=1.0, now=1.0 + LAZY_S) == 0.0


def test_lazy_syncs_wait_for_tokens_when_urgent_ones_used_them() -> None:
    pacer = Pacer(rate=100.0, burst=20.0, now=0.0)
    for _ in range(30):
        pacer.spent(now=0.0)
    assert pacer.wait_s(asked_at=0.0, now=0.0) == pytest.approx(
        0.11
    )  # ten owed and one for itself, at a hundred a second


def test_debt_is_bounded_so_that_a_flood_delays_no_end_for_long() -> None:
    pacer = Pacer(rate=100.0, burst=20.0, now=0.0)
    for _ in range(10_000):
        pacer.spent(now=0.0)
    assert pacer.wait_s(asked_at=0.0, now=0.0) == pytest.approx(0.21)


def test_syncs_stay_within_one_a_job_at_a_hundred_jobs_a_second() -> None:
    pacer = Pacer(rate=100.0, burst=20.0, now=0.0)
    syncs, now, lazy_since = 0, 0.0, 0.0
    for step in range(10_000):  # ten seconds in milliseconds; an intent every ten, an end half way between
        now = step / 1000
        if step % 10 == 5:
            lazy_since = lazy_since or now
        if step % 10 == 0 or (lazy_since and pacer.wait_s(asked_at=lazy_since, now=now) == 0.0):
            pacer.spent(now=now)
            syncs, lazy_since = syncs + 1, 0.0
    assert syncs <= 1000 + 20

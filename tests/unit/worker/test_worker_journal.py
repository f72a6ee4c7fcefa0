from random import Random

from xceserver.peer import AttemptKey, Declined, Ended, Usage
from xceserver.worker.frames import frame, read_frames
from xceserver.worker.journal import (
    Acknowledged,
    Finished,
    Intent,
    OpenAttempt,
    Record,
    encode,
    load,
    records_of,
)


def key(number: int) -> AttemptKey:
    return AttemptKey(number, 0, 1)


def intent(number: int) -> Intent:
    return Intent(key(number), "boot-1", is_rerunnable=False)


def end(number: int) -> Ended:
    return Ended(key=key(number), exit_code=number, ended_at=1.5, usage=Usage(cpu_s=0.25))


STORY: list[Record] = [
    intent(1),
    intent(2),
    Finished(end(1)),
    intent(3),
    Acknowledged((key(1),)),
    Finished(Declined(key(3), "no")),
]


def test_an_attempt_is_open_until_its_end_is_acknowledged() -> None:
    loaded = load(b"".join(map(encode, STORY)))
    assert loaded.open == {
        key(2): OpenAttempt(intent(2), None),
        key(3): OpenAttempt(intent(3), Declined(key(3), "no")),
    }
    assert loaded.acknowledged == {key(1)}
    assert loaded.damages == []


def test_a_compacted_journal_tells_the_same() -> None:
    before = load(b"".join(map(encode, STORY))).open
    after = load(b"".join(map(encode, records_of(before)))).open
    assert after == before


def test_every_cut_of_the_journal_gives_the_records_before_it() -> None:
    frames = list(map(encode, STORY))
    raw = b"".join(frames)
    for cut in range(len(raw) + 1):
        whole = sum(len(b"".join(frames[: n + 1])) <= cut for n in range(len(frames)))
        expected = load(b"".join(frames[:whole]))
        assert load(raw[:cut]) == expected, f"cut at {cut}"
        assert expected.damages == []


def test_damage_before_the_end_harms_its_own_record_only() -> None:
    frames = list(map(encode, STORY))
    raw = b"".join(frames)
    for number in range(len(frames) - 1):
        start = len(b"".join(frames[:number]))
        for place in range(start, start + len(frames[number]) - 1):
            hurt = bytearray(raw)
            hurt[place] ^= 0x01
            if hurt[place] == ord("\n"):
                continue  # two damaged lines: the next test's
            loaded = load(bytes(hurt))
            assert [damage.offset for damage in loaded.damages] == [start]
            rest = load(b"".join(frames[:number] + frames[number + 1 :]))
            assert (loaded.open, loaded.acknowledged) == (rest.open, rest.acknowledged)


def test_zeroed_blocks_are_named_and_the_records_around_them_are_read() -> None:
    frames = [encode(intent(number)) for number in range(1, 60)]
    raw = b"".join(frames)
    for start in range(0, len(raw) - 600, 97):
        loaded = load(raw[:start] + bytes(512) + raw[start + 512 :])
        hit = {n + 1 for n in range(59) if overlaps(frames, n, start, start + 512)}
        assert {k.job_id for k in loaded.open} == set(range(1, 60)) - hit
        assert loaded.damages


def overlaps(frames: list[bytes], number: int, start: int, stop: int) -> bool:
    first = len(b"".join(frames[:number]))
    return first <= stop and first + len(frames[number]) > start  # `<=`: without the newline before it, it is none


def test_random_bytes_are_no_records() -> None:
    rng = Random(7)
    for _ in range(50):
        loaded = load(rng.randbytes(400))
        assert (loaded.open, loaded.acknowledged, loaded.damages) == ({}, set(), [])


def test_a_record_of_another_version_is_handed_back_and_harms_no_other() -> None:
    raw = encode(intent(1)) + frame(b'{"type":"FromTheFuture"}') + encode(intent(2))
    loaded = load(raw)
    assert list(loaded.open) == [key(1), key(2)]
    assert [damage.raw for damage in loaded.damages] == [b'{"type":"FromTheFuture"}']


def test_damage_after_the_last_good_record_is_a_torn_write() -> None:
    good = frame(b"one")
    found = read_frames(good + b"nonsense\nmore")
    assert (found.bodies, found.damages, found.good_length) == ([b"one"], [], len(good))

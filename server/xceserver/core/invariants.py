"""The executable twin of docs/job-states.md: what must hold after every transaction."""

from collections import defaultdict

from xcelib.states import FINAL, ON_HOST, State
from xceserver.core.records import Job
from xceserver.core.state import ClusterState, pending_count
from xceserver.core.view import capacity


def check_invariants(state: ClusterState) -> None:
    """Raise AssertionError naming the first thing that does not hold. For tests and the simulator: it reads all."""
    on_host: defaultdict[str, set[tuple[int, int]]] = defaultdict(set)
    used: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
    pending: defaultdict[str, int] = defaultdict(int)
    for job in state.jobs.values():
        _check_job(state, job)
        pending[job.needs.user] += pending_count(job)
        for element in (job.elements or {}).values():
            for placement in element.run.placements if element.run else ():
                on_host[placement.host].add((job.id, element.index))
                for counter, amount in placement.amounts.items():
                    used[placement.host][counter] += amount
    _same("on_host", {h: s for h, s in state.on_host.items() if s}, dict(on_host))
    for host in {*used, *state.used}:
        now = {name: amount for name, amount in state.used[host].items() if amount}
        _same(f"used on {host}", now, dict(used[host]))
    _same(
        "pending",
        {u: n for u, n in state.pending_by_user.items() if n},
        {u: n for u, n in pending.items() if n},
    )
    by_queue = sum(state.pending_by_queue.values()), sum(state.running_by_queue.values())
    _same("by queue", by_queue, (sum(pending.values()), sum(job.on_host_count for job in state.jobs.values())))
    _check_capacity(state)


def _check_job(state: ClusterState, job: Job) -> None:
    parts = [set(part) for part in (job.waiting, job.gated, job.held, job.done, job.cancelled) if part]
    parts.append(set(job.exited or ()))
    parts.append({index for index, element in (job.elements or {}).items() if element.run is not None})
    whole: set[int] = set().union(*parts)
    assert sum(map(len, parts)) == len(whole) == job.size, (
        f"job {job.id}: its elements are not in one place each: {job}"
    )
    assert job.is_final == (job.ended_at is not None), f"job {job.id}: final is {job.is_final}, ended {job.ended_at}"
    for element in (job.elements or {}).values():
        where = f"{job.id}[{element.index}]"
        assert element.state not in FINAL, f"{where} is final and still live"
        assert (element.run is not None) == (element.state in ON_HOST), (
            f"{where}: {element.state} with run {element.run}"
        )
        if element.run is not None:
            up = all(state.hosts[p.host].is_up for p in element.run.placements)
            assert up == (element.state != State.UNKWN), f"{where}: {element.state}, its hosts up is {up}"
    if job.gated:
        assert job.depends is not None, f"job {job.id} is gated by nothing"
        assert any(job.id in others for others in state.dependents.values()), f"job {job.id}: nobody will release it"


def _check_capacity(state: ClusterState) -> None:
    for host in state.hosts.values():
        total = capacity(state, host)
        for counter, amount in state.used[host.name].items():
            assert amount >= 0, f"{host.name}: {counter} is {amount}"
            if host.is_up and state.generation.number <= 1:  # a smaller configuration may come under what runs
                assert amount <= total.get(counter, 0), f"{host.name}: {counter} {amount} of {total.get(counter, 0)}"


def _same(what: str, kept: object, counted: object) -> None:
    assert kept == counted, f"{what}: kept {kept}, counted {counted}"

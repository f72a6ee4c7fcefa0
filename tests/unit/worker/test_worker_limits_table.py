import resource

from xcelib.states import EndReason
from xceserver.worker.limits import KNOWN, Rlimit, RunClock, Watch, rlimits


def test_suspension_is_not_run_time() -> None:
    clock = RunClock()
    assert clock.ran_s(now=10.0) == 0.0
    clock.go(now=10.0)
    clock.go(now=11.0)  # a second one changes nothing
    assert clock.ran_s(now=13.0) == 3.0
    clock.hold(now=14.0)
    assert clock.ran_s(now=99.0) == 4.0
    clock.go(now=100.0)
    assert clock.ran_s(now=101.0) == 5.0


def test_memory_counts_for_all_tasks_of_the_host() -> None:
    watch = Watch({"memory": 100}, tasks=3)
    assert watch.passed(cpu_s=0.0, memory=300) is None
    assert watch.passed(cpu_s=0.0, memory=301) == (
        EndReason.MEMLIMIT,
        "it used 301 bytes of memory, its limit is 300 on this host",
    )


def test_cpu_time_counts_once_for_the_job() -> None:
    watch = Watch({"cpu_time": 5}, tasks=3)
    assert watch.needs_sampling
    assert watch.passed(cpu_s=4.9, memory=0) is None
    found = watch.passed(cpu_s=5.0, memory=0)
    assert found is not None
    assert found[0] == EndReason.CPULIMIT


def test_without_limits_nothing_is_watched() -> None:
    watch = Watch({}, tasks=1)
    assert watch.run_left_s(1e9) is None
    assert not watch.needs_sampling
    assert watch.passed(cpu_s=1e9, memory=1 << 60) is None


def test_the_kernel_kills_for_cpu_time_only_after_the_grace() -> None:
    assert rlimits({"cpu_time": 10, "open_files": 64}, kill_grace_s=2.5) == [
        Rlimit("open_files", resource.RLIMIT_NOFILE, 64, 64),
        Rlimit("cpu_time", resource.RLIMIT_CPU, 10, 14),
    ]


def test_every_limit_that_the_worker_takes_is_enforced_somewhere() -> None:
    watched = {"run_time", "cpu_time", "memory"}
    kernels = {row.name for row in rlimits(dict.fromkeys(KNOWN, 1), kill_grace_s=0)}
    assert watched | kernels == KNOWN

"""Slurm on one machine, tuned for throughput: 4 nodes of 16 slots, from Debian's packages as they are.

Run as `python -m bench.peers.slurm ELEMENTS` in namespaces of its own (see `alone`).
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.figures import CLIENTS, SINGLES, Measured, p50_ms
from bench.peers.alone import raise_loopback

NODES: Final = 4
_READY_LIMIT_S: Final = 30.0
_POLL_S: Final = 0.1

CONFIG: Final = """\
ClusterName=bench
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={top}/munge/socket
CredType=cred/munge
SlurmctldPort=16817
StateSaveLocation={top}/state
SlurmdSpoolDir={top}/spool-%n
SlurmctldPidFile={top}/slurmctld.pid
SlurmdPidFile={top}/slurmd-%n.pid
SlurmctldLogFile={top}/slurmctld.log
SlurmdLogFile={top}/slurmd-%n.log
SlurmctldDebug=error
SlurmdDebug=error
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SwitchType=switch/none
MpiDefault=none
MailProg=/bin/true
SchedulerType=sched/builtin
SchedulerParameters=sched_min_interval=0,sched_interval=1,batch_sched_delay=0,default_queue_depth=10000
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
PriorityType=priority/basic
ReturnToService=2
MinJobAge=2
MaxJobCount=100000
MaxArraySize=20001
SlurmdParameters=config_overrides
{nodes}
PartitionName=all Nodes=n[1-{count}] Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
"""


def _config(top: Path) -> str:
    node = "NodeName=n{n} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs=16 State=UNKNOWN"
    host = os.uname().nodename
    nodes = "\n".join(node.format(n=n, host=host, port=17000 + n) for n in range(1, NODES + 1))
    return CONFIG.format(top=top, host=host, nodes=nodes, count=NODES)


@contextlib.contextmanager
def cluster(top: Path) -> Iterator[None]:
    """Munge, the controller and the nodes, all in the foreground below this process; ended at the end."""
    top.chmod(0o755)  # munge wants its socket within everyone's reach
    for name in ("munge", "state", *(f"spool-n{n}" for n in range(1, NODES + 1))):
        (top / name).mkdir(mode=0o755)
    (top / "slurm.conf").write_text(_config(top), encoding="ascii")
    os.environ["SLURM_CONF"] = str(top / "slurm.conf")
    subprocess.run(["mungekey", "--create", f"--keyfile={top}/munge/key"], check=True)
    with contextlib.ExitStack() as daemons:
        _start(daemons, [*_munged(top / "munge")])
        _await(lambda: (top / "munge" / "socket").exists(), "munged")
        _start(daemons, ["slurmctld", "-D"])
        for n in range(1, NODES + 1):
            _start(daemons, ["slurmd", "-D", "-N", f"n{n}"])
        _await(_idle_everywhere, "the nodes")
        yield


def _munged(folder: Path) -> list[str]:
    paths = [f"--{option}={folder}/{name}" for option, name in (("socket", "socket"), ("key-file", "key"))]
    paths += [f"--pid-file={folder}/pid", f"--log-file={folder}/log", f"--seed-file={folder}/seed"]
    return ["munged", "--foreground", "--force", "--num-threads=4", *paths]


def _start(daemons: contextlib.ExitStack, command: list[str]) -> None:
    """What a daemon prints is dropped; its own log is in the folder."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    daemons.callback(process.wait)
    daemons.callback(process.terminate)


def _idle_everywhere() -> bool:
    states = _output("sinfo", "--noheader", "--Node", "--format=%T").split()
    return states == ["idle"] * NODES


def _await(probe: object, what: str) -> None:
    end = time.monotonic() + _READY_LIMIT_S
    assert callable(probe)
    while not probe():
        if time.monotonic() > end:
            sys.exit(f"slurm: {what} did not become ready within {_READY_LIMIT_S} s")
        time.sleep(_POLL_S)


def _output(*command: str) -> str:
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout


SBATCH: Final = ("sbatch", "--quiet", "--output=/dev/null", "--ntasks=1", "--wrap=exec true")


def _await_empty_queue() -> None:
    while _output("squeue", "--noheader", "--format=%i").strip():
        time.sleep(_POLL_S)


def _submit_from_shells(count: int) -> float:
    """Submits a second, from several shells that each start `sbatch` again and again."""
    loop = 'n=$1; shift; while [ "$n" -gt 0 ]; do "$@" || exit 1; n=$((n - 1)); done'
    began = time.monotonic()
    shells = [subprocess.Popen(["sh", "-c", loop, "shell", str(count // CLIENTS), *SBATCH]) for _ in range(CLIENTS)]
    statuses = [shell.wait() for shell in shells]  # of all, before any is judged
    if any(statuses):
        sys.exit("slurm: a submit failed")
    return count / (time.monotonic() - began)


def measure(elements: int) -> Measured:
    began = time.monotonic()
    submit_rate = _submit_from_shells(SINGLES)
    _await_empty_queue()
    singles = SINGLES / (time.monotonic() - began)
    began = time.monotonic()
    subprocess.run([*SBATCH, f"--array=1-{elements}"], check=True)
    _await_empty_queue()
    array = elements / (time.monotonic() - began)
    command_ms = p50_ms(lambda: subprocess.run(SBATCH, check=True), clock=time.monotonic, repeats=20)
    _await_empty_queue()
    run = ("srun", "--ntasks=1", "true")
    until_run_ms = p50_ms(lambda: subprocess.run(run, check=True), clock=time.monotonic, repeats=20)
    return {
        "singles": singles,
        "array": array,
        "submit_ms": command_ms,  # there is no open connection: each submit is a process
        "submit_rate": submit_rate,
        "until_run_ms": until_run_ms,
        "command_ms": command_ms,
    }


def main() -> None:
    raise_loopback()
    with (
        tempfile.TemporaryDirectory(prefix="bench-slurm-", ignore_cleanup_errors=True) as top,
        cluster(Path(top)),
    ):
        figures = measure(int(sys.argv[1]))
    print(json.dumps(figures))


if __name__ == "__main__":
    main()

"""`make bench`: XCE and its peers one after the other on this machine, and a table of both with the ratio."""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from bench.figures import Measured, table
from bench.peers.alone import alone

ROOT: Final = Path(__file__).resolve().parents[1]
HYPERQUEUE_PYTHON: Final = ROOT / ".venv" / "peers" / "bin" / "python"
SLURM_PROGRAMS: Final = ("slurmctld", "slurmd", "sbatch", "munged")


def measure_peer(name: str, python: Path, elements: int) -> Measured | None:
    """What a peer's program prints as its last line; None where it failed, which is told on standard error."""
    command = alone(python, f"bench.peers.{name.lower()}", str(elements))
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"bench: {name} failed: {done.stderr[-2000:]}", file=sys.stderr)
        return None
    measured: Measured = json.loads(done.stdout.splitlines()[-1])
    return measured


def peers(elements: int) -> dict[str, Measured]:
    """Every peer that can be measured here; one that cannot is named on standard error."""
    if os.getuid() != 0:
        print("bench: the peers run in namespaces of their own, which needs root: not measured", file=sys.stderr)
        return {}
    # Slurm gets a fifth of the elements: the rate is the same, and the whole takes minutes less.
    slurm = all(map(shutil.which, SLURM_PROGRAMS)), Path(sys.executable), max(1, elements // 5)
    hyperqueue = HYPERQUEUE_PYTHON.exists(), HYPERQUEUE_PYTHON, elements
    measured = {}
    for name, (is_installed, python, count) in {"Slurm": slurm, "HyperQueue": hyperqueue}.items():
        if not is_installed:
            print(f"bench: {name} is not installed: not measured", file=sys.stderr)
        elif figures := measure_peer(name, python, count):
            measured[name] = figures
    return measured


def main() -> None:
    parser = argparse.ArgumentParser(description="measure XCE beside its peers")
    parser.add_argument("--elements", type=int, default=10_000, help="size of the array")
    parser.add_argument("--only", choices=("xce", "peers"), help="measure one side alone")
    arguments = parser.parse_args()
    ours: Measured = {}
    if arguments.only != "peers":
        from bench.pending import measure_pending
        from bench.xce import measure_xce

        ours = {**measure_xce(arguments.elements), **measure_pending()}
    theirs = {} if arguments.only == "xce" else peers(arguments.elements)
    print(f"{os.cpu_count()} processors, Linux {platform.release()}, array of {arguments.elements}")
    print("\n".join(table(ours, theirs)))
    for key in ("bulk_rate", "command_ratio", "bytes_a_job", "jobs_ms", "restart_s"):
        if key in ours:
            print(f"{key}: {ours[key]:,.2f}")


if __name__ == "__main__":
    main()

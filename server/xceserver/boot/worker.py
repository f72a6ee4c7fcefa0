"""The worker's process."""

from xceserver.boot.topdir import TopDir


def run_host_worker(top: TopDir, *, host: str, slots: int | None) -> int:
    """Serve one host until SIGTERM; its jobs live on."""
    from xceserver.worker.run import WorkerOptions, run_worker

    options = WorkerOptions(
        host=host,
        socket=top.socket,
        state_dir=top.state,
        run_dir=top.run,
        spool_dir=top.spool,
        slots=slots,
    )
    return run_worker(options)

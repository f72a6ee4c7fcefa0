"""A worker that is root runs a job as its user, with that user's rights and no more (G15)."""

import os
import pwd
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.component.worker.site import Site
from xcelib.states import EndReason
from xceserver.peer import Ended

pytestmark = pytest.mark.needs("root")
USER = "nobody"


@pytest.fixture
def site() -> Iterator[Site]:
    """A host below a folder that everyone may enter, which pytest's own is not."""
    folder = Path(tempfile.mkdtemp(prefix="xce-users-"))
    folder.chmod(0o755)
    try:
        with Site(folder / "host") as made:
            os.chown(made.work, pwd.getpwnam(USER).pw_uid, pwd.getpwnam(USER).pw_gid)
            made.start_worker()
            yield made
    finally:
        shutil.rmtree(folder)


def output(site: Site, end: Ended) -> str:
    return site.controller.read(end.key).data.decode()


def test_the_job_has_the_users_ids_and_groups(site: Site) -> None:
    account = pwd.getpwnam(USER)
    end = site.controller.run(site.shell("id -u; id -g; id -G; echo $USER $HOME", user=USER))
    groups = " ".join(map(str, os.getgrouplist(USER, account.pw_gid)))
    assert output(site, end).splitlines() == [
        str(account.pw_uid), str(account.pw_gid), groups, f"{USER} {account.pw_dir}",
    ]  # fmt: skip


def test_a_script_and_the_private_folder_are_the_users(site: Site) -> None:
    end = site.controller.run(site.job(script='touch "$XCE_JOB_HOST_DIR/x" && cat "$XCE_HOSTFILE"\n', user=USER))
    assert (end.exit_code, output(site, end)) == (0, "hosta\n"), end.text


def test_output_files_and_their_parents_belong_to_the_user(site: Site) -> None:
    end = site.controller.run(site.shell("echo x", user=USER, stdout="new/o", umask=0o027))
    path = site.work / "new" / "o"
    assert end.exit_code == 0, end.text
    assert (path.owner(), path.parent.owner()) == (USER, USER)
    assert path.stat().st_mode & 0o777 == 0o640
    assert output(site, end) == "x\n"


def forbidden(site: Site) -> Path:
    """A file of root's in a folder that the user may not enter."""
    folder = site.root / "forbidden"
    folder.mkdir(mode=0o700)
    path = folder / "file"
    path.write_text("root's\n")
    return path


@pytest.mark.parametrize("field", ["stdin", "stdout", "stderr", "cwd"])
def test_what_the_user_may_not_reach_is_refused_by_name(site: Site, field: str) -> None:
    path = forbidden(site)
    value = str(path.parent if field == "cwd" else path)
    fields: dict[str, Any] = {"user": USER, field: value}
    end = site.controller.run(site.job("true", **fields))
    assert (end.exit_code, end.reason) == (None, EndReason.START_FAILED)
    assert value in end.text
    assert path.read_text() == "root's\n"


def test_a_link_does_not_lead_output_to_where_the_user_may_not_write(site: Site) -> None:
    path = forbidden(site)
    (site.work / "o").symlink_to(path)
    end = site.controller.run(site.shell("echo gotcha", user=USER, stdout="o"))
    assert end.reason == EndReason.START_FAILED
    assert path.read_text() == "root's\n"


def test_a_link_put_in_place_later_does_not_show_what_the_user_may_not_read(site: Site) -> None:
    end = site.controller.run(site.shell("echo x", user=USER, stdout="o"))
    (site.work / "o").unlink()
    (site.work / "o").symlink_to(forbidden(site))
    chunk = site.controller.read(end.key)
    assert chunk.data == b""
    assert chunk.error


def test_the_user_cannot_signal_or_trace_the_supervisor(site: Site) -> None:
    end = site.controller.run(site.shell("kill -0 $PPID && echo may", user=USER))
    assert "may" not in output(site, end).split()


def test_the_user_cannot_read_the_attempts_records(site: Site) -> None:
    text = 'cd "$XCE_JOB_HOST_DIR/.."; ls; cat lock begun files; echo > ctl; echo $?'
    end = site.controller.run(site.shell(text, user=USER, stderr="e"))
    assert output(site, end).split() != ["0"]
    assert (site.work / "e").read_text().count("denied") >= 3


@pytest.mark.parametrize("fields", [{"user": "no-such-user", "uid": 3_999_999}, {"uid": 3_999_999}, {"user": USER}])
def test_a_job_of_an_account_that_this_host_does_not_have_is_not_started(site: Site, fields: dict[str, Any]) -> None:
    end = site.controller.run(replace(site.shell("touch ran"), **fields))
    assert (end.exit_code, end.reason) == (None, EndReason.START_FAILED)
    assert any(str(value) in end.text for value in fields.values())
    assert not (site.work / "ran").exists()


def test_a_worker_that_is_not_root_runs_its_own_users_jobs_only(site: Site) -> None:
    account = pwd.getpwnam(USER)
    site.stop_worker()
    for folder in (site.root, *site.root.iterdir()):
        shutil.chown(folder, USER, account.pw_gid)
        for path in folder.rglob("*") if folder.is_dir() else ():
            shutil.chown(path, USER, account.pw_gid)
    words = [f"--reuid={account.pw_uid}", f"--regid={account.pw_gid}", "--clear-groups"]
    reading = ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]  # the interpreter may be root's own
    site.prefix = ["setpriv", *words, *reading]
    site.start_worker()
    refused = site.controller.run(site.shell("id -u"))
    assert (refused.exit_code, refused.reason) == (None, EndReason.START_FAILED)
    assert "root" in refused.text
    own = site.controller.run(site.shell("id -u", user=USER))
    assert output(site, own).split() == [str(account.pw_uid)]

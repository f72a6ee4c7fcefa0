"""Presets on disk: saved, shown, pulled, refused; what was replaced is kept; nothing leaves the folder."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.kit.cli import Answers, Ran, a_world, run_client
from xcecli.main import main
from xcecli.presets.store import BACKUPS, FILE_BYTES_MAX, PresetStore
from xcelib import wire
from xcelib.errors import XceError
from xcelib.jobspec import JobSpec


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "presets"


def cli(folder: Path, *argv: str, answers: Answers | None = None, **world: Any) -> Ran:
    environ = {"XCE_PRESET_DIR": str(folder), "COLUMNS": "80"}
    return run_client(main, argv, answers, a_world(environ=environ, cwd=str(folder.parent), **world))


def site(text: str, name: str = "fit", cluster: str = "c1") -> Answers:
    return {f"GET /presets/{name}": (200, wire.PresetText(name=name, text=text, hash="h", cluster=cluster))}


def submitted(folder: Path, *options: str) -> JobSpec:
    ran = cli(folder, "submit", *options, "--", "true", answers={"POST /jobs": (201, {"job_id": 1})})
    assert ran.status == 0, ran.err
    return msgspec.json.decode(ran.requests[0].content, type=JobSpec)


def states(folder: Path) -> dict[str, str]:
    found = json.loads(cli(folder, "preset", "list", "--json").out)
    return {row["name"]: row["state"] for row in found["presets"]}


# --- save, show, use --------------------------------------------------------------------------------------------------


def test_a_preset_is_saved_shown_and_used(folder: Path) -> None:
    words = ["--description", "short runs", "-n", "4", "--run-limit", "2h", "--env", "A=1", "--hold"]
    assert cli(folder, "preset", "save", "small", *words).status == 0
    assert (folder / "small.toml").stat().st_mode & 0o777 == 0o600
    shown = cli(folder, "preset", "show", "small").out
    assert shown.startswith("small  short runs\nhash      v1:sha256:")
    assert shown.endswith("options   --tasks 4 --run-limit 2h --hold --env A=1\n")
    spec = submitted(folder, "--preset", "small", "-n", "8")
    assert spec.tasks is not None
    assert (spec.tasks.min, spec.exdata.limits, spec.exdata.env["A"], spec.hold) == (8, {"run_time": 7200}, "1", True)
    (mention,) = spec.exdata.meta["presets"]
    assert (mention["name"], mention["options"]) == ("small", ["env", "hold", "run-limit", "tasks"])


def test_options_stand_before_or_after_the_name(folder: Path) -> None:
    assert cli(folder, "preset", "save", "-M", "2G", "before").status == 0
    assert cli(folder, "preset", "save", "after", "-M", "2G").status == 0
    assert (folder / "before.toml").read_text() == (folder / "after.toml").read_text() == '[options]\nmemory = "2G"\n'


@pytest.mark.parametrize(
    ("words", "toml"),
    [
        (["-n", "4-16"], 'tasks = "4-16"'),
        (["--priority", "70"], "priority = 70"),
        (["--hold"], "hold = true"),
        (["-W", "90m"], 'run-limit = "1h30m"'),
        (["--success-exit", "3,5-6"], 'success-exit = "3,5,6"'),
        (["--begin", "+2h"], 'begin = "+2h"'),
        (["-a", "1-9:2%3"], 'array = "1-9:2%3"'),
        (["-R", "select[a]", "-R", "rusage[mem=1G]"], 'resreq = "select[a] rusage[mem=1G]"'),
        (["--env", "A=1"], '[options.env]\nA = "1"'),
        (["--env-file", "x"], 'env-file = [\n    "x",\n]'),
    ],
)
def test_an_option_is_kept_with_its_type(folder: Path, words: list[str], toml: str) -> None:
    assert cli(folder, "preset", "save", "p", *words).status == 0
    assert toml in (folder / "p.toml").read_text()
    assert cli(folder, "preset", "show", "p").status == 0


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["save", "small"], "there are no options to keep"),
        (["save", "small", "--env", "HOME"], "--env: a preset keeps values, and `HOME` has none"),
        (["save", "small", "-M", "2"], "--memory: the size `2` has no unit"),
        (["save", "small", "--dry-run"], "there is no option `--dry-run`"),
        (["save", "Small", "-n", "4"], "`Small` is no name of a preset"),
        (["show", "small"], "you have no preset `small`"),
        (["show", "../x"], "`../x` is no name of a preset"),
    ],
)
def test_what_cannot_be_kept_or_shown_is_refused_and_leaves_nothing(
    folder: Path, argv: list[str], message: str
) -> None:
    ran = cli(folder, "preset", *argv)
    assert ran.status in (1, 2)
    assert ran.err.startswith(f"xcecli: error: {message}\n")
    assert not folder.exists() or list(folder.glob("*.toml*")) == []


def test_the_nearest_preset_is_told(folder: Path) -> None:
    cli(folder, "preset", "save", "small", "-n", "4")
    assert "hint: did you mean `small`?" in cli(folder, "preset", "show", "smal").err
    assert "hint: did you mean `small`?" in cli(folder, "submit", "--preset", "smal", "--", "true").err


def test_a_preset_is_replaced_only_by_force_and_five_are_kept_aside(folder: Path) -> None:
    cli(folder, "preset", "save", "small", "-n", "1")
    refused = cli(folder, "preset", "save", "small", "-n", "2")
    assert (refused.status, "hint: replace it with `--force`" in refused.err) == (1, True)
    for count in range(2, 9):
        assert cli(folder, "preset", "save", "small", "-n", str(count), "--force").status == 0
    kept = {path.name: path.read_text().split('"')[1] for path in folder.glob("small.toml*")}
    assert kept == {"small.toml": "8"} | {f"small.toml.bak.{n}": str(8 - n) for n in range(1, BACKUPS + 1)}
    assert all(path.stat().st_mode & 0o777 == 0o600 for path in folder.glob("small.toml*"))
    assert states(folder) == {"small": "own"}


def test_layers_are_presets_then_directives_then_the_command_line(folder: Path) -> None:
    cli(folder, "preset", "save", "a", "--queue", "a", "--name", "a", "--project", "/a", "--env", "A=a", "--env", "B=a")
    cli(folder, "preset", "save", "b", "--queue", "b", "--name", "b", "--env", "B=b")
    (folder.parent / "job.sh").write_text("#!/bin/sh\n#XCE --name d\n#XCE --app d\n", encoding="utf-8")
    ran = cli(folder, "submit", "--preset", "a", "--preset", "b", "--app", "c", "--dry-run", "job.sh")
    spec = msgspec.json.decode(ran.out, type=JobSpec)
    assert (spec.project, spec.queue, spec.name, spec.app) == ("/a", "b", "d", "c")
    assert (spec.exdata.env["A"], spec.exdata.env["B"]) == ("a", "b")
    assert [each["name"] for each in spec.exdata.meta["presets"]] == ["a", "b"]
    assert ran.err == (
        "xcecli: note: --name is set to `a` (preset:a), `b` (preset:b); the last one wins\n"
        "xcecli: note: --queue is set to `a` (preset:a), `b` (preset:b); the last one wins\n"
    )


# --- files that people write ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("queue = 'a'\n", "there is no key `queue`"),
        ("[options]\nqueu = 'a'\n", "there is no option `queu`"),
        ("[options]\nhold = 'yes'\n", "`hold` is true or false, not a text"),
        ("[options\n", "(at line 1, column 9)"),
        ("[options]\nqueue = 'a\x01'\n", "(at line 2, column 11)"),
        ("\xff", "cannot be read"),
        ("#" * (FILE_BYTES_MAX + 1), "is larger than 65536 bytes"),
    ],
)
def test_a_damaged_file_is_told_with_its_place_and_hides_no_other(folder: Path, text: str, word: str) -> None:
    cli(folder, "preset", "save", "good", "-n", "4")
    (folder / "bad.toml").write_bytes(text.encode("latin-1"))
    for argv in (["preset", "show", "bad"], ["submit", "--preset", "bad", "--", "true"]):
        ran = cli(folder, *argv)
        assert ran.status == 2
        assert f"{folder}/bad.toml" in ran.err
        assert word in ran.err
    assert states(folder) == {"bad": "broken", "good": "own"}


def test_a_link_that_leads_out_of_the_folder_is_refused(folder: Path) -> None:
    folder.mkdir()
    outside = folder.parent / "outside.toml"
    outside.write_text("[options]\nqueue = 'a'\n", encoding="utf-8")
    (folder / "linked.toml").symlink_to(outside)
    assert "leads out of the folder" in cli(folder, "preset", "show", "linked").err


def test_files_of_other_names_are_no_presets(folder: Path) -> None:
    folder.mkdir()
    for name in (".hidden.toml", "Upper.toml", "x.toml.bak.1", "y.txt"):
        (folder / name).write_text("", encoding="utf-8")
    assert states(folder) == {}
    assert cli(folder, "preset", "list").out == ""


def test_a_folder_that_cannot_be_written_is_told(folder: Path) -> None:
    folder.write_text("a file", encoding="utf-8")
    ran = cli(folder, "preset", "save", "small", "-n", "4")
    assert (ran.status, ran.err) == (1, f"xcecli: error: cannot write presets in `{folder}`: File exists\n")


def test_a_preset_stays_as_it_was_when_the_new_one_cannot_be_written(folder: Path) -> None:
    store = PresetStore(folder)
    store.save("small", {"options": {"queue": "a"}}, is_forced=False)
    (folder / "small.toml.new").mkdir()  # where the new one would be written first
    with pytest.raises(XceError, match=r"cannot write presets in .*: Is a directory"):
        store.save("small", {"options": {"queue": "b"}}, is_forced=True)
    assert store.load("small").values == {"queue": "a"}
    assert not (folder / "small.toml.bak.1").exists()


# --- pull -------------------------------------------------------------------------------------------------------------


def test_a_pulled_preset_says_where_it_is_from(folder: Path) -> None:
    ran = cli(folder, "preset", "pull", "fit", answers=site("description = 'd'\n[options]\nqueue = 'a'\n"))
    assert (ran.status, ran.out) == (0, f"pulled fit as {folder}/fit.toml\n")
    preset = PresetStore(folder).load("fit")
    assert preset.origin is not None
    assert preset.origin.keys() == {"cluster", "name", "hash", "pulled"}
    assert (preset.origin["cluster"], preset.origin["name"], preset.origin["hash"]) == ("c1", "fit", preset.hash)
    assert (preset.description, preset.values) == ("d", {"queue": "a"})
    assert submitted(folder, "--preset", "fit").exdata.meta["presets"][0]["origin"]["name"] == "fit"


def test_an_unchanged_copy_follows_the_site(folder: Path) -> None:
    for queue in ("a", "b"):
        assert cli(folder, "preset", "pull", "fit", answers=site(f"[options]\nqueue = '{queue}'\n")).status == 0
    assert PresetStore(folder).load("fit").values == {"queue": "b"}


def test_a_changed_copy_your_own_and_one_of_another_cluster_stay_until_forced(folder: Path) -> None:
    cli(folder, "preset", "pull", "fit", answers=site("[options]\nqueue = 'a'\n"))
    text = (folder / "fit.toml").read_text()
    assert states(folder) == {"fit": "pulled"}
    (folder / "fit.toml").write_text(text.replace('"a"', '"mine"'), encoding="utf-8")
    assert states(folder) == {"fit": "edited"}
    cli(folder, "preset", "save", "own", "-n", "4")
    cli(folder, "preset", "pull", "far", answers=site("[options]\nqueue = 'a'\n", name="far", cluster="c2"))
    for name in ("fit", "own", "far"):
        before = (folder / f"{name}.toml").read_text()
        refused = cli(folder, "preset", "pull", name, answers=site("[options]\nqueue = 'z'\n", name=name))
        assert (refused.status, (folder / f"{name}.toml").read_text()) == (1, before)
        assert "hint: keep both with `--as NEW`\nhint: replace it with `--force`\n" in refused.err
        forced = cli(folder, "preset", "pull", name, "--force", answers=site("[options]\nqueue = 'z'\n", name=name))
        assert forced.status == 0
        assert (folder / f"{name}.toml.bak.1").read_text() == before


def test_a_pulled_preset_can_have_another_name(folder: Path) -> None:
    cli(folder, "preset", "pull", "fit", "--as", "mine", answers=site("[options]\nqueue = 'a'\n"))
    assert states(folder) == {"mine": "pulled"}
    assert cli(folder, "preset", "pull", "fit", "--as", "../x", answers=site("[options]\n")).status == 2


ACTING = "[options]\nqueue = 'a'\nstdout = '/x'\n[options.env]\nLD_PRELOAD = '/evil.so'\nBASH_ENV = '/b'\nOMP = '4'\n"


def test_what_runs_or_writes_is_named_and_needs_a_yes(folder: Path) -> None:
    refused = cli(folder, "preset", "pull", "fit", answers=site(ACTING))
    assert refused.status == 2
    assert refused.err == (
        "xcecli: error: the preset `fit` runs or writes something: stdout, env.BASH_ENV, env.LD_PRELOAD\n"
        "hint: look at it with `xcecli preset show fit --remote`\nhint: take it with `--yes`\n"
    )
    assert states(folder) == {}
    taken = cli(folder, "preset", "pull", "fit", "--yes", answers=site(ACTING))
    assert taken.status == 0
    assert "note: the preset `fit` runs or writes something" in taken.err


@pytest.mark.parametrize(("said", "status"), [("y\n", 0), ("n\n", 2)])
def test_what_runs_or_writes_is_asked_about_on_a_terminal(folder: Path, said: str, status: int) -> None:
    ran = cli(folder, "preset", "pull", "fit", answers=site(ACTING), inp=said, is_terminal=True)
    assert ran.status == status
    assert bool(states(folder)) is (status == 0)


def test_a_wrong_preset_of_the_site_is_refused_whole(folder: Path) -> None:
    ran = cli(folder, "preset", "pull", "fit", answers=site("[options]\nqueu = 'a'\n"))
    assert (ran.status, states(folder)) == (2, {})
    assert "the site's fit" in ran.err


# --- secrets and the site's list --------------------------------------------------------------------------------------


def test_what_looks_like_a_secret_is_warned_of_and_never_shown(folder: Path) -> None:
    saved = cli(folder, "preset", "save", "risky", "--env", "API_TOKEN=hush", "--label", "url=https://a:hush@b")
    assert saved.err == (
        "xcecli: warning: `env.API_TOKEN` looks like a secret; presets are shared easily\n"
        "xcecli: warning: `label.url` looks like a secret; presets are shared easily\n"
    )
    pulled = cli(folder, "preset", "pull", "fit", answers=site("[options.env]\nDB_PASSWORD = 'hush'\n"))
    assert "`env.DB_PASSWORD` looks like a secret" in pulled.err
    assert "hush" not in saved.err + saved.out + pulled.err + pulled.out


def test_the_sites_presets_are_listed_and_shown(folder: Path) -> None:
    rows = (wire.PresetRow(name="fit", description="a\x1b[2Jb", hash="h", size=3),)
    listed = cli(folder, "preset", "list", "--remote", answers={"GET /presets": (200, wire.PresetList(presets=rows))})
    assert listed.out.splitlines()[1].split() == ["fit", "-", "a\\x1b[2Jb"]
    escaped = 'description = "a\\u001bb"\n[options]\nqueue = "q"\n'
    shown = cli(folder, "preset", "show", "fit", "--remote", answers=site(escaped))
    assert shown.out.splitlines()[0] == "fit  a\\x1bb"
    assert shown.out.endswith("options   --queue q\n")

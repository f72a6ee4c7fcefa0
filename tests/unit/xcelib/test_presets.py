"""The format of presets: what a file may hold, and the hash that spelling does not change."""

from datetime import datetime
from typing import Any

import pytest

from xcelib.errors import Usage
from xcelib.options.table import TABLE
from xcelib.presets import check_preset_name, is_preset_name, mention, preset_of


def hash_of(**options: Any) -> str:
    return preset_of({"options": {name.replace("_", "-"): value for name, value in options.items()}}).hash


@pytest.mark.parametrize("name", ["a", "0", "small", "fluent-small", "a.b_c-1", "x" * 64])
def test_a_name_of_small_letters_is_taken(name: str) -> None:
    assert check_preset_name(name) == name


@pytest.mark.parametrize("name", ["", ".a", "-a", "_a", "A", "a/b", "..", "a b", "ä", "x" * 65, "a\n", "a\0"])
def test_another_name_is_refused(name: str) -> None:
    assert not is_preset_name(name)
    with pytest.raises(Usage) as caught:
        check_preset_name(name)
    assert caught.value.code == "bad_preset_name"


def test_options_are_read_in_base_units_and_kept_as_written() -> None:
    preset = preset_of({"description": "d", "options": {"run-limit": "2h", "hold": True, "env": {"N": 4}}})
    assert preset.values == {"run-limit": 7200, "hold": True, "env": {"N": "4"}}
    assert preset.options == {"run-limit": "2h", "hold": True, "env": {"N": 4}}
    assert (preset.description, preset.origin) == ("d", None)


def test_an_empty_preset_is_one() -> None:
    assert preset_of({}).values == {}


@pytest.mark.parametrize("name", [option.name for option in TABLE if "preset" not in option.sources])
def test_what_acts_in_the_client_has_no_place_in_a_preset(name: str) -> None:
    with pytest.raises(Usage) as caught:
        preset_of({"options": {name: True}})
    assert caught.value.faults[0].message == f"`{name}` has no place in a preset"


@pytest.mark.parametrize(
    ("document", "path", "message", "hint"),
    [
        ({"option": {}}, "option", "there is no key `option`", "did you mean `options`?"),
        ({"description": 5}, "description", "`description` is a text", ""),
        ({"options": []}, "options", "`options` is a table", ""),
        ({"options": {"queu": "night"}}, "options.queu", "there is no option `queu`", "did you mean `queue`?"),
        ({"options": {"queue": 5}}, "options.queue", "`queue` is a text, not a number", ""),
        ({"options": {"memory": "2"}}, "options.memory", "--memory: the size `2` has no unit", "write `2M` or `2G`"),
        ({"options": {"command": "rm"}}, "options.command", "there is no option `command`", ""),
        (
            {"options": {"meta": {"presets": "x"}}},
            "options.meta",
            "--meta: `presets` is written by the client itself",
            "",
        ),
        ({"options": {"begin": "soon"}}, "options.begin", "--begin: `soon` is no time", ""),
        ({"options": {"begin": 5}}, "options.begin", "`begin` is a text, not a number", ""),
        ({"origin": "x"}, "origin", "`origin` is a table", ""),
        ({"origin": {"user": "x"}}, "origin.user", "there is no key `user` in `origin`", ""),
    ],
)
def test_a_fault_is_told_with_its_place(document: dict[str, Any], path: str, message: str, hint: str) -> None:
    with pytest.raises(Usage) as caught:
        preset_of(document)
    (fault,) = caught.value.faults
    assert (fault.path, fault.message) == (path, message)
    assert fault.hint == hint or (not hint and path in {"options.command", "options.begin"})
    assert caught.value.message == f"the preset is wrong: {message}"


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(Usage) as caught:
        preset_of({"descriptions": "", "options": {"queu": "a", "hold": "yes"}, "origin": 1})
    assert [fault.path for fault in caught.value.faults] == ["descriptions", "options.queu", "options.hold", "origin"]


def test_spelling_order_description_and_origin_do_not_change_the_hash() -> None:
    expected = hash_of(run_limit="2h", tasks=4)
    assert expected == hash_of(tasks="4", run_limit="120m")
    described = {"description": "x", "options": {"run-limit": "2h", "tasks": 4}, "origin": {"name": "y"}}
    assert preset_of(described).hash == expected
    assert expected.startswith("v1:sha256:")


def test_another_value_changes_the_hash() -> None:
    hashes = {hash_of(), hash_of(run_limit="2h"), hash_of(run_limit="1h"), hash_of(hold=True), hash_of(begin="+2h")}
    assert len(hashes) == 5


def test_the_hash_is_stable_over_releases() -> None:
    assert hash_of(app="fluent", tasks="4-16", run_limit="2h", env={"OMP_NUM_THREADS": "4"}, memory="2G") == (
        "v1:sha256:8090988df240b293a596de22bd790a7ccb77bcfc8f96ccaec6cf4ed57fb4029e"
    )


def test_a_time_from_now_has_the_same_hash_on_every_day() -> None:
    assert hash_of(begin="+2h") == hash_of(begin="+2h")
    assert preset_of({"options": {"begin": "+2h"}}).values == {"begin": "+2h"}


def test_a_job_says_which_preset_it_was_made_from() -> None:
    preset = preset_of({"options": {"queue": "q", "app": "a"}})
    assert mention("small", preset) == {"name": "small", "hash": preset.hash, "options": ["app", "queue"]}


def test_a_pulled_preset_says_where_it_is_from_in_plain_texts() -> None:
    origin = {"cluster": "c", "name": "n", "hash": "h", "pulled": datetime(2026, 3, 1)}
    preset = preset_of({"options": {"queue": "q"}, "origin": origin})
    assert mention("small", preset)["origin"] == {"cluster": "c", "name": "n", "hash": "h"}

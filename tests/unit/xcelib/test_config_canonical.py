"""The canonical document, its hashes, and what a document that nobody vouches for must not do."""

import msgspec
import pytest

from xcelib.config.canonical import content_hash, from_bytes, profile_hash, to_bytes
from xcelib.config.model import (
    ClusterConfig,
    Param,
    Profile,
    ProfileResreq,
    QueueConfig,
    ResourceConfig,
    RusageDefault,
    descriptors,
    empty,
    queue_hosts,
)
from xcelib.errors import BadConfiguration, ExitStatus
from xcelib.jobspec import TaskRange


def a_config(**changes: object) -> ClusterConfig:
    return msgspec.structs.replace(empty(), **changes)


def a_profile() -> Profile:
    return Profile(
        name="fluent",
        description="Ansys Fluent",
        tasks=TaskRange(min=2, max=8),
        resreq=ProfileResreq(select="type == X86_64", rusage=(RusageDefault(resource="mem", default=1 << 32),)),
        params=(Param(name="solver", description="which", choices=("2d", "3d")),),
        env={"A": "1"},
    )


def test_no_files_mean_one_queue_and_one_profile() -> None:
    config = empty()
    assert list(config.queues) == ["normal"]
    assert list(config.applications) == ["default"]
    assert config.allow_root_jobs


def test_a_document_is_read_back_as_it_was() -> None:
    config = a_config(applications={**empty().applications, "fluent": a_profile()}, cluster="bluebird")
    assert from_bytes(to_bytes(config)) == config


def test_the_document_does_not_depend_on_the_order_of_tables() -> None:
    queues = {name: QueueConfig(name=name, max={"tasks": 4, "run_time": 60}) for name in ("normal", "short")}
    turned = {
        name: msgspec.structs.replace(queues[name], max={"run_time": 60, "tasks": 4}) for name in reversed(queues)
    }
    assert to_bytes(a_config(queues=queues)) == to_bytes(a_config(queues=turned))


def test_the_hash_names_its_algorithm_and_follows_the_content() -> None:
    assert content_hash(empty()).startswith("sha256:")
    assert content_hash(empty()) == content_hash(empty())
    assert content_hash(empty()) != content_hash(a_config(cluster="other"))


def test_descriptions_do_not_change_a_profiles_hash() -> None:
    profile = a_profile()
    param = msgspec.structs.replace(profile.params[0], description="another")
    described = msgspec.structs.replace(profile, description="", params=(param,))
    assert profile_hash(described) == profile_hash(profile)
    assert profile_hash(msgspec.structs.replace(profile, env={"A": "2"})) != profile_hash(profile)


@pytest.mark.parametrize(
    ("document", "word"),
    [
        (b"", "no configuration"),
        (b"{", "no configuration"),
        (b"[]", "no configuration"),
        (b'{"queues": {}}', "applications"),
        (b'{"queues": {}, "applications": {}, "colour": 1}', "colour"),
        (b'{"queues": {"a": {"name": "a", "priority": "50"}}, "applications": {}}', "int"),
        (b'{"queues": {"a": {"name": "a", "priority": NaN}}, "applications": {}}', "no configuration"),
        (b'{"queues": ' + b"[" * 5000 + b"]" * 5000 + b"}", "no configuration"),
    ],
)
def test_what_is_no_document_is_refused(document: bytes, word: str) -> None:
    with pytest.raises(BadConfiguration, match="no configuration") as caught:
        from_bytes(document)
    assert word in caught.value.message


@pytest.mark.parametrize(
    ("config", "code"),
    [
        (a_config(default_queue="night"), "XCE1201"),
        (a_config(default_application="fluent"), "XCE1202"),
        (a_config(applications={}), "XCE1202"),
        (a_config(queues={"normal": QueueConfig(name="other")}), "XCE1106"),
        (a_config(queues={"normal": QueueConfig(name="normal", windows=("20:00-06:00",))}), "not_supported_yet"),
        (a_config(queues={"normal": QueueConfig(name="normal", users=("@eng",))}), "not_supported_yet"),
        (a_config(resources={"mem": ResourceConfig(name="mem", layer="counter")}), "XCE1309"),
    ],
)
def test_a_document_is_checked_again(config: ClusterConfig, code: str) -> None:
    with pytest.raises(BadConfiguration) as caught:
        from_bytes(to_bytes(config))
    assert caught.value.exit_status == ExitStatus.CONFIG
    assert code in {fault.code for fault in caught.value.faults}


def test_declared_resources_stand_beside_the_built_in_ones() -> None:
    declared = {
        "lic": ResourceConfig(name="lic", layer="counter", scope="shared", total=4),
        "space": ResourceConfig(name="space", layer="counter", unit="size"),
        "scratch": ResourceConfig(name="scratch", layer="attribute", type="boolean"),
    }
    known = descriptors(a_config(resources=declared))
    assert known["lic"].is_counter
    assert known["lic"].scope == "shared"
    assert (known["space"].type, known["scratch"].type) == ("size", "boolean")
    assert not known["scratch"].is_counter
    assert "mem" in known


def test_a_queue_without_hosts_may_use_all() -> None:
    config = a_config(host_groups={"cpu": ("node1", "node2")})
    assert queue_hosts(config, QueueConfig(name="q")) is None
    assert queue_hosts(config, QueueConfig(name="q", hosts=("cpu", "node9"))) == frozenset({"node1", "node2", "node9"})

"""The merge beyond the normative cases: names and permission, ceilings on counters, compound tasks, notes."""

from typing import Any

import msgspec
import pytest

from xcelib.config.model import (
    ClusterConfig,
    Param,
    Profile,
    ProfileResreq,
    ProjectConfig,
    QueueConfig,
    ResourceConfig,
    RusageDefault,
    UserGroup,
    empty,
)
from xcelib.errors import NotPermitted, XceError
from xcelib.jobspec import Exdata, JobSpec, TaskRange
from xcelib.merge import Effective, Names, Own, Rejection, merge, merge_job, own_of, resolve

LIC = ResourceConfig(name="lic", layer="counter", scope="shared", total=100)


def a_config(*, profiles: tuple[Profile, ...] = (), queues: tuple[QueueConfig, ...] = (), **more: Any) -> ClusterConfig:
    base = empty()
    return msgspec.structs.replace(
        base,
        applications={**base.applications, **{profile.name: profile for profile in profiles}},
        queues={**base.queues, **{queue.name: queue for queue in queues}},
        resources={"lic": LIC},
        **more,
    )


def an_own(**values: Any) -> Own:
    return Own(**({"user": "ann"} | values))


def effective(own: Own, config: ClusterConfig) -> Effective:
    merged = merge_job(own, config)
    assert isinstance(merged, Effective), merged
    return merged


def rejected(own: Own, config: ClusterConfig) -> Rejection:
    merged = merge_job(own, config)
    assert isinstance(merged, Rejection), merged
    return merged


# --- names ------------------------------------------------------------------------------------------------------------


def test_an_unknown_queue_suggests() -> None:
    rejection = rejected(an_own(queue="nromal"), a_config())
    assert rejection.code == "unknown_queue"
    assert rejection.hints == ("did you mean `normal`?",)
    assert rejection.as_error().http_status == 400


def test_the_groups_default_project_comes_before_the_clusters() -> None:
    groups = {
        "b": UserGroup(name="b", members=("ann",), default_project="/b"),
        "a": UserGroup(name="a", members=("bob",), default_project="/a"),
    }
    config = a_config(user_groups=groups, default_project="/general")
    assert resolve(an_own(), config) == Names("default", "normal", "/b", "default", "cluster", "group:b")
    assert effective(an_own(user="cem"), config).project == "/general"
    assert effective(an_own(project="/mine"), config).origins["project"] == ("job",)


def test_a_job_without_any_project_has_none() -> None:
    merged = effective(an_own(), a_config())
    assert merged.project == ""
    assert "project" not in merged.origins


def test_an_undefined_project_is_unknown_once_any_is_defined() -> None:
    projects = {"/eng": ProjectConfig(path="/eng", members=("ann",))}
    assert rejected(an_own(project="/egn"), a_config(projects=projects)).code == "unknown_project"
    assert effective(an_own(project="/egn"), a_config()).project == "/egn"


@pytest.mark.parametrize(
    ("members", "allowed"),
    [((), True), (("ann",), True), (("bob",), False), (("@all",), True), (("@eng",), True), (("@ops",), False)],
)
def test_users_of_a_queue_and_of_a_profile_decide(members: tuple[str, ...], allowed: bool) -> None:
    groups = {name: UserGroup(name=name, members=(user,)) for name, user in (("eng", "ann"), ("ops", "bob"))}
    queue, profile = QueueConfig(name="q", users=members), Profile(name="p", users=members)
    config = a_config(queues=(queue,), profiles=(profile,), user_groups=groups)
    for own, code in ((an_own(queue="q"), "queue_not_permitted"), (an_own(app="p"), "profile_not_permitted")):
        if allowed:
            effective(own, config)
        else:
            rejection = rejected(own, config)
            assert rejection.code == code
            assert isinstance(rejection.as_error(), NotPermitted)


def test_root_runs_jobs_only_where_it_is_allowed() -> None:
    effective(an_own(user="root"), a_config(allow_root_jobs=True))
    assert rejected(an_own(user="root"), a_config(allow_root_jobs=False)).code == "root_job"
    effective(an_own(user="ann"), a_config(allow_root_jobs=False))


def test_a_lookup_and_its_parts_agree() -> None:
    config = a_config(profiles=(Profile(name="p", limits={"run_time": 60}),))
    own = an_own(app="p", queue="normal", project="/x")
    parts = merge(own, profile=config.applications["p"], queue=config.queues["normal"], project=None, config=config)
    assert parts == merge_job(own, config)


def test_own_values_come_from_the_request() -> None:
    exdata = Exdata(env={"A": "1"}, limits={"run_time": 60}, app_params={"x": "1"}, meta={"k": [1]})
    spec = JobSpec(
        command=("true",), app="", queue="q", tasks=TaskRange(min=2, max=2), resreq="mem > 4G", exdata=exdata
    )
    own = own_of(spec, "ann")
    assert (own.user, own.app, own.queue, own.tasks) == ("ann", "", "q", TaskRange(min=2, max=2))
    assert (own.env, own.limits, own.app_params, own.meta) == (
        {"A": "1"},
        {"run_time": 60},
        {"x": "1"},
        {"k": [1]},
    )


# --- limits -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ({"run_time": 0}, "limit_value"),
        ({"memory": -1}, "limit_value"),
        ({"memory": 1 << 63}, "limit_value"),
        ({"runtime": 60}, "unknown_limit"),
        ({"swap": 1 << 30}, "not_supported_yet"),
    ],
)
def test_a_limit_without_meaning_rejects(limits: dict[str, int], code: str) -> None:
    assert rejected(an_own(limits=limits), a_config()).code == code


def test_no_core_file_is_a_limit() -> None:
    assert effective(an_own(limits={"core_size": 0}), a_config()).limits == {"core_size": 0}


def test_a_lowered_limit_shadows_the_profiles() -> None:
    merged = effective(
        an_own(app="p", limits={"run_time": 60}), a_config(profiles=(Profile(name="p", limits={"run_time": 3600}),))
    )
    assert merged.shadowed["limits.run_time"] == (("profile:p", "1h"),)


def test_a_queue_does_not_fill_in_what_the_job_has() -> None:
    config = a_config(queues=(QueueConfig(name="q", max={"run_time": 3600}),))
    merged = effective(an_own(queue="q", limits={"run_time": 60}), config)
    assert merged.limits == {"run_time": 60}
    assert merged.origins["limits.run_time"] == ("job",)


# --- ceilings on counters ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ceilings", "resreq", "tasks", "most"),
    [
        ({"slots": 8}, "", TaskRange(min=2, max=16), 8),
        ({"slots": 8}, "rusage[slots=2]", TaskRange(min=2, max=16), 4),
        ({"mem": 10 << 30}, "rusage[mem=4G]", TaskRange(min=1, max=None), 2),
        ({"mem": 10 << 30}, "rusage[mem=4G/job]", TaskRange(min=1, max=9), 9),
        ({"lic": 3}, "", TaskRange(min=1, max=9), 9),
        ({"hosts": 2}, "span[ptile=3]", TaskRange(min=1, max=9), 6),
    ],
)
def test_a_ceiling_on_a_counter_ends_the_task_range(
    ceilings: dict[str, int], resreq: str, tasks: TaskRange, most: int
) -> None:
    config = a_config(queues=(QueueConfig(name="q", max=ceilings),))
    merged = effective(an_own(queue="q", tasks=tasks, resreq=resreq), config)
    assert merged.tasks == TaskRange(min=tasks.min, max=most)
    assert (merged.origins["tasks"] == ("job", "queue:q")) == (most != tasks.max)


@pytest.mark.parametrize(
    ("ceilings", "resreq", "words"),
    [
        ({"slots": 3}, "", ["`slots` 4", "3", "job"]),
        ({"mem": 10 << 30}, "rusage[mem=4G]", ["`mem` 16G", "10G", "from job", "queue `q`"]),
        ({"lic": 1}, "rusage[lic=2/job]", ["`lic` 2", "1"]),
        ({"hosts": 1}, "span[ptile=3]", ["`hosts`", "1"]),
        ({"slots": 3}, "2*{mem > 1G} + 2*{mem > 2G}", ["`slots` 4", "3"]),
    ],
)
def test_a_ceiling_on_a_counter_rejects_what_can_never_fit(
    ceilings: dict[str, int], resreq: str, words: list[str]
) -> None:
    config = a_config(queues=(QueueConfig(name="q", max=ceilings),))
    rejection = rejected(an_own(queue="q", tasks=TaskRange(min=4, max=4), resreq=resreq), config)
    assert rejection.code == "queue_ceiling"
    assert [word for word in words if word not in rejection.message] == []


def test_a_default_charge_binds_a_job_that_asks_for_none() -> None:
    resources = {"lic": msgspec.structs.replace(LIC, default_charge=2)}
    config = msgspec.structs.replace(a_config(queues=(QueueConfig(name="q", max={"lic": 1}),)), resources=resources)
    assert rejected(an_own(queue="q"), config).code == "queue_ceiling"


# --- requirements -----------------------------------------------------------------------------------------------------


def test_a_compound_says_how_many_tasks() -> None:
    own = an_own(resreq="1*{mem > 1G} + 4*{mem > 2G}")
    merged = effective(own, a_config())
    assert merged.tasks == TaskRange(min=5, max=5)
    same = msgspec.structs.replace(own, tasks=TaskRange(min=5, max=5))
    assert effective(same, a_config()).tasks == merged.tasks
    other = msgspec.structs.replace(own, tasks=TaskRange(min=4, max=4))
    assert rejected(other, a_config()).code == "tasks_conflict"


def test_a_compounds_tasks_must_be_in_the_profiles_range() -> None:
    config = a_config(profiles=(Profile(name="p", tasks=TaskRange(min=1, max=4)),))
    own = an_own(app="p", resreq="1*{mem > 1G} + 4*{mem > 2G}")
    assert rejected(own, config).code == "tasks_conflict"


def test_a_fixed_per_binds_the_parts_of_a_compound_too() -> None:
    needs = ProfileResreq(rusage=(RusageDefault(resource="lic", per="job"),))
    config = a_config(profiles=(Profile(name="p", resreq=needs),))
    own = an_own(app="p", resreq="1*{rusage[lic=1]} + 4*{mem > 2G}")
    assert rejected(own, config).code == "rusage_per_conflict"


@pytest.mark.parametrize(
    ("resreq", "code"),
    [
        ("select[", "bad_requirement"),
        ("mem == 'x'", "type_mismatch"),
        ("rusage[ncpus=1]", "unknown_resource"),
        ("rusage[mem=4096]", "size_without_unit"),
    ],
)
def test_a_requirement_that_does_not_parse_rejects_with_its_code(resreq: str, code: str) -> None:
    rejection = rejected(an_own(resreq=resreq), a_config())
    assert (rejection.code, rejection.attribute) == (code, "resreq")
    assert isinstance(rejection.as_error(), XceError)


def test_a_later_configuration_is_obeyed_at_once() -> None:
    own = an_own(app="p")
    for most in (4, 8):
        config = a_config(profiles=(Profile(name="p", tasks=TaskRange(min=most, max=most)),))
        assert effective(own, config).tasks.min == most


# --- notes ------------------------------------------------------------------------------------------------------------


def test_what_repeats_the_profile_is_noted() -> None:
    profile = Profile(
        name="p",
        launch="tasks",
        tasks=TaskRange(min=2, max=4),
        limits={"run_time": 60},
        env={"A": "1"},
        resreq=ProfileResreq(rusage=(RusageDefault(resource="mem", default=1 << 30),), span="hosts=1"),
    )
    own = an_own(
        app="p",
        launch="tasks",
        tasks=TaskRange(min=2, max=4),
        limits={"run_time": 60},
        env={"A": "1"},
        explicit_env=("A",),
        resreq="rusage[mem=1G] span[hosts=1]",
    )
    merged = effective(own, a_config(profiles=(profile,)))
    noted = {note.attribute for note in merged.notes if note.code == "redundant"}
    assert noted == {"launch", "tasks", "limits.run_time", "env.A", "rusage.mem", "span"}
    assert merged.warnings == ()


def test_the_order_of_a_mapping_changes_nothing() -> None:
    own = an_own(app="p", queue="q", env={"A": "1", "B": "1"}, tasks=TaskRange(min=1, max=64))
    env, ceilings = {"A": "2", "B": "2"}, {"slots": 16, "tasks": 32}
    one, other = (
        a_config(
            profiles=(Profile(name="p", env=dict(order(env.items()))),),
            queues=(QueueConfig(name="q", max=dict(order(ceilings.items()))),),
        )
        for order in (list, lambda items: reversed(list(items)))
    )
    assert effective(own, one) == effective(own, other)


def test_a_conflict_of_secrets_names_the_variable_and_no_value() -> None:
    config = a_config(profiles=(Profile(name="p", env={"API_TOKEN": "hunter2"}),))
    own = an_own(app="p", env={"API_TOKEN": "swordfish"}, explicit_env=("API_TOKEN",))
    message = rejected(own, config).message
    assert "API_TOKEN" in message
    assert "hunter2" not in message
    assert "swordfish" not in message


@pytest.mark.parametrize("name", ["pre_job_exec", "post_host_exec", "job_starter", "annotations"])
def test_what_belongs_to_profiles_may_not_be_given(name: str) -> None:
    rejection = rejected(an_own(given={name: "x"}), a_config())
    assert rejection.code == "profile_only"
    assert name in rejection.message


def test_a_service_may_not_name_a_batch_profile() -> None:
    config = a_config(profiles=(Profile(name="p"), Profile(name="web", kind="service", service={})))
    assert rejected(an_own(app="p", kind="service"), config).code == "batch_profile"
    assert effective(an_own(app="web", kind="service"), config).kind == "service"


def test_an_optional_param_without_default_is_absent() -> None:
    config = a_config(profiles=(Profile(name="p", params=(Param(name="x"), Param(name="y", default="1"))),))
    assert effective(an_own(app="p"), config).app_params == {"y": "1"}
    assert rejected(an_own(app="p", app_params={"x": "a\nb"}), config).code == "param_value"


def test_a_quota_on_pending_jobs_is_the_controllers() -> None:
    projects = {"/eng": ProjectConfig(path="/eng", members=("ann",), quotas={"pending": 0, "running": 1})}
    effective(an_own(project="/eng"), a_config(projects=projects))
    none = {"/eng": ProjectConfig(path="/eng", members=("ann",), quotas={"running": 0})}
    assert rejected(an_own(project="/eng"), a_config(projects=none)).code == "project_quota"

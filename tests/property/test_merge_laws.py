"""Laws of the merge over random profiles and jobs."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from xcelib.config.canonical import from_bytes, profile_hash, to_bytes
from xcelib.config.model import ClusterConfig, Profile, ProfileResreq, QueueConfig, RusageDefault, empty
from xcelib.jobspec import TaskRange
from xcelib.merge import Effective, Own, Rejection, merge_job
from xcelib.merge.explain import rows
from xcelib.resreq.ast import Simple
from xcelib.resreq.parser import parse
from xcelib.resreq.printer import to_text

names = st.sampled_from(["A", "B", "C"])
texts = st.text(st.characters(codec="ascii", categories=["L", "N"]), max_size=4)
counts = st.integers(1, 20)


def ranges() -> st.SearchStrategy[TaskRange | None]:
    pairs = st.tuples(counts, st.none() | counts)
    return st.none() | pairs.map(
        lambda pair: TaskRange(min=pair[0], max=pair[1] if pair[1] is None else max(pair))  # type: ignore[type-var]
    )


rusages = st.dictionaries(
    st.sampled_from(["mem", "tmp", "gpus"]),
    st.tuples(st.integers(0, 4), st.sampled_from(["task", "job", "host"])),
    max_size=3,
)
limits = st.dictionaries(st.sampled_from(["run_time", "memory", "processes"]), st.integers(1, 10), max_size=3)
selects = st.sampled_from(["", "ncpus > 4", "type == X86_64 || ncpus > 2", "!defined(model)"])


@st.composite
def profiles(draw: st.DrawFn) -> Profile:
    entries = tuple(
        RusageDefault(resource=name, per=per, default=amount or None)  # type: ignore[arg-type]
        for name, (amount, per) in sorted(draw(rusages).items())
    )
    return Profile(
        name="p",
        tasks=draw(ranges()),
        resreq=ProfileResreq(select=draw(selects), rusage=entries),
        limits=draw(limits),
        env=draw(st.dictionaries(names, texts, max_size=3)),
    )


@st.composite
def owns(draw: st.DrawFn) -> Own:
    terms = ",".join(f"{name}={_amount(name, amount)}/{per}" for name, (amount, per) in draw(rusages).items())
    select = draw(selects)
    sections = [f"select[{select}]" if select else "", f"rusage[{terms}]" if terms else ""]
    env = draw(st.dictionaries(names, texts, max_size=3))
    return Own(
        user="ann",
        app=draw(st.sampled_from(["p", ""])),
        tasks=draw(ranges()),
        resreq=" ".join(filter(None, sections)),
        limits=draw(limits),
        env=env,
        explicit_env=tuple(name for name in env if draw(st.booleans())),
    )


def _amount(name: str, amount: int) -> str:
    return str(amount) if name == "gpus" else f"{amount}B"


@st.composite
def configs(draw: st.DrawFn) -> ClusterConfig:
    ceilings = draw(
        st.dictionaries(st.sampled_from(["tasks", "run_time", "mem", "slots", "memory"]), counts, max_size=2)
    )
    profile, queue = draw(profiles()), QueueConfig(name="normal", max=ceilings)
    return msgspec.structs.replace(
        empty(), applications={**empty().applications, "p": profile}, queues={"normal": queue}
    )


def merged(own: Own, config: ClusterConfig) -> Effective | Rejection:
    return merge_job(own, config)


@given(owns(), configs())
def test_the_same_inputs_give_the_same_merge(own: Own, config: ClusterConfig) -> None:
    copy = from_bytes(to_bytes(config))
    assert merged(own, config) == merged(own, copy) == merged(own, config)


@given(owns(), configs())
def test_the_merge_changes_none_of_its_inputs(own: Own, config: ClusterConfig) -> None:
    before: tuple[Any, bytes] = (msgspec.to_builtins(own), to_bytes(config))
    merged(own, config)
    assert (msgspec.to_builtins(own), to_bytes(config)) == before


@given(owns(), configs())
def test_a_job_only_adds_to_its_profile(own: Own, config: ClusterConfig) -> None:
    result = merged(own, config)
    if isinstance(result, Rejection) or not own.app:
        return
    profile = config.applications["p"]
    bound = profile.tasks or TaskRange()
    assert result.tasks.min >= bound.min
    assert bound.max is None or (result.tasks.max is not None and result.tasks.max <= bound.max)
    assert all(result.limits[name] <= value for name, value in profile.limits.items())
    assert result.profile_env == profile.env
    assert not result.job_env.keys() & profile.env.keys()
    per = {need.resource: need.per for need in result.rusage}
    fixed = profile.resreq.rusage if profile.resreq else ()
    assert all(per.get(entry.resource, entry.per) == entry.per for entry in fixed)


@given(owns(), configs())
def test_effective_values_stay_under_the_ceilings(own: Own, config: ClusterConfig) -> None:
    result = merged(own, config)
    if isinstance(result, Rejection):
        return
    ceilings = config.queues["normal"].max
    if "tasks" in ceilings:
        assert result.tasks.max is not None
        assert result.tasks.min <= result.tasks.max <= ceilings["tasks"]
    if "run_time" in ceilings:
        assert result.limits["run_time"] <= ceilings["run_time"]
    for need in result.rusage:
        factor = (result.tasks.max or result.tasks.min) if need.per == "task" else 1
        assert need.resource not in ceilings or need.amount * factor <= ceilings[need.resource]


@given(owns(), configs())
def test_every_effective_value_has_an_origin(own: Own, config: ClusterConfig) -> None:
    result = merged(own, config)
    if isinstance(result, Rejection):
        assert result.code
        assert result.message
        return
    for row in rows(result):
        assert row.origins
        assert row.attribute in result.origins or row.attribute.removeprefix("env.") in own.env


@given(owns(), configs())
def test_the_effective_requirement_prints_and_parses(own: Own, config: ClusterConfig) -> None:
    result = merged(own, config)
    if isinstance(result, Rejection):
        return
    assert isinstance(result.resreq, Simple)
    assert [need.resource for need in result.rusage] == sorted(need.resource for need in result.rusage)
    assert all(need.amount > 0 for need in result.rusage)
    assert to_text(parse(to_text(result.resreq))) == to_text(result.resreq)


@given(owns(), configs())
def test_giving_the_effective_values_again_changes_nothing(own: Own, config: ClusterConfig) -> None:
    result = merged(own, config)
    if isinstance(result, Rejection):
        return
    again = merged(msgspec.structs.replace(own, tasks=result.tasks, limits=result.limits), config)
    assert isinstance(again, Effective)
    assert (again.tasks, again.limits, again.rusage) == (result.tasks, result.limits, result.rusage)


@given(profiles(), texts)
def test_a_description_never_changes_the_hash(profile: Profile, description: str) -> None:
    assert profile_hash(msgspec.structs.replace(profile, description=description)) == profile_hash(profile)

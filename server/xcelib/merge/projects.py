"""A job's project: membership of that very project, and the quotas along its path."""

from collections.abc import Iterator, Mapping

from xcelib.config.model import JOB_COUNTS, ClusterConfig, ProjectConfig
from xcelib.merge.demand import Demand, demand_of
from xcelib.merge.draft import Draft, reject
from xcelib.merge.names import belongs
from xcelib.merge.own import Own
from xcelib.merge.requirement import Requirement
from xcelib.merge.texts import amount_text
from xcelib.resreq.descriptors import Descriptor

PER_JOB = Demand(once=1)


def check_project(
    own: Own,
    project: ProjectConfig,
    tasks: int,
    requirement: Requirement,
    *,
    config: ClusterConfig,
    known: Mapping[str, Descriptor],
    draft: Draft,
) -> None:
    """Refuse who is no member, and what no quota of the project or an ancestor could ever hold."""
    if not belongs(own, project.members, config):
        reject(
            "project_membership",
            f"user `{own.user}` is not a member of project `{project.path}`",
            attribute="project",
            hints=["membership is not inherited from a parent project; a project's administrator can add you"],
        )
    for owner in ancestry(project.path, config.projects):
        for name, quota in sorted(owner.quotas.items()):
            if name == "pending":
                continue  # it counts jobs that wait, which only the controller knows: refused there with 429
            demand = PER_JOB if name in JOB_COUNTS else _demand(name, requirement, config)
            if demand.of(tasks) > quota:
                _refuse(owner, name, demand.of(tasks), quota, known, draft)


def ancestry(path: str, projects: Mapping[str, ProjectConfig]) -> Iterator[ProjectConfig]:
    """The project and its declared ancestors, from the inside out."""
    while path:
        if path in projects:
            yield projects[path]
        path = path.rpartition("/")[0]


def _demand(name: str, requirement: Requirement, config: ClusterConfig) -> Demand:
    return demand_of(name, requirement.resreq, requirement.rusage, config.resources)


def _refuse(
    owner: ProjectConfig,
    name: str,
    asked: int | float,
    quota: int,
    known: Mapping[str, Descriptor],
    draft: Draft,
) -> None:
    is_size = name in known and known[name].type == "size"
    attribute = f"rusage.{name}"
    origin = " and ".join(draft.origins.get(attribute, draft.origins["tasks"]))
    asked_text, quota_text = amount_text(asked, is_size=is_size), amount_text(quota, is_size=is_size)
    reject(
        "project_quota",
        f"`{name}` {asked_text} (from {origin}) is above the quota of project `{owner.path}`, {quota_text}",
        attribute=attribute,
        hints=[f"ask for at most {quota_text}, or name another project"],
    )

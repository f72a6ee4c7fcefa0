"""Profiles that no queue could ever run: their least job is above every queue's ceilings."""

from typing import NamedTuple

from xcelib.config.model import ClusterConfig, Profile, QueueConfig
from xcelib.merge.effective import Effective, Rejection
from xcelib.merge.merging import merge
from xcelib.merge.own import Own


class Unrunnable(NamedTuple):
    """A profile, and why the last queue refuses it."""

    profile: str
    rejection: Rejection


def profiles_without_queue(config: ClusterConfig) -> list[Unrunnable]:
    """The profiles whose least job is rejected in all queues. Queues of equal ceilings are asked once."""
    queues = list({tuple(sorted(queue.max.items())): queue for queue in config.queues.values()}.values())
    found = []
    for profile in config.applications.values():
        rejection = _refused_everywhere(profile, queues, config)
        if rejection is not None:
            found.append(Unrunnable(profile.name, rejection))
    return found


def _refused_everywhere(profile: Profile, queues: list[QueueConfig], config: ClusterConfig) -> Rejection | None:
    own = _least_job(profile)
    rejection: Rejection | None = None
    for queue in queues:
        merged = merge(own, profile=profile, queue=queue, project=None, config=config)
        if isinstance(merged, Effective):
            return None
        rejection = merged
    return rejection


def _least_job(profile: Profile) -> Own:
    """A job that gives nothing but what the profile requires."""
    required = {param.name: (param.choices or ("x",))[0] for param in profile.params if param.required}
    return Own(user="", app=profile.name, kind=profile.kind, app_params=required)

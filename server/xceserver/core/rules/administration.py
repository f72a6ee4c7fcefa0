"""What administrators set: hosts, queues, the configuration. All durable, with who, when and why."""

from xcelib.errors import NotPermitted, Refused, Unknown, did_you_mean
from xceserver.core import events as ev
from xceserver.core.commands import ApplyConfig, SetHost, SetQueue
from xceserver.core.decision import Decision
from xceserver.core.records import Actor, Generation, HostAdmin, Note
from xceserver.core.state import ClusterState


def set_host(state: ClusterState, command: SetHost, *, now: float) -> Decision:
    _need_operator(command.actor, f"{command.state} a host")
    known = {*state.hosts, *state.config.hosts}
    if command.host not in known:
        raise Unknown(
            f"host `{command.host}` does not exist",
            code="unknown_host",
            hints=did_you_mean(command.host, known, otherwise="list hosts with `xceadmin host list`"),
        )
    note = Note(by=command.actor.user, at=now, why=command.why)
    event = ev.HostSet(at=now, host=command.host, admin=HostAdmin(state=command.state, note=note))
    return Decision(events=(event,), answer=note)


def set_queue(state: ClusterState, command: SetQueue, *, now: float) -> Decision:
    _need_operator(command.actor, f"{command.action} a queue")
    if command.queue not in state.config.queues:
        raise Unknown(
            f"queue `{command.queue}` does not exist",
            code="unknown_queue",
            hints=did_you_mean(command.queue, state.config.queues, otherwise="list queues with `xceadmin queue list`"),
        )
    note = Note(by=command.actor.user, at=now, why=command.why)
    admin = state.queue_admin(command.queue)
    closed, inactive = admin.closed, admin.inactive
    match command.action:
        case "open":
            closed = None
        case "close":
            closed = note
        case "activate":
            inactive = None
        case "inactivate":
            inactive = note
    event = ev.QueueSet(at=now, queue=command.queue, closed=closed, inactive=inactive)
    return Decision(events=(event,), answer=note)


def apply_config(state: ClusterState, command: ApplyConfig, *, now: float) -> Decision:
    """Make a checked configuration live, in one event. `expect` guards against another's change in between."""
    if command.actor.role != "admin":
        raise NotPermitted(f"`{command.actor.user}` may not change the configuration: it needs the role admin")
    if command.expect is not None and command.expect != state.generation.hash:
        raise Refused(
            f"the live configuration is `{state.generation.hash}`, not the expected `{command.expect}`",
            code="configuration_changed",
            hints=["look at the live one with `xceadmin config show`, then apply again"],
        )
    note = Note(by=command.actor.user, at=now, why=command.message)
    if command.hash == state.generation.hash:
        return Decision(answer=state.generation)
    generation = Generation(number=state.generation.number + 1, hash=command.hash, note=note)
    event = ev.ConfigApplied(at=now, generation=generation, document=command.document)
    return Decision(events=(event,), answer=generation)


def _need_operator(actor: Actor, what: str) -> None:
    if not actor.is_operator:
        raise NotPermitted(
            f"`{actor.user}` may not {what}: it needs the role operator or admin",
            hints=["root and the owner of the cluster's folder are admin"],
        )

"""Routes of the cluster: queues, hosts, profiles, configuration, presets, status."""

import os
from collections.abc import Mapping
from typing import Literal, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from xcelib import wire
from xcelib.config.canonical import content_hash, from_bytes
from xcelib.config.check import check
from xcelib.errors import BadConfiguration, NotPermitted, TryAgain, Unknown, XceError, did_you_mean
from xceserver.api import views
from xceserver.api.handling import Handler, Site, answer, guarded
from xceserver.api.presets import PresetFolder
from xceserver.api.requests import BODY_MAX, CONFIG_BODY_MAX, check_query, decode, read_body
from xceserver.core import commands as cmd
from xceserver.core.records import Note

T = TypeVar("T")
_HOST_STATES: Mapping[str, Literal["open", "closed", "drained"]] = {
    "open": "open",
    "close": "closed",
    "drain": "drained",
}
_QUEUE_ACTIONS: Mapping[str, Literal["open", "close", "activate", "inactivate"]] = {
    "open": "open",
    "close": "close",
    "activate": "activate",
    "inactivate": "inactivate",
}
MESSAGE_MAX = 1024
_REASON = msgspec.json.Decoder(wire.ReasonRequest)


def routes(site: Site, presets: PresetFolder) -> list[Route]:
    cluster = _Cluster(site, presets)
    table: list[tuple[str, str, Handler]] = [
        ("GET", "/queues", cluster.queues),
        ("GET", "/hosts", cluster.hosts),
        ("GET", "/apps", cluster.apps),
        ("POST", "/hosts/{name}/{action}", cluster.set_host),
        ("POST", "/queues/{name}/{action}", cluster.set_queue),
        ("GET", "/config", cluster.config),
        ("GET", "/config/document", cluster.document),
        ("POST", "/config/apply", cluster.apply),
        ("GET", "/presets", cluster.presets),
        ("GET", "/presets/{name}", cluster.preset),
        ("GET", "/status", cluster.status),
        ("GET", "/version", cluster.version),
        ("GET", "/healthz", cluster.healthz),
        ("GET", "/readyz", cluster.readyz),
    ]
    return [Route(f"/xce/v1{path}", guarded(handler), methods=[method]) for method, path, handler in table]


class _Cluster:
    def __init__(self, site: Site, presets: PresetFolder) -> None:
        self.site = site
        self.desk = site.desk
        self.preset_folder = presets

    async def _ready(self, request: Request, *query: str) -> None:
        self.site.actor(request)
        check_query(request, query)
        await self.desk.durable()

    async def queues(self, request: Request) -> Response:
        await self._ready(request)
        return answer(wire.QueueList(queues=tuple(views.queue_rows(self.desk.state))))

    async def hosts(self, request: Request) -> Response:
        await self._ready(request)
        state = self.desk.state
        loads = {name: self.desk.load(name) for name in state.hosts}
        return answer(wire.HostList(hosts=tuple(views.host_rows(state, loads))))

    async def apps(self, request: Request) -> Response:
        await self._ready(request)
        return answer(wire.AppList(apps=tuple(views.app_rows(self.desk.state))))

    async def set_host(self, request: Request) -> Response:
        state = _choice(_HOST_STATES, request.path_params["action"], "host")
        actor, why = self.site.actor(request), await self._why(request)
        command = cmd.SetHost(actor=actor, host=request.path_params["name"], state=state, why=why)
        note: Note = await self.desk.ask(command)
        return answer(views.note_row(note))

    async def set_queue(self, request: Request) -> Response:
        action = _choice(_QUEUE_ACTIONS, request.path_params["action"], "queue")
        actor, why = self.site.actor(request), await self._why(request)
        command = cmd.SetQueue(actor=actor, queue=request.path_params["name"], action=action, why=why)
        note: Note = await self.desk.ask(command)
        return answer(views.note_row(note))

    async def _why(self, request: Request) -> str:
        check_query(request, ())
        body = await read_body(request, limit=BODY_MAX)
        return decode(body, _REASON).why if body else ""

    async def config(self, request: Request) -> Response:
        await self._ready(request)
        generation = self.desk.state.generation
        note = views.note_row(generation.note) if generation.number else None
        return answer(wire.ConfigLive(generation=generation.number, hash=generation.hash, note=note))

    async def document(self, request: Request) -> Response:
        await self._ready(request)
        return Response(self.desk.document or b"{}", media_type="application/json")

    async def apply(self, request: Request) -> Response:
        """Validated again, whole; a failed apply changes nothing (G19)."""
        actor = self.site.actor(request)
        check_query(request, ("expect", "message"))
        if actor.role != "admin":
            raise NotPermitted(f"`{actor.user}` may not change the configuration: it needs the role admin")
        body = await read_body(request, limit=CONFIG_BODY_MAX)
        config = from_bytes(body)
        faults = [finding for finding in check(config) if finding.severity == "error"]
        if faults:
            raise BadConfiguration(
                f"the configuration has {len(faults)} error(s); nothing was changed",
                hints=["`xceadmin config check` shows each with its place"],
                faults=[finding.as_fault() for finding in faults],
            )
        message = request.query_params.get("message", "")
        if len(message) > MESSAGE_MAX:
            raise XceError(f"the message has {len(message)} characters, at most {MESSAGE_MAX}", code="too_large")
        command = cmd.ApplyConfig(
            actor=actor,
            document=body,
            config=config,
            hash=content_hash(config),
            expect=request.query_params.get("expect"),
            message=message,
        )
        generation = await self.desk.ask(command)
        note = views.note_row(generation.note)
        return answer(wire.ConfigLive(generation=generation.number, hash=generation.hash, note=note))

    async def presets(self, request: Request) -> Response:
        await self._ready(request)
        rows = self.preset_folder.rows()
        return answer(wire.PresetList(presets=tuple(rows), cluster=self.site.cluster_uuid))

    async def preset(self, request: Request) -> Response:
        await self._ready(request)
        name = request.path_params["name"]
        found = self.preset_folder.text(name)
        if found is None:
            known = [row.name for row in self.preset_folder.rows()]
            raise Unknown(
                f"the site has no preset `{name[:64]}`",
                code="unknown_preset",
                hints=did_you_mean(name, known),
            )
        text, digest = found
        return answer(wire.PresetText(name=name, text=text, hash=digest, cluster=self.site.cluster_uuid))

    async def status(self, request: Request) -> Response:
        await self._ready(request)
        return answer(
            wire.ClusterStatus(
                cluster=self.desk.state.config.cluster,
                uuid=self.site.cluster_uuid,
                version=self.site.version,
                components=tuple(self._components()),
            )
        )

    def _components(self) -> list[wire.ComponentRow]:
        rows = [wire.ComponentRow(name="controller", pid=os.getpid(), state="ok")]
        scheduler = self.desk.scheduler
        if scheduler is None:
            rows.append(wire.ComponentRow(name="scheduler", state="down", text="not linked: pending jobs wait"))
        else:
            rows.append(wire.ComponentRow(name="scheduler", pid=scheduler[0], state="ok"))
        linked = self.desk.linked_hosts()
        for host in sorted(self.desk.state.hosts.values(), key=lambda host: host.name):
            is_ok = host.is_up and host.name in linked
            rows.append(
                wire.ComponentRow(
                    name=f"worker {host.name}",
                    pid=host.pid or None,
                    state="ok" if is_ok else "down",
                    text="" if is_ok else ("its lease runs" if host.is_up else "lost"),
                )
            )
        return rows

    async def version(self, request: Request) -> Response:
        await self._ready(request)
        return answer(
            {
                "version": self.site.version,
                "cluster": self.desk.state.config.cluster,
                "uuid": self.site.cluster_uuid,
            }
        )

    async def healthz(self, request: Request) -> Response:
        return answer({"state": "ok"})

    async def readyz(self, request: Request) -> Response:
        """Ready to accept and to run: recovered, the scheduler linked, a worker up."""
        if self.desk.scheduler is None or not self.desk.linked_hosts():
            raise TryAgain("starting: the scheduler and a worker must be linked", code="starting")
        return answer({"state": "ready"})


def _choice(choices: Mapping[str, T], given: str, what: str) -> T:
    if given not in choices:
        raise XceError(f"a {what} can be told {', '.join(choices)}; not `{given[:32]}`", code="unknown_action")
    return choices[given]


__all__ = ["routes"]

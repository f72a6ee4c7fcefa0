"""Routes of jobs: submit, list, details, actions, explain, why, output, wait."""

import asyncio
import hashlib
from collections.abc import Iterator

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from xcelib import wire
from xcelib.errors import Refused, Unknown, XceError
from xcelib.ids import element_text
from xcelib.jobspec import JobSpec
from xcelib.merge import Effective, Rejection, merge_job, own_of
from xcelib.ranges import IndexSet, parse_indexes
from xcelib.speccheck import check_spec, shown
from xcelib.states import State
from xceserver.api import views
from xceserver.api.handling import Site, answer, guarded
from xceserver.api.requests import (
    BODY_MAX,
    BULK_BODY_MAX,
    check_query,
    decode,
    idempotency_key,
    query_choice,
    query_int,
    read_body,
)
from xceserver.core import commands as cmd
from xceserver.core.records import Actor, Job
from xceserver.peer import AttemptKey

_SPEC = msgspec.json.Decoder(JobSpec)
_BULK = msgspec.json.Decoder(wire.BulkRequest)
_ACTION = msgspec.json.Decoder(wire.ActionRequest)
_STORED_SPEC = msgspec.msgpack.Decoder(JobSpec)

WAIT_MAX_S = 25
OUTPUT_CHUNK_MAX = 1 << 20
LIST_QUERY = ("user", "all", "state", "queue", "app", "name", "label", "cursor", "limit", "scope")


def routes(site: Site) -> list[Route]:
    jobs = _Jobs(site)
    table = [
        ("POST", "/jobs", jobs.submit),
        ("POST", "/jobs/bulk", jobs.submit_bulk),
        ("POST", "/jobs/{action:str}", jobs.act),
        ("GET", "/jobs", jobs.list_jobs),
        ("GET", "/jobs/{id:int}", jobs.detail),
        ("GET", "/jobs/{id:int}/elements", jobs.elements),
        ("GET", "/jobs/{id:int}/explain", jobs.explain),
        ("GET", "/jobs/{id:int}/why", jobs.why),
        ("GET", "/jobs/{id:int}/wait", jobs.wait),
        ("GET", "/jobs/{id:int}/output", jobs.output),
        ("POST", "/explain", jobs.explain_spec),
    ]
    return [Route(f"/xce/v1{path}", guarded(handler), methods=[method]) for method, path, handler in table]


class _Jobs:
    def __init__(self, site: Site) -> None:
        self.site = site
        self.desk = site.desk

    # --- changing --------------------------------------------------------------------------------------------

    async def submit(self, request: Request) -> Response:
        actor = self.site.actor(request)
        body = await read_body(request, limit=BODY_MAX)
        command = cmd.Submit(actor=actor, specs=(decode(body, _SPEC),), host=self.site.host)
        return await self._submit(request, command, body)

    async def submit_bulk(self, request: Request) -> Response:
        actor = self.site.actor(request)
        body = await read_body(request, limit=BULK_BODY_MAX)
        command = cmd.Submit(actor=actor, specs=decode(body, _BULK).jobs, host=self.site.host, is_bulk=True)
        return await self._submit(request, command, body)

    async def _submit(self, request: Request, command: cmd.Submit, body: bytes) -> Response:
        check_query(request, ())
        key, digest = self._request(request, command.actor, body)
        return answer(await self.desk.ask(command, key=key, digest=digest), status=201)

    def _request(self, request: Request, actor: Actor, body: bytes) -> tuple[str, bytes]:
        """The request's identity: the same key for another path or body is another request."""
        key = idempotency_key(request, uid=actor.uid)
        return key, hashlib.sha256(request.url.path.encode() + b"\0" + body).digest() if key else b""

    async def act(self, request: Request) -> Response:
        actor = self.site.actor(request)
        check_query(request, ())
        action = request.path_params["action"]
        if action not in ("kill", "stop", "resume", "requeue"):
            raise Unknown(f"there is no action `{action[:32]}` on jobs", code="unknown_route")
        body = await read_body(request, limit=BODY_MAX)
        asked = decode(body, _ACTION)
        if asked.force and action != "kill":
            raise XceError("`force` belongs to kill alone", code="bad_field")
        selections = tuple(cmd.Selection(each.id, _indexes(each.elements)) for each in asked.jobs)
        command: cmd.AnyCommand
        match action:
            case "kill":
                command = cmd.Kill(actor=actor, selections=selections, is_force=asked.force, why=asked.why)
            case "stop":
                command = cmd.Stop(actor=actor, selections=selections, why=asked.why)
            case "resume":
                command = cmd.Resume(actor=actor, selections=selections)
            case _:
                command = cmd.Requeue(actor=actor, selections=selections, why=asked.why)
        key, digest = self._request(request, actor, body)
        return answer(await self.desk.ask(command, key=key, digest=digest))

    # --- reading ---------------------------------------------------------------------------------------------

    async def list_jobs(self, request: Request) -> Response:
        actor = self.site.actor(request)
        check_query(request, LIST_QUERY)
        wanted = _Filter.of(request, actor)
        limit = query_int(request, "limit", 100, least=1, most=wire.PAGE_MAX) or 100
        cursor = query_int(request, "cursor", None, least=1, most=1 << 62)
        scope = query_choice(request, "scope", ("live", "finished", "both"), "live")
        await self.desk.durable()
        found = await self._page(wanted, scope, cursor, limit)
        rows = tuple(views.job_row(job, reason=self._reason(job)) for job in found)
        return answer(wire.JobPage(jobs=rows, cursor=rows[-1].id if len(rows) == limit else None))

    async def _page(self, wanted: "_Filter", scope: str, cursor: int | None, limit: int) -> list[Job]:
        found: dict[int, Job] = {}
        if scope != "finished":
            found |= {job.id: job for job in _newest(self.desk.state.jobs, wanted, cursor, limit)}
        if scope != "live":
            found |= {job.id: job for job in await self._finished(wanted, cursor, limit)}
        return sorted(found.values(), key=lambda job: -job.id)[:limit]

    async def _finished(self, wanted: "_Filter", cursor: int | None, limit: int) -> list[Job]:
        """Finished jobs that match, read in pages as long as filters leave too few."""
        found: list[Job] = []
        while len(found) < limit:
            page = await asyncio.to_thread(
                self.desk.archive.ended_jobs,
                user=wanted.user,
                before=cursor,
                limit=wire.PAGE_MAX,
                name=wanted.name,
                queue=wanted.queue,
                app=wanted.app,
            )
            found += [job for job in page if wanted.matches(job)]
            if len(page) < wire.PAGE_MAX:
                break
            cursor = page[-1].id
        return found[:limit]

    def _reason(self, job: Job) -> str:
        return views.short_reason(self.desk.reasons(job)) if job.ended_at is None else ""

    async def _job(self, request: Request) -> Job:
        """The job of the path, live or finished."""
        await self.desk.durable()
        job_id = request.path_params["id"]
        job = self.desk.state.jobs.get(job_id) or (self.desk.history.job(job_id) if job_id < 1 << 62 else None)
        if job is None:
            raise Unknown(
                f"job `{job_id}` does not exist",
                code="unknown_job",
                hints=["list jobs with `xcecli jobs -a`"],
            )
        return job

    def _spec(self, job: Job) -> JobSpec:
        raw = self.desk.history.spec(job.id)
        assert raw is not None, f"job {job.id} has no spec"
        return _STORED_SPEC.decode(raw)

    async def detail(self, request: Request) -> Response:
        actor = self.site.actor(request)
        check_query(request, ())
        job = await self._job(request)
        spec = self._spec(job)
        effective = merge_job(own_of(spec, job.needs.user), self.desk.state.config)
        is_shown = actor.is_operator or actor.uid == job.uid
        if not is_shown:
            spec = _without_private(spec)
        attempts = [row for element in self._elements(job, after=-1, limit=100) for row in element.attempts]
        refusal = effective.message if isinstance(effective, Rejection) else ""
        table = views.explain_table(effective).rows if isinstance(effective, Effective) and is_shown else ()
        detail = wire.JobDetail(
            row=views.job_row(job, reason=self._reason(job)),
            spec=spec,
            effective=table,
            refusal=refusal,
            attempts=tuple(attempts),
            timeline=views.timeline(job, attempts),
        )
        return answer(detail)

    def _elements(self, job: Job, *, after: int, limit: int) -> list[wire.ElementRow]:
        """Elements that were dispatched, by index: those on disk, and as they are in memory now."""
        found = {element.index: element for element in self.desk.history.elements(job.id, after=after, limit=limit)}
        found |= {index: element for index, element in (job.elements or {}).items() if index > after}
        return [views.element_row(found[index]) for index in sorted(found)[:limit]]

    async def elements(self, request: Request) -> Response:
        self.site.actor(request)
        check_query(request, ("cursor", "limit"))
        job = await self._job(request)
        limit = query_int(request, "limit", 1000, least=1, most=wire.PAGE_MAX) or 1000
        after = query_int(request, "cursor", -1, least=-1, most=1 << 62)
        rows = tuple(self._elements(job, after=-1 if after is None else after, limit=limit))
        return answer(wire.ElementPage(elements=rows, cursor=rows[-1].index if len(rows) == limit else None))

    async def explain(self, request: Request) -> Response:
        actor = self.site.actor(request)
        check_query(request, ())
        job = await self._job(request)
        if not actor.is_operator and actor.uid != job.uid:
            raise _private(job)
        effective = merge_job(own_of(self._spec(job), job.needs.user), self.desk.state.config)
        if isinstance(effective, Rejection):
            raise effective.as_error()
        return answer(views.explain_table(effective))

    async def explain_spec(self, request: Request) -> Response:
        """What a submit would get, from the same merge; nothing is submitted."""
        actor = self.site.actor(request)
        check_query(request, ())
        spec = decode(await read_body(request, limit=BODY_MAX), _SPEC)
        check_spec(spec)
        await self.desk.durable()
        effective = merge_job(own_of(spec, actor.user), self.desk.state.config)
        if isinstance(effective, Rejection):
            raise effective.as_error()
        return answer(views.explain_table(effective))

    async def why(self, request: Request) -> Response:
        self.site.actor(request)
        check_query(request, ())
        job = await self._job(request)
        reasons = self.desk.reasons(job) if job.ended_at is None else ()
        report = wire.WhyReport(
            row=views.job_row(job, reason=views.short_reason(reasons)),
            reasons=tuple(views.why_reason(reason) for reason in reasons),
            as_of=self.desk.reasons_as_of() or None,
        )
        return answer(report)

    async def wait(self, request: Request) -> Response:
        """Long poll: answers when the job is final, or after `timeout` seconds as it is then."""
        self.site.actor(request)
        check_query(request, ("timeout",))
        left = float(query_int(request, "timeout", WAIT_MAX_S, least=0, most=WAIT_MAX_S) or 0)
        loop = asyncio.get_running_loop()
        end = loop.time() + left
        job = await self._job(request)
        while job.ended_at is None and loop.time() < end:
            await self.desk.watch(job.id, seconds=end - loop.time())
            job = await self._job(request)
        return answer(views.job_row(job, reason=self._reason(job)))

    async def output(self, request: Request) -> Response:
        actor = self.site.actor(request)
        check_query(request, ("index", "attempt", "stream", "offset", "limit"))
        job = await self._job(request)
        if not actor.is_operator and actor.uid != job.uid:
            raise _private(job)
        index = query_int(request, "index", None, least=0, most=1 << 30)
        if index is None:
            if job.is_array:
                raise XceError(
                    f"job `{job.id}` is an array: say which element",
                    code="which_element",
                    hints=[f"for example `xcecli logs '{job.id}[1]'`"],
                )
            index = 0
        offset = query_int(request, "offset", 0, least=-(1 << 40), most=1 << 50) or 0
        limit = query_int(request, "limit", OUTPUT_CHUNK_MAX, least=1, most=OUTPUT_CHUNK_MAX) or OUTPUT_CHUNK_MAX
        stream: wire.Stream = "err" if query_choice(request, "stream", ("out", "err"), "out") == "err" else "out"
        attempt = query_int(request, "attempt", None, least=1, most=1 << 30)
        host, key, is_final = self._attempt(job, index, attempt)
        chunk = await self.desk.read_output(host, key, stream, offset=offset, limit=limit)
        if chunk.error:
            raise Unknown(chunk.error, code="no_output")
        headers = {
            "X-XCE-Offset": str(chunk.offset),
            "X-XCE-Size": str(chunk.size),
            "X-XCE-Final": "true" if is_final and chunk.offset + len(chunk.data) >= chunk.size else "false",
            "X-XCE-Attempt": str(key.attempt),
        }
        return Response(chunk.data, media_type="application/octet-stream", headers=headers)

    def _attempt(self, job: Job, index: int, attempt: int | None) -> tuple[str, AttemptKey, bool]:
        """Where the output of an element's attempt is: host, key, and whether no more can come."""
        rows = self._elements(job, after=index - 1, limit=1)
        attempts = rows[0].attempts if rows and rows[0].index == index else ()
        chosen = [row for row in attempts if attempt is None or row.attempt == attempt]
        if chosen:
            last = chosen[-1]
            return last.hosts[0], AttemptKey(job.id, index, last.attempt), last.ended_at is not None
        name = element_text(job.id, index)
        if _is_pending(job, index):
            raise Refused(
                f"`{name}` has not started yet", code="not_started", hints=[f"`xcecli why {job.id}` says why"]
            )
        raise Unknown(
            f"`{name}` has no output: it never ran" if attempt is None else f"`{name}` has no attempt {attempt}",
            code="no_output",
        )


def _is_pending(job: Job, index: int) -> bool:
    return any(part is not None and index in part for part in (job.waiting, job.gated, job.held))


def _indexes(text: str | None) -> IndexSet | None:
    return None if text is None else parse_indexes(text)


def _private(job: Job) -> XceError:
    error = XceError(f"job `{job.id}` belongs to `{job.needs.user}`", code="not_permitted")
    error.http_status = 403
    return error


def _without_private(spec: JobSpec) -> JobSpec:
    """What others may see of a job: neither its command nor its environment (80-security)."""
    exdata = msgspec.structs.replace(spec.exdata, env={}, app_params={}, meta={})
    return msgspec.structs.replace(spec, command=(), script=None, exdata=exdata, explicit_env=())


class _Filter(msgspec.Struct, frozen=True):
    """Which jobs a list is about."""

    user: str | None
    state: str | None
    queue: str | None
    app: str | None
    name: str | None
    label: tuple[str, str] | None

    @classmethod
    def of(cls, request: Request, actor: Actor) -> "_Filter":
        query = request.query_params
        is_all = query_choice(request, "all", ("true", "false"), "false") == "true"
        state = query.get("state")
        if state is not None and state not in set(State):
            raise XceError(
                f"there is no state `{shown(state[:16])}`",
                code="bad_parameter",
                hints=[f"states: {', '.join(State)}"],
            )
        label = query.get("label")
        key, equals, value = (label or "").partition("=")
        if label is not None and not (key and equals):
            raise XceError(f"`label` is KEY=VALUE, not `{shown(label)}`", code="bad_parameter")
        return cls(
            user=query.get("user") or (None if is_all else actor.user),
            state=state,
            queue=query.get("queue"),
            app=query.get("app"),
            name=query.get("name"),
            label=(key, value) if label is not None else None,
        )

    def matches(self, job: Job) -> bool:
        needs = job.needs
        return (
            (self.user is None or needs.user == self.user)
            and (self.queue is None or needs.queue == self.queue)
            and (self.app is None or needs.app == self.app)
            and (self.name is None or job.name == self.name)
            and (self.label is None or (job.labels or {}).get(self.label[0]) == self.label[1])
            and (self.state is None or bool(views.state_counts(job).get(self.state)))
        )


def _newest(jobs: dict[int, Job], wanted: _Filter, cursor: int | None, limit: int) -> Iterator[Job]:
    """At most `limit` live jobs that match, newest first. Ids grow, so the dict is nearly in order."""
    for job_id in reversed(jobs):
        if limit <= 0:
            return
        job = jobs[job_id]
        if job.ended_at is None and (cursor is None or job_id < cursor) and wanted.matches(job):
            limit -= 1
            yield job


__all__ = ["routes"]

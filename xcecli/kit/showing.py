"""Results as lines for people. Pure."""

from collections.abc import Sequence

from xcecli.kit.text import ago, amount, bar, harmless, moment, size, span, table
from xcelib import wire
from xcelib.options.build import LIMIT_SIZES


def state_text(row: wire.JobRow) -> str:
    """One word; an array shows its counts."""
    if not row.is_array:
        return row.state
    return " ".join(f"{state} {count}" for state, count in sorted(row.counts.items()))


def job_lines(rows: Sequence[wire.JobRow], *, now: float, width: int, is_with_user: bool) -> list[str]:
    if not rows:
        return []
    header = ["ID", *(["USER"] if is_with_user else []), "NAME", "STATE", "QUEUE", "APP", "HOSTS", "AGE", "REASON"]
    cells = [
        [
            str(row.id),
            *([row.user] if is_with_user else []),
            row.name or "-",
            state_text(row),
            row.queue,
            row.app or "-",
            ",".join(row.hosts) or "-",
            ago(row.submitted_at, now),
            row.reason or end_text(row) or "-",
        ]
        for row in rows
    ]
    return table(header, cells, width=width, whole=("ID",))


def end_text(row: wire.JobRow) -> str:
    """How it ended, in a few words."""
    if row.ended_at is None:
        return ""
    parts = [row.end_reason] if row.end_reason else []
    if row.signal:
        parts.append(f"signal {row.signal}")
    elif row.exit_code:
        parts.append(f"exit {row.exit_code}")
    return " ".join(parts)


def history_lines(rows: Sequence[wire.JobRow], *, width: int, is_with_user: bool) -> list[str]:
    if not rows:
        return []
    header = ["ID", *(["USER"] if is_with_user else []), "NAME", "STATE", "QUEUE", "APP", "ENDED", "TOOK", "END"]
    cells = [
        [
            str(row.id),
            *([row.user] if is_with_user else []),
            row.name or "-",
            state_text(row),
            row.queue,
            row.app or "-",
            moment(row.ended_at),
            span(row.ended_at - row.started_at) if row.ended_at is not None and row.started_at is not None else "-",
            end_text(row) or "-",
        ]
        for row in rows
    ]
    return table(header, cells, width=width, whole=("ID", "ENDED"))


def explain_lines(found: wire.ExplainTable, width: int) -> list[str]:
    """The effective values: attribute, value, origin; then what they shadow, warnings and notes."""
    return [
        *effective_lines(found.rows, width),
        *(f"warning: {t}" for t in found.warnings),
        *(f"note: {t}" for t in found.notes),
    ]


def effective_lines(rows: Sequence[wire.ExplainRow], width: int) -> list[str]:
    inherited = [row for row in rows if row.attribute.startswith("env.") and row.is_pinned and not row.shadowed]
    cells = []
    for row in rows:
        if row in inherited:
            continue
        shadowed = "; ".join(f"{value} ({origin})" for origin, value in row.shadowed)
        how = "pinned" if row.is_pinned else "live"
        cells.append([row.attribute, row.value, " + ".join(row.origins), how, shadowed])
    if inherited:
        count = f"{len(inherited)} variable{'s' if len(inherited) > 1 else ''}"
        cells.append(["env", f"{count} of the job's own (--json names them)", "job", "pinned", ""])
    if not cells:
        return []
    if not any(row[4] for row in cells):
        return table(["ATTRIBUTE", "VALUE", "ORIGIN", "HOW"], [row[:4] for row in cells], width=width)
    return table(["ATTRIBUTE", "VALUE", "ORIGIN", "HOW", "INSTEAD OF"], cells, width=width)


def why_lines(report: wire.WhyReport, index: int | None = None) -> list[str]:
    row = report.row
    name, state = (f"job {row.id}", state_text(row)) if index is None else (f"job {row.id}[{index}]", row.state)
    if not report.reasons:
        return [f"{name} does not wait: it is {state}"]
    lines = [f"{name} is {state}"]
    for reason in report.reasons:
        lines.append(f"  {harmless(reason.text)}")
        lines += [
            f"    {count} host{'s' if count > 1 else ''}: {harmless(text)}" for text, count in reason.hosts.items()
        ]
    if report.as_of:
        lines.append(f"as of the session at {moment(report.as_of)}")
    return lines


def detail_lines(detail: wire.JobDetail, width: int) -> list[str]:
    row, spec = detail.row, detail.spec
    what = (
        harmless(" ".join(spec.command))
        if spec.command
        else ("(a script)" if spec.script is not None else "(not yours)")
    )
    lines = [
        f"job       {row.id}" + (f"  {harmless(row.name)}" if row.name else ""),
        f"state     {state_text(row)}" + (f"  {end_text(row)}" if end_text(row) else ""),
        f"user      {row.user}",
        f"command   {what}",
        f"directory {harmless(spec.cwd)}",
    ]
    if row.reason:
        lines.append(f"waits     {harmless(row.reason)}")
    if detail.refusal:
        lines.append(f"refused   {harmless(detail.refusal)}")
    lines += ["", "effective values", *effective_lines(detail.effective, width)] if detail.effective else []
    lines += ["", "attempts", *attempt_lines(detail, detail.attempts, width)] if detail.attempts else []
    return [*lines, "", "timeline", *(f"  {moment(each.at)}  {harmless(each.text)}" for each in detail.timeline)]


_ATTEMPTS = ("INDEX", "TRY", "HOST", "STARTED", "TOOK", "CPU", "MEMORY", "OF LIMIT", "END")


def element_lines(detail: wire.JobDetail, element: wire.ElementRow, width: int) -> list[str]:
    row = detail.row
    lines = [
        f"element   {row.id}[{element.index}]" + (f"  {harmless(row.name)}" if row.name else ""),
        f"state     {element.state}",
        f"user      {row.user}",
    ]
    return [*lines, *(["", "attempts", *attempt_lines(detail, element.attempts, width)] if element.attempts else [])]


def attempt_lines(detail: wire.JobDetail, attempts: Sequence[wire.AttemptRow], width: int) -> list[str]:
    limits = detail.spec.exdata.limits
    cells = []
    for attempt in attempts:
        usage = attempt.usage or wire.UsageRow()
        took = span(usage.wall_s) if attempt.ended_at is not None else "-"
        end = attempt.end_reason or (f"signal {attempt.signal}" if attempt.signal else "")
        end = end or ("" if attempt.exit_code is None else f"exit {attempt.exit_code}") or "runs"
        cells.append(
            [
                str(attempt.index) if detail.row.is_array else "-",
                str(attempt.attempt),
                ",".join(attempt.hosts),
                moment(attempt.started_at),
                took,
                span(usage.cpu_s),
                size(usage.max_rss),
                bar(usage.max_rss, limits.get("memory", 0), width=10),
                end,
            ]
        )
    return table(_ATTEMPTS, cells, width=width, whole=("STARTED", "OF LIMIT"))


def queue_lines(rows: Sequence[wire.QueueRow], width: int) -> list[str]:
    cells = [
        [
            row.name + ("*" if row.is_default else ""),
            str(row.priority),
            ("closed" if row.closed else "open") + ":" + ("inactive" if row.inactive else "active"),
            str(row.pending),
            str(row.running),
            " ".join(f"{name}={_ceiling(name, value)}" for name, value in sorted(row.max.items())) or "-",
            _notes(row.closed, row.inactive) or row.description or "-",
        ]
        for row in rows
    ]
    return table(["QUEUE", "PRIORITY", "STATE", "PENDING", "RUNNING", "MAX", "NOTE"], cells, width=width)


def _ceiling(name: str, value: int) -> str:
    if name in ("run_time", "cpu_time"):
        return span(value)
    return size(value) if name in LIMIT_SIZES else amount(name, value)


def _notes(*notes: wire.NoteRow | None) -> str:
    return "; ".join(f"{note.by}: {note.why}" if note.why else f"by {note.by}" for note in notes if note is not None)


def host_lines(rows: Sequence[wire.HostRow], width: int) -> list[str]:
    cells = [
        [
            row.name,
            row.state,
            row.admin,
            f"{row.used.get('slots', 0)}/{row.total.get('slots', 0)}",
            str(row.running),
            f"{size(row.used.get('mem', 0))}/{size(row.total.get('mem', 0))}",
            f"{row.load['r1m']:.2f}" if "r1m" in row.load else "-",
            _notes(row.note) or "-",
        ]
        for row in rows
    ]
    return table(["HOST", "STATE", "ADMIN", "SLOTS", "RUNNING", "MEMORY", "LOAD", "NOTE"], cells, width=width)


def app_lines(rows: Sequence[wire.AppRow], width: int) -> list[str]:
    cells = [
        [row.name + ("*" if row.is_default else ""), " ".join(row.params) or "-", row.description or "-"]
        for row in rows
    ]
    return table(["PROFILE", "PARAMS", "DESCRIPTION"], cells, width=width)

"""Requirements as text sections, for whoever has no table of the site's resources.

A client does not know what the site declares, so it cannot parse a requirement; but brackets can be
matched without knowing names. What is put together must stand on its own first: an empty section, or one
that closes a parenthesis it did not open, would mean something else beside the others. Selects AND, a
later layer's section or rusage term replaces an earlier's.
"""

from collections.abc import Sequence

from xcelib.errors import Usage
from xcelib.excerpt import shortened
from xcelib.resreq.errors import GrammarError
from xcelib.resreq.lexer import Token, tokens

SECTIONS = ("select", "order", "rusage", "span", "same")

Sections = dict[str, str]


def split_sections(text: str) -> Sections | None:
    """The body of each section by its name; None for a compound or alternative requirement.

    A bare expression is `select`. Raises `GrammarError` for a body that is empty or does not stand on its own.
    """
    found = tokens(text)
    if any(token.text in "{}" for token in found if token.kind == "sign"):
        return None
    if len(found) < 2 or found[0].kind != "word" or found[1].text != "[":
        return {"select": _body(text, found, 0, len(found) - 1)} if text.strip() else {}
    sections: Sections = {}
    position = 0
    while found[position].kind != "end":
        name = found[position]
        if name.kind != "word" or found[position + 1].text != "[":
            raise _wrong(text, name, f"expected a section, found `{shortened(name.text)}`")
        if name.text in sections:
            raise _wrong(text, name, f"the section `{shortened(name.text)}` stands twice")
        close = _closing(text, found, position + 1)
        sections[name.text] = _body(text, found, position + 2, close)
        position = close + 1
    return sections


def _wrong(text: str, token: Token, expected: str) -> GrammarError:
    return GrammarError(text=text, column=token.column, expected=expected)


def _closing(text: str, found: list[Token], opening: int) -> int:
    for position in range(opening + 1, len(found)):
        if found[position].text == "]":
            return position
    raise _wrong(text, found[-1], "expected `]`, found the end")


def _body(text: str, found: list[Token], start: int, end: int) -> str:
    """The text of the tokens from `start` to `end`, which open and close what they hold."""
    if start == end:
        raise _wrong(text, found[end], "the section is empty")
    depth = 0
    for token in found[start:end]:
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth < 0 or token.text in ("[", "]"):
            raise _wrong(text, token, f"`{token.text}` does not belong here")
    if depth:
        raise _wrong(text, found[end], "expected `)`")
    return text[found[start].column : found[end].column].strip()


def join_sections(sections: Sections) -> str:
    """The requirement again, its sections in their usual order."""
    ordered = sorted(sections, key=lambda name: SECTIONS.index(name) if name in SECTIONS else len(SECTIONS))
    return " ".join(f"{name}[{sections[name]}]" for name in ordered)


def terms_of(body: str) -> dict[str, str]:
    """The terms of a rusage body by resource, as written. Raises `GrammarError` for an empty or repeated one."""
    terms: dict[str, str] = {}
    start = 0
    ends = [token.column for token in tokens(body) if token.kind == "sign" and token.text in ",:"]
    for end in (*ends, len(body)):
        term = body[start:end].strip()
        resource = term.partition("=")[0].strip()
        if not resource:
            raise GrammarError(text=body, column=start, expected="expected a term such as `mem=4G`")
        if resource in terms:
            raise GrammarError(text=body, column=start, expected=f"`{shortened(resource)}` is reserved twice")
        terms[resource] = term
        start = end + 1
    return terms


def _whole(text: str) -> Usage:
    return Usage(
        f"the compound or alternative requirement `{text}` stands alone",
        code="requirement_clash",
        hints=["write everything into one `--resreq`"],
    )


def join_repeated(texts: Sequence[str]) -> str:
    """Several `-R` of one layer: selects AND; any other section may stand in one of them only."""
    if len(texts) == 1:
        return texts[0]
    joined: Sections = {}
    for text in texts:
        sections = split_sections(text)
        if sections is None:
            raise _whole(text)
        for name, body in sections.items():
            if name == "select" and name in joined:
                joined[name] = f"({joined[name]}) && ({body})"
            elif name in joined:
                raise Usage(
                    f"the section `{name}` stands in two requirements",
                    code="requirement_clash",
                    hints=["put it into one `--resreq`"],
                )
            else:
                joined[name] = body
    return join_sections(joined)


def override(earlier: str, later: str) -> str:
    """Across layers: the later's section, or its single rusage term, replaces the earlier's."""
    before, after = split_sections(earlier), split_sections(later)
    if before is None or after is None:
        return later
    merged = before | after
    if "rusage" in before and "rusage" in after:
        merged["rusage"] = ", ".join((terms_of(before["rusage"]) | terms_of(after["rusage"])).values())
    return join_sections(merged)


def with_term(text: str, resource: str, term: str, *, is_binding: bool) -> str:
    """The requirement with a rusage term more. Where it has one for the resource already, that one stands,
    or, with `is_binding`, it is an error: the same thing was said twice."""
    sections = split_sections(text)
    if sections is None:
        raise _whole(text)
    terms = terms_of(sections["rusage"]) if "rusage" in sections else {}
    if resource in terms:
        if is_binding:
            raise Usage(
                f"`{term}` is asked for beside `{terms[resource]}` of `--resreq`",
                code="requirement_clash",
                hints=["leave one of them out"],
            )
        return text
    sections["rusage"] = ", ".join((*terms.values(), term))
    return join_sections(sections)

"""Requirements as text sections, for whoever has no table of the site's resources.

A client does not know what the site declares, so it cannot parse a requirement; but brackets can be
matched without knowing names. Selects AND, a later layer's section or rusage term replaces an earlier's.
"""

from collections.abc import Sequence

from xcelib.errors import Usage
from xcelib.resreq.lexer import GrammarError, Token, tokens

SECTIONS = ("select", "order", "rusage", "span", "same")

Sections = dict[str, str]


def split_sections(text: str) -> Sections | None:
    """The body of each section by its name; None for a compound or alternative requirement.

    A bare expression is `select`. Raises `GrammarError` for brackets that do not match.
    """
    found = tokens(text)
    if any(token.text in "{}" for token in found if token.kind == "sign"):
        return None
    if len(found) < 2 or found[0].kind != "word" or found[1].text != "[":
        return {"select": text.strip()} if text.strip() else {}
    sections: Sections = {}
    position = 0
    while found[position].kind != "end":
        name = found[position]
        if name.kind != "word" or found[position + 1].text != "[":
            raise GrammarError(text=text, column=name.column, expected=f"expected a section, found `{name.text}`")
        if name.text in sections:
            raise GrammarError(text=text, column=name.column, expected=f"the section `{name.text}` stands twice")
        close = _closing(text, found, position + 1)
        sections[name.text] = text[found[position + 1].column + 1 : found[close].column].strip()
        position = close + 1
    return sections


def _closing(text: str, found: list[Token], opening: int) -> int:
    for position in range(opening + 1, len(found)):
        if found[position].text == "]" and found[position].kind == "sign":
            return position
    raise GrammarError(text=text, column=len(text), expected="expected `]`, found the end")


def join_sections(sections: Sections) -> str:
    """The requirement again; a lone select stands without its brackets."""
    ordered = sorted(sections, key=lambda name: SECTIONS.index(name) if name in SECTIONS else len(SECTIONS))
    return " ".join(f"{name}[{sections[name]}]" for name in ordered if sections[name])


def terms_of(body: str) -> dict[str, str]:
    """The terms of a rusage body by resource, as written."""
    terms: dict[str, str] = {}
    start = 0
    ends = [token.column for token in tokens(body) if token.kind == "sign" and token.text in ",:"]
    for end in (*ends, len(body)):
        term = body[start:end].strip()
        terms[term.partition("=")[0].strip()] = term
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
    terms = terms_of(sections["rusage"]) if sections.get("rusage") else {}
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

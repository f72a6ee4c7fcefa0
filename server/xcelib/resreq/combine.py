"""Joining the selects of two owners: of a job and its profile, of a queue and the host pools."""

from xcelib.resreq.ast import Binary, Expr


def conjoin(left: Expr, right: Expr) -> Expr:
    """`left && right` as the parser would have read it: a chain of `&&` leans to the left."""
    if isinstance(right, Binary) and right.op == "&&":
        return Binary("&&", conjoin(left, right.left), right.right)
    return Binary("&&", left, right)

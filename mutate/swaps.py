"""What may be put in place of an expression: each kind of mutation is one function here."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from copy import deepcopy

LARGE = 10
"""Numbers from here on are doubled; smaller ones are moved by one."""
COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
COMBINED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip
CALLED = {"min": "max", "max": "min", "any": "all", "all": "any"}
DROPPED = {"sqrt", "log", "log1p", "abs"}
"""Functions of a number that are left out, so that their argument stands in their place."""


def swaps(node: ast.expr) -> Iterator[ast.expr]:
    """Every expression that may be put in place of one.

    >>> [ast.unparse(new) for new in swaps(ast.parse("a < b + 1", mode="eval").body)]
    ['a <= b + 1']
    >>> [ast.unparse(new) for new in swaps(ast.parse("sorted(words[1:n])", mode="eval").body)]
    ['sorted(words[1:n], reverse=True)']
    """
    kind = KINDS.get(type(node))
    return kind(node) if kind else iter(())


def negated(test: ast.expr) -> ast.expr:
    """The condition turned round."""
    return test.operand if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) else _not(test)


def _not(test: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), test)


def _compare(node: ast.Compare) -> Iterator[ast.expr]:
    for place, op in enumerate(node.ops):
        new = deepcopy(node)
        new.ops[place] = COMPARED[type(op)]()
        yield new


def _combine(node: ast.BinOp) -> Iterator[ast.expr]:
    if type(node.op) in COMBINED and not (_is_text(node.left) or _is_text(node.right)):
        yield ast.BinOp(node.left, COMBINED[type(node.op)](), node.right)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _junction(node: ast.BoolOp) -> Iterator[ast.expr]:
    yield ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)


def _unary(node: ast.UnaryOp) -> Iterator[ast.expr]:
    if isinstance(node.op, ast.Not | ast.USub | ast.Invert):
        yield node.operand


def _constant(node: ast.Constant) -> Iterator[ast.expr]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield from (
            ast.Constant(new) for new in ([2 * value] if value >= LARGE else [value + 1, value - 1][: value + 1])
        )
    elif isinstance(value, float):
        yield ast.Constant(2 * value or 1.0)


def _call(node: ast.Call) -> Iterator[ast.expr]:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if isinstance(node.func, ast.Name) and name in CALLED:
        yield ast.Call(ast.Name(CALLED[name]), node.args, node.keywords)
    elif name in DROPPED and len(node.args) == 1:
        yield node.args[0]
    elif name == "sorted" and all(keyword.arg != "reverse" for keyword in node.keywords):
        yield ast.Call(node.func, node.args, [*node.keywords, ast.keyword("reverse", ast.Constant(value=True))])


def _slice(node: ast.Subscript) -> Iterator[ast.expr]:
    if isinstance(node.slice, ast.Slice):
        for bound in ("lower", "upper"):
            if getattr(node.slice, bound) is not None:
                new = deepcopy(node)
                setattr(new.slice, bound, None)
                yield new


def _choice(node: ast.IfExp) -> Iterator[ast.expr]:
    yield ast.IfExp(negated(node.test), node.body, node.orelse)


KINDS: dict[type[ast.expr], Callable[..., Iterator[ast.expr]]] = {
    ast.Compare: _compare, ast.BinOp: _combine, ast.BoolOp: _junction, ast.UnaryOp: _unary, ast.Constant: _constant,
    ast.Call: _call, ast.Subscript: _slice, ast.IfExp: _choice,
}  # fmt: skip

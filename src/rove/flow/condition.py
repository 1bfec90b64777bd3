"""Conditions of steps and loops, like `not stored and count(found.hits) < 3`; read, checked, never run as code."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sized
from dataclasses import dataclass
from typing import Any

from rove.flow.reference import Part, Reference, ValueOf

WORDS: Mapping[str, object] = {"true": True, "false": False, "nothing": None}
COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}
MOST_CHARS = 1_000


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition as it was written, and what it was read as.

    It joins comparisons (== != < <= > >= in, not in) by not, and, or. Compared are parts of what steps gave
    (`found.hits`), texts, numbers, lists of these, true, false, `count(…)`, and `failed(step)`. A part alone holds
    where it is there and neither false, 0 nor empty. What cannot be compared does not hold.
    """

    text: str
    tree: ast.expr

    @property
    def references(self) -> tuple[Reference, ...]:
        """The parts that it looks at."""
        return tuple(one for one in _condition_references(self.tree) if isinstance(one, Reference))

    @property
    def failures(self) -> tuple[str, ...]:
        """The steps of which it asks whether they failed."""
        return tuple(one for one in _condition_references(self.tree) if isinstance(one, str))

    def holds(self, value_of: ValueOf, has_failed: Callable[[str], bool]) -> bool:
        """Say whether it holds."""
        return bool(_evaluate_condition(self.tree, value_of, has_failed))


def read_condition(text: str) -> Condition:
    """Read a condition. See `Condition`.

    Raises:
        ValueError: it is none.

    >>> condition = read_condition("not stored and count(found.hits) >= 2")
    >>> [str(one) for one in condition.references]
    ['$stored', '$found.hits']
    >>> values = {"stored": None, "found": ("a", "b")}
    >>> condition.holds(lambda reference: values[reference.root], lambda name: False)
    True
    """
    if len(text) > MOST_CHARS:
        message = f"it has {len(text):,} characters, and may have {MOST_CHARS:,}"
        raise ValueError(message)
    try:
        tree = ast.parse(text.replace("$", "").strip(), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError) as error:
        message = f"{text!r} cannot be read"
        raise ValueError(message) from error
    for _ in _condition_references(tree):
        pass
    return Condition(text, tree)


def _condition_references(node: ast.expr) -> Iterator[Reference | str]:
    match node:
        case ast.BoolOp(values=parts) | ast.List(elts=parts) | ast.Tuple(elts=parts):
            for part in parts:
                yield from _condition_references(part)
        case ast.Compare(left=left, ops=ops, comparators=others) if COMPARE.keys() >= set(map(type, ops)):
            for part in (left, *others):
                yield from _condition_references(part)
        case ast.UnaryOp(op=ast.Not(), operand=part) | ast.Call(func=ast.Name(id="count"), args=[part], keywords=[]):
            yield from _condition_references(part)
        case ast.Call(func=ast.Name(id="failed"), args=[ast.Name(id=name)], keywords=[]):
            yield name
        case _ if _is_condition_literal(node):
            return
        case _:
            yield _reference_from_ast(node)


def _is_condition_literal(node: ast.expr) -> bool:
    """Say whether it is a text, a number, or a word like true."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            return True
        case ast.Constant(value=str() | int() | float()):
            return True
        case _:
            return isinstance(node, ast.Name) and node.id in WORDS


def _reference_from_ast(node: ast.expr) -> Reference:
    path: list[Part] = []
    inner = node
    while not isinstance(inner, ast.Name):
        match inner:
            case ast.Attribute(value=inner, attr=name) if not name.startswith("_"):
                path.append(name)
            case ast.Subscript(value=inner, slice=ast.Constant(value=int(number))):
                path.append(number)
            case _:
                message = f"{ast.unparse(node)!r} is neither a comparison nor a part of what a step gave"
                raise ValueError(message)
    return Reference(inner.id, tuple(reversed(path)))


def _evaluate_condition(node: ast.expr, value_of: ValueOf, has_failed: Callable[[str], bool]) -> object:
    match node:
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_evaluate_condition(part, value_of, has_failed) for part in parts)
        case ast.BoolOp(values=parts):
            return any(_evaluate_condition(part, value_of, has_failed) for part in parts)
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return not _evaluate_condition(part, value_of, has_failed)
        case ast.UnaryOp() | ast.Constant():
            return ast.literal_eval(node)
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_evaluate_condition(part, value_of, has_failed) for part in parts]
        case ast.Call(func=ast.Name(id="count"), args=[part]):
            counted = _evaluate_condition(part, value_of, has_failed)
            return len(counted) if isinstance(counted, Sized) else 0
        case ast.Call(args=[ast.Name(id=name)]):
            return has_failed(name)
        case ast.Compare(left=left, ops=ops, comparators=others):
            values = [_evaluate_condition(part, value_of, has_failed) for part in (left, *others)]
            return all(_is_comparison_true(op, *pair) for op, *pair in zip(ops, values, values[1:], strict=False))
        case ast.Name(id=name) if name in WORDS:
            return WORDS[name]
        case _:
            return value_of(_reference_from_ast(node))


def _is_comparison_true(op: ast.cmpop, left: object, right: object) -> bool:
    try:
        return bool(COMPARE[type(op)](left, right))
    except TypeError:
        return False

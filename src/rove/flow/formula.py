"""Formulas like `(revenue - costs) / revenue`: read by Python's parser, checked, worked out with units, never run."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

BEFORE, MEAN = "before", "mean"
"""`before(x)`: x in the period before. `mean(x)`: the mean of that and of the period itself."""
MOST_CHARS = 500
Unit = Mapping[str, int]
"""Powers of units: {"EUR": 1} is an amount, {} a plain number."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A value in a unit."""

    value: float
    unit: Unit = field(default_factory=dict[str, int])


@dataclass(frozen=True, slots=True)
class Needed:
    """A figure that a formula needs: of the period itself, or of the one before."""

    name: str
    before: bool = False


AmountOf = Callable[[Needed], Amount]


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as it was written, and what it was read as: names, numbers, + - * /, brackets, before(), mean()."""

    text: str
    tree: ast.expr

    @property
    def needs(self) -> tuple[Needed, ...]:
        """The figures that it needs, each once, in the order in which it names them."""
        return tuple(dict.fromkeys(_needs(self.tree)))

    def value(self, amount_of: AmountOf) -> Amount:
        """Work it out.

        Raises:
            ValueError: units do not go together, or something is divided by 0.
        """
        return _evaluate_formula(self.tree, amount_of)


def read_formula(text: str) -> Formula:
    """Read a formula. See `Formula`.

    Raises:
        ValueError: it is none.

    >>> formula = read_formula("profit / mean(equity)")
    >>> [(one.name, one.before) for one in formula.needs]
    [('profit', False), ('equity', False), ('equity', True)]
    >>> formula.value(lambda one: Amount(30.0 if one.name == "profit" else 200.0, {"EUR": 1})).value
    0.15
    """
    if len(text) > MOST_CHARS:
        message = f"it has {len(text):,} characters, and may have {MOST_CHARS:,}"
        raise ValueError(message)
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        for _ in _needs(tree):
            pass
    except (SyntaxError, RecursionError, MemoryError) as error:
        message = f"{text!r} cannot be read"
        raise ValueError(message) from error
    return Formula(text.strip(), tree)


def _needs(node: ast.expr) -> Iterator[Needed]:
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div(), right=right):
            yield from _needs(left)
            yield from _needs(right)
        case ast.UnaryOp(op=ast.USub(), operand=part):
            yield from _needs(part)
        case ast.Name(id=name):
            yield Needed(name)
        case ast.Call(func=ast.Name(id="before"), args=[ast.Name(id=name)], keywords=[]):
            yield Needed(name, before=True)
        case ast.Call(func=ast.Name(id="mean"), args=[ast.Name(id=name)], keywords=[]):
            yield from (Needed(name), Needed(name, before=True))
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return
        case _:
            message = f"{ast.unparse(node)!r} is not part of a formula"
            raise ValueError(message)


def _evaluate_formula(node: ast.expr, amount_of: AmountOf) -> Amount:
    match node:
        case ast.BinOp(left=left, op=op, right=right):
            return _combine_amounts(op, _evaluate_formula(left, amount_of), _evaluate_formula(right, amount_of))
        case ast.UnaryOp(operand=part):
            found = _evaluate_formula(part, amount_of)
            return Amount(-found.value, found.unit)
        case ast.Name(id=name):
            return amount_of(Needed(name))
        case ast.Call(func=ast.Name(id=called), args=[ast.Name(id=name)]):
            earlier = amount_of(Needed(name, before=True))
            if called == BEFORE:
                return earlier
            both = _combine_amounts(ast.Add(), amount_of(Needed(name)), earlier)
            return Amount(both.value / 2, both.unit)
        case ast.Constant(value=int() | float() as number):
            return Amount(float(number))
        case _:
            raise AssertionError(node)  # `read_formula` has looked


def _combine_amounts(op: ast.operator, left: Amount, right: Amount) -> Amount:
    if isinstance(op, ast.Add | ast.Sub):
        if dict(left.unit) != dict(right.unit):
            message = f"{unit_text(left.unit)} and {unit_text(right.unit)} cannot be added"
            raise ValueError(message)
        return Amount(left.value + (right.value if isinstance(op, ast.Add) else -right.value), left.unit)
    sign = 1 if isinstance(op, ast.Mult) else -1
    powers = {name: left.unit.get(name, 0) + sign * right.unit.get(name, 0) for name in {*left.unit, *right.unit}}
    unit = {name: power for name, power in sorted(powers.items()) if power}
    if sign > 0:
        return Amount(left.value * right.value, unit)
    if right.value == 0:
        message = "it divides by 0"
        raise ValueError(message)
    return Amount(left.value / right.value, unit)


def unit_text(unit: Unit) -> str:
    """Write a unit.

    >>> unit_text({"EUR": 1}), unit_text({}), unit_text({"EUR": 2})
    ('EUR', 'a plain number', 'EUR^2')
    """
    return "·".join(name if power == 1 else f"{name}^{power}" for name, power in unit.items()) or "a plain number"

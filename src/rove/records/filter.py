"""Filters over metadata: a typed tree, never a string; each store compiles it, and this file says what it means.

Beside a document's own metadata these names can be used: `document_id`, `source`, `title`, `type` (the document's
kind), `kind` (the chunk's), `language`, `page`. Which values a field can have: `records.metadata`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt
from typing import cast

from rove.records.metadata import comparable, is_storable
from rove.records.source import Metadata, MetaValue

Scalar = str | int | float | bool
SCALARS = {str, int, float, bool}
BUILT_IN = ("document_id", "source", "title", "type", "kind", "language", "page")
"""Fields that every document or chunk can have, whatever its metadata: these names are the system's."""
BUILT_IN_NAMES = frozenset(BUILT_IN)
RENAMED = "field_"
"""What is put before a field of these names that a file brings."""
COMPARE: dict[str, Callable[..., bool]] = {"==": eq, ">": gt, ">=": ge, "<": lt, "<=": le}
OPERATORS = {*COMPARE, "in", "exists"}
DEEPEST = 16
"""How deep a filter may be nested, at every door: whoever compiles one goes down into it, and indexes can less still:
LanceDB fails from 30 on, and Elasticsearch from 20."""
MOST_CONDITIONS = 2_000
"""How many conditions a filter may have in all; one with a list of values is one."""


def renamed_fields(metadata: Metadata) -> Metadata:
    """Return metadata in which no field has a name of the system's: those are kept under another.

    >>> renamed_fields({"type": "post", "year": 2024})
    {'field_type': 'post', 'year': 2024}
    """
    if BUILT_IN_NAMES.isdisjoint(metadata):
        return metadata
    return {RENAMED + name if name in BUILT_IN_NAMES else name: value for name, value in metadata.items()}


@dataclass(frozen=True, slots=True)
class Filter:
    """A node of the tree; combine nodes with `&`, `|` and `~`. `a & b & c` is one node with three parts."""

    def __and__(self, other: Filter) -> Filter:
        parts = (*_filter_operands(self, All), *_filter_operands(other, All))
        return All(parts if len(parts) <= MOST_CONDITIONS else (self, other))

    def __or__(self, other: Filter) -> Filter:
        parts = (*_filter_operands(self, Any), *_filter_operands(other, Any))
        return Any(parts if len(parts) <= MOST_CONDITIONS else (self, other))

    def __invert__(self) -> Filter:
        return Not(self)

    def matches(self, fields: Mapping[str, MetaValue]) -> bool:
        """Say whether a chunk with these fields passes: the reference that every compiled form is held against."""
        match self:
            case All(parts):
                return all(part.matches(fields) for part in parts)
            case Any(parts):
                return any(part.matches(fields) for part in parts)
            case Not(part):
                return not part.matches(fields)
            case Compare(name, op, value):
                return value_matches(fields.get(name), op, value)
            case _:
                message = f"Unknown filter node {self!r}."
                raise TypeError(message)


@dataclass(frozen=True, slots=True)
class All(Filter):
    """Every part must match; with no parts it matches all."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Any(Filter):
    """At least one part must match; with no parts it matches none."""

    parts: tuple[Filter, ...]


@dataclass(frozen=True, slots=True)
class Not(Filter):
    """The part must not match."""

    part: Filter


@dataclass(frozen=True, slots=True)
class Compare(Filter):
    """One comparison. `op`: == > >= < <= in exists.

    != and not in are `Not` of these, so a missing field passes them. Dates, decimals and the like are compared as they
    are kept. Two that differ in a value's type are not equal: `== 1` finds what `== True` does not.

    Raises:
        TypeError: the value is nothing that a field can be compared with.
    """

    name: str
    op: str
    value: Scalar | tuple[Scalar, ...]

    def __post_init__(self) -> None:
        value: object = self.value
        if type(value) not in SCALARS:
            made = tuple(map(comparable, value)) if isinstance(value, tuple) else comparable(value)
            object.__setattr__(self, "value", made)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Compare) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        values = self.value if isinstance(self.value, tuple) else (self.value,)
        return type(self), self.name, self.op, self.value, tuple(map(type, values))


@dataclass(frozen=True, slots=True, eq=False)
class AccessFilter(Compare):
    """What somebody may see. What it hides is not counted either: how rare a word is in there tells of it."""


Where = Filter | Mapping[str, Scalar | Sequence[Scalar]]
"""What a caller may give as a filter: one, or the values that fields must have."""


def as_filter(where: Where | None) -> Filter | None:
    """Return the filter that is meant: of a mapping every field must have its value, or one of its values.

    An empty one is none, so that nobody deletes all by it.

    >>> as_filter({"topic": "hr", "year": [2020, 2021]})
    All(parts=(Compare(name='topic', op='==', value='hr'), Compare(name='year', op='in', value=(2020, 2021))))
    """
    if isinstance(where, Filter):
        return where
    if not where:
        return None
    parts = tuple(
        Compare(name, "in", tuple(value))
        if isinstance(value, Sequence) and not isinstance(value, str)
        else Compare(name, "==", value)
        for name, value in where.items()
    )
    return parts[0] if len(parts) == 1 else All(parts)


def _filter_operands(where: Filter, kind: type[All | Any]) -> tuple[Filter, ...]:
    return where.parts if isinstance(where, kind) else (where,)


def fault_of(where: Filter) -> str:
    """Say why a filter cannot be used; "" where it can. Takes no recursion, and ends at the bounds.

    >>> fault_of(field("year") > 2020), fault_of(All((field("year") > 2020,) * 3_000))
    ('', 'has more than 2,000 conditions')
    """
    level: list[object] = [where]
    nodes = 0
    for _ in range(DEEPEST):
        if not level:
            return ""
        nodes += sum(not isinstance(node, Not) for node in level)
        if nodes > MOST_CONDITIONS:
            return f"has more than {MOST_CONDITIONS:,} conditions"
        below: list[object] = []
        for node in level:
            match node:
                case All(parts) | Any(parts):
                    below += parts if isinstance(parts, list | tuple) else (parts,)  # pyright: ignore[reportUnnecessaryIsInstance] - who gives it may not check types
                case Not(part):
                    below.append(part)
                case Compare():
                    if fault := _fault_of_comparison(node):
                        return fault
                case _:
                    return f"holds {node!r:.80}, which is no condition"
        level = below
    return f"is nested more than {DEEPEST} deep" if level else ""


def _fault_of_comparison(node: Compare) -> str:
    name = cast("object", node.name)
    texts = [name, *(node.value if isinstance(node.value, tuple) else (node.value,))]
    if not isinstance(name, str):
        return f"names a field {name!r:.80}, which is no text"
    if node.op not in OPERATORS:
        return f"has the operator {node.op!r:.80}, which there is not"
    if node.op == "in" and not isinstance(node.value, tuple):
        return f"has {node.value!r:.80} after 'in', which is no list of values"
    if any(isinstance(text, str) and not is_storable(text) for text in texts):
        return f"has a value or a name for {name!r:.80} that is not Unicode"
    return ""


def access_filter_of(where: Filter | None) -> Filter | None:
    """Return the part of a filter that says what may be seen; None where all may be.

    >>> access_filter_of(AccessFilter("access", "in", ("hr",)) & (field("year") > 2020))
    AccessFilter(name='access', op='in', value=('hr',))
    """
    parts = tuple(part for part in _conditions(where) if isinstance(part, AccessFilter))
    return (parts[0] if len(parts) == 1 else All(parts)) if parts else None


def fields_named(where: Filter | None) -> set[str]:
    """Return the fields that a filter names, apart from those by which it says what may be seen.

    >>> sorted(fields_named(AccessFilter("access", "in", ("hr",)) & ~(field("year") > 2020) & field("topic").exists()))
    ['topic', 'year']
    """
    match where:
        case All(parts) | Any(parts):
            return set[str]().union(*map(fields_named, parts))
        case Not(part):
            return fields_named(part)
        case Compare(name) if not isinstance(where, AccessFilter):
            return {name}
        case _:
            return set()


def implies(narrow: Filter | None, wide: Filter | None) -> bool:
    """Say whether all that passes `narrow` passes `wide` too, as far as their form tells; None lets all through.

    Each condition of `wide` must be one of `narrow`, or allow more values of the same field.

    >>> both = field("access").in_(["a", "b"])
    >>> implies(field("access").in_(["a"]) & (field("year") > 2020), both), implies(both, field("access").in_(["a"]))
    (True, False)
    >>> implies(None, both), implies(both, None)
    (False, True)
    """
    own = _conditions(narrow)
    return all(any(_condition_implies(one, wanted) for one in own) for wanted in _conditions(wide))


def _conditions(where: Filter | None) -> list[Filter]:
    if where is None:
        return []
    return [one for part in where.parts for one in _conditions(part)] if isinstance(where, All) else [where]


def _condition_implies(narrow: Filter, wide: Filter) -> bool:
    if narrow == wide:
        return True
    if not (isinstance(narrow, Compare) and isinstance(wide, Compare) and narrow.name == wide.name):
        return False
    return narrow.op in {"==", "in"} and wide.op == "in" and _condition_value_set(narrow) <= _condition_value_set(wide)


def _condition_value_set(condition: Compare) -> set[tuple[type, Scalar]]:
    values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
    return {(type(value), value) for value in values}


def value_matches(actual: MetaValue | None, op: str, wanted: Scalar | tuple[Scalar, ...]) -> bool:
    """Compare one field's value.

    A missing value matches nothing. A tuple matches when any of its elements does. Numbers compare with numbers,
    text with text (by code point), true/false only with true/false: another pairing never matches. Numbers compare
    exactly, whole ones with floats too; nothing compares with NaN.

    >>> value_matches(("a", "b"), "==", "b"), value_matches(3, ">", 2.5), value_matches("3", ">", 2)
    (True, True, False)
    """
    if actual is None:
        return False
    if op == "exists":
        return True
    if isinstance(actual, tuple):
        return any(value_matches(item, op, wanted) for item in actual)
    if op == "in":
        return isinstance(wanted, tuple) and any(value_matches(actual, "==", item) for item in wanted)
    if isinstance(wanted, tuple) or _scalar_type_family(actual) != _scalar_type_family(wanted):
        return False
    return COMPARE[op](actual, wanted)


def _scalar_type_family(value: Scalar) -> type:
    if isinstance(value, bool):
        return bool
    return str if isinstance(value, str) else float


@dataclass(frozen=True, slots=True, eq=False)
class field:  # noqa: N801 - reads as a word of the query language: field("topic") == "hr"
    """Name a field to compare: `field("year") >= 2020`, `field("topic").in_(["hr", "it"])`, `field("tag").exists()`."""

    name: str

    def __eq__(self, value: Scalar) -> Filter:  # type: ignore[override]
        return Compare(self.name, "==", value)

    def __ne__(self, value: Scalar) -> Filter:  # type: ignore[override]
        return Not(Compare(self.name, "==", value))

    def __gt__(self, value: Scalar) -> Filter:
        return Compare(self.name, ">", value)

    def __ge__(self, value: Scalar) -> Filter:
        return Compare(self.name, ">=", value)

    def __lt__(self, value: Scalar) -> Filter:
        return Compare(self.name, "<", value)

    def __le__(self, value: Scalar) -> Filter:
        return Compare(self.name, "<=", value)

    def __hash__(self) -> int:
        return hash(self.name)

    def in_(self, values: Iterable[Scalar]) -> Filter:
        """Match any of the values."""
        return Compare(self.name, "in", tuple(values))

    def not_in(self, values: Iterable[Scalar]) -> Filter:
        """Match none of the values; a missing field passes."""
        return Not(Compare(self.name, "in", tuple(values)))

    def exists(self) -> Filter:
        """Match when the field is there."""
        return Compare(self.name, "exists", True)

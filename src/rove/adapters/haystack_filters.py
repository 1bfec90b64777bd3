"""Filters as Haystack writes them, made into Rove's; what Rove cannot compare is refused, never left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

from rove.argument_checks import check_filter
from rove.errors import InputError
from rove.records import Filter, field
from rove.records.filter import DEEPEST, All
from rove.records.filter import Any as AnyOf

JOINED: Mapping[str, Callable[[list[Filter]], Filter]] = {
    "AND": lambda parts: All(tuple(parts)),
    "OR": lambda parts: AnyOf(tuple(parts)),
    "NOT": lambda parts: ~All(tuple(parts)),
}
COMPARED: Mapping[str, Callable[[field, Any], Filter]] = {
    "==": lambda name, value: name == value,
    "!=": lambda name, value: name != value,
    ">": lambda name, value: name > value,
    ">=": lambda name, value: name >= value,
    "<": lambda name, value: name < value,
    "<=": lambda name, value: name <= value,
    "in": lambda name, value: name.in_(value),
    "not in": lambda name, value: name.not_in(value),
}
OWN = {"id", "content", "blob", "score", "embedding", "sparse_embedding"}
"""What a Haystack document has beside its meta."""


def filter_of(filters: Mapping[str, Any] | None) -> Filter | None:
    """Return Haystack's filters as a filter of Rove; None where there are none.

    A name with or without "meta." before it is a field of the document, or one of Rove's own: `document_id`, `source`,
    `title`, `type`, `kind`, `language`, `page`.

    Raises:
        InputError: an operator, a field or a value is none that Rove can compare.

    >>> filter_of({"field": "meta.year", "operator": ">=", "value": 2020})
    Compare(name='year', op='>=', value=2020)
    """
    if not filters:
        return None
    made = _parse_filter_node(filters, 1)
    check_filter(made)
    return made


def _parse_filter_node(node: object, level: int) -> Filter:
    if level > DEEPEST:
        message = f"This filter is nested more than {DEEPEST} deep."
        raise InputError(message, cure="Join its conditions in fewer levels.", outcome="unsupported")
    given: Mapping[str, Any] = cast("Mapping[str, Any]", node) if isinstance(node, Mapping) else {}
    if "field" in given:
        return _parse_comparison(given)
    operator, conditions = str(given.get("operator")), given.get("conditions")
    if operator not in JOINED or not isinstance(conditions, list) or not conditions:
        raise _filter_error_for(cast("object", node))
    return JOINED[operator]([_parse_filter_node(one, level + 1) for one in cast("list[object]", conditions)])


def _parse_comparison(given: Mapping[str, Any]) -> Filter:
    name, operator, value = str(given["field"]), str(given.get("operator")), given.get("value")
    if operator not in COMPARED or "value" not in given or name in OWN:
        raise _filter_error_for(given)
    of = field(name.removeprefix("meta."))
    if value is None and operator in {"==", "!="}:
        return ~of.exists() if operator == "==" else of.exists()
    if isinstance(value, list | tuple | set) != operator.endswith("in"):
        raise _filter_error_for(given)
    try:
        return COMPARED[operator](of, value)
    except TypeError:
        raise _filter_error_for(given) from None


def _filter_error_for(node: object) -> InputError:
    message = f"This filter cannot be used: {_filter_node_repr(node)}."
    cure = (
        'Write {"field": "meta.year", "operator": ">=", "value": 2020}, with one of '
        f"{' '.join(COMPARED)} over a field of the metadata, joined by AND, OR or NOT."
    )
    return InputError(message, cure=cure, outcome="unsupported")


def _filter_node_repr(node: object) -> str:
    try:
        return f"{node!r:.200}"
    except RecursionError:
        return type(node).__name__

"""Filters as JSON: a typed tree of bounded size, made into `rove.records.filter`; no string is ever evaluated."""

from __future__ import annotations

from typing import Annotated, Any, Literal, cast

from pydantic import BeforeValidator, Field, StrictBool, StrictFloat, StrictInt, StrictStr, field_validator

from rove.records import Filter, field
from rove.records.filter import DEEPEST, All, Compare, Not
from rove.records.filter import Any as AnyOf
from rove.serve.schema import Wire

MAX_DEPTH, MAX_NODES, MAX_VALUES = DEEPEST - 4, 200, 1_000
"""The server puts what somebody may see around a filter, which makes it deeper."""

ScalarIn = StrictBool | StrictInt | StrictFloat | Annotated[StrictStr, Field(max_length=1_000)]


def _check_filter_limits(tree: object) -> object:
    """Refuse a tree that is too large or too deep before anything walks it by recursion."""
    level, nodes = [tree], 0
    for _ in range(MAX_DEPTH):
        nodes += len(level)
        below: list[object] = []
        for node in level:
            if isinstance(node, dict):
                parts = cast("dict[object, object]", node)
                below += [part for name in ("and", "or") for part in _list_or_empty(parts.get(name))]
                below += [parts["not"]] if "not" in parts else []
        if nodes + len(below) > MAX_NODES:
            message = f"a filter may have {MAX_NODES} nodes"
            raise ValueError(message)
        if not below:
            return tree
        level = below
    message = f"a filter may be {MAX_DEPTH} levels deep"
    raise ValueError(message)


def _list_or_empty(value: object) -> list[object]:
    return cast("list[object]", value) if isinstance(value, list) else []


class Comparison(Wire):
    """One comparison: a field of the metadata, or document_id, source, title, type, kind, language, page."""

    field: str = Field(min_length=1, max_length=200)
    op: Literal["==", "!=", ">", ">=", "<", "<=", "in", "not in", "exists"]
    value: ScalarIn | Annotated[list[ScalarIn], Field(max_length=MAX_VALUES)] | None = None


class Conjunction(Wire):
    """All of these."""

    parts: list[Node] = Field(alias="and")


class Disjunction(Wire):
    """One of these at least."""

    parts: list[Node] = Field(alias="or")


class Negation(Wire):
    """Not this."""

    part: Node = Field(alias="not")


Node = Comparison | Conjunction | Disjunction | Negation
for _model in (Conjunction, Disjunction, Negation):
    _model.model_rebuild()

EXAMPLE: dict[str, Any] = {
    "and": [{"field": "topic", "op": "==", "value": "hr"}, {"not": {"field": "year", "op": "<", "value": 2020}}]
}
FilterIn = Annotated[Node, BeforeValidator(_check_filter_limits), Field(examples=[EXAMPLE])]


def compiled(node: Node | None) -> Filter | None:
    """Make the filter that a tree stands for; None stays None.

    >>> compiled(Comparison(field="topic", op="in", value=["hr", "it"]))
    Compare(name='topic', op='in', value=('hr', 'it'))

    Raises:
        ValueError: a comparison has a value that its operator cannot take.
    """
    match node:
        case None:
            return None
        case Conjunction():
            return All(tuple(_filter_from_node(part) for part in node.parts))
        case Disjunction():
            return AnyOf(tuple(_filter_from_node(part) for part in node.parts))
        case Negation():
            return Not(_filter_from_node(node.part))
        case Comparison():
            return _filter_from_comparison(node)


def _filter_from_node(node: Node) -> Filter:
    return cast("Filter", compiled(node))


def _filter_from_comparison(node: Comparison) -> Filter:
    name, value = field(node.field), node.value
    if node.op == "exists":
        return name.exists() if value is not False else ~name.exists()
    if node.op in {"in", "not in"}:
        if not isinstance(value, list):
            message = f"{node.op!r} takes a list of values"
            raise ValueError(message)
        return name.in_(value) if node.op == "in" else name.not_in(value)
    if value is None or isinstance(value, list):
        message = f"{node.op!r} takes one value"
        raise ValueError(message)
    return Not(Compare(node.field, "==", value)) if node.op == "!=" else Compare(node.field, node.op, value)


class Conditioned(Wire):
    """What is asked of documents that a filter lets through."""

    where: FilterIn | None = None

    @field_validator("where")
    @classmethod
    def _can_be_made(cls, where: FilterIn | None) -> FilterIn | None:
        compiled(where)
        return where

    @property
    def condition(self) -> Filter | None:
        """The filter."""
        return compiled(self.where)

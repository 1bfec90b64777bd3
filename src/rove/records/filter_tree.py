"""Filters as trees of JSON, as the HTTP API takes them and conversations keep them."""

from __future__ import annotations

from rove.records.filter import All, Any, Compare, Filter, Not


def tree_of(where: Filter) -> dict[str, object]:
    """Write a filter as a tree.

    >>> from rove.records import field
    >>> tree_of((field("topic") == "hr") & ~field("year").exists())
    {'and': [{'field': 'topic', 'op': '==', 'value': 'hr'}, {'not': {'field': 'year', 'op': 'exists', 'value': True}}]}
    """
    match where:
        case All(parts):
            return {"and": [tree_of(part) for part in parts]}
        case Any(parts):
            return {"or": [tree_of(part) for part in parts]}
        case Not(part):
            return {"not": tree_of(part)}
        case Compare(name, op, value):
            return {"field": name, "op": op, "value": list(value) if isinstance(value, tuple) else value}
        case _:
            message = f"{type(where).__name__} is not a filter that could be written"
            raise TypeError(message)

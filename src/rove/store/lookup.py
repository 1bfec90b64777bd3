"""Rows looked up by their keys, as in every search: a query that is compiled once, and run by the driver itself."""

from __future__ import annotations

import json
from collections import namedtuple
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from typing import Any, cast

from sqlalchemy import ColumnElement, Select, bindparam, func, select
from sqlalchemy.dialects import sqlite

from rove.store.database import Database
from rove.store.rows import AnyRow


class Lookup:
    """Finds rows of a query whose `key` is one of some texts. Columns are of SQLite's own types.

    To build such a query anew takes SQLAlchemy five times as long as SQLite takes to answer it for ten keys.
    """

    def __init__(self, query: Select[*tuple[Any, ...]], key: ColumnElement[Any]) -> None:
        self._query = query
        self._key = key

    def rows(self, database: Database, keys: Collection[str]) -> list[AnyRow]:
        """Return the rows of these keys, in no order; where there are none, nothing is asked."""
        if not keys:
            return []
        statement, parameters = self._compiled
        return list(map(self._row, database.rows(statement, {**parameters, "keys": json.dumps(list(keys))})))

    @cached_property
    def _compiled(self) -> tuple[str, Mapping[str, object]]:
        each = func.json_each(bindparam("keys")).table_valued("value")
        query = self._query.where(self._key.in_(select(each.c.value)))
        compiled = query.compile(dialect=sqlite.dialect(paramstyle="named"))
        return str(compiled), compiled.params

    @cached_property
    def _row(self) -> Callable[[Iterable[object]], AnyRow]:
        row = namedtuple("Row", self._query.selected_columns.keys())  # pyright: ignore[reportUntypedNamedTuple] # noqa: PYI024
        return cast("Callable[[Iterable[object]], AnyRow]", row._make)

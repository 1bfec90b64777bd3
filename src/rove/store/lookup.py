"""Rows looked up by their keys, as in every search: a query that is compiled once, and run by the driver itself."""

from __future__ import annotations

import json
from collections import namedtuple
from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from typing import Any, cast

from sqlalchemy import ColumnElement, Select, Text, bindparam

from rove.store.catalog_rows import AnyRow
from rove.store.database import Database
from rove.store.dialect import within


class Lookup:
    """Finds rows of a query whose `key` is one of some texts. Columns are of the database's own types.

    To build such a query anew takes SQLAlchemy five times as long as SQLite takes to answer it for ten keys.
    """

    def __init__(self, query: Select[*tuple[Any, ...]], key: ColumnElement[Any]) -> None:
        self._query = query
        self._key = key

    def rows(self, database: Database, keys: Collection[str]) -> list[AnyRow]:
        """Return the rows of these keys, in no order; where there are none, nothing is asked."""
        if not keys:
            return []
        return list(map(self._row, database.rows(self._whole, {"keys": json.dumps(list(keys))})))

    @cached_property
    def _whole(self) -> Select[*tuple[Any, ...]]:
        return self._query.where(within(self._key, bindparam("keys", type_=Text())))

    @cached_property
    def _row(self) -> Callable[[Iterable[object]], AnyRow]:
        row = namedtuple("Row", self._query.selected_columns.keys())  # pyright: ignore[reportUntypedNamedTuple] # noqa: PYI024
        return cast("Callable[[Iterable[object]], AnyRow]", row._make)

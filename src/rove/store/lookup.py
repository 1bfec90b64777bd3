"""Rows looked up by their keys, as in every search: a query that is compiled once, and run by the driver itself."""

from __future__ import annotations

import json
from collections import namedtuple
from collections.abc import Callable, Collection, Iterable
from functools import cached_property
from operator import itemgetter
from typing import Any, cast

from sqlalchemy import ColumnElement, Select, String, Text, bindparam

from rove.store.catalog_rows import AnyRow
from rove.store.database import Database
from rove.store.dialect import within
from rove.store.text_values import read_text


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
        make = cast("Callable[[Iterable[object]], AnyRow]", row._make)
        columns = self._query.selected_columns
        texts = [at for at, column in enumerate(columns) if isinstance(column.type, String)]
        of_texts = itemgetter(*texts, texts[0])  # always a tuple

        def read(values: tuple[object, ...]) -> AnyRow:
            if bytes in map(type, of_texts(values)):
                values = tuple(read_text(value) if at in texts else value for at, value in enumerate(values))
            return make(values)

        return cast("Callable[[Iterable[object]], AnyRow]", read)

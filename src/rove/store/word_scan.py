"""Which rows of JSON hold one of some words: the database looks for few; for many, all rows are read once."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from sqlalchemy import ColumnElement, Connection, select

from rove.store.dialect import holds

FEW = 8
"""With more words than these, one pass over all rows costs less than a look of the database for each word."""
STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
QUOTED = re.compile(STRING.pattern + r"\Z")


def rows_holding(
    connection: Connection, text: ColumnElement[str], words: Collection[str], *key: ColumnElement[Any]
) -> Iterator[tuple[Any, ...]]:
    """Yield the key of each row whose text, which is JSON, holds one of these words; a row can come more than once.

    A word is a JSON string with its quotation marks, or any piece of JSON.
    """
    if len(words) <= FEW:
        for word in words:
            yield from (tuple(row) for row in connection.execute(select(*key).where(holds(text, word))))
        return
    strings = {word for word in words if QUOTED.match(word)}
    pieces = [word for word in words if word not in strings]
    for *found, held in connection.execute(select(*key, text).execution_options(yield_per=256)):
        if any(piece in held for piece in pieces) or any(one in strings for one in STRING.findall(held)):
            yield tuple(found)

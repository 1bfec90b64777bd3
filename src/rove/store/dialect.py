"""What differs between the databases that can hold a catalog. The statements on its tables are the same for all."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol

from sqlalchemy import BigInteger, ColumnElement, Connection, Engine, Integer, String
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from rove.errors import RoveError


class Dialect(Protocol):
    """A database that can hold a catalog: how it is opened, takes turns, gives back room, and says what is wrong.

    A new one is a class as this, and a rendering for it of the four functions below. `rove.testing.CatalogContract`
    tests it. Calls block; any thread may make them.
    """

    @property
    def engine(self) -> Engine:
        """What opens connections; what a transaction committed survives kill -9 and power loss."""
        ...

    @property
    def snapshot(self) -> Mapping[str, Any]:
        """SQLAlchemy's execution options of a transaction whose statements all see the same state."""
        ...

    @property
    def writing(self) -> Mapping[str, Any]:
        """SQLAlchemy's execution options of a transaction that writes, which waits until every other one has ended.

        In it, the rows of `row_counts` change as those of the tables do that they name; a table without one is not
        counted.
        """
        ...

    def check_not_lost(self, found: Collection[str]) -> None:
        """Look at a database with tables of these names, before any is made in it.

        Raises:
            ConfigError: a catalog was here once, or this is somebody else's database.
        """
        ...

    def check_used(self) -> None:
        """Look at a catalog that has never been written to.

        Raises:
            ConfigError: what lies beside it says that documents were here.
        """
        ...

    def check_reachable(self, connection: Connection, names: Collection[str]) -> None:
        """See that no index of these tables is empty where the table is not, nor the other way round.

        Raises:
            ConfigError: one is.
        """
        ...

    def revision(self) -> int:
        """Read the fact "revision" as it is now, whatever transaction the thread is in. Costs microseconds."""
        ...

    def check_place(self, *, writes: bool = False) -> None:
        """See that what is open is still what is found where the base lives; `writes`: it is going to be written to.

        Costs microseconds.

        Raises:
            CatalogReplacedError: it was moved, deleted or replaced meanwhile.
        """
        ...

    def lend(self, made_by: Sequence[str]) -> bool:
        """Let who reads find tables empty that are missing, made by these statements, while nothing can be written.

        False where that is not needed, or cannot be.
        """
        ...

    def shrink(self) -> bool:
        """Overwrite what was deleted and give back its space; False where a reader holds on to some of it."""
        ...

    def thin(self, free_pages: int) -> None:
        """Give back room that nothing takes, where it is more than these pages of 4 kB."""
        ...

    def check_whole(self) -> None:
        """Let the database check its own files.

        Raises:
            ConfigError: something in them is damaged.
        """
        ...

    def torn(self, what: str) -> RoveError:
        """Make the error that says: this catalog is damaged; `what` was found."""
        ...

    def error(self, raised: Exception, done: str) -> RoveError | None:
        """Say what the driver, or SQLAlchemy for it, has raised while the catalog was "read" or "written".

        None where it is a mistake of who asked.
        """
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


class Texts(FunctionElement[str]):
    """The texts of a JSON array, as a select."""

    inherit_cache = True
    type = String()


class Numbers(FunctionElement[int]):
    """The numbers of a JSON array, as a select."""

    inherit_cache = True
    type = BigInteger()


class PlaceIn(FunctionElement[int]):
    """Where a word begins in a text, from 1; 0 where it does not."""

    inherit_cache = True
    type = Integer()


class NamesIn(FunctionElement[str]):
    """The names in a JSON object, as a JSON array."""

    inherit_cache = True
    type = String()


def within(
    column: ColumnElement[Any], values: Collection[str] | Collection[int] | ColumnElement[str]
) -> ColumnElement[bool]:
    """Say that a column's value is one of these: one JSON parameter, however many they are, or one that is given."""
    every = Numbers if isinstance(column.type, Integer) else Texts
    return column.bool_op("IN")(every(values if isinstance(values, ColumnElement) else json.dumps(list(values))))


def holds(column: ColumnElement[str], word: str) -> ColumnElement[bool]:
    """Say that a column's text holds a word as it is written; case counts."""
    return PlaceIn(column, word) > 0


def json_names(column: ColumnElement[str]) -> ColumnElement[str]:
    """The names in the JSON object of a column, as a JSON array."""
    return NamesIn(column)


@compiles(Texts, "sqlite")
@compiles(Numbers, "sqlite")
def _values_in_sqlite(element: Texts | Numbers, compiler: SQLCompiler, **given: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    return f"(SELECT value FROM json_each({compiler.process(element.clauses, **given)}))"


@compiles(PlaceIn, "sqlite")
def _place_in_sqlite(element: PlaceIn, compiler: SQLCompiler, **given: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    return f"instr({compiler.process(element.clauses, **given)})"


@compiles(NamesIn, "sqlite")
def _names_in_sqlite(element: NamesIn, compiler: SQLCompiler, **given: Any) -> str:  # noqa: ANN401 - SQLAlchemy's
    return f"(SELECT json_group_array(key) FROM json_each({compiler.process(element.clauses, **given)}))"

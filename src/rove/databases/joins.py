"""A table together with those that it refers to, and those that refer to it.

Each row has one row of what it refers to, so their columns can be read as its own and no row is counted twice. Of what
refers to it there may be many rows or none: whether there is one is all that can be asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from rove.databases.mentions import TOO_GENERAL, is_numeric
from rove.records.schema import Column, TableSchema

DEPTH = 2
"""So far tables are followed by what they refer to: an order, its customer, the customer's city."""


@dataclass(frozen=True, slots=True)
class Parent:
    """A table that another refers to. `path`: what its columns' names begin with; `via`: that of the table that refers.

    The column `reference` of that table holds values of the column `key` of this one.
    """

    path: str
    table: TableSchema
    via: str
    reference: str
    key: str

    def shown(self) -> list[Column]:
        """The columns by which people know a row: its key and its first text, under their names in the view."""
        text = next((one for one in self.table.columns if not is_numeric(one) and not one.is_key), None)
        key = self.table.column(self.key)
        return [named_in(one, self.path) for one in (key, text) if one is not None]


@dataclass(frozen=True, slots=True)
class Child:
    """A table whose column `reference` refers to the column `key` of another."""

    table: TableSchema
    reference: str
    key: str


@dataclass(frozen=True, slots=True)
class JoinedTable:
    """A table read together with its neighbours. `view`: its columns and those of its parents, as of one table."""

    table: TableSchema
    view: TableSchema
    parents: tuple[Parent, ...] = ()
    children: tuple[Child, ...] = ()
    held: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])

    def others(self) -> frozenset[str]:
        """The names in the view of the columns that are not the table's own."""
        return frozenset(column.name for column in self.view.columns[len(self.table.columns) :])

    def written(self, query: exp.Select) -> exp.Select:
        """The query over the view as one over the tables themselves, with the joins that it needs."""
        known = {f"{parent.path}.{column.name}": parent for parent in self.parents for column in parent.table.columns}
        query = query.from_(table_name(self.table))
        columns = list(query.find_all(exp.Column))
        needed = {parent.path: parent for one in columns if not one.table and (parent := known.get(one.name))}
        for path in list(needed):
            while via := needed[path].via:
                path = via
                needed[path] = next(one for one in self.parents if one.path == path)
        if not needed:
            return query
        own = exp.to_identifier(self.table.name.rpartition(".")[2], quoted=True)
        for one in columns:
            parent = None if one.table else known.get(one.name)
            if parent:
                one.set("this", exp.to_identifier(one.name.removeprefix(f"{parent.path}."), quoted=True))
                one.set("table", exp.to_identifier(parent.path, quoted=True))
            elif not one.table:
                one.set("table", own.copy())
        for star in [one for one in query.expressions if isinstance(one, exp.Star)]:
            star.replace(exp.Column(this=exp.Star(), table=own.copy()))
        kind = "inner" if query.args.get("group") else "left"
        for path in sorted(needed, key=lambda one: (one.count("."), one)):
            parent = needed[path]
            on = exp.EQ(
                this=column_name(parent.reference, parent.via or own.name), expression=column_name(parent.key, path)
            )
            place = exp.alias_(table_name(parent.table), exp.to_identifier(path, quoted=True), table=True)
            query = query.join(place, on=on, join_type=kind)
        return query

    def has(self, child: Child, *, some: bool) -> exp.Expr:
        """Whether a row has `some` rows that refer to it, or none."""
        own, other = (table.name.rpartition(".")[2] for table in (self.table, child.table))
        same = exp.EQ(this=column_name(child.reference, other), expression=column_name(child.key, own))
        found = exp.Exists(this=exp.select(exp.Literal.number(1)).from_(table_name(child.table)).where(same))
        return found if some else exp.Not(this=found)


def joined_tables(
    tables: Sequence[TableSchema], held: Mapping[str, Mapping[str, Sequence[str]]]
) -> Iterator[JoinedTable]:
    """Yield each table with its neighbours. `held`: different values by the names of tables and columns."""
    for table in tables:
        parents = tuple(_parents(table, tables, "", DEPTH))
        known = dict(held.get(table.name, {}))
        columns = list(table.columns)
        for parent in parents:
            columns += [named_in(column, parent.path) for column in parent.table.columns]
            known |= {f"{parent.path}.{name}": values for name, values in held.get(parent.table.name, {}).items()}
        children = [
            Child(other, reference, key)
            for other in tables
            if other.name != table.name
            for reference, one, key in _foreign_key_targets(other, tables)
            if one.name == table.name
        ]
        once = [child for child in children if [one.table.name for one in children].count(child.table.name) == 1]
        yield JoinedTable(table, replace(table, columns=tuple(columns)), parents, tuple(once), known)


def alone(table: TableSchema, held: Mapping[str, Sequence[str]]) -> JoinedTable:
    """A table by itself."""
    return JoinedTable(table, table, held=held)


def named_in(column: Column, path: str) -> Column:
    """A column of a parent under its name in the view; a key of its own it is there no more."""
    return replace(column, name=f"{path}.{column.name}") if path else column


def table_name(table: TableSchema) -> exp.Table:
    """A table in SQL, with its schema where it has one."""
    schema, _, name = table.name.rpartition(".")
    return exp.table_(
        exp.to_identifier(name, quoted=True), db=exp.to_identifier(schema, quoted=True) if schema else None
    )


def column_name(name: str, table: str = "") -> exp.Column:
    """A column of this name in SQL."""
    place = exp.to_identifier(table, quoted=True) if table else None
    return exp.column(exp.to_identifier(name, quoted=True), table=place)


def _parents(table: TableSchema, tables: Sequence[TableSchema], via: str, depth: int) -> Iterator[Parent]:
    """What a table refers to, and what that refers to; a table that it refers to in two ways is of neither."""
    found = list(_foreign_key_targets(table, tables))
    for reference, other, key in found:
        twice = [one.name for _, one, _ in found].count(other.name) > 1
        if twice or other.name == table.name:
            continue
        path = f"{via}.{other.name.rpartition('.')[2]}".strip(".")
        yield Parent(path, other, via, reference, key)
        if depth > 1:
            yield from _parents(other, tables, path, depth - 1)


def _foreign_key_targets(table: TableSchema, tables: Sequence[TableSchema]) -> Iterator[tuple[str, TableSchema, str]]:
    """The columns that refer to another table, that table, and its key; undeclared ones by the key's own name."""
    for column in table.columns:
        if column.references:
            name, _, key = column.references.rpartition(".")
            other = next((one for one in tables if one.name.casefold() == name.casefold()), None)
            if other is not None and other.column(key):
                yield column.name, other, key
        elif not column.is_key and column.name.casefold() not in TOO_GENERAL:
            keys = [one for one in tables if (found := one.column(column.name)) and found.is_key]
            if len(keys) == 1 and keys[0].name != table.name:
                yield column.name, keys[0], column.name

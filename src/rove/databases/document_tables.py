"""Tables of documents, asked as a database is: found by the search, put into DuckDB, each value cited in its place."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

import sqlglot
from sqlglot import exp

from rove.chunk.cell_tables import CellRow, CellTable, join_tables, tables_in
from rove.databases.ask import DatabaseAsker, Limits
from rove.databases.by_meaning import NameMeanings
from rove.databases.duckdb_target import ROW, DuckTarget, row_numbered
from rove.databases.reply import rows_as_text
from rove.databases.table_figures import stated_scale
from rove.databases.targets import Result
from rove.errors import InputError
from rove.events import Listener, ignore
from rove.language.detect import detect
from rove.language.identifiers import in_words
from rove.models import ChatModel
from rove.records import Document, Filter, Note, field
from rove.records.sql import CitedCell, SqlReply
from rove.retrieve import Query, SearchContext
from rove.retrieve.hybrid import HybridRetriever
from rove.store.document_query import DocumentQuery
from rove.store.store import Store

LOOKED_AT, MOST_DOCUMENTS, MOST_TABLES = 40, 6, 12
MOST_ROWS = 200_000
"""Rows of tables that are put into memory for one question."""
CITED_ROWS = 20
"""Rows that a number over many is cited by, at most."""
CITED_CELLS = 200
"""Cells that groups are cited by, at most: the first groups then have theirs."""
NO_TABLE = Note("no-table")


async def ask_tables(
    search_context: SearchContext,
    chat: ChatModel | None,
    question: str,
    where: Filter | None,
    *,
    dry_run: bool = False,
    listener: Listener = ignore,
) -> SqlReply:
    """Answer a question from the tables of documents that the search finds for it.

    Raises:
        ServiceError: a model failed, or the statement took too long.
    """
    meanings = NameMeanings(search_context.embedder, search_context.judge())
    found = await read_tables(search_context, chat, meanings, question, where, dry_run=dry_run, listener=listener)
    return found.reply


@dataclass(frozen=True, slots=True)
class TableReading:
    """What tables of documents say to a question. `tables`: those that were looked at, by the names that SQL has."""

    reply: SqlReply
    tables: Mapping[str, CellTable]


async def read_tables(
    search_context: SearchContext,
    chat: ChatModel | None,
    meanings: NameMeanings | None,
    question: str,
    where: Filter | None,
    *,
    dry_run: bool = False,
    listener: Listener = ignore,
) -> TableReading:
    """See `ask_tables`; `meanings` reads words that the rules do not know, which are not understood without it."""
    only = field("kind") == "table"
    query = Query(question, LOOKED_AT, only if where is None else where & only)
    hits = await HybridRetriever(search_context).retrieve(query)
    ids = list(dict.fromkeys(hit.chunk.document_id for hit in hits))[:MOST_DOCUMENTS]
    tables = await asyncio.to_thread(_tables_by_name, search_context.store, ids, where)
    if not tables:
        language = detect(question)
        return TableReading(SqlReply(question, text=NO_TABLE.text(language), language=language), {})
    target = await asyncio.to_thread(DuckTarget, tables)
    try:
        asker = DatabaseAsker("documents", target, target.tables(), Limits(), chat, meanings)
        reply = await asker.ask(question, dry_run=dry_run, listener=listener)
        if reply.answered and reply.by == "rules":
            reply = await _with_ties(reply, asker)
        cells = await asyncio.to_thread(_result_citations, reply, tables, target) if reply.answered else ()
    finally:
        await asyncio.to_thread(target.close)
    left = sum(tables[name].left_out for name in reply.tables)
    said = [Note("totals-left-out", {"count": left})] if left else []
    read = {row.document_id for name in reply.tables for row in tables[name].rows}
    scaled = await asyncio.to_thread(_scale_notes, search_context.store, reply, tables)
    reply = replace(reply, cells=cells, document_ids=tuple(sorted(read)), notes=(*reply.notes, *said, *scaled))
    return TableReading(reply, tables)


async def _with_ties(reply: SqlReply, asker: DatabaseAsker) -> SqlReply:
    """Give all rows or groups that are equally the first, where the first is asked for."""
    query = sqlglot.parse_one(reply.sql, read=reply.dialect)
    order, limit = query.args.get("order"), query.args.get("limit")
    if not isinstance(query, exp.Select) or order is None or limit is None or limit.expression.name != "1":
        return reply
    keys = query.copy()
    keys.set("expressions", [order.expressions[0].this.copy()])
    sql = keys.limit(CITED_ROWS).sql(dialect=reply.dialect)
    limits = asker.limits
    found = await asyncio.to_thread(asker.target.run, sql, max_rows=CITED_ROWS, timeout_s=limits.timeout_s)
    equal = sum(row == found.rows[0] for row in found.rows)
    if equal < 2:
        return reply
    whole = await asker.run(query.limit(equal).sql(dialect=reply.dialect))
    return replace(whole, question=reply.question, by=reply.by, language=reply.language, notes=reply.notes)


def _scale_notes(store: Store, reply: SqlReply, tables: Mapping[str, CellTable]) -> list[Note]:
    """In what the numbers of a result are, where the table says so outside of its heads. Blocks."""
    for name in reply.tables if reply.answered else ():
        first = tables[name].rows[0].document_id
        scale = stated_scale(store.documents.wholes([first])[first], tables[name])
        if scale.factor != 1:
            return [Note("scaled", {"table": name, "unit": f"{scale.factor:,.0f} {scale.unit}".strip()})]
    return []


def _tables_by_name(store: Store, ids: Sequence[str], where: Filter | None) -> dict[str, CellTable]:
    """The tables of documents by names of their own, the parts of a long one together. Blocks."""
    wholes = store.documents.wholes(ids)
    found: dict[str, CellTable] = {}
    rows = 0
    seen: set[str] = set()
    for document_id in ids:
        document = wholes.get(document_id)
        if document is None or document_id in seen:
            continue
        parts = _table_part_documents(store, document, where)
        seen.update(part.document_id for part in parts)
        whole = _join_table_parts(parts)
        label = in_words(document.title) if len(whole) == 1 else ""  # "Sheet1" says nothing, the file's name does
        for table in whole:
            rows += len(table.rows)
            if rows > MOST_ROWS or len(found) >= MOST_TABLES:
                return found
            name = _free_table_name(table.schema.name, found)
            found[name] = replace(table, schema=replace(table.schema, name=name, label=label))
    return found


def _table_part_documents(store: Store, document: Document, where: Filter | None) -> list[Document]:
    """The documents that one long table goes on in, in the order of its rows; else the document alone."""
    if "first_row" not in document.metadata:
        return [document]
    source, title = document.source.rpartition("#")[0], document.title.rpartition(" (")[0]
    infos = store.documents.find_documents([DocumentQuery(sources=(source,))])[0]
    mine = [info for info in infos if info.title.rpartition(" (")[0] == title and "first_row" in info.metadata]
    seen = [info.document_id for info in mine if where is None or where.matches(info.fields)]
    if len(seen) < len(mine):
        message = f"The table {title!r} is longer than what may be seen of it."
        raise InputError(message, cure="Ask without a filter that parts it.", outcome="unsupported")
    wholes = store.documents.wholes(seen)
    found = (wholes[one] for one in seen if one in wholes)
    return sorted(found, key=lambda part: int(str(part.metadata["first_row"])))


def _join_table_parts(parts: Sequence[Document]) -> list[CellTable]:
    """The tables of documents; those with the same header, of the parts of one long table, as one."""
    if len(parts) == 1:
        return list(tables_in(parts[0]))
    groups: defaultdict[tuple[str, ...], list[CellTable]] = defaultdict(list)
    for part in parts:
        for table in tables_in(part):
            groups[tuple(column.name for column in table.schema.columns)].append(table)
    return [join_tables(group, parts[0].language) for group in groups.values()]


def _free_table_name(name: str, taken: Mapping[str, object]) -> str:
    folded = {one.casefold() for one in taken}
    number, free = 2, name
    while free.casefold() in folded:
        free, number = f"{name}_{number}", number + 1
    return free


def _result_citations(reply: SqlReply, tables: Mapping[str, CellTable], target: DuckTarget) -> tuple[CitedCell, ...]:
    """Where the values of a result stand: each cell of a plain list, and of a number over rows these rows."""
    query = sqlglot.parse_one(reply.sql, read=target.dialect)
    if not isinstance(query, exp.Select) or len(reply.tables) != 1 or len(list(query.find_all(exp.Select))) > 1:
        return ()
    table = tables[reply.tables[0]]
    grouped = query.args.get("group") or query.args.get("distinct") or query.find(exp.AggFunc)
    rows = _source_rows(query, plain=not grouped, most=len(reply.rows) if not grouped else CITED_ROWS, target=target)
    names = [column.name.casefold() for column in table.schema.columns]
    if query.args.get("group"):
        return _group_citations(reply, query, table, names, target)
    if grouped:
        used = [column.name.casefold() for one in query.expressions for column in one.find_all(exp.Column)]
        place = next((names.index(one) for one in used if one in names), None)
        return tuple(_cell_citation(0, 0, table.rows[row], place) for row in rows)
    shown = [names.index(name.casefold()) if name.casefold() in names else None for name in _output_names(query, table)]
    return tuple(
        _cell_citation(at, column, table.rows[row], place)
        for at, row in enumerate(rows)
        for column, place in enumerate(shown)
        if place is not None
    )


def _group_citations(
    reply: SqlReply, query: exp.Select, table: CellTable, names: Sequence[str], target: DuckTarget
) -> tuple[CitedCell, ...]:
    """Where groups stand: what a group is made by in its first row, a number over it in each of its rows."""
    same = _over_numbered(query)
    rows = exp.Anonymous(this="list", expressions=[exp.column(ROW)])
    same.select(exp.Alias(this=rows, alias=exp.to_identifier(row_numbered("of"), quoted=True)), copy=False)
    found = target.run(same.sql(dialect=target.dialect), max_rows=len(reply.rows), timeout_s=Limits().timeout_s)
    shown = rows_as_text(Result((), tuple(values[:-1] for values in found.rows)))
    numbers = (sorted(cast("list[int]", values[-1]))[:CITED_ROWS] for values in found.rows)
    groups = dict(zip(shown, numbers, strict=True))
    cells: list[CitedCell] = []
    for at, row in enumerate(reply.rows):
        for column, one in enumerate(query.expressions):
            used = [part.name.casefold() for part in one.find_all(exp.Column)]
            place = next((names.index(name) for name in used if name in names), None)
            made_of = groups.get(row, []) if one.find(exp.AggFunc) else groups.get(row, [])[:1]
            cells += [_cell_citation(at, column, table.rows[number], place) for number in made_of]
        if len(cells) >= CITED_CELLS:
            break
    return tuple(cells[:CITED_CELLS])


def _over_numbered(query: exp.Select) -> exp.Select:
    """The same query over the tables that have the column `ROW`."""
    same = query.copy()
    for table in same.find_all(exp.Table):
        table.set("this", exp.to_identifier(row_numbered(table.name), quoted=True))
        if not table.alias:
            table.set("alias", exp.TableAlias(this=exp.to_identifier(table.name.removesuffix(f" {ROW}"), quoted=True)))
    return same


def _source_rows(query: exp.Select, *, plain: bool, most: int, target: DuckTarget) -> list[int]:
    """The numbers of the rows that a query reads, in its order."""
    same = _over_numbered(query)
    same.set("expressions", [exp.column(ROW)])
    for part in () if plain else ("distinct", "order", "group", "having"):
        same.set(part, None)
    found = target.run(same.limit(most).sql(dialect=target.dialect), max_rows=most, timeout_s=Limits().timeout_s)
    return [int(str(row[0])) for row in found.rows]


def _output_names(query: exp.Select, table: CellTable) -> list[str]:
    """The names of the columns that a query shows, "" for what is worked out."""
    names: list[str] = []
    for one in query.expressions:
        bare = one.this if isinstance(one, exp.Alias) else one
        if isinstance(bare, exp.Star):
            names += [column.name for column in table.schema.columns]
        else:
            names.append(bare.name if isinstance(bare, exp.Column) else "")
    return names


def _cell_citation(row: int, column: int, source: CellRow, place: int | None) -> CitedCell:
    inside = place is not None and place < len(source.cells)
    span = source.cells[place].span if inside and place is not None else source.span
    return CitedCell(row, column, source.document_id, span if span[0] < span[1] else source.span)

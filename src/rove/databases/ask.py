"""A question to a database: SQL by rules or by a chat model, checked, run read-only, and what came out of it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, Field
from sqlglot import exp

from rove.databases.by_meaning import NameMeanings
from rove.databases.by_rules import RuledSql, by_rules
from rove.databases.check import Checked, check_sql
from rove.databases.choose import order_tables
from rove.databases.joins import JoinedTable, joined_tables, table_name
from rove.databases.mentions import is_numeric
from rove.databases.reply import asker_language, headings, phrase, rows_as_text, sentence
from rove.databases.targets import Target
from rove.errors import InputError, ServiceError
from rove.events import DatabaseAsked, Listener, ignore
from rove.language.cue_words import UNSPACED
from rove.language.detect import detect
from rove.models import ChatModel
from rove.models.prompts import fence_material, prompt
from rove.models.typed import reply_as
from rove.records import Note
from rove.records.schema import Column, TableSchema
from rove.records.sql import SqlReply
from rove.retrieve.create_table import within_budget

LANGUAGES = frozenset({"en", "de", "hu", "zh", "ja"})
CANDIDATES = 6
"""Tables that the rules read a question over."""
READ_ROWS, HELD, HELD_COLUMNS = 10_000, 500, 16
"""Different values of a column that the rules know: so many, from so many rows, of so many columns of a table."""
VALUES_S = 2.0
SCHEMA_TOKENS = 3_000
REPAIRS = 1
OFFERED = 3
"""Readings that are offered where a question is not understood."""
GLUE = (" ", "")
"""What parts two sentences, in languages with and without spaces."""


class SqlDraft(BaseModel):
    """What a chat model writes."""

    sql: str = Field(max_length=8_000)


@dataclass(frozen=True, slots=True)
class Limits:
    """What one statement may use up."""

    max_rows: int = 200
    timeout_s: float = 10.0


@dataclass(frozen=True, slots=True)
class DatabaseAsker:
    """Answers questions from one database. `tables`: those that may be read."""

    name: str
    target: Target
    tables: Sequence[TableSchema]
    limits: Limits = Limits()
    chat: ChatModel | None = None
    meanings: NameMeanings | None = None

    async def ask(self, question: str, *, dry_run: bool = False, listener: Listener = ignore) -> SqlReply:
        """Answer a question; `dry_run`: write and check the SQL, and run nothing.

        With a chat model it writes the SQL, and mends it once where the check or the database refuses it; where it
        fails the rules are asked. Words that the rules do not know are read by their meaning where that is clear. What
        is not understood is not answered, and the reply says so.

        Raises:
            ServiceError: the database took too long, or cannot be reached.
        """
        language = _detect_cue_language(question)
        notes: tuple[Note, ...] = ()
        ordered = await asyncio.to_thread(order_tables, question, language, self.tables)
        if self.chat is not None:
            try:
                return await self._by_model(self.chat, question, language, ordered, dry_run, listener)
            except (InputError, ServiceError) as error:
                notes = (Note("sql-unusable", {"reason": error.reason}),)
        if language not in LANGUAGES:
            return self._refused(question, language, notes)
        read = await self._read(question, language, ordered)
        notes = (*notes, *read.notes)
        if read.query is None:
            return self._refused(question, language, notes, read)
        sql = read.query.sql(dialect=self.target.dialect)
        return await self._answered(question, language, sql, "rules", dry_run, notes, listener)

    async def run(self, sql: str, *, dry_run: bool = False, listener: Listener = ignore) -> SqlReply:
        """Check SQL that the caller has written, and run it.

        Raises:
            InputError: it may not run, or the database refuses it.
            ServiceError: see `ask`.
        """
        return await self._answered("", "en", sql, "caller", dry_run, (), listener)

    async def _by_model(
        self,
        chat: ChatModel,
        question: str,
        language: str,
        ordered: Sequence[TableSchema],
        dry_run: bool,
        listener: Listener,
    ) -> SqlReply:
        schema, _, left = within_budget(ordered, SCHEMA_TOKENS)
        shown = f"Tables:\n{fence_material(schema, 'tables')}\n\nQuestion:\n{fence_material(question, 'question')}"
        asked = f"Dialect: {self.target.dialect}\n\n{shown}"
        instructions = prompt("rove.databases", "sql")
        problem, notes = "", (Note("tables-without-room", {"count": len(left)}),) if left else ()
        for attempt in range(REPAIRS + 1):
            again = (
                f"{asked}\n\nThis SQL was refused: {fence_material(problem, 'refused')}\nWrite it anew."
                if problem
                else asked
            )
            wrote = await reply_as(chat, SqlDraft, instructions, again)
            if not wrote.sql.strip():
                return self._refused(question, language, (Note("no-table-holds"),))
            try:
                return await self._answered(question, language, wrote.sql, "model", dry_run, notes, listener)
            except InputError as error:
                if attempt == REPAIRS:
                    raise
                problem = f"{wrote.sql}\n{error.reason}"
                notes = (Note("sql-mended", {"reason": error.reason}),)
        raise AssertionError  # the loop returns or raises

    async def _answered(
        self,
        question: str,
        language: str,
        sql: str,
        by: str,
        dry_run: bool,
        notes: tuple[Note, ...],
        listener: Listener,
    ) -> SqlReply:
        """Check SQL, run it, and say what came out."""
        safe = check_sql(sql, self.target.dialect, self.tables, max_rows=self.limits.max_rows)
        notes = (*notes, self.target.note) if self.target.note else notes
        reply = SqlReply(
            question, self.name, self.target.dialect, safe.sql, by, tables=safe.tables, notes=notes,
            language=asker_language(question, language),
        )  # fmt: skip
        if dry_run:
            return reply
        return await asyncio.to_thread(self._run, reply, safe, listener)

    def _run(self, reply: SqlReply, safe: Checked, listener: Listener) -> SqlReply:
        started = time.perf_counter()
        result = self.target.run(safe.sql, max_rows=self.limits.max_rows, timeout_s=self.limits.timeout_s)
        seconds = time.perf_counter() - started
        listener(DatabaseAsked(self.name, safe.sql, len(result.rows), seconds))
        return replace(
            reply,
            columns=headings(result.columns, reply.language),
            rows=rows_as_text(result),
            cut=result.cut,
            text=sentence(result, reply.language, ", ".join(safe.tables)),
            seconds=seconds,
            answered=True,
        )

    async def _read(self, question: str, language: str, ordered: Sequence[TableSchema]) -> _Read:
        """What the rules make of a question; words that they do not know are read by their meaning."""
        tables = await asyncio.to_thread(self._joined, ordered[:CANDIDATES])
        readings = [by_rules(question, language, one) for one in tables]
        whole = [one for one in readings if one.is_understood]
        if whole or self.meanings is None:
            return _choose_reading(question, readings, whole)
        try:
            if len(ordered) > CANDIDATES:
                nearest = await self.meanings.ordered(question, ordered)
                tables = await asyncio.to_thread(self._joined, nearest[:CANDIDATES])
                readings = [by_rules(question, language, one) for one in tables]
            meant = await self.meanings.read(question, language, readings)
        except ServiceError as error:
            note = Note("words-not-compared", {"reason": error.reason})
            return replace(_choose_reading(question, readings, []), notes=(note,))
        read = _choose_reading(question, readings, [one.ruled for one in meant])
        said = next((one.read for one in meant if one.ruled.query is read.query), dict[str, str]())
        words = ", ".join(f"{word} = {phrase}" for word, phrase in said.items() if phrase)
        return replace(read, notes=(Note("read-by-meaning", {"words": words}),) if words else ())

    def _joined(self, tables: Sequence[TableSchema]) -> list[JoinedTable]:
        """Tables with their neighbours and the values that they hold. Blocks."""
        return list(joined_tables(tables, {table.name: self._held(table) for table in tables}))

    def _held(self, table: TableSchema) -> Mapping[str, list[str]]:
        """Different values of a table's columns of text, as far as they can be had quickly; "" of empty cells."""
        held: dict[str, list[str]] = {}
        for column in [column for column in table.columns if not is_numeric(column)][:HELD_COLUMNS]:
            sql = _distinct_values_select(table, column).sql(dialect=self.target.dialect)
            try:
                found = self.target.run(sql, max_rows=HELD, timeout_s=min(VALUES_S, self.limits.timeout_s))
            except (InputError, ServiceError):
                continue
            some = [str(row[0]) for row in found.rows if row[0] not in {None, ""}]
            held[column.name] = some if len(some) == len(found.rows) else [*some, ""]
        return held

    def _refused(self, question: str, language: str, notes: tuple[Note, ...], read: _Read | None = None) -> SqlReply:
        """Say that there is no answer, which words were not understood, and the nearest readings as SQL."""
        language = asker_language(question, language)
        text = phrase("refused", language, database=self.name)
        words = read.not_understood if read else ()
        if words:
            text += GLUE[language in UNSPACED] + phrase("not_understood", language, words=", ".join(words))
        readings: list[str] = []
        for query in read.readings if read else ():
            try:
                safe = check_sql(
                    query.sql(self.target.dialect), self.target.dialect, self.tables, max_rows=self.limits.max_rows
                )
            except InputError:
                continue
            readings += [safe.sql] if safe.sql not in readings else []
        nearest = tuple(readings[:OFFERED])
        return SqlReply(
            question,
            self.name,
            self.target.dialect,
            text=text,
            not_understood=words,
            readings=nearest,
            notes=notes,
            language=language,
        )


@dataclass(frozen=True, slots=True)
class _Read:
    """What was made of a question: a query, or words that were not understood and the nearest readings."""

    query: exp.Select | None = None
    not_understood: tuple[str, ...] = ()
    readings: tuple[exp.Select, ...] = ()
    notes: tuple[Note, ...] = ()


def _choose_reading(question: str, readings: Sequence[RuledSql], whole: Sequence[RuledSql]) -> _Read:
    """The one reading that names the most of its table; none where two name as much and differ."""
    ordered = sorted(whole, key=lambda one: -one.weight)
    best = [one.query for one in ordered if one.weight == ordered[0].weight]
    if best and all(one == best[0] for one in best):
        return _Read(best[0])
    near = sorted(readings, key=lambda one: (sum(end - start for start, end in one.not_read), -one.weight))
    words = () if best or not near else tuple(question[slice(*span)] for span in near[0].not_read)
    offered = [one.query for one in (*ordered, *near) if one.query is not None]
    return _Read(None, words, tuple(offered))


def _distinct_values_select(table: TableSchema, column: Column) -> exp.Select:
    name = exp.column(exp.to_identifier(column.name, quoted=True))
    rows = exp.select(name).from_(table_name(table)).limit(READ_ROWS).subquery("sampled")
    return exp.select(name.copy()).distinct().from_(rows).limit(HELD)


def _detect_cue_language(question: str) -> str:
    found = detect(question, LANGUAGES)
    return found if found in LANGUAGES or found in UNSPACED else "en"

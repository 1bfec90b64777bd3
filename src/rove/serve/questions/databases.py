"""What goes over the wire of questions to databases, and to tables in documents."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Self

from pydantic import Field

from rove.errors import InputError
from rove.records import Filter, field
from rove.records.sql import SqlReply
from rove.serve.caller_view import CallerView
from rove.serve.questions.results import NoteOut
from rove.serve.questions.schema import Question, QuestionIn
from rove.serve.redaction import Said
from rove.serve.schema import Reply

PARTS = ("sqlglot", "duckdb")
"""What tables in documents are asked with."""
ANY = "table"
"""Nearest to this is some table, where there is any."""


class SqlIn(QuestionIn):
    """A question to a database of the space's settings, by its name; `tables`: to the tables in the documents instead.

    A filter holds for tables in documents alone. `dry_run`: the SQL is written and checked, and does not run.
    `by_rules`: no chat model is asked, though there is one.
    """

    question: Question
    database: str = Field(default="", max_length=200)
    tables: bool = False
    dry_run: bool = False
    by_rules: bool = False


class DatabasesOut(Reply):
    """What can be asked for rows: the names of databases, and whether the documents have `tables`."""

    databases: list[str]
    tables: bool


async def askable(view: CallerView) -> DatabasesOut:
    """Say what the caller can ask for rows; a key with labels has no database."""
    view.require("read")
    databases = [] if view.caller.labels is not None else sorted(view.kb.settings.databases)
    if not all(map(find_spec, PARTS)):
        return DatabasesOut(databases=databases, tables=False)
    found = await view.search(ANY, top_k=1, where=field("kind") == "table", mode="semantic", rerank=False)
    return DatabasesOut(databases=databases, tables=bool(found))


async def rows_of(view: CallerView, question: str, database: str, where: Filter | None) -> SqlReply:
    """Ask a database by its name; "": the tables in the documents.

    Raises:
        InputError: there is a filter, and a database is asked.
    """
    if not database:
        return await view.ask_tables(question, where, dry_run=False)
    if where is not None:
        message = "A filter says nothing of the rows of a database."
        raise InputError(message, cure="Take the filter away, or ask the tables in documents.")
    return await view.ask_database(question, database, dry_run=False)


class CellOut(Reply):
    """Where the value at `row` and `column` of the result, from 0, stands in a document."""

    row: int
    column: int
    document_id: str
    span: tuple[int, int]


class SqlOut(Reply):
    """The SQL that ran, its rows, and what came out of it in a sentence; `by`: "rules" or "model".

    `tables`: those that it reads. `not_understood`: words that the rules could not read. `readings`: the SQL of what
    comes nearest; none has run.
    """

    question: str
    database: str
    sql: str
    by: str
    columns: list[str]
    rows: list[list[str]]
    cut: bool
    text: str
    note: Said
    notes: list[NoteOut]
    answered: bool
    cells: list[CellOut]
    tables: list[str] = Field(default_factory=list[str])
    not_understood: list[str] = Field(default_factory=list[str])
    readings: list[str] = Field(default_factory=list[str])

    @classmethod
    def of(cls, reply: SqlReply) -> Self:
        """Make it of a record."""
        return cls(
            question=reply.question,
            database=reply.database,
            sql=reply.sql,
            by=reply.by,
            columns=list(reply.columns),
            rows=[list(row) for row in reply.rows],
            cut=reply.cut,
            text=reply.text,
            note=reply.note,
            notes=NoteOut.all(reply.notes),
            answered=reply.answered,
            cells=[
                CellOut(row=cell.row, column=cell.column, document_id=cell.document_id, span=cell.span)
                for cell in reply.cells
            ],
            tables=list(reply.tables),
            not_understood=list(reply.not_understood),
            readings=list(reply.readings),
        )

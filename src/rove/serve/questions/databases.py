"""What goes over the wire of questions to databases, and to tables in documents."""

from __future__ import annotations

from typing import Self

from pydantic import Field

from rove.records.sql import SqlReply
from rove.serve.questions.schema import Question, QuestionIn
from rove.serve.redaction import Said
from rove.serve.schema import Reply


class SqlIn(QuestionIn):
    """A question to a database of the space's settings, by its name; `tables`: to the tables in the documents instead.

    A filter holds for tables in documents alone. `dry_run`: the SQL is written and checked, and does not run.
    """

    question: Question
    database: str = Field(default="", max_length=200)
    tables: bool = False
    dry_run: bool = False


class CellOut(Reply):
    """Where the value at `row` and `column` of the result, from 0, stands in a document."""

    row: int
    column: int
    document_id: str
    span: tuple[int, int]


class SqlOut(Reply):
    """The SQL that ran, its rows, and what came out of it in a sentence; `by`: "rules" or "model"."""

    question: str
    database: str
    sql: str
    by: str
    columns: list[str]
    rows: list[list[str]]
    cut: bool
    text: str
    note: Said
    answered: bool
    cells: list[CellOut]

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
            answered=reply.answered,
            cells=[
                CellOut(row=cell.row, column=cell.column, document_id=cell.document_id, span=cell.span)
                for cell in reply.cells
            ],
        )

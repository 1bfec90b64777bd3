"""The answer of a database: the SQL that ran, its rows, and a sentence."""

from __future__ import annotations

from dataclasses import dataclass

from rove.records.document import Span
from rove.records.note import Note, SaidInWords


@dataclass(frozen=True, slots=True)
class CitedCell:
    """Where a value stands in a document: `row` and `column` are places in the result, from 0."""

    row: int
    column: int
    document_id: str
    span: Span


@dataclass(frozen=True, slots=True)
class SqlReply(SaidInWords):
    """What a database says to a question.

    `sql` is what ran, to the letter, "" where none was written; `by` says who wrote it: "rules", "model" or "caller".
    `rows` are texts as people read them, "" for NULL; `cut`: there are more. `text` is the answer as a sentence, or why
    there is none. `tables` are those that were read. `cells`: where values stand, of tables that came from documents.
    `document_ids`: the documents that those tables stand in. `notes` are what else to know, such as what was mended;
    `note` is what they say in the question's `language`.
    `answered`: whether there is a result. Where the rules have not understood a question, `not_understood` has the
    words that they could not read, and `readings` the SQL of what comes nearest: to choose from, none of it has run.
    """

    question: str
    database: str = ""
    dialect: str = ""
    sql: str = ""
    by: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    cut: bool = False
    text: str = ""
    tables: tuple[str, ...] = ()
    cells: tuple[CitedCell, ...] = ()
    note: str = ""
    document_ids: tuple[str, ...] = ()
    seconds: float = 0.0
    answered: bool = False
    not_understood: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    language: str = "en"

    @property
    def answer(self) -> str | None:
        """The answer as a sentence, None where there is none."""
        return self.text if self.answered else None

"""A question of `ask` that the rows of a table answer together: which rows, how many, the sum, the most; all are read.

The best passages show some rows; only who reads all of them can say which there are. The question is read by rules, and
where the judge is sure of it by the meaning of words; where one is not understood, this way answers nothing.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import PurePath

import sqlglot
from sqlglot import exp

from rove.answer.cite import marks
from rove.answer.forms import MOST_LISTED, FormQuestion, References, form_sentence
from rove.chunk.cell_tables import CellTable
from rove.databases.ask import LANGUAGES
from rove.databases.by_meaning import NameMeanings
from rove.databases.document_tables import TableReading, read_tables
from rove.databases.mentions import has_cue
from rove.errors import ServiceError
from rove.language.pipe_rows import as_table
from rove.language.rendering import render
from rove.records import Answer, Chunk, Citation, DocumentInfo, Hit, Note, Sentence
from rove.records.sql import CitedCell, SqlReply
from rove.store.document_query import DocumentQuery

MEANT_WORDS = 2
"""Words that are read by their meaning, at most: with more unknown ones a question mostly is of something else."""
CITED_EACH = 5
"""Rows that a group is cited by, at most."""
KINDS: dict[type[exp.AggFunc], str] = {exp.Sum: "sum", exp.Avg: "average", exp.Max: "highest", exp.Min: "lowest"}


async def answer_from_rows(
    question: FormQuestion, hits: Sequence[Hit] | None = None, *, alone: bool = False
) -> Answer | None:
    """Answer from all rows of a table; None where that is not what is asked for.

    Args:
        question: as it stands alone.
        hits: one of which must be of the table; None: any table will do.
        alone: nothing else answers the question, so that a cell that it asks for is given, too.

    Raises:
        ServiceError: the embedder failed, or the statement took too long.
    """
    context = question.search_context
    meanings = NameMeanings(context.embedder, context.judge(), MEANT_WORDS)
    found = await read_tables(context, None, meanings, question.text, question.where)
    reply = found.reply
    of_hits = hits is None or any(hit.chunk.document_id in reply.document_ids for hit in hits)
    if not (of_hits and reply.answered and reply.rows and len(reply.tables) == 1):
        return None
    query = sqlglot.parse_one(reply.sql, read=reply.dialect)
    of_all = query.find(exp.AggFunc) is not None or query.args.get("order") is not None
    if not of_all and (query.args.get("where") is None or not (alone or len(reply.rows) > 1)):
        return None
    return await asyncio.to_thread(_answer, question, found, query)


def _answer(question: FormQuestion, found: TableReading, query: exp.Expr) -> Answer | None:
    """Put the answer together: what was worked out, and the rows that it is of. Blocks."""
    reply, table = found.reply, found.tables[found.reply.tables[0]]
    cited = _CitedRows(question, table)
    numbers = list(dict.fromkeys(map(cited.number_of, reply.cells)))
    sentences, shown = _groups(reply, cited) if query.args.get("group") is not None else _rows(numbers, cited)
    if not sentences:
        return None
    first = sentences[0].citations[0]
    name = f"“{PurePath(first.uri).name or first.title}”"
    head = _head(reply, query, question.language, name, numbers, table)
    notes = (Note("from-rows", {"name": name, "sql": reply.sql}), *reply.notes)
    text = f"{head}\n\n{shown}"
    return Answer(question.text, text, "extractive", question.language, sentences, tuple(cited.references.hits), notes)


def _head(reply: SqlReply, query: exp.Expr, language: str, name: str, numbers: Sequence[int], table: CellTable) -> str:
    """Say what was worked out, and over which table."""
    made, total = query.find(exp.AggFunc), len(table.rows)
    count: int | str = max(len(numbers), len(reply.rows))
    count = f"{count}+" if reply.cut else count
    if query.args.get("group") is not None:
        return form_sentence("groups", language, all=total, name=name)
    if made is not None:
        value = reply.rows[0][0]
        if not isinstance(made, exp.Count) or (made.find(exp.Distinct) and value != str(len(numbers))):
            kind = KINDS.get(type(made), "distinct_values")
            column = ", ".join(one.name for one in made.find_all(exp.Column))
            return form_sentence(kind, language, column=f"“{column}”", value=value, name=name)
        count = int(value)
        if count == 1 and (pieces := _pieces(table, numbers[0])):
            column, value = pieces
            return form_sentence("cell", language, column=f"“{column}”", value=value, name=name)
    return form_sentence("rows", language, count=count, all=total, name=name)


def _pieces(table: CellTable, number: int) -> tuple[str, str] | None:
    """Return the column that says how many of a row's thing there are, with its cell; None where there is none."""
    cells = zip((column.name for column in table.schema.columns), table.rows[number].cells, strict=False)
    named = ((name, cell.text) for name, cell in cells if any(has_cue(("pieces",), name, one) for one in LANGUAGES))
    return next((one for one in named if one[1].strip()), None)


def _rows(numbers: Sequence[int], cited: _CitedRows) -> tuple[tuple[Sentence, ...], str]:
    """The rows that a result is made of, each cited, and how they are shown."""
    found = [cited.cite(number) for number in numbers[:MOST_LISTED]]
    table = as_table(cited.names, {one.quote: marks([one.number]) for one in found}) if found else ""
    return tuple(Sentence(render(one.quote).line, (one,)) for one in found), table


def _groups(reply: SqlReply, cited: _CitedRows) -> tuple[tuple[Sentence, ...], str]:
    """The groups of a result, each with the rows that it is made of."""
    sentences: list[Sentence] = []
    lines: dict[str, str] = {}
    for at, values in enumerate(reply.rows[:MOST_LISTED]):
        numbers = dict.fromkeys(cited.number_of(one) for one in reply.cells if one.row == at)
        found = [cited.cite(number) for number in numbers][:CITED_EACH]
        if not found:
            return (), ""
        line = "| " + " | ".join(value.replace("|", "\\|") for value in values) + " |"
        lines[line] = marks(sorted({one.number for one in found}))
        sentences.append(Sentence("; ".join(values), tuple(found)))
    return tuple(sentences), as_table(reply.columns, lines)


class _CitedRows:
    """Rows of a table with their citations. `names`: those of its columns."""

    def __init__(self, question: FormQuestion, table: CellTable) -> None:
        self.references = References([])
        self.names = [column.name for column in table.schema.columns]
        self._rows = table.rows
        self._starts = sorted((row.document_id, row.span[0], number) for number, row in enumerate(table.rows))
        self._documents = question.search_context.store.documents
        self._read: dict[str, tuple[DocumentInfo, list[Chunk]]] = {}

    def number_of(self, cell: CitedCell) -> int:
        """Return the number of the row that a cell stands in, or is."""
        at = bisect_right(self._starts, (cell.document_id, cell.span[0], len(self._rows)))
        return self._starts[at - 1][2]

    def cite(self, number: int) -> Citation:
        """Cite a row as a whole."""
        row = self._rows[number]
        info, chunks = self._document(row.document_id)
        chunk = next((one for one in chunks if one.span[0] <= row.span[0] < one.span[1]), None)
        if chunk is None:
            message = "A row stands in no passage of its document."
            raise ServiceError(message, cure="Add the document anew.", retryable=False)
        return self.references.cite(info, chunk, (row.span[0], min(row.span[1], chunk.span[1])))

    def _document(self, document_id: str) -> tuple[DocumentInfo, list[Chunk]]:
        if document_id not in self._read:
            found = self._documents.document(document_id)
            if found is None:
                message = "A document was replaced while its table was read."
                raise ServiceError(message, cure="Ask again.", retryable=True)
            infos = self._documents.find_documents([DocumentQuery(sources=(found[0].source,))])[0]
            self._read[document_id] = next(one for one in infos if one.document_id == document_id), found[1]
        return self._read[document_id]

"""Questions that all rows of a table answer, or all entries of a list, rather than a sentence: which, and from what."""

from __future__ import annotations

from collections.abc import Sequence

from rove.answer.forms import FormQuestion
from rove.answer.forms.entries import all_entries, entry_spans
from rove.answer.gate import GateVerdict
from rove.databases.mentions import has_cue
from rove.errors import InputError, ServiceError
from rove.language.pipe_rows import table_rows
from rove.records import Answer, Chunk, Hit

OF_SOME = ("not", "sum", "average", "most", "least", "above", "below", "at_least", "at_most", "between")
"""Cues (`databases/cues.toml`) of questions for some entries, or for what is worked out from them: not for all."""
OF_ROWS = (*OF_SOME, "count", "how_much", "who", "each", "distinct", "sorted")
"""Cues of questions that all rows of a table may answer."""
TABLE_AMONG = 3
"""Passages, the best, of which one must have a table where no words surely answer."""


async def answer_from_tables(
    question: FormQuestion, hits: Sequence[Hit], verdict: GateVerdict, *, of_entries: bool
) -> Answer | None:
    """Answer from all rows of a table among the hits, or from all entries; None where a sentence surely answers.

    Args:
        question: as it stands alone.
        hits: what was found, best first.
        verdict: whether that answers, and where.
        of_entries: entries of a table or a list are asked for: those that rules choose, or all.

    Raises:
        ServiceError: the embedder failed.
    """
    place = _sure_place(hits, verdict)
    if place and not any(start <= place[1] < end for start, end in entry_spans(place[0])):
        return None
    if of_entries:
        told = await from_rows(question, hits, alone=True)
        return told or (None if has_cue(OF_SOME, question.text, question.language) else await all_entries(question))
    best = [hit.chunk for hit in hits[:TABLE_AMONG]]
    has_table = any(next(table_rows(chunk.text, chunk.prefix), None) for chunk in best)
    if not has_cue(OF_ROWS, question.text, question.language) or not (place or has_table or not verdict.passes):
        return None
    return await from_rows(question, hits, alone=not verdict.passes)


async def from_rows(question: FormQuestion, hits: Sequence[Hit] | None = None, *, alone: bool = False) -> Answer | None:
    """See `answer_from_rows`; None also where the extra "sql" is not installed, or the tables cannot be read."""
    try:
        from rove.databases.table_answer import answer_from_rows  # noqa: PLC0415 - its parser is an extra
    except ModuleNotFoundError:
        return None
    try:
        return await answer_from_rows(question, hits, alone=alone)
    except (InputError, ServiceError):  # not all of a long table may be seen, or it takes too long: passages answer
        return None


def _sure_place(hits: Sequence[Hit], verdict: GateVerdict) -> tuple[Chunk, int] | None:
    """The chunk and the place in it of the words that surely answer, if there are any."""
    spans = verdict.spans
    best = spans.judged[0] if spans and spans.judged else None
    if spans is None or best is None or best.found is None or best.found.score < spans.level:
        return None
    at = best.found.span[0]
    of = (hit.chunk for hit in hits if hit.chunk.document_id == best.document_id)
    return next(((chunk, at - chunk.span[0]) for chunk in of if chunk.span[0] <= at < chunk.span[1]), None)

"""An operator that writes a report as a page."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence

from rove.errors import InputError
from rove.flow.operator import FlowContext
from rove.paper.paper_page import paper_html
from rove.records import Citation, Document
from rove.records.paper import Paper
from rove.records.tool import ToolRun


async def report(context: FlowContext, *, paper: Paper, called: Sequence[ToolRun] = ()) -> str:
    """Write a report as one HTML file that loads nothing; each citation opens at its words, which are looked up again.

    `called`: runs of tools whose results it cites. What is cited and does not stand in its source is shown as such.
    """
    results = {run.document.document_id: run.document for run in called if run.document}
    ids = sorted({one.document_id for one in _paper_citations(paper)} - results.keys())
    if context.where is not None:
        ids = sorted(await asyncio.to_thread(context.kb.store.documents.passing, ids, context.where))
    return paper_html(
        paper, {**results, **{one: found for one in ids if (found := await _document_or_none(context, one))}}
    )


async def _document_or_none(context: FlowContext, document_id: str) -> Document | None:
    try:
        return (await context.kb.document(document_id))[0]
    except InputError:
        return None


def _paper_citations(paper: Paper) -> Iterator[Citation]:
    sentences = [*paper.lead, *(one for section in paper.sections for one in section.sentences)]
    cells = (cell for section in paper.sections for table in section.tables for row in table.rows for cell in row)
    for one in (*sentences, *cells):
        yield from one.citations

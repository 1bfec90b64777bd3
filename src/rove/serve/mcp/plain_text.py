"""Replies as plain text for a model to read: each thing once, in few words, with the ids that open more of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rove.records.answer import DIFFERS
from rove.records.moment import place_text
from rove.serve.documents.schema import JobOut
from rove.serve.documents.texts import SummaryOut, TextOut
from rove.serve.mcp.excerpt import cut_bytes, excerpt
from rove.serve.questions.databases import SqlOut
from rove.serve.questions.graph import GraphOut
from rove.serve.questions.results import AnswerOut, CitationOut, DocumentOut, HitOut, RenderedOut

BUDGET_BYTES = 2_400
"""What a search tells in all; a few passages are told at more length than many."""
LEAST_BYTES = 240
"""What of each passage is told at least."""
HEAD_BYTES = 100
QUOTE_BYTES = 300
MOST_SECTIONS = 40
MOST_VALUES, VALUE_CHARS = 5, 40
NOTHING = "Nothing was found."


def hits_text(question: str, hits: Sequence[HitOut], *, whole: bool = False) -> str:
    """Say what was found, best first."""
    each = max(LEAST_BYTES, BUDGET_BYTES // max(len(hits), 1))
    return "\n".join(
        _hit_text_with_number(number, hit, question, None if whole else each) for number, hit in enumerate(hits, 1)
    )


def _hit_text_with_number(number: int, hit: HitOut, question: str, most_bytes: int | None) -> str:
    same = f" (also in {hit.count - 1} other places)" if hit.count > 1 else ""
    place = _location_line(hit.title, hit.headings, hit.source, _page_or_time(hit))
    head = f"{number}. {place} {_span_reference(hit)}{same}{_as_of_note(hit.as_of)}"
    if most_bytes is None:
        return f"{head}\n{hit.text}\n"
    words = excerpt(_text_with_cell_bars(hit.rendered), hit.language, question, most_bytes - len(head.encode()) - 2)
    return f"{head}\n{words}"


def answer_text(answer: AnswerOut) -> str:
    """Say an answer, then its sources by their numbers, or, where it was refused, the nearest passages."""
    parts = [answer.text]
    if answer.citations:
        differing = [
            one for sentence in answer.sentences if sentence.verdict == "differs" for one in sentence.citations
        ]
        parts.append(
            "Sources:\n" + "\n".join(_citation_line(one, otherwise=one in differing) for one in answer.citations)
        )
    if out := [one.text for one in answer.sentences if one.deleted]:
        parts.append("Left out of the answer:\n" + "\n".join(f"- {text}" for text in out))
    if answer.nearest:
        parts.append("Nearest passages, which do not answer it:\n" + hits_text(answer.question, answer.nearest))
    if answer.related:
        parts.append("Also answered:\n" + "\n".join(f"- {one.question} ({one.title})" for one in answer.related))
    if answer.note:
        parts.append(f"Note: {answer.note}")
    return "\n\n".join(parts)


def _citation_line(one: CitationOut, *, otherwise: bool = False) -> str:
    quote = cut_bytes(" ".join(_text_with_cell_bars(one.rendered).split()), QUOTE_BYTES)
    sign = f"{DIFFERS}] says otherwise:" if otherwise else "]"
    place = _location_line(one.title, (), one.source, _page_or_time(one))
    return f"[{one.number}{sign} {place} {_span_reference(one)}{_as_of_note(one.as_of)}: “{quote}”"


def _as_of_note(day: str) -> str:
    return f" (as it was on {day})" if day else ""


def facts_text(answer: AnswerOut, facts: Sequence[str], walk_id: str) -> str:
    """Say what a walk has come to."""
    found = "Facts on the way:\n" + "\n".join(f"- {fact}" for fact in facts) if facts else ""
    return "\n\n".join(filter(None, (answer_text(answer), found, f"Walk {walk_id}.")))


def documents_text(documents: Sequence[DocumentOut], following: int | None, total: int, fields: str) -> str:
    """Say a page of documents, a line each."""
    lines = [
        f"- {_location_line(one.title, (), one.source, '')}, {one.type}, {one.chunks} passages, "
        f"added {one.added_at[:10]}: {one.document_id}"
        for one in documents
    ]
    head = f"{total} documents." if total != 1 else "1 document."
    more = f"More: cursor={following}." if following is not None else ""
    return "\n".join(filter(None, (head, *lines, more, fields)))


def fields_text(documents: Iterable[DocumentOut], hidden: str) -> str:
    """Say which fields the documents have beside the built-in ones, and some of their values."""
    known: dict[str, dict[str, None]] = {}
    for one in documents:
        for name, value in one.metadata.items():
            values = value if isinstance(value, list | tuple) else (value,)
            if name != hidden:
                known.setdefault(name, {}).update({str(part)[:VALUE_CHARS]: None for part in values})
    told = (f"{name} ({', '.join(list(known[name])[:MOST_VALUES])}{', …' * (len(known[name]) > MOST_VALUES)})"
            for name in sorted(known))  # fmt: skip
    return "Fields: " + "; ".join((*told, "title, source, type, language, page, document_id of all")) + "."


def part_as_text(read: TextOut) -> str:
    """Say a part of a document, where it goes on, and, at its beginning, its sections."""
    start, end = read.span
    head = f"{read.title or read.document_id}, characters {start}-{end} of {read.size_chars}."
    parts = [head]
    if start == 0 and end < read.size_chars and read.sections:
        shown = read.sections[:MOST_SECTIONS]
        left = len(read.sections) - len(shown)
        told = "; ".join(f"{cut_bytes(one.title, HEAD_BYTES)} {one.span[0]}-{one.span[1]}" for one in shown)
        parts.append(f"Sections: {told}{f'; and {left} more' if left else ''}.")
    parts.append(read.text)
    if end < read.size_chars:
        parts.append(f"It goes on: start={end}.")
    return "\n\n".join(parts)


def graph_text(graph: GraphOut) -> str:
    """Say how things are related, each with the words that say so."""
    names = {entity.key: entity.names[0] for entity in graph.entities if entity.names}
    lines = [
        f"- {names.get(link.subject, link.subject)} · {link.predicate} · {names.get(link.object, link.object)}: "
        + "; ".join(
            f"“{cut_bytes(' '.join(one.quote.split()), QUOTE_BYTES)}” ({one.title or one.source}) "
            f"{one.document_id} {one.span[0]}-{one.span[1]}"
            for one in link.relations
        )
        for link in graph.links
    ]
    known = f"Known: {', '.join(names.values())}." if names and not lines else ""
    more = "There is more: a limit has left something out." if graph.more else ""
    return "\n".join(filter(None, (known, *lines, more, *graph.notes))) or NOTHING


def summaries_text(summaries: Sequence[SummaryOut]) -> str:
    """Say what a document says as a whole, then what its sections say."""
    lines = [
        f"- {' › '.join(one.headings) or 'As a whole'} {one.span[0]}-{one.span[1]}: "
        + " ".join(sentence.text for sentence in one.sentences)
        for one in summaries
    ]
    return "\n".join(lines) or "It has not been summed up."


def rows_text(reply: SqlOut) -> str:
    """Say what came out of a database: the sentence, the rows, the SQL that ran."""
    rows = [" | ".join(row) for row in (reply.columns, *reply.rows)] if reply.columns else []
    more = "There are more rows." if reply.cut else ""
    sql = f"SQL: {reply.sql}" if reply.sql else ""
    readings = [f"It may mean: {one}" for one in reply.readings]
    return "\n".join(filter(None, (reply.text, *rows, more, sql, *readings, reply.note)))


def job_text(job: JobOut) -> str:
    """Say how far a job is, and what became of its sources."""
    lines = [f"Job {job.job_id}: {job.state}; {job.ended} of {job.expected} sources, {job.chunks} passages."]
    for one in job.sources:
        said = " ".join(filter(None, (one.outcome or one.state, one.reason, one.cure)))
        lines.append(f"- {one.source}: {said}")
    if job.shallow:
        lines.append(f"It can be found; the embedder has yet to reach {job.shallow} passages.")
    return "\n".join(filter(None, (*lines, job.trouble)))


def _text_with_cell_bars(rendered: RenderedOut) -> str:
    """Return what is shown of a text, the cells of tables parted by bars."""
    return rendered.text.replace("\t", " | ")


def _page_or_time(one: HitOut | CitationOut) -> str:
    return one.time.clock if one.time else place_text(one.page, None)


def _location_line(title: str, headings: Sequence[str], source: str, at: str) -> str:
    """Say where something stands: its title and headings, each once, then file and page, or time."""
    path = " › ".join(dict.fromkeys(part for part in (title, *headings) if part))
    file = source if source != title else ""
    where = ", ".join(filter(None, (cut_bytes(file, HEAD_BYTES // 2), at)))
    return f"{cut_bytes(path or source, HEAD_BYTES)}{f' ({where})' if where and (path or at) else ''}"


def _span_reference(one: HitOut | CitationOut) -> str:
    return f"{one.document_id} {one.span[0]}-{one.span[1]}"

"""A conversation as one file to keep: Markdown for people, JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from rove.language.safe_markdown import fence_code, literal, safe_markdown
from rove.records.moment import TimeSpan
from rove.serve.conversations.schema import ConversationTold, EntryOut
from rove.serve.questions.databases import SqlOut
from rove.serve.questions.results import CitationOut, HitOut

Format = Literal["markdown", "json"]
MEDIA_TYPES: dict[Format, str] = {"markdown": "text/markdown; charset=utf-8", "json": "application/json"}
ENDINGS: dict[Format, str] = {"markdown": "md", "json": "json"}


def exported(told: ConversationTold, form: Format) -> str:
    """Write a conversation with all that its owner may see of it; in Markdown, no words of it are markup."""
    if form == "json":
        return told.model_dump_json(indent=2)
    parts = [f"# {literal(told.title) or told.conversation_id}", f"{told.created_at} – {told.updated_at}"]
    for entry in told.entries:
        parts += _entry(entry)
    return "\n\n".join(parts) + "\n"


def _entry(entry: EntryOut) -> Iterator[str]:
    yield f"## {entry.number}. {literal(entry.question)}"
    if entry.answer:
        yield safe_markdown(entry.answer.text)
        yield from _markdown_citations(entry.answer.citations)
    if entry.hits:
        yield "\n".join(_markdown_hit(number, hit) for number, hit in enumerate(entry.hits, 1))
    if entry.sql:
        yield from _markdown_sql_reply(entry.sql)
    if entry.walk_id:
        yield f"`walk {entry.walk_id}`"
    if entry.problem:
        yield literal(f"{entry.problem.title}: {entry.problem.detail}")
    if not (entry.answer or entry.hits or entry.sql or entry.problem or entry.walk_id):
        yield f"({entry.state})"
    if entry.note:
        yield f"*{literal(entry.note)}*"


def _markdown_sql_reply(reply: SqlOut) -> Iterator[str]:
    yield literal(reply.text)
    if reply.rows:
        lines = [reply.columns, ["---"] * len(reply.columns), *reply.rows]
        yield "\n".join(f"| {' | '.join(map(literal, line))} |" for line in lines)
    if reply.sql:
        yield fence_code(reply.sql, "sql")


def _markdown_citations(citations: list[CitationOut]) -> Iterator[str]:
    if citations:
        yield "\n".join(f"- [{one.number}] {_markdown_source_name(one)}: “{literal(one.quote)}”" for one in citations)


def _markdown_hit(number: int, hit: HitOut) -> str:
    return f"{number}. {_markdown_source_name(hit)}: “{literal(hit.rendered.text)}”"


def _markdown_source_name(one: CitationOut | HitOut) -> str:
    """Name a source, and where the words stand: of a recording the time, and what opens it there."""
    name = literal(one.title) or literal(one.source)
    if one.time:
        return f"{name}, {one.time.clock} ({literal(one.source)}{TimeSpan(one.time.start_s, one.time.end_s).fragment})"
    return f"{name}, p. {one.page}" if one.page else name

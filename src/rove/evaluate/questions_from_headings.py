"""Questions without a model: headings, titles, captions and rows of tables, asked in the document's language."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import cast

from rove.evaluate.made import MadeQuestion
from rove.language.bare_topic import bare_topic
from rove.language.detect import detect
from rove.language.pipe_rows import table_rows
from rove.language.words import query_terms
from rove.models.prompts import fill
from rove.records import Chunk, Document
from rove.records.document import Span

LEAST_BODY_CHARS = 40
MOST_TOPIC_CHARS = 120
MOST_CELL_CHARS = 120
FEW_TERMS = 2

_ASKS = re.compile(r"[?？]\s*$")


@dataclass(frozen=True, slots=True)
class _Topic:
    """What could be asked about. `key`: what must not occur twice in the base. `within`: the heading above it."""

    key: str
    topic: str
    made_by: str
    document: Document
    span: Span
    within: str = ""
    column: str = ""
    answer: str = ""


def questions_from(documents: Iterable[tuple[Document, Sequence[Chunk]]]) -> list[MadeQuestion]:
    """Ask about every topic that occurs once, in the order of their hashes, the kinds in turn.

    A heading that stands twice in the base is no question, since it would have two right answers. Such questions share
    words with what they ask for: they tell configurations apart, but score too high with all of them (300 pages of
    lohelp_de and of pgdocs, keyword search, RR@10: 0.95 and 0.92; index entries by people have 0.83 and 0.84).
    """
    topics = [topic for document, chunks in documents for topic in _topics(document, chunks)]
    counts = Counter(topic.key for topic in topics)
    asked = [_question_from_topic(topic) for topic in topics if counts[topic.key] == 1]
    return _by_turns(sorted(asked, key=lambda made: made.question_id))


@cache
def phrases(table: str) -> Mapping[str, str]:
    """Return a table of questions.toml: language code → text."""
    text = files("rove.evaluate").joinpath("questions.toml").read_text("utf-8")
    return cast("Mapping[str, Mapping[str, str]]", tomllib.loads(text))[table]


def _topics(document: Document, chunks: Sequence[Chunk]) -> Iterator[_Topic]:
    path = PurePath(document.source)
    no_titles = {section.title for section in document.sections} | {document.document_id, path.name, path.stem}
    if document.title and document.title not in no_titles:
        yield from _topics_from_name(document.title, "title", document, (0, len(document.text)))
    for section in document.sections:
        start, end = section.span
        if end - start - len(section.title) >= LEAST_BODY_CHARS:
            above = [title for title in document.headings_at(start) if title != section.title]
            within = above[-1] if above else document.title
            yield from _topics_from_name(section.title, "heading", document, section.span, within)
    seen: set[str] = set()
    for chunk in chunks:
        caption = str(chunk.metadata.get("caption", ""))
        if caption and caption not in seen:
            seen.add(caption)
            yield from _topics_from_name(caption, "caption", document, chunk.span)
        if chunk.kind == "table":
            yield from _topics_from_cells(document, chunk)


def _topics_from_name(name: str, made_by: str, document: Document, span: Span, within: str = "") -> Iterator[_Topic]:
    topic = bare_topic(name)
    if any(character.isalpha() for character in topic) and len(topic) <= MOST_TOPIC_CHARS:
        yield _Topic(topic.casefold(), topic, made_by, document, span, bare_topic(within))


def _topics_from_cells(document: Document, chunk: Chunk) -> Iterator[_Topic]:
    """Yield one cell of each row, named by the row's first cell and the column."""
    for row in table_rows(chunk.text, chunk.prefix):
        cells = [part.partition(": ") for part in row.said.split("; ")]
        if len(cells) < 2 or not all(value for _, _, value in cells):
            continue
        name = cells[0][2]
        column, _, value = cells[1 + sum(map(ord, name)) % (len(cells) - 1)]
        if not any(map(str.isalpha, name)) or max(len(name), len(column), len(value)) > MOST_CELL_CHARS:
            continue
        start = chunk.span[0]
        span = (start + row.span[0], start + row.span[1])
        key = f"{name}\0{column}".casefold()
        yield _Topic(key, name, "row", document, span, column=column, answer=value)


def _question_from_topic(topic: _Topic) -> MadeQuestion:
    language = topic.document.language
    if language == "und":
        language = detect(topic.topic)
    return MadeQuestion(
        question=_topic_question_text(topic, language),
        answer=topic.answer,
        document_id=topic.document.document_id,
        source=topic.document.source,
        span=topic.span,
        language=language,
        made_by=topic.made_by,
    )


def _topic_question_text(topic: _Topic, language: str) -> str:
    if topic.column:
        template = phrases("cell").get(language, "{row}: {column}?")
        return fill(template, {"row": topic.topic, "column": topic.column})
    if _ASKS.search(topic.topic):
        return topic.topic
    few = len(set(query_terms(topic.topic, language))) < FEW_TERMS
    named = f"{topic.topic} ({topic.within})" if few and topic.within else topic.topic
    return fill(phrases("topic").get(language, "{topic}"), {"topic": named})


def _by_turns(made: Sequence[MadeQuestion]) -> list[MadeQuestion]:
    """Take from each kind in turn, so that a long table does not push out the headings."""
    turns: Counter[str] = Counter()
    placed: list[tuple[int, MadeQuestion]] = []
    for question in made:
        placed.append((turns[question.made_by], question))
        turns[question.made_by] += 1
    return [question for _, question in sorted(placed, key=lambda pair: pair[0])]

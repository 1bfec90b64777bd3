"""Functions of Rove that meet the text of documents, questions and models: each as a call with that text alone."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping

from rove.answer.cite import support, support_block
from rove.answer.claim import numbers as claimed_numbers
from rove.answer.claim import read_claim
from rove.answer.conflict import Statement, difference
from rove.answer.extract import list_candidates
from rove.answer.reply import ReplyParser
from rove.answer.stored import stored_answer
from rove.answer.values import read_values
from rove.answer.verdict import is_quoted, is_same_block
from rove.chunk.cell_tables import tables_in
from rove.chunk.cut import cut_document
from rove.databases.check import check_sql
from rove.enrich.entities import mentions
from rove.enrich.keywords import keywords_in
from rove.enrich.triplets import about_of, triplets_of
from rove.language.bare_topic import bare_topic
from rove.language.block_tree import block_tree
from rove.language.cue_words import asks_for
from rove.language.detect import detect
from rove.language.find_words import find_words
from rove.language.identifiers import spelled_out
from rove.language.matches import matches
from rove.language.names import title_keys
from rove.language.pipe_rows import table_rows
from rove.language.quantities.dates import whole_days
from rove.language.quantities.reader import numbers_in, read_quantities
from rove.language.relative_days import days_in
from rove.language.rendering import render
from rove.language.schema_text import schema_of
from rove.language.sentences import sentence_spans
from rove.language.words import query_terms, terms
from rove.load import LOADERS
from rove.question.reform import leans
from rove.question.wording import telling_words
from rove.records import Chunk, Document, Hit, Source
from rove.references.text_references import heading_number, references
from rove.retrieve.condition import parse_where
from rove.retrieve.question_pairs import pairs_in
from rove.serve.openai.front_ends import asked_in
from rove.serve.redaction import public_text

WORDS = "the head of remote work approves 12 days"
Call = Callable[[str], object]


def _hit(text: str) -> Hit:
    return Hit(Chunk("c", "d", text, (0, len(text)), 0, language="en"), 1.0)


def _document(text: str) -> Document:
    return Document("d", "d.md", "markdown", text)


def _read_reply(text: str) -> None:
    parser = ReplyParser("en")
    for start in range(0, len(text), 50):
        parser.feed(text[start : start + 50])
    parser.close()


def _loaded(kind: str, before: str = "", after: str = "") -> Call:
    def load(text: str) -> None:
        data = f"{before}{text}{after}".encode("utf-8", "surrogatepass")
        deque(LOADERS.get(kind)().load(Source(f"/a.{kind}", f"a.{kind}", data, kind)), 0)

    return load


CALLS: Mapping[str, Call] = {
    "render": render,
    "block_tree": block_tree,
    "table_rows": lambda text: deque(table_rows(text), 0),
    "sentences": lambda text: sentence_spans(text, "en"),
    "terms en": lambda text: terms(text, "en"),
    "terms zh": lambda text: terms(text, "zh"),
    "query_terms": lambda text: query_terms(text, "de"),
    "title_keys": lambda text: title_keys(text, "en"),
    "numbers": lambda text: numbers_in(text, "en"),
    "dates": lambda text: whole_days(text, "hu", "2024-01-01"),
    "detect": detect,
    "find_words": lambda text: deque(find_words(text, WORDS), 0),
    "found words": lambda text: deque(find_words(text, text[:200]), 0),
    "bare_topic": bare_topic,
    "asks_for": lambda text: asks_for(text, "en"),
    "spelled_out": spelled_out,
    "matches": lambda text: matches(text, WORDS, "en", "en"),
    "schema_of": schema_of,
    "schema_of short": lambda text: schema_of(f"table a in database b; columns: {text}"),
    "schema_of created": lambda text: schema_of(f"CREATE TABLE a ({text})"),
    "cut markdown": lambda text: cut_document(_document(text)),
    "cut sentence": lambda text: cut_document(_document(text), strategy="sentence"),
    "cut paragraph": lambda text: cut_document(_document(text), strategy="paragraph"),
    "cut outline": lambda text: cut_document(_document(text), strategy="outline"),
    "cut recursive": lambda text: cut_document(_document(text), strategy="recursive"),
    "cell tables": lambda text: deque(tables_in(_document(text)), 0),
    "mentions": lambda text: mentions(text, "en"),
    "keywords": keywords_in,
    "about_of": about_of,
    "triplets en": lambda text: triplets_of(text, "en", (0, len(text))),
    "triplets zh": lambda text: triplets_of(text, "zh", (0, len(text))),
    "triplets ja": lambda text: triplets_of(text, "ja", (0, len(text))),
    "support": lambda text: support(WORDS, text, "en"),
    "supported": lambda text: support(text, WORDS, "en"),
    "support_block": lambda text: support_block(text, text, language="en"),
    "read_claim": lambda text: read_claim(text, "en"),
    "claimed numbers": lambda text: claimed_numbers(text, "zh"),
    "read_values en": lambda text: read_values(text, "en"),
    "read_values zh": lambda text: read_values(text, "zh"),
    "difference": lambda text: difference(WORDS, Statement(text, "en"), Statement(f"{text} 13", "en")),
    "candidates": lambda text: list_candidates(WORDS, [_hit(text)], "en"),
    "stored_answer": lambda text: stored_answer(WORDS, [_hit(text)], "en", equal=True),
    "is_quoted": lambda text: is_quoted(text, text, "en"),
    "is_same_block": lambda text: is_same_block(text, text),
    "reply": _read_reply,
    "checked": lambda text: check_sql(f"SELECT {text[:19_000]}", "sqlite", (), max_rows=9),
    "condition": lambda text: parse_where((f"a={text[:30_000]}",)),
    "pairs_in": pairs_in,
    "leans": lambda text: leans(text, "en"),
    "telling_words": lambda text: telling_words(text, "en"),
    "asked_in": asked_in,
    "public_text": public_text,
    "days_in": lambda text: days_in(text, "en", "2024-01-01"),
    "quantities": lambda text: read_quantities(text, "en"),
    "references": references,
    "heading_number": heading_number,
    "load markdown": _loaded("markdown"),
    "load front matter": _loaded("markdown", "---\n", "\n---\nText.\n"),
    "load html": _loaded("html", "<p>", "</p>"),
    "load csv": _loaded("csv", "a,b\n", "\n1,2\n"),
    "load json": _loaded("json", '{"a": "', '"}'),
    "load eml": _loaded("eml", "Subject: a\nFrom: a@b.c\n\n"),
    "load eml head": _loaded("eml", "Subject: ", "\nFrom: a@b.c\n\nText.\n"),
    "load rtf": _loaded("rtf", r"{\rtf1 ", "}"),
    "load rst": _loaded("rst"),
}  # fmt: skip
"""By name. What a call refuses with a typed error or a ValueError it has read all the same."""

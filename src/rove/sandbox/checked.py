"""What a reading process says, held against the job that it was given: a parser may have been taken over.

Names, labels and the place of a source are the job's. What a process sends is text with spans in it, and fields;
a document is named after its source, so that none can stand in the place of another's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from rove.language.schema_text import SCHEMA
from rove.load.discover import Location
from rove.load.text import clean
from rove.prepare import Recipe
from rove.records import Chunk, Document, PageRead, Prepared, SourceEnd, content_hash, vector_key
from rove.records.chunk import chunk_id
from rove.records.filter import BUILT_IN_NAMES
from rove.records.ledger import OUTCOMES
from rove.records.metadata import stored_fields
from rove.records.source import Metadata

REASON = "{source} was not read: its parser sent what is not of this source ({what})."
CURE = "Do not open it elsewhere unless you trust it; if you do, save it again with its own program, and report this."
HEX = re.compile(r"[0-9a-f]*")
NAME = re.compile(r"[\w.+-]{0,64}")
MOST_FIELDS = 10_000
MOST_FIELD_CHARS = 10_000_000
MOST_NAME_CHARS = 100_000
MOST_REASON_CHARS = 100_000
MOST_PAGES = 1_000_000
MOST_PICTURE_BYTES = 50_000_000
MOST_SHOWN = 200
SPARE = 10_000
"""So much longer than its text a list about it, or a list of its words, may be."""
WORDS_PER_CHAR = 64


class NotOfTheSourceError(Exception):
    """A reading process has sent what it was not asked for."""


class CheckedSources:
    """The sources that a process has been given, in turn: each item is checked against the one that is being read."""

    def __init__(self, jobs: Sequence[tuple[Location, str]], recipe: Recipe) -> None:
        self.jobs, self.recipe = jobs, recipe
        self.ended = self.asked = self._documents = self._chars = self._pages = 0
        """`ended`: sources that have; `asked`: what the process has asked for the one that is read."""

    def check(self, item: Prepared | PageRead | SourceEnd) -> None:
        """See that an item is of the source that is read, and within bounds.

        Raises:
            NotOfTheSourceError: it is not.
        """
        _reject_unless(self.ended < len(self.jobs), "more sources than it was given")
        location, known = self.jobs[self.ended]
        if isinstance(item, Prepared):
            self._documents += 1
            self._chars += len(item.document.text)
            _reject_unless(self._chars <= self.recipe.max_text_chars, "more text than one source may hold")
            _check_prepared(item, location, self.recipe)
        elif isinstance(item, PageRead):
            self._pages += 1
            _reject_unless(item.source == location.uri and self._pages <= MOST_PAGES, "a page of another source")
            _reject_unless(0 <= item.page <= MOST_PAGES and 0 <= item.pages <= MOST_PAGES, "pages without end")
            _reject_unless(
                len(item.transcript) <= MOST_PICTURE_BYTES and len(item.digest) <= MOST_REASON_CHARS, "a huge page"
            )
        else:
            _check_end(item, location, known, self._documents)
            self.ended += 1
            self.asked = self._documents = self._chars = self._pages = 0

    def refused(self, error: Exception) -> list[SourceEnd]:
        """The end of the source that is being read, whose parser has sent what it should not; [] where none is."""
        if self.ended == len(self.jobs):
            return []
        location = self.jobs[self.ended][0]
        self.ended += 1
        reason = REASON.format(source=location.uri, what=str(error)[:MOST_SHOWN])
        return [SourceEnd(location.uri, location.kind, "", "damaged", reason, CURE)]


def _reject_unless(holds: object, what: str) -> None:
    if not holds:
        raise NotOfTheSourceError(what)


def _check_end(end: SourceEnd, location: Location, known: str, documents: int) -> None:
    _reject_unless(end.source == location.uri, "the end of another source")
    _reject_unless(not end.outcome or end.outcome in OUTCOMES, "an outcome that there is not")
    _reject_unless(end.kind == location.kind or NAME.fullmatch(end.kind), "a kind that is none")
    _reject_unless(HEX.fullmatch(end.fingerprint), "a fingerprint that is none")
    _reject_unless(len(end.reason) + len(end.cure) <= MOST_REASON_CHARS, "an endless reason")
    _reject_unless(not end.unchanged or (known and end.fingerprint == known), "that it is as it was, which it is not")
    _reject_unless(documents or end.outcome or end.unchanged, "an end without a document")


def _check_prepared(item: Prepared, location: Location, recipe: Recipe) -> None:
    document = item.document
    _check_document_identity(item, document, location)
    fixed = _fields_from_caller(location, recipe)
    _check_fields(document.metadata, fixed)
    _check_layout(document)
    _reject_unless(item.fingerprint == content_hash(recipe.pipeline, item.version), "a fingerprint of something else")
    _reject_unless(len(item.chunks) <= len(document.text) + 1, "more chunks than text")
    _reject_unless(len(item.names) in (0, len(item.chunks)), "names of other chunks")
    for chunk, terms, key in zip(item.chunks, item.terms, item.vector_keys, strict=True):
        _check_chunk(chunk, document, item.version)
        _reject_unless(key == vector_key(recipe.model, chunk.indexed_text), "the vector of another text")
        _reject_unless(len(terms) <= WORDS_PER_CHAR * len(chunk.indexed_text) + SPARE, "endless words")
        if chunk.metadata is not document.metadata:
            _check_fields(chunk.metadata, fixed)
    _reject_unless(sum(map(len, item.names)) <= WORDS_PER_CHAR * len(document.text) + SPARE, "endless names")


def _check_document_identity(item: Prepared, document: Document, location: Location) -> None:
    """A document is named after the place where it lies within its source, or has the id that the caller chose."""
    own, place = clean(location.uri), document.source
    given = location.text.id if location.text else ""
    _reject_unless(item.ledger_source == location.uri, "a document of another source")
    _reject_unless(place in (location.uri, own) or place.startswith((f"{location.uri}#", f"{own}#")), "another place")
    part = place[len(own if place.startswith(own) else location.uri) :]
    _reject_unless(
        document.document_id in (place, given + part if given else place)
        or document.document_id == content_hash(place)  # most have one of these: the second is seldom worked out
        or document.document_id == content_hash(SCHEMA, place),
        "the id of another document",
    )
    _reject_unless(
        NAME.fullmatch(document.kind) and NAME.fullmatch(document.language), "a kind or language that is none"
    )
    title = clean(location.text.title) if location.text else ""
    _reject_unless(document.title == title if title else len(document.title) <= MOST_NAME_CHARS, "another title")
    _reject_unless(
        not item.origin or (len(item.origin) == 64 and HEX.fullmatch(item.origin)), "an original that is none"
    )
    _reject_unless(not item.origin or place == location.uri, "the original of another source")
    _reject_unless(len(item.signature) <= SPARE, "an endless signature")


def _fields_from_caller(location: Location, recipe: Recipe) -> Metadata:
    """The fields that whoever adds the source gives it: its labels too. A list of keywords is cut up as it is read."""
    given = stored_fields(location.text.metadata if location.text else location.metadata)
    return {name: value for name, value in given.items() if name not in recipe.keyword_fields}


def _check_fields(fields: Metadata, fixed: Mapping[str, object]) -> None:
    _reject_unless(len(fields) <= MOST_FIELDS, "fields without end")
    _reject_unless(BUILT_IN_NAMES.isdisjoint(fields), "a field of the system's")
    _reject_unless(stored_fields(fields) == fields, "a field that cannot be kept")
    chars = sum(len(name) + (len(value) if isinstance(value, str) else 0) for name, value in fields.items())
    _reject_unless(chars <= MOST_FIELD_CHARS, "endless fields")
    for name, value in fixed.items():
        _reject_unless(fields.get(name) == value, f"another {name[:40]!r} than it was given")


def _check_layout(document: Document) -> None:
    size = len(document.text)
    _reject_unless("\0" not in document.text, "text that no store can keep")
    parts: tuple[Sequence[object], ...] = (document.sections, document.pages, document.blocks, document.boxes)
    _reject_unless(all(len(part) <= size + SPARE for part in parts), "more parts than text")
    spans = (
        part.span for some in (document.sections, document.pages, document.blocks, document.boxes) for part in some
    )
    _check_spans(spans, size)
    _reject_unless(
        all(len(block.caption) + len(block.kind) <= size + SPARE for block in document.blocks), "endless captions"
    )
    _reject_unless(all(len(one.title) <= size + SPARE for one in document.sections), "endless headings")
    _reject_unless(all(0 <= page.number <= MOST_PAGES for page in document.pages), "pages without end")


def _check_spans(spans: Iterable[tuple[int, int]], size: int) -> None:
    for start, end in spans:
        _reject_unless(0 <= start <= end <= size, "a place that is not in its text")


def _check_chunk(chunk: Chunk, document: Document, version: str) -> None:
    places = (chunk.span, chunk.parent) if chunk.parent else (chunk.span,)
    _check_spans(places, len(document.text))
    _reject_unless(NAME.fullmatch(chunk.kind), "a kind that is none")
    _reject_unless(chunk.page is None or 0 <= chunk.page <= MOST_PAGES, "pages without end")
    _reject_unless(len(chunk.prefix) <= len(document.text) + MOST_NAME_CHARS, "an endless prefix")
    _reject_unless(sum(map(len, chunk.headings)) <= len(document.text) + MOST_NAME_CHARS, "endless headings")
    _reject_unless(
        chunk.chunk_id == chunk_id(document.document_id, version, chunk.span, chunk.kind), "the id of another passage"
    )

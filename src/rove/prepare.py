"""Stages 1 and 2 and what of 3 needs no model: a source is read, cut, and its words analysed. Pure: nothing is kept.

It runs in the process that asked for sources that our own code reads, and in `rove.sandbox` for all others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from pathlib import PurePath
from shutil import which

from rove.chunk import CutSettings
from rove.chunk.cell_tables import described_sheets
from rove.chunk.cut import cut_by, strategy_for
from rove.chunk.label import HEADINGS, label_of
from rove.chunk.template import by_template
from rove.enrich.entities import chunk_names
from rove.enrich.keywords import KEYWORD_FIELDS, with_keywords
from rove.enrich.terms import chunk_terms, with_names_spelled_out
from rove.errors import ConfigError, InputError
from rove.language.schema_text import SCHEMA
from rove.load import DRAWN, PICTURED, PLAYED, SUFFIXES, LoadOptions
from rove.load.discover import DATABASE, DATABASE_SCHEMA, Location, load_documents, read_place
from rove.load.finish import finish_documents
from rove.load.image.ocr import AUTO, reader_of
from rove.load.limits import OutOfTime
from rove.load.transcripts import MAX_S, Transcripts
from rove.records import Chunk, Document, Prepared, Source, SourceEnd, content_hash, vector_key
from rove.records.filter import BUILT_IN, RENAMED
from rove.records.moment import RECORDED, TIMES, Speech, packed_times
from rove.records.source import FOLDER, Metadata
from rove.registry import load

TAKEN = frozenset(RENAMED + name for name in BUILT_IN)
"""Fields that a file has brought under a name of the system's."""
MAX_REASON_CHARS = 2_000
TESSERACT = "tesseract"
SHOWN = DRAWN | PICTURED | PLAYED
"""Kinds of files that are shown, or played, themselves."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How sources are read and cut: what of the settings a reading process needs to know, and no secret.

    `model` is the embedder's fingerprint; `pipeline` hashes all that decides what comes out of the same bytes. `limits`
    says all that a source may use up: what they cut short is read again once they, or the program that reads pictures,
    are others. `convert`: LibreOffice is there, and is asked for what no loader reads. `transcriber`, `spoken`: see
    `LoadOptions`. `deferred` are the strategies
    that are left to where the models are; `prefix` and `labels`: see `chunk.label`, `template`: see
    `chunk.template`. In the metadata `keyword_fields` a text is a list of keywords.
    """

    model: str
    pipeline: str
    max_file_bytes: int = 256_000_000
    max_text_chars: int = 256_000_000
    max_rows: int = 100_000
    keep_boilerplate: bool = False
    ocr: str = AUTO
    convert: bool = False
    transcriber: str = ""
    spoken: str = ""
    max_ocr_s: float = MAX_S
    limits: str = ""
    strategy: Mapping[str, str] = field(default_factory=dict[str, str])
    cut: CutSettings = field(default_factory=CutSettings)
    prefix: str = HEADINGS
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    template: str = ""
    keyword_fields: tuple[str, ...] = KEYWORD_FIELDS
    deferred: tuple[str, ...] = ()
    sign: bool = False


class Preparer:
    """Reads sources by one recipe."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.options = LoadOptions(
            keep_boilerplate=recipe.keep_boilerplate,
            ocr=recipe.ocr,
            transcriber=recipe.transcriber,
            spoken=recipe.spoken,
        )

    def read(
        self,
        location: Location,
        known: str = "",
        *,
        kinds: Collection[str] | None = None,
        transcripts: Transcripts | None = None,
        convert: Callable[[Source], Source] | None = None,
        transcribe: Callable[[Source], Speech] | None = None,
    ) -> Iterator[Prepared | SourceEnd]:
        """Read one source: its documents as they come, and how it ended last. Nothing that a file holds raises.

        `known` is the fingerprint of what is live of it; where the source still has it, nothing is read. A source that
        turns out to be of another kind than `kinds` yields nothing. `transcripts` is told of what OCR reads, and of
        what is heard. `convert` is asked for what no loader reads, where the recipe says so; `transcribe` sends a
        recording to an endpoint.
        """
        kind, fingerprint, origin = location.kind, "", ""
        try:
            if location.kind == DATABASE_SCHEMA:
                describe = load("rove.load.data.table_schemas:schema_documents")
                documents = finish_documents(
                    describe(location.address), Source(location.uri, location.name, b"", SCHEMA)
                )
            elif location.kind == DATABASE:
                read_database = load("rove.load.data.database:database_documents")
                tables = read_database(location.address, max_rows=self.recipe.max_rows)
                documents = finish_documents(tables, Source(location.uri, location.name, b"", DATABASE))
            else:
                source = read_place(location, max_bytes=self.recipe.max_file_bytes)
                if kinds is not None and source.kind not in kinds:
                    return
                kind, fingerprint = source.kind, self.fingerprint(source)
                if known and (known == fingerprint or known == self._in_part(fingerprint)):
                    yield SourceEnd(location.uri, kind, known, unchanged=True)
                    return
                convert = convert if self.recipe.convert else None
                options = replace(self.options, transcripts=transcripts, convert=convert, transcribe=transcribe)
                documents = load_documents(source, options)
                if location.is_schema:
                    described = described_sheets(documents, location.uri, location.database)
                    documents = finish_documents(described, replace(source, kind=SCHEMA))
                origin = sha256(source.data).hexdigest() if source.kind in SHOWN else ""
            remark = yield from self._prepared(documents, location, origin)
            end = SourceEnd(location.uri, kind, fingerprint, reason=remark)
        except (InputError, ConfigError, OutOfTime, MemoryError) as error:
            end = failed(location, kind, self._in_part(fingerprint), error)
        yield end

    def _prepared(
        self, documents: Iterator[Document], location: Location, origin: str
    ) -> Generator[Prepared, None, str]:
        """Prepare the documents of one source, whose bytes hash to `origin`; returns the loader's remark."""
        found = chars = 0
        renamed: set[str] = set()
        while True:
            try:
                document = next(documents)
            except StopIteration as done:
                if found:
                    return " ".join(filter(None, [str(done.value or ""), renamed_remark(renamed)]))
                message = f"{location.uri} holds no text."
                raise InputError(message, cure="Check that it is the right file.", outcome="empty") from None
            found += 1
            renamed.update(TAKEN.intersection(document.metadata))
            if location.folder and FOLDER not in document.metadata:
                document = replace(document, metadata={**document.metadata, FOLDER: location.folder})
            document = with_keywords(document, self.recipe.keyword_fields)
            chars += len(document.text)
            if chars > self.recipe.max_text_chars:
                message = f"{location.uri} holds more than {self.recipe.max_text_chars} characters of text."
                cure = "Split it, or raise load.max_file_mb in the settings above its millions of characters."
                raise InputError(message, cure=cure, outcome="too-large")
            made = self.prepare(document, location.uri)
            is_shown = bool(document.pages) or document.kind in PICTURED | PLAYED
            yield replace(made, origin=origin) if origin and is_shown and document.source == location.uri else made

    def fingerprint(self, source: Source) -> str:
        """Hash all that decides what comes out of a source."""
        said = source_traits(source.kind, source.title, source.document_id, source.metadata)
        return content_hash(self.recipe.pipeline, source.all_bytes, said)

    def _in_part(self, fingerprint: str) -> str:
        """Hash all that decides how much of a source was read before something cut it short."""
        if not fingerprint:
            return ""
        reader = reader_of(self.recipe.ocr)
        return content_hash(fingerprint, self.recipe.limits, _program(), reader.identity() if reader else "")

    def prepare(self, document: Document, ledger_source: str) -> Prepared:
        """Cut a document into chunks and give them their terms, their names and the keys of their vectors.

        Where its strategy is a deferred one it stays uncut.
        """
        chunks = () if self.deferred(document) else self._cut(document)
        return self.with_chunks(document, ledger_source, chunks)

    def deferred(self, document: Document) -> str:
        """The strategy by which a document is cut where the models are, "" where it is cut here."""
        strategy = self._chosen(document)
        return strategy if strategy in self.recipe.deferred else ""

    def with_chunks(self, document: Document, ledger_source: str, chunks: Sequence[Chunk]) -> Prepared:
        """Return the document with these chunks, and what belongs to them."""
        recipe = self.recipe
        if document.kind == SCHEMA and recipe.prefix == HEADINGS:
            chunks = [with_names_spelled_out(chunk) for chunk in chunks]
        if document.kind in RECORDED:
            chunks = [_with_times(chunk, document) for chunk in chunks]
        chunks = by_template(chunks, recipe.template)
        return Prepared(
            ledger_source,
            content_hash(recipe.pipeline, document.version),
            document,
            chunks,
            [chunk_terms(chunk) for chunk in chunks],
            [vector_key(recipe.model, chunk.indexed_text) for chunk in chunks],
            names=[chunk_names(chunk) for chunk in chunks],
            version=document.version,
        )

    def _chosen(self, document: Document) -> str:
        """The strategy that the settings name for a document, by the narrowest type that it has; "" for none."""
        chosen = self.recipe.strategy
        return next((chosen[name] for name in types_of(document) if name in chosen), "") if chosen else ""

    def _cut(self, document: Document) -> Sequence[Chunk]:
        recipe = self.recipe
        strategy = strategy_for(document.kind, self._chosen(document))
        label = label_of(document, recipe.prefix, recipe.labels)
        if label is None:
            return cut_by(strategy, document, recipe.cut)
        room = label.room(recipe.cut.size_chars)
        settings = replace(recipe.cut, size_chars=room, overlap_chars=min(recipe.cut.overlap_chars, room // 2))
        return label.put_on(cut_by(strategy, document, settings))


def _with_times(chunk: Chunk, document: Document) -> Chunk:
    times = packed_times(document, chunk.span)
    return replace(chunk, metadata={**chunk.metadata, TIMES: times}) if times else chunk


def source_traits(kind: str, title: str, document_id: str, metadata: Metadata) -> str:
    """Write down what of a source beside its bytes decides what comes out of it."""
    return repr((kind, title, document_id, sorted(metadata.items())))


def types_of(document: Document) -> tuple[str, ...]:
    """The types of a document that settings can name, the narrowest first: by where it came from, then its kind.

    >>> types_of(Document("d", "https://a.eu/x", "html", "…")), types_of(Document("d", "/a/x.log", "text", "…"))
    (('url', 'html'), ('txt', 'text'))
    """
    origin: tuple[str, ...] = ("url",) if document.source.startswith(("http://", "https://")) else ()
    if document.kind == "text" and not origin:
        origin = ("txt",) if SUFFIXES.get(PurePath(document.source).suffix.lower()) == "text" else ("string",)
    return (*origin, document.kind)


def renamed_remark(names: Collection[str]) -> str:
    """Say which of these fields of a source have another name than in the file; "" where none has."""
    renamed = TAKEN.intersection(names)
    if not renamed:
        return ""
    told = ", ".join(repr(name) for name in sorted(renamed))
    return f"Fields are kept as {told}: their own names are those of what every document has."


@cache
def _program() -> str:
    """Where tesseract is, "" where there is none: one at another place may read what the first could not."""
    return which(TESSERACT) or ""


def failed(location: Location, kind: str, fingerprint: str, error: BaseException) -> SourceEnd:
    """Say in the ledger's words why a source was not read, or not to its end."""
    match error:
        case InputError():
            outcome, reason, cure = error.outcome, error.reason, error.cure
        case ConfigError():  # an extra that is not installed, or a strategy that does not fit this document
            outcome, reason, cure = "unsupported", error.reason, error.cure
        case OutOfTime():
            outcome, reason = "too-slow", f"{location.uri} took more time to read than one source may."
            cure = "Split it, or raise load.max_cpu_s in the settings."
        case _:
            outcome, reason = "too-large", f"{location.uri} needs more memory to read than one source may."
            cure = "Split it, or raise load.max_memory_mb in the settings."
    if len(reason) > MAX_REASON_CHARS:
        reason = f"{reason[:MAX_REASON_CHARS]} …"
    return SourceEnd(location.uri, kind, fingerprint, outcome, reason, cure)

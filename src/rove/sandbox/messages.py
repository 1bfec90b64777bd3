"""What goes through the pipes: plain, typed values in MessagePack, never pickles, since a parser may be compromised.

A frame is its length and the number of sources that end in it (two 32-bit words), then the message. `ASKS` in place of
that number: the message is a question, see `rove.sandbox.asking`.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import msgspec

from rove.errors import ServiceError
from rove.load.discover import Location
from rove.prepare import Recipe
from rove.records import Block, Chunk, Document, Page, PageRead, Prepared, Section, SourceEnd, Text
from rove.records.boxes import pack_boxes, unpack_boxes
from rove.records.source import MetaValue
from rove.sandbox import Limits

HEADER = struct.Struct("=II")
MAX_FRAME_BYTES = 2_000_000_000
ASKS = 0xFFFF_FFFF
Span = tuple[int, int]
Meta = dict[str, str | int | float | bool | tuple[str, ...]]


class Task(msgspec.Struct, array_like=True):
    """A source to read: `Location`, the fingerprint of what is live of it, and what OCR has said of its pictures."""

    uri: str
    name: str
    kind: str
    path: bytes | None
    text: Text | None
    data: bytes | None
    metadata: Meta
    known: str
    transcripts: dict[str, bytes]
    folder: str = ""

    @classmethod
    def of(cls, location: Location, known: str, transcripts: Mapping[str, bytes]) -> Task:
        """Write a location down."""
        path = os.fsencode(location.path) if location.path else None
        text, data, metadata = location.text, location.data, dict(location.metadata)
        return cls(
            location.uri,
            location.name,
            location.kind,
            path,
            text,
            data,
            metadata,
            known,
            dict(transcripts),
            location.folder,
        )

    @property
    def location(self) -> Location:
        """Read the location back."""
        path = Path(os.fsdecode(self.path)) if self.path else None
        return Location(
            self.uri,
            self.name,
            self.kind,
            path,
            self.text,
            data=self.data,
            metadata=self.metadata,
            folder=self.folder,
        )


class Work(msgspec.Struct, array_like=True):
    """What is to be read, and how."""

    recipe: Recipe
    tasks: list[Task]


class _Chunk(msgspec.Struct, array_like=True):
    """`metadata` is None where it is the document's own."""

    chunk_id: str
    start: int
    end: int
    kind: str
    prefix: str
    headings: tuple[str, ...]
    page: int | None
    metadata: Meta | None
    parent: Span | None
    terms: str
    vector_key: str


class _Document(msgspec.Struct, array_like=True, tag=1):
    ledger_source: str
    fingerprint: str
    document_id: str
    source: str
    kind: str
    text: str
    title: str
    language: str
    metadata: Meta
    sections: list[tuple[str, int, int, int]]
    pages: list[tuple[int, int, int]]
    blocks: list[tuple[str, int, int, str]]
    boxes: bytes
    chunks: list[_Chunk]
    signature: bytes
    names: list[str]
    origin: str
    version: str


class _End(msgspec.Struct, array_like=True, tag=2):
    source: str
    kind: str
    fingerprint: str
    outcome: str
    reason: str
    cure: str
    unchanged: bool


class _Page(msgspec.Struct, array_like=True, tag=3):
    source: str
    digest: str
    transcript: bytes
    page: int
    pages: int


Item = _Document | _End | _Page
encoder = msgspec.msgpack.Encoder()
_items = msgspec.msgpack.Decoder(list[Item])
_work = msgspec.msgpack.Decoder(Work)
_limits = msgspec.msgpack.Decoder(Limits)


@dataclass(frozen=True, slots=True)
class PipeMessage:
    """One message, and how many sources end in it."""

    message: bytes
    ended: int = 0


def write_frame(pipe: BinaryIO, message: bytes, *, ended: int = 0) -> None:
    """Send one frame."""
    pipe.write(HEADER.pack(len(message), ended))
    pipe.write(message)
    pipe.flush()


def read_frame(pipe: BinaryIO) -> PipeMessage | None:
    """Receive one frame; None where the other side has gone, if amid a frame.

    Raises:
        ServiceError: the frame says that it is larger than any can be.
    """
    header = _exactly(pipe, HEADER.size)
    if header is None:
        return None
    length, ended = HEADER.unpack(header)
    if length > MAX_FRAME_BYTES:
        message = f"A reading process sent a message of {length} bytes."
        raise ServiceError(message, cure="Run the same again.")
    message = _exactly(pipe, length)
    return None if message is None else PipeMessage(message, ended)


def _exactly(pipe: BinaryIO, count: int) -> bytes | None:
    """Read so many bytes, also from a pipe that gives what it has; None where it ends before."""
    parts: list[bytes] = []
    while count and (part := pipe.read(count)):
        parts.append(part)
        count -= len(part)
    return None if count else b"".join(parts)


def limits_of(message: bytes) -> Limits:
    """Read the first message to a reading process."""
    return _limits.decode(message)


def work_of(message: bytes) -> Work:
    """Read every later one."""
    return _work.decode(message)


def pack(item: Prepared | PageRead | SourceEnd, signature: bytes = b"") -> Item:
    """Write down what was read, a document with its signature."""
    if isinstance(item, PageRead):
        return _Page(item.source, item.digest, item.transcript, item.page, item.pages)
    if isinstance(item, SourceEnd):
        end = item
        return _End(end.source, end.kind, end.fingerprint, end.outcome, end.reason, end.cure, end.unchanged)
    document = item.document
    metadata = dict(document.metadata)
    chunks = [
        _Chunk(
            chunk.chunk_id,
            *chunk.span,
            chunk.kind,
            chunk.prefix,
            chunk.headings,
            chunk.page,
            None if chunk.metadata is document.metadata else dict(chunk.metadata),
            chunk.parent,
            terms,
            key,
        )
        for chunk, terms, key in zip(item.chunks, item.terms, item.vector_keys, strict=True)
    ]
    return _Document(
        item.ledger_source,
        item.fingerprint,
        document.document_id,
        document.source,
        document.kind,
        document.text,
        document.title,
        document.language,
        metadata,
        [(s.title, s.level, *s.span) for s in document.sections],
        [(p.number, *p.span) for p in document.pages],
        [(b.kind, *b.span, b.caption) for b in document.blocks],
        pack_boxes(document.boxes),
        chunks,
        signature or item.signature,
        list(item.names),
        item.origin,
        item.version,
    )


def unpack(message: bytes) -> list[Prepared | PageRead | SourceEnd]:
    """Read back what was read.

    Raises:
        msgspec.DecodeError: the message is not what a reading process sends.
    """
    return list(unpacked(message))


def unpacked(message: bytes) -> Iterator[Prepared | PageRead | SourceEnd]:
    """See `unpack`; one after the other, so that what comes before a fault is read."""
    return map(_unpack_message_item, _items.decode(message))


def _unpack_message_item(item: Item) -> Prepared | PageRead | SourceEnd:
    match item:
        case _Document():
            return _unpack_prepared_document(item)
        case _Page():
            return PageRead(item.source, item.digest, item.transcript, item.page, item.pages)
        case _End():
            return _unpack_source_end(item)


def _unpack_source_end(end: _End) -> SourceEnd:
    return SourceEnd(end.source, end.kind, end.fingerprint, end.outcome, end.reason, end.cure, end.unchanged)


def _unpack_prepared_document(item: _Document) -> Prepared:
    metadata: dict[str, MetaValue] = item.metadata
    document = Document(
        item.document_id,
        item.source,
        item.kind,
        item.text,
        item.title,
        item.language,
        metadata,
        tuple(Section(title, level, (start, end)) for title, level, start, end in item.sections),
        tuple(Page(number, (start, end)) for number, start, end in item.pages),
        tuple(Block(kind, (start, end), caption) for kind, start, end, caption in item.blocks),
        unpack_boxes(item.boxes, len(item.text)),
    )
    return Prepared(
        item.ledger_source,
        item.fingerprint,
        document,
        _unpack_document_chunks(item, document),
        [chunk.terms for chunk in item.chunks],
        [chunk.vector_key for chunk in item.chunks],
        item.signature,
        item.names,
        item.origin,
        item.version,
    )


def _unpack_document_chunks(item: _Document, document: Document) -> Sequence[Chunk]:
    text, document_id, language, metadata = document.text, document.document_id, document.language, document.metadata
    return [
        Chunk(
            chunk.chunk_id,
            document_id,
            text[chunk.start : chunk.end],
            (chunk.start, chunk.end),
            position,
            chunk.kind,
            chunk.prefix,
            chunk.headings,
            chunk.page,
            language,
            metadata if chunk.metadata is None else chunk.metadata,
            chunk.parent,
        )
        for position, chunk in enumerate(item.chunks)
    ]

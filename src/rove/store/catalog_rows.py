"""Between records and the catalog's rows: how metadata, sections and pages are written down."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import isfinite
from types import MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Row

from rove.errors import ConfigError
from rove.language.names import JOINT, title_keys
from rove.records import Block, Chunk, Document, DocumentInfo, Page, Prepared, Section
from rove.records.boxes import pack_boxes, unpack_boxes
from rove.records.document import Box
from rove.records.metadata import LARGEST, SMALLEST, stored_fields
from rove.records.source import Metadata, MetaValue
from rove.store import IndexRow, Vector
from rove.store.fixed_point import fixed, floats
from rove.store.presence import CURE

T = TypeVar("T")
SHOWN_CHARS = 40
UNIT_WITHIN = 0.01
"""How far from 1 the length of a vector is that was written as a unit vector, at most."""
TEXTS = frozenset((str,))
UNREADABLE = MappingProxyType({"unreadable": "The metadata cannot be read. Add this document again."})
"""What stands in place of metadata that are damaged."""
AnyRow = Row[*tuple[Any, ...]]


def slices(items: Sequence[T], size: int = 10_000) -> Iterable[Sequence[T]]:
    """Cut a sequence into runs that fit one SQL statement."""
    return (items[i : i + size] for i in range(0, len(items), size))


def column_json(value: object) -> str:
    """Write a value; an empty one is ""."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) if value else ""


def _loads(text: str) -> Any:  # noqa: ANN401 - whatever was written
    """Read a value that `column_json` has written.

    Raises:
        ConfigError: something else stands there now.
    """
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        message = f"The catalog is torn: it holds {text[:SHOWN_CHARS]!r} where JSON was written."
        raise ConfigError(message, cure=CURE) from error


def metadata_of(text: str) -> dict[str, MetaValue]:
    """Read metadata back. What an older Rove, or another program, wrote otherwise becomes what it would be today."""
    if not text:
        return {}
    tree = cast("dict[str, Any]", _loads(text))
    if type(tree) is not dict:
        raise TypeError(text[:SHOWN_CHARS])
    for name, value in tree.items():  # of each hit: quicker than `stored_fields`, which what is here has passed
        kind = type(value)  # pyright: ignore[reportUnknownVariableType] - of JSON
        if kind is list and TEXTS.issuperset(map(type, value)):
            tree[name] = tuple(value)
        elif kind is int or kind is float:
            if not SMALLEST <= value <= LARGEST and (kind is int or not isfinite(value)):
                return stored_fields(tree)
        elif kind is not str and kind is not bool:
            return stored_fields(tree)
    return tree


def enriched(text: str, more: str | None) -> dict[str, MetaValue]:
    """Read metadata back, with what was worked out later, which wins."""
    return {**metadata_of(text), **metadata_of(more)} if more else metadata_of(text)


def readable_metadata(text: str, more: str | None = None) -> dict[str, MetaValue] | None:
    """See `enriched`; None where it cannot be read."""
    try:
        return enriched(text, more)
    except (ConfigError, AttributeError, TypeError):
        return None


def shown_metadata(text: str, more: str | None = None) -> dict[str, MetaValue]:
    """See `enriched`; where it cannot be read, a remark that says so. No field is there then that lets anybody in."""
    found = readable_metadata(text, more)
    return dict(UNREADABLE) if found is None else found


def own_metadata(text: str, common: Metadata) -> Metadata:
    """Read what a chunk has beyond the metadata of its document, and join both; see `shown_metadata`."""
    return shown_metadata(text) if (own := readable_metadata(text)) is None else {**common, **own}


def read_items(text: str, read: Callable[[Any], T]) -> tuple[T, ...]:
    """Read a list that `column_json` has written, item by item.

    Raises:
        ConfigError, TypeError, ValueError: it is damaged.
    """
    items: object = _loads(text) if text else []
    if not isinstance(items, list):
        raise TypeError(text[:SHOWN_CHARS])
    return tuple(map(read, cast("list[Any]", items)))


def _read_items_or_empty(text: str, read: Callable[[Any], T]) -> tuple[T, ...]:
    """See `read_items`; of a list that is damaged, nothing."""
    try:
        return read_items(text, read)
    except (ConfigError, TypeError, ValueError):
        return ()


def _span_of(item: Sequence[object]) -> tuple[int, int]:
    start, end = item
    if type(start) is not int or type(end) is not int:
        raise TypeError(item)
    return start, end


def read_number(value: object) -> int:
    """Take a whole number, as `read_items` asks; else raise TypeError."""
    if type(value) is not int:
        raise TypeError(value)
    return value


def read_text_item(value: object) -> str:
    """Take a text, as `read_items` asks; else raise TypeError."""
    if type(value) is not str:
        raise TypeError(value)
    return value


def read_section(item: Any) -> Section:  # noqa: ANN401 - of JSON
    """Read a section as `document_row` writes it; raises TypeError or ValueError where it is none."""
    title, level, *span = item
    return Section(read_text_item(title), read_number(level), _span_of(span))


def read_page(item: Any) -> Page:  # noqa: ANN401 - of JSON
    """Read a page as `document_row` writes it; raises TypeError or ValueError where it is none."""
    number, *span = item
    return Page(read_number(number), _span_of(span))


def read_block(item: Any) -> Block:  # noqa: ANN401 - of JSON
    """Read a block as `document_row` writes it; raises TypeError or ValueError where it is none."""
    kind, start, end, caption = item
    return Block(read_text_item(kind), _span_of((start, end)), caption)


def _boxes(packed: object) -> tuple[Box, ...]:
    try:
        return unpack_boxes(packed) if isinstance(packed, bytes) else ()
    except ValueError:
        return ()


def _parent(text: str) -> tuple[int, int] | None:
    found = _read_items_or_empty(text, read_number)
    return (found[0], found[1]) if len(found) == 2 else None  # noqa: PLR2004 - a span


def vector_of(blob: bytes) -> Vector:
    """Read a vector: (dimension,) float32. See `vectors_of`."""
    return vectors_of([blob])[0]


def vectors_of(blobs: Sequence[bytes]) -> list[Vector]:
    """Read vectors, (dimension,) float32 each, that have passed `check_vectors`.

    An older Rove wrote them as float32, which is an even number of bytes.
    """
    if all(len(blob) % 2 for blob in blobs) and len(set(map(len, blobs))) < 2:  # noqa: PLR2004 - of one length
        return list(floats(*_vectors_from_fixed_blobs(blobs))) if blobs else []
    return [vector_of(blob) if len(blob) % 2 else np.frombuffer(blob, "<f4") for blob in blobs]


def read_vectors(blobs: Sequence[object], dimension: int, *, zeros: bool = False) -> list[Vector | None]:
    """Read vectors, (dimension,) float32 each; None in place of one that is not as it was written down.

    See `check_vectors`: what is found here costs that vector, and no other. `zeros`: one of nothing but zeros passes,
    which is no text's; it stands for what no embedder could reach.
    """
    if not blobs or not all(isinstance(blob, bytes) and len(blob) == 2 * dimension + 1 for blob in blobs):
        return [vector_of(cast("bytes", blob)) if is_whole(blob, dimension, zeros=zeros) else None for blob in blobs]
    vectors = floats(*_vectors_from_fixed_blobs(cast("Sequence[bytes]", blobs)))
    sound = _are_units(vectors, zeros=zeros)
    if sound.all():
        return list(vectors)
    return [vector if whole else None for vector, whole in zip(vectors, sound.tolist(), strict=True)]


def usual_length(blobs: Sequence[object]) -> int:
    """How many numbers most of these vectors have, as they were written down."""
    sizes = Counter(len(blob) // (2 if len(blob) % 2 else 4) for blob in blobs if isinstance(blob, bytes))
    return sizes.most_common(1)[0][0] if sizes else 0


def _vectors_from_fixed_blobs(blobs: Sequence[bytes]) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    rows = np.frombuffer(b"".join(blobs), np.uint8).reshape(len(blobs), -1)
    return np.ascontiguousarray(rows[:, :-1]).view("<i2"), rows[:, -1].view(np.int8)


def check_vectors(blobs: Sequence[bytes]) -> None:
    """See that vectors are as they were written down: as long as each other, and of unit length, or nothing but zeros.

    Of those that an older Rove wrote, as float32, each number has to be finite.

    Raises:
        ConfigError: one is not.
    """
    try:
        odd, even = ([blob for blob in blobs if len(blob) % 2 == rest] for rest in (1, 0))
        dimensions = {len(blob) // 2 for blob in odd} | {len(blob) / 4 for blob in even}
        units = not odd or bool(_are_units(floats(*_vectors_from_fixed_blobs(odd))).all())
        whole = len(dimensions) <= 1 and 0 not in dimensions and units and _are_finite(even)
    except (TypeError, ValueError):  # no bytes, or a part of a number
        whole = False
    if not whole:
        message = "The catalog is torn: it holds a vector that is cut off, or that is not of numbers."
        raise ConfigError(message, cure=CURE)


def _are_units(vectors: NDArray[np.float32], *, zeros: bool = True) -> NDArray[np.bool_]:
    """Which of these, (n, dimension), are of unit length, or nothing but `zeros`."""
    squares = np.einsum("ij,ij->i", vectors, vectors)
    units = np.abs(squares - 1) < 2 * UNIT_WITHIN
    return units | (squares == 0) if zeros else units


def _are_finite(blobs: Sequence[bytes]) -> bool:
    return bool(np.isfinite(np.frombuffer(b"".join(blobs), "<f4")).all())


def is_whole(blob: object, dimension: int, *, zeros: bool = True) -> bool:
    """Say whether what stands in a vector's place is one of so many numbers, as `check_vectors` does of many.

    >>> is_whole(blob_of(np.array([0.6, 0.8])), 2), is_whole(bytes(7), 2), is_whole("text", 2)
    (True, False, False)
    """
    if not isinstance(blob, bytes) or not dimension or len(blob) not in {2 * dimension + 1, 4 * dimension}:
        return False
    if len(blob) % 2:
        return bool(_are_units(floats(*_vectors_from_fixed_blobs([blob])), zeros=zeros).all())
    return _are_finite([blob]) and (zeros or any(blob))


def blob_of(vector: Vector) -> bytes:
    """Write a vector down: its codes, little-endian, and its exponent. See `rove.store.fixed_point`."""
    return blobs_of(np.asarray(vector, np.float32)[None])[0]


def blobs_of(vectors: NDArray[np.float32]) -> list[bytes]:
    """Write vectors down, (n, dimension) float32. See `blob_of`."""
    codes, exponents = fixed(vectors)
    rows = np.column_stack([codes.astype("<i2").view(np.uint8), exponents.view(np.uint8)])
    return [row.tobytes() for row in rows]


def document_row(item: Prepared, seq: int, *, added_at: str) -> tuple[object, ...]:
    """Write a document down in the order of the table's columns, not live yet."""
    document = item.document
    return (
        seq,
        document.document_id,
        document.version,
        item.fingerprint,
        item.ledger_source,
        document.source,
        document.kind,
        document.title,
        document.language,
        column_json(dict(document.metadata)),
        column_json([[s.title, s.level, *s.span] for s in document.sections]),
        column_json([[p.number, *p.span] for p in document.pages]),
        len(item.chunks),
        added_at,
        0,
        column_json([[b.kind, *b.span, b.caption] for b in document.blocks]),
        item.signature or None,
    )


def text_row(document: Document, seq: int) -> tuple[object, ...]:
    """Write down what of a document is read one document at a time."""
    return seq, document.text, pack_boxes(document.boxes) or None


def document_of(row: AnyRow, text: str, boxes: bytes | None) -> Document:
    """Read a document back whole."""
    return Document(
        document_id=row.document_id,
        source=row.source,
        kind=row.kind,
        text=text,
        title=row.title,
        language=row.language,
        metadata=shown_metadata(row.metadata, row.enriched),
        sections=_read_items_or_empty(row.sections, read_section),
        pages=_read_items_or_empty(row.pages, read_page),
        blocks=_read_items_or_empty(row.blocks, read_block),
        boxes=_boxes(boxes),
    )


def document_info(row: AnyRow) -> DocumentInfo:
    """Read one line of the list of documents."""
    return DocumentInfo(
        document_id=row.document_id,
        source=row.source,
        kind=row.kind,
        title=row.title,
        language=row.language,
        chunks=row.chunks,
        added_at=row.added_at,
        metadata=shown_metadata(row.metadata, row.enriched),
    )


def chunk_row(
    chunk: Chunk, seq: int, document_seq: int, own: Metadata, terms: str, vector: int, names: str
) -> tuple[object, ...]:
    """Write a chunk down in the order of the table's columns. `own` is its metadata beyond the document's."""
    return (
        seq,
        chunk.chunk_id,
        document_seq,
        chunk.position,
        *chunk.span,
        chunk.kind,
        chunk.prefix,
        column_json(chunk.headings),
        chunk.page,
        chunk.language,
        chunk.text,
        column_json(own),
        terms,
        vector,
        column_json(chunk.parent),
        names,
    )


def chunk_of(row: AnyRow, document_id: str, document_metadata: Metadata) -> Chunk:
    """Read a chunk back."""
    return Chunk(
        chunk_id=row.chunk_id,
        document_id=document_id,
        text=row.text,
        span=(row.start, row.end),
        position=row.position,
        kind=row.kind,
        prefix=row.prefix,
        headings=_read_items_or_empty(row.headings, read_text_item) if row.headings else (),
        page=row.page,
        language=row.language,
        metadata=own_metadata(row.metadata, document_metadata) if row.metadata else document_metadata,
        parent=_parent(row.parent) if row.parent else None,
    )


def fields_of(document: Document | AnyRow, chunk: Chunk | AnyRow, metadata: Metadata) -> dict[str, MetaValue]:
    """The fields of a chunk that a filter can name; a built-in field is the system's, whatever the metadata say."""
    fields: dict[str, MetaValue] = {
        **metadata,
        "document_id": document.document_id,
        "source": document.source,
        "title": document.title,
        "type": document.kind,
        "kind": chunk.kind,
        "language": chunk.language,
    }
    if chunk.page is not None:
        fields["page"] = chunk.page
    else:
        fields.pop("page", None)
    return fields


def index_row(
    row: AnyRow, vector: Vector, document: AnyRow, metadata: Metadata, *, titles: Sequence[str] = ()
) -> IndexRow:
    """Make what an index keeps of a chunk, from the catalog's rows. `metadata`: its own, and its document's."""
    fields = fields_of(document, row, metadata)
    return IndexRow(row.chunk_id, row.terms, vector, fields, row.language, bool(row.shallow), row.names, titles)


def names_of_document(title: str, language: str, first: str) -> list[str]:
    """The keys that a document answers to: those of its title, and the name of several words that it begins with.

    `first`: the keys of the names in its first chunk, space-joined.
    """
    keys, lead = title_keys(title, language), first.partition(" ")[0]
    return [*keys, lead] if JOINT in lead and lead not in keys else keys

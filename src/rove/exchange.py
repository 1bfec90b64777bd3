"""A base as lines of JSON: to carry it to another machine, another embedder or another version of Rove.

The first line says what it is; each other line holds one document with its canonical text, structure and metadata,
and the vectors of its chunks under their content keys, base64 of little-endian float32, and their tokens.
"""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any, cast

from rove.errors import InputError
from rove.ingest.batch import Finished, Item, batched
from rove.ingest.run import Ingest
from rove.models import Fingerprint
from rove.records import Block, Document, LedgerEntry, Page, Report, Section, vector_key
from rove.records.boxes import pack_boxes, unpack_boxes
from rove.store import Vector
from rove.store.rows import blob_of, metadata_of, vector_of
from rove.store.store import Store

FORMAT = 1


async def exported(store: Store, fingerprint: Fingerprint) -> AsyncIterator[str]:
    """Yield the base line by line, without line ends."""
    yield json.dumps({"rove": FORMAT, "embedder": str(fingerprint)})
    for info in await asyncio.to_thread(store.catalog.documents):
        yield await asyncio.to_thread(_line, store, fingerprint, info.document_id)


def _line(store: Store, fingerprint: Fingerprint, document_id: str) -> str:
    found = store.catalog.document(document_id)
    if found is None:  # erased while the export ran
        return "{}"
    document, chunks = found
    keys = [vector_key(str(fingerprint), chunk.indexed_text) for chunk in chunks]
    vectors, tokens = store.vectors.get(keys), store.vectors.tokens(keys)
    tree = {
        "document_id": document.document_id,
        "source": document.source,
        "kind": document.kind,
        "title": document.title,
        "language": document.language,
        "metadata": dict(document.metadata),
        "sections": [[s.title, s.level, *s.span] for s in document.sections],
        "pages": [[p.number, *p.span] for p in document.pages],
        "blocks": [[b.kind, *b.span, b.caption] for b in document.blocks],
        "boxes": b64encode(pack_boxes(document.boxes)).decode(),
        "text": document.text,
        "vectors": {key: b64encode(blob_of(vector)).decode() for key, vector in vectors.items()},
        "tokens": {key: b64encode(blob).decode() for key, blob in tokens.items()},
    }
    return json.dumps(tree, ensure_ascii=False)


async def imported(lines: Iterable[str], store: Store, fingerprint: Fingerprint, ingest: Ingest) -> Report:
    """Take in exported lines.

    Raises:
        InputError: the first line is not that of an export; a damaged line further on is reported, and skipped.
    """
    rest = iter(lines)
    head = _parse(next(rest, ""))
    if head.get("rove") != FORMAT:
        message = "This is not an export of Rove, or one of a newer version."
        raise InputError(message, cure="Make one with: rove export FILE")
    same = head.get("embedder") == str(fingerprint)

    def items() -> Iterator[Item]:
        for number, line in enumerate(rest, start=2):
            yield from _items(number, line, store, ingest, keep_vectors=same)

    await ingest.take(batched(items()))
    return await ingest.finish()


def _items(number: int, line: str, store: Store, ingest: Ingest, *, keep_vectors: bool) -> Iterator[Item]:
    tree = _parse(line)
    if not tree and line.strip() in {"", "{}"}:
        return
    try:
        document = _document(tree)
        vectors, tokens = (_vectors(tree), _tokens(tree)) if keep_vectors else ({}, {})
    except (KeyError, TypeError, ValueError) as error:
        reason = f"Line {number} of the export is damaged: {error!r}."
        cure = "Export the base again; the other lines were taken in."
        yield Finished(LedgerEntry(f"import:{number}", "failed", "damaged", reason, cure))
        return
    store.vectors.put(vectors, tokens)
    source = document.source.partition("#")[0]
    yield ingest.preparer.prepare(document, source)
    yield Finished(LedgerEntry(source, "live", outcome="", documents=1))


def _parse(line: str) -> dict[str, Any]:
    try:
        tree = json.loads(line)
    except ValueError:
        return {}
    return cast("dict[str, Any]", tree) if isinstance(tree, dict) else {}


def _document(tree: dict[str, Any]) -> Document:
    return Document(
        document_id=str(tree["document_id"]),
        source=str(tree["source"]),
        kind=str(tree["kind"]),
        text=str(tree["text"]),
        title=str(tree["title"]),
        language=str(tree["language"]),
        metadata=metadata_of(json.dumps(tree["metadata"])),
        sections=tuple(Section(str(t), int(n), (int(a), int(b))) for t, n, a, b in tree["sections"]),
        pages=tuple(Page(int(n), (int(a), int(b))) for n, a, b in tree["pages"]),
        blocks=tuple(Block(str(k), (int(a), int(b)), str(c)) for k, a, b, c in tree.get("blocks", [])),
        boxes=unpack_boxes(b64decode(tree.get("boxes", ""), validate=True)),
    )


def _vectors(tree: dict[str, Any]) -> dict[str, Vector]:
    blobs = cast("dict[str, str]", tree["vectors"])
    return {key: vector_of(b64decode(blob, validate=True)) for key, blob in blobs.items()}


def _tokens(tree: dict[str, Any]) -> dict[str, bytes]:
    blobs = cast("dict[str, str]", tree["tokens"])
    return {key: b64decode(blob, validate=True) for key, blob in blobs.items() if key in tree["vectors"]}

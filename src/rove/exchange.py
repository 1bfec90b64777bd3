"""A base as lines of JSON: to carry it to another machine, another embedder or another version of Rove.

The first line says what it is; each other line holds one document with its canonical text, structure and metadata,
the vectors of its chunks under their content keys, base64 of little-endian float32, their tokens, the questions that
are kept with what answers them, and what enrichers have found in it.
The files that the base keeps follow the first document that was read from each, piece by piece.
"""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO, cast

import numpy as np

from rove import exchange_enriched
from rove.argument_checks import check_id
from rove.errors import InputError, count_text
from rove.exchange_enriched import Carried
from rove.exchange_incoming import ImportedIds, ImportedOriginals, ImportedVectors
from rove.foreign import read_json
from rove.ingest.batch import FinishedSource, Item, batched
from rove.ingest.pipeline import Ingest
from rove.models import Embedder, Fingerprint
from rove.off_loop import in_pool
from rove.prepare import renamed_remark
from rove.records import Block, Document, LedgerEntry, Page, Report, Section, vector_key
from rove.records.boxes import pack_boxes, unpack_boxes
from rove.records.filter import renamed_fields
from rove.records.metadata import clean, stored_fields
from rove.store import Vector
from rove.store.catalog_rows import blob_of, blobs_of, read_vectors
from rove.store.files import PIECE_BYTES
from rove.store.kept_questions import KeptQuestion, KeptQuestions
from rove.store.moved_sources import MovedSources
from rove.store.originals import Offered, Original
from rove.store.scratch import scratch
from rove.store.store import Store
from rove.store.user_words import define

FORMAT = 1
ORIGINAL = "original"
EXPORT_AGAIN = "Export the base again; the other lines were taken in."
DOCUMENTS_AT_ONCE, CHUNKS_AT_ONCE = 256, 2_000
"""How much of a base is read at once to be written down: so many documents, of so many chunks."""
EXPORTING = ThreadPoolExecutor(1, thread_name_prefix="rove-export")
"""Exports read in one thread, however many there are: searches have the others."""
FRESH_S = 1.0
"""What was read longer ago is read again: it may have been erased meanwhile."""
DAMAGED = "{vectors} of it damaged in the export: made anew from its text."
Keep = Callable[[list[Offered]], Awaitable[str]]
Line = tuple[str, Original | None]
"""A document as it is written down, and the file that it was read from, if that is kept."""
GONE: Line = "{}", None
"""What is written of a document that was erased while the export ran."""


async def exported(store: Store, fingerprint: Fingerprint) -> AsyncIterator[str]:
    """Yield the base line by line, without line ends. Each document is whole; one that comes meanwhile is absent.

    Documents are read some at a time: what was read too long ago, as lines are taken slowly, again, and fewer then.
    """
    words = (await in_pool(EXPORTING, store.words.current)).entries
    yield json.dumps({"rove": FORMAT, "embedder": str(fingerprint), "dictionary": words}, ensure_ascii=False)
    sizes = await in_pool(EXPORTING, store.catalog.sizes)
    written: set[str] = set()
    at, most = 0, DOCUMENTS_AT_ONCE
    while at < len(sizes):
        began = at
        some = [name for name, _ in sizes[at : at + _how_many(sizes, at, most)]]
        lines = await in_pool(EXPORTING, _export_lines, store, fingerprint, some)
        fresh_until = monotonic() + FRESH_S
        for name in some:
            line, original = lines.pop(name, GONE)
            if original:
                line, file = await in_pool(
                    EXPORTING, _line_and_original_file, store, fingerprint, name, (line, original), written
                )
                with file or nullcontext():
                    yield line
                    while file and (piece := await in_pool(EXPORTING, _piece, file)):
                        yield piece
            else:
                yield line
            at += 1
            if monotonic() > fresh_until:
                break
        most = min(DOCUMENTS_AT_ONCE, 2 * (at - began))


def _how_many(sizes: Sequence[tuple[str, int]], at: int, most: int) -> int:
    """How many documents are read at once, from the one at a place on: at least one, with at most `CHUNKS_AT_ONCE`."""
    every = accumulate(chunks for _, chunks in sizes[at : at + most])
    return max(1, sum(chunks <= CHUNKS_AT_ONCE for chunks in every))


def is_document(line: str) -> bool:
    """Say whether a line of an export, its first apart, holds a document."""
    return not line.startswith(f'{{"{ORIGINAL}"')


def _line_and_original_file(
    store: Store, fingerprint: Fingerprint, document_id: str, read: Line, written: set[str]
) -> tuple[str, BinaryIO | None]:
    """Return a document's line with the file that it was read from, unless that is `written`.

    The file is open: whatever becomes of the document, its bytes are there until it is closed. Where the document was
    replaced since it was read, it is read again.
    """
    while True:
        line, original = read
        file = None
        with suppress(FileNotFoundError):
            file = original.path.open("rb") if original and original.digest not in written else None
        if store.originals.of(document_id, kept=True) == original:
            break
        if file:
            file.close()
        read = _export_lines(store, fingerprint, [document_id]).get(document_id, GONE)
    if original and file:
        written.add(original.digest)
    return line, file


def _export_lines(store: Store, fingerprint: Fingerprint, document_ids: Sequence[str]) -> dict[str, Line]:
    """Write documents down, by id, as of one moment; one that is gone is absent."""
    model = str(fingerprint)
    with store.catalog.database.snapshot():
        originals = store.originals.of_documents(document_ids, kept=True)
        found = store.catalog.with_chunks(document_ids)
        keys = {name: [vector_key(model, c.indexed_text) for c in chunks] for name, (_, chunks) in found.items()}
        every = list(dict.fromkeys(key for some in keys.values() for key in some))
        vectors = _vectors_to_base64(store.vectors.get(every))
        tokens = {key: b64encode(blob).decode() for key, blob in store.vectors.tokens(every).items()}
        asked: dict[str, list[KeptQuestion]] = {}
        for one in KeptQuestions(store.catalog.database).as_kept(list(found)):
            asked.setdefault(one.document_id, []).append(one)
        found_later = exchange_enriched.enrichment_of(store, list(found))
        made_from = MovedSources(store.catalog.database).noted([_read_as(one) for one, _ in found.values()])
    lines: dict[str, Line] = {}
    for name, (document, _) in found.items():
        own = sorted(set(keys[name]))
        original = originals.get(name)
        tree = {
            **_document_to_export_dict(document),
            "vectors": {key: vectors[key] for key in own if key in vectors},
            "tokens": {key: tokens[key] for key in own if key in tokens},
            "questions": [[one.question, *one.span] for one in reversed(asked.get(name, []))],
            **found_later[name],
            **({"id_of": made_from[_read_as(document)]} if _read_as(document) in made_from else {}),
            "read_from": original.digest if original else "",
        }
        lines[name] = json.dumps(tree, ensure_ascii=False), original
    return lines


def _read_as(document: Document) -> str:
    """The source that a document was read from, of a part of it the whole."""
    return document.source.partition("#")[0]


def _vectors_to_base64(vectors: Mapping[str, Vector]) -> dict[str, str]:
    if len({vector.shape for vector in vectors.values()}) != 1:  # those of a torn base need not be alike
        return {key: b64encode(blob_of(vector)).decode() for key, vector in vectors.items()}
    blobs = blobs_of(np.stack(list(vectors.values())))
    return {key: b64encode(blob).decode() for key, blob in zip(vectors, blobs, strict=True)}


def _document_to_export_dict(document: Document) -> dict[str, object]:
    return {
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
    }


def _piece(file: BinaryIO) -> str:
    """Write the next piece of a file down; "" at its end."""
    data = file.read(PIECE_BYTES)
    return json.dumps({ORIGINAL: Path(file.name).name, "data": b64encode(data).decode()}) if data else ""


async def imported(lines: Iterable[str], store: Store, embedder: Embedder, ingest: Ingest, keep: Keep) -> Report:
    """Take in exported lines; `keep` is given the originals among them, and says why some are not kept.

    Raises:
        InputError: the first line is not that of an export; a damaged line further on is reported, and skipped.
    """
    rest = iter(lines)
    head = _parse_export_line(next(rest, ""))
    if head.get("rove") != FORMAT:
        message = "This is not an export of Rove, or one of a newer version."
        raise InputError(message, cure="Make one with: rove export FILE")
    same = head.get("embedder") == str(embedder.fingerprint)
    with scratch(store.folder) as folder:
        luggage, offered = ImportedOriginals(folder), list[Offered]()
        vectors, ids = ImportedVectors(store), ImportedIds()
        kept, carried = list[KeptQuestion](), list[Carried]()

        def items() -> Iterator[Item]:
            for number, line in enumerate(rest, start=2):
                yield from _import_items(number, line, ingest, ids, luggage, kept, carried, vectors if same else None)
            offered.extend(luggage.offered())
            for document_id in luggage.damaged(offered):
                reason = f"The file that {document_id} was read from is damaged in the export: it shows as text."
                yield FinishedSource(LedgerEntry(f"import:{document_id}", "failed", "damaged", reason, EXPORT_AGAIN))

        await ingest.take(vectors.kept(batched(items())))
        report = await ingest.finish()
        await asyncio.to_thread(KeptQuestions(store.catalog.database).keep, kept)
        await asyncio.to_thread(MovedSources(store.catalog.database).note, ids.made_from)
        await exchange_enriched.restore_enrichment(store, carried, embedder)
        said = [await keep(offered), await _import_dictionary(store, head.get("dictionary"))]
    noted = tuple(LedgerEntry("import", "live", reason=one) for one in said if one)
    return replace(report, noted=(*report.noted, *noted))


async def _import_dictionary(store: Store, words: object) -> str:
    """Take in the words of an export's dictionary that the base does not have; returns why not, "" where it did."""
    known = (await asyncio.to_thread(store.words.current)).entries
    try:
        found = {str(word): [str(other) for other in others] for word, others in dict(words or {}).items()}  # pyright: ignore
        await define(store, {word: others for word, others in found.items() if word not in known})
    except (InputError, TypeError, ValueError) as error:
        return f"The dictionary of the export was left out: {error}"
    return ""


def _import_items(
    number: int,
    line: str,
    ingest: Ingest,
    ids: ImportedIds,
    luggage: ImportedOriginals,
    kept: list[KeptQuestion],
    carried: list[Carried],
    brought: ImportedVectors | None,
) -> Iterator[Item]:
    tree = _parse_export_line(line)
    if not tree and line.strip() in {"", "{}"}:
        return
    try:
        if ORIGINAL in tree:
            luggage.add(str(tree[ORIGINAL]), b64decode(tree["data"], validate=True))
            return
        document = _document_from_export_dict(tree)
        ids.add(document.document_id, number)
        if "id_of" in tree:
            ids.made_from[_read_as(document)] = clean(str(tree["id_of"]))
        vectors = _vectors(tree, ingest.store.dimension) if brought else {}
        tokens = _token_blobs_from_line(tree, vectors) if brought else {}
        kept += [
            KeptQuestion(str(text), document.document_id, (int(start), int(end)), document.text[int(start) : int(end)])
            for text, start, end in tree.get("questions", [])
        ]
        found_later = exchange_enriched.read_enrichment(document.document_id, tree)
        carried += [found_later] if found_later else []
    except InputError as error:
        reason = f"Line {number} of the export was left out: {error.reason}"
        yield FinishedSource(LedgerEntry(f"import:{number}", "failed", error.outcome, reason, error.cure))
        return
    except (KeyError, OverflowError, TypeError, ValueError) as error:
        reason = f"Line {number} of the export is damaged: {error!r}."
        yield FinishedSource(LedgerEntry(f"import:{number}", "failed", "damaged", reason, EXPORT_AGAIN))
        return
    if tree.get("read_from"):
        luggage.claim(document.document_id, str(tree["read_from"]))
    if brought:
        brought.add(vectors, tokens)
    source = _read_as(document)
    yield ingest.preparer.prepare(document, source)
    damaged = len(tree["vectors"]) - len(vectors) if brought else 0
    remarks = [DAMAGED.format(vectors=count_text(damaged, "vector"))] if damaged else []
    remarks.append(renamed_remark(document.metadata.keys() - tree["metadata"].keys()))
    reason = " ".join(filter(None, remarks))
    yield FinishedSource(LedgerEntry(source, "live", outcome="", documents=1, reason=reason))


def _parse_export_line(line: str) -> dict[str, Any]:
    try:
        tree = read_json(line)
    except ValueError:
        return {}
    return cast("dict[str, Any]", tree) if isinstance(tree, dict) else {}


def _document_from_export_dict(tree: dict[str, Any]) -> Document:
    """Read the document of a line.

    Raises:
        InputError: its id or its source cannot be kept as it is.
        KeyError, OverflowError, TypeError, ValueError: the line is damaged.
    """
    document_id, source, text = str(tree["document_id"]), str(tree["source"]), str(tree["text"])
    check_id(document_id, "The id")
    if not source.strip() or "\0" in source + text:
        message = "the source is blank, or the source or the text holds a NUL"
        raise ValueError(message)
    return Document(
        document_id=document_id,
        source=source,
        kind=clean(str(tree["kind"])),
        text=text,
        title=clean(str(tree["title"])),
        language=clean(str(tree["language"])),
        metadata=renamed_fields(stored_fields(_object_field(tree, "metadata"))),
        sections=tuple(Section(str(t), int(n), (int(a), int(b))) for t, n, a, b in tree["sections"]),
        pages=tuple(Page(int(n), (int(a), int(b))) for n, a, b in tree["pages"]),
        blocks=tuple(Block(str(k), (int(a), int(b)), str(c)) for k, a, b, c in tree.get("blocks", [])),
        boxes=unpack_boxes(b64decode(tree.get("boxes", ""), validate=True)),
    )


def _vectors(tree: dict[str, Any], dimension: int) -> dict[str, Vector]:
    """The vectors of a line that are whole: the embedder makes the others anew."""
    blobs = {key: _decode_base64(written) for key, written in _object_field(tree, "vectors").items()}
    read = zip(blobs, read_vectors(list(blobs.values()), dimension), strict=True)
    return {key: vector for key, vector in read if vector is not None}


def _token_blobs_from_line(tree: dict[str, Any], vectors: Mapping[str, Vector]) -> dict[str, bytes]:
    """What late interaction compares, of these vectors."""
    blobs = {key: _decode_base64(written) for key, written in _object_field(tree, "tokens").items() if key in vectors}
    return {key: blob for key, blob in blobs.items() if blob is not None}


def _decode_base64(written: object) -> bytes | None:
    try:
        return b64decode(cast("str", written), validate=True)
    except (TypeError, ValueError):
        return None


def _object_field(tree: dict[str, Any], name: str) -> dict[str, Any]:
    if not isinstance(tree[name], dict):
        message = f"{name} is not an object"
        raise TypeError(message)
    return tree[name]

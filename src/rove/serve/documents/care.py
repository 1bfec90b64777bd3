"""What a caller does with the documents of a table: lists them, opens chunks, puts tags on many, erases many.

Every call looks at the caller's rights first, as those of `CallerView` do, and sees what that lets it see.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Annotated
from weakref import WeakKeyDictionary

from pydantic import Field, StringConstraints

from rove.document_operations import check_own, erase
from rove.engine import AsyncRove
from rove.errors import InputError
from rove.records import Chunk, DocumentInfo
from rove.records.document import Span
from rove.serve.caller_view import CallerView, absent
from rove.serve.documents.listing import (
    TAGS,
    DocumentList,
    LineOut,
    Listed,
    ListQuery,
    facets,
    name_documents,
    select_lines,
)
from rove.serve.page import page
from rove.serve.problems import AbsentError
from rove.serve.schema import Reply, Wire
from rove.store.originals import Original
from rove.store.set_fields import SetFields

MOST = 1_000
Id = Annotated[str, Field(max_length=2_000)]
Ids = Annotated[list[Id], Field(min_length=1, max_length=MOST)]
Tag = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=64)]
Tags = Annotated[list[Tag], Field(max_length=50)]

_held: WeakKeyDictionary[AsyncRove, tuple[int, list[Listed]]] = WeakKeyDictionary()
"""The lines of each base as they were last made, with its revision: of 100,000 documents they take a second."""


class ManyIn(Wire):
    """Documents, by their ids. Those that are not there, or not for the caller to see, are passed over."""

    document_ids: Ids


class TagsIn(ManyIn):
    """Tags to put on documents, and tags to take off them."""

    add: Tags = []
    remove: Tags = []


class ReindexIn(Wire):
    """Documents to be read again, by their ids, and whether what did not go in is tried again too."""

    document_ids: Annotated[list[Id], Field(max_length=MOST)] = []
    failed: bool = False


class CorrectIn(Wire):
    """What is to stand in a document at a `span`, where `before` stands now."""

    document_id: Id
    span: tuple[Annotated[int, Field(ge=0, le=10**10)], Annotated[int, Field(ge=0, le=10**10)]]
    before: str = Field(min_length=1, max_length=100_000)
    text: str = Field(max_length=100_000)


class TakeBackIn(Wire):
    """A correction to take back: the `number` that the list gives it."""

    document_id: Id
    number: int = Field(ge=1, le=10**9)


class CorrectionOut(Reply):
    """A correction: `removed` became `added`, by whom and when; `before` and `after` have a little of what is around.

    `span`: where `added` stands by now; null where it was taken back, or corrected again. `taken_back_by`,
    `takes_back`: numbers of other corrections.
    """

    number: int
    before: str
    after: str
    removed: str
    added: str
    by: str
    made_at: str
    span: Span | None
    taken_back_by: int | None
    takes_back: int | None


class ChangedOut(Reply):
    """How many documents that changed."""

    documents: int


class ChunkOut(Reply):
    """A chunk: the document's text at `span`, and the `prefix` with which it is indexed."""

    chunk_id: str
    position: int
    span: Span
    kind: str
    page: int | None
    language: str
    headings: list[str]
    prefix: str
    text: str

    @classmethod
    def of(cls, chunk: Chunk) -> ChunkOut:
        """Make it of a record."""
        return cls(
            chunk_id=chunk.chunk_id,
            position=chunk.position,
            span=chunk.span,
            kind=chunk.kind,
            page=chunk.page,
            language=chunk.language,
            headings=list(chunk.headings),
            prefix=chunk.prefix,
            text=chunk.text,
        )


class ChunkList(Reply):
    """Some of a document's `total` chunks, in order; `next_cursor` asks for what follows, None at the end."""

    chunks: list[ChunkOut]
    next_cursor: int | None
    total: int


async def list_documents(view: CallerView, wanted: ListQuery) -> DocumentList:
    """List what the caller may see, as a table wants it."""
    lines = await _visible_document_lines(view)
    return await asyncio.to_thread(_document_list_page, lines, wanted)


async def chunks_of(view: CallerView, document_id: str, cursor: int, limit: int) -> ChunkList:
    """Return some of a document's chunks, from the given one on."""
    await view.document(document_id)
    seen = view.caller.access_filter(view.access_field)
    _, found = await view.kb.document(document_id)
    found = [chunk for chunk in found if seen is None or seen.matches(chunk.metadata)]
    some, following = page(found[cursor:], cursor, limit)
    told = await asyncio.to_thread(lambda: [ChunkOut.of(chunk) for chunk in some])
    return ChunkList(chunks=told, next_cursor=following, total=len(found))


async def original_of(view: CallerView, document_id: str) -> tuple[str, Original]:
    """Return the file that a document was read from, and its name.

    Raises:
        AbsentError: it is not kept, or is not what was read.
    """
    document, original = await view.original(document_id)
    if original is None or not await asyncio.to_thread(original.is_whole):
        message = "The file that this document was read from is not kept."
        raise AbsentError(message, cure="Take its text.")
    return document.source, original


async def tag(view: CallerView, wanted: TagsIn) -> int:
    """Put tags on documents and take others off; returns how many this changed.

    Raises:
        InputError: the access labels are called so, or one is in a base that is only read.
    """
    view.require("add")
    if view.access_field == TAGS:
        message = "The access labels of this base are called tags."
        raise InputError(message, cure="Give serve.access_field another name.")
    ids = [info.document_id for info in await seen_documents(view, wanted.document_ids)]
    store = view.kb.store
    await asyncio.to_thread(check_own, store, ids)
    fields = SetFields(store.catalog.database)
    return await store.enrich(partial(fields.tagged, ids, wanted.add, wanted.remove))


async def corrections_of(view: CallerView, document_id: str, cursor: int, limit: int) -> list[CorrectionOut]:
    """Return what people have corrected in a document, in the order in which they did, from the given one on."""
    await view.document(document_id)
    made, _ = page((await view.kb.corrections(document_id))[cursor:], cursor, limit)
    return await asyncio.to_thread(lambda: [CorrectionOut(**asdict(one)) for one in made])


async def correct_words(view: CallerView, wanted: CorrectIn) -> None:
    """Correct words of a document, in the caller's name. Raises as `AsyncRove.correct` does."""
    await _check_correcting(view, wanted.document_id)
    await view.kb.correct(wanted.document_id, wanted.span, wanted.before, wanted.text, by=view.caller.name)


async def take_back(view: CallerView, wanted: TakeBackIn) -> None:
    """Take a correction back, in the caller's name. Raises as `AsyncRove.take_back` does."""
    await _check_correcting(view, wanted.document_id)
    await view.kb.take_back(wanted.document_id, wanted.number, by=view.caller.name)


async def _check_correcting(view: CallerView, document_id: str) -> None:
    view.require("add")
    if not await seen_documents(view, [document_id]):
        raise absent()


async def delete_many(view: CallerView, document_ids: Sequence[str]) -> int:
    """Erase documents by their ids, from walks too; returns how many."""
    view.require("delete")
    ids = [info.document_id for info in await seen_documents(view, document_ids)]
    await erase(view.kb.store, ids)
    return len(ids)


async def seen_documents(view: CallerView, document_ids: Sequence[str]) -> list[DocumentInfo]:
    """Those of these documents that are there for the caller."""
    wanted, seen = set(document_ids), view.caller.access_filter(view.access_field)
    found = await asyncio.to_thread(view.kb.store.documents.documents, ids=list(wanted))
    return [info for info in found if info.document_id in wanted and (seen is None or seen.matches(info.metadata))]


async def _visible_document_lines(view: CallerView) -> list[Listed]:
    """The lines of all documents that the caller sees; of a whole base they are made once for each state of it."""
    if view.caller.labels is not None:
        return await asyncio.to_thread(name_documents, await view.documents())
    view.require("read")
    revision = await asyncio.to_thread(
        view.kb.store.documents.revision
    )  # before they are read: at worst once too often
    known, lines = _held.get(view.kb, (-1, []))
    if known != revision:
        lines = await asyncio.to_thread(name_documents, await view.documents())
        _held[view.kb] = revision, lines
    return lines


def _document_list_page(lines: Sequence[Listed], wanted: ListQuery) -> DocumentList:
    found = select_lines(lines, wanted)
    some, following = page(found[wanted.cursor :], wanted.cursor, wanted.limit)
    return DocumentList(
        documents=[LineOut.made(one) for one in some],
        next_cursor=following,
        total=len(found),
        facets=facets(lines) if wanted.facets else None,
    )

"""Documents that are read again, changed or not: from where they lie, from what is kept of them, or from their text."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from shutil import copyfile

from rove.errors import InputError
from rove.load.discover import locate
from rove.records import DocumentInfo
from rove.records.ledger import UPLOADED
from rove.records.source import MetaValue
from rove.serve.caller_view import CallerView
from rove.serve.documents.care import seen_documents
from rove.serve.documents.job import Job
from rove.serve.documents.jobs import Jobs
from rove.serve.documents.spool import Draft, Item
from rove.serve.redaction import public_source

PAGES = ("http://", "https://")


async def reindex(view: CallerView, jobs: Jobs, document_ids: Sequence[str], *, failed: bool) -> Job:
    """Queue documents to be read again, and, where `failed`, what did not go in and lies on the server or the web.

    Raises:
        InputError: there is nothing that could be read again.
        ThrottledError: see `Jobs.check_room`.
    """
    view.require("admin" if failed else "add")
    await jobs.check_room(view.caller.owner)
    infos = await seen_documents(view, document_ids)
    entries = await view.kb.ledger("failed") if failed else []
    draft = jobs.spool.begin()
    try:
        items = await asyncio.to_thread(_items_to_reindex, view, infos, [one.source for one in entries], draft)
        _check_any(items)
        return jobs.put(await jobs.spool.keep(draft, view.caller.owner, items))
    except BaseException:
        draft.drop()
        raise


def _check_any(items: Sequence[Item]) -> None:
    if not items:
        message = "This document has no source to read again."
        raise InputError(message, cure="Hand in the files again.")


def _items_to_reindex(
    view: CallerView, infos: Sequence[DocumentInfo], failed: Sequence[str], draft: Draft
) -> list[Item]:
    """What is to be read: each source once, in the way that loses nothing."""
    store = view.kb.store
    sources = store.ledger.sources_of([info.document_id for info in infos])
    items: dict[str, Item] = {}
    for info in infos:
        source = sources.get(info.document_id, "")
        if not source or source in items:
            continue
        item = _lies_there(source, info) or _copy_original_to_draft(view, source, info, draft, len(items))
        if item:
            items[source] = item
        else:
            items[info.document_id] = Item(source, info.title, document_id=info.document_id, again=True)
    for source in failed:
        if source not in items and (item := _lies_there(source, None)):
            items[source] = item
    return list(items.values())


def _lies_there(source: str, info: DocumentInfo | None) -> Item | None:
    """A file of this machine, or a page, that can be read where it lies."""
    address = source.partition("/")[2] if source.startswith(UPLOADED) else source
    if address.startswith(PAGES):
        own = dict(info.metadata) if info else {}
        return Item(source, locate([address])[0].name, own, address=address, again=True)
    if Path(source).is_absolute() and Path(source).is_file():
        return Item(source, Path(source).name, again=True)
    return None


def _copy_original_to_draft(
    view: CallerView, source: str, info: DocumentInfo, draft: Draft, number: int
) -> Item | None:
    """What was handed in and is kept, put beside the job once more: the base lets go of it with its document."""
    original = view.kb.store.originals.of(info.document_id, kept=True)
    if original is None or source != info.source or not original.is_whole():
        return None
    file = draft.folder / str(number)
    copyfile(original.path, file)
    labels = info.metadata.get(view.access_field)
    metadata: dict[str, MetaValue] = {view.access_field: labels} if labels is not None else {}
    return Item(source, public_source(source), metadata, file=str(number), again=True)

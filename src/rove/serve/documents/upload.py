"""Uploads: what a client sends becomes items on disk, under names that no client can choose for another's."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Sequence
from pathlib import PurePosixPath

from starlette.datastructures import UploadFile

from rove.argument_checks import own_fields
from rove.errors import InputError
from rove.load.discover import locate
from rove.load.system_files import lies_in_system
from rove.records import content_hash
from rove.records.ledger import UPLOADED
from rove.records.metadata import stored_fields
from rove.records.source import MetaValue
from rove.serve.caller_view import CallerView
from rove.serve.documents.jobs import Job, Jobs
from rove.serve.documents.listing import DROPPED
from rove.serve.documents.schema import DocumentIn
from rove.serve.documents.spool import Draft, Item, write_stream

PIECE_BYTES = 1 << 20
MAX_NAME_CHARS = 200
UNNAMED = "unnamed"


def safe_name(name: str) -> str:
    r"""Return what a person may call a file: its last part, printable, of bounded length; never a path.

    >>> safe_name("../../etc/passwd"), safe_name("C:\\x\\Bericht.pdf"), safe_name("\0..")
    ('passwd', 'Bericht.pdf', 'unnamed')
    """
    last = "".join(c for c in re.split(r"[/\\]", name)[-1] if c.isprintable()).strip(" .") or UNNAMED
    suffix = PurePosixPath(last).suffix[:20]
    return last if len(last) <= MAX_NAME_CHARS else last[: MAX_NAME_CHARS - len(suffix)] + suffix


def uri_of(name: str, labels: Sequence[str]) -> str:
    """Name what is handed in, apart for each set of labels: nobody replaces what they may not see.

    >>> uri_of("a#1.md", ["it", "hr"])
    'upload:hr+it/a%231.md'
    """
    return f"{UPLOADED}{'+'.join(sorted(labels))}/{name.replace('#', '%23')}"


async def take_files(view: CallerView, jobs: Jobs, files: Sequence[UploadFile], access: Sequence[str]) -> Job:
    """Keep uploaded files, and queue them. Raises as `Jobs.check_room` does."""
    labels = view.labels_for(access)
    metadata = _metadata(view, labels)
    draft = jobs.spool.begin()
    try:
        items: list[Item] = []
        for number, file in enumerate(files):
            name = safe_name(file.filename or "")
            if DROPPED in name and lies_in_system(name.replace(DROPPED, "/")):
                continue
            await write_stream(draft.folder / str(number), _iter_upload_bytes(file))
            items.append(Item(uri_of(name, labels), name, metadata, file=str(number)))
    except BaseException:
        draft.drop()
        raise
    return await _queue_upload_job(view, jobs, draft, items)


async def take_document(view: CallerView, jobs: Jobs, wanted: DocumentIn) -> Job:
    """Keep a text or an address, and queue it.

    Raises:
        InputError: the metadata names the field of the access labels.
        ThrottledError: see `Jobs.check_room`.
    """
    labels = view.labels_for(wanted.access)
    known = {"title": wanted.title, "type": wanted.type}
    fields = own_fields(stored_fields(wanted.metadata), "metadata", known)
    if view.access_field in fields:
        message = f"metadata cannot hold {view.access_field!r}."
        raise InputError(message, cure="Give the labels as `access`.")
    metadata = {**fields, **_metadata(view, labels)}
    if wanted.url is not None:
        named = locate([wanted.url])[0]
        uri = uri_of(named.uri, labels) if labels else named.uri
        item = Item(uri, named.name, metadata, address=named.address)
    else:
        name = safe_name(wanted.name) if wanted.name else content_hash(wanted.text or "")
        uri = uri_of(name, labels)
        item = Item(
            uri,
            name,
            metadata,
            text=wanted.text,
            kind=wanted.type,
            title=wanted.title,
            document_id=content_hash("text", uri),
        )
    await jobs.check_room(view.caller.owner)
    return await _queue_upload_job(view, jobs, jobs.spool.begin(), [item])


async def _queue_upload_job(view: CallerView, jobs: Jobs, draft: Draft, items: Sequence[Item]) -> Job:
    try:
        await jobs.check_room(view.caller.owner)
        spooled = await jobs.spool.keep(draft, view.caller.owner, items)
    except BaseException:
        draft.drop()
        raise
    return jobs.put(spooled)


def _metadata(view: CallerView, labels: Sequence[str]) -> dict[str, MetaValue]:
    return {view.access_field: tuple(labels)} if labels else {}


async def _iter_upload_bytes(file: UploadFile) -> AsyncIterator[bytes]:
    while piece := await file.read(PIECE_BYTES):
        yield piece

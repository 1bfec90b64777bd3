"""The documents that a sweep puts into its bases: those of the dataset, or those of a base that exists."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from rove.engine import AsyncRove
from rove.errors import InputError
from rove.records import DocumentInfo, Text, content_hash

BLOCK = 1 << 20
Added = str | Path | Text


async def documents_of(kb: AsyncRove) -> list[Added]:
    """Return what is in a base as it can be added to another one.

    Files that still stand where they stood are read again, so that another way of cutting has all of their structure;
    of anything else the canonical text is taken along, under its id.

    Raises:
        InputError: the base is empty.
    """
    files, texts = await asyncio.to_thread(_split_files_and_texts, await kb.documents())
    given: list[Added] = []
    for info in texts:
        kind = info.kind if info.kind == "markdown" else "text"
        given.append(Text(await kb.text(info.document_id), info.document_id, info.title, dict(info.metadata), kind))
    given += files
    if not given:
        message = f"{kb.settings.path} holds no documents."
        raise InputError(message, cure="Add some with: rove add; or name another base with --kb.", outcome="empty")
    return given


def _split_files_and_texts(documents: Sequence[DocumentInfo]) -> tuple[list[Path], list[DocumentInfo]]:
    """Tell the files that are still there from the documents that came from anything else."""
    files: dict[Path, None] = {}
    others: list[DocumentInfo] = []
    for info in documents:
        places = (Path(info.source), Path(info.source.rpartition("#")[0] or info.source))
        file = next((place for place in places if place.is_file()), None)
        if file is None:
            others.append(info)
        else:
            files[file] = None
    return list(files), others


def fingerprint(documents: Iterable[Added]) -> str:
    """Name documents by what they hold; reads every file."""
    return content_hash(*(_source_content_hash(one) for one in documents))


def _source_content_hash(one: Added) -> str:
    if isinstance(one, Text):
        return content_hash(one.text, one.id, one.title, one.kind, repr(sorted(one.metadata.items())))
    path = Path(one)
    files: Sequence[Path] = sorted(f for f in path.rglob("*") if f.is_file()) if path.is_dir() else [path]
    return content_hash(*(part for file in files for part in (str(file.absolute()), _file_content_hash(file))))


def _file_content_hash(file: Path) -> str:
    try:
        with file.open("rb") as data:
            return content_hash(*iter(lambda: data.read(BLOCK), b""))
    except OSError as error:
        message = f"{file} cannot be read: {error.strerror}."
        raise InputError(message, cure="Check the path.", outcome="unreadable") from error

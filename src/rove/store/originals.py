"""Originals: the files that documents were read from, where their pages can be drawn.

What was handed in by a client is kept under the SHA-256 of its bytes: once, however many documents were read from it,
and for as long as one of them is there. Of a file of this machine only the hash is known.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import Connection, func, select, update

from rove.errors import ServiceError
from rove.store import tables
from rove.store.catalog_rows import slices
from rove.store.database import Database, insert_rows, set_fact
from rove.store.dialect import within
from rove.store.files import Files, digest_of
from rove.store.unfinished import SWEEPING


@dataclass(frozen=True, slots=True)
class Original:
    """The file that a live document was read from, if it still is as it was then: its SHA-256 in hex says so."""

    path: Path
    digest: str

    def is_whole(self) -> bool:
        """Read the file, and say whether it is the one that was read. Blocks."""
        file = self.opened()
        if file:
            file.close()
        return file is not None

    def opened(self) -> BinaryIO | None:
        """Open the file that was read, at its beginning; None where it has gone or is another. Blocks."""
        with suppress(OSError, ValueError), ExitStack() as closing:
            file = closing.enter_context(self.path.open("rb"))
            if digest_of(file) == self.digest:
                file.seek(0)
                closing.pop_all()
                return file
        return None


@dataclass(frozen=True, slots=True)
class Offered:
    """A file for a document to keep: it is kept if its bytes hash to `digest`."""

    document_id: str
    digest: str
    file: Path


class Originals:
    """The originals of one base. Calls block; `keep` and `sweep` need the base to be held for writing."""

    def __init__(self, files: Files, database: Database) -> None:
        """Take where the files are kept, and where it is noted which document was read from which."""
        self._files = files
        self._database = database

    def of(self, document_id: str, *, kept: bool = False) -> Original | None:
        """Where the file lies that a live document was read from: in the base, or, unless `kept`, where it was added.

        None where that is not known: what was imported was read from no file of this machine, whatever it says.
        """
        return self.of_documents([document_id], kept=kept).get(document_id)

    def of_documents(self, document_ids: Collection[str], *, kept: bool = False) -> dict[str, Original]:
        """Likewise of many documents, by id; one of which it is not known is absent."""
        o, d = tables.originals.c, tables.documents.c
        query = select(d.document_id, o.digest, o.kept_bytes, d.source).join(tables.documents, d.seq == o.document)
        query = query.where(within(d.document_id, document_ids), d.revision > 0)
        if kept:
            query = query.where(o.kept_bytes > 0)
        found: dict[str, Original] = {}
        with self._database.read() as connection:
            for row in connection.execute(query):
                path = self._files.local(row.digest) if row.kept_bytes else Path(row.source)
                if path.is_absolute():
                    found[row.document_id] = Original(path, row.digest)
        return found

    def digest_of(self, document_id: str) -> str:
        """The SHA-256 of the file that a live document was read from, "" where that is not known."""
        o, d = tables.originals.c, tables.documents.c
        query = select(o.digest).join(tables.documents, d.seq == o.document)
        with self._database.read() as connection:
            found = connection.execute(query.where(d.document_id == document_id, d.revision > 0)).scalar()
        return str(found or "")

    def offered(self, files: Mapping[str, Path]) -> list[Offered]:
        """Say which documents lack the files that they were read from, of these, by the source that was given."""
        o, d = tables.originals.c, tables.documents.c
        query = select(d.document_id, d.ledger_source, o.digest).join(tables.documents, d.seq == o.document)
        query = query.where(within(d.ledger_source, list(files)), d.revision > 0, o.kept_bytes == 0)
        with self._database.read() as connection:
            return [Offered(row.document_id, row.digest, files[row.ledger_source]) for row in connection.execute(query)]

    def keep(self, offered: Sequence[Offered], max_bytes: int) -> list[Offered]:
        """Keep files, on the disk itself; returns those that are not kept, since all would have over `max_bytes`.

        A file that does not hash to its digest, or whose document has gone meanwhile, is passed over.

        Raises:
            ServiceError: the disk is full, or cannot be written to.
        """
        with self._database.write() as connection:
            set_fact(
                connection, SWEEPING, "yes"
            )  # should this process end here, the next writer takes away what is loose
        try:
            refused, kept = self._copied(offered, max_bytes)
        except OSError as error:
            message = f"Originals could not be kept: {error.strerror}."
            raise ServiceError(message, cure="Make room on the disk, or set serve.keep_originals to false.") from error
        d = tables.documents.c
        with self._database.write() as connection:
            for part in slices(list(kept)):
                query = select(d.seq, d.document_id).where(within(d.document_id, part), d.revision > 0)
                rows = [(row.seq, *kept[row.document_id]) for row in connection.execute(query)]
                insert_rows(connection, tables.originals, rows, replace=True)
        self.sweep()
        return refused

    def sweep(self) -> int:
        """Take off the disk what no document was read from any more; returns how many files that were."""
        stray = self._files.sizes().keys() - self._held().keys()
        self._files.remove(stray)
        with self._database.write() as connection:
            set_fact(connection, SWEEPING, "")
        return len(stray)

    def forget_lost(self) -> int:
        """Note which originals are gone, or are not of their size; returns of how many documents. They show as text."""
        sizes = self._files.sizes()
        lost = [digest for digest, size in self._held().items() if sizes.get(digest) != size]
        o = tables.originals.c
        changed = 0
        with self._database.write() as connection:
            for part in slices(lost):
                gone = update(tables.originals).where(within(o.digest, part), o.kept_bytes > 0).values(kept_bytes=0)
                changed += connection.execute(gone).rowcount
        return changed

    def count(self) -> int:
        """How many files the base keeps."""
        return len(self._held())

    def _held(self) -> dict[str, int]:
        """The size in bytes of each file that the base keeps, by its digest."""
        o = tables.originals.c
        query = select(o.digest, func.max(o.kept_bytes)).where(o.kept_bytes > 0).group_by(o.digest)
        with self._database.read() as connection:
            return {str(digest): int(size) for digest, size in connection.execute(query)}

    def _copied(self, offered: Sequence[Offered], max_bytes: int) -> tuple[list[Offered], dict[str, tuple[str, int]]]:
        """Copy files under their digests; returns those that there is no room for, and by document what was copied."""
        held = self._held()
        refused: list[Offered] = []
        kept: dict[str, tuple[str, int]] = {}
        for one in offered:
            size = one.file.stat().st_size
            if one.digest not in held and sum(held.values()) + size > max_bytes:
                refused.append(one)
            elif self._files.keep(one.file, one.digest):
                held[one.digest] = size
                kept[one.document_id] = (one.digest, size)
        return refused, kept


def kept_of(connection: Connection, document_ids: Sequence[str]) -> dict[tuple[str, str], int]:
    """The sizes of the files that are kept of live documents, by the documents' ids and the files' digests."""
    o, d = tables.originals.c, tables.documents.c
    query = select(d.document_id, o.digest, o.kept_bytes).join(tables.documents, d.seq == o.document)
    query = query.where(within(d.document_id, document_ids), d.revision > 0, o.kept_bytes > 0)
    return {(row.document_id, row.digest): int(row.kept_bytes) for row in connection.execute(query)}

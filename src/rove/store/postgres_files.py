"""The files of a base in Postgres, as rows of bytes: they are wherever the base is, and go with its backups."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from sqlalchemy import Column, Integer, LargeBinary, MetaData, String, Table, delete, func, select

from rove.store.catalog_rows import slices
from rove.store.copied_files import CopiedFiles
from rove.store.database import Database, insert_rows
from rove.store.dialect import within
from rove.store.files import PIECE_BYTES, digest_of

pieces = Table(
    "files",
    MetaData(),
    Column("name", String, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("bytes", LargeBinary, nullable=False),
)


class PostgresFiles(CopiedFiles):
    """See `Files`. `local` copies a file to this machine's folder, from which it goes when it is kept no longer."""

    def __init__(self, database: Database, folder: Path) -> None:
        """Take the base's database, and the folder of this machine's copies."""
        self._database = database
        with database.read() as connection:
            there = connection.dialect.has_table(connection, pieces.name)
        if not there:
            with database.write() as connection:
                pieces.create(connection, checkfirst=True)
        super().__init__(folder)

    def sizes(self) -> Mapping[str, int]:
        """Add up the pieces of each file."""
        p = pieces.c
        query = select(p.name, func.sum(func.length(p.bytes))).group_by(p.name)
        with self._database.read() as connection:
            return {str(name): int(size) for name, size in connection.execute(query)}

    def keep(self, file: Path, name: str) -> bool:
        """Copy a file in one transaction, read twice: it must not change meanwhile."""
        with file.open("rb") as source:
            if digest_of(source) != name:
                return False
            with self._database.write() as connection:
                number = source.seek(0)
                while (piece := source.read(PIECE_BYTES)) or not number:
                    insert_rows(connection, pieces, [(name, number, piece)], replace=True)
                    number += 1
        return True

    def remove(self, names: Collection[str]) -> None:
        """Delete the pieces, and this machine's copies."""
        with self._database.write() as connection:
            for part in slices(list(names)):
                connection.execute(delete(pieces).where(within(pieces.c.name, part)))
        self._forget(names)

    def _read(self, name: str) -> Iterator[bytes]:
        """Yield the pieces of a file.

        Raises:
            FileNotFoundError: it is not kept.
        """
        p = pieces.c
        number = 0
        while True:
            with self._database.read() as connection:
                query = select(p.bytes).where(p.name == name, p.number == number)
                piece = connection.execute(query).scalar_one_or_none()
            if piece is None:
                break
            yield bytes(piece)
            number += 1
        if not number:
            raise FileNotFoundError(name)

    def _kept(self, names: Collection[str]) -> Collection[str]:
        with self._database.read() as connection:
            query = select(pieces.c.name).where(within(pieces.c.name, names)).distinct()
            return set(connection.execute(query).scalars())

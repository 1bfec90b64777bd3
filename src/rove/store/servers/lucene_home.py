"""An index on Elasticsearch or OpenSearch: its shape, and that it is there when it is asked.

A base has an index `<name>-1` and the alias `<name>`, by which all is asked: a write by an alias that is gone fails,
while one by the index's own name would make an index of another shape.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from rove.errors import ServiceError
from rove.store.servers.lucene_calls import CallError, Calls, Json, MissingIndexError
from rove.store.servers.lucene_filters import FIELD

T = TypeVar("T")
FORMAT = 1
"""The shape of an index; one of another is made anew by `rove doctor`."""
TAKEN = "resource_already_exists_exception"


@dataclass(frozen=True, slots=True)
class Shape:
    """What an index is made of. `vector`: the engine's mapping of vectors; `settings`: its own settings."""

    k1: float
    b: float
    dimension: int
    vector: Json
    settings: Mapping[str, object]

    @property
    def told(self) -> Json:
        """What the index says of itself."""
        shape = {"format": FORMAT, "dimension": self.dimension, "k1": self.k1, "b": self.b}
        return {"rove": shape}

    def body(self, alias: str) -> Json:
        """Return the request that makes it.

        Terms are kept as they are, longer ones too than the 255 characters that the engines usually cut them at.
        """
        bm25 = {"type": "BM25", "k1": self.k1, "b": self.b}
        tokenizer = {"type": "whitespace", "max_token_length": 1_024}
        analysis = {"analyzer": {"terms": {"type": "custom", "tokenizer": "terms"}}, "tokenizer": {"terms": tokenizer}}
        fields: Json = {
            "chunk_id": {"type": "keyword"},
            "terms": {"type": "text", "analyzer": "terms", "similarity": "terms", "index_options": "freqs"},
            "length": {"type": "integer", "index": False},
            "vector": self.vector,
            FIELD: {"type": "keyword", "doc_values": False},
        }
        kept = {"includes": ["terms"]}  # what scores words for who sees a part reads them
        settings: Json = {"index": {"similarity": {"terms": bm25}, "analysis": analysis, **self.settings}}
        mappings: Json = {"dynamic": "strict", "_meta": self.told, "_source": kept, "properties": fields}
        return {"settings": settings, "mappings": mappings, "aliases": {alias: {}}}


class Home:
    """The index of one base."""

    def __init__(self, calls: Calls, alias: str, shape: Shape) -> None:
        self.calls = calls
        self.alias = alias
        self.shape = shape
        self._made = False
        self._opening = asyncio.Lock()

    async def here(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask an index that is there; one that somebody has deleted is made again, empty, for `rove doctor` to fill.

        Raises:
            ServiceError: the one that is there is of another shape; or whatever `ask` raises.
        """
        await self._ready()
        try:
            return await ask()
        except MissingIndexError:
            self._made = False
            await self._ready()
            return await ask()

    async def make_anew(self) -> None:
        """Drop the index, whatever state it is in, and make it."""
        self._made = False
        await self.calls.found("DELETE", f"/{self.alias}-{FORMAT}")
        await self._ready()

    async def check(self) -> None:
        """Look at its shape again.

        Raises:
            ServiceError: it is another one.
        """
        self._made = False
        await self._ready()

    async def _ready(self) -> None:
        async with self._opening:
            if self._made:
                return
            held = await self.calls.found("GET", f"/{self.alias}/_mapping")
            if held is None:
                await self._make()
                held = await self.calls.call("GET", f"/{self.alias}/_mapping")
            if _mapping_meta(held) != self.shape.told:
                message = f"The index {self.alias} is of another shape: {_mapping_meta(held)}, not {self.shape.told}."
                raise ServiceError(message, cure="Run: rove doctor", retryable=False)
            self._made = True

    async def _make(self) -> None:
        try:
            await self.calls.attempt("PUT", f"/{self.alias}-{FORMAT}", self.shape.body(self.alias))
        except CallError as error:
            if error.kind != TAKEN:  # another process has made it meanwhile
                raise self.calls.told(error) from error


def _mapping_meta(held: Json) -> Json:
    """What an index says of itself: there is one behind the alias."""
    inner: list[Any] = list(held.values())
    return inner[0]["mappings"].get("_meta", {}) if len(inner) == 1 else {}

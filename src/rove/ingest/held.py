"""The ids of a source's documents: eight bytes each, since a dump of posts holds millions."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Container

import numpy as np


class HeldIds(Container[str]):
    """Knows whether an id was added, by its hash: of 5 million documents one in 10^12 would be taken for another.

    >>> held = HeldIds()
    >>> held.add("a"), held.add("b"), held.add("a")
    (None, None, None)
    >>> "a" in held, "c" in held, len(held)
    (True, False, 2)
    """

    def __init__(self) -> None:
        self._hashes = array("q")
        self._settled = 0

    def add(self, document_id: str) -> None:
        """Add one."""
        self._hashes.append(hash(document_id))

    @property
    def bytes(self) -> int:
        """The memory that they take."""
        return self._hashes.itemsize * len(self._hashes)

    def __len__(self) -> int:
        return len(self._ascending())

    def __contains__(self, document_id: object) -> bool:
        wanted, hashes = hash(document_id), self._ascending()
        place = bisect_left(hashes, wanted)
        return place < len(hashes) and hashes[place] == wanted

    def _ascending(self) -> array[int]:
        """The hashes in order, each once."""
        if self._settled != len(self._hashes):
            self._hashes = array("q", np.unique(np.frombuffer(self._hashes, np.int64)).tobytes())
            self._settled = len(self._hashes)
        return self._hashes

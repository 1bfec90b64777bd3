"""What links rows by names: the names in each chunk, and its document with the keys that the title answers to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rove.language.names import JOINT, title_keys
from rove.store import Naming
from rove.store.growing import blocks_of
from rove.store.row_keys import Packed, RowKeys
from rove.store.segments import Ints

KINDS = ("names", "titles", "documents")


class RowNames:
    """The names, title and document of rows 0…n-1. Rows that were added are taken in when first asked for."""

    def __init__(self) -> None:
        self._keys = {kind: RowKeys() for kind in KINDS}
        self._waiting: list[Naming] = []

    def extend(self, rows: Sequence[Naming]) -> None:
        """Add rows at the end."""
        self._waiting.extend(rows)

    @property
    def names(self) -> RowKeys:
        """The keys of the names in each row's text, in their order."""
        return self._taken_in()["names"]

    @property
    def titles(self) -> RowKeys:
        """The keys that the document of each row answers to."""
        return self._taken_in()["titles"]

    def documents(self, rows: Ints, most: int) -> list[str]:
        """The documents of these rows, by id, in the order of the rows; none where there are more than `most`."""
        documents = self._taken_in()["documents"]
        found = documents.one_of_each(rows)
        return [documents.of(row)[0] for row in found.tolist()] if len(found) <= most else []

    def rows_of(self, document_id: str) -> Ints:
        """The rows of a document, dead ones too."""
        return self._taken_in()["documents"].rows([document_id]).get(document_id, np.zeros(0, np.int32))

    def packed(self, keep: NDArray[np.bool_]) -> Packed:
        """Return what `restore` needs of the rows to keep, (n,) bool."""
        every = self._taken_in().items()
        return {f"{kind}_{name}": array for kind, keys in every for name, array in keys.packed(keep).items()}

    def restore(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Hold what `packed` returned; nothing was added before. The arrays are neither read through nor copied."""
        for kind, keys in self._keys.items():
            own = f"{kind}_"
            keys.restore({name.removeprefix(own): array for name, array in arrays.items() if name.startswith(own)})

    def _taken_in(self) -> dict[str, RowKeys]:
        waiting, self._waiting = self._waiting, []
        for some in blocks_of(len(waiting)):
            rows = waiting[some]
            self._keys["names"].extend([row.names.split() for row in rows])
            self._keys["titles"].extend([_title_keys(row.title, row.language, row.opening) for row in rows])
            self._keys["documents"].extend([(row.document_id,) for row in rows])
        return self._keys


@lru_cache(64)
def _title_keys(title: str, language: str, opening: str) -> Sequence[str]:
    """The keys that a document answers to: those of its title, and the name of several words that it opens with."""
    return tuple(dict.fromkeys((*title_keys(title, language), *([opening] if JOINT in opening else []))))

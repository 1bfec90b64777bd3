"""Chunks that the index refuses: found one by one, so that each costs no other, and told with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rove.errors import RoveError, ServiceError
from rove.store import IndexRow, VectorIndex

PROBE = "probe"
"""The id of a row that an index which works takes, and which is taken out again."""


@dataclass(slots=True)
class RowWriter:
    """Adds rows to an index; those that it refuses are in `refused` afterwards, by chunk id, with what was raised."""

    index: VectorIndex
    refused: dict[str, Exception] = field(default_factory=dict[str, Exception])
    taken: int = 0

    async def add(self, rows: Sequence[IndexRow], *, fresh: bool = False) -> None:
        """Add rows; if the index refuses them together, half by half. `fresh`: see `Index.add`.

        Raises:
            ServiceError: the index cannot be reached or written, as far as that can be told from a row.
            OSError: the disk is full, or the like.
        """
        try:
            await self.index.add(rows, fresh=fresh)
        except (OSError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - an index is a plug-in, and says no in its own way
            if isinstance(error, ServiceError) and error.retryable:
                raise
            if len(rows) == 1:
                await self._check_sound(rows[0], error)
                self.refused[rows[0].chunk_id] = error
                return
            half = len(rows) // 2
            await self.add(rows[:half])
            await self.add(rows[half:])
        else:
            self.taken += len(rows)

    async def _check_sound(self, refused: IndexRow, error: Exception) -> None:
        """Raise what a row was refused with where the index takes no other row either: then the row is not at fault."""
        if not self.taken:
            vector = np.zeros_like(refused.vector)
            vector[0] = 1
            try:
                await self.index.add([IndexRow(PROBE, PROBE, vector, {})])
                await self.index.remove([PROBE])
            except Exception:  # noqa: BLE001 - as above
                raise error from None
            self.taken = 1


def reason_of(error: Exception) -> str:
    """Say why a chunk was refused, in the words of what was raised."""
    return error.reason if isinstance(error, RoveError) else f"{type(error).__name__}: {error}"

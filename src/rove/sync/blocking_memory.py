"""The blocking face of what walks have learned."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from rove.argument_checks import Positive
from rove.records.learned import LeadEnd, Remembered
from rove.retrieve.long_term_memory import LongTermMemory
from rove.sync.docstrings import explained_by


@explained_by(LongTermMemory)
class Memory:
    """The blocking face of `LongTermMemory`."""

    def __init__(self, memory: LongTermMemory, run: Callable[[Awaitable[Any]], Any]) -> None:
        self._memory = memory
        self._run = run

    def facts(self) -> list[Remembered]:
        """See `LongTermMemory.facts`."""
        return self._run(self._memory.facts())

    def leads(self) -> list[LeadEnd]:
        """See `LongTermMemory.leads`."""
        return self._run(self._memory.leads())

    def search(self, question: str, *, top_k: Positive = 10) -> list[Remembered]:
        """See `LongTermMemory.search`."""
        return self._run(self._memory.search(question, top_k=top_k))

    def edit(self, memory_id: str, text: str) -> Remembered:
        """See `LongTermMemory.edit`."""
        return self._run(self._memory.edit(memory_id, text))

    def forget(self, *memory_ids: str) -> int:
        """See `LongTermMemory.forget`."""
        return self._run(self._memory.forget(*memory_ids))

    def clear(self) -> int:
        """See `LongTermMemory.clear`."""
        return self._run(self._memory.clear())

"""The blocking face of a base's tools."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from rove.records import History
from rove.records.filter import Where
from rove.records.tool import Effects, ToolMatch, ToolPlan
from rove.sync.docstrings import explained_by
from rove.tools import Tool
from rove.tools.library import EMPTY, OFFERED, ToolLibrary
from rove.tools.python_source import Function

START = History()


@explained_by(ToolLibrary)
class Tools:
    """See `ToolLibrary`."""

    def __init__(self, library: ToolLibrary, run: Callable[[Awaitable[Any]], Any]) -> None:
        self._library, self._run = library, run

    @property
    def failures(self) -> Mapping[str, str]:
        """Sources that could not be read, and why."""
        return self._library.failures

    def add(self, *functions: Function, effects: Effects = "reads") -> None:
        """See `ToolLibrary.add`."""
        self._library.add(*functions, effects=effects)

    def all(self) -> Sequence[Tool]:
        """See `ToolLibrary.all`."""
        return self._run(self._library.all())

    def find(
        self, request: str, *, top_k: int = OFFERED, where: Where | None = None, profile: Mapping[str, object] = EMPTY
    ) -> list[ToolMatch]:
        """See `ToolLibrary.find`."""
        return self._run(self._library.find(request, top_k=top_k, where=where, profile=profile))

    def plan(
        self,
        request: str,
        *,
        tool: str = "",
        arguments: Mapping[str, object] = EMPTY,
        history: History = START,
        profile: Mapping[str, object] = EMPTY,
    ) -> ToolPlan | None:
        """See `ToolLibrary.plan`."""
        planning = self._library.plan(request, tool=tool, arguments=arguments, history=history, profile=profile)
        return self._run(planning)

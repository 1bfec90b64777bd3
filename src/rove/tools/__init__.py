"""The tool library: tools are found as documents are, filled from what was said, checked, mended, and run.

A new kind of source is one file with a `ToolSource` and one line in `TOOL_SOURCES`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from rove.records.tool import Effects
from rove.registry import Registry
from rove.settings import ToolSettings

JsonSchema = Mapping[str, object]
Arguments = Mapping[str, object]
RunTool = Callable[[Arguments], Awaitable[object]]
"""Calls a tool with arguments that its schema allows; returns what JSON can hold."""


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that can be run.

    `name` is unique in the base. `parameters`: a JSON Schema of type "object". `source`: the name of the table of
    settings that it comes from. `run` raises `ServiceError` where the tool failed, `retryable` where waiting helps, and
    `InputError` where it can never work with these arguments.
    """

    name: str
    description: str
    parameters: JsonSchema
    run: RunTool = field(repr=False, compare=False)
    source: str = ""
    effects: Effects = "writes"
    settings: ToolSettings = field(default_factory=lambda: ToolSettings(kind="python"), repr=False, compare=False)

    @property
    def platform(self) -> str:
        """The platform whose names it knows things by."""
        return self.settings.platform or self.source


class ToolSource(Protocol):
    """Yields tools. Built as `ToolSource(name, settings)`, where `name` is that of the settings' table."""

    async def tools(self) -> Sequence[Tool]:
        """Return the tools, as they are now.

        Raises:
            ConfigError: the settings or the document are wrong.
            ServiceError: a server does not answer.
        """
        ...

    async def close(self) -> None:
        """Release connections and processes."""
        ...


TOOL_SOURCES = Registry(
    "source of tools",
    "rove.tool_sources",
    {
        "python": "rove.tools.python_source:PythonSource",
        "openapi": "rove.tools.openapi_source:OpenApiSource",
        "mcp": "rove.tools.mcp_source:McpSource [tools]",
        "sql": "rove.tools.sql_source:SqlSource",
    },
)

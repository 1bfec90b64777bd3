"""What every source of tools promises: tools with sound schemas, that run when asked and give what JSON can hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from rove.records import Text
from rove.settings import ToolSettings
from rove.testing.contract import Contract, waited
from rove.tools import TOOL_SOURCES, ToolSource
from rove.tools.library import as_text
from rove.tools.parameters import check_arguments, checked_schema, parameters_of


class ToolSourceContract(Contract):
    """Inherit it, and give `name` or `make`, the `settings` of a real source, and a call that works.

    `settings` makes what stands behind the source, in a folder of the test's own, and says how it is reached.
    `called` and `arguments`: a tool of it that only reads, and values that it takes.
    """

    registry = TOOL_SOURCES
    called: ClassVar[str] = ""
    arguments: ClassVar[Mapping[str, object]] = {}

    def settings(self, folder: Path) -> ToolSettings:
        """Return the settings of the source.

        Raises:
            NotImplementedError: the suite gives none.
        """
        raise NotImplementedError

    def make(self, settings: ToolSettings) -> ToolSource:
        """Return the source."""
        return self.registered()("mine", settings)

    @waited
    async def test_its_tools_are_sound(self, tmp_path: Path) -> None:
        """Each has a name of its own, says where it is from and what it does, and its schema is one."""
        source = self.make(self.settings(tmp_path))
        tools = await source.tools()
        assert tools
        assert len({tool.name for tool in tools}) == len(tools)
        for tool in tools:
            assert tool.source == "mine"
            assert tool.name.strip()
            assert tool.effects in {"reads", "writes"}
            assert checked_schema(tool.parameters, tool.name)["type"] == "object"
            assert isinstance(as_text(tool), Text)
        await source.close()

    @waited
    async def test_a_tool_runs(self, tmp_path: Path) -> None:
        """With values that its schema allows, twice; what it gives can be written as JSON."""
        source = self.make(self.settings(tmp_path))
        tool = {tool.name: tool for tool in await source.tools()}[self.called]
        assert not check_arguments(tool.parameters, self.arguments).missing
        first, second = await tool.run(self.arguments), await tool.run(self.arguments)
        assert first
        assert json.dumps(first) == json.dumps(second)
        await source.close()

    @waited
    async def test_what_is_missing_is_known_before_it_runs(self, tmp_path: Path) -> None:
        """Without values, the check names every parameter that the tool needs."""
        source = self.make(self.settings(tmp_path))
        for tool in await source.tools():
            needed = {parameter.name for parameter in parameters_of(tool.parameters) if parameter.required}
            assert set(check_arguments(tool.parameters, {}).missing) == needed
        await source.close()

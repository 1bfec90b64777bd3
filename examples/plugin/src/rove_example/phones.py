"""A source of tools: a list of telephones, one "name<tab>number" a line, that can be looked up.

[tools.phones]
kind = "phones"
document = "phones.tsv"
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from rove.errors import ConfigError, InputError
from rove.settings import ToolSettings
from rove.tools import Tool


class PhoneList:
    """See `rove.tools.ToolSource`."""

    def __init__(self, name: str, settings: ToolSettings) -> None:
        self.name, self.settings = name, settings

    async def tools(self) -> Sequence[Tool]:
        """See `ToolSource.tools`."""
        try:
            numbers = await asyncio.to_thread(_numbers, Path(self.settings.document))
        except (OSError, ValueError) as error:
            message = f"tools.{self.name}.document cannot be read: {error}."
            raise ConfigError(message, cure="Give a file with a name, a tab and a number on each line.") from error

        async def number_of(arguments: Mapping[str, object]) -> object:
            person = str(arguments["person"])
            if person not in numbers:
                message = f"{person!r} is not on the list."
                raise InputError(message, cure="Ask for one of: " + ", ".join(numbers))
            return {"person": person, "number": numbers[person]}

        person = {"type": "string", "enum": list(numbers), "description": "Whose number."}
        parameters = {"type": "object", "properties": {"person": person}, "required": ["person"]}
        what = "Looks up the telephone number of a person."
        return [Tool("telephone_number", what, parameters, number_of, self.name, "reads", self.settings)]

    async def close(self) -> None:
        """See `ToolSource.close`: nothing is open."""


def _numbers(file: Path) -> dict[str, str]:
    lines = file.read_text("utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines if line.strip())

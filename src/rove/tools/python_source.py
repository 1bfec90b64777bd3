"""Tools from Python functions: their annotations are the schema, their docstring the description."""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, create_model

from rove.errors import ConfigError, InputError
from rove.records.tool import Effects
from rove.registry import load
from rove.settings import ToolSettings
from rove.tools import Arguments, Tool
from rove.tools.parameters import checked_schema

Function = Callable[..., object]
_ARGUMENT = re.compile(r"^\s+(\*{0,2}\w+)(?:\s*\([^)]*\))?:\s*(.*)$")
_SECTION = re.compile(r"^(Args|Arguments|Parameters|Returns|Raises|Yields|Example|Examples|Note):\s*$")


class PythonSource:
    """Functions that the settings name. See `ToolSource`."""

    def __init__(self, name: str, settings: ToolSettings) -> None:
        self.name, self.settings = name, settings

    async def tools(self) -> Sequence[Tool]:
        """See `ToolSource.tools`."""
        return [tool_of(_import_function(path), self.name, self.settings) for path in self.settings.functions]

    async def close(self) -> None:
        """See `ToolSource.close`."""


def tool_of(function: Function, source: str, settings: ToolSettings, effects: Effects = "reads") -> Tool:
    """Make a tool of a function, plain or async; a plain one runs in a thread, and cannot be stopped there.

    Raises:
        ConfigError: a parameter has no annotation that can be written as JSON, or takes any number of values.
    """
    name = getattr(function, "__name__", type(function).__name__)
    described = _docstring(inspect.getdoc(function) or "")
    shape = _shape(function, name, described.arguments)
    schema = checked_schema(shape.model_json_schema(), name)

    async def run(arguments: Arguments) -> object:
        try:
            given = shape.model_validate(arguments)
        except ValidationError as error:
            first = error.errors(include_input=False)[0]
            message = f"{name} takes no such value for {'.'.join(map(str, first['loc']))}: {first['msg']}."
            raise InputError(message, cure="Give another.") from None
        values = {
            key: getattr(given, field)
            for key, field in _fields_by_alias(shape).items()
            if field in given.model_fields_set
        }
        found = (
            function(**values) if inspect.iscoroutinefunction(function) else await asyncio.to_thread(function, **values)
        )
        return _to_json_result(await found if inspect.isawaitable(found) else found)

    return Tool(name, described.text, schema, run, source, effects, settings)


class _Told(BaseModel):
    text: str
    arguments: dict[str, str]


def _import_function(path: str) -> Function:
    try:
        found = load(path)
    except (ImportError, AttributeError, ValueError) as error:
        message = f"There is no function {path!r}: {error}."
        raise ConfigError(message, cure='Write "package.module:name", of a package that is installed.') from error
    if not callable(found):
        message = f"{path!r} is not a function."
        raise ConfigError(message, cure="Name one.")
    return found


def _shape(function: Function, name: str, told: Mapping[str, str]) -> type[BaseModel]:
    try:
        hints, parameters = get_type_hints(function, include_extras=True), inspect.signature(function).parameters
    except (TypeError, ValueError) as error:  # a class or a function that is written in C
        message = f"{name} does not say what it takes: {error}."
        raise ConfigError(message, cure="Write a function around it, with annotations.") from None
    fields: dict[str, Any] = {}
    for key, one in parameters.items():
        if one.kind in {one.VAR_POSITIONAL, one.VAR_KEYWORD, one.POSITIONAL_ONLY} or key not in hints:
            message = f"The parameter {key!r} of {name} has no annotation, or cannot be given by name."
            raise ConfigError(message, cure="Annotate it: def lookup(city: str, days: int = 1).")
        default = ... if one.default is one.empty else one.default
        fields[f"p_{key}"] = (hints[key], Field(default, alias=key, description=told.get(key)))
    try:
        return create_model(name, __config__=ConfigDict(extra="forbid", arbitrary_types_allowed=False), **fields)
    except Exception as error:  # noqa: BLE001 - pydantic has several ways to say that an annotation cannot be JSON
        message = f"The parameters of {name} cannot be written as JSON: {str(error).splitlines()[0]}."
        raise ConfigError(
            message, cure="Use str, int, float, bool, date, Literal, list, or a pydantic model."
        ) from None


def _fields_by_alias(shape: type[BaseModel]) -> dict[str, str]:
    return {str(field.alias): name for name, field in shape.model_fields.items()}


def _to_json_result(value: object) -> object:
    """What a function returned, as JSON holds it: dates become texts, models and dataclasses become maps."""
    return TypeAdapter(Any).dump_python(value, mode="json", fallback=str)


def _docstring(text: str) -> _Told:
    """Tell the description of a docstring from what it says of arguments (Google's style)."""
    lines, arguments, section, last = list[str](), dict[str, str](), "", ""
    for line in text.splitlines():
        if found := _SECTION.match(line):
            section, last = found[1], ""
        elif not section:
            lines.append(line)
        elif section in {"Args", "Arguments", "Parameters"}:
            if named := _ARGUMENT.match(line):
                last = named[1].lstrip("*")
                arguments[last] = named[2].strip()
            elif last and line.strip():
                arguments[last] += f" {line.strip()}"
    return _Told(text=" ".join(" ".join(lines).split()), arguments=arguments)

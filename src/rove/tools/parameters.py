"""A tool's parameters, as its JSON Schema declares them; and the check of values against it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import regex

from rove.errors import ConfigError
from rove.installing import install_cure
from rove.records.tool import ValueProblem
from rove.registry import load
from rove.tools import JsonSchema

DEEPEST, MOST_NODES = 32, 20_000
"""Bounds of a schema: how deep it nests, and how many values it holds."""
REGEX_STEPS = 100_000
"""Steps that one pattern of a schema may take on one value."""
_CASES = regex.compile(r"(?<=[\p{Ll}\d])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|[\W_]+")
_VERSION = "https://json-schema.org/draft/2020-12/schema"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter. `type`: of JSON Schema, "" where it allows several. `choices`: of an enum, as text.

    `unit`: the keyword "x-unit", else what its name ends in (`distance_km`). `aliases`: the keyword "x-aliases", a
    choice → other words for it. `platform_entity`: the keyword "x-entity": its values are names of things.
    """

    name: str
    type: str = ""
    description: str = ""
    required: bool = False
    choices: tuple[str, ...] = ()
    format: str = ""
    default: object = None
    unit: str = ""
    aliases: Mapping[str, tuple[str, ...]] | None = None
    is_entity: bool = False

    @property
    def words(self) -> str:
        """Its name, spelled out.

        >>> Parameter("maxResultCount").words
        'max result count'
        """
        return spelled_out(self.name)

    @property
    def label(self) -> str:
        """How it is named to a user: by its description's first sentence where it is short, else by its name."""
        first = regex.split(r"(?<=[.。])\s*", self.description.strip(), maxsplit=1)[0].rstrip(".。")
        said = first if 0 < len(first) <= 80 else self.words
        return f"{said} ({' / '.join(self.choices[:12])})" if self.choices else said


def spelled_out(name: str) -> str:
    """Return the words of an identifier, in lower case.

    >>> spelled_out("getHTTPStatus_v2"), spelled_out("weather.daily-forecast")
    ('get http status v2', 'weather daily forecast')
    """
    return " ".join(filter(None, _CASES.split(name))).lower()


def parameters_of(schema: JsonSchema) -> tuple[Parameter, ...]:
    """Return the parameters that a schema declares, in its order."""
    properties = _schema_map(schema.get("properties"))
    required = {str(name) for name in _schema_list(schema.get("required"))}
    return tuple(_parse_parameter(name, _schema_map(one), schema, name in required) for name, one in properties.items())


def checked_schema(schema: object, where: str) -> JsonSchema:
    """Return a tool's schema, found sound: an object's, within bounds, without references to elsewhere.

    Raises:
        ConfigError: it is not.
    """
    found = _schema_map(schema) or {"type": "object", "properties": {}}
    _check_schema_size(found, where)
    found = {**found, "type": "object"}
    try:
        _validator_of(found)
    except (ValueError, _referencing_error()) as error:
        message = f"The parameters of {where} are no JSON Schema: {str(error)[:300]}."
        raise ConfigError(message, cure="Correct the tool's schema, or leave it out with `only`.") from None
    return found


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check has found: parameters that are missing, and values that are wrong."""

    missing: tuple[str, ...]
    problems: tuple[ValueProblem, ...]


def check_arguments(schema: JsonSchema, arguments: Mapping[str, object]) -> Checked:
    """Hold arguments against a schema. What a rule ("if", "dependentRequired") asks for is missing too.

    >>> found = check_arguments({"type": "object", "properties": {"n": {"minimum": 1}}, "required": ["city"]}, {"n": 0})
    >>> found.missing, [problem.parameter for problem in found.problems]
    (('city',), ['n'])
    """
    missing: list[str] = []
    problems: list[ValueProblem] = []
    for error in _validator_of(schema).iter_errors(dict(arguments)):
        keyword = error.kind.name
        if keyword == "required" and not error.instance_path:
            missing.append(str(error.kind.property))
        elif keyword == "dependentRequired":
            missing += [name for name in _depending(schema, arguments) if name not in arguments]
        else:
            path = error.instance_path
            problems.append(ValueProblem(str(path[0]) if path else "", str(error.message)[:300]))
    return Checked(tuple(dict.fromkeys(missing)), tuple(problems))


def resolved(schema: Mapping[str, object], root: JsonSchema) -> Mapping[str, object]:
    """Follow a reference within the same document ("#/$defs/City"); what leads elsewhere is {}."""
    for _ in range(DEEPEST):
        target = schema.get("$ref")
        if not isinstance(target, str):
            return schema
        schema = _schema_map(_resolve_json_pointer(root, target)) if target.startswith("#") else {}
    return {}


def _resolve_json_pointer(root: JsonSchema, pointer: str) -> object:
    found: object = root
    for part in pointer.removeprefix("#").strip("/").split("/") if pointer != "#" else ():
        found = _schema_map(found).get(part.replace("~1", "/").replace("~0", "~"))
    return found


def _parse_parameter(name: str, given: Mapping[str, object], root: JsonSchema, required: bool) -> Parameter:
    own = resolved(given, root)
    for key in ("anyOf", "oneOf"):  # `str | None`, as pydantic writes it
        kinds = [resolved(_schema_map(one), root) for one in _schema_list(own.get(key))]
        real = [one for one in kinds if one.get("type") != "null"]
        if len(real) == 1:
            own = {**real[0], **own}
    kind = own.get("type")
    kinds = [str(one) for one in _schema_list(kind) if one != "null"]
    choices = own.get("enum", [own["const"]] if "const" in own else [])
    return Parameter(
        name,
        str(kind) if isinstance(kind, str) else kinds[0] if len(kinds) == 1 else "",
        str({**own, **given}.get("description") or ""),
        required,
        tuple(str(one) for one in _schema_list(choices) if one is not None),
        str(own.get("format") or ""),
        {**own, **given}.get("default"),
        str(own.get("x-unit") or ""),
        {str(one): tuple(map(str, _schema_list(words))) for one, words in _schema_map(own.get("x-aliases")).items()},
        bool(own.get("x-entity")),
    )


def _depending(schema: JsonSchema, arguments: Mapping[str, object]) -> list[str]:
    rules = _schema_map(schema.get("dependentRequired"))
    return [str(name) for given, names in rules.items() if given in arguments for name in _schema_list(names)]


def _check_schema_size(schema: JsonSchema, where: str) -> None:
    waiting: list[tuple[object, int]] = [(schema, 1)]
    nodes = 0
    while waiting:
        value, depth = waiting.pop()
        nodes += 1
        if depth > DEEPEST or nodes > MOST_NODES:
            message = f"The parameters of {where} nest more than {DEEPEST} deep, or hold over {MOST_NODES:,} values."
            raise ConfigError(message, cure="Write a smaller schema, or leave the tool out with `only`.")
        waiting += [(one, depth + 1) for one in (*_schema_map(value).values(), *_schema_list(value))]


def _validator_of(schema: JsonSchema) -> Any:  # noqa: ANN401 - a class of jsonschema_rs
    """Make the validator. It fetches nothing, and no pattern takes for ever."""
    options = _library("FancyRegexOptions")(backtrack_limit=REGEX_STEPS)
    return _library("validator_for")(
        {"$schema": _VERSION, **schema}, validate_formats=True, offline=True, pattern_options=options, mask="the value"
    )


@cache
def _referencing_error() -> type[Exception]:
    return _library("ReferencingError")


def _library(name: str) -> Any:  # noqa: ANN401 - whatever has that name in jsonschema_rs
    """Import a part of the library that checks.

    Raises:
        ConfigError: the extra is not installed.
    """
    try:
        return load(f"jsonschema_rs:{name}")
    except ModuleNotFoundError as error:
        message = f"Tools need {error.name!r}, which is not installed."
        raise ConfigError(message, cure=install_cure("tools", error.name or "")) from error


def _schema_map(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def _schema_list(value: object) -> Sequence[object]:
    return cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()

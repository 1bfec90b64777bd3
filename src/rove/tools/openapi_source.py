"""Tools from an OpenAPI document (3.0 and 3.1): one for each operation; those that only get read, the others write."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import yaml

from rove.errors import ConfigError
from rove.foreign import read_json
from rove.settings import ToolSettings
from rove.tools import Arguments, Tool
from rove.tools.http_call import READS, HttpCall, HttpService
from rove.tools.parameters import JsonSchema, checked_schema, resolved

METHODS = ("get", "head", "post", "put", "patch", "delete")
MAX_BYTES = 20_000_000
JSON = "application/json"
BODY = "body"
"""The parameter that is the whole body, where that is no object."""
INLINE_DEPTH = 8
"""How deep references are written out; what lies deeper is left open."""


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: how its parameters go into a request. `places`: parameter → "path", "query", "header" or "body"."""

    name: str
    method: str
    path: str
    description: str
    schema: JsonSchema
    places: Mapping[str, str]

    def call(self, arguments: Arguments) -> HttpCall:
        """Return the request for arguments. What goes into the path is quoted whole, slashes too."""
        path, query, headers, body = self.path, dict[str, str | list[str]](), dict[str, str](), dict[str, object]()
        for name, value in arguments.items():
            place = self.places.get(name, BODY)
            if place == "path":
                path = path.replace(f"{{{name}}}", quote(_request_value_text(value), safe=""))
            elif place == "query":
                query[name] = list(map(_request_value_text, _spec_list(value))) or _request_value_text(value)
            elif place == "header":
                headers[name] = " ".join(_request_value_text(value).split())
            else:
                body[name] = value
        whole = body.get(BODY) if self.places.get(BODY) == BODY else body
        return HttpCall(self.method, path, query, headers, whole if body else None)


class OpenApiSource:
    """See `ToolSource`."""

    def __init__(self, name: str, settings: ToolSettings) -> None:
        self.name, self.settings = name, settings
        self.service: HttpService | None = None

    async def tools(self) -> Sequence[Tool]:
        """See `ToolSource.tools`."""
        document = await asyncio.to_thread(read_document, Path(self.settings.document), f"tools.{self.name}")
        base = self.settings.base_url or _first_server(document, self.name)
        service = self.service = HttpService(base, self.settings, f"tools.{self.name}")
        return [self._tool(operation, service) for operation in operations(document)]

    async def close(self) -> None:
        """See `ToolSource.close`."""
        if self.service is not None:
            await self.service.close()

    def _tool(self, operation: Operation, service: HttpService) -> Tool:
        async def run(arguments: Arguments) -> object:
            return await service.call(operation.call(arguments))

        effects = "reads" if operation.method in READS else "writes"
        return Tool(operation.name, operation.description, operation.schema, run, self.name, effects, self.settings)


def read_document(file: Path, table: str) -> Mapping[str, object]:
    """Read a document, JSON or YAML. Nothing that it refers to outside of itself is read.

    Raises:
        ConfigError: it is not there, too large, or no OpenAPI document of version 3.
    """
    try:
        if file.stat().st_size > MAX_BYTES:
            message = f"{file} has more than {MAX_BYTES:,} bytes."
            raise ConfigError(message, cure="Cut it down to the operations that you need.")
        text = file.read_text("utf-8")
        is_json = text.lstrip().startswith("{")
        found: object = read_json(text) if is_json else yaml.load(text, Loader=_PlainLoader)  # noqa: S506
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        message = f"The document of {table}, {str(file)!r}, cannot be read: {str(error)[:200]}."
        raise ConfigError(message, cure=f"Correct {table}.document.") from error
    document = _spec_map(found)
    if not str(document.get("openapi", "")).startswith("3."):
        message = f"{str(file)!r} is not an OpenAPI document of version 3."
        raise ConfigError(message, cure="Convert it: Swagger 2 is not read.")
    return document


def operations(document: Mapping[str, object]) -> Iterator[Operation]:
    """Yield the operations of a document, with their parameters as one schema."""
    for path, raw in _spec_map(document.get("paths")).items():
        item = resolved(_spec_map(raw), document)
        for method in METHODS:
            if operation := _spec_map(item.get(method)):
                yield _operation(path, method, operation, _spec_list(item.get("parameters")), document)


def _operation(
    path: str,
    method: str,
    given: Mapping[str, object],
    shared: Sequence[object],
    document: Mapping[str, object],
) -> Operation:
    name = str(given.get("operationId") or f"{method}_{path}".replace("/", "_").replace("{", "").replace("}", ""))
    properties, required, places = dict[str, object](), list[str](), dict[str, str]()
    for raw in (*shared, *_spec_list(given.get("parameters"))):
        one = resolved(_spec_map(raw), document)
        key, place = str(one.get("name", "")), str(one.get("in", ""))
        if not key or place not in {"path", "query", "header"}:
            continue
        told = {"description": one["description"]} if one.get("description") else {}
        properties[key] = {**_inline_refs(_schema_of(one), document), **told}
        places[key] = place
        if one.get("required") and key not in required:
            required.append(key)
    body = resolved(_spec_map(given.get("requestBody")), document)
    content = _spec_map(_spec_map(_spec_map(body.get("content")).get(JSON)).get("schema"))
    if content:
        inner = _inline_refs(content, document)
        own = _spec_map(inner.get("properties"))
        fields = own if own and not set(own) & set(properties) else {BODY: inner}
        properties |= fields
        places |= dict.fromkeys(fields, BODY)
        needed = [str(key) for key in _spec_list(inner.get("required"))] if fields is own else [BODY]
        required += needed if body.get("required") or fields is own else []
    described = " ".join(str(given.get(key) or "") for key in ("summary", "description")).strip()
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return Operation(name, method.upper(), path, described, checked_schema(schema, name), places)


def _schema_of(parameter: Mapping[str, object]) -> Mapping[str, object]:
    """A parameter's schema; some documents have it as the schema of its JSON."""
    return _spec_map(parameter.get("schema")) or _spec_map(
        _spec_map(_spec_map(parameter.get("content")).get(JSON)).get("schema")
    )


def _inline_refs(schema: Mapping[str, object], document: Mapping[str, object], depth: int = 0) -> dict[str, object]:
    """Return a schema with its references written out."""
    if depth >= INLINE_DEPTH:
        return {}
    own = dict(resolved(schema, document))
    for key in ("properties", "patternProperties"):
        if inner := _spec_map(own.get(key)):
            own[key] = {name: _inline_refs(_spec_map(one), document, depth + 1) for name, one in inner.items()}
    for key in ("items", "additionalProperties", "not"):
        if isinstance(own.get(key), Mapping):
            own[key] = _inline_refs(_spec_map(own[key]), document, depth + 1)
    for key in ("allOf", "anyOf", "oneOf"):
        if parts := _spec_list(own.get(key)):
            own[key] = [_inline_refs(_spec_map(one), document, depth + 1) for one in parts]
    return _modern(own)


def _modern(schema: dict[str, object]) -> dict[str, object]:
    """Return a schema with the words of JSON Schema in place of those that OpenAPI 3.0 had of its own."""
    if schema.pop("nullable", False) and isinstance(schema.get("type"), str):
        schema["type"] = [schema["type"], "null"]
    for bound, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if isinstance(schema.get(bound), bool) and schema.pop(bound) and limit in schema:
            schema[bound] = schema.pop(limit)
    schema.pop("discriminator", None)
    return schema


def _first_server(document: Mapping[str, object], name: str) -> str:
    for server in _spec_list(document.get("servers")):
        url = str(_spec_map(server).get("url", ""))
        if url.startswith(("http://", "https://")) and "{" not in url:
            return url
    message = f"The document of tools.{name} names no server by a whole address."
    raise ConfigError(message, cure=f"Set tools.{name}.base_url.")


class _PlainLoader(yaml.SafeLoader):
    """Safe values, and no aliases, of which a small file can make an endless one."""

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:  # noqa: ANN401 - as in yaml
        if self.check_event(yaml.AliasEvent):  # pyright: ignore[reportUnknownMemberType] - yaml has no types
            message = "it has an alias (*name), which is not read"
            raise yaml.YAMLError(message)
        return super().compose_node(parent, index)


def _request_value_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _spec_map(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def _spec_list(value: object) -> Sequence[object]:
    return cast("Sequence[object]", value) if isinstance(value, list) else ()

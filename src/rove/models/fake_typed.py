"""What the fake chat model writes when an object of a shape is asked for: each field is filled by its type."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel

MATERIAL = re.compile(r"⟦(\S*)\n(.*?)\n\1⟧", re.DOTALL)
SENTENCE = re.compile(r".+?(?:[。!?！？]|[.!?](?=\s|$)|$)", re.DOTALL)
ITEMS = 3

Schema = Mapping[str, Any]


def filled(shape: type[BaseModel], prompt: str) -> str:
    r"""Return JSON of that shape, a function of the shape and the prompt.

    Strings are the first sentence of the material, numbers their default, else the least that is allowed, booleans
    true, choices the first; lists have an item for each piece of material, of which integers named `number` or
    `reference` count from 1.

    >>> class Facts(BaseModel):
    ...     facts: list[str]
    >>> filled(Facts, "⟦1\nOne hour. More.\n1⟧ ⟦2\nTwo hours.\n2⟧")
    '{"facts": ["One hour.", "Two hours."]}'
    """
    schema = shape.model_json_schema()
    pieces = [first_sentence(text) for _, text in MATERIAL.findall(prompt)] or [first_sentence(prompt)]
    return json.dumps(_fake_value(schema, schema.get("$defs", {}), pieces, 0, ""), ensure_ascii=False)


def first_sentence(text: str) -> str:
    """Return the text up to its first full stop.

    >>> first_sentence("One hour. Two hours."), first_sentence("东京是首都。大阪不是。")
    ('One hour.', '东京是首都。')
    """
    found = SENTENCE.search(text.strip())
    return found.group(0).strip() if found else ""


def _fake_value(schema: Schema, named: Mapping[str, Schema], pieces: Sequence[str], place: int, name: str) -> object:
    if "$ref" in schema:
        own = str(schema["$ref"]).rpartition("/")[2]
        schema = named[own]
        named = {key: part for key, part in named.items() if key != own}  # what holds itself ends here
    options = cast("Sequence[Schema]", schema.get("anyOf") or schema.get("allOf") or ())
    if options:
        return _fake_value(options[0], named, pieces, place, name)
    if choices := cast("Sequence[object]", schema.get("enum", ())):
        return choices[0]
    if "const" in schema:
        return schema["const"]
    match schema.get("type"):
        case "object":
            fields = cast("Mapping[str, Schema]", schema.get("properties", {}))
            return {key: _fake_value(part, named, pieces, place, key) for key, part in fields.items()}
        case "array":
            return _fake_items(schema, named, pieces, name)
        case "integer" if name in {"number", "reference"}:
            return place + 1
        case "integer" | "number":
            return schema.get("default", schema.get("minimum", schema.get("exclusiveMinimum", 0)))
        case "boolean":
            return True
        case _:
            return pieces[place % len(pieces)][: int(schema.get("maxLength", 1_000))]


def _fake_items(schema: Schema, named: Mapping[str, Schema], pieces: Sequence[str], name: str) -> list[object]:
    item = cast("Schema", schema["items"])
    if "$ref" in item and str(item["$ref"]).rpartition("/")[2] not in named:
        return []
    most = min(int(schema.get("maxItems", ITEMS)), ITEMS, len(pieces))
    return [_fake_value(item, named, pieces, place, name) for place in range(most)]

"""Values made up from a JSON schema, so that a route or tool that is new is tried without a line of code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

WORDS = ("policy", "staff", "board", "remote work", "ä 漢字", "0")
DEEPEST = 4


def sample(
    schema: Mapping[str, Any], described: Mapping[str, Any], chance: Random, hints: Mapping[str, Sequence[str]],
    name: str = "", depth: int = 0,
) -> Any:  # noqa: ANN401 - JSON  # fmt: skip
    """Make up a value; `described` holds what `$ref` names, `hints` values for properties by their name.

    >>> sample({"type": "integer", "minimum": 3, "maximum": 3}, {}, Random(1), {})
    3
    """
    if ref := schema.get("$ref"):
        return sample(_named(ref, described), described, chance, hints, name, depth)
    for several in ("anyOf", "oneOf"):
        if several in schema:
            kinds = schema[several] if depth < DEEPEST else [_simplest(schema[several], described)]
            return sample(chance.choice(kinds), described, chance, hints, name, depth + 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return chance.choice(schema["enum"])
    return _of_type(schema, described, chance, hints, name, depth)


def _of_type(
    schema: Mapping[str, Any], described: Mapping[str, Any], chance: Random, hints: Mapping[str, Sequence[str]],
    name: str, depth: int,
) -> Any:  # noqa: ANN401 - JSON  # fmt: skip
    match schema.get("type"):
        case "object":
            wanted = schema.get("required", ())
            return {
                key: sample(of, described, chance, hints, key, depth + 1)
                for key, of in schema.get("properties", {}).items()
                if key in wanted or (depth < DEEPEST and chance.random() < 0.3)
            }
        case "array":
            count = chance.randrange(max(schema.get("minItems", 0), 1), max(schema.get("minItems", 0), 1) + 2)
            return [sample(schema.get("items", {}), described, chance, hints, name, depth + 1) for _ in range(count)]
        case "integer" | "number":
            low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
            return chance.randint(
                int(low) + ("exclusiveMinimum" in schema), int(min(schema.get("maximum", low + 20), low + 20))
            )
        case "boolean":
            return chance.random() < 0.3
        case "null":
            return None
        case _:
            return chance.choice(hints.get(name) or WORDS)


def _named(ref: str, described: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a reference like "#/components/schemas/SearchIn" names."""
    found: Any = described
    for part in ref.removeprefix("#/").split("/"):
        found = found[part]
    return found


def _simplest(kinds: Sequence[Mapping[str, Any]], described: Mapping[str, Any]) -> Mapping[str, Any]:
    """The one that holds the fewest others, so that a schema that holds itself comes to an end."""
    named = [_named(kind["$ref"], described) if "$ref" in kind else kind for kind in kinds]
    return min(named, key=lambda kind: str(kind).count("$ref"))

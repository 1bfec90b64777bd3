"""Every setting with its value, where the value comes from, and what it means."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

from pydantic_settings import EnvSettingsSource

from rove.settings import Address, Settings, file_of, located, read_settings
from rove.settings.meanings import with_meanings
from rove.settings.presets import PRESETS
from rove.settings.section import SettingsSection

Origin = Literal["argument", "environment", "file", "preset", "default"]
Tree = Mapping[str, Any]
HIDDEN = {"serve": {"keys": {"__all__": {"hash"}}}}


@dataclass(frozen=True, slots=True)
class SettingInForce:
    """One setting: its full name ("search.top_k"), its value as JSON has it, its origin and its meaning."""

    name: str
    value: object
    origin: Origin
    meaning: str


def settings_in_force(location: str | Path | Address, **arguments: object) -> list[SettingInForce]:
    """Return every setting of a base, in the order of the tables. Keys are hidden.

    Raises:
        ConfigError: as `read_settings`.
    """
    settings = read_settings(location, **arguments)
    place = located(location)
    file = file_of(place)
    trees = trees_by_origin(settings, tomllib.loads(file.read_text("utf-8")) if file.is_file() else {})
    path_from: Origin = "file" if file == place and "path" in trees["file"] else "argument"
    values = settings.model_dump(mode="json", exclude=HIDDEN)
    return [
        SettingInForce(
            name,
            value_at(values, name),
            path_from if name == "path" else origin_in(trees, name),
            " ".join(meaning.split()),
        )
        for name, meaning in _meanings()
    ]


def _meanings() -> Iterator[tuple[str, str]]:
    for name, field in with_meanings(Settings).model_fields.items():
        table = field.annotation
        if isinstance(table, type) and issubclass(table, SettingsSection):
            for key, inner in with_meanings(table).model_fields.items():
                yield f"{name}.{key}", inner.description or ""
        else:
            yield name, field.description or ""


def trees_by_origin(settings: Settings, file: Tree) -> dict[Origin, Tree]:
    """What each origin of these settings says, the one that wins first. `file`: what their file holds."""
    return {
        "argument": settings.read_from.arguments,
        "environment": EnvSettingsSource(Settings)(),
        "file": file,
        "preset": PRESETS[settings.preset],
    }


def origin_in(trees: Mapping[Origin, Tree], name: str) -> Origin:
    """Who gives a setting, by its full name."""
    for origin, tree in trees.items():
        if value_at(tree, name) is not None:
            return origin
    return "default"


def value_at(tree: Tree, name: str) -> object:
    """What a tree has under a full name; None where it has nothing."""
    table, _, key = name.partition(".")
    found = tree.get(table)
    if not key:
        return found
    if isinstance(found, SettingsSection):
        found = found.model_dump(exclude_unset=True)
    return cast("Tree", found).get(key) if isinstance(found, Mapping) else None

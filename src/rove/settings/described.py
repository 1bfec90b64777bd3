"""What a setting is: its shape as JSON Schema, its bounds, what holds without the file, and how it is changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from pydantic.fields import FieldInfo

from rove.settings import Settings
from rove.settings.meanings import with_meanings
from rove.settings.section import By, Change, SettingsSection

STRICTNESS: tuple[By, ...] = ("page", "models", "file")
SECRET = "password"
"""What JSON Schema calls the format of a secret."""


@dataclass(frozen=True, slots=True)
class DescribedSetting:
    """One setting. `table`: "search" of "search.top_k", "" of "path"; `default`: what holds where nothing sets it."""

    name: str
    table: str
    meaning: str
    default: object
    schema: Mapping[str, Any]
    change: Change

    @property
    def is_secret(self) -> bool:
        """Whether it is never shown."""
        return self.schema.get("format") == SECRET


@cache
def described_settings() -> Mapping[str, DescribedSetting]:
    """Every setting by its full name, in the order of the tables."""
    return {one.name: one for one in _iter_described_settings()}


@cache
def tables() -> Mapping[str, str]:
    """The tables of the settings file, each with what it is about."""
    return {
        name: _description_line(field)
        for name, field in with_meanings(Settings).model_fields.items()
        if _section_type(field)
    }


def _iter_described_settings() -> Iterator[DescribedSetting]:
    for name, field in with_meanings(Settings).model_fields.items():
        section = _section_type(field)
        if section is None:
            yield DescribedSetting(name, "", _description_line(field), _plain_default(field), {}, Change())
            continue
        properties: Mapping[str, Mapping[str, Any]] = section.model_json_schema()["properties"]
        defaults = section().model_dump(mode="json")
        for key, inner in with_meanings(section).model_fields.items():
            own = next((one for one in inner.metadata if isinstance(one, Change)), section.change)
            schema = _one_kind(properties[key])
            narrower = STRICTNESS[max(STRICTNESS.index(own.by), STRICTNESS.index(section.change.by))]
            by: By = "file" if schema.get("format") == SECRET else narrower
            change = Change(by, section.change.counts)
            yield DescribedSetting(f"{name}.{key}", name, _description_line(inner), defaults[key], schema, change)


def _section_type(field: FieldInfo) -> type[SettingsSection] | None:
    table = field.annotation
    return table if isinstance(table, type) and issubclass(table, SettingsSection) else None


def _description_line(field: FieldInfo) -> str:
    return " ".join((field.description or "").split())


def _plain_default(field: FieldInfo) -> object:
    value = field.get_default(call_default_factory=True)
    return value if isinstance(value, str) else [] if isinstance(value, tuple) else {} if value == {} else str(value)


def _one_kind(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """Of a value that may be none, the schema of one that is there."""
    kinds = [one for one in cast("list[Mapping[str, Any]]", schema.get("anyOf", [])) if one.get("type") != "null"]
    return {**kinds[0], "nullable": True} if len(kinds) == 1 else schema

"""Settings as replies: values without secrets and without places of the server's machine."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from pydantic import JsonValue

from rove.errors import RoveError
from rove.plugins import NAMING
from rove.registry import Registry, load
from rove.serve.administration.settings_schema import Kind, SettingOut, SettingsOut, SettingsTableOut
from rove.serve.administration.space_settings import SpaceSettingsFile
from rove.serve.redaction import public_text
from rove.settings import Settings, file_of
from rove.settings.described import DescribedSetting, described_settings, tables
from rove.settings.mistakes import NESTED, PREFIX
from rove.settings.origins import HIDDEN, Origin, origin_in, value_at
from rove.settings.presets import PRESETS

USER = re.compile(r"(?<=://)[^\s/@]+@")
"""Who asks, in an address; a password can stand behind the name."""
KINDS: tuple[tuple[type, Kind], ...] = (
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (list, "array"),
    (dict, "object"),
)


def settings_out(found: SpaceSettingsFile) -> SettingsOut:
    """Tell the settings of a space. Blocks."""
    problem: RoveError | None = None
    ours = after = found.settings
    try:
        found.check_open()
        after = found.spaces.as_served(found.name, found.of_file())
    except RoveError as error:
        problem = error
    told = _Told(found, ours, after, closed=problem is not None)
    sections = [
        SettingsTableOut(name=name, meaning=meaning, settings=list(told.of(name))) for name, meaning in tables().items()
    ]
    sections.append(SettingsTableOut(name="", meaning="", settings=list(told.of(""))))
    return SettingsOut(
        space=found.name,
        file=file_of(found.place).name if found.place else "",
        version=found.version,
        spaces=found.shared_by,
        closed=problem.reason if problem else "",
        cure=problem.cure if problem else "",
        sections=sections,
    )


class _Told:
    """Tells settings one by one."""

    def __init__(self, found: SpaceSettingsFile, ours: Settings, after: Settings, *, closed: bool) -> None:
        self._found, self._closed = found, closed
        self._now = ours.model_dump(mode="json", exclude=HIDDEN)
        self._next = after.model_dump(mode="json", exclude=HIDDEN)
        self._origins = found.origins()
        self._preset = PRESETS[ours.preset]

    def of(self, table: str) -> Iterator[SettingOut]:
        """Those of a table."""
        for one in described_settings().values():
            if one.table == table:
                yield self._told(one)

    def _told(self, one: DescribedSetting) -> SettingOut:
        origin: Origin = "argument" if one.name == "path" else origin_in(self._origins, one.name)
        held = self._found.held(one, origin)
        value, after = value_at(self._now, one.name), value_at(self._next, one.name)
        waits = value != after and one.table != ""
        hidden = held in {"file", "models", "secret"}
        preset = value_at(self._preset, one.name)
        registry: Registry | None = load(NAMING[one.name]) if one.name in NAMING else None
        schema = one.schema
        return SettingOut(
            name=one.name,
            value=_visible_setting_value(one, value, hidden=hidden),
            default=_visible_setting_value(one, one.default if preset is None else preset, hidden=hidden),
            waits=waits,
            next=_visible_setting_value(one, after, hidden=hidden) if waits else None,
            kind=_setting_value_kind(schema, value),
            choices=[str(choice) for choice in schema.get("enum", ())],
            suggestions=list(registry.names()) if registry else [],
            least=schema.get("minimum"),
            above=schema.get("exclusiveMinimum"),
            most=schema.get("maximum"),
            nullable=bool(schema.get("nullable")),
            meaning=one.meaning,
            origin=origin,
            variable=f"{PREFIX}{one.name.replace('.', NESTED)}".upper() if origin == "environment" else "",
            counts=one.change.counts,
            held=held or ("closed" if self._closed else ""),
        )


def _setting_value_kind(schema: Mapping[str, Any], value: object) -> Kind:
    if "type" in schema:
        return schema["type"]
    for family, kind in KINDS:
        if isinstance(value, family):
            return kind
    return "string"


def _visible_setting_value(one: DescribedSetting, value: object, *, hidden: bool) -> JsonValue:
    """A value as it is told. Secrets are stars already; of what is held nothing names a folder or a user."""
    if one.change.by == "file" and isinstance(value, dict) and (not one.table or one.schema.get("type") == "object"):
        return [*sorted(cast("Mapping[str, object]", value))]  # tables by names of the owner's own: the names alone
    return _redact_folders_and_users(cast("object", value)) if hidden else cast("JsonValue", value)


def _redact_folders_and_users(value: object) -> JsonValue:
    match value:
        case str():
            return public_text(USER.sub("", value))
        case list() | tuple():
            return [_redact_folders_and_users(inner) for inner in cast("list[object]", value)]
        case dict():
            return {key: _redact_folders_and_users(inner) for key, inner in cast("Mapping[str, object]", value).items()}
        case _:
            return cast("JsonValue", value)

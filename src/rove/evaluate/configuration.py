"""A configuration: one choice of each factor, and the settings and arguments that it comes to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from rove.errors import ConfigError, InputError, meant
from rove.records import Filter
from rove.retrieve.condition import parse_where
from rove.settings import Address, Settings, SettingsSection, read_settings

Tree = Mapping[str, Any]
"""Tables of settings and arguments as TOML gives them."""
ARGUMENTS: dict[str, type] = {"mode": str, "rerank": bool, "where": list, "top_k": int}
"""What is said of a configuration beside its settings, and of which type it is."""
TABLES = tuple(name for name in Settings.model_fields if name not in ("path", "preset"))


@dataclass(frozen=True, slots=True)
class Configuration:
    """One way to read, keep, search and answer.

    `choices`: factor → name of the choice. `overrides`: tables of settings that win over file and environment. `mode`,
    `rerank`, `where` and `top_k` are those of `AsyncRove.search`; all conditions of `where` must hold.
    """

    name: str
    choices: Mapping[str, str] = field(default_factory=dict[str, str])
    overrides: Tree = field(default_factory=dict[str, Any])
    mode: str = "hybrid"
    rerank: bool | None = None
    where: tuple[str, ...] = ()
    top_k: int = 10

    @property
    def condition(self) -> Filter | None:
        """The filter, as a search takes it."""
        return parse_where(self.where)

    def settings(self, location: str | Path | Address) -> Settings:
        """The whole tree of settings for a base in that place.

        Raises:
            ConfigError: an unknown key, or a value out of range.
        """
        return read_settings(location, **self.overrides)

    def over(self, settings: Settings) -> Settings:
        """The tree of a base that is open, with this configuration's tables laid over it.

        Raises:
            ConfigError: an unknown table or key, or a value out of range.
        """
        tables: dict[str, SettingsSection] = {}
        for table, given in self.overrides.items():
            held = getattr(settings, table, None)
            if not isinstance(held, SettingsSection):
                message = f"{self.name}: there is no {table!r}."
                raise ConfigError(message, cure=f"Choose among: {', '.join(TABLES)}.")
            tables[table] = _validate_settings_table(table, {**dict(held), **given}, self.name)
        return settings.model_copy(update=tables)


def configuration(name: str, choices: Mapping[str, str], given: Tree) -> Configuration:
    """Make a configuration of tables and arguments that stand side by side, as in a grid.

    Raises:
        ConfigError: a key is neither a table of settings nor an argument, or has the wrong type.
    """
    check_keys(given, name)
    arguments: dict[str, Any] = {key: value for key, value in given.items() if key in ARGUMENTS}
    arguments |= {key: tuple(value) for key, value in arguments.items() if ARGUMENTS[key] is list}
    tables = {key: value for key, value in given.items() if key not in ARGUMENTS}
    return Configuration(name, dict(choices), tables, **arguments)


def check_keys(given: Tree, where: str) -> None:
    """See that every key is one that a configuration knows, and that its value can be right.

    Raises:
        ConfigError: one is not; the message names it, and says where it stands and what there is.
    """
    for key, value in given.items():
        if key in ARGUMENTS:
            _check_argument(key, value, where)
        elif key in TABLES:
            _validate_settings_table(key, value, where)
        else:
            message = f"{where}: there is no {key!r}."
            known = (*ARGUMENTS, *TABLES)
            raise ConfigError(message, cure=f"{meant(key, known)}Choose among: {', '.join(known)}.")


def _check_argument(key: str, value: object, where: str) -> None:
    wanted = ARGUMENTS[key]
    if not isinstance(value, wanted) or (wanted is int and isinstance(value, bool)):
        message = f"{where}: {key} is {value!r}, which is no {wanted.__name__}."
        raise ConfigError(
            message, cure='Write e.g. mode = "hybrid", rerank = true, top_k = 10, where = ["year>=2020"].'
        )
    if key == "where":
        try:
            parse_where([str(condition) for condition in cast("list[object]", value)])
        except InputError as error:
            message = f"{where}: {error.reason}"
            raise ConfigError(message, cure=error.cure) from error


def _validate_settings_table(table: str, value: object, where: str) -> SettingsSection:
    shape = cast("type[SettingsSection]", Settings.model_fields[table].annotation)
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        problems = "; ".join(f"{'.'.join((table, *map(str, e['loc'])))}: {e['msg']}" for e in error.errors())
        message = f"{where}: {problems}."
        known, wrong = tuple(shape.model_fields), (str(e["loc"][0]) for e in error.errors() if e["loc"])
        near = next((meant(key, known) for key in wrong if key not in known), "")
        raise ConfigError(message, cure=f"{near}[{table}] has: {', '.join(known)}.") from error

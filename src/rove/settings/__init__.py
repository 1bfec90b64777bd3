"""All settings in one frozen tree: a preset, a TOML file, the environment (`ROVE_SEARCH__TOP_K=5`), then arguments."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from pydantic import Field, PrivateAttr, ValidationError
from pydantic_settings import BaseSettings, InitSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict

from rove.errors import ConfigError, meant
from rove.settings.databases import DatabaseSettings
from rove.settings.finding import (
    AnswerSettings,
    GraphSettings,
    IndexServerSettings,
    SearchSettings,
    StoreSettings,
    WalkSettings,
    check_sub_vectors,
)
from rove.settings.ingest import ChunkSettings, EnrichSettings, LoadSettings
from rove.settings.mistakes import mistaken
from rove.settings.models import (
    ChatSettings,
    EmbedderSettings,
    JudgeSettings,
    ModelSection,
    OneEmbedderSettings,
    RerankerSettings,
    TranscriberSettings,
)
from rove.settings.openid import OpenIdSettings
from rove.settings.place import Address, Place, place_of
from rove.settings.presets import PRESETS, Preset
from rove.settings.question import GatherSettings, IntentSettings, QuestionSettings, SlotSettings, TopicSettings
from rove.settings.section import SettingsSection
from rove.settings.serving import KeySettings, ServeSettings, SpaceSettings
from rove.settings.tools import EntitySettings, SqlToolSettings, ToolSettings

__all__ = [
    "Address",
    "AnswerSettings",
    "ChatSettings",
    "ChunkSettings",
    "DatabaseSettings",
    "EmbedderSettings",
    "EnrichSettings",
    "EntitySettings",
    "GatherSettings",
    "GraphSettings",
    "IndexServerSettings",
    "IntentSettings",
    "JudgeSettings",
    "KeySettings",
    "LoadSettings",
    "ModelSection",
    "OneEmbedderSettings",
    "OpenIdSettings",
    "SettingsSection",
    "QuestionSettings",
    "ReadFrom",
    "RerankerSettings",
    "SearchSettings",
    "ServeSettings",
    "Settings",
    "SlotSettings",
    "SpaceSettings",
    "SqlToolSettings",
    "StoreSettings",
    "ToolSettings",
    "TopicSettings",
    "TranscriberSettings",
    "WalkSettings",
    "check_sub_vectors",
    "file_of",
    "located",
    "read_settings",
    "settings_of_tree",
]


@dataclass(frozen=True, slots=True)
class ReadFrom:
    """What settings were read from: the place that was given, and the arguments. Settings are equal without it."""

    place: Path | Address | None = field(default=None, compare=False)
    arguments: Mapping[str, object] = field(default_factory=dict[str, object], compare=False)


class Settings(BaseSettings):
    """The whole tree."""

    model_config = SettingsConfigDict(
        frozen=True,
        extra="forbid",
        env_prefix="ROVE_",
        env_nested_delimiter="__",
        env_file=None,
    )

    path: Place = Path("kb")
    """Where the base lives: its folder, or the address of a Postgres database (an extra: `pip install
    'rove[postgres]'`), "postgresql://user@host:5432/database?schema=rove"."""
    also: tuple[Place, ...] = ()
    """Further bases that are read with it, as one. What is written goes to the first alone."""
    preset: Preset = ""
    """Settings that belong together: see `PRESETS`. What is set by itself wins over them."""
    load: LoadSettings = LoadSettings.model_construct()
    """Reading."""
    chunk: ChunkSettings = ChunkSettings.model_construct()
    """Cutting into chunks."""
    embedder: EmbedderSettings = EmbedderSettings.model_construct()
    """The embedder."""
    chat: ChatSettings = ChatSettings.model_construct()
    """The chat model."""
    enrich: EnrichSettings = EnrichSettings.model_construct()
    """Fields that are worked out."""
    reranker: RerankerSettings = RerankerSettings.model_construct()
    """A reranker with a model of its own."""
    judge: JudgeSettings = JudgeSettings.model_construct()
    """What judges whether a passage answers, and where."""
    transcriber: TranscriberSettings = TranscriberSettings.model_construct()
    """What writes down what is said in recordings."""
    store: StoreSettings = StoreSettings.model_construct()
    """Catalog and index."""
    search: SearchSettings = SearchSettings.model_construct()
    """Retrieval."""
    question: QuestionSettings = QuestionSettings.model_construct()
    """Understanding questions."""
    gather: GatherSettings = GatherSettings.model_construct()
    """Gathering in two rounds."""
    answer: AnswerSettings = AnswerSettings.model_construct()
    """Answers."""
    walk: WalkSettings = WalkSettings.model_construct()
    """Walks."""
    databases: Mapping[str, DatabaseSettings] = Field(default_factory=dict)
    """Databases that questions may be put to, by name."""
    serve: ServeSettings = ServeSettings.model_construct()
    """The server."""
    tools: Mapping[str, ToolSettings] = Field(default_factory=dict)
    """Sources of tools, by a name of your own: `[tools.weather]`."""
    entities: Mapping[str, EntitySettings] = Field(default_factory=dict)
    """Things that tools know by other names than people, or than other tools: `[entities.db-1]`."""
    _read_from: ReadFrom = PrivateAttr(default=ReadFrom())

    @property
    def read_from(self) -> ReadFrom:
        """What they were read from; a copy with other values keeps it."""
        return self._read_from

    @property
    def folder(self) -> Path:
        """The base's folder on this machine; of one in a database, for what this machine keeps of it."""
        return self.path if isinstance(self.path, Path) else self.path.folder

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Rank arguments over the environment over the file over the preset that any of them names."""
        del dotenv_settings, file_secret_settings
        file = InitSettingsSource(settings_cls, init_kwargs=_file.get({}))
        sources = (init_settings, env_settings, file)
        names = (source().get("preset") for source in sources)
        name = next((str(name) for name in names if name is not None), "")
        preset = next((dict(tables) for known, tables in PRESETS.items() if known == name), dict[str, Any]())
        return (*sources, InitSettingsSource(settings_cls, init_kwargs=preset))


_file: ContextVar[dict[str, Any]] = ContextVar("_file")
"""What `read_settings` has read, for the length of one call."""


def read_settings(location: str | Path | Address, **arguments: object) -> Settings:
    """Read the settings of a knowledge base.

    Args:
        location: a folder (the knowledge base; its `rove.toml` is read if there is one), a TOML file, whose `path` is
            relative to it, or the address of a base in a database.
        arguments: tables or single values that win over file and environment: `search={"top_k": 5}`.

    Raises:
        ConfigError: the file is missing, is not TOML, or holds an unknown key or a value out of range; or the address
            is none.
    """
    place = located(location)
    file = file_of(place)
    is_file = file == place
    if isinstance(place, Path) and not is_file and place.exists() and not place.is_dir():
        message = f"{place} is a file, and no folder of a base."
        raise ConfigError(message, cure="Name the base's folder, or a file of settings that ends in .toml.")
    if is_file and not file.is_file():
        message = f"There is no settings file {file}."
        raise ConfigError(message, cure="Give a folder, or make the file.")
    tree: dict[str, Any] = {}
    try:
        tree = tomllib.loads(file.read_text("utf-8")) if file.is_file() else {}
        return settings_of_tree(place, tree, arguments)
    except ValidationError as error:
        raise mistaken(error, Settings, of=str(place), file=file, tree=tree, arguments=arguments) from None
    except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, or a number of 5,000 digits
        message = f"{file} is not valid TOML: {error}."
        raise ConfigError(message, cure="Correct the file.") from error


def settings_of_tree(place: Path | Address, tree: Mapping[str, Any], arguments: Mapping[str, object]) -> Settings:
    """Return the settings of a base whose file holds this tree. See `read_settings`.

    Raises:
        ValidationError: a key is unknown, or a value out of range.
        ConfigError: the address of a base is none.
    """
    file = file_of(place)
    base = located(str(tree.get("path", "kb")), file.parent) if file == place else place
    _check_environment()
    within = _file.set(
        {**tree, "also": _resolve_also_places(file.parent, tree["also"])} if "also" in tree else dict(tree)
    )
    try:
        made = Settings(**{**arguments, "path": base})  # pyright: ignore[reportArgumentType] - validated here
    finally:
        _file.reset(within)
    made._read_from = ReadFrom(place, arguments)  # pyright: ignore[reportPrivateUsage] - one module
    return made


def _resolve_also_places(folder: Path, also: object) -> object:
    """Bases that a file names, by its own folder; what is no list is left to be refused."""
    return [place_of(str(name), folder) for name in cast("list[object]", also)] if isinstance(also, list) else also


def located(location: str | Path | Address, beside: Path | None = None) -> Path | Address:
    """Return what is meant, see `place_of`.

    Raises:
        ConfigError: it begins as an address, and is none; or nothing can be named so.
    """
    if "\0" in str(location):
        message = f"No folder has a name like {str(location)[:80]!r}."
        raise ConfigError(message, cure="Take the null character out.")
    try:
        return place_of(location, beside)
    except ValueError as error:
        message = f"This is not an address of a base: {error}."
        raise ConfigError(message, cure="Write it like postgresql://user@host:5432/database.") from None


def file_of(place: Path | Address) -> Path:
    """The settings file of a base: the file itself where it is given, else `rove.toml` in the folder."""
    folder = place if isinstance(place, Path) else place.folder
    return folder if folder.suffix == ".toml" else folder / "rove.toml"


def _check_environment() -> None:
    """See that each variable that names a key of a table names a table that there is; pydantic looks at no other.

    Raises:
        ConfigError: there is no such table.
    """
    for variable in os.environ:
        table, nested, _ = variable.upper().removeprefix("ROVE_").partition("__")
        if variable.upper().startswith("ROVE_") and nested and table.lower() not in Settings.model_fields:
            message = f"The environment variable {variable} sets nothing: there is no table {table.lower()!r}."
            tables = ", ".join(name for name in Settings.model_fields if name != "path")
            raise ConfigError(message, cure=f"{meant(table, Settings.model_fields)}The tables are {tables}.")

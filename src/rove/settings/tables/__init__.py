"""What `Rove.open` takes by name, as types: completion knows each setting, and its values.

Written by `python docs/typed_settings.py` from the settings, for completion and type checks; nothing is added here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypedDict

from rove.settings.place import Address
from rove.settings.tables.databases_tables import DatabaseTable
from rove.settings.tables.finding_tables import AnswerTable, SearchTable, StoreTable, WalkTable
from rove.settings.tables.ingest_tables import ChunkTable, EnrichTable, LoadTable
from rove.settings.tables.models_tables import ChatTable, EmbedderTable, JudgeTable, RerankerTable, TranscriberTable
from rove.settings.tables.question_tables import GatherTable, QuestionTable
from rove.settings.tables.serving_tables import ServeTable
from rove.settings.tables.tools_tables import EntityTable, ToolTable


class SettingTables(TypedDict, total=False):
    """The settings that `Rove.open` takes by name, beside models and index."""

    also: Sequence[str | Path | Address]
    """Further bases that are read with it, as one."""
    preset: Literal["", "campus", "framework", "pawsitive"]
    """Settings that belong together: see `PRESETS`."""
    load: LoadTable
    """Reading."""
    chunk: ChunkTable
    """Cutting into chunks."""
    enrich: EnrichTable
    """Fields that are worked out."""
    transcriber: TranscriberTable
    """What writes down what is said in recordings."""
    store: StoreTable
    """Catalog and index."""
    search: SearchTable
    """Retrieval."""
    question: QuestionTable
    """Understanding questions."""
    gather: GatherTable
    """Gathering in two rounds."""
    answer: AnswerTable
    """Answers."""
    walk: WalkTable
    """Walks."""
    databases: Mapping[str, DatabaseTable]
    """Databases that questions may be put to, by name."""
    serve: ServeTable
    """The server."""
    tools: Mapping[str, ToolTable]
    """Sources of tools, by a name of your own: `[tools.weather]`."""
    entities: Mapping[str, EntityTable]
    """Things that tools know by other names than people, or than other tools: `[entities.db-1]`."""


class AllTables(SettingTables, total=False):
    """These, and the tables of models."""

    embedder: EmbedderTable
    """The embedder."""
    chat: ChatTable
    """The chat model."""
    reranker: RerankerTable
    """A reranker with a model of its own."""
    judge: JudgeTable
    """What judges whether a passage answers, and where."""

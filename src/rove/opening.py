"""How both faces of the engine are opened: settings by name, typed, and models or an index as objects."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Self, Unpack

from rove.argument_checks import checked
from rove.instances import Instances, told_apart
from rove.models import ChatModel, Embedder, Reranker
from rove.models.judge import Judge
from rove.settings import (
    Address,
    ChatSettings,
    EmbedderSettings,
    JudgeSettings,
    RerankerSettings,
    Settings,
    read_settings,
)
from rove.settings.tables import ChatTable, EmbedderTable, JudgeTable, RerankerTable, SettingTables
from rove.store import VectorIndex

NONE = Instances()


class Opening(ABC):
    """The call by which `Rove` and `AsyncRove` are opened."""

    closed: bool = False
    """Whether it is closed: every call then says so."""

    @abstractmethod
    def __init__(self, settings: Settings, instances: Instances = NONE, *, create: bool = True) -> None: ...

    @classmethod
    @checked
    def open(
        cls,
        location: str | Path | Address = "kb",
        *,
        create: bool = True,
        embedder: Embedder | EmbedderTable | EmbedderSettings | None = None,
        reranker: Reranker | RerankerTable | RerankerSettings | None = None,
        chat: ChatModel | ChatTable | ChatSettings | None = None,
        judge: Judge | JudgeTable | JudgeSettings | None = None,
        index: VectorIndex | None = None,
        **settings: Unpack[SettingTables],
    ) -> Self:
        """Open a knowledge base, or make it.

        Args:
            location: its folder, a TOML file with settings, or its address: "postgresql://user@host/database".
            create: whether to make a base where there is none; without it nothing is made, which suits who only reads.
            embedder: its settings, or an object of your own: `embedder=MyEmbedder()`. `Rove` calls objects on the event
                loop of a thread of its own.
            reranker: likewise.
            chat: likewise, the chat model.
            judge: likewise, what judges whether a passage answers.
            index: an object that answers instead of LanceDB where the base is too large for memory.
            settings: what wins over the file and the environment: `search={"top_k": 5}`, or `also=["other-kb"]`, bases
                that are read with it as one. Editors complete them, and type checkers know each.

        Raises:
            ConfigError: wrong settings, a base that is not there or is another embedder's, or has lost its catalog.
        """
        instances, tables = told_apart(embedder=embedder, reranker=reranker, chat=chat, judge=judge, index=index)
        return cls(read_settings(location, **tables, **settings), instances, create=create)

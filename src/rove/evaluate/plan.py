"""What a sweep has to do, and what its configurations share: the same base, the same open index, the same search.

Each is named by what it depends on, so that nothing is done twice: not by two configurations, nor by two runs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from rove.evaluate.configuration import Configuration
from rove.records import content_hash
from rove.settings import Settings

ASKING = ("search", "reranker", "answer", "chat", "walk", "question")
"""Tables that say how a base is asked; all others say how it is made."""
OPENING = ("resident_chunks", "k1", "b", "document_share", "nprobes", "refine", "refine_factor")
"""Settings of the store that may differ between two openings of one base."""
IRRELEVANT = ("threads", "processes", "timeout_s", "retries", "fetch_timeout_s", "api_key")
"""Settings that change how long a thing takes, and not what comes out."""
CUT_BY_CHAT = "outline"


@dataclass(frozen=True, slots=True)
class Way:
    """A configuration, and the name under which its outcomes are kept."""

    key: str
    configuration: Configuration


@dataclass(frozen=True, slots=True)
class Opening:
    """A base opened with one choice of the store's settings, and the ways in which it is asked, each once."""

    settings: Settings
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Base:
    """A base that has to be made: named by the documents and all settings that decide what is in it."""

    key: str
    settings: Settings
    openings: tuple[Opening, ...]
    names: tuple[str, ...]

    @property
    def ways(self) -> list[Way]:
        """All ways in which it is asked."""
        return [way for opening in self.openings for way in opening.ways]


@dataclass(frozen=True, slots=True)
class Plan:
    """All bases, and for each configuration the key of its outcomes; equal ones have the same."""

    bases: tuple[Base, ...]
    keys: Mapping[str, str]
    base_of: Mapping[str, str]

    @property
    def distinct(self) -> int:
        """Number of configurations that are not equal to another one."""
        return len(set(self.keys.values()))


def plan(configurations: Sequence[Configuration], documents: str, folder: Path) -> Plan:
    """Plan a sweep.

    Args:
        configurations: what is to be run.
        documents: a name for what the documents hold; see `sources.fingerprint`.
        folder: where the bases are made, each in a folder of its name.

    Raises:
        ConfigError: a value in the settings is out of range.
    """
    keys: dict[str, str] = {}
    grouped: dict[str, dict[str, dict[str, Way]]] = {}
    settings: dict[str, Settings] = {}
    names: dict[str, list[str]] = {}
    for one in configurations:
        own = one.settings(folder / "base")
        base = content_hash(documents, made_by(own))
        placed = own.model_copy(update={"path": folder / base, "also": ()})
        opening = content_hash(base, own.store.model_dump_json())
        keys[one.name] = content_hash(base, asked_by(own, one))
        settings.setdefault(opening, placed)
        names.setdefault(base, []).append(one.name)
        grouped.setdefault(base, {}).setdefault(opening, {}).setdefault(keys[one.name], Way(keys[one.name], one))
    bases = tuple(
        Base(
            base,
            settings[next(iter(openings))],
            tuple(Opening(settings[opening], tuple(ways.values())) for opening, ways in openings.items()),
            tuple(names[base]),
        )
        for base, openings in grouped.items()
    )
    return Plan(bases, keys, {name: base for base, group in names.items() for name in group})


def made_by(settings: Settings) -> str:
    """Say what of the settings decides what is in a base."""
    tree = {name: table for name, table in _relevant_tables(settings).items() if name not in ASKING}
    tree["store"] = {name: value for name, value in tree["store"].items() if name not in OPENING}
    if CUT_BY_CHAT in settings.chunk.strategy.values():
        tree["chat"] = _relevant_tables(settings)["chat"]
    return json.dumps(tree, sort_keys=True)


def asked_by(settings: Settings, configuration: Configuration) -> str:
    """Say what decides what is found in a base."""
    one = configuration
    return json.dumps([_relevant_tables(settings), one.mode, one.rerank, sorted(one.where), one.top_k], sort_keys=True)


def _relevant_tables(settings: Settings) -> dict[str, dict[str, Any]]:
    tables = settings.model_dump(mode="json", exclude={"path", "also", "preset", "serve"})
    return {
        name: {key: value for key, value in cast("dict[str, Any]", table).items() if key not in IRRELEVANT}
        for name, table in tables.items()
    }

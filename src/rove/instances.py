"""Objects that a caller hands to `Rove.open` in place of what the settings name: models, and an index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rove.errors import ConfigError
from rove.models import ChatModel, Embedder, Reranker
from rove.models.cache import remembering
from rove.models.judge import Judge
from rove.models.thinking import WithoutThinking
from rove.settings import SettingsSection
from rove.store import VectorIndex

Table = Mapping[str, object]
"""A table of settings, as a file would have it."""

CONTRACTS = {
    "embedder": "fingerprint max_distance min_lead passages queries",
    "reranker": "weight scores",
    "chat": "name stream",
    "judge": "supported answers span",
    "index": "add remove semantic chunk_ids count check optimize tidy erase rebuild close",
}
"""What an object must have to be taken for one of its kind."""


@dataclass(frozen=True, slots=True)
class Instances:
    """What the caller has made; None is made by the settings. The caller closes what has to be closed.

    A base that is small enough is searched in memory, whichever `index` it has: see `StoreSettings.resident_chunks`.
    So is one whose `index` lacks chunks, such as one in memory while another process has written to the base.
    """

    embedder: Embedder | None = None
    reranker: Reranker | None = None
    chat: ChatModel | None = None
    judge: Judge | None = None
    index: VectorIndex | None = None


TABLES: tuple[type, ...] = (Mapping, SettingsSection)


def told_apart(**given: object) -> tuple[Instances, dict[str, object]]:
    """Tell objects from tables of settings, each under the name of `Instances` that it was given for.

    Raises:
        ConfigError: an object lacks what its contract names.
    """
    tables = {name: value for name, value in given.items() if isinstance(value, TABLES)}
    made: dict[str, Any] = {name: value for name, value in given.items() if value is not None and name not in tables}
    for name, value in made.items():
        missing = [part for part in CONTRACTS[name].split() if not hasattr(value, part)]
        if missing:
            message = f"{name}={value!r} is not a table of settings, and as an object it lacks: {', '.join(missing)}."
            raise ConfigError(message, cure="Give a table, as embedder={'name': 'fake'}, or an object of its contract.")
    if "embedder" in made:
        made["embedder"] = remembering(made["embedder"])
    if "chat" in made:
        made["chat"] = WithoutThinking(made["chat"])
    return Instances(**made), tables

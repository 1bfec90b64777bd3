"""Stage 3 of 7: give chunks the terms and vectors by which they are found; later, work out further fields of documents.

An enricher works fields out for documents that are in the base, from what is stored of them; nothing is embedded
again. A new one is one file with an `Enricher` and one line in `ENRICHERS`; `kb.enrich(name)` runs it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rove.records.source import MetaValue
from rove.registry import Registry

if TYPE_CHECKING:  # reading processes import this package: they start without models, settings and store
    from rove.models import ChatModel, Embedder
    from rove.settings import EnrichSettings
    from rove.store.store import Store

Fields = Mapping[str, Mapping[str, MetaValue | None]]
"""Document id → name → value; None takes a field away that an enricher gave."""


@dataclass(frozen=True, slots=True)
class EnrichContext:
    """What an enricher works with. `access_field`: the metadata field with a document's access labels.

    `chat` makes the chat model, if there is one, when it is asked.
    """

    store: Store
    embedder: Embedder
    settings: EnrichSettings
    access_field: str = "access"
    chat: Callable[[], ChatModel | None] = lambda: None


@dataclass(frozen=True, slots=True)
class Enriched:
    """What a run of an enricher did: how many documents have fields of it, how many changed, and notes for the user."""

    documents: int
    changed: int
    notes: tuple[str, ...] = ()


class Enricher(Protocol):
    """Works out fields of documents. Built as `Enricher(context)`, once for each run."""

    notes: list[str]
    """What the user has to know of the last run: what could not be worked out, and why."""

    def fields(self) -> AsyncIterator[Fields]:
        """Yield fields in batches: the same base gives the same fields, so that a run can be cut off and repeated."""
        ...


ENRICHERS = Registry(
    "enricher",
    "rove.enrichers",
    {"replies": "rove.enrich.replies:Replies", "fields": "rove.enrich.declared_fields:DeclaredFields"},
)

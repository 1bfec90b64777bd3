"""Stage 3 of 7: give chunks the terms and vectors by which they are found; later, work out more of documents.

An enricher works out fields, what is said of whom, or summaries, for documents that are in the base, from what is
stored of them; no document is embedded again. A new one is one file with an `Enricher` and one line in `ENRICHERS`;
`kb.enrich(name)` runs it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rove.records.source import MetaValue
from rove.registry import Registry

if TYPE_CHECKING:  # reading processes import this package: they start without models, settings and store
    from rove.models import ChatModel, Embedder
    from rove.settings import EnrichSettings
    from rove.store.store import Store
    from rove.store.summaries import SummedDocument
    from rove.store.triplets import ReadDocument

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
class FoundTriplets:
    """What was said of whom in documents, and `by` what it was found. See `Triplets.keep`."""

    documents: Sequence[ReadDocument]
    by: str


@dataclass(frozen=True, slots=True)
class FoundSummaries:
    """What documents and their sections say in few sentences, and `by` what that was made. See `Summaries.keep`."""

    documents: Sequence[SummedDocument]
    by: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a run will come to: documents to look at, calls of the chat model, and its tokens.

    `price`: in the currency of `chat.price_in` and `chat.price_out`; None where these are not set.
    """

    documents: int
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    price: float | None = None


@dataclass(frozen=True, slots=True)
class Enriched:
    """What a run of an enricher did: how many documents have something of it, how many changed, notes for the user."""

    documents: int
    changed: int
    notes: tuple[str, ...] = ()


class Enricher(Protocol):
    """Works something out of documents. Built as `Enricher(context)`, once for each run."""

    notes: list[str]
    """What the user has to know of the last run: what could not be worked out, and why."""

    async def estimate(self) -> Estimate:
        """Say what a run will come to. Nothing is asked of a model for it."""
        ...

    def found(self) -> AsyncIterator[Fields | FoundTriplets | FoundSummaries]:
        """Yield what was found in batches: a run that was cut off is taken up by the next one, or repeated by it.

        The same base gives the same.
        """
        ...


ENRICHERS = Registry(
    "enricher",
    "rove.enrichers",
    {
        "replies": "rove.enrich.replies:Replies",
        "fields": "rove.enrich.declared_fields:DeclaredFields",
        "graph": "rove.enrich.graph:Graph",
        "summaries": "rove.answer.summaries:Summaries",
    },
)

"""Walks: many rounds of stages 6 and 7. What is found gives facts and leads; leads are followed until it is enough.

A new way to read is one file with a `Reader` and one line in `READERS`.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from rove.models import ChatModel
from rove.records import Hit, Note
from rove.records.note import notes_text
from rove.records.walk_events import Fact, FactDelta, FactFound, FactRejected, Lead, LeadFollowed, LeadFound
from rove.registry import Registry
from rove.retrieve import SearchContext
from rove.settings import AnswerSettings, WalkSettings
from rove.walk.state import State

EXTRACTIVE = "extractive"
"""The mode of a walk without a chat model."""

Finding = FactDelta | FactFound | FactRejected | LeadFound | LeadFollowed
TextOf = Callable[[str], Awaitable[str]]


def why(language: str, *notes: Note) -> tuple[str, tuple[Note, ...]]:
    """Say why, in words of a language, and beside it as notes: the last two fields of an event."""
    return notes_text(notes, language), notes


@dataclass(frozen=True, slots=True)
class Material:
    """What a reader is given: chunks that nobody has read, best first, and where the walk stands."""

    hits: tuple[Hit, ...]
    state: State


class Reader(Protocol):
    """Finds facts in what was found, and leads to what was not. Built as `Reader(context)`."""

    def read(self, material: Material) -> AsyncGenerator[Finding]:
        """Yield facts, each with the words that it rests on, and leads, as they are found.

        What says the same as a fact that is known is left out by the loop; a reader need not care. Facts before leads,
        where a reader has all at once: what their sources refer to is looked up together, before the next lead counts.

        Raises:
            ServiceError: a model failed; what was yielded before counts.
        """
        ...


@dataclass(frozen=True, slots=True)
class RecalledFacts:
    """What earlier walks have found. `settled`: the same was asked before, of the base as it is now: it is enough.

    `fresh`: nothing has changed in the base since all of it was found.
    """

    facts: tuple[Fact, ...] = ()
    settled: bool = False
    fresh: bool = False


class PriorWalks(Protocol):
    """What earlier walks have learned. See `rove.walk.earlier_walks`."""

    async def recall(self, state: State, top_k: int) -> RecalledFacts:
        """Return facts of earlier walks that bear on the question, checked against the live texts."""
        ...

    def prior(self, lead: Lead) -> float:
        """Return how well leads like this one have led before: a factor, 1 where nothing is known."""
        ...

    async def keep(self, state: State) -> None:
        """Learn from a walk that is over."""
        ...


@dataclass(frozen=True, slots=True)
class WalkContext:
    """What a walk works with. `text_of` gives a document's canonical text by its id."""

    search_context: SearchContext
    chat: ChatModel | None
    settings: WalkSettings
    answer: AnswerSettings
    text_of: TextOf
    memory: PriorWalks | None = None

    @property
    def mode(self) -> str:
        """What the walk says of itself: "extractive", or the chat model's name."""
        return self.chat.name if self.chat else EXTRACTIVE


def without_chat(context: WalkContext) -> WalkContext:
    """Return the same without its chat model."""
    return WalkContext(context.search_context, None, context.settings, context.answer, context.text_of, context.memory)


def cited(facts: Sequence[Fact]) -> list[str]:
    """Return the chunks that facts rest on, the most relevant fact's first, each once."""
    ranked = sorted(facts, key=lambda fact: -fact.relevance)
    return list(dict.fromkeys(fact.citation.chunk_id for fact in ranked if fact.citation))


READERS = Registry(
    "reader",
    "rove.readers",
    {
        "extractive": "rove.walk.extractive:ExtractiveReader",
        "model": "rove.walk.model:ModelReader",
    },
)

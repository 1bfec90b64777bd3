"""A hit: a chunk that a search found, and where each list had it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rove.records.chunk import Chunk
from rove.records.moment import TimeSpan, time_of
from rove.records.outdated import day_of


@dataclass(frozen=True, slots=True)
class Place:
    """Where one list had the chunk: rank from 1, and that list's own score (higher is better).

    `lead` is how far the score stands above the mean of ranks 11 to 100 of the list; None where it is shorter than 30.
    """

    rank: int
    score: float
    lead: float | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk that was found. `score`: higher is better, comparable within one result only.

    `sources` says which lists the chunk came from ("keyword", "semantic", "rerank") and its place in each.
    `uri` and `title` are its document's. `same`: hits of this search with the same text, in its place (the setting
    `search.deduplicate`); they have none themselves. `question`: of mode "questions", the one that is answered there;
    the chunk is then the answer alone. `theme`: of mode "themes", the name of the one that it stands for.
    `beside`: of mode "themes", other passages in the midst of the theme, the most central first.
    `summary`: of mode "summaries", what was found, of which the chunk is a part.
    """

    chunk: Chunk
    score: float
    sources: Mapping[str, Place] = field(default_factory=dict[str, Place])
    uri: str = ""
    title: str = ""
    same: tuple[Hit, ...] = ()
    question: str = ""
    theme: str = ""
    summary: str = ""
    beside: tuple[Hit, ...] = ()

    @property
    def time(self) -> TimeSpan | None:
        """When the chunk's words are said, where its document is a recording."""
        return time_of(self.chunk)

    @property
    def as_of(self) -> str:
        """The day that the document's text is of, where its file is gone or can no longer be read; else ""."""
        return day_of(self.chunk.metadata)

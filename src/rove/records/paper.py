"""A report as data: sections of sentences, tables and charts, each claim with the words that it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rove.records.answer import Citation, Sentence

Tone = Literal["", "good", "bad", "open", "soft"]
"""How something is meant: confirmed or better, wrong or worse, not known, of less weight."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A number or a word that stands large at the top. `note`: what it means."""

    label: str
    value: str
    note: str = ""
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class PaperCell:
    """A cell of a table."""

    text: str
    citations: tuple[Citation, ...] = ()
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table; the first cell of a row heads it. `words`: columns of running text, by number from 0."""

    headings: tuple[str, ...]
    rows: tuple[tuple[PaperCell, ...], ...]
    caption: str = ""
    words: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Series:
    """Values in the order of the chart's labels; None where there is none."""

    name: str
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Series over the same labels. `kind`: "lines" for what goes on, "bars" for what stands side by side.

    `limit`: a level that is drawn across, named by `limit_name`. `mark`: a label at which something happened, named by
    `mark_name`.
    """

    title: str
    kind: Literal["lines", "bars"]
    labels: tuple[str, ...]
    series: tuple[Series, ...]
    unit: str = ""
    caption: str = ""
    limit: float | None = None
    limit_name: str = ""
    mark: str = ""
    mark_name: str = ""


@dataclass(frozen=True, slots=True)
class ChainNode:
    """A box of a picture of what leads to what: its `key`, the title, a note. `level`: its column, 0 at the left."""

    key: str
    title: str
    note: str
    level: int
    tone: Tone = ""


@dataclass(frozen=True, slots=True)
class ChainEdge:
    """An arrow from one box to another; `strong` ones are part of what is found."""

    source: str
    target: str
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Chain:
    """A picture of what leads to what."""

    title: str
    nodes: tuple[ChainNode, ...]
    edges: tuple[ChainEdge, ...]
    caption: str = ""


@dataclass(frozen=True, slots=True)
class PaperSection:
    """A part of a report under a heading: sentences first, then pictures, then tables. `notes`: in smaller words."""

    title: str
    sentences: tuple[Sentence, ...] = ()
    chains: tuple[Chain, ...] = ()
    charts: tuple[Chart, ...] = ()
    tables: tuple[PaperTable, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Paper:
    """A report. `kicker`: a line above the title; `lead`: what was found, in one or two sentences.

    `language`: of the report's own words, ISO 639-1.
    """

    title: str
    lead: tuple[Sentence, ...] = ()
    kicker: str = ""
    facts: tuple[Fact, ...] = ()
    sections: tuple[PaperSection, ...] = ()
    notes: tuple[str, ...] = ()
    language: str = "en"

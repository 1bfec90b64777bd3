"""An answer: sentences, each tied to the exact words that it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rove.records.document import Span
from rove.records.hit import Hit
from rove.records.moment import TimeSpan, place_text
from rove.records.note import Note, SaidInWords

NEAREST = 3
DIFFERS, UNSOURCED, GAP = "≠?", "[?]", "[…]"
"""Marks in an answer's text: behind a number whose source says otherwise, "[1≠?]"; behind a sentence that no source
says; and in the place of a deleted one."""
Verdict = Literal["quoted", "supported", "differs", "unsourced"]
"""What is known of a sentence. "quoted": it is the source's own words. "supported": a source says it in other words.
"differs": a source says otherwise of the same, a value, a name, a role or a "not"; its citations are those words.
"unsourced": no source was found that says it. Only the last two are marked: docs/decisions/060-marks.md."""


_EARLIER = {
    '"verdict":"doubtful"': '"verdict":"supported"',
    '"verdict":"unsupported"': '"verdict":"unsourced","deleted":true',
}


def with_new_verdicts(text: str) -> str:
    """Return an answer in JSON, as Rove 0.1.0 has kept it, with the verdicts of today; any other text as it is.

    >>> with_new_verdicts('{"text":"It is.","verdict":"unsupported"}')
    '{"text":"It is.","verdict":"unsourced","deleted":true}'
    """
    for before, now in _EARLIER.items():
        text = text.replace(before, now)
    return text


@dataclass(frozen=True, slots=True)
class Citation:
    """The words that a sentence rests on: `document.text[span[0]:span[1]] == quote`, checked by code.

    `number` is the reference's number in the answer ([1], [2] …). `as_of`: the day that the document's text is of, as
    2026-11-01, where its file is gone or can no longer be read; "" where it is up to date. `subject`: of a short
    answer, what it is of: the row's key and the column, the heading, or the document's title. `time`: of a recording,
    when the words are said.
    """

    number: int
    chunk_id: str
    document_id: str
    uri: str
    title: str
    quote: str
    span: Span
    page: int | None = None
    as_of: str = ""
    subject: str = ""
    time: TimeSpan | None = None

    @property
    def place(self) -> str:
        """Say where the words stand in their document: "p. 3", or when they are said."""
        return place_text(self.page, self.time)

    def shares_words(self, other: Citation) -> bool:
        """Say whether both rest on the same words, or on some of them."""
        same = self.document_id == other.document_id
        return same and self.span[0] < other.span[1] and other.span[0] < self.span[1]


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer, what it rests on, and what is known of it.

    `deleted`: it does not stand in the answer's text; in its place stands `GAP`, where the answer is a chat model's.
    """

    text: str
    citations: tuple[Citation, ...] = ()
    verdict: Verdict = "quoted"
    deleted: bool = False

    @property
    def kept(self) -> bool:
        """True where it stands in the answer's text."""
        return not self.deleted

    @property
    def held(self) -> bool:
        """True where a source says it."""
        return self.verdict in ("quoted", "supported")


@dataclass(frozen=True, slots=True)
class Side:
    """What one source says where sources differ. `said` is the part that differs; `date` is the source's, if known."""

    said: str
    citation: Citation
    date: str = ""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Sources that say different things of the same. `on`: "number", "date", "name", "negation"; two sides or more."""

    on: str
    sides: tuple[Side, ...]


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step of the way to an answer: in a round, a lead led to a source, which says `text`.

    `round` counts from 1; 0 is what was remembered. `lead` is what was searched for, "" where the question itself led
    there; `kind` is the lead's, and `after` the id of the fact that gave it. `used`: the answer rests on this fact.
    """

    fact_id: str
    text: str
    round: int
    lead: str = ""
    kind: str = ""
    after: str = ""
    citation: Citation | None = None
    used: bool = False


@dataclass(frozen=True, slots=True)
class RelatedQuestion:
    """A question that the base answers, beside what was asked. `span`: the document's words that it is made from."""

    question: str
    document_id: str
    uri: str
    title: str
    span: Span


@dataclass(frozen=True, slots=True)
class Answer(SaidInWords):
    """The answer to a question.

    `mode`: "extractive" (quotes chosen without a chat model), the chat model's name, "refused" (what was found does
    not answer it; `text` is then the fixed sentence in the question's language), "unsourced" (the chat model's own
    words, and `text` says so), "clarifying" (`text` is a question back to the user) or "chitchat" (nothing was asked
    of the documents: a greeting, or who the assistant is). `notes` say how the answer was made and what was dropped;
    `note` is what they say in the question's language. `hits` are the references that were given, in the order of their
    numbers. `conflicts` is where they say different things. `path` is how a walk came to the facts; empty without one.
    `cut`: the chat model's reply was cut off, so that the answer may lack its end; `note` says why.
    `short`: the few words of a quoted sentence that answer the question, where a reader found them.
    `thoughts`: what a reasoning model thought before it wrote, where `answer.thoughts` keeps it: no part of the answer,
    and not checked.
    `related`: what else the documents say beside it, as questions that the base answers; as many as the setting
    `answer.related` says, or fewer.
    """

    question: str
    text: str
    mode: str
    language: str
    sentences: tuple[Sentence, ...] = ()
    hits: tuple[Hit, ...] = ()
    notes: tuple[Note, ...] = ()
    conflicts: tuple[Conflict, ...] = ()
    path: tuple[PathStep, ...] = ()
    cut: bool = False
    short: Citation | None = None
    thoughts: str = ""
    related: tuple[RelatedQuestion, ...] = ()
    note: str = ""

    @property
    def refused(self) -> bool:
        """True when the knowledge base did not hold enough."""
        return self.mode == "refused"

    @property
    def nearest(self) -> tuple[Hit, ...]:
        """Where the question was refused: the nearest passages, `NEAREST` at most, which do not answer it."""
        return self.hits[:NEAREST] if self.refused else ()

    @property
    def citations(self) -> tuple[Citation, ...]:
        """All citations, in the order of the sentences, each once."""
        return tuple(dict.fromkeys(c for s in self.sentences for c in s.citations))

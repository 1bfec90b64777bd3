"""A question as it was understood: what each step found, and who found it, so that a user can be shown it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from rove.records.answer import Answer
from rove.records.hit import Hit
from rove.records.note import Note

By = Literal["model", "text", "examples"]
Grade = Literal[0, 1, 2]


@dataclass(frozen=True, slots=True)
class Turn:
    """One exchange of a conversation. `standalone`: the question so that it can be understood alone.

    `asked_back`: the answer was a question back to the user, which the next turn answers.
    """

    question: str
    answer: str
    standalone: str = ""
    asked_back: bool = False

    @property
    def asked(self) -> str:
        """The question, so that it can be understood alone."""
        return self.standalone or self.question


@dataclass(frozen=True, slots=True)
class History:
    """The turns of a conversation, the oldest first.

    >>> history = History().after(Turn("a?", "A"), most=2).after(Turn("b?", "B"), most=2).after(Turn("c?", "C"), most=2)
    >>> [turn.question for turn in history.turns]
    ['b?', 'c?']
    """

    turns: tuple[Turn, ...] = ()

    def after(self, turn: Turn, *, most: int) -> History:
        """Return the history with one more turn, of which the last `most` are kept."""
        return History((*self.turns, turn)[-most:] if most else ())


@dataclass(frozen=True, slots=True)
class Correction:
    """A word that the base does not know, and the one that was meant."""

    written: str
    meant: str


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic of the user's tree that a question is about, and those of its subtopics that it is about."""

    name: str
    subtopics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Intent:
    """What kind of question it is. `probability`: 0 to 1; a chat model's choice has 1.

    `route`: "" (as ever), "refuse", "gather", or the name of a retriever.
    """

    name: str
    probability: float
    route: str = ""


@dataclass(frozen=True, slots=True)
class Slot:
    """A value that the question gives for a slot. `value`: dates as YYYY-MM-DD, numbers without grouping marks.

    `text`: the words of the question that say so; "" where a model took it from elsewhere.
    """

    name: str
    value: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Clarification:
    """A question back to the user, what to choose from, and why: "short", "missing" (slots) or "ambiguous"."""

    question: str
    options: tuple[str, ...]
    reason: Literal["short", "missing", "ambiguous"]


@dataclass(frozen=True, slots=True)
class Expansion:
    """What a question is looked for by: its own keywords, and other words for the same."""

    keywords: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """One step: by whom it was done, what it found in a few words, and what went wrong, if something did."""

    name: str
    by: By
    found: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Understood:
    """What is known of a question before anything is answered. What no step looked for is empty.

    `standalone` is what to search for: the question, with the history worked in and its typos mended where that was
    asked for. `intent` is None where no class fits. `follows`: the turn that it leans on, where rules have put it in
    the light of that.
    """

    question: str
    language: str
    standalone: str
    corrections: tuple[Correction, ...] = ()
    topics: tuple[Topic, ...] = ()
    intent: Intent | None = None
    slots: tuple[Slot, ...] = ()
    missing: tuple[str, ...] = ()
    clarification: Clarification | None = None
    expansion: Expansion = field(default_factory=Expansion)
    steps: tuple[Step, ...] = ()
    follows: Turn | None = None


@dataclass(frozen=True, slots=True)
class Searched:
    """One search of a gathering: what for, within which topics ("" all), how many chunks, and how many new ones."""

    question: str
    topics: str
    found: int
    new: int


@dataclass(frozen=True, slots=True)
class GatherRound:
    """One of the at most two rounds of a gathering: with the topics' filter, two searches, else one."""

    round: int
    searches: tuple[Searched, ...]


@dataclass(frozen=True, slots=True)
class Sufficiency:
    """Whether what the first round found is enough, by whom that was judged, and why."""

    enough: bool
    by: By
    reason: str


@dataclass(frozen=True, slots=True)
class Graded:
    """A chunk's grade: 0 irrelevant, 1 on the topic, 2 informs directly."""

    chunk_id: str
    grade: Grade
    by: By


@dataclass(frozen=True, slots=True)
class Gathered:
    """What a gathering found. `hits`: those graded 1 and 2, the 2s first, each in the order of the search.

    `grades`: of every chunk that was found. `notes`: what went wrong, and what was done instead.
    """

    understood: Understood
    hits: tuple[Hit, ...]
    rounds: tuple[GatherRound, ...]
    sufficiency: Sufficiency
    grades: tuple[Graded, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True)
class Response:
    """What comes back for one turn of a conversation. `gathered`: None where the answer did not need a gathering.

    `history`: the conversation with this turn, to be given with the next one.
    """

    answer: Answer
    understood: Understood
    gathered: Gathered | None = None
    history: History = History()

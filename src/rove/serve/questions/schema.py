"""What is asked: searches and questions, bounded."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rove.errors import MAX_QUESTION_CHARS
from rove.records import History, Turn
from rove.serve.json_values import Values
from rove.serve.questions.filters import Conditioned
from rove.serve.questions.results import HitOut
from rove.serve.redaction import Said
from rove.serve.schema import Reply, Wire

MAX_ANSWER_CHARS = 100_000
Question = Annotated[str, Field(max_length=MAX_QUESTION_CHARS, examples=["Who approves remote work?"])]


class QuestionIn(Conditioned):
    """A question, and what the documents must be like."""

    question: Question


class SearchIn(QuestionIn):
    """A search. `mode`: as `AsyncRove.search` has it. `min_score`: what scores less is left out."""

    top_k: int | None = Field(default=None, ge=1, le=200)
    mode: str = Field(default="hybrid", max_length=40)
    rerank: bool | None = None
    min_score: float | None = Field(default=None, allow_inf_nan=False)


class TurnIn(Wire):
    """An earlier question of the conversation, and its answer."""

    question: Question
    answer: Annotated[str, Field(max_length=MAX_ANSWER_CHARS)]


class AskIn(QuestionIn):
    """A question to be answered; with `stream` as events: `delta`s (the text as it passes its check), then `answer`.

    `history` are the turns before it, the oldest first. `tools`: one that surely fits and only reads may run, what it
    gives is a source; what the question leaves open is filled in from the turns, and from `profile`: what is known of
    the user.
    """

    history: list[TurnIn] = Field(default=[], max_length=50)
    stream: bool = False
    tools: bool = False
    profile: Values = {}

    @property
    def turns(self) -> History:
        """The conversation so far."""
        return History(tuple(Turn(turn.question, turn.answer) for turn in self.history))


class SearchOut(Reply):
    """What a search found, best first; `notes` say which fields the filter names and no document has."""

    hits: list[HitOut]
    notes: list[Said] = []


class Delta(Reply):
    """The next sentences of an answer, as they pass their check; the whole answer, which begins so, follows."""

    text: str

"""What a run of a flow is given, and what comes out of it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from rove.serve.questions.filters import Conditioned
from rove.serve.questions.results import AnswerOut, HitOut
from rove.serve.questions.schema import MAX_QUESTION_CHARS
from rove.serve.redaction import Said
from rove.serve.schema import Reply

Given = Annotated[str, Field(max_length=MAX_QUESTION_CHARS)] | int | float | bool | list[str]
Output = AnswerOut | list[HitOut] | HitOut | JsonValue


class FlowOut(Reply):
    """A flow that can be run: what it does, and its inputs with their types."""

    name: str
    about: str
    input: dict[str, str]


class FlowRunIn(Conditioned):
    """The inputs of a run by name; with `stream` as events: `step`s, `delta`s (an answer's text), then `output`."""

    given: dict[str, Given] = Field(max_length=50)
    stream: bool = False


class StepOut(Reply):
    """What became of a step: "started", "finished", "skipped", "failed"; `key` says of which round and element."""

    key: str
    state: str
    seconds: float = 0.0
    reason: Said = ""


class FlowRunOut(Reply):
    """What came out, by name: answers, passages, texts and numbers; null where a branch gave nothing."""

    output: dict[str, Output]

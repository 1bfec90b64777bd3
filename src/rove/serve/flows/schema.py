"""What a run of a flow is given, and what comes out of it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from rove.flow.journal import RunInfo
from rove.serve.questions.filters import Conditioned
from rove.serve.questions.results import AnswerOut, HitOut
from rove.serve.questions.schema import MAX_QUESTION_CHARS
from rove.serve.redaction import Said
from rove.serve.schema import Reply, Wire

Given = Annotated[str, Field(max_length=MAX_QUESTION_CHARS)] | int | float | bool | list[str]
Output = AnswerOut | list[HitOut] | HitOut | JsonValue


class FlowOut(Reply):
    """A flow that can be run: what it does, and its inputs with their types."""

    name: str
    about: str
    input: dict[str, str]


class FlowRunIn(Conditioned):
    """The inputs of a run by name; with `stream` as events: `step`s, `delta`s (an answer's text), then `output`.

    `keep`: the run is kept until it is forgotten, so that it can be resumed, and may wait for a person.
    """

    given: dict[str, Given] = Field(max_length=50)
    stream: bool = False
    keep: bool = False


class FlowResumeIn(Wire):
    """What people answer, by the keys of the steps that asked; `stream`: see `FlowRunIn`."""

    replies: dict[str, Annotated[str, Field(max_length=MAX_QUESTION_CHARS)]] = Field(default={}, max_length=50)
    stream: bool = False


class StepOut(Reply):
    """What became of a step: "started", "finished", "skipped", "failed", "waits"; `key`: of which round and element."""

    key: str
    state: str
    seconds: float = 0.0
    reason: Said = ""


class WaitsOut(Reply):
    """A step that waits for a person: answer by its `key`, with one of the `options` where there are some."""

    key: str
    question: str
    options: list[str]


class FlowRunOut(Reply):
    """What came out, by name: answers, passages, texts and numbers; null where a branch gave nothing.

    `status`: "done", or "waiting" for people to answer what is asked of them. `run_id`: "" where nothing is kept.
    """

    output: dict[str, Output]
    status: str
    run_id: str
    waiting: list[WaitsOut]


class FlowRunInfoOut(Reply):
    """A run that is kept: "open" (under way, or cut off), "waiting", "done" or "failed"; `waiting`: what is asked."""

    run_id: str
    flow: str
    status: str
    steps: int
    started_at: str
    updated_at: str
    waiting: list[str]

    @classmethod
    def of(cls, info: RunInfo) -> FlowRunInfoOut:
        """Make it of a record."""
        return cls(
            run_id=info.run_id,
            flow=info.flow,
            status=info.status,
            steps=info.steps,
            started_at=info.started_at,
            updated_at=info.updated_at,
            waiting=list(info.waiting),
        )

"""What a run of a flow is given, and what comes out of it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue

from rove.errors import MAX_QUESTION_CHARS
from rove.flow.definition import Flow
from rove.flow.flow_plan import FlowNode, FlowPlan
from rove.flow.journal import RunInfo
from rove.flow.picture import levels
from rove.serve.questions.databases import SqlOut
from rove.serve.questions.filters import Conditioned
from rove.serve.questions.results import AnswerOut, HitOut
from rove.serve.redaction import Said
from rove.serve.schema import Reply, Wire

Given = Annotated[str, Field(max_length=MAX_QUESTION_CHARS)] | int | float | bool | list[str]
Output = AnswerOut | list[HitOut] | HitOut | SqlOut | JsonValue


class FlowInputOut(Reply):
    """An input of a flow: "string", "integer", "number", "boolean" or "strings". `required`: it has no default."""

    name: str
    type: str
    required: bool
    default: JsonValue
    about: str


class FlowStepOut(Reply):
    """A step of a flow as it is drawn. `use`: its operator, `about`: what that does.

    `row`, from 0: it stands below all that it waits for, beside what runs at the same time. `before`: the steps that it
    refers to, `back`: those that it sees as they were in the round before. `loop`: the loop that it is part of, or "".
    `when`: its condition, or "". `each`: it runs once for each element of a list.
    """

    name: str
    use: str
    about: str
    row: int
    before: list[str]
    back: list[str]
    loop: str
    when: str
    each: bool

    @classmethod
    def of(cls, node: FlowNode, row: int) -> FlowStepOut:
        """Make it of a record."""
        return cls(
            name=node.name,
            use=node.operator.name,
            about=node.operator.about,
            row=row,
            before=sorted(node.before),
            back=sorted(node.back),
            loop=node.loop,
            when=node.when.text if node.when else "",
            each=node.each is not None,
        )


class FlowLoopOut(Reply):
    """A loop of a flow: its steps are done again until a condition holds, "" for none, `at_most` so many times."""

    name: str
    at_most: int
    until: str


class FlowOut(Reply):
    """A flow: what it does, what it takes, and its graph. It is run by its `name`; `title` is what it calls itself.

    `input`: the types of the inputs by name.
    """

    name: str
    title: str
    about: str
    input: dict[str, str]
    inputs: list[FlowInputOut]
    steps: list[FlowStepOut]
    loops: list[FlowLoopOut]

    @classmethod
    def of(cls, name: str, plan: FlowPlan) -> FlowOut:
        """Make it of a plan."""
        steps = [FlowStepOut.of(node, row) for row, nodes in enumerate(levels(plan)) for node in nodes]
        return cls.drawn(name, plan.flow, steps)

    @classmethod
    def drawn(cls, name: str, flow: Flow, steps: list[FlowStepOut]) -> FlowOut:
        """Make it of a flow and its steps as they are drawn."""
        inputs = [
            FlowInputOut(name=key, type=one.type, required=one.default is None, default=one.default, about=one.about)
            for key, one in flow.input.items()
        ]
        loops = [FlowLoopOut(name=one.name, at_most=one.at_most, until=one.until) for one in flow.loops]
        return cls(
            name=name,
            title=flow.name,
            about=flow.about,
            input={key: one.type for key, one in flow.input.items()},
            inputs=inputs,
            steps=steps,
            loops=loops,
        )


class FlowRunIn(Conditioned):
    """The inputs of a run by name.

    With `stream` as events: `run` (its id, of one that is kept), `step`s, `delta`s (an answer's text), then `output`.
    `keep`: the run is kept until it is forgotten, so that it can be resumed, and may wait for a person.
    """

    given: dict[str, Given] = Field(max_length=50)
    stream: bool = False
    keep: bool = False


class FlowResumeIn(Wire):
    """What people answer, by the keys of the steps that asked; `stream`: see `FlowRunIn`."""

    replies: dict[str, Annotated[str, Field(max_length=MAX_QUESTION_CHARS)]] = Field(default={}, max_length=50)
    stream: bool = False


class RunBegunOut(Reply):
    """The id under which a run is kept."""

    run_id: str


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
    """A run that is kept: "open" (under way, or cut off), "waiting", "done", "failed" or "unreadable".

    `waiting`: what is asked. `question`: the first text that it was given.
    """

    run_id: str
    flow: str
    status: str
    steps: int
    started_at: str
    updated_at: str
    waiting: list[str]
    question: str

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
            question=info.question,
        )


class StepSoFarOut(Reply):
    """What became of a step, by its key ("found@2#0": round 2, first element): "finished" or "failed".

    `output`: what it gave: answers, passages and rows as they are told elsewhere, other records by their fields.
    """

    key: str
    state: str
    seconds: float
    reason: Said
    output: JsonValue


class FlowRunSoFarOut(Reply):
    """A run that is kept, as it stands: the flow as it was when the run began, what it was given, and each step.

    `output`: what came out of one that is "done"; see `FlowRunOut`. `reason`: why it failed. `note`: what is left out,
    because a document was erased, or may no longer be seen.
    """

    run_id: str
    flow: FlowOut
    status: str
    given: dict[str, JsonValue]
    steps: list[StepSoFarOut]
    waiting: list[WaitsOut]
    output: dict[str, Output]
    reason: Said
    note: Said

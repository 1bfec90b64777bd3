"""What goes over the wire while an administrator puts a flow together."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rove.serve.flows.schema import FlowOut, FlowRunIn
from rove.serve.redaction import Said
from rove.serve.schema import Reply, Wire

MOST_TEXT_BYTES = 64_000
"""How long the text of a flow may be that is put together over HTTP."""
Text = Annotated[str, Field(max_length=MOST_TEXT_BYTES)]
Name = Annotated[str, Field(max_length=64)]
Version = Annotated[str, Field(max_length=64)]


class OperatorInputOut(Reply):
    """An input of an operator; `default`: as it is written in a flow, "" where it is left to the operator."""

    name: str
    type: str
    required: bool
    default: str


class OperatorOut(Reply):
    """An operator. `changes`: something, so that flows which are served cannot have it. `needs`: see `rove.flow`."""

    name: str
    about: str
    inputs: list[OperatorInputOut]
    output: str
    changes: bool
    needs: list[str]


class FlowTextIn(Wire):
    """The text of a flow, in TOML; `name`: of the file that it is meant for."""

    text: Text
    name: Name = ""


class FaultOut(Reply):
    """What is wrong: where, in which `step` ("": in none), on which `line` (from 1), and what to do."""

    place: str
    step: str
    line: int
    reason: Said
    cure: Said


class StepLinesOut(Reply):
    """The lines of a step in the text, from 1 on."""

    name: str
    first: int
    last: int


class FlowCheckOut(Reply):
    """What is wrong in a text. `lacks`: what the base has not; it can be saved, and fails where it runs.

    `flow`: its picture, also of one with faults; null where not even its steps can be read.
    """

    faults: list[FaultOut]
    lacks: list[FaultOut]
    flow: FlowOut | None
    lines: list[StepLinesOut]


class FlowInsertIn(FlowTextIn):
    """Where a step of an operator shall stand, or a "loop" or a "branch": at which line of the text, from 1 on."""

    use: Annotated[str, Field(max_length=200)]
    line: int = Field(ge=0, le=MOST_TEXT_BYTES)


class FlowInsertOut(Reply):
    """What is put in, after which line (0: before the first); `name`: of the step or loop."""

    after: int
    name: str
    text: str


class FlowTryIn(FlowRunIn):
    """A run of a text that is not saved. Nothing is kept of it."""

    text: Text


class FlowFileOut(Reply):
    """A flow's file. `served`: it can be run. `faults`: how many.

    `here`: it is changed over HTTP, as it is TOML and its name plain. `deleted`: only its state before that is there.
    """

    name: str
    file: str
    version: str
    served: bool
    faults: int
    here: bool
    deleted: bool


class FlowTemplateOut(Reply):
    """A flow that comes with Rove, to begin with a copy of."""

    name: str
    about: str
    text: str


class FlowFilesOut(Reply):
    """What an administrator can change. `folder`: `serve.flows` is set. `closed`: nothing is changed over HTTP."""

    folder: bool
    closed: bool
    files: list[FlowFileOut]
    templates: list[FlowTemplateOut]


class FlowSourceOut(Reply):
    """The text of a file and its version: give it with a change. `before`: there is a state before the last change."""

    name: str
    text: str
    version: str
    before: bool


class FlowSourceIn(Wire):
    """What shall stand in the file; `version`: of the text that it was written from, "" of a new file."""

    text: Text
    version: Version = ""


class FlowRenameIn(Wire):
    """What the file shall be called; `version`: of the text that was seen."""

    name: Name
    version: Version

"""What goes over the wire of settings: each with what it does, where its value comes from, and when a change counts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, JsonValue

from rove.serve.json_values import Values
from rove.serve.redaction import Cure, Said
from rove.serve.schema import Reply, Wire
from rove.settings.origins import Origin
from rove.settings.section import Counts

Held = Literal["", "secret", "file", "models", "environment", "argument", "closed"]
Kind = Literal["boolean", "integer", "number", "string", "array", "object"]
Model = Literal["chat", "embedder", "reranker", "judge"]


class SettingOut(Reply):
    """One setting. `value`: what holds now; `default`: what holds where nobody sets it.

    `waits`: the next start will have `next`, which the file says by now. `counts`: when a change counts: "now", from
    the next "start", or then, for "documents" that are read. `held`: why it is not changed here: it is a "secret", it
    names a place of the server's machine or guards it ("file"), it says which "models" are asked, the "environment"
    variable `variable` or an "argument" of the start wins over the file, or all are ("closed"); "": it is changed here.
    `choices`: what it can be; `suggestions`: what is there to be named. `itself`: it is the default or less.
    """

    name: str
    value: JsonValue
    default: JsonValue
    waits: bool = False
    next: JsonValue = None
    kind: Kind
    choices: list[str] = []
    suggestions: list[str] = []
    least: float | None = None
    above: float | None = None
    most: float | None = None
    nullable: bool = False
    meaning: str
    origin: Origin
    variable: str = ""
    counts: Counts
    held: Held = ""


class SettingsTableOut(Reply):
    """One table of the settings."""

    name: str
    meaning: str
    settings: list[SettingOut]


class SettingsOut(Reply):
    """The settings of a space. `version` says which state of the file they are of: give it with a change.

    `spaces`: those whose settings stand in the same file, and change with it. `closed`: why nothing is changed here,
    and `cure` what to do about it; "": it is.
    """

    space: str
    file: str
    version: str
    spaces: list[str]
    closed: Said = ""
    cure: Cure = ""
    sections: list[SettingsTableOut]


class SettingsIn(Wire):
    """Settings by their full names; null takes one out of the file. All are changed, or none."""

    version: Annotated[str, Field(max_length=64)]
    values: Values = Field(min_length=1, examples=[{"search.top_k": 8, "answer.style": None}])


class SettingsChangedOut(Reply):
    """What was changed, by when it counts, and the settings as they are now."""

    now: list[str]
    start: list[str]
    documents: list[str]
    settings: SettingsOut


class TryIn(Wire):
    """Which model to try."""

    model: Model


class TriedOut(Reply):
    """What came of a try. `name`: what the model calls itself; `words`: how its reply begins."""

    works: bool
    name: str
    ms: float
    tokens_read: int = 0
    tokens_written: int = 0
    words: str = ""
    dimension: int = 0
    detail: Said = ""
    cure: Cure = ""

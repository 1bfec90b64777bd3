"""What a flow is: named steps, each an operator with its inputs, and what comes out; read from TOML or YAML."""

from __future__ import annotations

import tomllib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, TypeVar, cast

import msgspec
import yaml

from rove.errors import ConfigError, meant
from rove.flow.operator import RESERVED

InputType = Literal["string", "integer", "number", "boolean", "strings"]
TYPES: Mapping[InputType, Any] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "strings": tuple[str, ...],
}
SUFFIXES = (".toml", ".yaml", ".yml")
MOST_BYTES = 1_000_000
T = TypeVar("T")
Operators = Mapping[str, Callable[..., Awaitable[object]]]
NONE: Operators = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class InputSpec:
    """What a run is given under a name; with a `default` it may be left out."""

    type: InputType = "string"
    default: Any = None
    about: str = ""


@dataclass(frozen=True, slots=True)
class StepSpec:
    """A step: an operator by its name, or a function, and what it is given.

    `given`: values, and references ("$found.hits | $stored": the first that is there).
    `when`: a condition; where it does not hold, the step is skipped. See `rove.flow.condition`.
    `each`: a reference to a list: the step runs once for each element, which is "$item", `at_once` at a time.
    `on_error`: "fail" ends the run; "skip" goes on as if the step had been skipped, and `failed(step)` holds.
    `retry`: how often it is tried again where waiting may help. `seconds`: how long it may take; 0: as the flow.
    `join`: "first" starts as soon as one alternative of each reference is there, and not when all are done.
    `confirm`: a person is asked before a step that must not be done twice.
    """

    name: str
    use: Any
    given: Mapping[str, Any] = field(default_factory=dict[str, Any])
    when: str = ""
    each: str = ""
    at_once: int = 4
    on_error: Literal["fail", "skip"] = "fail"
    retry: int = 0
    seconds: float = 0.0
    join: Literal["all", "first"] = "all"
    confirm: bool = True


@dataclass(frozen=True, slots=True)
class LoopSpec:
    """Steps that are done again, in rounds, until a condition holds, `at_most` so many times.

    In a round, what a step says of itself or of one that is named after it is of the round before.
    """

    name: str
    steps: tuple[str, ...]
    at_most: int
    until: str = ""


@dataclass(frozen=True, slots=True)
class Flow:
    """A flow.

    `writes`: it may change the base or anything else. `seconds`: how long a run may take, people apart.
    `source` and `text`: the name of its file, and what stands there; "" of one that is made by code.

    By code it is put together so; what is not known is said by `check`:

    >>> flow = Flow("two").step("found", "retrieve", question="$input.question")
    >>> flow = flow.step("answer", "answer", question="$input.question", found="$found").gives(answer="$answer")
    >>> [step.use for step in flow.steps]
    ['retrieve', 'answer']
    """

    name: str
    about: str = ""
    writes: bool = False
    seconds: float = 3_600.0
    input: Mapping[str, InputSpec] = field(default_factory=lambda: {"question": InputSpec()})
    steps: tuple[StepSpec, ...] = ()
    loops: tuple[LoopSpec, ...] = ()
    output: Mapping[str, Any] = field(default_factory=dict[str, Any])
    source: str = ""
    text: str = ""

    def step(self, name: str, use: str | Callable[..., Awaitable[object]], **given: object) -> Flow:
        """Return the flow with one more step; `when`, `each`, `on_error` … are as in `StepSpec`."""
        return replace(self, steps=(*self.steps, _step_spec(name, {"use": use, **given}, self.source or self.name)))

    def loop(self, name: str, *steps: str, at_most: int, until: str = "") -> Flow:
        """Return the flow with one more loop, over steps that it has."""
        return replace(self, loops=(*self.loops, LoopSpec(name, steps, at_most, until)))

    def takes(self, **inputs: InputType | InputSpec) -> Flow:
        """Return the flow with these inputs, in place of the one that is usual, "question"."""
        made = {name: one if isinstance(one, InputSpec) else InputSpec(one) for name, one in inputs.items()}
        return replace(self, input=made)

    def gives(self, **output: object) -> Flow:
        """Return the flow with what comes out."""
        return replace(self, output=output)


def read_flow(path: str | Path, operators: Operators = NONE) -> Flow:
    """Read a flow's file, or the template of that name.

    Args:
        path: the file, or the name of a template.
        operators: functions of your program that the file may use beside the registered operators, by the names that
            it has for them. A file alone can never name code.

    Raises:
        ConfigError: there is none, or it is no flow; the message says where in the file.
    """
    file = Path(path)
    if file.suffix not in SUFFIXES and str(path) in templates():
        text = files("rove.flow").joinpath("templates", f"{path}.toml").read_text("utf-8")
        return flow_of(text, f"{path}.toml", operators)
    try:
        if file.stat().st_size > MOST_BYTES:
            message = f"{file} has {file.stat().st_size:,} bytes, too many for a flow."
            raise ConfigError(message, cure=f"It may have {MOST_BYTES:,}.")
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"The flow {str(path)!r} cannot be read: {error}."
        names = templates()
        raise ConfigError(message, cure=f"{meant(str(path), names)}Templates: {', '.join(names)}.") from error
    return flow_of(text, file.name, operators)


def templates() -> tuple[str, ...]:
    """The names of the flows that come with Rove."""
    found = (one.name for one in files("rove.flow").joinpath("templates").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in found if name.endswith(".toml")))


def flow_of(text: str, source: str, operators: Operators = NONE) -> Flow:
    """Read a flow from the text of its file; `source` is the file's name, whose ending says TOML or YAML.

    `operators`: see `read_flow`.

    Raises:
        ConfigError: it is no flow.
    """
    try:
        tree: object = tomllib.loads(text) if source.endswith(".toml") else yaml.safe_load(text)
    except (tomllib.TOMLDecodeError, yaml.YAMLError, RecursionError) as error:
        message = f"{source} cannot be read: {error}."
        raise ConfigError(message, cure="Correct it there.") from error
    table = _require_flow_table(tree, source, "the file")
    _check_flow_table_keys(
        table, {"name", "about", "writes", "seconds", "input", "steps", "loops", "output"}, source, "the file"
    )
    return Flow(
        name=_as(table.get("name", Path(source).stem), str, source, "name"),
        about=_as(table.get("about", ""), str, source, "about"),
        writes=_as(table.get("writes", False), bool, source, "writes"),
        seconds=_as(table.get("seconds", 3_600.0), float, source, "seconds"),
        input={
            name: _input(one, source, f"input.{name}")
            for name, one in _require_flow_table(table.get("input", {"question": "string"}), source, "input").items()
        },
        steps=tuple(
            _step_spec(name, _require_flow_table(one, source, f"steps.{name}"), source, operators)
            for name, one in _require_flow_table(table.get("steps", {}), source, "steps").items()
        ),
        loops=tuple(
            _loop(name, _require_flow_table(one, source, f"loops.{name}"), source)
            for name, one in _require_flow_table(table.get("loops", {}), source, "loops").items()
        ),
        output=_require_flow_table(table.get("output", {}), source, "output"),
        source=source,
        text=text,
    )


def flow_json(flow: Flow) -> str:
    """Write a flow as JSON, to be kept with its run; functions are named in it, and cannot be read back."""
    return msgspec.json.encode(flow, enc_hook=lambda function: f"({getattr(function, '__name__', function)})").decode()


def from_json(text: str) -> Flow:
    """Read back what `flow_json` wrote."""
    return msgspec.json.decode(text, type=Flow)


def _input(value: object, source: str, place: str) -> InputSpec:
    return _as({"type": value} if isinstance(value, str) else value, InputSpec, source, place)


def _step_spec(name: str, table: Mapping[str, Any], source: str, operators: Operators = NONE) -> StepSpec:
    place = f"steps.{name}"
    if "use" not in table:
        message = f"{source}: {place} names no operator."
        raise ConfigError(message, cure=f'Write use = "…" below [{place}]. List operators with: rove flow operators')
    own = {key: value for key, value in table.items() if key in RESERVED}
    given = {key: value for key, value in table.items() if key not in RESERVED}
    step = _as({**own, "name": name}, StepSpec, source, place)
    if step.at_once < 1 or not 0 <= step.retry <= 10 or step.seconds < 0:  # noqa: PLR2004
        message = f"{source}: {place} has at_once {step.at_once}, retry {step.retry}, seconds {step.seconds:g}."
        raise ConfigError(message, cure="at_once is 1 or more, retry 0 to 10, seconds 0 or more.")
    return replace(step, given=given, use=operators.get(step.use, step.use) if isinstance(step.use, str) else step.use)


def _loop(name: str, table: Mapping[str, Any], source: str) -> LoopSpec:
    place = f"loops.{name}"
    if "at_most" not in table:
        message = f"{source}: {place} has no bound."
        raise ConfigError(message, cure=f"Write at_most = 3, or another number, below [{place}].")
    _check_flow_table_keys(table, {"steps", "until", "at_most"}, source, place)
    return _as({**table, "name": name}, LoopSpec, source, place)


def _as(value: object, kind: type[T], source: str, place: str) -> T:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        message = f"{source}: {place} is wrong: {error}."
        raise ConfigError(message, cure="Correct it there.") from error


def _require_flow_table(value: object, source: str, place: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping) or not all(
        isinstance(key, str) for key in cast("Mapping[object, object]", value)
    ):
        message = f"{source}: {place} is not a table of names."
        raise ConfigError(message, cure="A flow has the tables input, steps, loops and output.")
    return cast("Mapping[str, Any]", value)


def _check_flow_table_keys(table: Mapping[str, Any], names: set[str], source: str, place: str) -> None:
    for name in table:
        if name not in names:
            message = f"{source}: {place} has {name!r}, which there is not."
            raise ConfigError(message, cure=f"{meant(name, sorted(names))}There are: {', '.join(sorted(names))}.")

"""The contract of operators: a typed asynchronous function, with what it works with first and its inputs by name."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeVar, get_type_hints

from rove.conversation.stages import Stages
from rove.engine import AsyncRove
from rove.errors import ConfigError
from rove.events import Listener, ignore
from rove.flow.value_types import Type
from rove.records import Filter, History
from rove.registry import Registry
from rove.retrieve.condition import parse_where

Effects = Literal["none", "repeatable", "once"]
"""What an operator changes: nothing; something that running it again does not change further; or something that must
not be done twice (a payment, a mail)."""
Need = Literal["chat", "databases", "tools"]
"""What must be there: a chat model; a database, or a tool, which the operator's input of that name names."""
RESERVED = frozenset({"use", "when", "each", "at_once", "on_error", "retry", "seconds", "join", "confirm"})
_MARKS = "rove_operator"
T = TypeVar("T", bound=Callable[..., Awaitable[object]])
START = History()


class WaitingError(Exception):
    """A step waits for a person. It is caught by the run, and never seen by who runs a flow."""

    def __init__(self, question: str, options: Sequence[str] = (), key: str = "") -> None:
        super().__init__(question)
        self.question, self.options, self.key = question, tuple(options), key


def _nobody(question: str, options: Sequence[str]) -> str:
    raise WaitingError(question, options)


async def _raise_waiting_error(what: str) -> None:
    raise WaitingError(what)


@dataclass(frozen=True, slots=True)
class FlowContext:
    """What operators work with: an open base, and the run that they are part of.

    `where` holds for all that is read of the base: an operator that reads it hands it on. `listener` is told what goes
    on within a step. `ask` returns what a person says; where nobody has answered yet, the run waits. `once` comes back
    when a person has agreed to what shall be done, and it is kept that it begins: see `operator`.
    """

    kb: AsyncRove
    where: Filter | None = None
    history: History = START
    listener: Listener = ignore
    ask: Callable[[str, Sequence[str]], str] = _nobody
    once: Callable[[str], Awaitable[None]] = _raise_waiting_error

    def within(self, conditions: Sequence[str]) -> Filter | None:
        """The filter of the run, and conditions like "layer=reviews", which must hold as well.

        Raises:
            InputError: one is no condition.
        """
        more = parse_where(conditions)
        return more if self.where is None else self.where if more is None else self.where & more

    @property
    def stages(self) -> Stages:
        """The stages of `ask` one by one."""
        return Stages(self.kb.search_context, self.kb.chat_model(), self.kb.settings, self.kb.text)


@dataclass(frozen=True, slots=True)
class Input:
    """One input of an operator; `required`: it has no default, and cannot be None."""

    type: Type
    required: bool


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator as a flow sees it. `needs`: what must be there for it to run. `confirms`: see `operator`."""

    name: str
    run: Callable[..., Awaitable[object]]
    inputs: Mapping[str, Input]
    output: Type
    effects: Effects = "none"
    needs: tuple[Need, ...] = ()
    confirms: bool = False

    @property
    def about(self) -> str:
        """What it does, in one line."""
        return (inspect.getdoc(self.run) or "").partition("\n")[0]


@dataclass(frozen=True, slots=True)
class _Marks:
    effects: Effects = "none"
    needs: tuple[Need, ...] = field(default_factory=tuple)
    confirms: bool = False


def operator(*, effects: Effects = "none", needs: tuple[Need, ...] = (), confirms: bool = False) -> Callable[[T], T]:
    """Say of a function what it changes and needs; one without this changes nothing, and needs nothing.

    `confirms`: of the effect "once": a person is not asked before it runs; it says itself, by `FlowContext.once`, what
    it is about to do.
    """

    def mark(function: T) -> T:
        setattr(function, _MARKS, _Marks(effects, needs, confirms))
        return function

    return mark


@cache
def operator_of(function: Callable[..., Awaitable[object]], name: str = "") -> Operator:
    """Read the inputs and the output of a function from its annotations.

    Raises:
        ConfigError: it is no operator: something is not annotated, or its first parameter takes no `FlowContext`.
    """
    name = name or getattr(function, "__name__", "operator")
    marks: _Marks = getattr(function, _MARKS, _Marks())
    parameters = list(inspect.signature(function).parameters.values())
    hints = _operator_type_hints(function, name)
    wrong = [
        one.name for one in parameters if one.name not in hints or one.kind in (one.VAR_KEYWORD, one.VAR_POSITIONAL)
    ]
    if not inspect.iscoroutinefunction(function) or not parameters or wrong or "return" not in hints:
        raise _no_operator(name, f"Annotate {', '.join(wrong)}." if wrong else "")
    first, *others = parameters
    taken = [one.name for one in others if one.name in RESERVED]
    if hints[first.name] is not FlowContext or taken:
        raise _no_operator(name, f"Rename {', '.join(taken)}: flows use this word." if taken else "")
    inputs = {one.name: Input(hints[one.name], one.default is one.empty) for one in others}
    return Operator(name, function, inputs, hints["return"], marks.effects, marks.needs, marks.confirms)


def _operator_type_hints(function: Callable[..., object], name: str) -> Mapping[str, Any]:
    try:
        return get_type_hints(function)
    except (NameError, TypeError) as error:
        raise _no_operator(name, f"{error}; import the types where the module begins.") from error


def _no_operator(name: str, cure: str) -> ConfigError:
    message = f"{name!r} is not an operator."
    return ConfigError(message, cure=cure or "Write: async def name(context: FlowContext, *, text: str) -> str")


OPERATORS = Registry(
    "operator",
    "rove.operators",
    {
        "understand": "rove.flow.operators.question:understand",
        "reply": "rove.flow.operators.question:reply",
        "classify": "rove.flow.operators.question:classify",
        "slots": "rove.flow.operators.question:slots",
        "search": "rove.flow.operators.retrieval:search",
        "retrieve": "rove.flow.operators.retrieval:retrieve",
        "fuse": "rove.flow.operators.retrieval:fuse",
        "rerank": "rove.flow.operators.retrieval:rerank",
        "judge": "rove.flow.operators.retrieval:judge",
        "gather": "rove.flow.operators.retrieval:gather",
        "stored-answer": "rove.flow.operators.answering:stored_answer",
        "answer": "rove.flow.operators.answering:answer",
        "answer-gathered": "rove.flow.operators.answering:answer_gathered",
        "unsourced": "rove.flow.operators.answering:unsourced",
        "walk": "rove.flow.operators.answering:walk",
        "write": "rove.flow.operators.writing:write",
        "human": "rove.flow.operators.people:human",
        "sql": "rove.flow.operators.databases:sql",
        "sql-tables": "rove.flow.operators.databases:sql_tables",
        "tool": "rove.flow.operators.tools:tool",
        "tool-once": "rove.flow.operators.tools:tool_once",
        "answer-with-tool": "rove.flow.operators.tools:answer_with_tool",
        "add": "rove.flow.operators.documents:add",
        "enrich": "rove.flow.operators.documents:enrich",
        "layers": "rove.flow.operators.layers:layers",
        "explore": "rove.flow.operators.graph:explore",
        "figures": "rove.flow.operators.figures:figures",
        "compute": "rove.flow.operators.figures:compute",
        "answer-from": "rove.flow.operators.answering:answer_from",
        "report": "rove.flow.operators.report:report",
    },
)
"""A new operator is one file with a function, and one line here; from another package, an entry point."""


def operator_named(name: str) -> Operator:
    """Return the operator of that name.

    Raises:
        ConfigError: there is none, or what an installed package has for it is no operator.
    """
    return operator_of(OPERATORS.get(name), name)

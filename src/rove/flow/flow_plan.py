"""A flow made ready to run: its steps with their operators, what each waits for, and all that is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter
from typing import TypeVar

from rove.errors import ConfigError, RoveError, meant
from rove.flow.condition import Condition, read_condition
from rove.flow.definition import Flow, LoopSpec, StepSpec
from rove.flow.operator import Operator, operator_named, operator_of
from rove.flow.reference import Choice, Reference, choices, parsed

INPUT, ITEM = "input", "item"
MOST_ROUNDS = 1_000
MOST_PROBLEMS = 100
"""What is wrong beyond these is said when they are mended: whatever the text, a check comes to its end soon."""
_NAME = re.compile(r"[a-z][a-z0-9_]*")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong in a flow: where, what, and what to do."""

    place: str
    reason: str
    cure: str


class EnoughError(Exception):
    """So much is wrong that the check stops here."""


def note_problem(problems: list[Problem], problem: Problem) -> None:
    """Add a problem; raises `EnoughError` at the last that is told."""
    problems.append(problem)
    if len(problems) >= MOST_PROBLEMS:
        raise EnoughError


@dataclass(frozen=True, slots=True)
class FlowNode:
    """A step that is ready to run.

    `before`: the steps that it refers to. `back`: those of them that it sees as they were in the round before.
    """

    spec: StepSpec
    operator: Operator
    given: Mapping[str, object]
    when: Condition | None
    each: Choice | None
    before: frozenset[str]
    back: frozenset[str]
    loop: str = ""

    @property
    def name(self) -> str:
        """The step's name."""
        return self.spec.name

    @property
    def references(self) -> Iterator[Reference]:
        """All that it refers to."""
        for choice in (*choices(dict(self.given)), *([self.each] if self.each else [])):
            yield from choice.references
        yield from self.when.references if self.when else ()


@dataclass(frozen=True, slots=True)
class Round:
    """A loop that is ready to run. `before`: what its steps refer to outside of it."""

    spec: LoopSpec
    until: Condition | None
    before: frozenset[str]

    @property
    def name(self) -> str:
        """The loop's name."""
        return self.spec.name


@dataclass(frozen=True, slots=True)
class FlowPlan:
    """A flow as it runs. `owner`: step → the loop that it is part of, else itself."""

    flow: Flow
    nodes: Mapping[str, FlowNode]
    rounds: Mapping[str, Round]
    output: Mapping[str, object]
    owner: Mapping[str, str] = field(default_factory=dict[str, str])

    def of(self, name: str) -> frozenset[str]:
        """What a step outside of loops, or a loop, waits for: steps and loops."""
        before = self.rounds[name].before if name in self.rounds else self.nodes[name].before
        return frozenset(self.owner[one] for one in before)

    @property
    def top(self) -> tuple[str, ...]:
        """The steps outside of loops, and the loops."""
        return tuple(dict.fromkeys(self.owner.values()))


class Planner:
    """Makes a plan of a flow, and collects what is wrong on the way."""

    def __init__(self, flow: Flow) -> None:
        self.flow = flow
        self.problems: list[Problem] = []
        self._steps = {step.name: step for step in flow.steps}
        self._loop_of = {step: loop for loop in flow.loops for step in loop.steps}

    def planned(self) -> FlowPlan:
        """Return the plan, of what could be read."""
        try:
            return self._planned()
        except EnoughError:
            return FlowPlan(self.flow, {}, {}, {})

    # -- inside ----------------------------------------------------------------------------------------------------

    def _planned(self) -> FlowPlan:
        self._check_names()
        nodes = {step.name: node for step in self.flow.steps if (node := self._node(step))}
        rounds = {loop.name: self._round(loop, nodes) for loop in self.flow.loops}
        output = self._parsed("output", dict(self.flow.output)) or {}
        if not output and not any(node.operator.effects != "none" for node in nodes.values()):
            self._add("output", "Nothing comes out of the flow.", 'Write, below [output]: answer = "$answer"')
        self._check_roots("output", (one for choice in choices(output) for one in choice.references))
        owner = {name: self._loop_of[name].name if name in self._loop_of else name for name in nodes}
        plan = FlowPlan(self.flow, nodes, rounds, output, owner)
        self._check_cycles(plan)
        return plan

    def _node(self, step: StepSpec) -> FlowNode | None:
        place = f"steps.{step.name}"
        operator = self._tried(place, lambda: _resolve_operator(step.use))
        given = self._parsed(place, dict(step.given))
        when = self._condition(f"{place}.when", step.when)
        each = self._each(f"{place}.each", step.each)
        if operator is None or given is None:
            known = (one for choice in choices(dict(given or {})) for one in choice.references)
            self._check_roots(place, known, item=bool(step.each))
            return None
        node = FlowNode(step, operator, given, when, each, frozenset(), frozenset())
        roots = [one.root for one in node.references] + list(when.failures if when else ())
        self._check_roots(place, node.references, item=bool(step.each))
        before = frozenset(roots) & self._steps.keys()
        loop = self._loop_of.get(step.name)
        back = frozenset(one for one in before if loop and one in loop.steps[_place_in_loop(loop, step.name) :])
        if not loop and step.name in before:
            self._add(place, "The step refers to itself.", "Only steps of a loop can: they see the round before.")
        return FlowNode(step, operator, given, when, each, before - back, back, loop.name if loop else "")

    def _each(self, place: str, text: str) -> Choice | None:
        given = text
        read: object = self._tried(place, lambda: parsed(text)) if text else None
        if text and not isinstance(read, Choice):
            self._add(place, f"{given!r} is not a reference.", 'Write "$step.list"')
        return read if isinstance(read, Choice) else None

    def _round(self, loop: LoopSpec, nodes: Mapping[str, FlowNode]) -> Round:
        place = f"loops.{loop.name}"
        until = self._condition(f"{place}.until", loop.until)
        if not 1 <= loop.at_most <= MOST_ROUNDS:
            self._add(place, f"at_most is {loop.at_most}.", f"Write a number from 1 to {MOST_ROUNDS:,}.")
        for name in loop.steps:
            if name not in self._steps:
                named = name
                self._add(place, f"There is no step {named!r}.", self._steps_that_are(name))
            elif self._loop_of[name] is not loop:
                named = name
                self._add(place, f"The step {named!r} is in another loop too.", "A step can be in one loop only.")
        before = {one for name in loop.steps if name in nodes for one in (*nodes[name].before, *nodes[name].back)}
        if until:
            self._check_roots(place, until.references)
            before |= {one.root for one in until.references} | set(until.failures)
        return Round(loop, until, frozenset(before - set(loop.steps)) & self._steps.keys())

    def _check_names(self) -> None:
        names = [*(step.name for step in self.flow.steps), *(loop.name for loop in self.flow.loops)]
        for name in names:
            if not _NAME.fullmatch(name) or name in (INPUT, ITEM, "true", "false", "nothing", "count", "failed"):
                given = name
                self._add(name, f"{given!r} cannot be a name.", "Use small letters, digits and _.")
            if names.count(name) > 1:
                given = name
                self._add(name, f"{given!r} is named twice.", "Give each step and loop a name of its own.")

    def _check_roots(self, place: str, references: Iterable[Reference], *, item: bool = False) -> None:
        for one in references:
            reference = str(one)
            if one.root == INPUT:
                first = str(one.path[0]) if one.path else ""
                if first not in self.flow.input:
                    known = ", ".join(self.flow.input)
                    self._add(
                        place, f"{reference} is not an input.", meant(first, self.flow.input) + f"Inputs: {known}."
                    )
            elif one.root == ITEM and not item:
                self._add(place, f"{reference} stands in a step without each.", 'Write each = "$step.list" there.')
            elif one.root != ITEM and one.root not in self._steps:
                self._add(place, f"{reference} names no step.", self._steps_that_are(one.root))

    def _check_cycles(self, plan: FlowPlan) -> None:
        try:
            tuple(TopologicalSorter({name: plan.of(name) & set(plan.top) for name in plan.top}).static_order())
        except CycleError as error:
            circle: list[str] = error.args[1][1:]
            first = min(circle, key=plan.top.index)
            at = circle.index(first)
            way = " → ".join([first, *reversed([*circle[at + 1 :], *circle[:at]]), first])
            cure = 'Put them into a loop with a bound: [loops.again] steps = […], until = "…", at_most = 3'
            self._add(f"steps.{first}", f"Steps wait for each other: {way}.", cure)
        except KeyError:  # of a step that could not be read, which was said
            return

    def _condition(self, place: str, text: str) -> Condition | None:
        return self._tried(place, lambda: read_condition(text)) if text else None

    def _parsed(self, place: str, table: Mapping[str, object]) -> Mapping[str, object] | None:
        return self._tried(place, lambda: {name: parsed(value) for name, value in table.items()})

    def _tried(self, place: str, read: Callable[[], T]) -> T | None:
        try:
            return read()
        except RoveError as error:
            self._add(place, error.reason, error.cure)
        except ValueError as error:
            cure = 'References are like "$found.hits | $stored"; conditions like: not stored and count(found.hits) < 3'
            self._add(place, f"{error}.", cure)
        return None

    def _steps_that_are(self, name: str) -> str:
        names = ", ".join(self._steps)
        return meant(name, self._steps) + f"Steps: {names}."

    def _add(self, place: str, reason: str, cure: str) -> None:
        note_problem(self.problems, Problem(place, reason, cure))


def refused(flow: Flow, problems: Sequence[Problem]) -> ConfigError:
    """Make the error of a flow that cannot run: the first thing that is wrong, and how many more there are."""
    first = problems[0]
    more = f" ({len(problems) - 1} more: rove flow check)" if len(problems) > 1 else ""
    return ConfigError(f"{flow.source or flow.name}: {first.place}: {first.reason}{more}", cure=first.cure)


def _resolve_operator(use: object) -> Operator:
    if isinstance(use, str):
        return operator_named(use)
    return operator_of(use)  # pyright: ignore[reportArgumentType] - says itself what is no operator


def _place_in_loop(loop: LoopSpec, name: str) -> int:
    return loop.steps.index(name)

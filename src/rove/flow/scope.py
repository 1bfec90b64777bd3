"""The steps of a run that go on together: each begins when what it refers to is there, and loops go round."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from rove.flow.flow_events import FlowListener, StepSkipped
from rove.flow.flow_plan import INPUT, ITEM, FlowNode, FlowPlan, Round
from rove.flow.journal import Journal
from rove.flow.operator import FlowContext
from rove.flow.reference import Choice, Reference, choices, part_of, resolved
from rove.flow.step import Step, key_of

NOT_FOR = "It is for when {condition}."
MISSING = "{name!r} is not there."
State = Literal["done", "skipped", "failed", "blocked"]
"""Of a step that is over. "blocked": it waits for a person, or for a step that does."""


@dataclass(frozen=True, slots=True)
class Work:
    """What all steps of a run share."""

    plan: FlowPlan
    context: FlowContext
    journal: Journal
    given: Mapping[str, object]
    listener: FlowListener


class Scope:
    """Steps and what they gave: those outside of loops, or those of one round of a loop."""

    def __init__(
        self, work: Work, names: Iterable[str], outer: Scope | None = None, before: Scope | None = None, number: int = 0
    ) -> None:
        self._work = work
        self._names = tuple(names)
        self._outer = outer
        self._before = before
        self._number = number
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.values: dict[str, object] = {}
        self.states: dict[str, State] = {}

    @property
    def blocked(self) -> bool:
        """Whether a step waits for a person."""
        return any(self.states.get(name) == "blocked" for name in self._needed())

    async def run(self) -> None:
        """Run the steps until all that is needed is over; the first error of a step ends them all.

        What only loses a race (`join`) is not waited for.
        """
        needed = self._needed()
        try:
            async with asyncio.TaskGroup() as group:
                for name in self._names:
                    self._tasks[name] = group.create_task(self._done(name), name=name)
                await asyncio.wait([self._tasks[name] for name in needed])
                if not any(task.done() and not task.cancelled() and task.exception() for task in self._tasks.values()):
                    for task in self._tasks.values():
                        task.cancel()
        except BaseExceptionGroup as group_of_errors:
            raise _first_error_of_group(group_of_errors) from None

    def outside(self, reference: Reference) -> object:
        """Return what a reference outside of all steps stands for."""
        return self._value(reference, None, None)

    def failed(self, name: str) -> bool:
        """Say whether a step has failed, and the run went on without it."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.states:
                return scope.states[name] == "failed"
            scope = scope._outer
        return False

    # -- inside ----------------------------------------------------------------------------------------------------

    async def _done(self, name: str) -> None:
        rounds = self._work.plan.rounds
        state = await (self._round(rounds[name]) if name in rounds else self._step(self._work.plan.nodes[name]))
        self.states[name] = state

    async def _round(self, loop: Round) -> State:
        if not await self._all(self._work.plan.owner[name] for name in loop.before):
            return "blocked"
        inner: Scope | None = None
        for number in range(1, loop.spec.at_most + 1):
            inner = Scope(self._work, loop.spec.steps, self, inner, number)
            await inner.run()
            if inner.blocked:
                return "blocked"
            if loop.until and loop.until.holds(inner.outside, inner.failed):
                break
        if inner is not None:
            self.values |= inner.values
            self.states |= inner.states
        return "done"

    async def _step(self, node: FlowNode) -> State:
        if not await self._ready(node):
            return "blocked"
        if node.when and not node.when.holds(lambda one: self._value(one, node, None), self.failed):
            return self._skip(node, NOT_FOR.format(condition=node.when.text))
        if node.each is None:
            return await self._once(node, None, None)
        items = resolved(node.each, lambda one: self._value(one, node, None))
        if not isinstance(items, tuple | list):
            return self._skip(node, MISSING.format(name=str(node.each)))
        listed = cast("Sequence[object]", items)
        gate, found = asyncio.Semaphore(node.spec.at_once), dict[int, State]()
        results: dict[int, object] = {}

        async def one(place: int, item: object) -> None:
            async with gate:
                found[place] = await self._once(node, place, item, results)

        async with asyncio.TaskGroup() as group:
            for place, item in enumerate(listed):
                group.create_task(one(place, item))
        self.values[node.name] = tuple(results[place] for place in sorted(results))
        return "blocked" if "blocked" in found.values() else "done"

    async def _once(
        self, node: FlowNode, place: int | None, item: object, results: dict[int, object] | None = None
    ) -> State:
        """Do a step, or one element of it, unless something that it must have is not there."""
        key = key_of(node.name, self._number, place)
        inputs = {name: resolved(value, lambda one: self._value(one, node, item)) for name, value in node.given.items()}
        for name, one in node.operator.inputs.items():
            if inputs.get(name) is None:
                inputs.pop(name, None)
                if one.required:
                    return self._skip(node, MISSING.format(name=name), key)
        state, value = await Step(node, key, self._work.context, self._work.journal, self._work.listener).done(inputs)
        if state != "done":
            return state
        if results is not None and place is not None:
            results[place] = value
        else:
            self.values[node.name] = value
        return state

    def _skip(self, node: FlowNode, reason: str, key: str = "") -> State:
        self._work.listener(StepSkipped(key or key_of(node.name, self._number, None), reason))
        return "skipped"

    def _value(self, reference: Reference, node: FlowNode | None, item: object) -> object:
        root, path = reference.root, reference.path
        if root == INPUT:
            return part_of(self._work.given, path)
        if root == ITEM:
            return part_of(item, path)
        if node is not None and root in node.back:
            return part_of(self._before.values.get(root) if self._before else None, path)
        scope: Scope | None = self
        while scope is not None:
            if root in scope.values:
                return part_of(scope.values[root], path)
            scope = scope._outer
        return None

    # -- waiting ---------------------------------------------------------------------------------------------------

    def _needed(self) -> list[str]:
        """The steps that are waited for: what comes out, what changes something, and in a loop all."""
        plan = self._work.plan
        if self._outer is not None or not any(node.spec.join == "first" for node in plan.nodes.values()):
            return list(self._names)
        roots = {one.root for choice in choices(dict(plan.output)) for one in choice.references}
        roots |= {name for name, node in plan.nodes.items() if node.operator.effects != "none"}
        return list(dict.fromkeys(plan.owner[name] for name in roots if name in plan.owner)) or list(self._names)

    async def _ready(self, node: FlowNode) -> bool:
        """Wait for what a step refers to; False where some of it waits for a person."""
        if node.spec.join == "all":
            return await self._all(self._own(node.before))
        raced = [*choices(dict(node.given)), *([node.each] if node.each else [])]
        rest = {one.root for one in node.when.references} | set(node.when.failures) if node.when else set[str]()
        for choice in raced:
            if not await self._first(node, choice):
                return False
        return await self._all(self._own(node.before & rest))

    def _own(self, names: Iterable[str]) -> list[str]:
        """The steps or loops of this scope that stand for these; what is outside is there before the scope begins."""
        owner = self._work.plan.owner
        return [one for name in names if (one := name if name in self._tasks else owner.get(name, "")) in self._tasks]

    async def _all(self, names: Iterable[str]) -> bool:
        waited = [name for name in names if name in self._tasks]
        if waited:
            await asyncio.wait([self._tasks[name] for name in waited])
        return all(self.states.get(name) != "blocked" for name in waited)

    async def _first(self, node: FlowNode, choice: Choice) -> bool:
        """Wait until one of several is there, or all are over."""
        while True:
            names = self._own(one.root for one in choice.references if one.root not in node.back)
            if any(self._value(one, node, None) is not None for one in choice.references if one.root != ITEM):
                return True
            left = [self._tasks[name] for name in names if not self._tasks[name].done()]
            if not left:
                return all(self.states.get(name) != "blocked" for name in names)
            await asyncio.wait(left, return_when=asyncio.FIRST_COMPLETED)


def _first_error_of_group(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first error of a group, within groups too."""
    inner = group.exceptions[0]
    return (
        _first_error_of_group(cast("BaseExceptionGroup[BaseException]", inner))
        if isinstance(inner, BaseExceptionGroup)
        else inner
    )

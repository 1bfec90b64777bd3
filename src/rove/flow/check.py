"""A flow is checked before it runs: types of what steps give each other, missing settings, steps without use."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import msgspec

from rove.errors import meant
from rove.flow.definition import TYPES, Flow
from rove.flow.flow_plan import INPUT, ITEM, EnoughError, FlowNode, FlowPlan, Planner, Problem, note_problem
from rove.flow.json_values import can_be_kept
from rove.flow.reference import Choice, Reference, choices
from rove.flow.there import There, lacking
from rove.flow.value_types import Type, fits_type, item_type, one_of, part_type, type_name


def checked(flow: Flow, *, there: There | None = None) -> tuple[FlowPlan, list[Problem]]:
    """Return a flow's plan, and all that is wrong with it; it can run where nothing is.

    `there`: what the base has for operators; None: not known, and not checked.
    """
    planner = Planner(flow)
    plan = planner.planned()
    if planner.problems:
        return plan, planner.problems
    checker = _Checker(plan)
    try:
        plan = checker.converted()
    except EnoughError:
        return plan, checker.problems
    return plan, [*checker.problems, *(lacking(plan, there) if there else ())]


class _Checker:
    def __init__(self, plan: FlowPlan) -> None:
        self._plan = plan
        self.problems: list[Problem] = []

    def converted(self) -> FlowPlan:
        """Check all; returns the plan with the values that steps are given as their operators take them."""
        nodes = {name: self._node(node) for name, node in self._plan.nodes.items()}
        for name, one in self._plan.rounds.items():
            for reference in one.until.references if one.until else ():
                self._type(f"loops.{name}.until", reference)
        for choice in choices(dict(self._plan.output)):
            self._choice("output", choice)
        self._check_use()
        return replace(self._plan, nodes=nodes)

    def _node(self, node: FlowNode) -> FlowNode:
        place, operator = f"steps.{node.name}", node.operator
        used = operator.name
        self._check_operator(node)
        for reference in node.when.references if node.when else ():
            self._type(f"{place}.when", reference, node)
        if node.each and item_type(self._choice(f"{place}.each", node.each)) is None:
            reference = str(node.each)
            self._add(f"{place}.each", f"{reference} is not a list.", "Refer to a list.")
        for given, one in operator.inputs.items():
            if one.required and given not in node.given:
                wanted, name = type_name(one.type), given
                self._add(place, f"{used!r} needs {given!r}: {wanted}.", f"Write {name} = … there.")
        converted: dict[str, object] = {}
        for name, value in node.given.items():
            if name not in operator.inputs:
                known = ", ".join(operator.inputs)
                cure = meant(name, operator.inputs) + f"It takes: {known}."
                given = name
                self._add(place, f"{used!r} takes no {given!r}.", cure)
                continue
            converted[name] = self._given(f"{place}.{name}", value, operator.inputs[name].type, node)
            if operator.inputs[name].required:
                self._check_first_round(f"{place}.{name}", value, node)
        return replace(node, given=converted)

    def _given(self, place: str, value: object, wanted: Type, node: FlowNode) -> object:
        """Check what an input is given; a value without references is made into what the operator takes."""
        if isinstance(value, Choice):
            kind = self._choice(place, value, node)
            if not fits_type(kind, wanted):
                reference, found, other = str(value), type_name(kind), type_name(wanted)
                self._add(place, f"{reference} is {found}; needed is {other}.", "Refer to another part.")
            return value
        if not any(True for _ in choices(value)):
            return self._literal(place, value, wanted)
        item = item_type(wanted)
        if isinstance(value, tuple) and item is not None:
            parts = cast("tuple[object, ...]", value)
            return tuple([self._given(place, part, item, node) for part in parts])
        if isinstance(value, tuple):
            other = type_name(wanted)
            self._add(place, f"This is a list; needed is {other}.", "Give one value.")
        return cast("object", value)

    def _literal(self, place: str, value: object, wanted: Type) -> object:
        try:
            made: object = msgspec.convert(value, wanted)
        except (msgspec.ValidationError, TypeError) as error:
            reason, other = error, type_name(wanted)
            self._add(place, f"{value!r} is wrong: {reason}.", f"Wanted is {other}.")
            return value
        return made

    def _choice(self, place: str, choice: Choice, node: FlowNode | None = None) -> Type:
        kinds = [self._type(place, reference, node) for reference in choice.references]
        return Any if Any in kinds else one_of(kinds)

    def _type(self, place: str, reference: Reference, node: FlowNode | None = None) -> Type:
        try:
            if reference.root == INPUT:
                kind = TYPES[self._plan.flow.input[str(reference.path[0])].type]
                return part_type(kind, reference.path[1:])
            if reference.root == ITEM:
                found = item_type(self._choice(place, node.each)) if node and node.each else None
                return part_type(Any if found is None else found, reference.path)
            return part_type(self._output(reference.root), reference.path)
        except LookupError as error:
            part, kind, known = cast("tuple[str, str, tuple[str, ...]]", error.args)
            names = ", ".join(known)
            cure = meant(part, known) + f"It has: {names}." if known else "Refer to the whole."
            found, given = kind, part
            self._add(place, f"{reference}: {found} has no {given!r}.", cure)
            return Any

    def _output(self, name: str) -> Type:
        node = self._plan.nodes[name]
        return tuple[node.operator.output, ...] if node.each else node.operator.output

    def _check_operator(self, node: FlowNode) -> None:
        place, operator = f"steps.{node.name}", node.operator
        if not can_be_kept(operator.output):
            used, found = operator.name, type_name(operator.output)
            reason = f"What {used!r} returns, {found}, cannot be kept."
            self._add(place, reason, "Return a dataclass of texts, numbers, lists and other dataclasses.")
        if operator.effects != "none" and not self._plan.flow.writes:
            used = operator.name
            reason = f"{used!r} changes something, and the flow does not say that it may."
            self._add(place, reason, "Write writes = true at the top of the flow, if it is meant to.")

    def _check_first_round(self, place: str, value: object, node: FlowNode) -> None:
        if isinstance(value, Choice) and all(one.root in node.back for one in value.references):
            cure = f'Say what is taken in the first round: "{value} | $input.…"'
            reference = str(value)
            self._add(place, f"{reference} is of the round before, and the first round has none.", cure)

    def _check_use(self) -> None:
        """Name the steps that nothing comes of: neither what they give is used, nor do they change anything."""
        plan = self._plan
        waiting = [one.root for choice in choices(dict(plan.output)) for one in choice.references]
        waiting += [name for name, node in plan.nodes.items() if node.operator.effects != "none"]
        used: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in used or name not in plan.nodes:
                continue
            used.add(name)
            node = plan.nodes[name]
            waiting += [*node.before, *node.back]
            until = plan.rounds[node.loop].until if node.loop else None
            waiting += [one.root for one in until.references] + list(until.failures) if until else []
        for name in plan.nodes.keys() - used:
            self._add(f"steps.{name}", "Nothing uses what it gives.", "Refer to it in another step or in [output].")

    def _add(self, place: str, reason: str, cure: str) -> None:
        note_problem(self.problems, Problem(place, reason, cure))

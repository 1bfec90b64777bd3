"""Operators as a person chooses from them, and a step of one as it is put into the text of a flow."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator

from rove.errors import ConfigError, InputError
from rove.flow.operator import OPERATORS, Input, Operator, operator_named
from rove.flow.value_types import fits_type, item_type, type_name
from rove.serve.flows.editing_schema import FlowInsertOut, OperatorInputOut, OperatorOut
from rove.serve.flows.flow_text import end_of_block, flow_tables, operators_before, table_keys

LOOP = """[loops.{name}]
steps = [{step}]
until = ""                                # like: {step_name}.verdict.passes
at_most = 3
"""
BRANCH = """# Below a step, each the other way of a branch:
# when = "{step_name}"
# when = "not {step_name}"
"""
SNIPPETS = {"loop": LOOP, "branch": BRANCH}


def operators() -> list[OperatorOut]:
    """Return the operators that there are; those of packages that do not work are left out. Blocks."""
    return [
        OperatorOut(
            name=one.name,
            about=one.about,
            inputs=[
                OperatorInputOut(
                    name=name, type=type_name(kind.type), required=kind.required, default=_default(one, name)
                )
                for name, kind in one.inputs.items()
            ],
            output=type_name(one.output),
            changes=one.effects != "none",
            needs=list(one.needs),
        )
        for one in _iter_loadable_operators()
    ]


def inserted(text: str, use: str, line: int) -> FlowInsertOut:
    """Return what is put into a text for a step of an operator, or for a "loop" or a "branch", and after which line.

    Raises:
        InputError: there is no such operator.
    """
    after = end_of_block(text, line)
    before = operators_before(text, after)
    if use in SNIPPETS:
        step = list(before)[-1] if before else "found"
        name = _unused_step_name(text, "again")
        return FlowInsertOut(
            after=after, name=name, text=SNIPPETS[use].format(name=name, step=f'"{step}"', step_name=step)
        )
    if use not in OPERATORS.names():
        message = "There is no such operator."
        raise InputError(message, cure="Choose one of the list.")
    operator = operator_named(use)
    name = _unused_step_name(text, use.replace("-", "_").replace(".", "_"))
    inputs = table_keys(text, "input") or ["question"]
    lines = [f"[steps.{name}]", f'use = "{use}"']
    for key, kind in operator.inputs.items():
        if kind.required:
            lines.append(f"{key} = {_input_reference_text(key, kind, inputs, before)}")
        else:
            default = _default(operator, key)
            lines.append(f"# {key} = {default or '…'}  ({type_name(kind.type)})")
    return FlowInsertOut(after=after, name=name, text="\n".join(lines) + "\n")


def _iter_loadable_operators() -> Iterator[Operator]:
    for name in OPERATORS.names():
        try:
            yield operator_named(name)
        except ConfigError:  # `rove doctor` says which package it is
            continue


def _default(operator: Operator, name: str) -> str:
    """What an input is where nobody gives it, as TOML; "" where TOML has no word for it."""
    value: object = inspect.signature(operator.run).parameters[name].default
    return json.dumps(value, ensure_ascii=False) if isinstance(value, bool | int | float | str) else ""


def _input_reference_text(key: str, kind: Input, inputs: list[str], before: dict[str, str]) -> str:
    """The reference to what alone can be meant, else an empty text, with what there is to choose from."""
    if key in inputs:
        return f'"$input.{key}"'
    known = {name: operator_named(use).output for name, use in before.items() if use in OPERATORS.names()}
    item = item_type(kind.type)
    fitting = [name for name, output in known.items() if fits_type(output, kind.type)]
    if len(fitting) == 1:
        return f'"${fitting[0]}"'
    if not fitting and item is not None:
        fitting = [name for name, output in known.items() if fits_type(output, item)]
        if len(fitting) == 1:
            return f'["${fitting[0]}"]'
    choice = ", ".join(f"${name}" for name in fitting[-5:])
    return f'""  # {type_name(kind.type)}' + (f": {choice}" if choice else "")


def _unused_step_name(text: str, wanted: str) -> str:
    """A name that no step and no loop has."""
    taken = {one.name.partition(".")[2] for one in flow_tables(text)} | {"input", "item", "true", "false", "nothing"}
    name, number = wanted, 2
    while name in taken or name in {"count", "failed"}:
        name, number = f"{wanted}_{number}", number + 1
    return name

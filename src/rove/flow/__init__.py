"""Flows: what `add` and `ask` do, put together in other ways: a graph of operators, checked, run, and resumed."""

from rove.flow.check import checked
from rove.flow.definition import Flow, InputSpec, read_flow, templates
from rove.flow.operator import OPERATORS, FlowContext, operator
from rove.flow.run import FlowRun, forget, resume, run, runs

__all__ = [
    "OPERATORS",
    "Flow",
    "FlowContext",
    "FlowRun",
    "InputSpec",
    "checked",
    "forget",
    "operator",
    "read_flow",
    "resume",
    "run",
    "runs",
    "templates",
]

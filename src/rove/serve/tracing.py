"""Spans of OpenTelemetry around what the engine is asked for, where its API is installed; never with content."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from rove.registry import load

Attribute = str | int | float | bool


@cache
def _tracer() -> Any:  # noqa: ANN401 - a tracer of an optional package, or None
    try:
        return load("opentelemetry.trace:get_tracer")("rove")
    except ModuleNotFoundError:
        return None


def span(name: str, **attributes: Attribute) -> AbstractContextManager[object]:
    """Open the span `rove.<name>`; without the package nothing happens. Attributes hold no question and no text."""
    tracer = _tracer()
    if tracer is None:
        return nullcontext()
    named = {f"rove.{key}": value for key, value in attributes.items()}
    return tracer.start_as_current_span(f"rove.{name}", attributes=named)

"""Spans of OpenTelemetry around what the engine is asked for. They hold no question and no text.

Nothing is recorded unless the process is started with an SDK, e.g. by `opentelemetry-instrument rove serve`.
"""

from __future__ import annotations

from contextlib import AbstractContextManager

from opentelemetry.trace import Span, get_tracer

Attribute = str | int | float | bool
_tracer = get_tracer("rove")


def span(name: str, **attributes: Attribute) -> AbstractContextManager[Span]:
    """Open the span `rove.<name>` with attributes `rove.<attribute>`."""
    named = {f"rove.{key}": value for key, value in attributes.items()}
    return _tracer.start_as_current_span(f"rove.{name}", attributes=named)

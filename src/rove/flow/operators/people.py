"""An operator that asks a person."""

from __future__ import annotations

from collections.abc import Sequence

from rove.flow.operator import FlowContext


async def human(context: FlowContext, *, question: str, options: Sequence[str] = ()) -> str:
    """Ask a person, and wait for the answer, however long it takes: the run rests, and is resumed with it."""
    return context.ask(question, tuple(options))

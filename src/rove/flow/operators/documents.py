"""Operators that work on the documents of the base. Run again, they change nothing further."""

from __future__ import annotations

from collections.abc import Sequence

from rove.enrich import Enriched
from rove.flow.operator import FlowContext, operator
from rove.records import Report


@operator(effects="repeatable")
async def add(context: FlowContext, *, sources: Sequence[str]) -> Report:
    """Take in files, folders and addresses: load, chunk, embed, keep; by the settings of the base."""
    return await context.kb.add(*sources, listener=context.listener)


@operator(effects="repeatable")
async def enrich(context: FlowContext, *, name: str, after: Report | None = None) -> Enriched:
    """Work more out of the documents: "graph", "summaries", "fields", "replies"; `after`: what is added before."""
    del after
    return await context.kb.enrich(name, listener=context.listener)

"""An operator that explores the graph of knowledge."""

from __future__ import annotations

from collections.abc import Sequence

from rove.flow.operator import FlowContext
from rove.records.graph import Subgraph
from rove.retrieve.explore import Reach
from rove.store.knowledge_graph import Direction


async def explore(
    context: FlowContext,
    *,
    names: Sequence[str],
    direction: Direction = "both",
    depth: int = 1,
    fan: int = 20,
    limit: int = 100,
    where: Sequence[str] = (),
) -> Subgraph:
    """Explore the graph from names of things, within bounds; "out": what they do, "in": what is done to them.

    `where`: conditions on the documents that say so, like "layer=events".
    """
    reach = Reach(direction, depth, fan, limit)
    return await context.kb.explore(*names, reach=reach, where=context.within(where), listener=context.listener)

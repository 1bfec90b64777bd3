"""Documents whose strategy needs a model are cut here, since the sandbox, where all others are cut, has none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rove.chunk import ChunkModels
from rove.chunk.with_models import cut_with_models
from rove.models.usage import Usage
from rove.prepare import Preparer
from rove.records import Prepared


@dataclass(slots=True)
class CutNotes:
    """What cutting with models cost and had to say, and how many chunks it made of each source."""

    usage: Usage = field(default_factory=Usage)
    said: dict[str, str] = field(default_factory=dict[str, str])
    chunks: dict[str, int] = field(default_factory=dict[str, int])


async def cut_deferred(
    prepared: Sequence[Prepared], models: ChunkModels, preparer: Preparer
) -> tuple[list[Prepared], CutNotes]:
    """Cut those that were left uncut, the others are returned as they are.

    Raises:
        ServiceError: the embedder failed.
    """
    notes = CutNotes()
    if not preparer.recipe.deferred:
        return list(prepared), notes
    out: list[Prepared] = []
    for item in prepared:
        strategy = preparer.deferred(item.document)
        if strategy:
            made = await cut_with_models(item.document, models, strategy=strategy, settings=preparer.recipe.cut)
            whole = preparer.with_chunks(item.document, item.ledger_source, made.chunks)
            item = replace(whole, signature=item.signature, origin=item.origin)  # noqa: PLW2901 - the same document, cut
            notes.usage += made.usage
            notes.chunks[item.ledger_source] = notes.chunks.get(item.ledger_source, 0) + len(made.chunks)
            if made.note:
                notes.said[item.ledger_source] = made.note
        out.append(item)
    return out, notes

"""An operator that searches in layers: the first that answers wins, and those after it are not asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import msgspec

from rove.answer.gate import GateVerdict
from rove.conversation.respond import Found
from rove.errors import ConfigError
from rove.flow.operator import FlowContext
from rove.flow.operators.question import Question, taken_as


@dataclass(frozen=True, slots=True)
class Layer:
    """Where to look: documents that `where` lets through ("kind=table"), searched in a mode."""

    name: str
    mode: str = "hybrid"
    where: tuple[str, ...] = ()
    top_k: int = 5


@dataclass(frozen=True, slots=True)
class LayerTried:
    """A layer that was asked: how many passages it had, whether they answer, and if not, why."""

    name: str
    hits: int
    enough: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class LayersFound:
    """What was found, and in which layer: "" where none answers; `found` is then what the last of them had."""

    question: str
    layer: str
    found: Found
    tried: tuple[LayerTried, ...] = field(default=())


async def layers(context: FlowContext, *, question: Question, layers: Sequence[Mapping[str, object]]) -> LayersFound:
    """Search in layers, in their order; the first whose passages answer the question wins. Each: name, mode, where.

    Raises:
        ConfigError: a layer is declared wrongly, or there is none.
    """
    understood = taken_as(question)
    tried: list[LayerTried] = []
    found = Found((), GateVerdict(False))
    for layer in _layer_declarations(layers):
        hits = await context.kb.search(
            understood.standalone,
            mode=layer.mode,
            top_k=layer.top_k,
            where=context.within(layer.where),
            listener=context.listener,
        )
        if not hits:
            tried.append(LayerTried(layer.name, 0, False))
            continue
        found = await context.stages.judged(understood, hits)
        note = found.verdict.note.text(understood.language) if found.verdict.note else ""
        tried.append(LayerTried(layer.name, len(hits), found.verdict.passes, note))
        if found.verdict.passes:
            return LayersFound(understood.question, layer.name, found, tuple(tried))
    return LayersFound(understood.question, "", found, tuple(tried))


def _layer_declarations(layers: Sequence[Mapping[str, object]]) -> list[Layer]:
    try:
        found = msgspec.convert([dict(one) for one in layers], list[Layer])
    except msgspec.ValidationError as error:
        message = f"A layer is declared wrongly: {error}."
        cure = 'Write {name = "tables", mode = "hybrid", where = ["kind=table"], top_k = 5}.'
        raise ConfigError(message, cure=cure) from error
    if not found:
        message = "There are no layers."
        raise ConfigError(message, cure="Name one or more, the first to be asked first.")
    return found

"""Cut with the help of models: the asynchronous sibling of `cut`, for where models are at hand."""

from __future__ import annotations

from dataclasses import dataclass

from rove.chunk import MODEL_CHUNKERS, ChunkModels, CutSettings, ModelChunker
from rove.chunk.cut import WITH_HEADERS, chunks_of, cut_by, strategy_for
from rove.models.usage import Usage, metered
from rove.records import Chunk, Document


@dataclass(frozen=True, slots=True)
class ModelCut:
    """What was cut with models: the chunks, what they cost, and what a user should know ("" where there is nothing)."""

    chunks: list[Chunk]
    usage: Usage
    note: str = ""


async def cut_with_models(
    document: Document, models: ChunkModels, *, strategy: str = "", settings: CutSettings | None = None
) -> ModelCut:
    """Cut like `cut`, with the models where the strategy can use them.

    Raises:
        ConfigError: the strategy is unknown or not supported for this kind.
        ServiceError: the embedder failed. (Where the chat model fails, its share is done without, and `note` says so.)
    """
    strategy = strategy_for(document.kind, strategy)
    settings = settings or CutSettings()
    if strategy not in MODEL_CHUNKERS.names():
        return ModelCut(cut_by(strategy, document, settings), Usage())
    chunker: ModelChunker = MODEL_CHUNKERS.get(strategy)(settings, models)
    with metered() as meter:
        pieces = await chunker.pieces(document)
    return ModelCut(chunks_of(document, pieces, headers=strategy in WITH_HEADERS), meter.usage, pieces.note)

"""What settings say of finding and answering."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from rove.settings.part import Part


class StoreSettings(Part):
    """`index`: "lancedb" or "memory". Up to `resident_chunks` chunks are searched in memory, exactly, beside it.

    Of the vector index of a larger base `nprobes` partitions are asked (with a filter as many as it takes), and the
    whole vectors of at least `refine` candidates are compared. `document_share` of what a chunk scores by keywords is
    its whole document's score, as long as the base is searched in memory.
    """

    index: str = "lancedb"
    resident_chunks: int = Field(default=131_072, ge=0)
    nprobes: int = Field(default=20, ge=1)
    refine: int = Field(default=50, ge=1)
    k1: float = Field(default=1.2, ge=0)
    b: float = Field(default=0.75, ge=0, le=1)
    document_share: float = Field(default=0.5, ge=0, le=1)


class SearchSettings(Part):
    """Retrieval.

    The five numbers of mode "gather": `k_*` go straight to the output, `pool_*` to the reranker. `reranker` is
    "late", "embedder", "endpoint", "onnx" or a plug-in's name; "" is "late" where the embedder keeps tokens, else
    "embedder". A `rerank_weight` of None is the reranker's own. `rules` order the best `rule_pool` hits by what is
    known of them, one after the other; `rule_options` maps a rule's name to its options.
    `keyword_fields`: metadata that "sparse" looks into.
    """

    top_k: int = Field(default=10, ge=1)
    candidates: int = Field(default=100, ge=1)
    fusion: Literal["adaptive", "zscore", "rrf"] = "adaptive"
    k_keyword: int = Field(default=3, ge=0)
    k_semantic: int = Field(default=3, ge=0)
    k_rerank: int = Field(default=3, ge=0)
    pool_keyword: int = Field(default=10, ge=0)
    pool_semantic: int = Field(default=10, ge=0)
    reranker: str = ""
    rerank_weight: float | None = Field(default=None, ge=0, le=1)
    rerank_pool: int = Field(default=20, ge=1)
    rules: tuple[str, ...] = ()
    rule_options: Mapping[str, Mapping[str, str | int | float | bool]] = Field(default_factory=dict)
    rule_pool: int = Field(default=50, ge=1)
    keyword_fields: tuple[str, ...] = ("keywords", "tags")


class AnswerSettings(Part):
    """Answers. `max_distance` 0 means the embedder's own; `persona` opens the chat model's instructions.

    `pipeline`: "search" (by the retriever `mode`), "gather" (two rounds, every chunk graded), or "none" (the chat model
    is asked without a search, and says so). `fallback`: what is tried, in turn, where nothing near enough was found:
    "synonyms", "hyde", "unsourced", "refuse", or a plug-in's name. `seconds`: how long models may be asked for one
    question, all steps and retries together; what is left is then done by rules, which have 30 s more. 0: no bound.
    """

    pipeline: Literal["search", "gather", "none"] = "search"
    mode: str = "hybrid"
    fallback: tuple[str, ...] = ("refuse",)
    references: int = Field(default=5, ge=1)
    quotes: int = Field(default=3, ge=1)
    seconds: float = Field(default=600.0, ge=0)
    max_distance: float = Field(default=0.0, ge=0, le=2)
    persona: str = "You answer questions from the user's own documents."


class WalkSettings(Part):
    """Walks. `rounds`, `calls`, `tokens`, `seconds`, `money` are the budget where a walk is given none; 0: no bound.

    `reader` is "model", "extractive" or a plug-in's name; "" is "model" where there is a chat model. `leads` are
    followed in each round; the question gives `first_chunks` chunks to read, each lead up to `lead_chunks` that were
    not seen before; `facts` at most are taken from one reading. Prices are per million tokens, in one currency. With
    `memory`, walks learn from earlier ones.
    """

    rounds: int = Field(default=4, ge=0)
    calls: int = Field(default=24, ge=0)
    tokens: int = Field(default=100_000, ge=0)
    seconds: float = Field(default=120.0, ge=0)
    money: float = Field(default=0.0, ge=0)
    price_input: float = Field(default=0.0, ge=0)
    price_output: float = Field(default=0.0, ge=0)
    reader: str = ""
    leads: int = Field(default=3, ge=1)
    first_chunks: int = Field(default=8, ge=1)
    lead_chunks: int = Field(default=3, ge=1)
    facts: int = Field(default=6, ge=1)
    memory: bool = True

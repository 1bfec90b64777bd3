"""Sparse search by keywords and synonyms, in the texts, their titles, and the metadata that holds keywords (E.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import pstdev

import regex

from rove.language.detect import detect
from rove.language.words import query_terms
from rove.records import Filter, Hit
from rove.records.filter import Any, Compare
from rove.retrieve import Query, SearchContext
from rove.retrieve.judging import searched
from rove.retrieve.ranked_lists import to_hits
from rove.retrieve.rerank import reranked
from rove.store import Scored
from rove.store.search_lists import SearchLists

SYNONYM = 0.5  # what a synonym's match counts beside a keyword's
FIELD = 1.0  # standard deviations of the keyword list that a match in the metadata is worth
LONGEST_WORDS, LONGEST_CHARS, MOST_VALUES = 3, 6, 400
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}ー]+")
_WORDS = regex.compile(r"[\w'&.-]+")


class SparseRetriever:
    """See `Retriever`. `Query.keywords` and `Query.synonyms` are searched for; without them, the question's words.

    score = BM25 of the keywords + `SYNONYM` · BM25 of the synonyms + `FIELD` · σ(BM25) where a field of the metadata
    (`search.keyword_fields`) is one of the words, or some words of the question in a row.
    """

    def __init__(self, search_context: SearchContext) -> None:
        self.search_context = search_context

    async def retrieve(self, query: Query) -> list[Hit]:
        """See `Retriever.retrieve`. Hits have their places in the lists "keyword", "synonyms" and "metadata"."""
        settings = self.search_context.settings
        pool = max(query.top_k, settings.rerank_pool if query.rerank else 0)
        depth = max(pool, settings.candidates)
        language = detect(query.text, await self.search_context.store.languages(query.where))
        own = await self._by_words(" ".join(query.keywords) or query.text, language, depth, query.where)
        others = await self._by_words(" ".join(query.synonyms), language, depth, query.where)
        tagged = await self._by_fields(query, depth)
        scores: dict[str, float] = {}
        for ranked, weight in ((own, 1.0), (others, SYNONYM)):
            for chunk_id, score in ranked:
                scores[chunk_id] = scores.get(chunk_id, 0.0) + weight * score
        unit = pstdev(scores.values()) if len(scores) > 1 else 0.0
        for chunk_id, _ in tagged:
            scores[chunk_id] = scores.get(chunk_id, 0.0) + FIELD * (unit or 1.0)
        order = sorted(scores.items(), key=lambda scored: (-scored[1], scored[0]))
        hits = await to_hits(
            self.search_context, order[:pool], SearchLists({"keyword": own, "synonyms": others, "metadata": tagged})
        )
        return (await reranked(self.search_context, query.text, hits) if query.rerank else hits)[: query.top_k]

    async def _by_words(self, text: str, language: str, depth: int, where: Filter | None) -> Sequence[Scored]:
        if not text:
            return []
        terms = query_terms(text, language)
        return (await self.search_context.store.search(terms=terms, vector=None, top_k=depth, where=where)).ranked[
            "keyword"
        ]

    async def _by_fields(self, query: Query, depth: int) -> Sequence[Scored]:
        """Return the chunks whose metadata names a word, the nearest in meaning first, for want of another order."""
        values = field_values((*query.keywords, *query.synonyms, query.text))
        fields = self.search_context.settings.keyword_fields
        if not values or not fields:
            return []
        named: Filter = Any(tuple(Compare(name, "in", values) for name in fields))
        where = named if query.where is None else query.where & named
        vector = (await self.search_context.embedder.queries([query.text]))[0]
        lists = await searched(self.search_context, query.text, vector=vector, top_k=depth, where=where)
        return lists.ranked["semantic"]


def field_values(texts: Iterable[str]) -> tuple[str, ...]:
    """Return what a keyword field may hold: up to three words in a row as written and in small letters.

    Of scripts without spaces, up to six characters in a row: "鸭大什么水平" names "鸭大".

    >>> field_values(["Remote work"]), field_values(["鸭大？"])
    (('Remote', 'remote', 'Remote work', 'remote work', 'work'), ('鸭大',))
    """
    found: dict[str, None] = {}
    for text in texts:
        words = _WORDS.findall(_UNSPACED.sub(" ", text))
        for at, size in ((at, size) for at in range(len(words)) for size in range(1, LONGEST_WORDS + 1)):
            if at + size <= len(words):
                run = " ".join(words[at : at + size])
                found |= dict.fromkeys((run, run.casefold()))
        for run in _UNSPACED.findall(text):
            found |= dict.fromkeys(
                run[at : at + size]
                for at in range(len(run))
                for size in range(2, LONGEST_CHARS + 1)
                if at + size <= len(run)
            )
    return tuple(found)[:MOST_VALUES]

"""Long-term memory: facts that walks have found; searched by meaning and words, and seen, edited and erased."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rove.argument_checks import Positive, all_checked
from rove.enrich.triplets import triplets_of
from rove.errors import InputError, check_asked
from rove.language.detect import detect
from rove.language.words import joined_terms, query_terms
from rove.models import Embedder, Vectors
from rove.records import Filter, content_hash
from rove.records.learned import LeadEnd, Remembered
from rove.store.catalog_rows import slices
from rove.store.memories import FactEntry, LeadEntry, Memories
from rove.store.search_lists import coverage
from rove.store.store import Store

MEANING, WORDS = 0.5, 0.5
REACH = 1.25  # a fact at so many times the embedder's max_distance is taken to mean something else
ALIKE = 0.5  # questions within so much of the embedder's max_distance ask about the same
SPARE = 4  # times as many facts are looked at as are asked for: some come for several questions
AROUND = 0.5  # of its relevance that a fact keeps for a question which is just so much alike


@dataclass(slots=True)
class _Held:
    """What facts are found by: row `i` of the matrices, (n, dimension) float32, is of the fact `seqs[i]`."""

    seqs: list[int]
    terms: list[frozenset[str]]
    vectors: Vectors
    asked: Vectors
    relevances: NDArray[np.float64]


@all_checked
class LongTermMemory:
    """What walks have learned in one space of a base. Facts are gone as soon as their document is, or has changed."""

    def __init__(self, store: Store, embedder: Embedder, space: str = "") -> None:
        self._kept = Memories(store.catalog.database, store.dimension)
        self._embedder = embedder
        self._space = space
        self._store = store
        self._held = self._none()

    async def state(self, where: Filter | None = None) -> str:
        """See `Store.state`."""
        return await self._store.state(where)

    async def facts(self) -> list[Remembered]:
        """All that is remembered, in the order it was learned."""
        return list((await asyncio.to_thread(self._kept.facts, self._space)).values())

    async def leads(self) -> list[LeadEnd]:
        """How the leads of earlier walks have ended, the latest last: false starts, and where walks end."""
        return [entry.end for entry in await asyncio.to_thread(self._kept.leads, self._space)]

    async def search(self, question: str, *, top_k: Positive = 10, where: Filter | None = None) -> list[Remembered]:
        """Return the facts that bear on a question, best first; ties by the order they were learned.

        `where`: only those whose source a filter lets through.

        score = the larger of
        - `MEANING` · nearness + `WORDS` · share of the question's terms in the fact, with nearness = 1 - distance /
          (`REACH` · the embedder's max_distance), 0 at least;
        - relevance · likeness, where the question that the fact was found for lies within `ALIKE` of max_distance of
          this one: likeness falls from 1 (the same question) to `AROUND`.
        A fact that was found for several questions comes once.

        Raises:
            InputError: the question is blank.
            ServiceError: the embedder failed.
        """
        check_asked(question)
        return (await self.recollect(question, top_k=top_k, where=where))[0]

    async def experience(self, question: str) -> list[tuple[LeadEnd, float]]:
        """Return how leads ended when something like this was asked, each with how much alike, 0 to 1, the two are.

        Raises:
            ServiceError: the embedder failed.
        """
        return (await self.recollect(question, top_k=0))[1]

    async def recollect(
        self, question: str, *, top_k: int, where: Filter | None = None
    ) -> tuple[list[Remembered], list[tuple[LeadEnd, float]]]:
        """Return what `search` does, and what `experience` does: the catalog is asked for both at once."""
        async with self._store.of_one_embedder():
            return await self._recollected(question, top_k, where)

    async def _recollected(
        self, question: str, top_k: int, where: Filter | None
    ) -> tuple[list[Remembered], list[tuple[LeadEnd, float]]]:
        entries = await asyncio.to_thread(self._refresh)
        held = self._held
        if not entries and (not held.seqs or top_k < 1):
            return [], []
        asked = (await self._embedder.queries([question]))[0]
        alike = self.likeness(np.stack([entry.asked for entry in entries]), asked) if entries else ()
        experience = [(entry.end, float(like)) for entry, like in zip(entries, alike, strict=True) if like > 0]
        return await self._best(held, question, asked, top_k, where), experience

    async def _best(
        self, held: _Held, question: str, asked: NDArray[np.float32], top_k: int, where: Filter | None
    ) -> list[Remembered]:
        if not held.seqs or top_k < 1:
            return []
        direct = self._direct(held, asked, set(query_terms(question, detect(question))))
        scores = np.maximum(direct, held.relevances * self.likeness(held.asked, asked))
        order = [int(place) for place in np.argsort(-scores, kind="stable")]
        once: dict[object, Remembered] = {}
        for best in slices(order, SPARE * top_k):
            seqs = [held.seqs[place] for place in best]
            facts = await asyncio.to_thread(self._facts, seqs, where)
            for place, seq in zip(best, seqs, strict=True):
                if fact := facts.get(seq):
                    words = (fact.citation.document_id, fact.citation.span, fact.text)
                    once.setdefault(words, replace(fact, score=round(float(scores[place]), 4)))
            if where is None or len(once) >= top_k:
                break
        return list(once.values())[:top_k]

    def likeness(self, before: Vectors, asked: NDArray[np.float32]) -> NDArray[np.float64]:
        """Say how much questions are alike: 1 the same, `AROUND` at `ALIKE` of max_distance, 0 beyond."""
        distances = 1.0 - (before @ asked).astype(np.float64)
        widest = ALIKE * self._embedder.max_distance
        return np.where(distances <= widest, 1 - (1 - AROUND) * np.clip(distances, 0, None) / widest, 0.0)

    async def texts(self, document_ids: Collection[str]) -> dict[str, str]:
        """The texts that facts rest on, as they are now, by document; one that is gone is absent."""
        return await asyncio.to_thread(self._store.documents.texts, document_ids)

    async def keep(
        self, question: str, facts: Sequence[Remembered], leads: Sequence[LeadEnd], language: str = "und"
    ) -> int:
        """Keep what a walk has learned; returns how many facts. One whose words its source does not hold is not kept.

        Raises:
            ServiceError: the embedder failed.
        """
        asked = (await self._embedder.queries([question]))[0]
        vectors = await self._embedder.passages([fact.text for fact in facts]) if facts else self._none().vectors
        entries = [
            FactEntry(
                replace(fact, memory_id=self._name(fact, question), question=question),
                joined_terms(fact.text, language),
                vector,
                asked,
                triplets_of(fact.text, detect(fact.text), fact.citation.span),
            )
            for fact, vector in zip(facts, vectors, strict=True)
        ]
        ends = [LeadEntry(replace(end, terms=joined_terms(end.text, language)), asked) for end in leads]
        return await asyncio.to_thread(self._kept.keep, self._space, entries, ends)

    async def edit(self, memory_id: str, text: str) -> Remembered:
        """Put a fact otherwise. It stays tied to the same words of its source.

        Raises:
            InputError: there is no such fact, or the text is blank.
            ServiceError: the embedder failed.
        """
        text = " ".join(text.split())
        if not text:
            message = "The new text is blank."
            raise InputError(message, cure="To forget the fact: rove memory forget ID")
        fact = await self._one(memory_id)
        vector = (await self._embedder.passages([text]))[0]
        terms, triplets = joined_terms(text, detect(text)), triplets_of(text, detect(text), fact.citation.span)
        await asyncio.to_thread(self._kept.edit, self._space, fact.memory_id, text, terms, vector, triplets)
        await self._store.graph.let_go()
        return await self._one(fact.memory_id)

    async def forget(self, *memory_ids: str) -> int:
        """Erase facts; their bytes leave the disk. Returns how many.

        Raises:
            InputError: there is no such fact; then nothing is forgotten.
        """
        ids = [(await self._one(memory_id)).memory_id for memory_id in memory_ids]
        count = await asyncio.to_thread(self._kept.forget, self._space, ids)
        await self._store.graph.let_go()
        return count

    async def clear(self) -> int:
        """Erase all that was learned; the bytes leave the disk. Returns how many facts there were."""
        count = await asyncio.to_thread(self._kept.clear, self._space)
        await self._store.graph.let_go()
        return count

    # -- inside ----------------------------------------------------------------------------------------------------

    def _facts(self, seqs: Sequence[int], where: Filter | None) -> dict[int, Remembered]:
        facts = self._kept.facts(self._space, seqs)
        if where is None:
            return facts
        passing = self._store.documents.passing([fact.citation.document_id for fact in facts.values()], where)
        return {seq: fact for seq, fact in facts.items() if fact.citation.chunk_id in passing}

    async def _one(self, memory_id: str) -> Remembered:
        """The fact of that id, or the only one whose id begins so."""
        found = [fact for fact in await self.facts() if memory_id and fact.memory_id.startswith(memory_id)]
        if len(found) != 1:
            message = f"{len(found) or 'No'} remembered facts have an id that begins with {memory_id!r}."
            raise InputError(message, cure="List them with: rove memory list")
        return found[0]

    def _direct(self, held: _Held, asked: NDArray[np.float32], terms: set[str]) -> NDArray[np.float64]:
        distances = 1.0 - (held.vectors @ asked).astype(np.float64)
        near = np.clip(1 - distances / (REACH * self._embedder.max_distance), 0, 1)
        return MEANING * near + WORDS * np.array([coverage(terms, own) for own in held.terms])

    def _refresh(self) -> list[LeadEntry]:
        """Bring what is held up to date with the catalog; returns how leads have ended, of which nothing is held."""
        known, leads = self._kept.known(self._space)
        if known == set(self._held.seqs):
            return leads
        found = self._kept.found_by(known)
        if not found:
            self._held = self._none()
            return leads
        self._held = _Held(
            list(found),
            [frozenset(one.terms.split()) for one in found.values()],
            np.stack([one.vector for one in found.values()]),
            np.stack([one.asked for one in found.values()]),
            np.array([one.relevance for one in found.values()]),
        )
        return leads

    def _none(self) -> _Held:
        nothing = np.zeros((0, self._store.dimension), np.float32)
        return _Held([], [], nothing, nothing, np.zeros(0))

    def _name(self, fact: Remembered, question: str) -> str:
        citation = fact.citation
        span = f"{citation.span[0]}:{citation.span[1]}"
        return content_hash("memory", self._space, question, citation.document_id, span, fact.text)[:16]

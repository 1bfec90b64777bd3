"""Reads without a chat model: facts are sentences to the letter, leads the names that they bring up."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rove.answer.extract import Candidate, best_quotes, list_candidates
from rove.answer.judged_spans import judged_spans
from rove.answer.passages import read_parents
from rove.answer.spans import ReadSpans
from rove.enrich.entities import mentions
from rove.language.relative_days import is_day_or_month
from rove.language.words import query_terms, terms
from rove.models.passage_reading import PassageReading
from rove.records import Hit
from rove.records.walk_events import Fact, FactFound, Lead, LeadFound
from rove.retrieve.bridge import bridges
from rove.walk import EXTRACTIVE, Finding, Material, WalkContext
from rove.walk.chain import fact_of, sentence_in_place
from rove.walk.chain_reading import ChainReader
from rove.walk.field_labels import is_furniture, is_mail_head
from rove.walk.leads import lead_to
from rove.walk.state import State

CANDIDATES = 120
WORDS = 0.5  # weight of the words that question and sentence share, beside the nearness of their meaning
REACH = 1.25  # a sentence at so many times the embedder's max_distance is taken to mean something else
LEAST = 0.3  # relevance of a fact
WEAK = 0.6  # share of the best one's relevance that a fact must reach
LIKELY = 0.25  # score of a name that is followed: less is a word that may be no name, far from what is asked
UNKNOWN = "und"
NAMES = 3  # leads to names that one fact may give


class ExtractiveReader:
    """See `Reader`. The sentences nearest to the question, with the title or heading that they stand under."""

    def __init__(self, context: WalkContext) -> None:
        self._chains = ChainReader(context)
        self._embedder = context.search_context.embedder
        self._most = context.settings.facts

    async def read(self, material: Material) -> AsyncGenerator[Finding]:
        """See `Reader.read`.

        relevance = (1 - `WORDS`) · nearness + `WORDS` · share of the question's terms in the sentence, those in its
        title or heading counting half; nearness = 1 - distance / (`REACH` · the embedder's max_distance), 0 at least.
        In a chunk that a lead led to, the better of the question's and of the question's with the lead counts. Of a
        sentence in another language than the question, nearness alone: it cannot have its words; and to the question
        alone: with a name in that language the question is nearer to all that is said in it.
        """
        state = material.state
        listed = await asyncio.to_thread(list_candidates, state.question, material.hits, state.language)
        candidates = [one for one in listed if not is_mail_head(one)][:CANDIDATES]
        if not candidates:
            return
        scores = await self._relevance(candidates, state)
        order = sorted(range(len(candidates)), key=lambda place: -float(scores[place]))[: self._most]
        best = float(scores[order[0]])
        read = "\n".join(hit.chunk.text for hit in material.hits)
        taken: dict[str, tuple[Fact, Candidate]] = {}
        for place in order:
            relevance = round(float(scores[place]), 4)
            if relevance >= max(LEAST, WEAK * best):
                fact = fact_of(candidates[place], relevance, state.round)
                taken[fact.fact_id] = (fact, candidates[place])
        chained = [finding async for finding in self._chains.read(material)]
        known = {finding.fact.fact_id for finding in chained if isinstance(finding, FactFound)}
        for fact, _ in taken.values():
            if fact.fact_id not in known:
                yield FactFound(fact)
        for finding in chained:
            if isinstance(finding, FactFound) and (own := taken.get(finding.fact.fact_id)):
                yield FactFound(replace(finding.fact, relevance=own[0].relevance))
            else:
                yield finding
        for fact, candidate in taken.values():
            for lead in _name_leads(fact, candidate, state, read):
                yield LeadFound(lead)

    async def _relevance(self, candidates: Sequence[Candidate], state: State) -> NDArray[np.float64]:
        leads = {seen.chunk_id: state.lead(seen.lead_id) for seen in state.seen}
        own = [_shares_words(candidate, state) for candidate in candidates]
        found = [leads.get(one.citation.chunk_id) if same else None for one, same in zip(candidates, own, strict=True)]
        asked = [f"{state.question} {lead.text}" if lead else state.question for lead in found]
        known = await self._embedder.passages([sentence_in_place(candidate) for candidate in candidates])
        whole = (await self._embedder.queries([state.question]))[0]
        led = await self._embedder.queries(asked)
        cosines = np.maximum(known @ whole, np.einsum("ij,ij->i", known, led))
        reach = REACH * self._embedder.max_distance
        near = np.clip(1 - (1 - cosines.astype(np.float64)) / reach, 0, 1)
        shares = [
            max(_term_share(state.question, candidate, state), _term_share(question, candidate, state))
            for question, candidate in zip(asked, candidates, strict=True)
        ]
        words = WORDS * np.array(own)
        return (1 - words) * near + words * np.array(shares)


async def asked_facts(
    state: State, found: Sequence[Hit], readings: Mapping[str, PassageReading], context: WalkContext
) -> list[Fact]:
    """Return what `ask` would quote of what the question found, as facts, in its order. `readings`: see `GateVerdict`.

    One that is known stays as it is; a new one is as relevant as the best that is known, at least `LEAST`. None where a
    chat model answers, or has read for this walk.

    Raises:
        ServiceError: the embedder failed.
    """
    if context.chat is not None or state.mode != EXTRACTIVE:
        return []
    embedder, most = context.search_context.embedder, context.answer.quotes
    hits = await read_parents(found, context.text_of)
    judge = context.search_context.judge()
    judged = await judged_spans(state.question, state.language, found, judge, embedder, readings) if judge else None
    spans = await ReadSpans.of(found, readings, embedder)
    quotes = await best_quotes(state.question, hits, state.language, embedder, quotes=most, spans=spans, judged=judged)
    best = max((fact.relevance for fact in state.facts), default=LEAST)
    made = [fact_of(quote, best, state.round) for quote in quotes if not is_mail_head(quote)]
    known = {(f.citation.document_id, f.citation.span): f for f in state.facts if f.citation}
    facts = [known.get((f.citation.document_id, f.citation.span), f) for f in made if f.citation]
    return [fact for fact in facts if fact.fact_id not in state.lost]


def _shares_words(candidate: Candidate, state: State) -> bool:
    return candidate.hit.chunk.language in {state.language, UNKNOWN} or state.language == UNKNOWN


def _term_share(question: str, candidate: Candidate, state: State) -> float:
    asked = set(query_terms(question, state.language))
    if not asked:
        return 0.0
    said, whole = terms(candidate.text, state.language), terms(sentence_in_place(candidate), state.language)
    return (len(asked.intersection(said)) + len(asked.intersection(whole))) / (2 * len(asked))


def _name_leads(fact: Fact, candidate: Candidate, state: State, read: str) -> list[Lead]:
    known = [candidate.hit.title, *(lead.text for lead in state.leads if lead.lead_id in state.followed)]
    language = candidate.hit.chunk.language
    sure = {mention.name for mention in mentions(candidate.text, language) if mention.sure}
    named = [
        (name, score)
        for name, score in bridges(state.question, candidate.text, language, known=known)
        if score >= LIKELY
        and name in sure
        and not is_furniture(name, candidate.text, read)
        and not is_day_or_month(name, language)
    ]
    return [lead_to(name, "name", state.round, promise=score, fact=fact) for name, score in named[:NAMES]]

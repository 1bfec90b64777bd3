"""What a walk has from earlier ones: their facts, checked anew, and how their leads have ended."""

from __future__ import annotations

from collections.abc import Sequence

from rove.answer.cite import check
from rove.language.detect import detect
from rove.language.words import terms
from rove.records import Citation
from rove.records.memory import LeadEnd, Outcome, Remembered
from rove.records.walk import Fact, Lead
from rove.retrieve.memory import LongMemory
from rove.walk import TextOf
from rove.walk.leads import fact_id, plain
from rove.walk.state import State

LEAST = 0.5  # score of a fact that is recalled
KEPT = 0.5  # relevance of a fact that is kept though the answer does not need it
SAME_WORDS = 0.5  # share of their words, of all that either has, that leads which look for the same have in common
PLACES = frozenset({"reference", "section", "page", "footnote", "link"})
WORTH: dict[Outcome, float] = {"answer": 1.0, "fact": 0.25, "nothing": -1.0}


class WalkMemory:
    """See `rove.walk.Memory`. One for each walk: `recall` also brings to mind how leads to the like have ended."""

    def __init__(self, memory: LongMemory, text_of: TextOf) -> None:
        self._memory = memory
        self._text_of = text_of
        self._language = "und"
        self._experience: list[tuple[LeadEnd, float]] = []

    async def recall(self, question: str, top_k: int) -> list[Fact]:
        """See `Memory.recall`. What scores less than `LEAST` is not recalled.

        Raises:
            ServiceError: the embedder failed.
        """
        self._language = detect(question)
        self._experience = await self._memory.experience(question)
        found = [fact for fact in await self._memory.search(question, top_k=top_k) if fact.score >= LEAST]
        return [_fact(one) for one in found if check(one.citation, await self._text_of(one.citation.document_id))]

    def prior(self, lead: Lead) -> float:
        """See `Memory.prior`: 2 ** (Σ w · worth / (1 + Σ w)) over the leads like this one that were followed before.

        w is how much alike the questions were; `WORTH` says what an end is worth. So 1/2 to 2. Leads to a place are
        alike where the same words of the same chunk named it, others where they share `SAME_WORDS` of their words.
        """
        own = set(terms(lead.text, self._language))
        like = [(w, WORTH[end.outcome]) for end, w in self._experience if _same(lead, own, end)]
        return 2.0 ** (sum(w * worth for w, worth in like) / (1 + sum(w for w, _ in like)))

    async def keep(self, state: State) -> None:
        """See `Memory.keep`. Only facts that are cited are kept: those the answer rests on, and the relevant ones.

        A walk whose answer is the refusal teaches where not to look, and no fact.

        Raises:
            ServiceError: the embedder failed.
        """
        answer = state.answer
        if answer is None:
            return
        used = [fact for fact in state.facts if fact.citation and _rests_on(answer.citations, fact.citation)]
        good = [] if answer.refused else [f for f in state.facts if f in used or f.relevance >= KEPT]
        facts = [
            Remembered("", fact.text, state.question, fact.relevance, fact.citation, walk_id=state.walk_id)
            for fact in good
            if fact.citation and fact.origin != "memory"
        ]
        ends = [_end(state, lead, used) for lead in state.leads if lead.lead_id in state.followed]
        if facts or ends:
            await self._memory.keep(state.question, facts, [end for end in ends if end], state.language)


def _fact(one: Remembered) -> Fact:
    identity = fact_id(one.text, one.citation.document_id, one.citation.span)
    return Fact(identity, one.text, min(one.score, 1.0), 1, "memory", one.citation)


def _same(lead: Lead, own: set[str], end: LeadEnd) -> bool:
    if lead.kind in PLACES or end.kind in PLACES:
        return lead.chunk_id == end.chunk_id and plain(lead.text) == plain(end.text)
    other = set(end.terms.split())
    return len(own & other) >= SAME_WORDS * max(len(own | other), 1)


def _end(state: State, lead: Lead, used: Sequence[Fact]) -> LeadEnd | None:
    """Say how a lead ended; None where that says nothing, since what it led to was known, or its source is not."""
    source = next((fact.citation for fact in state.facts if fact.fact_id == lead.fact_id and fact.citation), None)
    seen = {one.chunk_id: one.document_id for one in state.seen}
    chunk_id = lead.chunk_id or (source.chunk_id if source else "")
    document_id = source.document_id if source else seen.get(chunk_id, "")
    if not document_id and lead.kind != "user":
        return None
    there = {one.chunk_id for one in state.seen if one.lead_id == lead.lead_id}
    if not there and state.followed[lead.lead_id].chunks == 0 and lead.kind in PLACES:
        return None
    outcome: Outcome = "nothing"
    if _any_from(used, there):
        outcome = "answer"
    elif _any_from(state.facts, there):
        outcome = "fact"
    return LeadEnd(lead.text, lead.kind, outcome, "", chunk_id, document_id, state.walk_id)


def _any_from(facts: Sequence[Fact], chunk_ids: set[str]) -> bool:
    return any(fact.citation is not None and fact.citation.chunk_id in chunk_ids for fact in facts)


def _rests_on(citations: Sequence[Citation], own: Citation) -> bool:
    return any(
        one.document_id == own.document_id and one.span[0] < own.span[1] and own.span[0] < one.span[1]
        for one in citations
    )

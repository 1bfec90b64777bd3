"""What a walk takes from earlier ones: their facts, checked anew, and how well their leads ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rove.answer.cite import check_citation
from rove.language.detect import detect
from rove.language.folding import fold_words
from rove.language.words import terms
from rove.records import content_hash
from rove.records.filter import implies
from rove.records.learned import LeadEnd, Outcome, Remembered
from rove.records.walk_events import Fact, Lead
from rove.retrieve.long_term_memory import LongTermMemory
from rove.walk import EXTRACTIVE, RecalledFacts
from rove.walk.chain import answering_chain
from rove.walk.json_format import filter_of
from rove.walk.leads import fact_id
from rove.walk.state import State

SEARCHED = 100  # facts that are looked at
LEAST = 0.5  # score of a fact that is recalled
KEPT = 0.5  # relevance of a fact that is kept though the answer does not need it
SAME_WORDS = 0.5  # share of their words, of all that either has, that leads which look for the same have in common
PLACES = frozenset({"reference", "section", "page", "footnote", "link"})
WORTH: dict[Outcome, float] = {"answer": 1.0, "fact": 0.25, "nothing": -1.0}


class WalkMemory:
    """See `rove.walk.Memory`. One for each walk: `recall` also brings to mind how leads to the like have ended."""

    def __init__(self, memory: LongTermMemory) -> None:
        self._memory = memory
        self._language = "und"
        self._stamp = ""
        self._experience: list[tuple[LeadEnd, float]] = []

    async def recall(self, state: State, top_k: int) -> RecalledFacts:
        """See `Memory.recall`. Of what scores less than `LEAST` nothing is recalled.

        A walk that could see more may have learned of what this one may not see: of its facts only the quoted words
        are recalled, and nothing of how its leads have ended.
        `settled`: the same question (the same terms in the same order) was asked in the same way of the base as it is
        now, and that walk had found enough. Then all that the answer rested on is recalled.

        Raises:
            ServiceError: the embedder failed.
        """
        self._language = detect(state.question)
        self._stamp = _stamp(state, await self._memory.state(filter_of(state.where)))
        found, known = await self._memory.recollect(state.question, top_k=SEARCHED, where=filter_of(state.where))
        self._experience = [(end, likeness) for end, likeness in known if _is_filter_within(end.where, state)]
        texts = await self._memory.texts({one.citation.document_id for one in found})
        live = [one for one in found if check_citation(one.citation, texts.get(one.citation.document_id, ""))]
        asked = terms(state.question, self._language)
        same = [f for f in live if f.used and f.stamp == self._stamp and terms(f.question, self._language) == asked]
        near = [fact for fact in live if fact.score >= LEAST and fact not in same]
        others = near[: max(top_k - len(same), 0)]
        recalled = same or others
        fresh = bool(recalled) and all(one.stamp == self._stamp for one in recalled)
        facts = tuple(_fact_from_memory(one, whole=_is_filter_within(one.where, state)) for one in (*same, *others))
        return RecalledFacts(facts, settled=bool(same), fresh=fresh)

    def prior(self, lead: Lead) -> float:
        """See `Memory.prior`: 2 ** (Σ w · worth / (1 + Σ w)) over the leads like this one that were followed before.

        w is how much alike the questions were; `WORTH` says what an end is worth. So 1/2 to 2. Leads to a place are
        alike where the same words of the same chunk named it, others where they share `SAME_WORDS` of their words.
        """
        own = set(terms(lead.text, self._language))
        like = [(w, WORTH[end.outcome]) for end, w in self._experience if _is_same_lead(lead, own, end)]
        return 2.0 ** (sum(w * worth for w, worth in like) / (1 + sum(w for w, _ in like)))

    async def keep(self, state: State) -> None:
        """See `Memory.keep`. Only facts that are cited are kept: those the answer rests on, and the relevant ones.

        A walk whose answer is the refusal teaches where not to look, and no fact. One whose answer is the steps of a
        chain is gone anew when the same is asked, from what is remembered: which fact led to which is not kept.

        Raises:
            ServiceError: the embedder failed.
        """
        answer = state.answer
        if answer is None:
            return
        used = [
            fact for fact in state.facts if fact.citation and any(map(fact.citation.shares_words, answer.citations))
        ]
        good = [] if answer.refused else [f for f in state.facts if f in used or f.relevance >= KEPT]
        enough = state.stopped is not None and state.stopped.reason == "enough" and not state.warnings
        by_steps = answer.mode == EXTRACTIVE and answering_chain(state)
        stamp = self._stamp if enough and not answer.refused and not by_steps else ""
        facts = [
            Remembered(
                "",
                fact.text,
                state.question,
                fact.relevance,
                fact.citation,
                state.walk_id,
                next_source=fact.next_source,
                expected_info=fact.expected_info,
                used=fact in used,
                stamp=stamp,
                where=state.where,
            )
            for fact in good
            if fact.citation
        ]
        ends = [_lead_end(state, lead, used) for lead in state.leads if lead.lead_id in state.followed]
        if facts or ends:
            await self._memory.keep(state.question, facts, [end for end in ends if end], state.language)


def _stamp(state: State, base: str) -> str:
    """Write down what a walk sees: the base as it is for its caller, and what the walk was allowed."""
    return content_hash(base, state.mode, state.where, str(state.budget.rounds))[:16]


def _is_filter_within(where: str | None, state: State) -> bool:
    """Say whether a walk with this filter has seen nothing that this one may not see."""
    return not state.where if where is None else implies(filter_of(where), filter_of(state.where))


def _fact_from_memory(one: Remembered, *, whole: bool) -> Fact:
    """Make a fact of what is remembered; unless `whole`, of the words that it rests on alone."""
    if not whole:
        one = replace(one, text=one.citation.quote, next_source="", expected_info="")
    identity = fact_id(one.text, one.citation.document_id, one.citation.span)
    return Fact(
        identity,
        one.text,
        min(one.score, 1.0),
        1,
        "memory",
        one.citation,
        next_source=one.next_source,
        expected_info=one.expected_info,
    )


def _is_same_lead(lead: Lead, own: set[str], end: LeadEnd) -> bool:
    if lead.kind in PLACES or end.kind in PLACES:
        return lead.chunk_id == end.chunk_id and fold_words(lead.text) == fold_words(end.text)
    other = set(end.terms.split())
    return len(own & other) >= SAME_WORDS * max(len(own | other), 1)


def _lead_end(state: State, lead: Lead, used: Sequence[Fact]) -> LeadEnd | None:
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
    return LeadEnd(lead.text, lead.kind, outcome, "", chunk_id, document_id, state.walk_id, state.where)


def _any_from(facts: Sequence[Fact], chunk_ids: set[str]) -> bool:
    return any(fact.citation is not None and fact.citation.chunk_id in chunk_ids for fact in facts)

"""The steps of a walk, carried out: each yields its events, batch by batch, and a batch is kept whole or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace

from rove.answer.answerer import NO_MODEL, refused
from rove.answer.chat import AnswerContext
from rove.answer.chitchat import ITSELF, chitchat, replied
from rove.answer.cite import marks
from rove.answer.facts import answer_from_facts
from rove.answer.gate import Gate, GateVerdict
from rove.answer.passages import read_once, read_parents
from rove.language.cue_words import asks_for
from rove.language.rendering import render
from rove.records import Answer, Hit, Note, Sentence
from rove.records.walk_events import (
    Answered,
    ChunkSeen,
    ChunksRead,
    Fact,
    FactDelta,
    FactFound,
    FactRejected,
    Judged,
    Lead,
    LeadDropped,
    LeadFollowed,
    LeadFound,
    RoundStarted,
    Stopped,
    WalkEvent,
)
from rove.references.targets import ReferenceTargets
from rove.retrieve.judging import judge_now
from rove.walk import EXTRACTIVE, READERS, Finding, Material, RecalledFacts, WalkContext, cited, why, without_chat
from rove.walk.budget import stop_reason
from rove.walk.chain import NOWHERE, answering_chain, chain_to_absent
from rove.walk.extractive import asked_facts
from rove.walk.finder import Finder
from rove.walk.json_format import filter_of
from rove.walk.judge import (
    CLEAR,
    FAR,
    SURE_CHAIN,
    answered,
    judged_as,
    judged_by_chain,
    judged_by_model,
    judged_by_text,
    judged_from_memory,
)
from rove.walk.leads import lead_to, leads_of, new_leads
from rove.walk.novelty import said_already
from rove.walk.path import path_of
from rove.walk.revisit import revisited
from rove.walk.state import QUESTION, State, advanced, folded
from rove.walk.step import Begin, Compose, End, Follow, Judge, Read, Step
from rove.walk.text_leads import leads_from_text
from rove.walk.unknown_words import unknown_terms, unmentioned

Batches = AsyncGenerator[list[WalkEvent]]
MODEL = "model"
ASTRAY = Note("asked-not-in-base")
RECALLED = 4
"""Facts of earlier walks that a walk begins with at most."""


class Loop:
    """Carries out steps. It keeps nothing of a walk: that is all in the state.

    Args:
        context: what it works with.
        model: False for a walk whose chat model is not to be asked any more.
    """

    def __init__(self, context: WalkContext, *, model: bool = True) -> None:
        self._context = context if model else without_chat(context)
        self._reader = _reader_of(context, model=model)
        self._finder = Finder(self._context)
        self._gate = Gate(self._context.search_context, self._context.answer)

    async def perform(self, step: Step, state: State) -> Batches:
        """Carry out one step.

        Raises:
            ServiceError: a model failed; what was yielded before counts.
        """
        match step:
            case Begin(1) if (known := chitchat(state.question, state.language)) and known.kind != ITSELF:
                reason = stop_reason("nothing-asked", state.budget, state.language)
                stopped = Stopped("nothing-asked", reason, state.spent)
                yield [stopped, Answered(replied(state.question, known, self._context.answer))]
            case Begin(number, lead_ids):
                yield [RoundStarted(number, lead_ids), *(await self._recalled(state, number))]
            case Follow(lead, reason):
                yield await self._follow(lead, reason, state)
            case Read(chunk_ids):
                async for batch in self._read(chunk_ids, state):
                    yield batch
            case Judge():
                judged = await self._judge(state)
                yield [judged, *map(LeadFound, new_leads(missing_leads(judged), state, (), self._context.memory))]
            case End(stop):
                reason = stop_reason(stop, state.budget, state.language)
                yield [Stopped(stop, reason, replace(state.spent, rounds=state.round))]
            case Compose():
                async for batch in self._composed(state):
                    yield batch
            case _:
                return

    async def _composed(self, state: State) -> Batches:
        if gone := await revisited(state, self._context):
            yield gone
            state = folded(gone, state)
        pool = await self._finder.asked(state, self._gate.looks_at)
        verdict = await self._gate.judge(state.question, state.language, pool)
        found = pool[: self._context.answer.references]
        asked = await asked_facts(state, found, verdict.readings, self._context)
        if fresh := [fact for fact in asked if fact not in state.facts]:
            yield list(map(FactFound, fresh))
            state = folded(map(FactFound, fresh), state)
        yield [Answered(await self._answer(state, found, verdict, asked))]

    async def _recalled(self, state: State, number: int) -> list[WalkEvent]:
        memory = self._context.memory
        if memory is None or number > 1:
            return []
        recalled = await memory.recall(state, RECALLED)
        within = set(await self._finder.within(cited(recalled.facts), state))
        facts = [fact for fact in recalled.facts if fact.citation and fact.citation.chunk_id in within]
        if len(facts) < len(recalled.facts):
            recalled = RecalledFacts()
        after = folded([RoundStarted(number), *map(FactFound, facts)], state)
        if self._is_by_chain(after):  # what answered one question need not answer another, however alike their words
            recalled = replace(recalled, fresh=False)
        unknown = await unknown_terms(after, self._context.search_context.store) if recalled.fresh else ()
        verdict = judged_from_memory(after, recalled, unknown)
        if verdict and not recalled.settled and not (await self._held_to_distance(verdict, after)).enough:
            verdict = None
        leads = await self._leads(after, {fact.fact_id for fact in state.facts}, self._places(state))
        return [*map(FactFound, facts), *leads, *([verdict] if verdict else [])]

    async def _follow(self, lead: Lead | None, reason: Note, state: State) -> list[WalkEvent]:
        lead_id = lead.lead_id if lead else QUESTION
        hits = await self._finder.chunks(lead, state)
        found = [
            ChunkSeen(
                state.round, hit.chunk.chunk_id, hit.chunk.document_id, hit.title, hit.uri, float(hit.score), lead_id
            )
            for hit in hits
        ]
        return [*found, LeadFollowed(lead_id, state.round, len(found), *why(state.language, reason))]

    async def _read(self, chunk_ids: tuple[str, ...], state: State) -> Batches:
        """Read chunks; the state that later findings are held against grows with the earlier ones."""
        found = await self._finder.hits(chunk_ids)
        if gone := set(chunk_ids).difference(hit.chunk.chunk_id for hit in found):
            yield list(await self._finder.instead(gone, state))
        hits = await read_parents(found, self._context.text_of)
        reader = READERS.get(self._reader)(self._context)
        places = self._places(state)
        await places.hold(hit.chunk.document_id for hit in hits)
        findings = reader.read(Material(hits, state))
        led = {fact.fact_id for fact in state.facts if fact.round < state.round}
        try:
            async for finding in findings:
                leads = await self._leads(state, led, places) if isinstance(finding, LeadFound) else []
                batch = [*leads, *await self._taken(finding, folded(leads, state))]
                for event in batch:
                    state = state if isinstance(event, FactDelta) else advanced(state, event)
                if batch:
                    yield batch
        finally:
            await findings.aclose()
        by = self._context.mode if self._reader == MODEL else self._reader
        yield [*await self._leads(state, led, places), ChunksRead(state.round, chunk_ids, by)]

    async def _taken(self, finding: Finding, state: State) -> list[WalkEvent]:
        """Take a finding in, or say why not."""
        if isinstance(finding, LeadFound):
            known = state.lead(finding.lead.lead_id)
            again = known is not None and known.document_id and known.lead_id in state.followed
            if known is not None and again and known.round < state.round:  # a chain came there from another fact
                return [LeadFound(replace(known, fact_id=finding.lead.fact_id, chunk_id=finding.lead.chunk_id))]
            return [*map(LeadFound, new_leads([finding.lead], state, (), self._context.memory))]
        if isinstance(finding, LeadFollowed) and finding.lead_id in state.followed:
            return []
        if not isinstance(finding, FactFound):
            return [finding]
        fact = finding.fact
        if fact.fact_id in state.lost:
            return []
        if fact.lead_id or fact.answers:
            return [] if fact in state.facts else [finding]
        same = await said_already(fact, state.facts, self._context.search_context.embedder, state.language)
        if same is not None:
            told = same.fact_id == fact.fact_id
            known = why(state.language, Note("fact-known", {"fact": same.fact_id}))
            return [] if told else [FactRejected(state.round, fact.text, *known)]
        return [finding]

    def _places(self, state: State) -> ReferenceTargets:
        context = self._context.search_context
        return ReferenceTargets(context.store, filter_of(state.where), context.embedder)

    async def _leads(self, state: State, led: set[str], places: ReferenceTargets) -> list[WalkEvent]:
        """What facts lead to: what they name, and what their sources refer to beside their words.

        All facts but those that have `led` on already, to which they are added: their references are looked up at once.
        """
        facts = [fact for fact in state.facts if fact.fact_id not in led]
        led.update(fact.fact_id for fact in facts)
        told = await leads_from_text(facts, places)
        events: list[WalkEvent] = []
        for fact in facts:
            found = {lead: there for lead, there in told if lead.fact_id == fact.fact_id}
            leads = new_leads([*leads_of(fact), *found], folded(events, state), (), self._context.memory)
            nowhere = {lead.lead_id for lead, there in found.items() if not there}
            events += map(LeadFound, leads)
            absent = why(state.language, NOWHERE)
            events += [LeadDropped(one.lead_id, state.round, *absent) for one in leads if one.lead_id in nowhere]
        return events

    async def _judge(self, state: State) -> Judged:
        last = bool(state.budget.rounds) and state.round >= state.budget.rounds
        if self._is_by_chain(state):
            judged = judged_by_chain(state)
            astray = judged.enough and not answering_chain(state) and bool(chain_to_absent(state)[1])
            return judged_as(state, [ASTRAY], missing=state.question) if astray else judged
        if self._context.chat is None or not state.facts or (last and not state.open_leads):
            judged = judged_by_text(state, await unknown_terms(state, self._context.search_context.store))
            return await self._held_to_distance(judged, state)
        return await judged_by_model(self._context.chat, state)

    def _is_by_chain(self, state: State) -> bool:
        """Say whether the packaged judge says what answers, and not the words that question and facts share."""
        judged = self._context.chat is None and self._context.search_context.judge() is not None
        return judged and (answered(state) or bool(asks_for(state.question, state.language)))

    async def _held_to_distance(self, judged: Judged, state: State) -> Judged:
        """Say no where no clear fact stands in a chunk that is near enough to the question to answer from."""
        clear = {fact.citation.chunk_id for fact in state.facts if fact.citation and fact.relevance >= CLEAR}
        if not judged.enough or (clear and await self._distance(state.question, sorted(clear)) <= self._limit):
            return judged
        return replace(judged_as(state, [*judged.notes, FAR], missing=state.question), by=judged.by)

    @property
    def _limit(self) -> float:
        return self._context.answer.max_distance or self._context.search_context.embedder.max_distance

    async def _distance(self, question: str, chunk_ids: Sequence[str]) -> float:
        """The cosine distance of the nearest of these chunks."""
        vector = (await self._context.search_context.embedder.queries([question]))[0]
        await judge_now(self._context.search_context, chunk_ids)
        return 1.0 - float((await self._context.search_context.store.chunk_vectors(chunk_ids) @ vector).max())

    async def _answer(self, state: State, found: Sequence[Hit], verdict: GateVerdict, asked: Sequence[Fact]) -> Answer:
        context, store = self._context, self._context.search_context.store
        hits = await self._finder.hits(cited(state.facts))
        texts = await asyncio.to_thread(store.documents.texts, {hit.chunk.document_id for hit in hits})
        chain, absent = answering_chain(state), ""
        if not chain and context.search_context.judge() is not None:
            chain, absent = chain_to_absent(state)
        if self._reader == MODEL and len(chain) == 1:  # what led there is not known
            chain = ()
        answer = await answer_from_facts(
            state.question,
            state.facts,
            hits,
            language=state.language,
            context=AnswerContext(
                context.search_context.embedder,
                context.chat,
                context.answer,
                read_once(context.text_of, texts),
                judge=context.search_context.judge(),
            ),
            found=found,
            verdict=verdict,
            asked=[fact.fact_id for fact in asked],
            path=path_of(state.facts, state.leads, state.seen),
            chain=[fact.fact_id for fact in chain],
            absent=absent,
            unwritten=NO_MODEL if state.mode == EXTRACTIVE else Note("not-written", {"model": state.mode}),
        )
        known = chitchat(state.question, state.language) if answer.refused else None
        if known:
            return replied(state.question, known, context.answer)
        fields = await store.field_names.on(filter_of(state.where))
        more = [] if chain else await unmentioned(state, answer, store)
        if chain and not absent and answer.mode == EXTRACTIVE and chain[-1].answers < SURE_CHAIN:
            more = [Note("last-step-unsure")]
        return replace(answer, notes=(*fields, *answer.notes, *more))


def missing_leads(judged: Judged) -> list[Lead]:
    """Return what a model says is still missing as a lead; without a model nothing is known but single words."""
    if judged.enough or judged.by == EXTRACTIVE or not judged.missing:
        return []
    return [lead_to(judged.missing, "expected-info", judged.round, promise=1.0)]


def quote_facts(state: State, problem: str) -> Answered:
    """Return the answer for when nothing else works any more: the facts' own words, the most relevant first."""
    facts = [fact for fact in sorted(state.facts, key=lambda fact: -fact.relevance) if fact.citation]
    notes = (Note("facts-quoted", {"problem": problem}),)
    if not facts:
        return Answered(refused(state.question, (), state.language, *notes))
    cites = [replace(fact.citation, number=number) for number, fact in enumerate(facts, 1) if fact.citation]
    sentences = tuple(Sentence(render(citation.quote).line, (citation,)) for citation in cites)
    text = "\n\n".join(f"{sentence.text} {marks([place])}" for place, sentence in enumerate(sentences, 1))
    return Answered(Answer(state.question, text, EXTRACTIVE, state.language, sentences, notes=notes))


def _reader_of(context: WalkContext, *, model: bool) -> str:
    """Return the name of the reader. Where the chat model is not to be asked any more, none is that may ask it."""
    if context.chat is None:
        return context.settings.reader if context.settings.reader not in {"", MODEL} else EXTRACTIVE
    return (context.settings.reader or MODEL) if model else EXTRACTIVE

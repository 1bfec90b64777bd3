"""Reads without a chat model for chains: what answers given the steps that led there, and what they lead to beside."""

from __future__ import annotations

import asyncio
import warnings
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from rove.answer.extract import Candidate, list_candidates
from rove.answer.passages import read_parents
from rove.answer.versions import choose_in_force
from rove.models.e5 import UnsuitableError
from rove.records import Document, Hit, Note
from rove.records.walk_events import FactFound, Lead, LeadFollowed, LeadFound
from rove.references.targets import ReferenceTargets, Spot
from rove.references.text_references import Reference, references
from rove.walk import Finding, Material, WalkContext, why
from rove.walk.arrival import ChainAnswer, ChainJudge
from rove.walk.chain import ANSWERS, fact_of, held_terms
from rove.walk.chain_search import ChainSearch, Hop, Link, OpenLink, Passage, Path, titled_links
from rove.walk.field_labels import is_furniture, is_mail_head
from rove.walk.json_format import filter_of
from rove.walk.judge import SURE_CHAIN, terms_with_words
from rove.walk.leads import lead_id, lead_to
from rove.walk.question_names import has_name, question_names
from rove.walk.state import State

POOL = 40  # passages, the last that were read, in which chains are looked for
READINGS = 8  # of the judge, in one reading
DIRECTLY = 5  # passages that may answer with no step before them
OPEN = 6  # leads that chains end in
STEP_RELEVANCE = 0.5
LEAST_CHANCE = 0.05  # of an answer that is kept
FURTHER = 2.0  # what a way that has more of the question's words may count less than another, as a logit
LEAST_TITLE = 3  # characters of a title that may stand before a place in it
READ = Note("lead-read")


class ChainReader:
    """Looks for chains in all that was read: what was read before counts for each new lead too.

    `alone`: nobody else reads, so that what may answer is kept too, and what names the next step beside.
    """

    def __init__(self, context: WalkContext, *, alone: bool = True) -> None:
        self._context, self._alone = context, alone

    async def read(self, material: Material) -> AsyncGenerator[Finding]:
        """Yield the facts and leads of the chain that answers best, and what the best chains lead to beside."""
        state = material.state
        asked = terms_with_words(state.question, state.language)
        passages = await self._pool(material, frozenset(asked))
        search = ChainSearch(passages, state.question, asked, state.language)
        paths = await asyncio.to_thread(search.paths)
        best = await self._arrived(paths, passages, search, state, frozenset(asked))
        told, leads = set[str](), {lead.lead_id for lead in state.leads}
        least = LEAST_CHANCE if self._alone else ANSWERS
        if best is not None and best.chance > max((least, *(fact.answers for fact in state.facts))):
            for finding in _findings(best.path, best, state, search):
                told.update([finding.fact.fact_id] if isinstance(finding, FactFound) else [])
                leads.update([finding.lead.lead_id] if isinstance(finding, LeadFound) else [])
                yield finding
        told.update(fact.fact_id for fact in state.facts)
        chosen: dict[str, OpenLink] = {}
        read = "\n".join(one.hit.chunk.text for one in passages)
        for one in sorted(search.open, key=lambda one: -search.worth(one.path)):
            value = one.link.value
            bare = value is not None and value.text.isdigit() and not self._alone
            if bare or (value and (value.is_amount or _is_page_word(one.link, read))):
                continue
            chosen.setdefault(_lead_from_link(one.link, "", state, 0.0).lead_id, one)
        for one in list(chosen.values())[:OPEN]:
            at = fact_of(one.link.at, min(search.share(one.path.words), 1.0), state.round)
            last = LeadFound(_lead_from_link(one.link, at.fact_id, state, at.relevance))
            for finding in (*(_findings(one.path, None, state, search) if self._alone else ()), last):
                known = isinstance(finding, LeadFound) and finding.lead.lead_id in leads
                if not known and not (isinstance(finding, FactFound) and finding.fact.fact_id in told):
                    yield finding

    async def _pool(self, material: Material, asked: frozenset[str]) -> list[Passage]:
        """Return what was read until now, and what is read: the last `POOL` passages."""
        state, store = material.state, self._context.search_context.store
        new = {hit.chunk.chunk_id for hit in material.hits}
        older = [one.chunk_id for one in state.seen if one.chunk_id in state.read and one.chunk_id not in new]
        found = await store.find(list(dict.fromkeys(older))[-POOL:])
        known = [Hit(found[name].chunk, 0.0, {}, found[name].uri, found[name].title) for name in found]
        hits = [*material.hits, *await read_parents(known, self._context.text_of)][:POOL]
        chosen = await choose_in_force(state.question, state.language, hits, store.documents.texts)
        hits = list(chosen.hits)
        targets = ReferenceTargets(store, filter_of(state.where))
        await targets.hold(dict.fromkeys(hit.chunk.document_id for hit in hits))
        listed = await asyncio.to_thread(lambda: [_passage_candidates(hit, state) for hit in hits])
        return await _with_references(hits, listed, targets, asked, question_names(state.question, state.language))

    async def _arrived(
        self,
        paths: Sequence[Path],
        passages: Sequence[Passage],
        search: ChainSearch,
        state: State,
        asked: frozenset[str],
    ) -> ChainAnswer | None:
        """Let the judge read the ends of the best chains, and the passages that may answer directly."""
        judge = self._context.search_context.judge()
        if judge is None:
            return None
        told = [fact.citation.quote for root in search.roots for hop in root.hops for fact in hop.facts]
        reading = ChainJudge(judge, self._context.search_context.embedder, state.question, state.language, asked, told)
        direct = search.roots[:DIRECTLY]
        ends: dict[object, Path] = {}
        for path in sorted(paths, key=search.promise, reverse=True):
            ends.setdefault(path.ending, path)
        try:
            found = [await reading.answer(path, passages) for path in (*direct, *list(ends.values())[:READINGS])]
        except UnsuitableError as error:
            warnings.warn(f"There is no judge: {error}", RuntimeWarning, stacklevel=2)
            return None
        answers = sorted((one for one in found if one), key=_by_chain_first, reverse=True)
        best = next(iter(answers), None)
        for one in answers:
            direct = next((other for other in answers if _needs_no_step(other, one)), None)
            if direct is None or direct.score > 0:
                best = direct or one
                break
        least = max(best.score - FURTHER, 0.0) if best else 0.0
        further = [one for one in answers if best and one.score > least and _goes_further(one, best)]
        return next(iter(further), best)


def _is_page_word(link: Link, read: str) -> bool:
    """Say whether a value is a word of the page, with a number or not: "Table 3"."""
    said = link.at.citation.quote
    head = link.value.head if link.value else ""
    return any(name and is_furniture(name, said, read) for name in (link.text, head))


def _by_chain_first(one: ChainAnswer) -> tuple[bool, float]:
    """Order answers: a chain that has arrived comes before a passage that may be about another thing."""
    return len(one.path.hops) > 1 and one.score > 0, one.score


def _goes_further(one: ChainAnswer, other: ChainAnswer) -> bool:
    """Say whether a way has all of the question's words that another has, and more.

    Of one without a step it must go on from what that answers, which then was only a step of it.
    """
    if not one.path.words > other.path.words:
        return False
    if len(other.path.hops) > 1:
        return len(one.path.hops) > 1
    there = other.candidate.citation
    start, end = (edge - there.span[0] for edge in other.span)
    named = {
        hop.link.value.text
        for hop in one.path.hops
        if hop.link is not None and hop.link.value is not None and hop.link.at.citation == there
    }
    return any(value in there.quote[start:end] for value in named)


def _needs_no_step(one: ChainAnswer, other: ChainAnswer) -> bool:
    """Say whether a passage answers by itself, in the same words, what another answer took steps to.

    One that is not sure by itself does so where nothing pointed to it, and it has all the words of the way.
    """
    here, there = one.candidate.citation, other.candidate.citation
    pointed = any(hop.link is not None and hop.link.spot is not None for hop in other.path.hops)
    alone = one.score > 0 or (one.path.words >= other.path.words and not pointed)
    return here.shares_words(there) and len(one.path.hops) == 1 < len(other.path.hops) and alone


def _passage_candidates(hit: Hit, state: State) -> list[Candidate]:
    """Return the sentences and rows of a passage, without the head of a mail."""
    found = list_candidates(state.question, [hit], state.language)
    return [one for one in found if not is_mail_head(one)]


async def _with_references(
    hits: Sequence[Hit],
    listed: Sequence[Sequence[Candidate]],
    targets: ReferenceTargets,
    asked: frozenset[str],
    names: frozenset[str],
) -> list[Passage]:
    """Make passages of hits: what each sentence refers to is looked up together."""
    told: list[tuple[int, int, Reference, Document]] = []
    titles = {title for hit in hits for title in (hit.title, PurePath(hit.uri).stem) if len(title) >= LEAST_TITLE}
    for number, (hit, candidates) in enumerate(zip(hits, listed, strict=True)):
        document = await targets.document(hit.chunk.document_id)
        if document is not None:
            for at, candidate in enumerate(candidates):
                offset = candidate.citation.span[0]
                for one in references(candidate.citation.quote, document.language):
                    span = (one.span[0] + offset, one.span[1] + offset)
                    work = one.work or _title_before(one, candidate.citation.quote, titles)
                    told.append((number, at, replace(one, span=span, work=work), document))
    spots = await targets.spots([(reference, document) for _, _, reference, document in told])
    found: list[dict[int, list[tuple[Reference, Spot | None]]]] = [{} for _ in hits]
    for (number, at, reference, _), spot in zip(told, spots, strict=True):
        found[number].setdefault(at, []).append((reference, spot))
    passages: list[Passage] = []
    for hit, candidates, own in zip(hits, listed, found, strict=True):
        pointing = {at: tuple(pairs) for at, pairs in own.items()}
        passages.append(Passage(hit, tuple(candidates), pointing, _hit_terms(hit, asked), _count_hit_names(hit, names)))
    return [_add_title_references(passage, passages) for passage in passages]


def _title_before(reference: Reference, said: str, titles: Iterable[str]) -> str:
    """Return the title that stands right before a place, without quotation marks: "Safety manual, chapter 6"."""
    before = said[: reference.span[0]].rstrip(" ,、，の的:：")
    own = (title for title in titles if before.endswith(title)) if reference.kind == "reference" else ()
    return max(own, key=len, default="")


def _hit_terms(hit: Hit, asked: frozenset[str]) -> frozenset[str]:
    return held_terms(asked, f"{hit.title} {hit.chunk.indexed_text}", hit.chunk.language)


def _count_hit_names(hit: Hit, names: frozenset[str]) -> int:
    said = f"{hit.title}\n{hit.chunk.indexed_text}"
    return sum(has_name(said, name) for name in names)


def _add_title_references(passage: Passage, passages: Sequence[Passage]) -> Passage:
    """Add the documents that a passage names by their titles, beside its references."""
    own = passage.hit.chunk.document_id
    held = dict(passage.references)
    for at, one in enumerate(passage.candidates):
        pairs = held.get(at, ())
        pointed = {spot.document_id for _, spot in pairs if spot}
        more = [spot for spot in titled_links(one, passages, own) if spot.document_id not in pointed]
        if more:
            held[at] = (
                *pairs,
                *((Reference("section", spot.title, spot.title, (0, 0), "quoted"), spot) for spot in more),
            )
    return replace(passage, references=held)


def _lead_from_link(link: Link, fact: str, state: State, relevance: float) -> Lead:
    made = lead_to(link.text, link.kind, state.round, promise=0.5 + 0.5 * relevance)
    made = replace(made, fact_id=fact, chunk_id=link.at.citation.chunk_id)
    if link.spot is None:
        return made
    identity = lead_id(link.text, link.spot.document_id, link.spot.span)
    return replace(made, lead_id=identity, document_id=link.spot.document_id, span=link.spot.span)


def _findings(path: Path, answer: ChainAnswer | None, state: State, search: ChainSearch) -> Iterator[Finding]:
    """Yield the facts of a chain, each with the lead that led to it, which then is followed: it was read already."""
    lead = ""
    for number, hop in enumerate(path.hops):
        if hop.link is not None:
            at = fact_of(hop.link.at, STEP_RELEVANCE, state.round)
            made = _lead_from_link(hop.link, at.fact_id, state, STEP_RELEVANCE)
            yield LeadFound(made)
            yield LeadFollowed(made.lead_id, state.round, 0, *why(state.language, READ))
            lead = made.lead_id
        following = path.hops[number + 1].link if number + 1 < len(path.hops) else None
        last = answer if answer and number + 1 == len(path.hops) else None
        for one in _step_facts(hop, following, last, search):
            fact = fact_of(one, STEP_RELEVANCE, state.round)
            yield FactFound(
                replace(
                    fact,
                    lead_id=lead,
                    answers=round(last.chance, 4) if last else 0.0,
                    short=last.span if last and last.chance >= SURE_CHAIN else None,
                )
            )


def _step_facts(hop: Hop, following: Link | None, answer: ChainAnswer | None, search: ChainSearch) -> list[Candidate]:
    """Return what a step says: what answers, or what names the next, and before that what it is said of."""
    if answer is not None:
        return [answer.candidate]
    if following is None:
        return list(hop.facts[:1])
    near = [one for one in hop.facts[:1] if one.is_row or not search.words_of(one) <= search.words_of(following.at)]
    return [*(one for one in near if one is not following.at), following.at]

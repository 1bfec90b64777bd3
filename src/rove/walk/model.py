"""Reads with a chat model: facts come while it writes, and each is held against its reference before it counts.

Chains are looked for beside it, as without a model: a small one overlooks what they find.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import cast

from pydantic import ValidationError

from rove.answer.pack import BUDGET_TOKENS, cut_to_budget
from rove.answer.reference_checker import ReferenceChecker
from rove.answer.reply import ReplyPart
from rove.answer.sentence_judge import SentenceJudge
from rove.errors import ServiceError
from rove.language.token_count import count_tokens
from rove.models import ChatModel
from rove.models.prompts import FENCES, fence_material, fill, prompt
from rove.models.typed import reply_as
from rove.records import Citation, Hit, Note
from rove.records.walk_events import Fact, FactDelta, FactFound, FactRejected, LeadFound
from rove.walk import Finding, Material, WalkContext, why
from rove.walk.budget import exhausted
from rove.walk.chain_reading import ChainReader
from rove.walk.definitions import Definition, definitions, with_definitions
from rove.walk.leads import fact_id
from rove.walk.notes import NotedFact, Notes, read_notes
from rove.walk.state import State

KNOWN = 8  # facts of earlier rounds that the model is shown
UNHELD = Note("unheld")
IN_OTHER_WORDS = Note("source-words-kept")
DEFINED = "[…]"


class ModelReader:
    """See `Reader`. References are read in groups of at most `BUDGET_TOKENS`, one call each, as long as calls are left.

    A reference that is longer by itself is cut.
    """

    def __init__(self, context: WalkContext) -> None:
        if context.chat is None:
            message = "The reader 'model' needs a chat model, and none is configured."
            raise ServiceError(message, cure="Set chat.model, or walk.reader to 'extractive'.", retryable=False)
        self._chat = context.chat
        self._context = context
        self._chains = ChainReader(context, alone=False) if context.search_context.judge() else None

    async def read(self, material: Material) -> AsyncGenerator[Finding]:
        """See `Reader.read`."""
        noted = [fact for fact in material.state.facts if fact.origin == "model"]
        async for finding in self._noted(material):
            noted += [finding.fact] if isinstance(finding, FactFound) else []
            yield finding
        if self._chains is not None:
            joined: dict[str, str] = {}
            async for finding in self._chains.read(material):
                yield _as_noted(finding, noted, joined)

    async def _noted(self, material: Material) -> AsyncGenerator[Finding]:
        state = material.state
        for number, hits in enumerate(grouped(material.hits)):
            if exhausted(replace(state.spent, calls=state.spent.calls + number), state.budget):
                return
            context = self._context.search_context
            judge = SentenceJudge(context.judge(), strict=True)
            checker = ReferenceChecker(hits, state.language, self._context.text_of, context.embedder, judge)
            checker.texts.update({name: await self._context.text_of(name) for name in _distinct_documents(hits)})
            async for finding in self._notes(hits, state, checker):
                yield finding

    async def _notes(self, hits: Sequence[Hit], state: State, checker: ReferenceChecker) -> AsyncGenerator[Finding]:
        instructions = fill(prompt("rove.walk", "read"), {"facts": str(self._context.settings.facts)})
        done = 0
        async for notes in stream_object(self._chat, instructions, packed(hits, state, checker.texts)):
            whole = notes if isinstance(notes, Notes) else None
            items = [note.model_dump() for note in whole.facts] if whole else _fact_items(notes)
            done = min(done, len(items))  # the model was asked once more, and has begun anew
            while done < len(items) and (whole or done < len(items) - 1):
                for finding in await self._checked(items[done], state, checker):
                    yield finding
                done += 1
            if not whole and items and items[-1]:
                fields = {name: str(value) for name, value in items[-1].items()}
                yield FactDelta(state.round, len(items) - 1, fields)

    async def _checked(self, item: Mapping[str, object], state: State, checker: ReferenceChecker) -> list[Finding]:
        """Hold a finished note against the references, and then with what their document defines elsewhere.

        Of what is only said in other words than a judge is sure of, the words of the source are kept.
        """
        try:
            note = NotedFact.model_validate(item)
        except ValidationError:
            return []
        text = " ".join(note.fact.split())
        if not text or note.score == 0:
            return []
        part = ReplyPart(text, (note.reference,), 0)
        found = next(iter(await checker.citations(part)), None) or await self._by_definitions(part, checker)
        if found:
            return [FactFound(_fact_from_note(note, text, found, state))]
        if own := await checker.likest_words(part):
            title = _hit_title_path(checker.hits[own.number - 1])
            said = f"{title}: {' '.join(own.quote.split())}"
            kept = why(state.language, IN_OTHER_WORDS)
            return [FactRejected(state.round, text, *kept), FactFound(_fact_from_note(note, said, own, state))]
        return [FactRejected(state.round, text, *why(state.language, UNHELD))]

    async def _by_definitions(self, part: ReplyPart, checker: ReferenceChecker) -> Citation | None:
        """Hold a note against its reference with what the same document defines elsewhere."""
        number = next(iter(checker.cited(part)), 1)
        hit = checker.hits[number - 1]
        known = _definitions(hit, checker.texts)
        if not known:
            return None
        text = with_definitions(hit.chunk.text, known)
        chunk = replace(hit.chunk, document_id=DEFINED, text=text, span=(0, len(text)))
        wider = replace(checker, hits=[replace(hit, chunk=chunk)], texts={DEFINED: text})
        held = await wider.citations(replace(part, numbers=(1,)))
        return await checker.likest_words(replace(part, numbers=(number,)), alike=True) if held else None


def _as_noted(finding: Finding, noted: Sequence[Fact], joined: dict[str, str]) -> Finding:
    """Return a fact of a chain as the model has noted it, if it rests on the same words, and leads as coming from that.

    joined: ids of such facts of chains → of the model's.
    """
    if isinstance(finding, LeadFound):
        return LeadFound(replace(finding.lead, fact_id=joined.get(finding.lead.fact_id, finding.lead.fact_id)))
    if not isinstance(finding, FactFound):
        return finding
    fact = finding.fact
    same = next(
        (one for one in noted if one.citation and fact.citation and one.citation.shares_words(fact.citation)), None
    )
    if same is None:
        return finding
    joined[fact.fact_id] = same.fact_id
    return FactFound(replace(same, lead_id=fact.lead_id, answers=fact.answers, short=fact.short))


def _fact_from_note(note: NotedFact, text: str, citation: Citation, state: State) -> Fact:
    return Fact(
        fact_id=fact_id(text, citation.document_id, citation.span),
        text=text,
        relevance=note.score,
        round=state.round,
        origin="model",
        citation=citation,
        next_source=" ".join(note.next_source.split()),
        expected_info=" ".join(note.expected_info.split()),
        bearing=" ".join(note.relevance.split()),
    )


def _distinct_documents(hits: Sequence[Hit]) -> list[str]:
    return list(dict.fromkeys(hit.chunk.document_id for hit in hits))


async def stream_object(
    chat: ChatModel, instructions: str, material: str
) -> AsyncGenerator[Mapping[str, object] | Notes]:
    """Yield the object as far as it is written, each time it has grown, and the whole of it at last.

    Raises:
        ServiceError: see `reply_as`.
    """
    pieces: asyncio.Queue[Mapping[str, object] | None] = asyncio.Queue()
    work = asyncio.create_task(
        reply_as(chat, Notes, instructions, material, partial=pieces.put_nowait, reading=read_notes)
    )
    work.add_done_callback(lambda _: pieces.put_nowait(None))
    try:
        while (piece := await pieces.get()) is not None:
            while not pieces.empty() and (later := pieces.get_nowait()) is not None:
                piece = later
            yield piece
            if work.done():
                break
        yield await work
    finally:
        work.cancel()
        with suppress(asyncio.CancelledError, ServiceError):
            await work


def grouped(hits: Sequence[Hit]) -> list[list[Hit]]:
    """Cut hits into groups of at most `BUDGET_TOKENS` tokens, of one hit at least."""
    groups: list[list[Hit]] = []
    left = 0
    for hit in hits:
        size = count_tokens(hit.chunk.text)
        if not groups or size > left:
            groups.append([])
            left = BUDGET_TOKENS
        groups[-1].append(hit)
        left -= size
    return groups


def packed(hits: Sequence[Hit], state: State, documents: Mapping[str, str]) -> str:
    """Return the numbered references, each with what its document defines elsewhere, what is known, and the question.

    documents: the texts of the references' documents, by id.
    """
    texts = [
        cut_to_budget(f"{hit.chunk.text}{_glossary_text(hit, documents)}", hit.chunk.language, BUDGET_TOKENS)
        for hit in hits
    ]
    references = "\n\n".join(
        f"Reference {number}\nTitle: {_fence_free_line(_hit_title_path(hit))}\n{fence_material(text, str(number))}"
        for number, (hit, text) in enumerate(zip(hits, texts, strict=True), 1)
    )
    facts = sorted(state.facts, key=lambda fact: -fact.relevance)[:KNOWN]
    lines = "\n".join(f"- {_fence_free_line(fact.text)}" for fact in facts)
    known = f"Known already, not to be noted again:\n{fence_material(lines, 'known')}\n\n" if facts else ""
    slots = {"references": references, "known": known, "question": _fence_free_line(state.question)}
    return fill(prompt("rove.walk", "material"), slots)


def _definitions(hit: Hit, documents: Mapping[str, str]) -> list[Definition]:
    return definitions(documents.get(hit.chunk.document_id, ""), hit.chunk.span, hit.chunk.language)


def _glossary_text(hit: Hit, documents: Mapping[str, str]) -> str:
    told = [one.said for one in _definitions(hit, documents)]
    return "\n\n" + "\n".join((DEFINED, *told)) if told else ""


def _hit_title_path(hit: Hit) -> str:
    return " > ".join(dict.fromkeys(part for part in (hit.title or hit.uri, *hit.chunk.headings) if part))


def _fence_free_line(text: str) -> str:
    return " ".join(text.translate(FENCES).split())


def _fact_items(notes: Mapping[str, object] | Notes) -> list[Mapping[str, object]]:
    found = notes.get("facts") if isinstance(notes, Mapping) else None
    items = cast("list[object]", found) if isinstance(found, list) else []
    return [cast("Mapping[str, object]", item) for item in items if isinstance(item, Mapping)]

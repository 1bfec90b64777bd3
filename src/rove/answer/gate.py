"""Whether a question is answered from what was found, or refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log
from types import MappingProxyType

import numpy as np

from rove.answer.answerability import NO_SPAN, POOL, Evidence, chance
from rove.answer.judged_spans import JudgedSpans, judged_spans
from rove.answer.refusal import near_enough
from rove.answer.spans import LEAST_CHANCE
from rove.language.words import query_terms, terms
from rove.models import Embedder, Vectors, WordRule, word_rule_of
from rove.models.judge import Judge
from rove.models.passage_reading import PassageReading, ReadingEmbedder
from rove.records import Hit, Note
from rove.retrieve import SearchContext
from rove.retrieve.judging import judge_now
from rove.settings import AnswerSettings
from rove.tracing import stage

ENOUGH = 0.5
LENIENT = 0.0003
"""The chance from which on a chat model is asked, which can still say that the passages do not answer."""


@dataclass(frozen=True, slots=True)
class GateVerdict:
    """Whether hits are answered from. `note`: why not, or that nobody could tell.

    `readings`: what the reader read in each chunk, by its id; none where it was not asked. `spans`: where the judge saw
    answers; None where it was not asked. `doubtful`: by these two it is rather not answered, though a chat model may
    still be asked.
    """

    passes: bool
    note: Note | None = None
    readings: Mapping[str, PassageReading] = field(default_factory=dict[str, PassageReading])
    spans: JudgedSpans | None = None
    doubtful: bool = False


class Gate:
    """Judges hits: by the distance that the settings give; else by reading them; else by the embedder's distance.

    Where hits are read, a `judge` reads the references as well, and both are weighed (`JudgedSpans.answers`).
    `lenient`: a chat model can still say that they do not answer, so it is refused only where both are sure, and never
    what the reader passes.
    """

    def __init__(
        self,
        search_context: SearchContext,
        settings: AnswerSettings,
        judge: Judge | None = None,
        *,
        lenient: bool = False,
    ) -> None:
        self._context = search_context
        self._settings = settings
        self._judge = judge
        self._lenient = lenient

    @property
    def looks_at(self) -> int:
        """How many of the best hits it judges by; those after `settings.references` are for comparison only."""
        reads = isinstance(self._context.embedder, ReadingEmbedder) and not self._settings.max_distance
        return max(POOL, self._settings.references) if reads else self._settings.references

    async def judge(self, question: str, language: str, hits: Sequence[Hit]) -> GateVerdict:
        """Judge hits, best first, of which the first `settings.references` would be answered from.

        Raises:
            ServiceError: the embedder failed.
        """
        if hits and not self._settings.max_distance:
            with stage("read", hits=len(hits[:POOL])) as reading:
                readings = await self._read(question, hits[:POOL])
                if readings:
                    found = chance(await self._evidence(question, language, hits[:POOL], readings))
                    reading.tell(chance=round(found, 3))
                    by_id = {hit.chunk.chunk_id: read for hit, read in zip(hits, readings, strict=False)}
                    passes = self._lenient and found >= ENOUGH
                    spans = await self._spans(question, language, hits, by_id)
                    if spans:
                        found = 1 / (1 + exp(-spans.answers(_logit_from_chance(found))))
                    passes = passes or found >= (LENIENT if self._lenient else ENOUGH)
                    note = None if passes else Note("unanswered", {"chance": round(found, 3)})
                    return GateVerdict(passes, note, by_id, spans, doubtful=found < ENOUGH)
        references = hits[: self._settings.references]
        rule = word_rule_of(self._context.embedder)
        if rule and references and not self._settings.max_distance:
            return by_words(question, language, references, rule, self._context.embedder.min_lead)
        return by_distance(
            references, self._context.embedder, self._settings, await self._distances(question, references)
        )

    async def _spans(
        self, question: str, language: str, hits: Sequence[Hit], readings: Mapping[str, PassageReading]
    ) -> JudgedSpans | None:
        if self._judge is None:
            return None
        references, beside = hits[: self._settings.references], hits[self._settings.references :]
        return await judged_spans(question, language, references, self._judge, self._context.embedder, readings, beside)

    async def _read(self, question: str, hits: Sequence[Hit]) -> Sequence[PassageReading]:
        embedder = self._context.embedder
        if not isinstance(embedder, ReadingEmbedder):
            return ()
        ids = [hit.chunk.chunk_id for hit in hits]
        await judge_now(self._context, ids)
        tokens = await self._context.store.chunk_tokens(ids)
        return (await embedder.read(question, tokens)) or () if all(tokens) else ()

    async def _evidence(
        self, question: str, language: str, hits: Sequence[Hit], readings: Sequence[PassageReading]
    ) -> Evidence:
        wanted = list(dict.fromkeys(query_terms(question, language)))
        held = [set(terms(hit.chunk.indexed_text, hit.chunk.language)) for hit in hits]
        spans = [span.score if (span := reading.best_span()) else NO_SPAN for reading in readings]
        return Evidence(
            np.array([reading.late for reading in readings], np.float32),
            await self._cosines(question, hits),
            np.stack([reading.closest for reading in readings]),
            np.array([[term in own for term in wanted] for own in held], np.bool_).reshape(len(hits), len(wanted)),
            np.array([hit.chunk.language == language for hit in hits]),
            np.array([reading.answer for reading in readings], np.float32),
            np.array(spans, np.float32),
        )

    async def _cosines(self, question: str, hits: Sequence[Hit]) -> Vectors:
        """The cosine of each hit; one that the semantic list lacks lies behind those that it has."""
        known = [hit.sources["semantic"].score for hit in hits if "semantic" in hit.sources]
        if known:
            last = min(known)
            places = (hit.sources.get("semantic") for hit in hits)
            return np.array([place.score if place else last for place in places], np.float32)
        return await self._measured(question, hits)

    async def _measured(self, question: str, hits: Sequence[Hit]) -> Vectors:
        vector = (await self._context.embedder.queries([question]))[0]
        ids = [hit.chunk.chunk_id for hit in hits]
        await judge_now(self._context, ids)
        return (await self._context.store.chunk_vectors(ids)) @ vector

    async def _distances(self, question: str, hits: Sequence[Hit]) -> dict[str, float]:
        """Measure how far hits are that no semantic list has, where the settings give a threshold: it then holds."""
        if not self._settings.max_distance or not hits or any("semantic" in hit.sources for hit in hits):
            return {}
        cosines = await self._measured(question, hits)
        return {hit.chunk.chunk_id: 1.0 - float(cosine) for hit, cosine in zip(hits, cosines, strict=True)}


def by_words(question: str, language: str, hits: Sequence[Hit], rule: WordRule, min_lead: float) -> GateVerdict:
    """Judge hits by how many of the question's words one of them holds, then by distances. See `WordRule`."""
    if any(word_share(question, hit) >= rule.words for hit in hits):
        return GateVerdict(True)
    known = [hit for hit in hits if "semantic" in hit.sources]
    own = [hit for hit in known if hit.chunk.language == language]
    foreign = [hit for hit in known if hit.chunk.language != language]
    near = any(1.0 - hit.sources["semantic"].score <= rule.near for hit in own)
    passes = near or (bool(foreign) and near_enough(foreign, rule.foreign, min_lead))
    return GateVerdict(passes, None if passes else Note("too-few-words"))


def word_share(question: str, hit: Hit) -> float:
    """The share of a question's words that a passage holds."""
    wanted = set(query_terms(question, hit.chunk.language))
    held = wanted.intersection(terms(hit.chunk.indexed_text, hit.chunk.language))
    return len(held) / len(wanted) if wanted else 0.0


def by_distance(
    hits: Sequence[Hit],
    embedder: Embedder,
    settings: AnswerSettings,
    distances: Mapping[str, float] = MappingProxyType({}),
) -> GateVerdict:
    """Judge hits by the distance of the settings, else the embedder's. See `near_enough`.

    `distances`: chunk id → cosine distance, of hits that no semantic list has, where it was measured.
    """
    if not hits:
        return GateVerdict(False, Note("nothing-found"))
    distance = settings.max_distance or embedder.max_distance
    lead = 0.0 if settings.max_distance else embedder.min_lead
    if not near_enough(hits, distance, lead, distances):
        return GateVerdict(False, Note("too-far", {"distance": distance}))
    measured = any("semantic" in hit.sources or hit.chunk.chunk_id in distances for hit in hits)
    return GateVerdict(True, None if measured else Note("distance-unknown"))


def _logit_from_chance(chance: float) -> float:
    sure = min(max(chance, LEAST_CHANCE), 1 - LEAST_CHANCE)
    return log(sure / (1 - sure))

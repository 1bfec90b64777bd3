"""The two-round gathering of the "Guru" assistant: search, judge, search once more if need be, grade every chunk."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from rove.answer.gate import Gate
from rove.conversation.grading import grade, judge_sufficiency, uncovered
from rove.errors import ServiceError
from rove.models import ChatModel
from rove.question.topics import topic_filter, topics_text
from rove.question.understand import Understander
from rove.question.wording import telling_words
from rove.records import (
    Filter,
    Gathered,
    GatherRound,
    Graded,
    History,
    Hit,
    Note,
    Searched,
    Step,
    Sufficiency,
    Understood,
)
from rove.records.filter import access_filter_of
from rove.retrieve import GATHER, Query, SearchContext, retrieve_passages, usual_top_k
from rove.settings import AnswerSettings, GatherSettings
from rove.tracing import stage

ENOUGH = Note("passage-answers")


@dataclass
class _Collected:
    """What was gathered so far: chunks in the order they came, each once."""

    hits: dict[str, Hit] = field(default_factory=dict[str, Hit])
    rounds: list[GatherRound] = field(default_factory=list[GatherRound])
    notes: list[Note] = field(default_factory=list[Note])


class Gatherer:
    """Gathers what an exact answer needs (mission A).

    1. Hybrid search with the five numbers of mode "gather"; where topics were found, a second one within them.
    2. Is it enough? The chat model says, or the gate, which judges what `ask` answers from.
    3. If not: once more, with the question reformed, again with and without the topics; never a third time. Where
       reforming changes nothing, the whole question is asked again, and behind it stand the words of it that no chunk
       holds yet.
    4. Every chunk is graded 0, 1 or 2, and those with 1 and 2 are kept.

    Args:
        understander: understands the question, and reforms it for the second round.
        chat: judges and grades; None means that the gate and rules do.
        gate: says whether what was found answers, where no chat model does.
        settings: see `GatherSettings`.
    """

    def __init__(
        self, understander: Understander, chat: ChatModel | None, gate: Gate, settings: GatherSettings
    ) -> None:
        self._understander = understander
        self._search_context: SearchContext = understander.search_context
        self._chat = chat
        self._gate = gate
        self._settings = settings

    async def gather(
        self,
        understood: Understood,
        *,
        history: History = History(),  # noqa: B008 - frozen
        where: Filter | None = None,
    ) -> Gathered:
        """Gather for a question that was understood. A model that fails is replaced by a rule, with a note.

        Raises:
            ServiceError: the embedder failed.
        """
        basket = _Collected()
        await self._round(basket, understood.standalone, understood, where)
        access_filter = access_filter_of(where)
        sufficiency = await self._judge(basket, understood)
        if not sufficiency.enough:
            understood = await self._second(basket, understood, history, where)
        grades = await self._grade(basket, understood, access_filter)
        return Gathered(
            understood,
            _relevant_hits_by_grade(list(basket.hits.values()), grades),
            tuple(basket.rounds),
            sufficiency,
            tuple(grades),
            tuple(basket.notes),
        )

    async def _round(self, basket: _Collected, question: str, understood: Understood, where: Filter | None) -> None:
        """Search once without and, where there are topics, once with them; new chunks join the earlier ones."""
        top_k = usual_top_k(GATHER, self._search_context.settings)
        within = topic_filter(understood.topics, self._understander.settings)
        searches: list[Searched] = []
        for condition in (None, within) if within is not None else (None,):
            both = condition if where is None else where if condition is None else where & condition
            hits = await retrieve_passages(GATHER, self._search_context, Query(question, top_k, both))
            new = [hit for hit in hits if hit.chunk.chunk_id not in basket.hits]
            basket.hits |= {hit.chunk.chunk_id: hit for hit in new}
            topics = "" if condition is None else topics_text(understood.topics)
            searches.append(Searched(question, topics, len(hits), len(new)))
        basket.rounds.append(GatherRound(len(basket.rounds) + 1, tuple(searches)))

    async def _judge(self, basket: _Collected, understood: Understood) -> Sufficiency:
        hits = list(basket.hits.values())
        question, language = understood.standalone, understood.language
        if self._chat is not None and hits:
            try:
                with stage("gather.judge", chunks=len(hits)):
                    return await judge_sufficiency(question, hits, self._chat)
            except ServiceError as error:
                basket.notes.append(Note("judged-by-rule", {"reason": error.reason}))
        verdict = await self._gate.judge(question, language, hits)
        return Sufficiency(verdict.passes, "text", (verdict.note or ENOUGH).text(language))

    async def _second(
        self, basket: _Collected, understood: Understood, history: History, where: Filter | None
    ) -> Understood:
        """Search with the reformed question; where reforming changes nothing, with all of it and what is open."""
        if self._understander.settings.reform == "second":
            understood = await self._understander.reformed(understood, history, where)
        question = understood.standalone
        if question == basket.rounds[0].searches[0].question:
            missing = _still_open(understood, list(basket.hits.values()))
            question = f"{question} ({missing})" if missing else question
        await self._round(basket, question, understood, where)
        if not any(search.new for search in basket.rounds[-1].searches):
            basket.notes.append(Note("second-round-empty"))
        return replace(understood, steps=(*understood.steps, Step("second round", "text", question)))

    async def _grade(self, basket: _Collected, understood: Understood, access_filter: Filter | None) -> list[Graded]:
        hits = list(basket.hits.values())
        question, language = understood.standalone, understood.language
        with stage("gather.grade", chunks=len(hits)):
            grades, note = await grade(
                question, language, hits, self._search_context, self._chat, self._settings, access_filter
            )
        if note:
            basket.notes.append(note)
        return grades


def for_gathered(settings: AnswerSettings, gathered: Gathered) -> AnswerSettings:
    """Let every chunk that was kept be a reference. What answers is for the gate to say, as everywhere."""
    return settings.model_copy(update={"references": max(settings.references, len(gathered.hits))})


def _relevant_hits_by_grade(hits: Sequence[Hit], grades: Sequence[Graded]) -> tuple[Hit, ...]:
    """Return the hits that are relevant, those that inform directly first; otherwise in the order they came."""
    by_id = {graded.chunk_id: graded.grade for graded in grades}
    kept = [hit for hit in hits if by_id.get(hit.chunk.chunk_id, 0)]
    return tuple(sorted(kept, key=lambda hit: -by_id[hit.chunk.chunk_id]))


def _still_open(understood: Understood, hits: Sequence[Hit]) -> str:
    """Return the telling words whose terms no chunk holds, and known synonyms; "" where there are none."""
    words = telling_words(understood.standalone, understood.language)
    missing = [word for word in words if uncovered(word, understood.language, hits)]
    synonyms = [word for word in understood.expansion.synonyms if uncovered(word, understood.language, hits)]
    return " ".join(dict.fromkeys((*missing, *synonyms)))

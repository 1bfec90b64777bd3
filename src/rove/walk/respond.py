"""One turn of a conversation: understand, route, gather or search, answer, fall back."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

from rove.answer.compose import Answerer, TextOf
from rove.answer.fallback import FALLBACKS, Case, Fallback, Gear, fall_back
from rove.answer.refusal import refusal
from rove.errors import ConfigError, ServiceError
from rove.events import Listener, ignore
from rove.models import ChatModel
from rove.models.deadline import within
from rove.question.topics import topic_filter
from rove.question.understand import REFUSE, Understander
from rove.records import Answer, Clarification, Filter, Gathered, History, Hit, Response, Turn, Understood
from rove.retrieve import Means, Query, retrieve
from rove.settings import AnswerSettings, Settings
from rove.spans import operation
from rove.store.asked import AskedLog
from rove.walk.gather import Gatherer

SECONDS = "answer.seconds"
GATHER, UNSOURCED, CLARIFYING = "gather", "unsourced", "clarifying"
ANY_DISTANCE = 2.0
ROUTED = "Messages of the kind {name!r} are not answered."
NOT_ASKED = "The answer needs a chat model (answer.pipeline is {pipeline!r}), and none is configured."


@dataclass
class Responder:
    """Answers within a conversation.

    Args:
        means: what retrievers work with.
        chat: the chat model, None where there is none.
        settings: the whole tree.
        text_of: gives a document's canonical text.
    """

    means: Means
    chat: ChatModel | None
    settings: Settings
    text_of: TextOf

    def __post_init__(self) -> None:
        self.understander = Understander(self.means, self.chat, self.settings.question)

    async def understand(self, question: str, history: History, where: Filter | None) -> Understood:
        """Understand a question as `respond` does. See `Understander.understand`."""
        once = self.settings.answer.pipeline != GATHER
        async with within(self.settings.answer.seconds, SECONDS):
            return await self.understander.understand(question, history, where, once=once)

    async def gather(self, question: str, history: History, where: Filter | None) -> Gathered:
        """Understand a question and gather for it, whatever pipeline the settings name. See `Gatherer.gather`."""
        async with within(self.settings.answer.seconds, SECONDS):
            understood = await self.understander.understand(question, history, where)
            return await self._gathered(understood, history, where)

    async def respond(
        self,
        question: str,
        *,
        history: History = History(),  # noqa: B008 - frozen
        where: Filter | None = None,
        listener: Listener = ignore,
    ) -> Response:
        """Answer a question that follows these turns.

        The answer's `mode` is "clarifying" where the user is asked back, "refused" where the kind of question is routed
        there or nothing near enough was found, "unsourced" where the settings let the chat model speak for itself.

        Raises:
            ConfigError: the settings ask for what there is nothing to do it with.
            ServiceError: the embedder failed, or it took longer than `answer.seconds` and some more.
        """
        with operation("ask", turns=len(history.turns)) as asking:
            async with within(self.settings.answer.seconds, SECONDS):
                understood = await self.understand(question, history, where)
                answer, gathered = await self._answered(understood, history, where, listener)
            asking.show(question=question)
            asking.tell(mode=answer.mode, sentences=len(answer.sentences))
            asking.show(answer=answer.text)
        understood = gathered.understood if gathered else understood
        answer = replace(answer, question=question)
        if self.settings.question.log and answer.mode != CLARIFYING and not answer.refused:
            log = AskedLog(self.means.store.catalog.database)
            await asyncio.to_thread(log.note, understood.standalone, understood.language)
        turn = Turn(question, answer.text, understood.standalone, asked_back=answer.mode == CLARIFYING)
        return Response(answer, understood, gathered, history.after(turn, most=self.settings.question.max_turns))

    async def _answered(
        self, understood: Understood, history: History, where: Filter | None, listener: Listener
    ) -> tuple[Answer, Gathered | None]:
        intent = understood.intent
        route = intent.route if intent else ""
        if intent and route == REFUSE:
            language, note = understood.language, ROUTED.format(name=intent.name)
            return Answer(understood.question, refusal(language), "refused", language, note=note), None
        if understood.clarification:
            text = asked_back(understood.clarification)
            return Answer(understood.question, text, CLARIFYING, understood.language), None
        if not route and self.settings.answer.pipeline == "none":
            return await self._unsourced(understood, listener), None
        if route == GATHER or (not route and self.settings.answer.pipeline == GATHER):
            gathered = await self._gathered(understood, history, where)
            settings = _for_gathered(self.settings.answer, gathered)
            answer = await self._from_hits(gathered.understood, gathered.hits, settings, where, listener)
            return replace(answer, note=" ".join(filter(None, (*gathered.notes, answer.note)))), gathered
        hits = await self._searched(understood, route or self.settings.answer.mode, where)
        return await self._from_hits(understood, hits, self.settings.answer, where, listener), None

    async def _gathered(self, understood: Understood, history: History, where: Filter | None) -> Gathered:
        gatherer = Gatherer(self.understander, self.chat, self.settings.gather)
        return await gatherer.gather(understood, history=history, where=where)

    async def _searched(self, understood: Understood, mode: str, where: Filter | None) -> list[Hit]:
        """Search once; within the topics that were found, as long as something near enough is there."""
        words = understood.expansion
        top_k = self.settings.answer.references
        query = Query(understood.standalone, top_k, where, True, words.keywords, words.synonyms)
        within = topic_filter(understood.topics, self.settings.question)
        if within is not None:
            hits = await retrieve(mode, self.means, replace(query, where=within if where is None else where & within))
            if Answerer(self.means.embedder, None, self.settings.answer).near(hits):
                return hits
        return await retrieve(mode, self.means, query)

    async def _from_hits(
        self,
        understood: Understood,
        hits: list[Hit] | tuple[Hit, ...],
        settings: AnswerSettings,
        where: Filter | None,
        listener: Listener,
    ) -> Answer:
        answerer = Answerer(self.means.embedder, self.chat, settings)
        answer = await answerer.answer(
            understood.standalone, hits, language=understood.language, text_of=self.text_of, listener=listener
        )
        if answerer.near(hits):
            return answer
        strict = Answerer(self.means.embedder, self.chat, self.settings.answer)
        case = Case(understood.standalone, understood.language, where, understood.expansion)
        return await fall_back(case, answer, self._gear(listener), strict, self.text_of)

    async def _unsourced(self, understood: Understood, listener: Listener) -> Answer:
        """Ask the chat model without a search (mission E.3: no searcher).

        Raises:
            ConfigError: there is no chat model.
            ServiceError: it failed.
        """
        if self.chat is None:
            message = NOT_ASKED.format(pipeline=self.settings.answer.pipeline)
            raise ConfigError(message, cure='Set chat.model, or answer.pipeline = "search".')
        fallback: Fallback = FALLBACKS.get(UNSOURCED)(self._gear(listener))
        rescue = await fallback.rescue(Case(understood.standalone, understood.language))
        if rescue.answer is None:
            raise ServiceError(rescue.note)
        return rescue.answer

    def _gear(self, listener: Listener) -> Gear:
        settings = self.settings
        return Gear(
            self.means, self.chat, settings.answer, settings.question.thesaurus, settings.chunk.prefix, listener
        )


def asked_back(clarification: Clarification) -> str:
    r"""Return a question back to the user as text: the question, then a list of what to choose from.

    >>> asked_back(Clarification("Which one?", ("Library", "Canteen"), "ambiguous"))
    'Which one?\n\n- Library\n- Canteen'
    """
    options = "\n".join(f"- {option}" for option in clarification.options)
    return f"{clarification.question}\n\n{options}" if options else clarification.question


def _for_gathered(settings: AnswerSettings, gathered: Gathered) -> AnswerSettings:
    """Let every chunk that was kept be a reference; the grades stand in for the threshold where they say enough.

    They do where a chat model gave one, or where a chunk informs directly by the rules.
    """
    kept = [graded for graded in gathered.grades if graded.grade]
    judged = any(graded.by == "model" or graded.grade == 2 for graded in kept)
    distance = ANY_DISTANCE if judged else settings.max_distance
    references = max(settings.references, len(gathered.hits))
    return settings.model_copy(update={"references": references, "max_distance": distance})

"""The way of a question: one turn of a conversation is understood, routed, searched or gathered for, and answered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from rove.answer.answerer import Answerer, refused
from rove.answer.chitchat import CHITCHAT, ITSELF, chitchat, replied
from rove.answer.extract import FollowUp
from rove.answer.fallback import FALLBACKS, Case, Fallback, FallbackContext, fall_back
from rove.answer.forms import FormQuestion
from rove.answer.forms.changes import changed
from rove.answer.forms.comparison import compared
from rove.answer.forms.document_list import count_mentioning, list_mentioning, recent
from rove.answer.forms.named_place import placed
from rove.answer.forms.said_of import said_of
from rove.answer.forms.summary import summarised
from rove.answer.gate import Gate, GateVerdict
from rove.answer.outdated import with_days
from rove.answer.passages import TextOf, read_once, stand
from rove.answer.stored import answered_at_once, stored_answer
from rove.answer.theme_list import ThemeWriter, themed_answer
from rove.answer.versions import InForce, choose_in_force
from rove.conversation.from_tables import answer_from_tables, from_rows
from rove.conversation.gathering import Gatherer, for_gathered
from rove.conversation.related import RelatedContext, related_questions
from rove.errors import ConfigError, ServiceError
from rove.events import Listener, ignore
from rove.models import ChatModel
from rove.models.deadline import within
from rove.question.finer_form import finer_form_of
from rove.question.form import Form, form_of, subject_words
from rove.question.overview import asks_for_overview
from rove.question.topics import topic_filter
from rove.question.understand import REFUSE, Understander
from rove.records import Answer, Clarification, Filter, Gathered, History, Hit, Note, Response, Turn, Understood
from rove.records.document import Span
from rove.retrieve import GATHER, Query, SearchContext, retrieve_passages, usual_top_k
from rove.retrieve.outdated import outdated_filter
from rove.retrieve.question_pairs import is_same
from rove.settings import AnswerSettings, Settings
from rove.store.catalog_view import reading
from rove.store.question_log import QuestionLog
from rove.store.stale_reads import TRIES
from rove.store.theme_sentences import ThemeSentences
from rove.tracing import operation

SECONDS = "answer.seconds"
UNSOURCED, CLARIFYING = "unsourced", "clarifying"
THEMES = "themes"
"""The mode that answers what all documents are about."""
ENTRIES: Form = "items"
OF_MANY: frozenset[Form] = frozenset({"list", "count"})
"""Forms that ask for documents, or for rows of a table."""
GATHERINGS = 2
"""How often is gathered where documents are replaced meanwhile; a chat model may grade each time."""
T = TypeVar("T")
FORMS: Mapping[Form, Callable[[FormQuestion], Awaitable[Answer | None]]] = {
    "summary": summarised,
    "list": list_mentioning,
    "count": count_mentioning,
    "compare": compared,
    "recent": recent,
    "changes": changed,
}
"""What answers each form of question but "fact"; where it has no answer, the question is searched for."""
NOT_ASKED = "The answer needs a chat model (answer.pipeline is {pipeline!r}), and none is configured."


@dataclass(frozen=True, slots=True)
class Found:
    """What was found for a question, whether it is answered from, and which versions of documents that is from.

    `versions`: None where none of several was chosen.
    """

    hits: Sequence[Hit]
    verdict: GateVerdict
    versions: InForce | None = None


@dataclass
class Responder:
    """Answers within a conversation.

    Args:
        search_context: what retrievers work with.
        chat: the chat model, None where there is none.
        settings: the whole tree.
        text_of: gives a document's canonical text.
    """

    search_context: SearchContext
    chat: ChatModel | None
    settings: Settings
    text_of: TextOf

    def __post_init__(self) -> None:
        self.understander = Understander(self.search_context, self.chat, self.settings.question)

    async def understand(self, question: str, history: History, where: Filter | None) -> Understood:
        """Understand a question as `respond` does. See `Understander.understand`."""
        once = self.settings.answer.pipeline != GATHER
        with reading():
            async with within(self.settings.answer.seconds, SECONDS):
                return await self.understander.understand(question, asking_turns(history), where, once=once)

    async def gather(self, question: str, history: History, where: Filter | None) -> Gathered:
        """Understand a question and gather for it, whatever pipeline the settings name. See `Gatherer.gather`."""
        with reading():
            async with within(self.settings.answer.seconds, SECONDS):
                understood = await self.understander.understand(question, asking_turns(history), where)
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
        there or what was found does not answer it, "unsourced" where the settings let the chat model speak for itself,
        and "chitchat" where nothing was asked.

        Raises:
            ConfigError: the settings ask for what there is nothing to do it with.
            ServiceError: the embedder failed, or it took longer than `answer.seconds` and some more.
        """
        with operation("ask", turns=len(history.turns)) as asking, reading():
            store = self.search_context.store
            async with within(self.settings.answer.seconds, SECONDS), store.of_one_embedder():
                understood = await self.understand(question, history, where)
                answer, gathered = await self._answered(understood, history, where, listener)
                answer = await self._with_related(answer, understood, where)
            asking.show(question=question)
            asking.tell(mode=answer.mode, sentences=len(answer.sentences))
            asking.show(answer=answer.text)
        understood = gathered.understood if gathered else understood
        answer = with_days(replace(answer, question=question))
        if self.settings.question.log and answer.mode not in {CLARIFYING, CHITCHAT} and not answer.refused:
            log = QuestionLog(self.search_context.store.catalog.database)
            await asyncio.to_thread(log.note, understood.standalone, understood.language)
        turn = Turn(question, answer.text, understood.standalone, asked_back=answer.mode == CLARIFYING)
        return Response(answer, understood, gathered, history.after(turn, most=self.settings.question.max_turns))

    async def _with_related(self, answer: Answer, understood: Understood, where: Filter | None) -> Answer:
        """Return the answer with the related questions that the settings ask for; it is whole without them."""
        if not (most := self.settings.answer.related) or not answer.citations:
            return answer
        cited: dict[str, list[Span]] = {}
        for citation in answer.citations:
            cited.setdefault(citation.chunk_id, []).append(citation.span)
        context = RelatedContext(self.search_context, self.settings.answer, where, most)
        try:
            return replace(answer, related=await related_questions(understood.standalone, cited, context))
        except ServiceError:
            return answer

    async def _answered(
        self, understood: Understood, history: History, where: Filter | None, listener: Listener
    ) -> tuple[Answer, Gathered | None]:
        route = understood.intent.route if understood.intent else ""
        if reply := self._reply(understood):
            return reply, None
        if not route and self.settings.answer.pipeline == "none":
            return await self._unsourced(understood, listener), None
        if route == GATHER or (not route and self.settings.answer.pipeline == GATHER):
            gathered, text_of = await self._standing(
                lambda: self._gathered(understood, history, where), lambda gathered: gathered.hits, GATHERINGS
            )
            return await self._from_gathered(gathered, text_of, where, listener), gathered
        of_form = not route and self.settings.answer.forms
        form = await self._of_form(understood, where) if of_form else ""
        if isinstance(form, Answer):
            return form, None
        mode = route or (form if form == THEMES else self._mode_for(understood))
        settings = self._answer_settings(mode)
        found, text_of = await self._standing(
            lambda: self._searched(understood, mode, where, settings), lambda found: found.hits, TRIES
        )
        if stored := await self._stored(understood, found.hits, text_of, where):
            return stored, None
        if of_form and found.hits:
            asked = await self._form_question(understood, where)
            if told := await answer_from_tables(asked, found.hits, found.verdict, of_entries=form == ENTRIES):
                return told, None
        return await self._from_hits(understood, found, text_of, settings, where, listener), None

    def _reply(self, understood: Understood) -> Answer | None:
        """Return what is said without a search: a kind that is refused, nothing asked, a question back."""
        intent, language = understood.intent, understood.language
        known = chitchat(understood.question, language) if self.settings.answer.pipeline != "none" else None
        if known and known.kind != ITSELF:
            return replied(understood.question, known, self.settings.answer)
        if intent and intent.route == REFUSE:
            return refused(understood.question, (), language, Note("kind-refused", {"name": intent.name}))
        if understood.clarification and not known:
            return Answer(understood.question, asked_back(understood.clarification), CLARIFYING, language)
        return None

    async def _of_form(self, understood: Understood, where: Filter | None) -> Answer | str:
        """Answer what no passage does: the whole of a document, what stands at a place, which there are, what is new.

        Else how the question is searched for: `THEMES` where the whole of all there is is asked for, `ENTRIES` where
        the entries of a table or a list are, "" as any other.
        """
        text, language, embedder = understood.standalone, understood.language, self.search_context.embedder
        asked = await self._form_question(understood, where)
        if told := await placed(asked):
            return told
        if self.chat is None and (told := await self._said_of(understood, where, surely=True)):
            return told
        form, sure = await form_of(text, embedder)
        asked = replace(asked, sure=sure)
        if form in OF_MANY and (found := await from_rows(asked)):
            return found
        if (answer := FORMS.get(form)) and (found := await answer(asked)):
            return found
        if form == "summary" and sure and not subject_words(text, language):
            return THEMES if self.settings.answer.overview else ""
        finer = await finer_form_of(text, embedder)
        if ENTRIES in {form, finer}:
            return ENTRIES
        answer = FORMS.get(finer) if finer != form else None
        return (await answer(asked) if answer else None) or ""

    async def _said_of(self, understood: Understood, where: Filter | None, *, surely: bool = False) -> Answer | None:
        """Quote what names the subject of a question that asks for nothing else: no sentence answers that."""
        return await said_of(await self._form_question(understood, where), self.text_of, surely=surely)

    async def _form_question(self, understood: Understood, where: Filter | None) -> FormQuestion:
        context = self.search_context
        where = await asyncio.to_thread(outdated_filter, where, context.settings, context.store)
        return FormQuestion(understood.standalone, understood.language, where, context, self.chat)

    def _mode_for(self, understood: Understood) -> str:
        settings = self.settings.answer
        overview = settings.overview and asks_for_overview(understood.standalone, understood.language)
        return THEMES if overview else settings.mode

    async def _stored(
        self, understood: Understood, hits: Sequence[Hit], text_of: TextOf, where: Filter | None
    ) -> Answer | None:
        """Return what "themes" or "questions" has found, or what stands in a document beside this very question."""
        if hits and all(hit.theme for hit in hits):
            kept = ThemeSentences(self.search_context.store.catalog.database)
            writer = ThemeWriter(self.chat, kept) if self.chat else None
            return await themed_answer(
                understood.question, hits, understood.language, self.search_context.embedder, writer
            )
        if hits and all(hit.question for hit in hits):
            equal = is_same(understood.standalone, hits[0].question)
            return await asyncio.to_thread(stored_answer, understood.question, hits, understood.language, equal=equal)
        if not self.settings.answer.stored or not hits:
            return None
        question = understood.standalone
        texts = {name: await text_of(name) for name in dict.fromkeys(hit.chunk.document_id for hit in hits)}
        known = await answered_at_once(self.search_context, question, hits, where, texts)
        if not known:
            return None
        return await asyncio.to_thread(stored_answer, understood.question, known, understood.language, equal=True)

    def _answer_settings(self, mode: str) -> AnswerSettings:
        """The settings of an answer; all that mode "gather" finds are its references."""
        settings = self.settings.answer
        if mode != GATHER:
            return settings
        most = max(settings.references, usual_top_k(mode, self.settings.search))
        return settings.model_copy(update={"references": most})

    async def _standing(
        self, find: Callable[[], Awaitable[T]], hits_of: Callable[[T], Sequence[Hit]], tries: int
    ) -> tuple[T, TextOf]:
        """Find, anew if need be, until all stands in the texts that it was found in; these are held for the answer."""
        while True:
            tries -= 1
            found = await find()
            hits = hits_of(found)
            texts = await asyncio.to_thread(
                self.search_context.store.documents.texts, list({hit.chunk.document_id for hit in hits})
            )
            text_of = read_once(self.text_of, texts)
            if not tries or await stand(hits, text_of):
                return found, text_of

    async def _gathered(self, understood: Understood, history: History, where: Filter | None) -> Gathered:
        gate = Gate(self.search_context, self.settings.answer, self.search_context.judge())
        gatherer = Gatherer(self.understander, self.chat, gate, self.settings.gather)
        return await gatherer.gather(understood, history=asking_turns(history), where=where)

    async def _searched(
        self, understood: Understood, mode: str, where: Filter | None, settings: AnswerSettings
    ) -> Found:
        """Search once; within the topics that were found, as long as what is there can be answered from."""
        words = understood.expansion
        top_k = Gate(self.search_context, settings).looks_at
        query = Query(understood.standalone, top_k, where, True, words.keywords, words.synonyms)
        topics = topic_filter(understood.topics, self.settings.question)
        if topics is not None:
            narrow = replace(query, where=topics if where is None else where & topics)
            found = await self._judged_hits(understood, mode, narrow, settings)
            if found.verdict.passes:
                return found
        return await self._judged_hits(understood, mode, query, settings)

    async def _judged_hits(self, understood: Understood, mode: str, query: Query, settings: AnswerSettings) -> Found:
        hits = await retrieve_passages(mode, self.search_context, query)
        chosen = await self._versions(understood, hits)
        if chosen is None:
            return Found(hits[: settings.references], await self._judged(understood, hits, settings))
        verdict = await self._judged(replace(understood, standalone=chosen.question), chosen.hits, settings)
        return Found(chosen.hits[: settings.references], verdict, chosen)

    async def _versions(self, understood: Understood, hits: Sequence[Hit]) -> InForce | None:
        """Choose among versions of a document those that held when the question asks; None: there is no choice."""
        texts_of = self.search_context.store.documents.texts
        chosen = await choose_in_force(understood.standalone, understood.language, hits, texts_of)
        return chosen if chosen.held else None

    async def _judged(self, understood: Understood, hits: Sequence[Hit], settings: AnswerSettings) -> GateVerdict:
        lenient = self.chat is not None and not chitchat(understood.question, understood.language)
        before = understood.follows
        leans = before is not None and not before.asked_back
        judge = None if leans else self.search_context.judge()  # it cannot tell what a question that leans is about
        gate = Gate(self.search_context, settings, judge, lenient=lenient)
        return await gate.judge(understood.standalone, understood.language, hits)

    async def _from_gathered(
        self, gathered: Gathered, text_of: TextOf, where: Filter | None, listener: Listener
    ) -> Answer:
        settings = for_gathered(self.settings.answer, gathered)
        found = Found(gathered.hits, await self._judged(gathered.understood, gathered.hits, settings))
        answer = await self._from_hits(gathered.understood, found, text_of, settings, where, listener)
        return replace(answer, notes=(*gathered.notes, *answer.notes))

    async def _from_hits(
        self,
        understood: Understood,
        found: Found,
        text_of: TextOf,
        settings: AnswerSettings,
        where: Filter | None,
        listener: Listener,
    ) -> Answer:
        answerer = self._answerer(settings)
        known = chitchat(understood.question, understood.language)
        if known and not found.verdict.passes:
            portrait = await answerer.portrait(
                understood.question, found.hits, language=understood.language, text_of=text_of, listener=listener
            )
            return portrait or replied(understood.question, known, self.settings.answer)
        before = understood.follows
        answer = await answerer.answer(
            found.versions.question if found.versions and self.chat is None else understood.standalone,
            found.hits,
            found.verdict,
            language=understood.language,
            text_of=text_of,
            listener=listener,
            follow=FollowUp(understood.question, before.answer) if before and not before.asked_back else None,
        )
        if found.verdict.passes:
            return with_versions(answer, found.versions) if found.versions else answer
        if self.settings.answer.forms and (told := await self._said_of(understood, where)):
            return told
        strict = self._answerer(self.settings.answer)
        case = Case(understood.standalone, understood.language, where, understood.expansion)
        return await fall_back(case, answer, self._context(listener), strict, self.text_of)

    def _answerer(self, settings: AnswerSettings) -> Answerer:
        return Answerer(self.search_context.embedder, self.chat, settings, self.search_context.judge())

    async def _unsourced(self, understood: Understood, listener: Listener) -> Answer:
        """Ask the chat model without a search (mission E.3: no searcher).

        Raises:
            ConfigError: there is no chat model.
            ServiceError: it failed.
        """
        if self.chat is None:
            message = NOT_ASKED.format(pipeline=self.settings.answer.pipeline)
            raise ConfigError(message, cure='Set chat.model, or answer.pipeline = "search".')
        case = Case(understood.standalone, understood.language, searched=False)
        fallback: Fallback = FALLBACKS.get(UNSOURCED)(self._context(listener))
        rescue = await fallback.rescue(case)
        if rescue.answer is None:
            message = f"The fallback {UNSOURCED!r} gave no answer."
            raise ServiceError(message)
        return rescue.answer

    def _context(self, listener: Listener) -> FallbackContext:
        settings = self.settings
        chunk = settings.chunk
        return FallbackContext(
            self.search_context,
            self.chat,
            settings.answer,
            settings.question.thesaurus,
            chunk.prefix,
            chunk.template,
            listener,
        )


def with_versions(answer: Answer, versions: InForce) -> Answer:
    """Return an answer that says in its note which versions it is from, and which others say otherwise."""
    documents = {one.document_id for s in answer.sentences for one in s.citations}
    kinds = (("holds-since", versions.held), ("other-time", versions.others))
    if answer.mode == "refused" or not documents & {one.document_id for one in versions.held}:
        return answer
    told = [
        Note(code, {"name": f"“{one.name}”", "day": one.since or "?"}) for code, versions in kinds for one in versions
    ]
    return replace(answer, notes=(*answer.notes, *told))


def asking_turns(history: History) -> History:
    """Return the turns that asked for something: behind thanks, what was spoken of is what was asked before.

    >>> asking_turns(History((Turn("Who approves leave?", "Ms Weil."), Turn("Thanks!", "You are welcome.")))).turns
    (Turn(question='Who approves leave?', answer='Ms Weil.', standalone='', asked_back=False),)
    """
    return History(tuple(turn for turn in history.turns if not chitchat(turn.question)))


def asked_back(clarification: Clarification) -> str:
    r"""Return a question back to the user as text: the question, then a list of what to choose from.

    >>> asked_back(Clarification("Which one?", ("Library", "Canteen"), "ambiguous"))
    'Which one?\n\n- Library\n- Canteen'
    """
    options = "\n".join(f"- {option}" for option in clarification.options)
    return f"{clarification.question}\n\n{options}" if options else clarification.question

"""Understanding a question: the steps that the settings ask for, one after the other, each told of in `Understood`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from rove.language.detect import detect
from rove.models import ChatModel
from rove.question import AskedQuestion, Found, QuestionContext, StepResult
from rove.question.clarify import clarify
from rove.question.classify import classify
from rove.question.expand import expand
from rove.question.reform import by_thesaurus, reform
from rove.question.slots import fill_slots
from rove.question.suggest import usual_wording
from rove.question.topics import extract_topics, topics_text
from rove.records import Filter, History, Step, Understood
from rove.retrieve import SearchContext
from rove.settings import QuestionSettings
from rove.store.question_log import QuestionLog
from rove.tracing import stage

REFUSE = "refuse"
"""The route of messages that are refused: nothing more is made of them."""


@dataclass
class Understander:
    """Runs the steps. Without any settings a question stays as it is, and nothing is asked of any model.

    Args:
        search_context: what retrievers work with.
        chat: the chat model, None where there is none.
        settings: which steps.
    """

    search_context: SearchContext
    chat: ChatModel | None
    settings: QuestionSettings

    async def understand(
        self,
        question: str,
        history: History = History(),  # noqa: B008 - frozen
        where: Filter | None = None,
        *,
        once: bool = False,
    ) -> Understood:
        """Understand a question that follows these turns. A step whose model fails is done by rules, and says so.

        `where`: steps that look at the base (typos, what to ask back) see of it what this filter lets through.
        `once`: it will be searched for once only; one that leans on the turns is then written out before that, though
        the settings say "second".

        Raises:
            ConfigError: the settings ask for what there is nothing to do it with.
            ServiceError: the embedder failed.
        """
        with stage("understand"):
            return await self._understood(question, history, where, once=once)

    async def _understood(self, question: str, history: History, where: Filter | None, *, once: bool) -> Understood:
        settings, context = self.settings, self._context(where)
        asked = AskedQuestion(question, detect(question), history, date.today().isoformat())  # noqa: DTZ011 - the user's day
        found = Understood(question, asked.language, question)
        if settings.thesaurus:
            found = self._reworded(found)
        if settings.usual_wording and not history.turns:
            found = await self._in_usual_words(found)
        if settings.reform == "first" or (settings.reform == "second" and once and history.turns):
            found = await self.reformed(found, history, where)
        steps = (
            (settings.intents, self._intent),
            (settings.topics, self._topics),
            (settings.slots, self._slots),
            (settings.expand, self._expansion),
            (settings.clarify, self._clarification),
        )
        for wanted, step in steps:
            if found.intent and found.intent.route == REFUSE:
                break
            if wanted:
                found = await step(found, replace(asked, text=found.standalone), context)
        return found

    async def reformed(self, found: Understood, history: History, where: Filter | None) -> Understood:
        """Write the question out so that it stands alone; "first" or, in a gathering, before the second round."""
        asked = AskedQuestion(found.standalone, found.language, history)
        done = await reform(asked, self._context(where))
        changed = done.found.standalone if done.found.standalone != found.standalone else ""
        told = done.found
        made = replace(found, standalone=told.standalone, corrections=told.corrections, follows=told.follows)
        return _add_understanding_step(made, "reform", done, changed)

    def _context(self, where: Filter | None) -> QuestionContext:
        return QuestionContext(self.search_context, self.chat if self.settings.model else None, self.settings, where)

    def _reworded(self, found: Understood) -> Understood:
        text = by_thesaurus(found.standalone, self.settings.thesaurus)
        if text == found.standalone:
            return found
        return replace(found, standalone=text, steps=(*found.steps, Step("thesaurus", "text", text)))

    async def _in_usual_words(self, found: Understood) -> Understood:
        log = QuestionLog(self.search_context.store.catalog.database)
        text = await usual_wording(found.standalone, log, self.search_context.embedder, language=found.language)
        if text == found.standalone:
            return found
        return replace(found, standalone=text, steps=(*found.steps, Step("usual wording", "text", text)))

    async def _intent(self, found: Understood, asked: AskedQuestion, context: QuestionContext) -> Understood:
        done = await classify(asked, context)
        return _add_understanding_step(
            replace(found, intent=done.found), "intent", done, done.found.name if done.found else ""
        )

    async def _topics(self, found: Understood, asked: AskedQuestion, context: QuestionContext) -> Understood:
        done = await extract_topics(asked, context)
        return _add_understanding_step(replace(found, topics=done.found), "topics", done, topics_text(done.found))

    async def _slots(self, found: Understood, asked: AskedQuestion, context: QuestionContext) -> Understood:
        done = await fill_slots(asked, context, found.intent.name if found.intent else "")
        said = ", ".join(f"{slot.name} = {slot.value}" for slot in done.found.slots)
        return _add_understanding_step(
            replace(found, slots=done.found.slots, missing=done.found.missing), "slots", done, said
        )

    async def _expansion(self, found: Understood, asked: AskedQuestion, context: QuestionContext) -> Understood:
        done = await expand(asked, context)
        return _add_understanding_step(
            replace(found, expansion=done.found), "expand", done, ", ".join(done.found.synonyms)
        )

    async def _clarification(self, found: Understood, asked: AskedQuestion, context: QuestionContext) -> Understood:
        done = await clarify(asked, context, found.missing)
        reason = done.found.reason if done.found else ""
        return _add_understanding_step(replace(found, clarification=done.found), "clarify", done, reason)


def _add_understanding_step(found: Understood, name: str, done: StepResult[Found], said: str) -> Understood:
    """Return what is understood with one more step told."""
    return replace(found, steps=(*found.steps, Step(name, done.by, said, done.note)))

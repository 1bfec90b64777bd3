"""Understanding a question: the steps that the settings ask for, one after the other, each told of in `Understood`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from rove.language.detect import detect
from rove.models import ChatModel
from rove.question import Asked, Done, Found, Wits
from rove.question.clarify import clarify
from rove.question.classify import classify
from rove.question.expand import expand
from rove.question.reform import by_thesaurus, reform
from rove.question.slots import fill_slots
from rove.question.topics import extract_topics, written
from rove.records import History, Step, Understood
from rove.retrieve import Means
from rove.settings import QuestionSettings


@dataclass
class Understander:
    """Runs the steps. Without any settings a question stays as it is, and nothing is asked of any model.

    Args:
        means: what retrievers work with.
        chat: the chat model, None where there is none.
        settings: which steps.
    """

    means: Means
    chat: ChatModel | None
    settings: QuestionSettings

    async def understand(self, question: str, history: History = History()) -> Understood:  # noqa: B008 - frozen
        """Understand a question that follows these turns. A step whose model fails is done by rules, and says so.

        Raises:
            ConfigError: the settings ask for what there is nothing to do it with.
            ServiceError: the embedder failed.
        """
        settings = self.settings
        asked = Asked(question, detect(question), history, date.today().isoformat())  # noqa: DTZ011 - the user's day
        found = Understood(question, asked.language, question)
        if settings.thesaurus:
            found = self._reworded(found)
        if settings.reform == "first":
            found = await self.reformed(found, history)
        if settings.intents:
            intent = await classify(self._asked(found, asked), self._wits)
            found = _with(
                replace(found, intent=intent.found), "intent", intent, intent.found.name if intent.found else ""
            )
        if settings.topics:
            topics = await extract_topics(self._asked(found, asked), self._wits)
            found = _with(replace(found, topics=topics.found), "topics", topics, written(topics.found))
        if settings.slots:
            kind = found.intent.name if found.intent else ""
            slots = await fill_slots(asked, self._wits, kind)
            said = ", ".join(f"{slot.name} = {slot.value}" for slot in slots.found.slots)
            found = _with(replace(found, slots=slots.found.slots, missing=slots.found.missing), "slots", slots, said)
        if settings.expand:
            words = await expand(self._asked(found, asked), self._wits)
            found = _with(replace(found, expansion=words.found), "expand", words, ", ".join(words.found.synonyms))
        if settings.clarify:
            back = await clarify(self._asked(found, asked), self._wits, found.missing)
            found = _with(
                replace(found, clarification=back.found), "clarify", back, back.found.reason if back.found else ""
            )
        return found

    async def reformed(self, found: Understood, history: History) -> Understood:
        """Write the question out so that it stands alone; "first" or, in a gathering, before the second round."""
        asked = Asked(found.standalone, found.language, history)
        done = await reform(asked, self._wits)
        changed = done.found.standalone if done.found.standalone != found.standalone else ""
        made = replace(found, standalone=done.found.standalone, corrections=done.found.corrections)
        return _with(made, "reform", done, changed)

    @property
    def _wits(self) -> Wits:
        return Wits(self.means, self.chat if self.settings.model else None, self.settings)

    def _reworded(self, found: Understood) -> Understood:
        text = by_thesaurus(found.standalone, self.settings.thesaurus)
        if text == found.standalone:
            return found
        return replace(found, standalone=text, steps=(*found.steps, Step("thesaurus", "text", text)))

    def _asked(self, found: Understood, asked: Asked) -> Asked:
        return replace(asked, text=found.standalone)


def _with(found: Understood, name: str, done: Done[Found], said: str) -> Understood:
    """Return what is understood with one more step told."""
    return replace(found, steps=(*found.steps, Step(name, done.by, said, done.note)))

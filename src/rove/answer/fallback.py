"""What is done where nothing near enough was found: fallbacks, tried in turn (mission E.3 to E.6).

A new fallback is one file with a `Fallback` and one line in `FALLBACKS`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from rove.answer.answerer import Answerer
from rove.answer.gate import by_distance
from rove.answer.passages import TextOf
from rove.errors import ServiceError
from rove.events import Listener, ignore
from rove.models import ChatModel
from rove.records import Answer, Expansion, Filter, Hit, Note
from rove.registry import Registry
from rove.retrieve import SearchContext
from rove.settings import AnswerSettings


@dataclass(frozen=True, slots=True)
class Case:
    """A question for which nothing near enough was found, or was not even `searched` for.

    `expansion`: other words for it, if any are known.
    """

    question: str
    language: str
    where: Filter | None = None
    expansion: Expansion = field(default_factory=Expansion)
    searched: bool = True


@dataclass(frozen=True, slots=True)
class FallbackContext:
    """What fallbacks work with. `prefix`, `template`: the settings of chunks. `chat` is None where there is none."""

    search_context: SearchContext
    chat: ChatModel | None
    settings: AnswerSettings
    thesaurus: Mapping[str, Sequence[str]]
    prefix: str = "headings"
    template: str = ""
    listener: Listener = ignore


@dataclass(frozen=True, slots=True)
class Rescue:
    """What a fallback found: hits to answer from, or an answer; neither where it could not help, and then `note`."""

    hits: tuple[Hit, ...] = ()
    answer: Answer | None = None
    note: Note | None = None


class Fallback(Protocol):
    """One way out. Built as `Fallback(context)`."""

    async def rescue(self, case: Case) -> Rescue:
        """Try again.

        Raises:
            ServiceError: a model failed; the next fallback is tried.
        """
        ...


FALLBACKS = Registry(
    "fallback",
    "rove.fallbacks",
    {
        "synonyms": "rove.answer.fallback_synonyms:SynonymFallback",
        "hyde": "rove.answer.fallback_hyde:HydeFallback",
        "unsourced": "rove.answer.fallback_unsourced:UnsourcedFallback",
        "refuse": "rove.answer.fallback_refuse:RefuseFallback",
    },
)


async def fall_back(
    case: Case, refused: Answer, context: FallbackContext, answerer: Answerer, text_of: TextOf
) -> Answer:
    """Try the fallbacks of the settings in turn; the first that leads to an answer gives it, with a note.

    Args:
        case: the question.
        refused: the answer that it got; it stands where no fallback helps, with what they say.
        context: what fallbacks work with.
        answerer: answers from what they find, if that is near enough (`by_distance`): other words led to it.
        text_of: gives a document's canonical text.

    Raises:
        ConfigError: no fallback has that name.
        ServiceError: the embedder failed.
    """
    notes = list(refused.notes)
    for name in context.settings.fallback:
        fallback: Fallback = FALLBACKS.get(name)(context)
        try:
            rescue = await fallback.rescue(case)
        except ServiceError as error:
            notes.append(Note("fallback-failed", {"name": name, "reason": error.reason}))
            continue
        notes += [rescue.note] if rescue.note else []
        if rescue.answer is not None and rescue.answer.refused:
            break
        if rescue.answer is not None:
            return replace(rescue.answer, notes=(*notes, *rescue.answer.notes))
        verdict = by_distance(rescue.hits, context.search_context.embedder, context.settings)
        if verdict.passes:
            answer = await answerer.answer(
                case.question, rescue.hits, verdict, language=case.language, text_of=text_of, listener=context.listener
            )
            if not answer.refused:
                return replace(answer, notes=(*notes, Note("by-fallback", {"name": name}), *answer.notes))
    return replace(refused, notes=tuple(notes))

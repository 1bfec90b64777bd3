"""Keywords of a question, and other words for them: what a sparse search looks for (mission E.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import BaseModel, Field

from rove.models import ChatModel
from rove.question import AskedQuestion, QuestionContext, StepResult, ask_model, by_model_or_rules, question_part
from rove.question.wording import telling_words
from rove.records import Expansion

MOST = 12

Word = Annotated[str, Field(max_length=80)]


class Words(BaseModel):
    """What the model writes."""

    keywords: list[Word] = Field(max_length=MOST)
    synonyms: list[Word] = Field(max_length=MOST)


async def expand(asked: AskedQuestion, context: QuestionContext) -> StepResult[Expansion]:
    """Return the keywords and synonyms. By rules: the telling words, and what the user's thesaurus has for them."""
    by_hand = synonyms_of(asked.text, context.settings.thesaurus)

    async def by_model(chat: ChatModel) -> Expansion:
        wrote = await ask_model(chat, Words, "expand", question_part(asked.text))
        held = asked.text.casefold()
        keywords = [word for word in map(str.strip, wrote.keywords) if word and word.casefold() in held]
        others = [word for word in map(str.strip, (*by_hand, *wrote.synonyms)) if word and word.casefold() not in held]
        return _expansion(keywords or telling_words(asked.text, asked.language), others)

    async def by_rules() -> Expansion:
        return _expansion(telling_words(asked.text, asked.language), by_hand)

    return await by_model_or_rules(context.chat, by_model, by_rules)


def synonyms_of(question: str, thesaurus: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the other words of each entry of which the question has one.

    >>> synonyms_of("Wer prüft die WFH-Regel?", {"Telearbeit": ["WFH", "Homeoffice"], "Urlaub": ["frei"]})
    ['Telearbeit', 'Homeoffice']
    """
    held = question.casefold()
    rows = [(word, *others) for word, others in thesaurus.items()]
    matching = [row for row in rows if any(word.casefold() in held for word in row)]
    return [word for row in matching for word in row if word.casefold() not in held]


def _expansion(keywords: Sequence[str], synonyms: Sequence[str]) -> Expansion:
    return Expansion(tuple(dict.fromkeys(keywords))[:MOST], tuple(dict.fromkeys(synonyms))[:MOST])

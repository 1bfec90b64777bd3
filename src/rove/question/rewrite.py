"""A question in other words, by what a first search has found (mission B.6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import regex
from pydantic import BaseModel, Field

from rove.enrich.entities import mentions
from rove.language.scripts import is_unspaced
from rove.models import ChatModel
from rove.models.prompts import fence_material
from rove.question import AskedQuestion, QuestionContext, StepResult, ask_model, by_model_or_rules, question_part
from rove.question.expand import synonyms_of
from rove.question.reform import by_thesaurus, mend
from rove.records import Hit

MOST = 5
SHOWN, PASSAGE_CHARS = 5, 300
"""Passages that the chat model is shown, and characters of each."""
LONGEST_NAME = 60
_BRACKETS = regex.compile(rf"[(（]([^()（）\n]{{2,{LONGEST_NAME}}})[)）]")
_IDEOGRAPHS = regex.compile(r"[\p{Han}\p{Katakana}ー·・]{2,12}$")
_WORD = regex.compile(r"[\w'’-]+")


class Rewritten(BaseModel):
    """What the model writes."""

    rewrites: list[Annotated[str, Field(min_length=1, max_length=300)]] = Field(max_length=MOST)


@dataclass(frozen=True, slots=True)
class Rewrites:
    """The question without its typos, and other ways to ask it."""

    question: str
    others: tuple[str, ...] = ()


async def rewrite(asked: AskedQuestion, hits: Sequence[Hit], context: QuestionContext) -> StepResult[Rewrites]:
    """Return up to `question.rewrites` other ways to ask; none where there is nothing to say otherwise.

    By rules: typos are mended, and then the question as it was asked is one of the others; the other name of what the
    passages name twice ("return to office (RTO)", "中山大学（Sun Yat-sen University）"); the thesaurus' words.
    """
    settings = context.settings

    async def by_model(chat: ChatModel) -> Rewrites:
        shown = [f"{hit.title}\n{hit.chunk.text[:PASSAGE_CHARS]}" for hit in hits[:SHOWN]]
        blocks = "\n".join(fence_material(text, str(number)) for number, text in enumerate(shown, 1))
        wrote = await ask_model(
            chat, Rewritten, "rewrite", question_part(asked.text), f"Passages:\n{blocks}" if shown else ""
        )
        others = (" ".join(one.split()) for one in wrote.rewrites)
        return Rewrites(asked.text, _distinct_rewrites(asked.text, others, settings.rewrites))

    async def by_rules() -> Rewrites:
        question = asked.text
        if settings.spelling and not is_unspaced(question):
            question = (await mend(question, asked.language, context.search_context.store, context.where)).standalone
        found = [asked.text, *by_other_names(question, hits), by_thesaurus(question, settings.thesaurus)]
        if others := synonyms_of(question, settings.thesaurus):
            found.append(f"{question} ({' '.join(others)})")
        return Rewrites(question, _distinct_rewrites(question, found, settings.rewrites))

    return await by_model_or_rules(context.chat, by_model, by_rules)


def by_other_names(question: str, hits: Iterable[Hit]) -> list[str]:
    """Return the question with the other name of something in its place, as passages put one in brackets behind one.

    >>> from rove.records import Chunk
    >>> hit = Hit(Chunk("c", "d", "The plan on return to office (RTO) holds.", (0, 41), 0, language="en"), 1.0)
    >>> by_other_names("Who wrote the RTO plan?", [hit]), by_other_names("When is return to office due?", [hit])
    (['Who wrote the return to office plan?'], ['When is RTO due?'])
    """
    found: dict[str, None] = {}
    for hit in hits:
        for name, other in _bracket_name_pairs(hit.chunk.text, hit.chunk.language):
            for one, instead in ((name, other), (other, name)):
                if (
                    (pattern := _whole_name_pattern(one))
                    and pattern.search(question)
                    and not _whole_name_pattern(instead).search(question)
                ):
                    found[pattern.sub(lambda _, text=instead: text, question)] = None
    return list(found)


def _bracket_name_pairs(text: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield what stands before a bracket and in it, where both are names of one thing by how they are written."""
    for match in _BRACKETS.finditer(text):
        other = match[1].strip()
        before = text[max(0, match.start() - LONGEST_NAME) : match.start()].rstrip()
        if name := _acronym_expansion(before, other) or _in_other_script(before, other, language):
            yield name, other


def _acronym_expansion(before: str, short: str) -> str:
    """Return the last words of a text if their first letters are `short`; "" if not."""
    words = list(_WORD.finditer(before))[-len(short) :]
    initials = "".join(word[0][0] for word in words)
    fits = len(short) > 1 and short.isupper() and initials.casefold() == short.casefold()
    return before[words[0].start() :] if fits and words[-1].end() == len(before) else ""


def _in_other_script(before: str, other: str, language: str) -> str:
    """Return the name at the end of a text if `other` writes a name in another script; "" if not."""
    if _IDEOGRAPHS.search(other) and not _IDEOGRAPHS.search(before[-1:]):
        named = mentions(before, language)
        return named[-1].name if named and named[-1].sure and named[-1].span[1] == len(before) else ""
    run = _IDEOGRAPHS.search(before)
    written = [one for one in mentions(other, "en") if one.span == (0, len(other))]
    return run[0] if run and written else ""


def _whole_name_pattern(name: str) -> regex.Pattern[str]:
    written = regex.escape(name)
    return regex.compile(written if is_unspaced(name) else rf"\b{written}\b", regex.IGNORECASE)


def _distinct_rewrites(question: str, found: Iterable[str], most: int) -> tuple[str, ...]:
    """Return those that are not the question itself, each once."""
    same = question.casefold().strip()
    return tuple(dict.fromkeys(text for text in found if text.strip() and text.casefold().strip() != same))[:most]

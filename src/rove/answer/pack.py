"""The prompt: numbered references within a budget of tokens, fenced so that they stay material, then the question."""

from __future__ import annotations

from collections.abc import Sequence

from rove.answer.passages import table_head
from rove.answer.refusal import refusal
from rove.answer.word_lists import tables
from rove.language.sentences import MAX_SENTENCE_CHARS, sentence_spans
from rove.language.token_count import count_tokens
from rove.models.prompts import FENCES, fill, prompt
from rove.records import Hit

BUDGET_TOKENS = 3000
CAMPUS = "campus"
CHARS_PER_TOKEN = 20  # more than tokens have on average anywhere
NAMES = {
    "en": "English", "de": "German", "hu": "Hungarian", "zh": "Chinese", "ja": "Japanese", "es": "Spanish",
    "fr": "French", "ru": "Russian", "ko": "Korean", "ar": "Arabic", "it": "Italian", "pt": "Portuguese",
}  # fmt: skip


def instructions(persona: str, language: str, demonstrations: str = "usual", style: str = "") -> str:
    """Return what the model is told before it sees a document: the rules, the three demonstrations, and the style.

    `demonstrations`, `style`: see `AnswerSettings`.
    """
    slots = {"persona": persona, "language": language_name(language), "refusal": refusal(language)}
    slots["demonstrations"] = _demonstrations(demonstrations, language).rstrip()
    told = fill(prompt("rove.answer", "instructions"), slots)
    return f"{told}\n\n{styled(style)}" if style else told


def styled(style: str) -> str:
    """Say to a model what whoever asks wishes of the form of an answer, which is no material and no source."""
    return fill(prompt("rove.answer", "style"), {"style": style.translate(FENCES).strip()})


def _demonstrations(name: str, language: str) -> str:
    slots = {"refusal": refusal(language)}
    if name != CAMPUS:
        return fill(prompt("rove.answer", "demonstrations"), slots)
    told = tables("demonstrations")
    return fill(
        prompt("rove.answer", "demonstrations_campus"),
        {**told.get(language.partition("-")[0].lower(), told["en"]), **slots},
    )


def pack(question: str, hits: Sequence[Hit], language: str, *, budget_tokens: int = BUDGET_TOKENS) -> str:
    """Return the numbered references and the question.

    References come in the order of the hits until the budget is full; the first that does not fit is cut after its
    last sentence that does (the first reference keeps at least one sentence). A reference keeps its place in `hits` as
    its number. A piece of a split table stands under the table's caption, header row and units.
    """
    blocks: list[str] = []
    left = budget_tokens
    for number, hit in enumerate(hits, 1):
        head = table_head(hit.chunk)
        room = left - count_tokens(head)
        text = cut_to_budget(hit.chunk.text, hit.chunk.language, room, at_least=0 if blocks else 1)
        if not text:
            break
        blocks.append(_block(number, hit, f"{head}\n{text}" if head else text))
        left = room - count_tokens(text)
    slots = {
        "references": "\n\n".join(blocks),
        "question": _line_without_fences(question),
        "language": language_name(language),
    }
    return fill(prompt("rove.answer", "question"), slots)


def _block(number: int, hit: Hit, text: str) -> str:
    title = " > ".join(dict.fromkeys(part for part in (hit.title or hit.uri, *hit.chunk.headings) if part))
    slots = {"number": str(number), "title": _line_without_fences(title), "text": text.translate(FENCES)}
    return fill(prompt("rove.answer", "reference"), slots)


def cut_to_budget(text: str, language: str, budget_tokens: int, *, at_least: int = 1) -> str:
    """Cut a text after its last sentence that is within the budget; `at_least` so many stay."""
    if count_tokens(text) <= budget_tokens:
        return text
    kept = 0
    text = text[: CHARS_PER_TOKEN * max(budget_tokens, 0) + MAX_SENTENCE_CHARS]  # no more can fit
    for count, (_, end) in enumerate(sentence_spans(text, language), 1):
        if count > at_least and count_tokens(text[:end]) > budget_tokens:
            break
        kept = end
    return text[:kept]


def _line_without_fences(text: str) -> str:
    """Return the text on one line and without fences, so that it cannot pass for the end of anything."""
    return " ".join(text.translate(FENCES).split())


def language_name(code: str) -> str:
    """Return a language's English name, for prompts."""
    return NAMES.get(code.partition("-")[0].lower(), "the language of the question")

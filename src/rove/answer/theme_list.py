"""What a base is about, as an answer: each theme by its name, and in few sentences, each cited.

Without a chat model that is the sentence in the theme's midst; with one, what it writes of the central passages, as far
as one of them holds it (the community summaries of Edge et al. 2024, held to their sources).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rove.answer.cite import cite, marks, support
from rove.answer.extract import list_candidates
from rove.answer.summarize import Sentences
from rove.errors import ServiceError
from rove.language.rendering import render
from rove.models import ChatModel, Embedder
from rove.models.prompts import fence_material, prompt
from rove.models.typed import reply_as
from rove.records import Answer, Hit, Note, Sentence
from rove.store.theme_sentences import ThemeSentence, ThemeSentences

MOST = 8
MOST_SENTENCES = 3


@dataclass(frozen=True, slots=True)
class ThemeWriter:
    """Has a chat model tell of themes; `kept` holds what it has told of the same passages before."""

    chat: ChatModel
    kept: ThemeSentences

    async def sentences(self, passages: Sequence[Hit]) -> list[ThemeSentence]:
        """Return what the model tells of a theme and one of its passages holds; nothing where the model fails."""
        if known := await asyncio.to_thread(self.kept.known, self.chat.name, passages):
            return known
        shown = await asyncio.to_thread(_fence_passages, passages)
        try:
            wrote = await reply_as(self.chat, Sentences, prompt("rove.answer", "summary"), f"The text:\n{shown}")
        except ServiceError:
            return []
        told = [" ".join(sentence.split()) for sentence in wrote.sentences[:MOST_SENTENCES]]
        held = await asyncio.to_thread(
            lambda: [one for sentence in told if (one := _tie_to_passage(sentence, passages))]
        )
        await asyncio.to_thread(self.kept.keep, self.chat.name, passages, held)
        return held


def _fence_passages(passages: Sequence[Hit]) -> str:
    return "\n\n".join(fence_material(render(hit.chunk.text).line, "text") for hit in passages)


def _tie_to_passage(sentence: str, passages: Sequence[Hit]) -> ThemeSentence | None:
    """Tie a sentence to the first passage that holds it."""
    for hit in passages if sentence else ():
        span = support(sentence, hit.chunk.text, hit.chunk.language, context=hit.title)
        if span:
            return ThemeSentence(sentence, hit.chunk.chunk_id, span)
    return None


async def themed_answer(
    question: str, hits: Sequence[Hit], language: str, embedder: Embedder, writer: ThemeWriter | None = None
) -> Answer:
    """List themes: of each the label, and what is told of it, cited.

    Args:
        question: as it was asked.
        hits: of mode "themes", the largest first; the first `MOST` are told.
        language: the question's.
        embedder: chooses the sentences where no model tells.
        writer: the chat model; None: there is none.

    Raises:
        ServiceError: the embedder failed.
    """
    lines: list[str] = []
    sentences: list[Sentence] = []
    references: list[Hit] = []
    written = 0
    for hit in hits[:MOST]:
        passages = [replace(hit, beside=()), *hit.beside]
        told = await writer.sentences(passages) if writer else []
        written += bool(told)
        central = passages[0]
        said = (
            _cite_theme_sentences(told, passages, references)
            if told
            else await _central(question, central, references, embedder)
        )
        sentences += said
        words = " ".join(f"{one.text} {marks([citation.number for citation in one.citations])}" for one in said)
        name = hit.theme or hit.title
        lines.append(f"- {name}: {words}" if words else f"- {name}")
    note = Note("themes-written", {"count": written, "all": len(lines)}) if written else Note("themes")
    mode = writer.chat.name if writer and written else "extractive"
    return Answer(question, "\n".join(lines), mode, language, tuple(sentences), tuple(references), (note,))


def _cite_theme_sentences(
    told: Sequence[ThemeSentence], passages: Sequence[Hit], references: list[Hit]
) -> list[Sentence]:
    """Make sentences of what a model has told; the passages that hold them join the references."""
    by_id = {hit.chunk.chunk_id: hit for hit in passages}
    holders = [by_id[one.chunk_id] for one in told]
    numbers = [_theme_reference_number(hit, references) for hit in holders]
    return [
        Sentence(one.text, (cite(hit, number, one.span),))
        for one, hit, number in zip(told, holders, numbers, strict=True)
    ]


async def _central(question: str, hit: Hit, references: list[Hit], embedder: Embedder) -> list[Sentence]:
    """The sentence of a passage that is nearest to all of it; none where it has none."""
    listed = await asyncio.to_thread(list_candidates, question, [hit], hit.chunk.language)
    found = [one for one in listed if not one.is_row]
    number = _theme_reference_number(hit, references)
    if not found:
        return []
    vectors = await embedder.passages([hit.chunk.text, *(one.text for one in found)])
    best = found[int((vectors[1:] @ vectors[0]).argmax())].citation
    return [Sentence(render(best.quote).line, (replace(best, number=number),))]


def _theme_reference_number(hit: Hit, references: list[Hit]) -> int:
    """The number of a passage among the references, which it joins where it is none yet."""
    ids = [one.chunk.chunk_id for one in references]
    if hit.chunk.chunk_id not in ids:
        references.append(hit)
        return len(references)
    return ids.index(hit.chunk.chunk_id) + 1

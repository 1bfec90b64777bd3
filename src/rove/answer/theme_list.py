"""What a base is about, as an answer without a chat model: each theme by its name, and the words in its midst."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rove.answer.cite import marks
from rove.answer.extract import list_candidates
from rove.language.rendering import render
from rove.models import Embedder
from rove.records import Answer, Hit, Sentence

NOTE = "These are the themes of the documents, the largest first; each by its headings, and by a sentence in its midst."
MOST = 8


async def themed_answer(question: str, hits: Sequence[Hit], language: str, embedder: Embedder) -> Answer:
    """List themes: of each the label, and the sentence of its central passage that is nearest to all of it, cited.

    Args:
        question: as it was asked.
        hits: of mode "themes", the largest first; the first `MOST` are told.
        language: the question's.
        embedder: chooses the sentences.

    Raises:
        ServiceError: the embedder failed.
    """
    lines: list[str] = []
    sentences: list[Sentence] = []
    for number, hit in enumerate(hits[:MOST], start=1):
        found = [one for one in list_candidates(question, [hit], hit.chunk.language) if not one.is_row]
        name = hit.theme or hit.title
        if not found:
            lines.append(f"- {name}")
            continue
        vectors = await embedder.passages([hit.chunk.text, *(one.text for one in found)])
        best = found[int((vectors[1:] @ vectors[0]).argmax())].citation
        shown = render(best.quote).line
        sentences.append(Sentence(shown, (replace(best, number=number),)))
        lines.append(f"- {name}: {shown} {marks([number])}")
    told = tuple(hits[:MOST])
    return Answer(question, "\n".join(lines), "extractive", language, tuple(sentences), told, NOTE)

"""Sums up a tree of sections from its leaves (map and reduce): by its telling sentences, or in a chat model's words.

The sections are the document's own, where RAPTOR (Sarthi et al., ICLR 2024) makes them by clustering.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

import numpy as np
from pydantic import BaseModel, Field

from rove.answer.cite import support
from rove.answer.summary_tree import Branch
from rove.errors import ServiceError
from rove.language.rendering import render
from rove.language.token_count import count_tokens
from rove.models import ChatModel, Vectors
from rove.models.prompts import fence_material, prompt
from rove.models.typed import reply_as
from rove.records.document import Span
from rove.records.summary import SummarySentence

LEAST_CHARS = 600
"""A section of fewer characters is its own summary."""
SENTENCES, SENTENCES_OF_ALL = 3, 5
"""Sentences of a summary, and of that of a whole document."""
ALIKE = 0.92
"""Cosine from which on two sentences say the same: the later one is left out."""
REPLY_TOKENS = 120
"""What a reply is reckoned at before any was seen."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence that a summary may hold, and its vector: (dimension,) float32, of unit length."""

    sentence: SummarySentence
    vector: Vectors


def telling(candidates: Sequence[Candidate], whole: Vectors, most: int) -> list[Candidate]:
    """Choose the sentences that sum a text up, in its order.

    score = z(cosine to the whole text) + z(1 / √place): what is near to all of it, and stands early, as what sums up
    often does. Measured against lead sentences, word weights and LexRank: docs/decisions/039-summaries.md.

    Args:
        candidates: the sentences of the text, in order.
        whole: the vector of the text, (dimension,) float32.
        most: so many at most.
    """
    if not candidates:
        return []
    vectors = np.stack([one.vector for one in candidates])
    early = 1 / np.sqrt(np.arange(1, len(candidates) + 1))
    scores = _z_scores(vectors @ whole) + _z_scores(early)
    chosen: list[int] = []
    for place in np.argsort(-scores, kind="stable").tolist():
        if len(chosen) == most:
            break
        if not chosen or float((vectors[chosen] @ vectors[place]).max()) < ALIKE:
            chosen.append(place)
    return [candidates[place] for place in sorted(chosen)]


def _z_scores(values: np.ndarray) -> np.ndarray:
    deviation = float(values.std())
    return (values - values.mean()) / deviation if deviation > 1e-9 else np.zeros(len(values))


class Sentences(BaseModel):
    """What the model writes."""

    sentences: list[Annotated[str, Field(max_length=600)]] = Field(max_length=8)


@dataclass
class SummaryModel:
    """Asks a chat model to sum up; what the text does not hold is left out, and counted in `not_held`."""

    chat: ChatModel
    not_held: int = 0
    failed: int = 0
    reason: str = ""
    _instructions: str = field(default_factory=lambda: prompt("rove.answer", "summary"))

    def asked(self, text: str) -> str:
        """Return what the model is asked of a text."""
        return f"The text:\n{fence_material(text, 'text')}"

    def tokens(self, text: str) -> int:
        """Return how many tokens a call takes in, by estimate."""
        return count_tokens(self._instructions) + count_tokens(self.asked(text))

    async def summed(self, lines: Sequence[SummarySentence], most: int, language: str) -> list[SummarySentence]:
        """Return sentences of the model that the lines hold, each with the spans of the lines that hold it.

        None where the model failed, or wrote nothing that they hold.
        """
        text = " ".join(line.text for line in lines)
        try:
            wrote = await reply_as(self.chat, Sentences, self._instructions, self.asked(text))
        except ServiceError as error:
            self.failed, self.reason = self.failed + 1, error.reason
            return []
        held: list[SummarySentence] = []
        for sentence in filter(None, (" ".join(one.split()) for one in wrote.sentences[:most])):
            place = support(sentence, text, language)
            self.not_held += place is None
            held += [SummarySentence(sentence, _source_spans_at(lines, place))] if place else []
        return held


def _source_spans_at(lines: Sequence[SummarySentence], place: Span) -> tuple[Span, ...]:
    """Return what the lines, put together with spaces, are made from, as far as they lie in a place of them."""
    found: list[Span] = []
    start = 0
    for line in lines:
        end = start + len(line.text)
        if start < place[1] and place[0] < end:
            found += line.spans
        start = end + 1
    return tuple(dict.fromkeys(found))


def summary_sentences(branch: Branch, text: str) -> list[SummarySentence]:
    """Return the sentences of a branch's own text as they show on one line."""
    found = ((span, render(text[slice(*span)]).line) for span in branch.own)
    return [SummarySentence(line, (span,)) for span, line in found if line]


async def summed_up(
    root: Branch,
    lines: Mapping[int, Sequence[Candidate]],
    whole: Mapping[int, Vectors],
    model: SummaryModel | None,
    language: str,
) -> dict[int, list[SummarySentence]]:
    """Sum up each branch of a tree, from the leaves to the root: by its own sentences, and the summaries below it.

    Args:
        root: the document.
        lines: by the `id` of each branch its own sentences.
        whole: likewise, the vector of all of its text.
        model: what writes; None: the telling sentences are the summary.
        language: the document's.
    """
    kept: dict[int, list[Candidate]] = {}
    summaries: dict[int, list[SummarySentence]] = {}
    for branch in root.upwards():
        most = SENTENCES_OF_ALL if branch is root else SENTENCES
        own = [(one.sentence.spans[0], one) for one in lines[id(branch)]]
        below = [(under.span, one) for under in branch.below for one in kept[id(under)]]
        candidates = [one for _, one in sorted([*own, *below], key=lambda placed: placed[0])]
        kept[id(branch)] = telling(candidates, whole[id(branch)], most)
        found = [one.sentence for one in kept[id(branch)]]
        if model and is_long(branch):
            told = [line for _, line in _branch_prompt_lines(branch, own, summaries)]
            found = await model.summed(told, most, language) or found
        summaries[id(branch)] = found
    return summaries


def _branch_prompt_lines(
    branch: Branch, own: Sequence[tuple[Span, Candidate]], summaries: Mapping[int, Sequence[SummarySentence]]
) -> list[tuple[Span, SummarySentence]]:
    """What a model is shown of a branch: its own sentences, and what it has written of those below."""
    said = [(span, one.sentence) for span, one in own]
    said += [(under.span, one) for under in branch.below for one in summaries[id(under)]]
    return sorted(said, key=lambda placed: placed[0])


def is_long(branch: Branch) -> bool:
    """Say whether a branch has so much text that a summary is shorter."""
    return branch.span[1] - branch.span[0] >= LEAST_CHARS

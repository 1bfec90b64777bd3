"""Answers without a chat model: the sentences of the references that come nearest to the question, to the letter."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rove.answer.cite import cite
from rove.answer.rows import table_rows
from rove.language.sentences import sentence_spans
from rove.language.words import query_terms, terms
from rove.models import Embedder
from rove.records import Citation, Hit

MEANING, WORDS, RANK = 0.5, 0.5, 0.1  # what the three parts of a score weigh: docs/decisions/005-chat-models.md
WEAK = 0.8  # a further quote must reach this share of the best one's score
LEAST_LETTERS = 12  # letters of a sentence; those of unspaced scripts count three times
CANDIDATES = 120
ROWS = 1_000_000  # the place of a chunk's first row: none is next to a sentence or to another row

_LEAD = re.compile(r"\s*(?:[-*+•>]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)*")
_NO_SENTENCE = re.compile(r"\s*(?:#{1,6}\s|\||```|~~~|[-=*_]{3,}\s*$|!\[[^\]]*\]\([^)]*\)\s*$)")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u2e80-\u9fff\uac00-\ud7a3]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence, or a table's row, that could be quoted.

    `text` is what it says, on one line: the quote, or a row's cells with the names of their columns. `place` counts the
    sentences of its chunk; rows stand apart.
    """

    citation: Citation
    hit: Hit
    place: int
    text: str


async def best_quotes(
    question: str, hits: Sequence[Hit], language: str, embedder: Embedder, *, quotes: int
) -> list[Candidate]:
    """Choose at most `quotes` sentences and rows, best first; sentences that follow each other stay in their order.

    score = `MEANING` · cosine to the question (scaled to 0 … 1 over the candidates) + `WORDS` · share of the
    question's terms in the sentence and its headings + `RANK` / rank of its reference. Ties: the earlier one.

    Raises:
        ServiceError: the embedder failed.
    """
    candidates = list_candidates(hits)[:CANDIDATES]
    if not candidates:
        return []
    asked = await embedder.queries([question])
    known = await embedder.passages([candidate.text for candidate in candidates])
    scores = MEANING * _scaled(known @ asked[0]) + np.array(
        [WORDS * _overlap(question, candidate, language) + RANK / candidate.citation.number for candidate in candidates]
    )
    order = sorted(range(len(candidates)), key=lambda i: -float(scores[i]))[:quotes]
    return _in_reading_order([candidates[i] for i in order if scores[i] >= WEAK * scores[order[0]]])


def list_candidates(hits: Sequence[Hit]) -> list[Candidate]:
    """Return the sentences and the tables' rows of the hits: no headings, rules or scraps, and none twice."""
    found: dict[str, Candidate] = {}
    for number, hit in enumerate(hits, 1):
        text = hit.chunk.text
        for place, (start, end) in enumerate(sentence_spans(text, hit.chunk.language)):
            lead = _LEAD.match(text, start, end)
            start = lead.end() if lead else start
            sentence = text[start:end]
            if _NO_SENTENCE.match(sentence) or _letters(sentence) < LEAST_LETTERS:
                continue
            citation = cite(hit, number, (start, end))
            candidate = Candidate(citation, hit, place, " ".join(citation.quote.split()))
            found.setdefault(candidate.text.casefold(), candidate)
        for place, row in enumerate(table_rows(text, hit.chunk.prefix)):
            if _letters(row.said) >= LEAST_LETTERS:
                candidate = Candidate(cite(hit, number, row.span), hit, ROWS + 2 * place, row.said)
                found.setdefault(row.said.casefold(), candidate)
    return list(found.values())


def _overlap(question: str, candidate: Candidate, language: str) -> float:
    asked = set(query_terms(question, language))
    chunk = candidate.hit.chunk
    told = set(terms(f"{' '.join(chunk.headings[-1:])} {candidate.text}", language))
    return len(asked & told) / len(asked) if asked else 0.0


def _scaled(values: NDArray[np.float32]) -> NDArray[np.float64]:
    low, high = float(values.min()), float(values.max())
    return (values.astype(np.float64) - low) / (high - low) if high > low else np.ones(len(values))


def _letters(text: str) -> int:
    return sum(character.isalnum() for character in text) + 2 * len(_UNSPACED.findall(text))


def _in_reading_order(chosen: Sequence[Candidate]) -> list[Candidate]:
    """Move a sentence that follows or precedes a better one directly beside it."""
    runs: list[list[Candidate]] = []
    for candidate in chosen:
        run = next((run for run in runs if any(_adjacent(candidate, other) for other in run)), None)
        if run is None:
            runs.append([candidate])
        else:
            run.append(candidate)
            run.sort(key=lambda member: member.place)
    return [candidate for run in runs for candidate in run]


def _adjacent(one: Candidate, other: Candidate) -> bool:
    return one.citation.chunk_id == other.citation.chunk_id and abs(one.place - other.place) == 1

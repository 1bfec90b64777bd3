"""Whether a passage is about what a question names: the word of the question that it most likely is not about.

"When does the lease of Hall 9 begin?" is all but answered by the lease of Hall 7. What tells them apart is a word that
the passage lacks and to which, in its place in the question, none of the passage's tokens is near (late interaction).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from rove.answer.claim import NO_NAMES_BY_CASE
from rove.language.cue_words import asking_spans
from rove.language.scripts import is_unspaced
from rove.language.words import query_terms
from rove.models import Vectors
from rove.models.passage_reading import TokenPlaces
from rove.records.document import Span

ALL_NAMED = -4.0
"""The logit where the passage has every telling word of the question."""
NEAR, NEARER, NAME, NUMBER, KATAKANA, HAN, BIAS = -3.64, -6.22, 1.86, 1.38, 0.97, -0.97, -0.58
"""What counts in a word's logit: how near its tokens come to the passage's, and that less the nearer half of all the
question's; that it begins with a capital, is a number, is in katakana, has Han characters. A logistic regression over
questions of which one word was exchanged: docs/decisions/058-judge.md."""
LEAST_STEM = 4
ENDING = 3
"""Letters at the end of a longer word that inflection may change."""

_KATAKANA = re.compile("[\u30a1-\u30fa\u30fc]")
_HAN = re.compile("[\u4e00-\u9fff]")
_HIRAGANA = re.compile("[\u3041-\u309f]")


@dataclass(frozen=True, slots=True)
class Unnamed:
    """A word of a question that a text is not about, with the logit of that; without a span where it has them all."""

    logit: float = ALL_NAMED
    span: Span | None = None


def unnamed(question: str, language: str, tokens: TokenPlaces, closest: Vectors, text: str) -> Unnamed:
    """Return the word of a question that a text most likely is not about.

    Args:
        question: as it was read.
        language: that of both; across languages words say nothing.
        tokens: where the question's tokens stand in it.
        closest: of each, the cosine of the nearest token of the passage.
        text: the passage, with all that stands above it.
    """
    lacking = lacking_words(question, language, tokens, closest, text)
    return max(lacking, key=lambda one: one.logit, default=Unnamed())


def lacking_words(question: str, language: str, tokens: TokenPlaces, closest: Vectors, text: str) -> Iterator[Unnamed]:
    """Yield the telling words of a question that a text lacks; the arguments are those of `unnamed`."""
    near = float(np.sort(closest)[len(closest) // 2 :].mean()) if len(closest) else 0.0
    held = _fold_case_and_accents(text)
    telling, asking = set(query_terms(question, language)), asking_spans(question, language)
    for (start, end), own in question_words(question, tokens[: len(closest)]):
        word = question[start:end]
        asks = any(one[0] < end and start < one[1] for one in asking)
        if not asks and not _is_stem_in_text(word, held) and _is_telling_word(word, language, telling):
            mean = float(closest[own].mean())
            kinds = word_kinds(word, language, first=not start)
            yield Unnamed(max(BIAS + NEAR * mean + NEARER * (mean - near) + sum(kinds), ALL_NAMED), (start, end))


def has_stem(text: str, word: str) -> bool:
    """Say whether a text has a word of a question, with any ending.

    >>> has_stem("of Halls 7 and 9", "Hall"), has_stem("of rooms", "Hall")
    (True, False)
    """
    return _is_stem_in_text(word, _fold_case_and_accents(text))


def question_words(question: str, tokens: TokenPlaces) -> Iterator[tuple[Span, list[int]]]:
    """Yield the words of a question with the numbers of their tokens; of scripts without spaces, each token."""
    start, end, own = 0, 0, list[int]()
    for number, place in enumerate(tokens.tolist()):
        begin, stop = place
        if stop <= begin or not any(map(str.isalnum, question[begin:stop])):
            continue
        if own and begin == end and not is_unspaced(question[start:stop]):
            end = stop
            own.append(number)
            continue
        if own:
            yield (start, end), own
        start, end, own = begin, stop, [number]
    if own:
        yield (start, end), own


def word_kinds(word: str, language: str, *, first: bool) -> tuple[float, float, float, float]:
    """Return what a word's form adds to its logit; where all nouns have capitals these are no names."""
    spaced = not is_unspaced(word)
    is_name = spaced and word[0].isupper() and not first and language not in NO_NAMES_BY_CASE
    return (
        NAME * is_name,
        NUMBER * word[0].isnumeric(),
        KATAKANA * bool(_KATAKANA.search(word)),
        HAN * bool(_HAN.search(word)),
    )


def _is_stem_in_text(word: str, text: str) -> bool:
    folded = _fold_case_and_accents(word)
    if is_unspaced(word):
        return _HIRAGANA.sub("", folded) in text
    return (folded if len(folded) <= LEAST_STEM else folded[: max(LEAST_STEM, len(folded) - ENDING)]) in text


def _is_telling_word(word: str, language: str, telling: set[str]) -> bool:
    return is_unspaced(word) or word[0].isnumeric() or not telling.isdisjoint(query_terms(word, language))


def _fold_case_and_accents(text: str) -> str:
    """Return letters without case and accents, which inflection changes as well ("Nóra", "Nórának")."""
    return "".join(sign for sign in unicodedata.normalize("NFKD", text).casefold() if not unicodedata.combining(sign))

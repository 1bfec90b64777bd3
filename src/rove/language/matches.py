"""Which words of a passage are those of a question: what is highlighted, by the analyser that has found it."""

from __future__ import annotations

import regex

from rove.language.words import foreign_terms, query_terms, terms
from rove.records.document import Span

_UNSPACED = r"\p{Han}〇\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
_RUN = regex.compile(rf"(?P<unspaced>[{_UNSPACED}]+)|[^\W{_UNSPACED}]+(?:[-.'’@&][^\W{_UNSPACED}]+)*")


def matches(text: str, question: str, language: str, spoken: str) -> list[Span]:
    """Return the spans of a text that the question's words stand in, in order; none overlap.

    `language`: the text's; `spoken`: the question's.

    >>> matches("It was approved by the head.", "Who approves it?", "en", "en")
    [(7, 15)]
    >>> matches("東京タワーに行く", "タワー", "ja", "ja")
    [(2, 5)]
    """
    of_question = query_terms(question, language) if language == spoken else foreign_terms(question, language, spoken)
    wanted = frozenset(of_question)
    found: list[Span] = []
    for run in _RUN.finditer(text):
        start, word = run.start(), run[0]
        if run["unspaced"]:
            spans = [(start + at, start + at + 2) for at in range(len(word) - 1) if word[at : at + 2] in wanted]
        else:
            spans = [run.span()] if not wanted.isdisjoint(terms(word, language)) else []
        for span in spans:
            if found and span[0] <= found[-1][1]:
                found[-1] = (found[-1][0], span[1])
            else:
                found.append(span)
    return found

"""Which words of a passage are those of a question: what is highlighted, by the analyser that has found it."""

from __future__ import annotations

import regex

from rove.language.words import foreign_terms, query_terms, terms
from rove.records.document import Span

_RUN = regex.compile(r"[\p{Han}〇\p{Hiragana}\p{Katakana}ー\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]+|[^\s]+")
_BEFORE, _AFTER = regex.compile(r"\W+"), regex.compile(r"\W+$")
_UNSPACED = regex.compile(r"[\p{Han}〇\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")


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
        if _UNSPACED.search(word):
            spans = [(start + at, start + at + 2) for at in range(len(word) - 1) if word[at : at + 2] in wanted]
        else:
            edge = _BEFORE.match(word)
            before = len(edge[0]) if edge else 0
            core = _AFTER.sub("", word[before:])
            held = bool(core) and not wanted.isdisjoint(terms(core, language))
            spans = [(start + before, start + before + len(core))] if held else []
        for span in spans:
            if found and span[0] <= found[-1][1]:
                found[-1] = (found[-1][0], span[1])
            else:
                found.append(span)
    return found

"""What a theme is called: the words, headings and titles that most of its passages have, and few others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import regex

from rove.language.stopwords import stop_words
from rove.store.live_chunks import Found

LABELS, LONGEST_LABEL = 3, 80
LOOKED_AT = 40
"""Passages of a theme, the most central, whose words are read."""
READ_CHARS = 2_000
"""Characters of a passage that are read."""
LEAST_SHARE = 0.4
"""A title, heading or phrase that names a theme stands in this share of its passages."""
LEAST_LIFT = 3.0
"""Where there are several themes, a phrase stands so many times as often in the passages of its own as in all."""
MOST_WORDS, MOST_SIGNS = 3, 6
"""The longest phrase, in words, or in signs of a script without spaces."""
_RUN = regex.compile(r"[\p{Han}\p{Katakana}ー]{2,}|[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'’_-]*|[^\s\p{L}\p{N}]")
_UNSPACED = regex.compile(r"[\p{Han}\p{Katakana}]")
_LETTER = regex.compile(r"\p{L}")


def theme_labels(groups: Sequence[Sequence[Found]]) -> list[tuple[str, ...]]:
    """Return the names of themes, each of `LABELS` at most, best first; `groups`: their passages, most central first.

    A name counts by count² / count everywhere. Where most passages have a title or heading, that is the name; else it
    is the phrases that most have, and titles that few have only where there is no such phrase.
    """
    told = [[list(_title_and_headings(one)) for one in group[:LOOKED_AT]] for group in groups]
    spoken = [[_passage_phrases(one) for one in group[:LOOKED_AT]] for group in groups]
    everywhere = Counter(name for group in told for own in group for name in own)
    everywhere_spoken = Counter(key for group in spoken for own in group for key in own)
    labels: list[tuple[str, ...]] = []
    looked_at = sum(map(len, told))
    for names, phrases in zip(told, spoken, strict=True):
        most = LEAST_SHARE * len(names)
        ranked = _rank_label_names(Counter(name for own in names for name in own), everywhere)
        common = [name for name, count in ranked if count >= most]
        counts = Counter(key for own in phrases for key in own)
        shown = {key: form for own in reversed(phrases) for key, form in own.items()}
        lift = min(LEAST_LIFT, 0.9 * looked_at / max(len(names), 1))
        said = [
            shown[key]
            for key, count in _rank_label_names(counts, everywhere_spoken)
            if count >= max(most, 2) and count * looked_at >= lift * everywhere_spoken[key] * len(names)
        ]
        labels.append(_names_without_overlap(common or said or [name for name, _ in ranked]))
    return labels


def _rank_label_names(counts: Counter[str], everywhere: Counter[str]) -> list[tuple[str, int]]:
    """Return names with their counts, the telling ones first, and of equally telling ones that with more words."""

    def telling(name: str, count: int) -> float:
        return count**2 / everywhere[name] * (1 + name.count(" ") / 2)

    return sorted(counts.items(), key=lambda one: (-telling(*one), -len(one[0]), one[0]))


def _names_without_overlap(names: Sequence[str]) -> tuple[str, ...]:
    """Return the first names that share no word with one before."""
    chosen: list[str] = []
    for name in names:
        key = name.casefold()
        others = [one.casefold() for one in chosen]
        if not any(set(key.split()) & set(one.split()) or key in one or one in key for one in others):
            chosen.append(name)
        if len(chosen) == LABELS:
            break
    return tuple(chosen)


def _title_and_headings(found: Found) -> Iterator[str]:
    """Yield the title of a passage's document and its headings, each once."""
    for name in dict.fromkeys((found.title, *found.chunk.headings)):
        if shown := " ".join(name.split()):
            yield shown if len(shown) <= LONGEST_LABEL else f"{shown[: LONGEST_LABEL - 1]}…"


def _passage_phrases(found: Found) -> dict[str, str]:
    """Return the phrases of a passage, lower case, each as it is first written."""
    ignored = stop_words(found.chunk.language)
    phrases: dict[str, str] = {}
    words: list[str] = []
    for run in _RUN.findall(found.chunk.text[:READ_CHARS]):
        if _UNSPACED.match(run):
            words = []
            for phrase in _character_run_ngrams(run):
                phrases.setdefault(phrase, phrase)
            continue
        tells = _LETTER.match(run) and len(run) > 2 and run.casefold() not in ignored
        words = [*words[1 - MOST_WORDS :], run] if tells else []
        for first in range(len(words)):
            phrase = " ".join(words[first:])
            phrases.setdefault(phrase.casefold(), phrase)
    return phrases


def _character_run_ngrams(run: str) -> Iterator[str]:
    """Yield the parts of a run of a script without spaces, of two signs to `MOST_SIGNS`."""
    for size in range(2, min(MOST_SIGNS, len(run)) + 1):
        for start in range(len(run) - size + 1):
            yield run[start : start + size]

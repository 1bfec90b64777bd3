"""Who does what in Hungarian: the words carry their case, and what matters stands right before the verb."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rove.enrich.triplets.clause import (
    Phrase,
    Word,
    after_aside,
    asserts,
    fits,
    lexicon,
    quoted,
    shorter,
    skipped,
    words_of,
)
from rove.enrich.triplets.said import Said

MOST_WORDS = 6
MARKED = frozenset({"egy"})
"""The article that says what something is: "A Balaton egy tó"."""


def said_in(sentence: str, about: str, kinds: Collection[str] = ()) -> list[Said]:
    """Return what a Hungarian sentence says. See `spaced.said_in`.

    >>> said_in("Petőfi Sándor 1823-ban Kiskőrösön született.", "")
    [Said(subject='Petőfi Sándor', predicate='született', object='Kiskőrösön')]
    """
    known, words = lexicon("hu"), words_of(sentence)
    if not asserts(words, known):
        return []
    at = skipped(words, 0, known.openers)
    end = next((n for n in range(at, len(words)) if words[n].text in ",;:." and n > at), len(words))
    verbs = [n for n in range(at, end) if words[n].low in known.verbs | known.leading]
    if len(verbs) > 1:
        return []
    subject, after = _subject(sentence, words, at, end, about, kinds)
    if not subject:
        return []
    after = after_aside(words, after, commas=False)
    if not verbs:
        phrase, predicate = _kind(words, after, end)
    else:
        verb = verbs[0]
        predicate = words[verb].text
        before = _before(words, max(after, at), verb)
        phrase = _after(words, verb + 1, end) if words[verb].low in known.verbs and not before else before
    return [Said(subject, predicate, sentence[phrase.start : phrase.end])] if phrase and fits(phrase) else []


def _subject(
    sentence: str, words: Sequence[Word], at: int, end: int, about: str, kinds: Collection[str]
) -> tuple[str, int]:
    """The name that the clause begins with, or what the text is about where it begins with none."""
    known = lexicon("hu")
    start = skipped(words, at, known.articles)
    if found := quoted(words, start):
        return sentence[found.start : found.end], found.next
    last = start
    while last < end and words[last].is_capital and words[last].low not in known.verbs | known.leading:
        last += 1
    opens_alone = last - start == 1 and start == 0 and last < end and words[last].text[0].islower()
    if last > start and not opens_alone:
        name = sentence[words[start].start : words[last - 1].end]
        return (about if name in shorter(about) else name), last
    if start < end and start > at and words[start].low in kinds:
        return about, start + 1
    return (about, at) if last < end and words[at].low in known.verbs | known.leading else ("", at)


def _kind(words: Sequence[Word], at: int, end: int) -> tuple[Phrase | None, str]:
    """What a clause without another verb says that something is, "… magyar költő volt", and the word that says so."""
    known = lexicon("hu")
    if at < end and words[at].low in MARKED and end - at - 1 <= MOST_WORDS:
        return _whole(words, at + 1, end), words[at].text
    if 0 < end - at <= MOST_WORDS + 1 and words[end - 1].low in known.be and not words[at].text[0].isupper():
        return _whole(words, skipped(words, at, known.articles), end - 1), words[end - 1].text
    return None, ""


def _whole(words: Sequence[Word], at: int, end: int) -> Phrase | None:
    known = lexicon("hu")
    plain = all(not word.is_mark and word.low not in known.ends | known.joins for word in words[at:end])
    return Phrase(words[at].start, words[end - 1].end, end) if at < end and plain else None


def _before(words: Sequence[Word], start: int, verb: int) -> Phrase | None:
    """The phrase right before the verb: after its article, or the capitals, or the one word."""
    known = lexicon("hu")
    at = verb
    while at > start and verb - at < MOST_WORDS and not words[at - 1].is_mark:
        if words[at - 1].low in known.articles | known.joins | known.ends:
            break
        if at < verb and words[at].is_capital and not words[at - 1].is_capital:
            break
        if words[at - 1].text[0].isdigit() and at < verb:
            break
        at -= 1
    telling = at < verb and (words[at].is_capital or words[at].text[0].isdigit() or words[at - 1].low in known.articles)
    return Phrase(words[at].start, words[verb - 1].end, verb) if telling else None


def _after(words: Sequence[Word], at: int, end: int) -> Phrase | None:
    """The phrase right after the verb, after its article."""
    known = lexicon("hu")
    first = skipped(words, at, known.articles)
    stop = next((n for n in range(first, end) if words[n].is_mark or words[n].low in known.joins | known.ends), end)
    telling = first < stop and stop - first <= MOST_WORDS and (first > at or words[first].is_capital)
    return Phrase(words[first].start, words[stop - 1].end, stop) if telling else None

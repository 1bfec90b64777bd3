"""Who does what in German: the verb stands second, and what goes with it may stand at the end of the clause."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from rove.enrich.triplets.clause import (
    MOST_ITEMS,
    MOST_WORDS,
    Phrase,
    Word,
    after_aside,
    asserts,
    fits,
    is_end,
    lexicon,
    quoted,
    shorter,
    skipped,
    words_of,
)
from rove.enrich.triplets.said import Said

MOST_OPENING = 8
"""Words before the verb where a sentence opens with something else than its subject: "Im Jahr 1951 wurde …"."""
ADVERBIAL = ("lich", "weise", "dings", "mals", "halb")
"""How words end that say how or when, and are no subject: "Tatsächlich verwendet …"."""
_UNFIT = re.compile(r"(?:Bezug|Jahre?n?|Tage?n?|Wochen?|Monate?n?|Zeit|Teil|Hilfe)\Z")
_PARTICIPLE = re.compile(
    r"(?:\w{0,8}ge\w{2,}(?:t|en)|(?:be|ver|er|ent|zer|über|unter|wieder)\w{2,}(?:t|en)|\w{3,}iert)\Z"
)


def said_in(sentence: str, about: str, kinds: Collection[str] = ()) -> list[Said]:
    """Return what a German sentence says. See `spaced.said_in`.

    >>> said_in("Der Zoo wurde 1844 von Martin Lichtenstein gegründet.", "Zoo Berlin", {"zoo"})
    [Said(subject='Zoo Berlin', predicate='wurde … gegründet', object='1844'), \
Said(subject='Zoo Berlin', predicate='wurde von … gegründet', object='Martin Lichtenstein')]
    """
    known, words = lexicon("de"), words_of(sentence)
    if not asserts(words, known):
        return []
    clause = _Clause(sentence, words)
    return list(clause.told(about, kinds))


class _Clause:
    """One sentence, read from left to right."""

    def __init__(self, sentence: str, words: Sequence[Word]) -> None:
        self.sentence = sentence
        self.words = words
        self.known = lexicon("de")
        known = self.known
        self.finite = known.be | known.become | known.verbs | known.leading

    def told(self, about: str, kinds: Collection[str]) -> Iterator[Said]:
        """Yield what the sentence says."""
        at = skipped(self.words, 0, self.known.openers)
        verb = self._verb_after_opening(at)
        subject, after = self._subject(verb + 1 if verb else at, about, kinds, first=not verb)
        if not subject:
            return
        if not verb:
            verb = after = skipped(self.words, after_aside(self.words, after), self.known.adverbs)
            after += 1
        if verb >= len(self.words) or self.words[verb].low not in self.finite:
            return
        for predicate, phrase in self._said(verb, after):
            if fits(phrase) and not _UNFIT.search(self.sentence, phrase.start, phrase.end):
                yield Said(subject, predicate, self.sentence[phrase.start : phrase.end])

    def _verb_after_opening(self, at: int) -> int:
        """Where the verb stands if the sentence opens with a time or a place; 0 if it opens with its subject."""
        words = self.words
        if at >= len(words):
            return 0
        opens = words[at].low in self.known.prepositions or words[at].text.isdecimal()
        if not opens and not (words[at].start == 0 and words[at].low.endswith(ADVERBIAL)):
            return 0
        ends = (n for n in range(at, min(at + MOST_OPENING, len(words))) if words[n].low in self.finite)
        return next(ends, 0)

    def _subject(self, at: int, about: str, kinds: Collection[str], *, first: bool) -> tuple[str, int]:
        words, known = self.words, self.known
        if at >= len(words):
            return "", at
        if words[at].low in known.pronouns and not (at + 1 < len(words) and words[at + 1].low in known.pronouns):
            return ("" if words[at].low == "es" else about), at + 1
        phrase = self.phrase(at, kind=first)
        if phrase is None or (words[at].start == 0 and words[at].low in known.ends - known.articles):
            return "", at
        text = self.sentence[phrase.start : phrase.end]
        if " " not in text:
            if text.casefold() in kinds and words[at].low in known.these:
                return about, phrase.next
            if words[at].low in known.articles or not text[0].isalpha():
                return "", phrase.next
            if text in shorter(about):
                return about, phrase.next
        return text, phrase.next

    def _said(self, verb: int, at: int) -> Iterator[tuple[str, Phrase]]:
        word, known = self.words[verb], self.known
        end = self._clause_end(at)
        if end - 1 > at and self.words[end - 1].low in known.apart:
            return
        if word.low in known.become:
            yield from self._passive(verb, at)
            return
        at = skipped(self.words, at, known.adverbs)
        if at < len(self.words):
            yield from self._active(word, at)

    def _active(self, word: Word, at: int) -> Iterator[tuple[str, Phrase]]:
        """Yield what stands after a verb that takes a thing, or a preposition and a thing."""
        known = self.known
        leads = self.words[at].low in known.prepositions
        if word.low in known.be:
            among = at + 1 < len(self.words) and self.words[at + 1].low in known.articles
            if self.words[at].low in known.articles and not among and not self._has_participle(at):
                for phrase in self._listed(at, kind=True):
                    yield word.text, phrase
        elif leads and word.low in known.leading and (phrase := self.phrase(at + 1)):
            yield f"{word.text} {self.words[at].text}", phrase
        elif not leads and word.low in known.verbs and not self._has_participle(at):
            for phrase in self._listed(at):
                if " " in self.sentence[phrase.start : phrase.end] or self.words[at].low not in known.these:
                    yield word.text, phrase

    def _passive(self, verb: int, at: int) -> Iterator[tuple[str, Phrase]]:
        """Yield what stands between "wurde" and the participle: times, places, by whom; nothing where more is said."""
        end = self._clause_end(at)
        last = self.words[end - 1]
        if end - 1 <= at or last.is_capital or not _PARTICIPLE.match(last.low):
            return
        said: list[tuple[str, Phrase]] = []
        lead, at = "", skipped(self.words, at, self.known.adverbs)
        while at < end - 1:
            word = self.words[at]
            if word.low in self.known.prepositions:
                lead, at = f" {word.text}", at + 1
            elif not (word.low in self.known.joins and said) and not word.text.isdecimal():
                return
            else:
                at += word.low in self.known.joins
                lead = "" if word.text.isdecimal() else lead
            phrase = self.phrase(at, most=end - 1)
            if phrase is None or self._is_vague(at, phrase):
                return
            said.append((f"{self.words[verb].text}{lead} … {last.text}", phrase))
            at = skipped(self.words, phrase.next, self.known.adverbs)
        yield from said

    def _is_vague(self, at: int, phrase: Phrase) -> bool:
        """Say whether a phrase is one word of which only the sentences before know what it means: "in der Stadt"."""
        return self.words[at].low in self.known.these and " " not in self.sentence[phrase.start : phrase.end]

    def _clause_end(self, at: int) -> int:
        ends = (n for n in range(at, len(self.words)) if self.words[n].is_mark and self.words[n].text not in "()-–")
        return next(ends, len(self.words))

    def _has_participle(self, at: int) -> bool:
        """Say whether the clause ends with a participle: "ist ein Haus gebaut", of which "ist" alone says nothing."""
        last = self.words[self._clause_end(at) - 1]
        return not last.is_capital and bool(_PARTICIPLE.match(last.low))

    def _listed(self, at: int, *, kind: bool = False) -> list[Phrase]:
        """The items of a list; the first alone where no "und" closes it."""
        phrases: list[Phrase] = []
        joined = False
        while len(phrases) < MOST_ITEMS and (phrase := self.phrase(at, kind=kind)):
            phrases.append(phrase)
            at = phrase.next
            if joined or at + 1 >= len(self.words) or self.words[at].low not in self.known.joins | {","}:
                break
            joined = self.words[at].text != ","
            at += 1
        if not (joined and is_end(self.words, at)):
            return phrases[:1]
        inner = (word for word in self.words if phrases[0].start < word.start < phrases[0].end)
        return phrases[:1] if any(word.low in self.known.kind_within for word in inner) else phrases

    def phrase(self, at: int, *, kind: bool = False, most: int = 0) -> Phrase | None:
        """Return the noun phrase that begins there: words that describe it, then capitals. It ends before `most`."""
        words, known = self.words, self.known
        at = skipped(words, at, known.articles)
        if found := quoted(words, at):
            return found
        first, named = at, False
        within = known.kind_within if kind else known.within
        most = min(most or len(words), at + MOST_WORDS + kind * MOST_WORDS)
        while at < most and (not words[at].is_mark or (words[at].text == "&" and at + 1 < most)):
            low, capital = words[at].low, not words[at].text[0].islower()
            if named and not capital:
                if low not in within or at + 1 >= most:
                    break
                inner = self.phrase(at + 1, most=most)
                if inner is None:
                    break
                at = inner.next
                continue
            if not capital and low in known.prepositions | known.ends | self.finite | known.joins | known.pronouns:
                return None
            named |= capital
            at += 1
        return Phrase(words[first].start, words[at - 1].end, at) if named else None

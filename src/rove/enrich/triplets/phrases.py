"""Noun phrases and verbs of languages that put the verb between subject and object: where they begin and end."""

from __future__ import annotations

from collections.abc import Sequence

from rove.enrich.triplets.clause import MOST_WORDS, Lexicon, Phrase, Word, is_end, quoted, skipped

PAST = {
    "en": ("ed",),
    "es": ("ado", "ada", "ados", "adas", "ido", "ida", "idos", "idas"),
    "fr": ("é", "ée", "és", "ées"),
}
"""How participles end that follow the rule."""
DOING = {"en": ("ing",), "es": ("ando", "iendo"), "fr": ("ant",)}
"""How participles of what goes on end."""
ADVERB = {"en": ("ly",), "es": ("mente",), "fr": ("ment",)}
"""How adverbs end."""
LEAST_PARTICIPLE, YEAR = 5, 4
CLOSING = frozenset(',.;:()[]–—!…"“”„«»')
"""Marks that end a phrase; any other, such as a slash, is within one that the rules cannot read."""

SPEAKERS = frozenset({"we", "i"})
DASHES = frozenset("–—-")


class Phrases:
    """The words of one sentence, read as phrases."""

    def __init__(self, sentence: str, words: Sequence[Word], known: Lexicon, language: str) -> None:
        self.sentence = sentence
        self.words = words
        self.known = known
        self.past = PAST.get(language, ())
        self.doing = DOING.get(language, ())
        self.adverb = ADVERB.get(language, ())
        self._verbs = known.verbs | known.be | known.have
        self._ends = known.prepositions | known.ends | known.joins | known.articles | known.pronouns
        self._ends |= known.be | known.have

    def phrase(self, at: int, *, kind: bool = False, subject: bool = False) -> Phrase | None:
        """Return the noun phrase that begins there. `kind`: it goes on after "in" and "for" too."""
        words, known = self.words, self.known
        at = skipped(words, at, known.articles)
        if found := quoted(words, at):
            return found
        while not subject and at + 1 < len(words) and words[at].text.islower() and words[at].low.endswith(self.adverb):
            at += 1
        first, within = at, known.kind_within if kind else known.within
        while at < len(words) and at - first < MOST_WORDS + kind * MOST_WORDS:
            word = words[at]
            if word.low in within and at > first and not is_end(words, at + 1):
                at = skipped(words, at + 1, known.articles)
                if at < len(words) and self._stops(at, subject=subject):
                    return None
                continue
            if self._stops(at, subject=subject):
                break
            if not subject and at > first and words[at - 1].is_capital and self.is_verb(at):
                return None
            at += 1
        else:
            if at < len(words):
                return None
        return self._ended(first, at, kind=kind, subject=subject)

    def _ended(self, first: int, at: int, *, kind: bool, subject: bool) -> Phrase | None:
        """Return the phrase from one word up to another, with what belongs to it beyond, and without what does not."""
        words = self.words
        if at < len(words) and words[at].is_mark and (words[at].text not in CLOSING or self._is_within(at)):
            return None
        if kind and (named := quoted(words, at)):
            return Phrase(words[first].start, named.end + 1, named.next)
        if self._is_year(at):
            return Phrase(words[first].start, words[at + 1].end, at + 2)
        end = self._trimmed(first, at, subject=subject)
        if end == first or (words[first].text.islower() and words[first].low.endswith(self.doing) and not subject):
            return None
        return Phrase(words[first].start, words[end - 1].end, at)

    def _is_within(self, at: int) -> bool:
        """Say whether a dash stands within a word: 1998–2002."""
        dash, after = self.words[at], self.words[min(at + 1, len(self.words) - 1)]
        return dash.text in DASHES and dash.end == after.start and self.words[at - 1].end == dash.start

    def _is_year(self, at: int) -> bool:
        """Say whether the year of a date follows there: May 5, 1950."""
        if not 1 < at < len(self.words) - 1 or self.words[at].text != ",":
            return False
        month, day, year = self.words[at - 2], self.words[at - 1], self.words[at + 1].text
        return month.is_capital and day.text.isdecimal() and len(day.text) < len(year) == YEAR and year.isdecimal()

    def _trimmed(self, first: int, end: int, *, subject: bool) -> int:
        """Where a phrase ends without the words that lead on: "a film written" and "a consultant focusing"."""
        words, known = self.words, self.known
        loose = known.within | known.articles | known.adverbs | known.prepositions
        loose |= known.trailing | (known.openers if subject else frozenset[str]())
        leads_on = not is_end(words, end)
        while end > first:
            word = words[end - 1]
            plain = word.text.islower()
            verbal = plain and leads_on and end > first + 1
            verbal = verbal and (self.is_participle(word) or word.low.endswith(self.doing))
            adverb = plain and subject and word.low.endswith(self.adverb)
            if not (adverb or verbal or word.low in loose):
                break
            end -= 1
        return end

    def _stops(self, at: int, *, subject: bool) -> bool:
        word, known = self.words[at], self.known
        if word.is_mark:
            return not (word.text == "&" and at + 1 < len(self.words) and self.words[at + 1].is_capital)
        named = word.is_capital and (word.start or (len(word.text) > 1 and word.text.isupper()))
        if named and word.low not in known.pronouns | SPEAKERS:
            return False
        if self.is_verb(at) and (subject or (at + 1 < len(self.words) and self.words[at + 1].low in known.articles)):
            return True
        return word.low in self._ends

    def is_verb(self, at: int) -> bool:
        """Say whether a verb stands there: one that is known, or what ends like a participle."""
        if at >= len(self.words) or (self.words[at].is_capital and at):
            return False
        return self.words[at].low in self._verbs or self.is_participle(self.words[at])

    def is_participle(self, word: Word) -> bool:
        """Say whether a word is a participle by the tables, or ends like one."""
        return (
            word.text.islower()
            and "-" not in word.text
            and (
                word.low in self.known.participles
                or (len(word.low) >= LEAST_PARTICIPLE and word.low.endswith(self.past))
            )
        )

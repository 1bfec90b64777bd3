"""Who does what, in languages that put the verb between the two: English, Spanish, French."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from rove.enrich.triplets.clause import (
    MOST_ITEMS,
    Lexicon,
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
from rove.enrich.triplets.phrases import Phrases
from rove.enrich.triplets.said import Said

DROPS_SUBJECT = frozenset({"es"})
"""Languages that leave out "it" and "he": a sentence that begins with its verb speaks of what the text is about."""
MOST_OPENING = 10
"""Words before the comma with which a sentence opens: "In the summer of 1951, …"."""
FINITE_PAST = frozenset({"en"})
"""Languages in which a participle is what somebody did, too: "the band released"."""
AGENT = "by"
NEUTER = frozenset({"it"})
ONWARD = frozenset({"to", "that"})
"""After "it is a good idea": "it" stands for what follows, and for nothing before."""


class Verb(NamedTuple):
    """What is said: `sentence[start:end]`; the word after it is number `next`. `kind`: it says what something is.

    `more`: further prepositions lead to further objects: "was born in Pest in 1950". `loose`: it may as
    well be a participle, "the rows returned from", or say how something is, "looked bleak".
    """

    start: int
    end: int
    next: int
    kind: bool = False
    more: bool = False
    loose: bool = False


def said_in(sentence: str, language: str, about: str, kinds: Collection[str] = ()) -> list[Said]:
    """Return what a sentence says. `about`: what "it" is, "" where that is not known; `kinds`: nouns that mean it too.

    >>> said_in("Ada Lovelace was born in London in 1815 and wrote the first program.", "en", "")[1]
    Said(subject='Ada Lovelace', predicate='was born … in', object='1815')
    """
    known, words = lexicon(language), words_of(sentence)
    if not known.verbs or not asserts(words, known):
        return []
    clause = Clause(sentence, words, known, language)
    at = clause.opening()
    subject, at = clause.subject(at, about, kinds, drops=language in DROPS_SUBJECT)
    return list(clause.told(subject, at)) if subject else []


class Clause(Phrases):
    """One sentence, read from left to right."""

    def __init__(self, sentence: str, words: Sequence[Word], known: Lexicon, language: str) -> None:
        super().__init__(sentence, words, known, language)
        self.past_is_finite = language in FINITE_PAST

    def opening(self) -> int:
        """Return where the subject begins: after "But", and after "In 1951,"."""
        at = skipped(self.words, self._line(), self.known.openers)
        if at and at < len(self.words) and self.words[at].text == ",":
            at += 1
        if at < len(self.words) and self.words[at].low in self.known.prepositions:
            if at + 2 < len(self.words) and self.words[at + 1].text.isdecimal() and self.words[at + 2].is_capital:
                return at + 2
            comma = (n for n in range(at, min(at + MOST_OPENING, len(self.words))) if self.words[n].text == ",")
            return next(comma, -1) + 1 or at
        return at

    def _line(self) -> int:
        """Return where the sentence begins after a line of its own, as of a term that it defines."""
        at = 0
        if "\n" in self.sentence:
            for n in range(1, min(MOST_OPENING, len(self.words))):
                if self.words[n].is_capital and "\n" in self.sentence[self.words[n - 1].end : self.words[n].start]:
                    at = n
        return at

    def subject(self, at: int, about: str, kinds: Collection[str], *, drops: bool) -> tuple[str, int]:
        """Return the subject that begins there, "" where none does, and where its verb begins."""
        if at >= len(self.words):
            return "", at
        word = self.words[at]
        if word.low in self.known.pronouns:
            is_idle = word.low in NEUTER and any(one.low in ONWARD for one in self.words[at + 1 :])
            return ("" if is_idle else about), at + 1
        if drops and self.is_verb(at):
            return about, at
        phrase = self.phrase(at, subject=True)
        if phrase is None:
            return "", at
        after = skipped(self.words, after_aside(self.words, phrase.next), self.known.adverbs)
        text = self.sentence[phrase.start : phrase.end]
        if word.low in self.known.own and text[0].islower():
            return "", after
        if " " not in text:
            if word.low in self.known.these and not text[0].isupper():
                return (about if text.casefold() in kinds else ""), after
            if not text[0].isalpha() or text[0].islower():
                return "", after
            if text in shorter(about):
                return about, after
        return text, after

    def told(self, subject: str, at: int) -> Iterator[Said]:
        """Yield what is said of a subject from its verb on: "wrote A and B, and was born in C"."""
        first = True
        while verb := self.verb(at):
            if first and verb.loose and verb.more and (subject[1:].islower() or self.words[verb.next - 1].low == AGENT):
                return
            objects, at = self._objects(verb)
            if self._is_clause(verb, at, first=first):
                return
            first = False
            predicate = self.sentence[verb.start : verb.end]
            for found in objects:
                yield Said(subject, predicate, self.sentence[found.start : found.end])
            if not objects:
                return
            if verb.more:
                begun = predicate.rpartition(" ")[0]
                for lead, found in self._further(at):
                    yield Said(subject, f"{begun} … {lead}", self.sentence[found.start : found.end])
                    at = found.next
            at = after_aside(self.words, at, commas=False)
            if at < len(self.words) and self.words[at].text == ",":
                at += 1
            goes_on = self.known.joins if not verb.kind else self.known.joins | self.known.who
            if at >= len(self.words) or self.words[at].low not in goes_on:
                return
            at += 1

    def verb(self, at: int) -> Verb | None:
        """Return the verb that begins there with what it takes: "was born in", "is", "wrote"; None where none does."""
        words, known = self.words, self.known
        first = at = skipped(words, at, known.adverbs)
        if at >= len(words) or words[at].text[0].isupper():
            return None
        if words[at].low in known.be | known.have:
            auxiliary = at
            at = skipped(words, skipped(words, at, known.be | known.have), known.adverbs)
            if at >= len(words):
                return None
            if words[at].low in known.articles and words[auxiliary].low in known.be:
                return Verb(words[first].start, words[at - 1].end, at, kind=True)
            if not self.is_participle(words[at]):
                return self._is_somewhere(first, at)
            active = words[auxiliary].low in known.have and words[at - 1].low not in known.be
            if active and at + 1 < len(words) and words[at + 1].text.islower() and not self._begins_thing(at + 1):
                return None  # "has sophisticated support": how the thing is that it has
            return self._with_preposition(first, at, alone=active)
        participle = self.past_is_finite and self.is_participle(words[at])
        if words[at].low not in known.verbs and not participle:
            return None
        verb = self._with_preposition(first, at, alone=True)
        loose = participle and (words[at].low not in known.verbs or (verb is not None and verb.more))
        return verb._replace(loose=loose) if verb else None

    def _is_somewhere(self, first: int, at: int) -> Verb | None:
        """The verb "to be" with a preposition and a name: "is in Rome"; "is in use" says how something is."""
        words = self.words
        thing = skipped(words, at + 1, self.known.articles)
        named = thing < len(words) and not words[thing].text.islower()
        if words[at].low not in self.known.prepositions or not named:
            return None
        return Verb(words[first].start, words[at].end, at + 1)

    def _with_preposition(self, first: int, at: int, *, alone: bool = False) -> Verb | None:
        """The verb up to word `at`, and the preposition after it; None without one, unless it can stand `alone`."""
        words, after = self.words, skipped(self.words, at + 1, self.known.adverbs)
        if after < len(words) and words[after].low in self.known.prepositions:
            if words[after].low in self.known.onward and not self._leads_to_thing(after + 1):
                return None
            return Verb(words[first].start, words[after].end, after + 1, more=True)
        return Verb(words[first].start, words[at].end, after) if alone and after == at + 1 else None

    def _begins_thing(self, at: int) -> bool:
        """Say whether an article stands there, or a preposition that leads to a thing."""
        return self.words[at].low in self.known.articles | self.known.prepositions | self.known.adverbs

    def _leads_to_thing(self, at: int) -> bool:
        """Say whether a thing follows for sure, and no verb: an article, a name, a number."""
        return at < len(self.words) and (self.words[at].low in self.known.articles or not self.words[at].text.islower())

    def _is_clause(self, verb: Verb, at: int, *, first: bool) -> bool:
        """Say whether what a verb takes is a clause, "led them to move", or the verb a part of its subject."""
        if at >= len(self.words):
            return False
        if not verb.kind and not verb.more and self.words[at].low in self.known.onward:
            return not self._leads_to_thing(at + 1)
        return first and verb.loose and self.is_verb(at)

    def _objects(self, verb: Verb) -> tuple[list[Phrase], int]:
        """What a verb takes: a phrase, or several in a list; and where the sentence goes on."""
        whose = verb.next < len(self.words) and self.words[verb.next].low in self.known.own
        phrases, next_ = self._listed(verb)
        if not verb.kind and phrases and (named := self._named(phrases[-1].next)):
            phrases, next_, whose = [named], named.next, False
        first = self.sentence[phrases[0].start] if phrases else ""
        single = len(phrases) == 1 and " " not in self.sentence[phrases[0].start : phrases[0].end]
        this = verb.next < len(self.words) and self.words[verb.next].low in self.known.these
        begins = verb.next < len(self.words) and self.words[verb.next].low in self.known.articles
        is_vague = first.islower() and ((whose and not verb.kind) or (this and single))
        is_vague |= first.islower() and single and not verb.kind and (begins or verb.loose)
        is_vague |= single and not begins and self.sentence[phrases[0].start : phrases[0].end] in self.known.vague
        return [phrase for phrase in phrases if fits(phrase) and not is_vague], next_

    def _named(self, at: int) -> Phrase | None:
        """The name in quotation marks that a phrase is followed by: his first album, "Welcome"."""
        if at < len(self.words) and self.words[at].text == ",":
            at += 1
        return quoted(self.words, at)

    def _listed(self, verb: Verb) -> tuple[list[Phrase], int]:
        """The items of a list. Where "and" may join words within one, "film and stage actor", they stay one phrase."""
        phrases: list[Phrase] = []
        at, commas, joined = verb.next, False, False
        while len(phrases) < MOST_ITEMS and (phrase := self.phrase(at, kind=verb.kind)):
            if phrases and self._is_name(phrase) != self._is_name(phrases[0]):
                break
            phrases.append(phrase)
            at = after_aside(self.words, phrase.next, commas=False)
            if joined or at >= len(self.words) or not self._goes_on(at):
                break
            joined = self.words[at].low in self.known.joins
            commas |= not joined
            at += 1
            if not joined and at < len(self.words) and self.words[at].low in self.known.joins:
                joined, at = True, at + 1
        if not phrases:
            return [], verb.next
        if len(phrases) == 1 or not joined or self.is_verb(phrases[-1].next):
            return phrases[:1], phrases[0].next
        return self._apart(phrases, commas=commas, kind=verb.kind), phrases[-1].next

    def _apart(self, phrases: list[Phrase], *, commas: bool, kind: bool) -> list[Phrase]:
        """The items of a list that ends with "and"; one phrase, or a shorter one, where they cannot be told apart."""
        first = phrases[0]
        if self._is_name(first) and not kind:
            return phrases
        for word in self.words:
            if first.start < word.start < first.end and word.low in self.known.prepositions:
                return [self._without_list(first, word)]
        *before, last = (self.sentence[phrase.start : phrase.end].split() for phrase in phrases)
        if not commas or (len(last) > 1 and any(len(words) == 1 for words in before)):
            return [Phrase(first.start, phrases[-1].end, phrases[-1].next)]
        return phrases

    def _without_list(self, phrase: Phrase, preposition: Word) -> Phrase:
        """A phrase within which the list may stand: "a school with primary" (and secondary classes) is "school"."""
        last = self.sentence[phrase.start : phrase.end].rpartition(" ")[2]
        if not last.islower():
            return phrase
        before = self.words[self.words.index(preposition) - 1]
        return phrase._replace(end=(before.start if self.is_participle(before) else preposition.start) - 1)

    def _is_name(self, phrase: Phrase) -> bool:
        return not self.sentence[phrase.start].islower()

    def _goes_on(self, at: int) -> bool:
        """Say whether a list goes on there: at a comma, or at "and" that no verb follows."""
        joins = self.words[at].low in self.known.joins
        return self.words[at].text == "," or (joins and not self.is_verb(at + 1))

    def _further(self, at: int) -> Iterator[tuple[str, Phrase]]:
        """Yield names and numbers that further prepositions lead to: "… in 1950"."""
        words = self.words
        while at + 1 < len(words) and words[at].low in self.known.prepositions:
            phrase = self.phrase(at + 1)
            if phrase is None or not fits(phrase) or not self._is_name(phrase):
                return
            yield words[at].text, phrase
            at = phrase.next

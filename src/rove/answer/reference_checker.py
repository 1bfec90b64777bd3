"""Sentences held against numbered references: what of them says one, or says otherwise, or that none does."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from rove.answer.cite import check_citation, cite, support, support_block
from rove.answer.claim import Claim, fold_spelling, read_claim
from rove.answer.passages import TextOf, table_head
from rove.answer.reference_text import Likeness, ReferenceText, premise
from rove.answer.reply import ReplyPart
from rove.answer.sentence_judge import RATHER, Ruling, SentenceJudge
from rove.answer.values import Value, read_values
from rove.answer.verdict import is_quoted, is_same_block
from rove.language.detect import detect
from rove.language.scripts import is_unspaced
from rove.language.words import terms
from rove.models import Embedder
from rove.off_loop import chars_of, off_loop
from rove.records import Citation, Hit, Sentence, Verdict
from rove.records.document import Span

UNKNOWN_LANGUAGE = "und"
TRANSLATED_SHARE = 0.8  # of max_distance: XQuAD de|en and zh|en, a sentence and its translation against its neighbours
MOST_VALUES = 100  # of a sentence: one with more is no sentence, and comparing them would take long
SAME_SHARE = 0.5  # of its words that a sentence of the source must have to be the one that it differs from
DENIED_SHARE = 0.34  # where a judge says so
LEAST_STEM = 4  # letters of a name that must stand somewhere: what it ends in may be its case
STRICT_SHARE, LEAST_SHARE = 0.6, 0.25  # of its words that must stand somewhere together, where only rules decide
_LATIN = re.compile(r"[a-z]{2,}")
OTHERS = 2  # references that are read beside those that a sentence cites
BARE_TERMS = 3  # terms that an answer has at most which is no whole sentence


@dataclass(frozen=True, slots=True)
class _Read:
    """A sentence, taken apart once. `near`: by the number of each reference, its sentences that are most like it.

    `absent`: values that stand in no reference. `misnamed`: see `_misnames`.
    """

    part: ReplyPart
    claim: Claim
    values: tuple[Value, ...]
    near: dict[int, Likeness]
    absent: tuple[Value, ...] = ()
    misnamed: bool = False


@dataclass
class ReferenceChecker:
    """Where sentences are held against references, which are numbered from 1; canonical texts are fetched once.

    `question`: what the sentences answer, as it was asked.
    """

    hits: Sequence[Hit]
    language: str
    text_of: TextOf
    embedder: Embedder
    judge: SentenceJudge = field(default_factory=SentenceJudge)
    question: str = ""
    texts: dict[str, str] = field(default_factory=dict[str, str])
    _references: list[ReferenceText] = field(default_factory=list[ReferenceText])

    def __post_init__(self) -> None:
        self._references = [ReferenceText(hit, self._language_of(hit)) for hit in self.hits]

    async def check(self, part: ReplyPart, before: str = "") -> Sentence:
        """Say what is known of a sentence, and by which words: those that say it, or those that say otherwise.

        Its own references count first, all together; then those most like it. The rules come before the judge where
        they are sure: the source's own words, and a value or quotation that stands in no reference.

        Args:
            part: the sentence, or a table or code block, with the references that it names.
            before: the sentence before it, which it may lean on, where a source says that one.
        """
        named = [number for number in dict.fromkeys(part.numbers) if 1 <= number <= len(self.hits)]
        if part.block:
            return await self._checked_block(part, named)
        read = await off_loop(self._chars(part), self._read, part)
        if any(fold_spelling(link) not in known for link in read.claim.links for known in [self._plain]):
            return Sentence(part.text, (), "unsourced", deleted=True)
        if quoted := await off_loop(self._chars(part), self._quoted, read, named):
            return await self._sentence(part, quoted, "quoted")
        cited = named or self._likest(read, ())[:1]
        if self._lacks(read) or (read.misnamed and self.judge.second is None):
            span = self._same(read, cited)
            return await self._sentence(part, [span] if span else [], "differs" if span else "unsourced")
        if place := await off_loop(self._chars(part), self._misplaced, read, cited):
            return await self._sentence(part, [place], "differs")
        return await self._judged(read, cited, before)

    async def citations(self, part: ReplyPart) -> tuple[Citation, ...]:
        """Return the words that say a sentence; none where no reference does."""
        sentence = await self.check(part)
        return sentence.citations if sentence.held else ()

    def cited(self, part: ReplyPart) -> list[int]:
        """Return the references that a sentence names and that there are, else the one most like it."""
        named = [number for number in dict.fromkeys(part.numbers) if 1 <= number <= len(self.hits)]
        return named or self._likest(self._read(part), ())[:1]

    async def likest_words(self, part: ReplyPart, *, alike: bool = False) -> Citation | None:
        """Return the words of a source that speak of what a sentence says; None where none do.

        Nor where a value, name or row of it is wrong, unless it is known to be held (`alike`).
        """
        read = await off_loop(self._chars(part), self._read, part)
        cited = self.cited(part)
        wrong = self._lacks(read) or read.misnamed or read.claim.links or self._misplaced(read, cited)
        if wrong and not alike:
            return None
        near = [(number, read.near[number]) for number in cited if number in read.near]
        found = next(((number, like.span) for number, like in near if alike or like.share >= DENIED_SHARE), None)
        sentence = await self._sentence(part, [found], "supported") if found else None
        return next(iter(sentence.citations), None) if sentence else None

    async def is_of(self, persona: str, part: ReplyPart) -> bool:
        """Say whether a sentence says who the assistant is, as the persona has it, in whatever language."""
        if not persona or part.block:
            return False
        spoken = detect(persona)
        language = self.language if spoken == UNKNOWN_LANGUAGE else spoken
        if support(part.text, persona, language):
            return True
        if (ruling := await self.judge.ruling(part.text, persona, RATHER)) is not None:
            return ruling == "supported"
        if language == self.language:
            return False
        said, own = await self.embedder.passages([part.text, persona])
        return 1.0 - float(said @ own) <= self._translated_distance

    @property
    def _translated_distance(self) -> float:
        return TRANSLATED_SHARE * self.embedder.max_distance

    @property
    def _least_share(self) -> float:
        return STRICT_SHARE if self.judge.strict else LEAST_SHARE

    @property
    def _plain(self) -> str:
        return " ".join(reference.plain for reference in self._references)

    def _language_of(self, hit: Hit) -> str:
        return self.language if hit.chunk.language == UNKNOWN_LANGUAGE else hit.chunk.language

    def _chars(self, part: ReplyPart) -> int:
        return len(part.text) + chars_of(hit.chunk.text for hit in self.hits)

    # -- by rules ------------------------------------------------------------------------------------------------------

    def _read(self, part: ReplyPart) -> _Read:
        claim, values = read_claim(part.text, self.language), tuple(read_values(part.text, self.language))
        near = {
            number: found
            for number, reference in enumerate(self._references, 1)
            if (found := reference.nearest(claim.terms, values[:MOST_VALUES]))
        }
        absent = tuple(value for value in values if not any(one.holds(value) for one in self._references))
        read = _Read(part, claim, values, near, absent)
        return replace(read, misnamed=self._misnames(read))

    def _quoted(self, read: _Read, named: Sequence[int]) -> list[tuple[int, Span]]:
        """Return the references whose own words a sentence is: those that it names, else the first other one."""

        def own(numbers: Iterable[int]) -> list[tuple[int, Span]]:
            return [(number, span) for number in numbers if (span := self._own_words(read, number))]

        return own(named) or own(number for number in self._likest(read, named))[:1]

    def _own_words(self, read: _Read, number: int) -> Span | None:
        reference = self._references[number - 1]
        near = read.near.get(number)
        text = reference.hit.chunk.text
        return near.span if near and is_quoted(read.part.text, text[slice(*near.span)], reference.language) else None

    def _likest(self, read: _Read, without: Sequence[int]) -> list[int]:
        """Return the numbers of the references most like a sentence, the likest first."""
        rest = [number for number in range(1, len(self.hits) + 1) if number not in without]
        return sorted(rest, key=lambda number: -(read.near[number].share if number in read.near else 0.0))

    def _lacks(self, read: _Read) -> bool:
        """Say whether a value in digits, or a quotation, stands in no reference, however it is written."""
        if len(read.values) > MOST_VALUES:
            return True
        quotations = (fold_spelling(text).strip(" .,;:!?。、，") for text in read.claim.quotations)
        if any(text not in self._plain for text in quotations):
            return True
        return any(_is_in_digits(read.part.text, value) for value in read.absent)

    def _misplaced(self, read: _Read, cited: Sequence[int]) -> tuple[int, Span] | None:
        """Return the row of which a sentence says what stands in another one: a wrong row is false.

        A row is named by the sentence, or by a row of another reference that the sentence names: the class of a site.
        """
        values = [value for value in read.values[:MOST_VALUES] if _is_in_digits(read.part.text, value)]
        for number in [*cited, *self._likest(read, cited)]:
            others = [one for at, one in enumerate(self._references, 1) if at != number]
            left = [value for value in values if not any(one.holds(value) for one in others)]
            said = " ".join((read.part.text, *self._rows_named(read, number)))
            if left and (span := self._references[number - 1].misplaced(said, left)):
                return number, span
        return None

    def _rows_named(self, read: _Read, without: int) -> list[str]:
        """Return the rows that a sentence names, of the other references."""
        named = [(number, like) for number, like in read.near.items() if number != without and like.by_row]
        return [one.text for number, like in named for one in self._references[number - 1].rows_at(like.span)]

    def _chosen(self, read: _Read, number: int) -> tuple[ReferenceText, Likeness | None]:
        """Return a reference with its likest sentences: a row of it may be named by a row of another reference."""
        reference, like = self._references[number - 1], read.near.get(number)
        if reference.rows and like and not like.by_row and (named := self._rows_named(read, number)):
            linked = frozenset(terms(" ".join(named), reference.language))
            return reference, reference.nearest(read.claim.terms | linked, read.values[:MOST_VALUES])
        return reference, like

    def _misnames(self, read: _Read) -> bool:
        """Say whether a name of a sentence stands in no reference, where the likest words of one have another name.

        Names are told by their capitals, and those words must be in the sentence's language.
        """
        dated = " ".join(read.part.text[slice(*value.span)].casefold() for value in read.values)
        strange = [
            n for n in read.claim.names if n not in dated and n[: max(LEAST_STEM, len(n) * 3 // 5)] not in self._plain
        ]
        return any(name.upper() not in read.part.text for name in strange) and any(
            read_claim(self.hits[number - 1].chunk.text[slice(*near.span)], self.language).names - read.claim.names
            for number, near in read.near.items()
            if near.share >= SAME_SHARE and self._references[number - 1].language == self.language
        )

    def _is_mixed(self, read: _Read) -> bool:
        """Say whether a sentence without spaces has a word in Latin letters that stands in no reference."""
        text = fold_spelling(read.part.text)
        return is_unspaced(text) and any(word not in self._plain for word in _LATIN.findall(text))

    def _speaks_of_it(self, read: _Read, number: int) -> bool:
        """Say whether a reference speaks of what a sentence says: else it says something else, not otherwise."""
        foreign = self._references[number - 1].language != self.language
        return foreign or (number in read.near and read.near[number].share >= DENIED_SHARE)

    def _same(self, read: _Read, cited: Sequence[int]) -> tuple[int, Span] | None:
        """Return the words of a source that say the same as a sentence, but for what it lacks."""
        found = [(number, read.near[number]) for number in [*cited, *self._likest(read, cited)] if number in read.near]
        return next(((number, one.span) for number, one in found if one.share >= SAME_SHARE), None)

    # -- by the judge --------------------------------------------------------------------------------------------------

    async def _judged(self, read: _Read, cited: list[int], before: str) -> Sentence:
        """Let the judge read a sentence with all that it cites, then with what is most like it beside that.

        One that no reference says by itself may lean on the sentence before it, or, the first one, on the question.
        Where the references rather do not answer that, only an answer that is no whole sentence may ("EUR 2,460").
        """
        part = read.part
        ruling = await self._ruling(read, cited)
        if ruling is None:
            return await self._by_words(read, cited)
        more = [*cited, *self._likest(read, cited)[:OTHERS]]
        numbers, last = cited, ruling
        if ruling != "supported" and more != cited:
            numbers, last = more, await self._ruling(read, more)
        leans = not self.judge.doubtful or len(read.claim.terms) <= BARE_TERMS
        lead = before or (self.question if leans else "")
        if lead and last != "supported" and any(number in read.near for number in numbers):
            last = await self._ruling(read, numbers, lead)
        if last == "supported":
            return await self._sentence(part, await self._spans(read, numbers), "supported")
        if ruling == "differs" and (denying := [number for number in cited if self._speaks_of_it(read, number)]):
            return await self._sentence(part, await self._spans(read, denying), "differs")
        return Sentence(part.text, (), "unsourced")

    async def _ruling(self, read: _Read, numbers: Sequence[int], lead: str = "") -> Ruling | None:
        chosen = [self._chosen(read, number) for number in numbers]
        found = await off_loop(self._chars(read.part), premise, chosen)
        said = f"{lead} {read.part.text}" if lead else read.part.text
        translated = all(reference.language != self.language for reference, _ in chosen)
        unlike = not translated and not any(like for _, like in chosen)
        if unlike and self.judge.first and self.judge.second is None:
            return "unsourced"  # not a word or value in common: what a judge makes of such a pair means nothing
        uncertain = bool(read.absent) or (self.judge.strict and self._is_mixed(read))
        least = self.judge.least(self.language, translated=translated, uncertain=uncertain)
        spelled = await off_loop(self._chars(read.part), found.spelled, said, self.language)
        return await self.judge.ruling(spelled, found.text, least, sure=not read.misnamed)

    async def _by_words(self, read: _Read, cited: Sequence[int]) -> Sentence:
        """Say what words alone show, where there is no judge: a source has some of them, or is near in meaning."""
        for numbers in (cited, self._likest(read, cited)[:1]):
            like = [n for n in numbers if n in read.near and read.near[n].share >= self._least_share]
            foreign = [n for n in numbers if n not in like and await self._is_translated(read, n)]
            if found := [*like, *foreign]:
                return await self._sentence(read.part, await self._spans(read, found), "supported")
        return Sentence(read.part.text, (), "unsourced")

    # -- citations -----------------------------------------------------------------------------------------------------

    async def _checked_block(self, part: ReplyPart, named: Sequence[int]) -> Sentence:
        """Hold a table or code block against the references: to the letter, or a table cell by cell."""
        others = [number for number in range(1, len(self.hits) + 1) if number not in named]
        for numbers in (named, *([number] for number in others)):
            found = await asyncio.to_thread(self._blocks, part, numbers)
            if found:
                quotes = [self.hits[number - 1].chunk.text[slice(*span)] for number, span in found]
                verdict = "quoted" if any(is_same_block(part.text, quote) for quote in quotes) else "supported"
                return await self._sentence(part, found, verdict)
        return Sentence(part.text, (), "unsourced")

    def _blocks(self, part: ReplyPart, numbers: Sequence[int]) -> list[tuple[int, Span]]:
        chunks = [(number, self.hits[number - 1].chunk, self._references[number - 1].language) for number in numbers]
        found = ((n, support_block(part.text, c.text, table_head(c), language)) for n, c, language in chunks)
        return [(number, span) for number, span in found if span]

    async def _spans(self, read: _Read, numbers: Sequence[int]) -> list[tuple[int, Span]]:
        """Return of each reference the words that are most like a sentence; of those like it, where any is."""
        like = [(n, read.near[n].span) for n in numbers if n in read.near and read.near[n].share >= LEAST_SHARE]
        rest = [n for n in numbers if self._references[n - 1].language != self.language or not like]
        return like or [(number, (await self._nearest(read, number))[0]) for number in rest]

    async def _is_translated(self, read: _Read, number: int) -> bool:
        foreign = self._references[number - 1].language != self.language
        return foreign and (await self._nearest(read, number))[1] <= self._translated_distance

    async def _nearest(self, read: _Read, number: int) -> tuple[Span, float]:
        """Return the sentence of a reference that is nearest in meaning, and its distance."""
        reference = self._references[number - 1]
        units, text = reference.units, reference.hit.chunk.text
        vectors = await self.embedder.passages([read.part.text, *(text[slice(*unit.span)] for unit in units)])
        distances = 1.0 - vectors[1:] @ vectors[0]
        nearest = int(distances.argmin())
        return units[nearest].span, float(distances[nearest])

    async def _sentence(self, part: ReplyPart, spans: Sequence[tuple[int, Span]], verdict: Verdict) -> Sentence:
        """Return a sentence with those citations that stand in their documents; without one it is unsourced."""
        citations: list[Citation] = []
        for number, span in spans:
            citation = cite(self.hits[number - 1], number, span)
            if citation.document_id not in self.texts:
                self.texts[citation.document_id] = await self.text_of(citation.document_id)
            if check_citation(citation, self.texts[citation.document_id]):
                citations.append(citation)
        return Sentence(part.text, tuple(citations), verdict if citations else "unsourced")


def _is_in_digits(text: str, value: Value) -> bool:
    """Say whether a value is written in digits: "half an hour" may be any thirty minutes or so, "30 minutes" not."""
    return any(character.isdigit() for character in text[slice(*value.span)])

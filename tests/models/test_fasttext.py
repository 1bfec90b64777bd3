"""FastText vectors: trained on few texts in five languages, the same twice, in any order; and files that are none."""

from __future__ import annotations

import asyncio
from pathlib import Path

import floret
import numpy as np
import pytest

from rove.errors import ConfigError, InputError
from rove.models import Vectors
from rove.models.fasttext.embedder import FastTextEmbedder
from rove.models.fasttext.training import train_vectors
from rove.models.fasttext.word_vectors import bucket_of, parts_of
from rove.settings import EmbedderSettings

PASSAGES = {
    "en": ("The cat sleeps on the sofa.", "The ship leaves the harbour.", "The doctor examines the patient."),
    "de": ("Die Katze schläft auf dem Sofa.", "Das Schiff verlässt den Hafen.", "Der Arzt untersucht den Patienten."),
    "hu": ("A macska a kanapén alszik.", "A hajó elhagyja a kikötőt.", "Az orvos megvizsgálja a beteget."),
    "zh": ("猫在沙发上睡觉。", "船离开了港口。", "医生正在检查病人。"),
    "ja": ("猫はソファで眠っている。", "船が港を出発する。", "医者が患者を診察する。"),
}
ASKED = {
    "en": ("on the sofa sleeps the CAT", "the harbour the ship leaves", "examines the patient the doctor"),
    "de": ("auf dem Sofa schläft die KATZE", "den Hafen verlässt das Schiff", "den Patienten untersucht der Arzt"),
    "hu": ("alszik a kanapén a MACSKA", "a kikötőt a hajó elhagyja", "a beteget megvizsgálja az orvos"),
    "zh": ("沙发上睡觉", "离开了港口", "检查病人"),
    "ja": ("ソファで眠", "港を出発", "患者を診察"),
}
"""Parts of the passages where scripts have no spaces, else their words in another order: so few teach no more."""
FORMS = (("sleeps", "sleep"), ("schläft", "schlafen"), ("kikötőt", "kikötőben"), ("untersucht", "untersuchten"))
"""Words that were met, and forms of them that were not."""


def passages(*languages: str) -> list[str]:
    return [text for language in languages or PASSAGES for text in PASSAGES[language]]


def made(file: Path) -> FastTextEmbedder:
    return FastTextEmbedder(EmbedderSettings(name="fasttext", model=str(file)))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fasttext") / "words.npz"
    trained = train_vectors(passages(), path)
    assert (trained.passages, trained.words > 50, trained.dimension) == (15, True, made(path).fingerprint.dimension)
    return path


def embedded(file: Path, *texts: str) -> Vectors:
    return asyncio.run(made(file).passages(texts))


@pytest.mark.parametrize("language", PASSAGES)
def test_the_nearest_passage_has_the_words(file: Path, language: str) -> None:
    near = embedded(file, *ASKED[language]) @ embedded(file, *passages(language)).T
    assert near.argmax(axis=1).tolist() == [0, 1, 2]


@pytest.mark.parametrize(("known", "new"), FORMS)
def test_a_form_that_was_never_met_is_nearest_to_its_word(file: Path, known: str, new: str) -> None:
    others = [other for other, _ in FORMS if other != known]
    asked, own, *rest = embedded(file, new, known, *others)
    assert all(asked @ own > asked @ other for other in rest)


def test_the_same_passages_give_the_same_file(tmp_path: Path) -> None:
    for name in ("a.npz", "b.npz"):
        train_vectors(passages("en"), tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert made(tmp_path / "a.npz").fingerprint == made(tmp_path / "b.npz").fingerprint
    train_vectors(passages("de"), tmp_path / "c.npz")
    assert made(tmp_path / "c.npz").fingerprint != made(tmp_path / "a.npz").fingerprint
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.npz", "b.npz", "c.npz"]


def test_a_text_has_its_vector_in_any_company_and_nothing_has_one_too(file: Path) -> None:
    texts = [*passages("en"), "?!", "", "unheard-of"]
    vectors = embedded(file, *texts)
    assert np.allclose(embedded(file, *texts[::-1])[::-1], vectors, atol=1e-6)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_nothing_is_written_over_and_nothing_is_not_trained_on(file: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is there already"):
        train_vectors(passages("en"), file)
    with pytest.raises(ConfigError, match="There is no folder"):
        train_vectors(passages("en"), tmp_path / "none" / "words.npz")
    with pytest.raises(InputError, match="no words"):
        train_vectors(["?!", ""], tmp_path / "words.npz")
    assert not list(tmp_path.iterdir())


def test_other_files_are_told(file: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"embedder\.model is empty"):
        FastTextEmbedder(EmbedderSettings(name="fasttext"))
    with pytest.raises(ConfigError, match="cannot be read"):
        made(tmp_path / "gone.npz")
    for content in (b"", b"no vectors at all"):
        (tmp_path / "other.npz").write_bytes(content)
        with pytest.raises(ConfigError, match=r"other\.npz"):
            made(tmp_path / "other.npz")
    (tmp_path / "torn.npz").write_bytes(file.read_bytes()[:1_000])
    with pytest.raises(ConfigError, match="cannot be read"):
        made(tmp_path / "torn.npz")
    with np.load(file) as held:
        arrays = dict(held)
    for name, wrong in (("map", np.ones((3, 3))), ("vectors", np.ones((2, 2))), ("counts", np.array(["a"]))):
        np.savez(tmp_path / "wrong.npz", **{**arrays, name: wrong})
        with pytest.raises(ConfigError, match="do not fit"):
            made(tmp_path / "wrong.npz")


def test_parts_of_words_stand_where_the_library_has_them(tmp_path: Path) -> None:
    (tmp_path / "corpus.txt").write_text("\n".join(passages()), "utf-8")
    settings: dict[str, object] = {"mode": "fasttext", "bucket": 999, "dim": 4, "minCount": 1, "epoch": 1}
    model = floret.train_unsupervised(str(tmp_path / "corpus.txt"), thread=1, verbose=0, **settings)
    known = len(model.words)
    for word in ("lighthouses", "Leuchttürme", "kikötőben", "灯塔水手", "a", "🙂"):
        parts, places = model.get_subwords(word)
        ours = list(parts_of(word))
        theirs = {part: place - known for part, place in zip(parts, places, strict=True) if place >= known}
        assert {part: bucket_of(part, 999) for part in ours} == theirs

"""FastText vectors: trained on few texts in five languages, the same twice, in any order; and files that are none."""

from __future__ import annotations

import asyncio
from pathlib import Path

import numpy as np
import pytest

from rove.errors import ConfigError, InputError
from rove.models import Vectors
from rove.settings import EmbedderSettings

pytest.importorskip("floret")

from rove.models.fasttext.embedder import FastTextEmbedder
from rove.models.fasttext.training import train_vectors

WORDS = {
    "en": ("harbour", "lighthouse", "sailor", "orchard", "blossom", "harvest"),
    "de": ("Hafen", "Leuchtturm", "Matrose", "Obstgarten", "Blüte", "Ernte"),
    "hu": ("kikötő", "világítótorony", "tengerész", "gyümölcsös", "virágzás", "szüret"),
    "zh": ("港口", "灯塔", "水手", "果园", "开花", "收获"),
    "ja": ("港湾", "灯台", "船員", "果樹園", "開花", "収穫"),
}
"""Three words of the sea and three of the orchard, which the passages never mix."""
MATES = {"zh": "港口旁的灯塔", "ja": "港湾の灯台"}


def passages(language: str) -> list[str]:
    """Each sees two words of one kind together, in a frame of words that all share."""
    words = WORDS[language]
    joint = "" if language in MATES else " "
    pairs = [(a, b) for half in (words[:3], words[3:]) for a in half for b in half if a != b]
    return [joint.join((a, b, filler)) for filler in ("1", "22", "333", "4444") for a, b in pairs]


def made(file: Path) -> FastTextEmbedder:
    return FastTextEmbedder(EmbedderSettings(name="fasttext", model=str(file)))


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("fasttext") / "words.bin"
    trained = train_vectors((one for language in WORDS for one in passages(language)), path)
    assert trained.passages == 5 * 48
    return path


def embedded(file: Path, *texts: str) -> Vectors:
    return asyncio.run(made(file).passages(texts))


@pytest.mark.parametrize("language", WORDS)
def test_words_of_one_surrounding_are_near(file: Path, language: str) -> None:
    vectors = embedded(file, *WORDS[language])
    near = vectors @ vectors.T
    for one in range(6):
        own = [near[one, other] for other in range(6) if other != one and other // 3 == one // 3]
        strange = [near[one, other] for other in range(6) if other // 3 != one // 3]
        assert min(own) > max(strange), WORDS[language][one]


@pytest.mark.parametrize(
    ("known", "new"), [("lighthouse", "lighthouses"), ("Leuchtturm", "Leuchttürme"), ("kikötő", "kikötőben")]
)
def test_a_form_that_was_never_met_is_near_to_its_word(file: Path, known: str, new: str) -> None:
    asked, own, other = embedded(file, new, known, "orchard")
    assert asked @ own > 0.5 > asked @ other


def test_the_same_passages_give_the_same_file(tmp_path: Path) -> None:
    for name in ("a.bin", "b.bin"):
        train_vectors(passages("en"), tmp_path / name)
    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "b.bin").read_bytes()
    assert made(tmp_path / "a.bin").fingerprint == made(tmp_path / "b.bin").fingerprint
    train_vectors(passages("de"), tmp_path / "c.bin")
    assert made(tmp_path / "c.bin").fingerprint != made(tmp_path / "a.bin").fingerprint
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bin", "b.bin", "c.bin"]


def test_a_text_has_its_vector_in_any_company_and_nothing_has_one_too(file: Path) -> None:
    texts = [*WORDS["en"], "?!", "", "unheard-of"]
    vectors = embedded(file, *texts)
    assert np.allclose(embedded(file, *texts[::-1])[::-1], vectors, atol=1e-6)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_nothing_is_written_over_and_nothing_is_not_trained_on(file: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="is there already"):
        train_vectors(passages("en"), file)
    with pytest.raises(ConfigError, match="There is no folder"):
        train_vectors(passages("en"), tmp_path / "none" / "words.bin")
    with pytest.raises(InputError, match="no words"):
        train_vectors(["?!", ""], tmp_path / "words.bin")
    assert not list(tmp_path.iterdir())


def test_other_files_are_told(file: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"embedder\.model is empty"):
        FastTextEmbedder(EmbedderSettings(name="fasttext"))
    with pytest.raises(ConfigError, match="cannot be read"):
        made(tmp_path / "gone.bin")
    for content in (b"", b"no vectors at all"):
        (tmp_path / "other.bin").write_bytes(content)
        with pytest.raises(ConfigError, match=r"other\.bin"):
            made(tmp_path / "other.bin")
    (tmp_path / "torn.bin").write_bytes(file.read_bytes()[:1_000])
    with pytest.raises(ConfigError, match="cannot be loaded"):
        embedded(tmp_path / "torn.bin", "harbour")

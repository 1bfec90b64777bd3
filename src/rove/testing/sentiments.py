"""What every sentiment model promises: +1, 0, −1 or no opinion for each text."""

from __future__ import annotations

import numpy as np

from rove.enrich.sentiment import SENTIMENTS, Labels, SentimentModel
from rove.models import Embedder
from rove.models.fake import FakeEmbedder
from rove.settings import EnrichSettings
from rove.testing.contract import Contract, waited
from rove.testing.samples import ODD_TEXTS, TEXTS


class SentimentContract(Contract):
    """Inherit it, and give `name`, or `make`; and `embedder`, if the model knows the vectors of one only."""

    registry = SENTIMENTS

    def make(self, embedder: Embedder) -> SentimentModel:
        """Return the model."""
        return self.registered()(EnrichSettings(sentiment=self.name), embedder)

    def embedder(self) -> Embedder:
        """Return the embedder whose vectors the model is given."""
        return FakeEmbedder()

    async def labels(self, texts: list[str], languages: list[str]) -> Labels:
        """Label texts as the engine does: without them where the model needs their vectors alone."""
        embedder = self.embedder()
        model = self.make(embedder)
        vectors = await embedder.passages(texts)
        return model.scores(texts if model.reads_texts else [], vectors, languages)

    @waited
    async def test_each_text_has_a_label_or_none(self) -> None:
        """Labels are 1, 0, −1 or NaN, one a text, in their order, the same again; the limits are said."""
        texts, languages = [*TEXTS.values(), *ODD_TEXTS], [*TEXTS, *("und" for _ in ODD_TEXTS)]
        labels = await self.labels(texts, languages)
        assert labels.shape == (len(texts),)
        assert np.isin(labels[~np.isnan(labels)], (-1, 0, 1)).all()
        backwards = await self.labels(texts[::-1], languages[::-1])
        assert np.array_equal(labels, backwards[::-1], equal_nan=True)
        assert self.make(self.embedder()).limits.strip()

    @waited
    async def test_no_text_has_no_label(self) -> None:
        """An empty batch is one too."""
        assert (await self.labels([], [])).shape == (0,)

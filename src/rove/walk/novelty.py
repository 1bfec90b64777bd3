"""Novelty: a fact that says what is known already is not taken twice; one that says otherwise is."""

from __future__ import annotations

from collections.abc import Sequence

from rove.answer.claim import numbers
from rove.language.cue_words import negates
from rove.language.folding import fold_words
from rove.models import Embedder
from rove.records.walk_events import Fact

SAME = 0.97  # cosine of two passages that say the same


async def said_already(fact: Fact, known: Sequence[Fact], embedder: Embedder, language: str) -> Fact | None:
    """Return the known fact that says the same; None where it is new.

    The same: the same id or words; or vectors within `SAME` and the same numbers and negation, so that sources which
    contradict each other stay side by side.

    Raises:
        ServiceError: the embedder failed.
    """
    for one in known:
        if one.fact_id == fact.fact_id or fold_words(one.text) == fold_words(fact.text):
            return one
    alike = [one for one in known if _claims(one, language) == _claims(fact, language)]
    if not alike:
        return None
    vectors = await embedder.passages([fact.text, *(one.text for one in alike)])
    cosines = vectors[1:] @ vectors[0]
    nearest = int(cosines.argmax())
    return alike[nearest] if cosines[nearest] >= SAME else None


def _claims(fact: Fact, language: str) -> tuple[frozenset[str], bool]:
    return numbers(fact.text, language), negates(fact.text, language)

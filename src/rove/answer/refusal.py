"""When nothing near enough was found: the threshold, and the one sentence that says so in the asker's language."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from rove.answer.word_lists import table
from rove.records import Hit, Place

SURE, PERHAPS = 0.8, 1.2


def refusal(language: str) -> str:
    """Return the fixed sentence in a language; in English where there is none.

    >>> refusal("de"), refusal("xx")[:18]
    ('Die Wissensdatenbank enthält nicht genug, um dies zu beantworten.', 'The knowledge base')
    """
    sentences = table("refusals")
    return sentences.get(language.partition("-")[0].lower(), sentences["en"])


def is_refusal(sentence: str) -> bool:
    """Say whether a sentence is the fixed one, in any language, whatever its case, spaces, quotes and full stops.

    >>> is_refusal("**the knowledge base does not hold enough to answer this**"), is_refusal("It does.")
    (True, False)
    """
    return letters(sentence) in {letters(known) for known in table("refusals").values()}


def near_enough(
    hits: Sequence[Hit],
    max_distance: float,
    min_lead: float = 0.0,
    distances: Mapping[str, float] = MappingProxyType({}),
) -> bool:
    """Say whether any hit lies within the cosine distance (1 - its "semantic" score, or what `distances` says of it).

    With `min_lead` > 0, where the list was long enough to tell: a hit well within (`SURE` of the distance) passes, one
    around it (up to `PERHAPS` of it) only where it stands out from its list by that much.
    Hits of which neither knows the distance cannot be judged: where none can, they pass. No hit at all never does.
    """
    places = [hit.sources["semantic"] for hit in hits if "semantic" in hit.sources]
    ids = {hit.chunk.chunk_id for hit in hits if "semantic" not in hit.sources}
    measured = [distance for chunk_id, distance in distances.items() if chunk_id in ids]
    if not places and not measured:
        return bool(hits)
    near = any(distance <= max_distance for distance in measured)
    return near or any(_is_near_enough(place, max_distance, min_lead) for place in places)


def _is_near_enough(place: Place, max_distance: float, min_lead: float) -> bool:
    distance = 1.0 - place.score
    if not min_lead or place.lead is None:
        return distance <= max_distance
    return distance <= SURE * max_distance or (distance <= PERHAPS * max_distance and place.lead >= min_lead)


def letters(text: str) -> str:
    """Return the letters and digits of a text in lower case: what is the same however it is written."""
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())

"""Leads from the text itself: what a source refers to where it says a fact, or right after it (mission D.3)."""

from __future__ import annotations

from dataclasses import replace

from rove.records import Document
from rove.records.document import Span
from rove.records.walk_events import Fact, Lead
from rove.walk.leads import lead_id, lead_to
from rove.walk.reference_targets import ReferenceTargets, Spot
from rove.walk.references import Reference, references

NEAR_CHARS = 200  # after the words of a fact: "… For more, see section 4."
NEAR = 0.8  # what a reference is worth there, beside one within those words
NOWHERE = "what it refers to is not in the base"


async def leads_from_text(fact: Fact, places: ReferenceTargets) -> list[tuple[Lead, bool]]:
    """Return the leads that the source of a fact gives, and of each whether the base holds what it leads to.

    A name that is no heading or title of the base is a lead where it stands in quotation marks after "see" or its like;
    then it is searched for.
    """
    citation = fact.citation
    document = await places.document(citation.document_id) if citation else None
    if citation is None or document is None:
        return []
    found: list[tuple[Lead, bool]] = []
    for reference in references(window(document.text, citation.span)):
        spot = await places.spot(reference, document)
        within = reference.span[0] < citation.span[1] - citation.span[0]
        promise = 1.0 if within else NEAR
        if spot is not None and not _here(spot, citation.span, document):
            found.append((_lead(fact, reference, spot, promise), True))
        elif spot is None and reference.unit == "named":
            found.append((lead_to(reference.target, "section", fact.round, promise=promise, fact=fact), True))
        elif spot is None and reference.kind in {"reference", "link"} and reference.unit not in {"table", "figure"}:
            found.append((lead_to(reference.label, reference.kind, fact.round, promise=promise, fact=fact), False))
    return found


def window(text: str, span: Span) -> str:
    r"""Return the words at a span and what follows them in the same paragraph.

    >>> window("One. Two. See 4.\n\nThree.", (5, 9))
    'Two. See 4.'
    """
    after = text[span[1] : span[1] + NEAR_CHARS].partition("\n\n")[0]
    return text[span[0] : span[1]] + after


def _here(spot: Spot, span: Span, document: Document) -> bool:
    """Say whether a reference leads to where it stands."""
    if spot.document_id != document.document_id or spot.span is None:
        return spot.document_id == document.document_id
    small = spot.span[1] - spot.span[0] < len(document.text) // 2
    return small and spot.span[0] <= span[0] < spot.span[1]


def _lead(fact: Fact, reference: Reference, spot: Spot, promise: float) -> Lead:
    label = reference.label if spot.title in reference.label else f"{reference.label} ({spot.title})"
    lead = lead_to(" ".join(label.split()), reference.kind, fact.round, promise=promise, fact=fact)
    identity = lead_id(lead.text, spot.document_id, spot.span)
    return replace(lead, lead_id=identity, document_id=spot.document_id, span=spot.span)

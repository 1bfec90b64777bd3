"""Leads from the text itself: what a source refers to where it says a fact, or right after it (mission D.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rove.language.folding import fold_words
from rove.records import Document
from rove.records.document import Span
from rove.records.walk_events import Fact, Lead
from rove.references.places_within import Spot
from rove.references.targets import ReferenceTargets
from rove.references.text_references import Reference, references, title_candidates
from rove.walk.leads import lead_id, lead_to

NEAR_CHARS = 200  # after the words of a fact: "… For more, see section 4."
OTHERS = 2  # places that may be meant instead, and are leads too
OTHER = 0.4  # what such a one is worth, beside the likeliest
NEAR = 0.8  # what a reference is worth there, beside one within those words
UNSURE = frozenset({"table", "figure", "box", "row", "item", "code", "attached"})
"""Of these nothing is said where the base does not hold them: the words may mean something else."""
VERBS = frozenset({"schedule", "exhibit", "form"})


@dataclass(frozen=True, slots=True)
class _Referral:
    """A reference in the source of a fact, within the words at `span` that say it, or right after them."""

    fact: Fact
    span: Span
    document: Document
    reference: Reference

    @property
    def placed(self) -> Reference:
        """The reference, its span that in the document."""
        start, end = self.reference.span
        return replace(self.reference, span=(self.span[0] + start, self.span[0] + end))

    @property
    def promise(self) -> float:
        return 1.0 if self.reference.span[0] < self.span[1] - self.span[0] else NEAR


async def leads_from_text(facts: Sequence[Fact], places: ReferenceTargets) -> list[tuple[Lead, bool]]:
    """Return the leads that the sources of facts give, and of each whether the base holds what it leads to.

    A name that is no heading or title of the base is a lead where it stands in quotation marks after "see" or its like;
    then it is searched for.
    """
    await places.hold(fact.citation.document_id for fact in facts if fact.citation)
    referrals = [referral for fact in facts for referral in await _referrals(fact, places)]
    spots = await places.spots([(one.placed, one.document) for one in referrals])
    return [lead for one, spot in zip(referrals, spots, strict=True) for lead in _leads(one, spot)]


async def _referrals(fact: Fact, places: ReferenceTargets) -> list[_Referral]:
    document = await places.document(fact.citation.document_id) if fact.citation else None
    if fact.citation is None or document is None:
        return []
    span = fact.citation.span
    said = window(document.text, span)
    found = [*references(said, document.language), *title_candidates(said, document.language)]
    return [_Referral(fact, span, document, one) for one in found]


def _leads(one: _Referral, spot: Spot | None) -> list[tuple[Lead, bool]]:
    """Return the lead that a reference gives, if it gives one, and whether the base holds what it leads to."""
    reference = one.reference
    if spot is not None:
        likely = [] if _is_self_reference(spot, one.span, one.document) else [(_lead_to_spot(one, spot), True)]
        instead = [other for other in spot.others if not _is_self_reference(other, one.span, one.document)]
        return likely + [(_lead_to_spot(one, other, OTHER), True) for other in instead[: OTHERS if likely else 0]]
    if reference.unit == "named":
        return [(lead_to(reference.target, "section", one.fact.round, promise=one.promise, fact=one.fact), True)]
    verb = reference.unit in VERBS and reference.label[0].islower()  # "we schedule 3 calls"
    if reference.kind in {"reference", "link"} and reference.unit not in UNSURE and not verb:
        return [(lead_to(reference.label, reference.kind, one.fact.round, promise=one.promise, fact=one.fact), False)]
    return []


def window(text: str, span: Span) -> str:
    r"""Return the words at a span and what follows them in the same paragraph.

    >>> window("One. Two. See 4.\n\nThree.", (5, 9))
    'Two. See 4.'
    """
    after = text[span[1] : span[1] + NEAR_CHARS].partition("\n\n")[0]
    return text[span[0] : span[1]] + after


def _is_self_reference(spot: Spot, span: Span, document: Document) -> bool:
    """Say whether a reference leads to where it stands."""
    if spot.document_id != document.document_id or spot.span is None:
        return spot.document_id == document.document_id
    small = spot.span[1] - spot.span[0] < len(document.text) // 2
    return small and spot.span[0] <= span[0] < spot.span[1]


def _lead_to_spot(one: _Referral, spot: Spot, share: float = 1.0) -> Lead:
    told, title = one.reference.label, spot.title
    if one.reference.unit == "announced":  # of which it was not known where it ends
        label = title
    else:
        label = (
            told
            if fold_words(title) in fold_words(told)
            else title
            if fold_words(told) in fold_words(title)
            else f"{told} ({title})"
        )
    lead = lead_to(
        " ".join(label.split()), one.reference.kind, one.fact.round, promise=share * one.promise, fact=one.fact
    )
    identity = lead_id(lead.text, spot.document_id, spot.span)
    return replace(
        lead,
        lead_id=identity,
        document_id=spot.document_id,
        span=spot.span,
        named_in=_place_title(one.document, one.span),
    )


def _place_title(document: Document, span: Span) -> str:
    """Return what a person calls the place where a reference stands: its heading, else its document."""
    headings = document.headings_at(span[0])
    return next((title for title in (*headings[:0:-1], document.title, *headings) if title), "")

"""Kept questions and corrections as things to be reviewed."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from difflib import SequenceMatcher

from rove.language.words import query_terms
from rove.records import DocumentInfo
from rove.records.correction_history import MadeCorrection, history_of
from rove.records.document import Span
from rove.records.reviewed import ReviewItem, review_id
from rove.store.catalog import Catalog
from rove.store.corrections import Corrections
from rove.store.kept_questions import KeptQuestion, KeptQuestions, id_of_kept


def question_items(catalog: Catalog, document_ids: Collection[str] | None = None) -> list[ReviewItem]:
    """Return the questions that are kept, of these documents or of all, as people have kept them. Blocks.

    How sure one is: the share of its terms that stand in the words that answer it.
    """
    kept = KeptQuestions(catalog.database).as_kept(document_ids)
    infos = _document_infos_by_id(catalog, {one.document_id for one in kept})
    return [_question_item(one, infos[one.document_id]) for one in kept if one.document_id in infos]


@dataclass(frozen=True, slots=True)
class FollowedCorrection:
    """A correction as it was `made`, and the `last` that took it, or what had taken it back, back; else itself."""

    made: MadeCorrection
    last: MadeCorrection

    @property
    def stands(self) -> bool:
        """Whether it is in force: `last` changes what it changed, and not the other way round."""
        return (self.last.removed, self.last.added) == (self.made.removed, self.made.added)

    @property
    def span(self) -> Span | None:
        """Where its words stand by now; None where they do not."""
        return self.last.span if self.stands else None


def correction_items(catalog: Catalog, document_ids: Collection[str] | None = None) -> dict[str, FollowedCorrection]:
    """Return the corrections of these documents or of all by their ids in review, but for those that took others back.

    Blocks.
    """
    corrections, found = Corrections(catalog.database), dict[str, FollowedCorrection]()
    kept = corrections.of(corrections.documents() if document_ids is None else document_ids)
    for document_id, some in kept.items():
        history = history_of(some)
        for made in history:
            last = made
            while last.taken_back_by:
                last = history[last.taken_back_by - 1]
            if not made.takes_back:
                found[id_of_correction(document_id, made)] = FollowedCorrection(made, last)
    return found


def correction_item(info: DocumentInfo, item_id: str, followed: FollowedCorrection) -> ReviewItem:
    """Return a correction as a thing to be reviewed. How sure it is: how alike the words before and after it are."""
    made = followed.made
    alike = SequenceMatcher(None, made.removed, made.added, autojunk=False).quick_ratio()
    return ReviewItem(
        item_id, "correction", info.document_id, info.title, info.source, (made.removed, made.added), made.before,
        followed.span, info.language, made.by, alike,
    )  # fmt: skip


def id_of_correction(document_id: str, made: MadeCorrection) -> str:
    """Return the id by which reviewers decide about a correction."""
    return review_id("correction", document_id, (made.removed, made.added, made.by, made.made_at), made.before)


def _question_item(kept: KeptQuestion, info: DocumentInfo) -> ReviewItem:
    terms, held = (set(query_terms(text, info.language)) for text in (kept.question, kept.quote))
    return ReviewItem(
        id_of_kept(kept), "question", info.document_id, info.title, info.source, (kept.question,), kept.quote,
        kept.span, info.language, "", len(terms & held) / len(terms) if terms else 0.0,
    )  # fmt: skip


def _document_infos_by_id(catalog: Catalog, document_ids: Collection[str]) -> dict[str, DocumentInfo]:
    return {info.document_id: info for info in catalog.documents(ids=list(document_ids))} if document_ids else {}

"""The calls of the engine that concern expert review: what waits, and what a person decides about it."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import replace
from datetime import UTC, datetime

from rove.argument_checks import Positive
from rove.correction_operations import LOCAL
from rove.document_erasure import check_own
from rove.enrich.triplets import keyed
from rove.enrich.triplets.said import Said
from rove.errors import InputError, ServiceError
from rove.records import Filter
from rove.records.document import Span
from rove.records.filter import Where, as_filter
from rove.records.metadata import clean
from rove.records.reviewed import (
    EDITED_WORDS,
    REVIEW_KINDS,
    ReviewDecision,
    ReviewItem,
    ReviewKind,
    Verdict,
    document_of_review,
    thing_of_review,
)
from rove.retrieve.theme_search import found_themes, theme_item
from rove.store.question_log import MOST_CHARS, key_of
from rove.store.review_items import FollowedCorrection, correction_item, correction_items, question_items
from rove.store.review_log import ReviewLog
from rove.store.reviewed_triplets import FoundTriplet, ReviewedTriplets
from rove.store.store import Store

LOAD_AGAIN = "Load the queue again: it was read anew, corrected or erased since."
MOST_EDIT_CHARS = 100_000
MOST_NAME_CHARS = 500
MOST_THEMES = 8
Decisions = Mapping[str, Sequence[ReviewDecision]]
"""All decisions, by what they are about."""


class ReviewOperations:
    """The part of `AsyncRove` in which people review what rules, models and other people have found."""

    store: Store
    correct: Callable[..., Awaitable[None]]
    take_back: Callable[..., Awaitable[None]]

    async def review_queue(
        self, *, by: str = LOCAL, kinds: Sequence[ReviewKind] = (), most: Positive = 50, where: Where | None = None
    ) -> list[ReviewItem]:
        """What waits for a reviewer: first what nobody has decided about, then what others have; the least sure first.

        Kinds: "triplet" (those of the graph that `enrich("graph")` has found), "question" (those that are kept with
        what answers them), "correction" (of words of documents), "theme" (the names of the largest eight).

        Args:
            by: the reviewer, who has not decided about it yet.
            kinds: only of these; without, of all.
            most: how many.
            where: only of passages that this filter lets through.
        """
        wanted, passing = set(kinds or REVIEW_KINDS), as_filter(where)
        decided = await asyncio.to_thread(self._decided)
        found: list[ReviewItem] = []
        if "triplet" in wanted:
            found += await asyncio.to_thread(self._waiting_triplets, decided, by, most, passing)
        for kind in wanted & {"question", "correction"}:
            items = await asyncio.to_thread(self._items, kind, None, passing)
            found += _items_awaiting_review(items, decided, by)
        if "theme" in wanted and len(found) < most:  # they take long to find
            with nullcontext() if kinds else suppress(ServiceError):  # there are none in the midst of a migration
                found += _items_awaiting_review(await self._theme_items(passing), decided, by)
        each = {one.item_id: one for one in found}  # what stands in one sentence twice is decided about once
        return sorted(each.values(), key=lambda one: (bool(one.decisions), one.sure))[:most]

    async def review(
        self, item_id: str, verdict: Verdict, edit: Sequence[str] = (), *, by: str = LOCAL, where: Where | None = None
    ) -> None:
        """Decide about one thing of the queue; the latest decision is in force, whoever made it, and all are kept.

        A triplet or theme that is rejected is neither searched nor shown, and a kept question is not answered by; what
        is edited has other words, and its evidence. A correction is taken back, or its words are corrected again. That
        stays when the document is read or enriched again, as long as the same is found in the same words.

        Args:
            item_id: of the thing.
            verdict: "accept", "edit" or "reject".
            edit: the new words: of a triplet three, else one text.
            by: the reviewer.
            where: only if it stands in a passage that this filter lets through.

        Raises:
            InputError: there is no such thing there, or the edit is none.
        """
        kind, document_id = _kind_and_document(item_id)
        await asyncio.to_thread(check_own, self.store, [document_id])
        if kind == "theme":
            items = await self._theme_items(as_filter(where))
        else:
            items = await asyncio.to_thread(self._items, kind, [document_id], as_filter(where))
        item = next((one for one in items if one.item_id == item_id), None)
        if item is None:
            message = f"There is no {kind} {item_id!r:.80} to review."
            raise InputError(message, cure=LOAD_AGAIN)
        words = _validate_edit_words(item, verdict, edit)
        now = datetime.now(UTC).isoformat(timespec="microseconds")
        decision = ReviewDecision(item_id, verdict, clean(by), now, item.words, words)
        if kind == "triplet":
            await asyncio.to_thread(ReviewedTriplets(self.store.catalog.database).decide, decision)
            await self.store.graph.let_go()
            return
        if kind == "correction":
            followed = await asyncio.to_thread(correction_items, self.store.catalog, [document_id])
            await self._settle_correction(followed[item_id], decision)
        await asyncio.to_thread(ReviewLog(self.store.catalog.database).add, [decision])

    async def reviews(self) -> list[ReviewDecision]:
        """What people have decided in review, in the order in which they did; what was changed later stays listed."""
        return await asyncio.to_thread(ReviewLog(self.store.catalog.database).all)

    async def _settle_correction(self, followed: FollowedCorrection, decision: ReviewDecision) -> None:
        """Let a correction stand, take it back, or let other words stand in its place."""
        document_id, by = decision.document_id, decision.by
        if decision.verdict == "edit":
            if followed.span is None:
                message = "The words of this correction no longer stand there."
                raise InputError(message, cure="Correct the document, or accept the correction first.")
            await self.correct(document_id, followed.span, followed.made.added, decision.edit[0], by=by)
        elif followed.stands != (decision.verdict == "accept"):
            await self.take_back(document_id, followed.last.number, by=by)

    def _decided(self) -> Decisions:
        decided: dict[str, list[ReviewDecision]] = defaultdict(list)
        for one in ReviewLog(self.store.catalog.database).all():
            decided[thing_of_review(one.item_id)].append(one)
        return decided

    def _waiting_triplets(self, decided: Decisions, by: str, most: int, where: Filter | None) -> list[ReviewItem]:
        """The triplets that wait for a reviewer, `most` of those that are the least sure."""
        waiting: list[ReviewItem] = []
        for some in ReviewedTriplets(self.store.catalog.database).least_sure():
            waiting += [one.item for one in self._passing(some, where) if one.item.item_id not in decided]
            if len(waiting) >= most:
                return waiting[:most]
        by_others = {item for item, made in decided.items() if all(one.by != by for one in made)}
        documents = {document_of_review(item) for item in by_others if item.startswith("triplet-")}
        found = self._items("triplet", documents, where) if documents else ()
        second = [one for one in found if one.item_id in by_others]
        return waiting + [replace(one, decisions=tuple(decided[one.item_id])) for one in second]

    async def _theme_items(self, where: Filter | None) -> list[ReviewItem]:
        return [theme_item(theme) for theme in await found_themes(self.store, where, MOST_THEMES)]

    def _items(self, kind: ReviewKind, document_ids: Collection[str] | None, where: Filter | None) -> list[ReviewItem]:
        """What there is to be reviewed of a kind, of documents or of all, in passages that a filter lets through.

        Triplets of all documents are too many: those are asked for by the least sure.
        """
        catalog = self.store.catalog
        if kind == "triplet":
            found = ReviewedTriplets(catalog.database).of_documents(document_ids or ())
            return [one.item for one in self._passing(found, where)]
        if kind == "question":
            items = question_items(catalog, document_ids)
        else:
            made = correction_items(catalog, document_ids)
            infos = {one.document_id: one for one in catalog.documents(ids=sorted(map(document_of_review, made)))}
            items = [
                correction_item(infos[document_id], item_id, one)
                for item_id, one in made.items()
                if (document_id := document_of_review(item_id)) in infos
            ]
        return [one for one in items if where is None or self._is_seen(one.document_id, one.span, where)]

    def _passing(self, found: Collection[FoundTriplet], where: Filter | None) -> list[FoundTriplet]:
        """Those that stand in passages which a filter lets through."""
        names = sorted({one.item.document_id for one in found})
        chunks = None if where is None else self.store.documents.passing(names, where)
        return [one for one in found if chunks is None or one.chunk_id in chunks]

    def _is_seen(self, document_id: str, span: Span | None, where: Filter) -> bool:
        """Whether a filter lets a passage through at a span; of what stands nowhere, any of the document."""
        seen = (one.chunk.span for one in self.store.documents.find_chunks(document_id, where))
        return any(span is None or (start < max(span[1], span[0] + 1) and span[0] < end) for start, end in seen)


def _items_awaiting_review(items: Iterable[ReviewItem], decided: Decisions, by: str) -> list[ReviewItem]:
    """The things that wait for a reviewer; what no longer stands in its document, only where others have decided."""
    made = [(one, decided.get(thing_of_review(one.item_id), ())) for one in items]
    return [
        replace(one, decisions=tuple(decisions))
        for one, decisions in made
        if all(decision.by != by for decision in decisions) and (one.span or decisions)
    ]


def _kind_and_document(item_id: str) -> tuple[ReviewKind, str]:
    """The kind and the document of what is reviewed.

    Raises:
        InputError: it is no id of the queue.
    """
    kind: ReviewKind | None = next((one for one in REVIEW_KINDS if item_id.startswith(f"{one}-")), None)
    document_id = document_of_review(item_id)
    if kind is None or not document_id:
        message = f"{item_id!r:.80} is not an id of the review queue."
        raise InputError(message, cure="Take an id that the queue lists.")
    return kind, document_id


def _validate_edit_words(item: ReviewItem, verdict: Verdict, edit: Iterable[str]) -> tuple[str, ...]:
    """The words of an edit, checked; none of another verdict.

    Raises:
        InputError: such words cannot stand there, or words are given where nothing is edited.
    """
    words = tuple(map(clean, edit))
    if verdict != "edit":
        if words:
            message = f"Nothing is edited by {verdict!r}, and other words are given."
            raise InputError(message, cure='Say "edit", or leave the words out.')
        return ()
    if len(words) != EDITED_WORDS[item.kind]:
        message = f"The edit has {len(words)} texts."
        raise InputError(message, cure="Give subject, predicate and object of a triplet; else one text.")
    if item.kind == "triplet":
        return _triplet_words(item, words)
    most = MOST_CHARS if item.kind == "question" else MOST_NAME_CHARS
    if item.kind == "question" and (not key_of(words[0]) or len(words[0]) > most):
        message = f"This is not a question that could be kept: {words[0][:80]!r}."
        raise InputError(message, cure=f"Write one of at most {most} characters.")
    if item.kind == "theme" and not 0 < len(words[0].strip()) <= most:
        message = "A theme has a name."
        raise InputError(message, cure=f"Write one of at most {most} characters.")
    return words


def _triplet_words(item: ReviewItem, words: Sequence[str]) -> tuple[str, ...]:
    short = all(len(word) <= MOST_NAME_CHARS for word in words)
    made = keyed(Said(*words), item.span or (0, 0), item.language) if short else None
    if made is None:
        message = "A triplet has a subject, a predicate and another thing as object."
        raise InputError(message, cure=f"Give three texts of at most {MOST_NAME_CHARS} characters each.")
    return made.subject, made.predicate, made.object

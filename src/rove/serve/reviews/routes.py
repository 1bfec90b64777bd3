"""Routes of expert review. Who may add to a space may decide in it, about what stands in documents that they see."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from rove.evaluate.agreement import reviewers_agreement
from rove.records.reviewed import REVIEW_KINDS, ReviewKind, document_of_review
from rove.serve.context import CallerViewIn
from rove.serve.documents.care import seen_documents
from rove.serve.page import Cursor, Limit, page
from rove.serve.reviews.schema import AgreementOut, DecisionOut, ReviewIn, ReviewItemOut, ReviewsOut

router = APIRouter(prefix="/v1/spaces/{space}/reviews", tags=["reviews"])


@router.get("/queue")
async def queue(
    view: CallerViewIn,
    kind: Annotated[list[ReviewKind] | None, Query(max_length=len(REVIEW_KINDS))] = None,
    most: Annotated[int, Query(ge=1, le=200)] = 50,
) -> list[ReviewItemOut]:
    """What waits for the caller's review: what nobody has decided about first, and of that the least sure."""
    view.require("read")
    found = await view.kb.review_queue(by=view.caller.name, kinds=kind or (), most=most, where=view.where())
    return [ReviewItemOut.of(item) for item in found]


@router.post("", status_code=204)
async def decide(wanted: ReviewIn, view: CallerViewIn) -> Response:
    """Accept, edit or reject a thing, in the caller's name. The latest decision is in force; all are kept."""
    view.require("add")
    await view.document(document_of_review(wanted.item_id))
    await view.kb.review(wanted.item_id, wanted.verdict, wanted.edit, by=view.caller.name, where=view.where())
    return Response(status_code=204)


@router.get("")
async def decided(view: CallerViewIn, cursor: Cursor = 0, limit: Limit = 200) -> ReviewsOut:
    """What was decided about documents that the caller sees, in the order in which it was, and how far people agree."""
    view.require("read")
    made = await view.kb.reviews()
    seen = {info.document_id for info in await seen_documents(view, sorted({one.document_id for one in made}))}
    made = [one for one in made if one.document_id in seen]
    some, following = page(made[cursor:], cursor, limit)
    agreement = await asyncio.to_thread(reviewers_agreement, made)
    told = {name: getattr(agreement, name) for name in AgreementOut.model_fields}
    decisions = [DecisionOut.model_validate(asdict(one)) for one in some]
    return ReviewsOut(decisions=decisions, next_cursor=following, agreement=AgreementOut(**told))

"""Conversations: begun, listed, searched, read, renamed, deleted; asked in, judged, exported."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from rove.serve.context import CallerViewIn, ServerContextIn
from rove.serve.conversations.exported import ENDINGS, MEDIA_TYPES, Format, exported
from rove.serve.conversations.kept import CallerConversations
from rove.serve.conversations.schema import (
    ConversationIn,
    ConversationList,
    ConversationOut,
    ConversationTold,
    ConversationTurnIn,
    EntryOut,
    FeedbackIn,
    TitleIn,
)
from rove.serve.questions.schema import Delta
from rove.serve.streams import EVENT_STREAM, Told, events, wants_events, while_connected

router = APIRouter(prefix="/v1/spaces/{space}/conversations", tags=["conversations"])
STREAMED: dict[int | str, dict[str, Any]] = {200: {"content": {EVENT_STREAM: {}}}}


async def conversing(view: CallerViewIn, server: ServerContextIn) -> CallerConversations:
    """The caller's conversations in the space that the path names."""
    return CallerConversations(view, server)


ConversingIn = Annotated[CallerConversations, Depends(conversing)]
Number = Annotated[int, Path(ge=1, le=10**9)]


@router.get("")
async def listed(
    talks: ConversingIn,
    query: Annotated[str, Query(max_length=200)] = "",
    cursor: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> ConversationList:
    """The caller's conversations, the latest first; with `query` those whose title or questions have its words."""
    found, following = await talks.listed(query, cursor, limit)
    return ConversationList(conversations=[ConversationOut.of(one) for one in found], next_cursor=following)


@router.post("", status_code=201)
async def begin(wanted: ConversationIn, talks: ConversingIn) -> ConversationOut:
    """Begin a conversation. It is its caller's own: nobody else sees it."""
    return ConversationOut.of(await talks.begin(wanted.title))


@router.get("/{conversation_id}")
async def told(conversation_id: str, talks: ConversingIn) -> ConversationTold:
    """A conversation with its turns, as far as the caller may see by now what they rest on."""
    return await _load_conversation_out(conversation_id, talks)


@router.post("/{conversation_id}")
async def rename(conversation_id: str, wanted: TitleIn, talks: ConversingIn) -> ConversationOut:
    """Give a conversation another title."""
    return ConversationOut.of(await talks.rename(conversation_id, wanted.title))


@router.delete("/{conversation_id}", status_code=204)
async def forget(conversation_id: str, talks: ConversingIn) -> Response:
    """Delete a conversation; its bytes leave the disk. Walks that were begun in it stay."""
    await talks.forget(conversation_id)
    return Response(status_code=204)


@router.post("/{conversation_id}/turns", response_model=EntryOut, responses=STREAMED)
async def ask(
    conversation_id: str, wanted: ConversationTurnIn, talks: ConversingIn, server: ServerContextIn, request: Request
) -> Response | EntryOut:
    """Ask in a conversation, one question at a time. The question is kept before it is answered.

    What goes wrong while it is answered stands in the turn, whose state is then "failed". A walk goes on by the routes
    of walks.
    """
    await talks.check(conversation_id, wanted)
    if wanted.stream or wants_events(request):
        return events(_conversation_turn_events(talks, conversation_id, wanted), server)
    return await while_connected(request, _ask_for_entry(talks, conversation_id, wanted))


@router.post("/{conversation_id}/turns/{number}/feedback")
async def judge(conversation_id: str, number: Number, wanted: FeedbackIn, talks: ConversingIn) -> EntryOut:
    """Say whether an answer was good; "" takes that back.

    What is said goes to whoever runs the lab, with the question; not from keys that see some documents only.
    """
    return await talks.judge(conversation_id, number, wanted)


@router.get(
    "/{conversation_id}/export",
    response_class=Response,
    responses={200: {"content": {"text/markdown": {}, "application/json": {}}}},
)
async def export(
    conversation_id: str, talks: ConversingIn, form: Annotated[Format, Query(alias="format")] = "markdown"
) -> Response:
    """A conversation as one file: what the caller may see of it by now."""
    text = await asyncio.to_thread(exported, await _load_conversation_out(conversation_id, talks), form)
    headers = {"Content-Disposition": f'attachment; filename="conversation-{conversation_id}.{ENDINGS[form]}"'}
    return Response(text.encode("utf-8", "replace"), media_type=MEDIA_TYPES[form], headers=headers)


async def _load_conversation_out(conversation_id: str, talks: CallerConversations) -> ConversationTold:
    info, entries = await talks.get(conversation_id), await talks.told(conversation_id)
    return ConversationTold(**ConversationOut.of(info).model_dump(), entries=entries)


async def _ask_for_entry(talks: CallerConversations, conversation_id: str, wanted: ConversationTurnIn) -> EntryOut:
    async with aclosing(talks.ask(conversation_id, wanted)) as pieces:
        return [piece async for piece in pieces if isinstance(piece, EntryOut)][0]


async def _conversation_turn_events(
    talks: CallerConversations, conversation_id: str, wanted: ConversationTurnIn
) -> Told:
    async with aclosing(talks.ask(conversation_id, wanted)) as pieces:
        async for piece in pieces:
            if isinstance(piece, str):
                yield "delta", Delta(text=piece)
            else:
                yield "entry", piece

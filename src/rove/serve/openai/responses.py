"""Responses, the newer shape of OpenAI's API: one at once, or told as its events."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from dataclasses import dataclass
from itertools import count
from secrets import token_hex

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from rove.errors import InputError, RoveError
from rove.serve.admission.middleware import caller_of
from rove.serve.context import ServerContextIn
from rove.serve.openai.links import Links
from rove.serve.openai.responses_schema import (
    Incomplete,
    OutputMessage,
    OutputText,
    ResponseIn,
    ResponseOut,
    ResponseUsage,
    Status,
    TextAnnotation,
)
from rove.serve.openai.turn import Turned, TurnReply
from rove.serve.problems import openai_error, problem_of
from rove.serve.questions.results import NoteOut
from rove.serve.streams import stream, while_connected

router = APIRouter(prefix="/v1", tags=["openai"])
KEPT = ("previous_response_id", "conversation", "background")


@router.post("/responses", response_model=ResponseOut)
async def responses(wanted: ResponseIn, request: Request, server: ServerContextIn) -> Response | ResponseOut:
    """Answer a question from the space that `model` names, in the tone that the instructions wish."""
    wanted = wanted.model_copy(update={"model": server.spaces.named_by_model(wanted.model)})
    view = server.spaces.view(wanted.model, caller_of(request.scope))
    view.require("read")
    for name in KEPT:
        if getattr(wanted, name):
            message = f"`{name}` refers to what a server keeps, and nothing of a response is kept here."
            raise InputError(message, cure="Send the whole conversation as `input`.")
    links = Links.of(request, server, view.space)
    turn = Turned(server, view, wanted.said, links, wanted.notes, wanted.as_json).checked()
    made = _Made(wanted, f"resp_{token_hex(16)}", f"msg_{token_hex(16)}", int(time.time()))
    if wanted.stream:
        return stream(_stream_response_events(turn, made), server)
    return made.response(await while_connected(request, turn.replied()))


@dataclass(frozen=True, slots=True)
class _Made:
    """A response that is made: its ids, and what it looks like before and after."""

    wanted: ResponseIn
    response_id: str
    message_id: str
    created_at: int

    def response(self, replied: TurnReply | None = None) -> ResponseOut:
        """The response; before anything of it is there without one."""
        wanted = self.wanted
        status: Status = "in_progress" if replied is None else "incomplete" if replied.cut else "completed"
        return ResponseOut(
            id=self.response_id,
            created_at=self.created_at,
            status=status,
            incomplete_details=Incomplete() if status == "incomplete" else None,
            instructions=wanted.instructions,
            model=wanted.model,
            output=[self.message(replied)] if replied else [],
            metadata=wanted.metadata or {},
            usage=ResponseUsage.of(replied.usage) if replied else None,
            citations=list(replied.citations) if replied else [],
            nearest=list(replied.nearest) if replied else [],
            note=replied.note if replied else "",
            notes=NoteOut.all(replied.notes) if replied else [],
        )

    def message(self, replied: TurnReply | None = None) -> OutputMessage:
        """The one message of it."""
        if replied is None:
            return OutputMessage(id=self.message_id, status="in_progress", content=[])
        status: Status = "incomplete" if replied.cut else "completed"
        return OutputMessage(id=self.message_id, status=status, content=[_output_text_from_reply(replied)])


def _output_text_from_reply(replied: TurnReply) -> OutputText:
    sources = [TextAnnotation(**source.model_dump()) for source in replied.sources]
    return OutputText(text=replied.text, annotations=sources)


async def _stream_response_events(turn: Turned, made: _Made) -> AsyncGenerator[bytes]:
    numbers = count()

    def event(kind: str, **fields: object) -> bytes:
        told = {
            name: one.model_dump(mode="json") if isinstance(one, BaseModel) else one for name, one in fields.items()
        }
        data = json.dumps({"type": kind, "sequence_number": next(numbers), **told}, ensure_ascii=False)
        return f"event: {kind}\ndata: {data}\n\n".encode("utf-8", "replace")

    at = {"item_id": made.message_id, "output_index": 0, "content_index": 0}

    def ended(replied: TurnReply) -> Iterator[bytes]:
        text = _output_text_from_reply(replied)
        for place, source in enumerate(text.annotations):
            yield event("response.output_text.annotation.added", **at, annotation_index=place, annotation=source)
        yield event("response.output_text.done", **at, text=text.text, logprobs=[])
        yield event("response.content_part.done", **at, part=text)
        yield event("response.output_item.done", output_index=0, item=made.message(replied))
        whole = made.response(replied)
        yield event(f"response.{whole.status}", response=whole)

    yield event("response.created", response=made.response())
    yield event("response.in_progress", response=made.response())
    yield event("response.output_item.added", output_index=0, item=made.message())
    yield event("response.content_part.added", **at, part=OutputText(text=""))
    try:
        async with aclosing(turn.pieces()) as pieces:
            async for told in pieces:
                if isinstance(told, str):
                    yield event("response.output_text.delta", **at, delta=told, logprobs=[])
                    continue
                for one in ended(told):
                    yield one
    except RoveError as error:
        problem = openai_error(problem_of(error))  # `error` is what clients raise
        yield event("error", **{name: problem[name] for name in ("code", "message", "param")}, error=problem)

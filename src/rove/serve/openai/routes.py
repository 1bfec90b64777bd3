"""An OpenAI-shaped face: a space is a model, so that any client of that API can ask it.

A streamed answer comes sentence by sentence, each once it has passed its check. Until then it gets comments, which
keep the connection open.
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from secrets import token_hex
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from rove.errors import RoveError
from rove.serve.admission.middleware import caller_of
from rove.serve.context import ServerContextIn
from rove.serve.openai.links import Links
from rove.serve.openai.schema import (
    ChunkChoice,
    Completion,
    CompletionChoice,
    CompletionChunk,
    CompletionIn,
    FinishReason,
    ModelList,
    ModelOut,
    UsageOut,
    WrittenMessage,
    annotations_of,
)
from rove.serve.openai.turn import Turned
from rove.serve.problems import openai_error, problem_of
from rove.serve.questions.results import NoteOut
from rove.serve.streams import stream, while_connected

router = APIRouter(prefix="/v1", tags=["openai"])
DONE = b"data: [DONE]\n\n"


@router.get("/models")
async def models(request: Request, server: ServerContextIn) -> ModelList:
    """List the spaces of this key, as models."""
    return ModelList(data=[ModelOut(id=name) for name in server.spaces.visible(caller_of(request.scope))])


@router.get("/models/{model}")
async def model(model: str, request: Request, server: ServerContextIn) -> ModelOut:
    """One space, as a model."""
    return ModelOut(id=server.spaces.get(model, caller_of(request.scope)).name)


@router.post("/chat/completions", response_model=Completion)
async def completions(wanted: CompletionIn, request: Request, server: ServerContextIn) -> Response | Completion:
    """Answer the user's last message from the space that `model` names, in the tone that the system prompt wishes."""
    wanted = wanted.model_copy(update={"model": server.spaces.named_by_model(wanted.model)})
    view = server.spaces.view(wanted.model, caller_of(request.scope))
    links = Links.of(request, server, view.space)
    turn = Turned(server, view, wanted.said, links, wanted.notes, wanted.as_json).checked()
    head = f"chatcmpl-{token_hex(12)}", int(time.time())
    if wanted.stream:
        return stream(_stream_completion_chunks(turn, wanted, head), server)
    replied = await while_connected(request, turn.replied())
    message = WrittenMessage(
        role="assistant",
        content=replied.text,
        reasoning_content=replied.thoughts or None,
        annotations=annotations_of(replied.sources) or None,
    )
    return Completion(
        id=head[0],
        created=head[1],
        model=wanted.model,
        choices=[CompletionChoice(message=message, finish_reason="length" if replied.cut else "stop")],
        usage=UsageOut.of(replied.usage),
        citations=list(replied.citations),
        nearest=list(replied.nearest),
        note=replied.note,
        notes=NoteOut.all(replied.notes),
    )


async def _stream_completion_chunks(turn: Turned, wanted: CompletionIn, head: tuple[str, int]) -> AsyncGenerator[bytes]:
    def made(**fields: Any) -> bytes:  # noqa: ANN401 - fields of the piece
        chunk = CompletionChunk(id=head[0], created=head[1], model=wanted.model, **fields)
        told = {name: one for name, one in chunk.model_dump(mode="json").items() if one is not None}
        for one in told["choices"]:
            one["delta"] = {name: part for name, part in one["delta"].items() if part is not None}
        if wanted.includes_usage:
            told.setdefault("usage", None)
        return f"data: {json.dumps(told, ensure_ascii=False)}\n\n".encode("utf-8", "replace")

    def choice(reason: FinishReason | None = None, **written: Any) -> list[ChunkChoice]:  # noqa: ANN401 - of a message
        return [ChunkChoice(index=0, delta=WrittenMessage(**written), finish_reason=reason)]

    yield made(choices=choice(role="assistant", content=""))
    try:
        async with aclosing(turn.pieces()) as pieces:
            async for told in pieces:
                if isinstance(told, str):
                    yield made(choices=choice(content=told))
                    continue
                beside = {
                    "annotations": annotations_of(told.sources) or None,
                    "reasoning_content": told.thoughts or None,
                }
                yield made(
                    choices=choice("length" if told.cut else "stop", **beside),
                    citations=list(told.citations),
                    nearest=list(told.nearest),
                    note=told.note,
                    notes=NoteOut.all(told.notes),
                )
                if wanted.includes_usage:
                    yield made(choices=[], usage=UsageOut.of(told.usage))
                yield DONE
    except RoveError as error:
        problem = json.dumps({"error": openai_error(problem_of(error))}, ensure_ascii=False)
        yield f"data: {problem}\n\n".encode("utf-8", "replace")

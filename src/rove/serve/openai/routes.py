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

from fastapi import APIRouter, Request
from starlette.responses import Response

from rove.errors import InputError, RoveError
from rove.records import Answer
from rove.serve.admission.middleware import caller_of
from rove.serve.caller_view import CallerView
from rove.serve.context import ServerContext, ServerContextIn
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
)
from rove.serve.problems import openai_error, problem_of
from rove.serve.questions.asking import AnswerAndUsage, answering, asked, check_question
from rove.serve.questions.results import CitationOut, HitOut
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
    """Answer the user's last message from the space that `model` names."""
    view = server.spaces.view(wanted.model, caller_of(request.scope))
    view.require("read")
    if not wanted.question.strip():
        message = "There is no message of the user's with text."
        raise InputError(message, cure='Send one with the role "user".')
    check_question(wanted.question, server)
    head = f"chatcmpl-{token_hex(12)}", int(time.time())
    if wanted.stream:
        return stream(_streamed(server, view, wanted, head), server)
    answered = await while_connected(request, asked(server, view, wanted.question, history=wanted.history))
    message = WrittenMessage(role="assistant", content=answered.answer.text)
    return Completion(
        id=head[0],
        created=head[1],
        model=wanted.model,
        choices=[CompletionChoice(message=message, finish_reason=_finish_reason(answered.answer))],
        usage=UsageOut.of(answered.usage),
        citations=_citations(answered),
        nearest=_nearest(answered),
        note=answered.answer.note,
    )


async def _streamed(
    server: ServerContext, view: CallerView, wanted: CompletionIn, head: tuple[str, int]
) -> AsyncGenerator[bytes]:
    def piece(written: WrittenMessage, answered: AnswerAndUsage | None = None) -> bytes:
        choice = ChunkChoice(delta=written, finish_reason=_finish_reason(answered.answer) if answered else None)
        made = CompletionChunk(
            id=head[0],
            created=head[1],
            model=wanted.model,
            choices=[choice],
            usage=UsageOut.of(answered.usage) if answered else None,
            citations=_citations(answered) if answered else None,
            nearest=_nearest(answered) if answered else None,
            note=answered.answer.note if answered else None,
        )
        return f"data: {made.model_dump_json(exclude_none=not answered)}\n\n".encode()

    yield piece(WrittenMessage(role="assistant", content=""))
    sent = 0
    try:
        async with aclosing(answering(server, view, wanted.question, history=wanted.history)) as pieces:
            async for told in pieces:
                if isinstance(told, str):
                    sent += len(told)
                    yield piece(WrittenMessage(content=told))
                else:
                    yield piece(WrittenMessage(content=told.answer.text[sent:]))
                    yield piece(WrittenMessage(), told)
                    yield DONE
    except RoveError as error:
        problem = json.dumps({"error": openai_error(problem_of(error))}, ensure_ascii=False)
        yield f"data: {problem}\n\n".encode("utf-8", "replace")


def _finish_reason(answer: Answer) -> FinishReason:
    return "length" if answer.cut else "stop"


def _citations(answered: AnswerAndUsage) -> list[CitationOut]:
    return [CitationOut.of(citation) for citation in answered.answer.citations]


def _nearest(answered: AnswerAndUsage) -> list[HitOut]:
    return [HitOut.of(hit) for hit in answered.answer.nearest]

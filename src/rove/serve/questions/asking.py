"""Asking over the wire: questions within bounds, answers told as they come, tokens counted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from rove.events import Event, Listener, TextDelta, ignore
from rove.models.usage import Usage, metered
from rove.records import Answer, Filter, History, Response
from rove.serve.caller_view import START, CallerView
from rove.serve.context import ServerContext
from rove.serve.problems import TooLargeError
from rove.serve.questions.results import AnswerOut
from rove.serve.questions.schema import Delta
from rove.serve.streams import Told


@dataclass(frozen=True, slots=True)
class AnswerAndUsage:
    """An answer, with how the question was understood, and what it cost."""

    response: Response
    usage: Usage

    @property
    def answer(self) -> Answer:
        """The answer."""
        return self.response.answer


def check_question(question: str, server: ServerContext) -> None:
    """Refuse a question that is too long.

    Raises:
        TooLargeError: it is.
    """
    limit = server.settings.max_question_chars
    if len(question) > limit:
        message = f"The question has {len(question)} characters; {limit} are read."
        raise TooLargeError(message, cure="Shorten it, or raise serve.max_question_chars.")


async def asked(
    server: ServerContext,
    view: CallerView,
    question: str,
    *,
    history: History = START,
    where: Filter | None = None,
    listener: Listener = ignore,
) -> AnswerAndUsage:
    """Have a question answered. Raises as `CallerView.respond` and `check_question` do."""
    check_question(question, server)
    with metered() as meter:
        response = await view.respond(question, history=history, where=where, listener=listener)
    server.journal.note_usage(meter.usage)
    return AnswerAndUsage(response, meter.usage)


async def answering(
    server: ServerContext, view: CallerView, question: str, *, history: History = START, where: Filter | None = None
) -> AsyncGenerator[str | AnswerAndUsage]:
    """Yield the text's sentences as they pass, then the answer, which begins so. Ended early, it cancels the model."""
    pieces: asyncio.Queue[str | None] = asyncio.Queue()

    def listen(event: Event) -> None:
        if isinstance(event, TextDelta):
            pieces.put_nowait(event.text)

    task = asyncio.create_task(asked(server, view, question, history=history, where=where, listener=listen))
    task.add_done_callback(lambda _: pieces.put_nowait(None))
    try:
        while (piece := await pieces.get()) is not None:
            yield piece
        yield await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def told(
    server: ServerContext, view: CallerView, question: str, *, history: History = START, where: Filter | None = None
) -> Told:
    """Yield a `delta` for each piece of `answering`, then the `answer`."""
    async with aclosing(answering(server, view, question, history=history, where=where)) as pieces:
        async for piece in pieces:
            if isinstance(piece, str):
                yield "delta", Delta(text=piece)
            else:
                yield "answer", AnswerOut.of(piece.answer)

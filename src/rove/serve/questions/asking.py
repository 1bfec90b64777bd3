"""Asking over the wire: questions within bounds, answers told as they come, tokens counted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace

from rove.events import Event, Listener, TextDelta, ignore
from rove.models.usage import Usage, metered
from rove.records import Answer, Filter, History, Understood
from rove.serve.caller_view import START, CallerView
from rove.serve.context import ServerContext
from rove.serve.problems import TooLargeError
from rove.serve.questions.results import answer_out
from rove.serve.questions.schema import Delta
from rove.serve.redaction import without_places
from rove.serve.streams import Told


@dataclass(frozen=True, slots=True)
class AnswerAndUsage:
    """An answer, how its question was understood (None: it was given with tools), and what it cost."""

    answer: Answer
    understood: Understood | None
    usage: Usage


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
    profile: Mapping[str, object] | None = None,
    listener: Listener = ignore,
) -> AnswerAndUsage:
    """Have a question answered; with tools where there is a `profile`, be it empty.

    Raises as `CallerView.respond`, `CallerView.ask_with_tools` and `check_question` do.
    """
    check_question(question, server)
    understood = None
    with metered() as meter:
        if profile is None:
            response = await view.respond(question, history=history, where=where, listener=listener)
            answer, understood = response.answer, response.understood
        else:
            answer = await view.ask_with_tools(
                question, history=history, profile=profile, where=where, listener=listener
            )
            answer = replace(answer, notes=tuple(note.changed(without_places) for note in answer.notes))
    server.journal.note_usage(meter.usage)
    return AnswerAndUsage(answer, understood, meter.usage)


async def answering(
    server: ServerContext,
    view: CallerView,
    question: str,
    *,
    history: History = START,
    where: Filter | None = None,
    profile: Mapping[str, object] | None = None,
) -> AsyncGenerator[str | AnswerAndUsage]:
    """Yield the text's sentences as they pass, then the answer, which begins so. Ended early, it cancels the model."""
    pieces: asyncio.Queue[str | None] = asyncio.Queue()

    def listen(event: Event) -> None:
        if isinstance(event, TextDelta):
            pieces.put_nowait(event.text)

    asking = asked(server, view, question, history=history, where=where, profile=profile, listener=listen)
    task = asyncio.create_task(asking)
    task.add_done_callback(lambda _: pieces.put_nowait(None))
    try:
        while (piece := await pieces.get()) is not None:
            yield piece
        yield await task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def answer_events(
    server: ServerContext,
    view: CallerView,
    question: str,
    *,
    history: History = START,
    where: Filter | None = None,
    profile: Mapping[str, object] | None = None,
) -> Told:
    """Yield a `delta` for each piece of `answering`, then the `answer`."""
    async with aclosing(answering(server, view, question, history=history, where=where, profile=profile)) as pieces:
        async for piece in pieces:
            if isinstance(piece, str):
                yield "delta", Delta(text=piece)
            else:
                yield "answer", await answer_out(piece.answer)

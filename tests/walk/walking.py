"""What tests of whole walks share: a small town of documents, and a model behind HTTP that reads by simple rules."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from openai_server import Reply, Server, chat, serve
from rove.engine import AsyncRove
from rove.records import Answer, Text
from rove.records.walk_events import Budget, FactFound, WalkEvent
from rove.walk.handle import AsyncWalk

QUESTION = "On which river lies the birthplace of the founder of Acme?"
TOWN = {
    "acme": "Acme makes shoes. The founder of Acme is Ada Byron, a cobbler. Acme employs 90 people.",
    "byron": "Ada Byron learned her trade in York. Ada Byron was born in Netherby. She had two brothers.",
    "netherby": "Netherby is a village of 300 souls. Netherby lies on the river Teme. It has a fair in May.",
    "carter": "Ida Carter learned her trade in Hull. Ida Carter was born in Overby. She had no brothers.",
    "overby": "Overby is a village of 500 souls. Overby has a church. It has no fair.",
}
HOPS = ("The founder of Acme is Ada Byron", "Ada Byron was born in Netherby", "Netherby lies on the river Teme")
FILLERS = [
    Text(f"Notes on parish {i}: the barn of parish {i} was painted in {1900 + i}, and the harvest was dry.", id=f"x{i}")
    for i in range(40)
]
SETTINGS: dict[str, object] = {
    "embedder": {"name": "fake"},
    "store": {"index": "memory"},
    "walk": {"first_chunks": 1, "lead_chunks": 1, "leads": 2},
}
REFERENCE = re.compile(r"⟦(\S+)\n(.*?)\n\1⟧", re.DOTALL)
SENTENCE = re.compile(r"[^.。]+[.。]")


def kind_of(request: Mapping[str, object]) -> str:
    """What the walk asks for: "Notes", "Verdict", or "" for the answer."""
    form = request.get("response_format") or {}
    return form.get("json_schema", {}).get("name", "")  # pyright: ignore


def prompt_of(request: Mapping[str, object]) -> str:
    return request["messages"][-1]["content"]  # pyright: ignore


@dataclass
class Reader:
    """A model that notes the sentences that hold one of its `marks`, with where to look next: mark → next source.

    It finds it enough once a fact holds `goal`, and answers with the sentences that it was shown, cited.
    """

    marks: Mapping[str, str]
    goal: str
    asked: list[str] = field(default_factory=list)

    def __call__(self, request: Mapping[str, object]) -> Reply:
        kind, prompt = kind_of(request), prompt_of(request)
        self.asked.append(kind)
        if kind == "Notes":
            return chat(*cut(json.dumps({"facts": self.notes(prompt)}, ensure_ascii=False)))
        if kind == "Verdict":
            enough = self.goal in prompt
            return chat(json.dumps({"enough": enough, "missing": "", "reason": "it is said" if enough else "not yet"}))
        return chat(" ".join(self.sentences(prompt)) or "Nothing.")

    def notes(self, prompt: str) -> list[dict[str, object]]:
        return [
            {"fact": text, "relevance": 0.9, "reference": int(name), "next_source": leads_to, "expected_info": ""}
            for name, body in REFERENCE.findall(prompt)
            if name.isdecimal()
            for text in map(str.strip, SENTENCE.findall(body))
            for mark, leads_to in self.marks.items()
            if mark in text
        ]

    def sentences(self, prompt: str) -> list[str]:
        return [
            f"{text.strip()} [{name}]" for name, body in REFERENCE.findall(prompt) for text in SENTENCE.findall(body)
        ]


def founder_reader() -> Reader:
    return Reader({HOPS[0]: "Ada Byron", HOPS[1]: "Netherby", HOPS[2]: ""}, HOPS[2])


def cut(text: str, size: int = 24) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


@asynccontextmanager
async def town(
    folder: Path, *script: Reply | Callable[[dict], Reply], texts: Sequence[Text] = (), **settings: object
) -> AsyncIterator[tuple[AsyncRove, Server]]:
    """A base of the town's documents (or `texts`), with a scripted chat model."""
    async with serve(*script) as server:
        chat_settings = {"model": "scripted", "base_url": server.url, "timeout_s": 2, "retries": 0}
        merged = SETTINGS | {"chat": chat_settings | dict(settings.pop("chat", {}))} | settings  # pyright: ignore
        async with AsyncRove.open(folder, **merged) as kb:
            given = texts or [Text(text, id=name, title=name.title()) for name, text in TOWN.items()]
            await kb.add([*given, *FILLERS])
            yield kb, server


async def told(walk: AsyncWalk) -> tuple[Answer, list[WalkEvent]]:
    events = [event async for event in walk]
    assert walk.answer is not None
    return walk.answer, events


def facts_of(events: list[WalkEvent]) -> list[str]:
    """The facts, in their order, each once: a chain that goes through one tells it again, with what it answers."""
    return list(dict.fromkeys(event.fact.text for event in events if isinstance(event, FactFound)))


async def check_citations(kb: AsyncRove, answer: Answer) -> None:
    """Every citation's words stand in the live text, exactly there."""
    for citation in answer.citations:
        assert (await kb.text(citation.document_id))[slice(*citation.span)] == citation.quote


NO_BUDGET = Budget(rounds=6, calls=0, tokens=0, seconds=0)

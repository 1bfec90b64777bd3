"""A small base with a chain of three documents, and chat models that are scripted in Python."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path

import pytest
from pydantic import BaseModel

from rove import AsyncRove, Text
from rove.models import CHAT_MODELS
from rove.models.usage import Usage, account
from rove.settings import ChatSettings

QUESTION = "Which water flows by the town where the founder of Acme, the maker of shoes, was born?"
RIVER = "On which river lies the town where Ada Byron of Acme was born?"
CHAIN = (
    Text("Acme Ltd was founded in 1921 by Ada Byron. It sells shoes and boots.", id="acme", title="Acme Ltd"),
    Text("Ada Byron was born in Szeged in 1893. She had two sisters.", id="ada", title="Ada Byron"),
    Text("Szeged lies on the river Tisza. It has a university.", id="szeged", title="Szeged"),
)
FILLER = tuple(Text(f"Note {i} is about trains, rain and number {i * 7}.", id=f"f{i}") for i in range(20))
HOPS: Mapping[str, tuple[str, str, str]] = {
    "Acme Ltd was founded": ("Acme Ltd was founded in 1921 by Ada Byron.", "Ada Byron", "where Ada Byron was born"),
    "Ada Byron was born": ("Ada Byron was born in Szeged in 1893.", "Szeged", "the river on which Szeged lies"),
    "Szeged lies": ("Szeged lies on the river Tisza.", "", ""),
}


def notes_of(prompt: str) -> str:
    """What a good model would note: one fact of the chain for each reference that holds it, and nothing else."""
    facts = []
    for number in range(1, 30):
        _, opened, rest = prompt.partition(f"⟦{number}\n")
        text = rest.partition(f"\n{number}⟧")[0]
        for begin, (fact, source, info) in HOPS.items():
            if opened and begin in text:
                told = {"fact": fact, "relevance": 0.8, "reference": number}
                facts.append({**told, "next_source": source, "expected_info": info})
    return json.dumps({"facts": facts}, ensure_ascii=False)


def verdict_of(prompt: str) -> str:
    enough = "Tisza" in prompt
    return json.dumps({"enough": enough, "missing": "" if enough else "the river", "reason": "scripted"})


class Scripted:
    """A chat model whose replies are functions of the prompt, by the shape that is asked for. See `ChatModel`."""

    calls: Sequence[str] = ()
    notes: Callable[[str], str] = staticmethod(notes_of)
    verdict: Callable[[str], str] = staticmethod(verdict_of)
    pieces = 12
    delay_s = 0.0

    def __init__(self, settings: ChatSettings | None = None) -> None:
        self.asked: list[str] = []
        self.prompts: list[str] = []
        type(self).last = self

    @property
    def name(self) -> str:
        return "scripted"

    async def stream(
        self, instructions: str, prompt: str, *, shape: type[BaseModel] | None = None
    ) -> AsyncIterator[str]:
        kind = shape.__name__ if shape else "answer"
        self.asked.append(kind)
        self.prompts.append(prompt)
        replies = {"Notes": type(self).notes, "Verdict": type(self).verdict}
        reply = replies[kind](prompt) if shape else "Szeged lies on the river Tisza. [1]"
        size = max(len(reply) // self.pieces, 1)
        for at in range(0, len(reply), size):
            await asyncio.sleep(self.delay_s)
            yield reply[at : at + size]
        account(Usage(1, 100, 20))


Own: type[Scripted] = Scripted


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> type[Scripted]:
    """Makes chat.model = "fake" this model; the class can be given other replies."""

    global Own  # noqa: PLW0603 - the registry finds it by name
    Own = type("Own", (Scripted,), {})
    monkeypatch.setitem(CHAT_MODELS.table, "fake", f"{__name__}:Own")
    return Own


async def opened(path: Path, *, chat: bool = False, **settings: object) -> AsyncRove:
    """A base with the chain and some filler; with `chat`, what `scripted` has made of the fake chat model."""
    model = {"chat": {"model": "fake"}} if chat else {}
    walk = {"first_chunks": 1, "lead_chunks": 1, **settings.pop("walk", {})}
    kb = AsyncRove.open(path, embedder={"name": "fake"}, walk=walk, **model, **settings)
    if not await kb.documents():
        await kb.add([*CHAIN, *FILLER])
    return kb


__all__ = ["CHAIN", "CHAT_MODELS", "FILLER", "QUESTION", "Scripted", "opened"]

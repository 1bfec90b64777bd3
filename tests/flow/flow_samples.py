"""What the tests of flows share: a small base in five languages, and operators that count what they do."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rove import AsyncRove, ServiceError, Text
from rove.flow import FlowContext, operator

DOCUMENTS = {
    "policy": "Remote work is approved by the head of unit. It ends after twelve months.",
    "urlaub": "Der Urlaub wird von der Personalabteilung genehmigt. Er dauert dreißig Tage.",
    "szabadsag": "A szabadságot az osztályvezető engedélyezi. Évente huszonöt nap jár.",
    "jiaqi": "年假由部门主任批准。每年有十五天。",
    "kyuka": "休暇は部長が承認します。年に二十日あります。",
    "river": "The river Elbe rises in the Giant Mountains. It flows into the North Sea near Cuxhaven.",
    "faq": "Q: When does the canteen open?\nA: The canteen opens at eight.\n\nQ: Who cleans it?\nA: The kitchen staff.",
}
QUESTIONS = {
    "en": "Who approves remote work?",
    "de": "Wer genehmigt den Urlaub?",
    "hu": "Ki engedélyezi a szabadságot?",
    "zh": "年假由谁批准?",
    "ja": "休暇は誰が承認しますか?",
}
CALLS: Counter[str] = Counter()


@dataclass(frozen=True, slots=True)
class Counted:
    """A number and a text."""

    count: int
    text: str = ""


async def opened(folder: Path, **settings: object) -> AsyncRove:
    """Open the small base, and fill it where it is empty."""
    kb = AsyncRove.open(folder / "kb", embedder={"name": "fake"}, **settings)
    if not await kb.documents():
        await kb.add(*(Text(text, id=name) for name, text in DOCUMENTS.items()))
    return kb


async def shout(context: FlowContext, *, text: str) -> str:
    """Write a text in capitals."""
    CALLS["shout"] += 1
    return text.upper()


async def words(context: FlowContext, *, text: str) -> list[str]:
    """Split a text."""
    CALLS["words"] += 1
    return text.split()


async def longer(context: FlowContext, *, text: str, by: str = "!") -> Counted:
    """Add to a text."""
    CALLS["longer"] += 1
    return Counted(len(text + by), text + by)


async def join(context: FlowContext, *, parts: Sequence[str], also: str | None = None) -> str:
    """Join texts."""
    return "+".join([*parts, *([also] if also else [])])


async def slow(context: FlowContext, *, text: str, pause_s: float) -> str:
    """Wait, and return the text."""
    try:
        await asyncio.sleep(pause_s)
    except asyncio.CancelledError:
        CALLS["cancelled"] += 1
        raise
    return text


async def broken(context: FlowContext, *, text: str) -> str:
    """Fail, in a way that waiting may mend."""
    CALLS["broken"] += 1
    message = f"The service does not answer to {text!r}."
    raise ServiceError(message, cure="Wait.")


@operator(effects="once")
async def pay(context: FlowContext, *, amount: int) -> int:
    """Do what must not be done twice."""
    CALLS["pay"] += 1
    return amount

"""What labels hide changes no byte of what their key is told: neither by statistics, nor by names, nor by guessing."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaign.worlds import compare, plain, plotted
from sse_starlette import ServerSentEvent

from rove.records import Text
from serve.conftest import Town, towns_at

KINDS = ("Harbour", "Falcon", "Cedar", "Marble")
TITLES = [f"{first} {second}" for first in ["Orion", "Nimbus", "Vesper", "Kestrel", "Tundra"] for second in KINDS]
OTHERS = [f"{first} {second}" for first in ["Zephyr", "Quartz", "Meridian", "Solstice", "Juniper"] for second in KINDS]


@pytest.mark.long
@pytest.mark.parametrize(("seed", "resident_chunks"), [(1, 200_000), (2, 0)], ids=["in memory", "in LanceDB"])
async def test_hidden_documents_change_no_byte(seed: int, resident_chunks: int) -> None:
    result = await compare(plotted(seed, 8, flood=60), resident_chunks=resident_chunks)
    assert result.comparisons > 200
    assert (result.differing, result.examples) == (0, ())


def test_a_reply_that_took_longer_is_the_same_and_one_that_says_something_else_is_not() -> None:
    ping = ServerSentEvent(comment="ping - 2026-11-29 16:25:15.998944+00:00").encode()
    reply, other = (ServerSentEvent(data=text, event="message").encode() for text in ("It takes 7 days.", "8 days."))
    head = b"200 []\n"
    assert plain(head + ping + ping + reply) == plain(head + reply) == head + reply
    assert plain(head + ping + other) != plain(head + reply)


async def guessed(town: Town) -> list[str]:
    """The attack: the key adds a document of each title, and one that names it, and looks how strong the link is."""
    async with town.client("lara") as client:
        strengths: dict[str, float] = {}
        view = town.spaces.view("hr", town.caller("lara"))
        own = {"access": ("staff",)}
        for number, title in enumerate([*TITLES, *OTHERS]):
            named = Text(f"In note n{number} {title} was told of.", id=f"note-{number}", metadata=own)
            await view.kb.add(Text("It is kept in the office.", id=f"own-{number}", title=title, metadata=own), named)
        for number, title in enumerate([*TITLES, *OTHERS]):
            body = {"question": f"note n{number}", "mode": "walk", "top_k": 50}
            hits = (await client.post("/v1/spaces/hr/search", json=body)).json()["hits"]
            strengths[title] = next(hit["score"] for hit in hits if hit["document_id"] == f"own-{number}")
        return sorted(strengths, key=strengths.__getitem__)[: len(TITLES)]


async def test_hidden_titles_cannot_be_guessed(tmp_path: Path) -> None:
    """Twenty titles of hidden documents among forty: the twenty weakest links are the same where none is there."""
    guesses: list[list[str]] = []
    for hidden in (False, True):
        folder = tmp_path / str(hidden)
        folder.mkdir()
        async with towns_at(folder)(filled=False) as town:
            kb = town.spaces._spaces["hr"].kb
            if hidden:
                await kb.add(*(Text("Secret.", id=t, title=t, metadata={"access": ("board",)}) for t in TITLES))
            guesses.append(await guessed(town))
    assert guesses[0] == guesses[1]

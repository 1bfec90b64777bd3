"""Corrections: words that a person has changed stand, are found, and stay when the file is read again."""

from __future__ import annotations

import random
from typing import Any

import httpx
import pytest

from load.samples_pages import pdf_pages, printed
from rove.engine import AsyncRove
from rove.records import Document, Page, Section
from rove.records.correction import Correction, corrected, correction_of, spliced
from rove.records.correction_history import history_of
from serve.conftest import Opener, Town, settled

HR = "/v1/spaces/hr"
NOTE = b"# Rivers\n\nThe Rhine is 1,320 km long. It begins in the Alps.\n\n# Lakes\n\nLake Constance is deep.\n"
PLAN = pdf_pages([[printed(70, 300, "The budget for wolves is in June.")]])


async def upload(client: httpx.AsyncClient, data: bytes, name: str = "note.md") -> dict[str, Any]:
    return await settled(client, "hr", await client.post(f"{HR}/uploads", files=[("files", (name, data))]))


async def line(client: httpx.AsyncClient, words: str) -> dict[str, Any]:
    (found,) = (await client.get(f"{HR}/documents", params={"words": words})).json()["documents"]
    return found


async def text(client: httpx.AsyncClient, document_id: str) -> str:
    return (await client.get(f"{HR}/text", params={"document_id": document_id})).json()["text"]


async def correct(client: httpx.AsyncClient, document_id: str, old: str, new: str) -> httpx.Response:
    """Correct words as the page does: the whole chunk that they stand in is sent."""
    chunks = (await client.get(f"{HR}/chunks", params={"document_id": document_id})).json()["chunks"]
    chunk = next(one for one in chunks if old in one["text"])
    body = {"document_id": document_id, "span": chunk["span"], "before": chunk["text"]}
    return await client.post(f"{HR}/corrections", json={**body, "text": chunk["text"].replace(old, new, 1)})


async def test_a_correction_stands_is_found_and_stays(town: Town) -> None:
    async with town.client("root") as root:
        await upload(root, NOTE)
        rivers = (await line(root, "rivers"))["document_id"]
        assert (await correct(root, rivers, "1,320", "1,233")).status_code == 204
        assert "The Rhine is 1,233 km long. It begins" in await text(root, rivers)
        found = await line(root, "rivers")
        assert found["metadata"]["corrected_by"] == "root"
        assert found["metadata"]["corrected_at"].startswith("20")
        hits = (await root.post(f"{HR}/search", json={"question": "1,233", "mode": "keyword"})).json()["hits"]
        assert [hit["document_id"] for hit in hits] == [rivers]
        whole = await text(root, rivers)
        assert all(whole[slice(*hit["span"])] == hit["text"] for hit in hits)
        (told,) = (await root.get(f"{HR}/corrections", params={"document_id": rivers})).json()
        assert ("1,320" in told["before"], "1,233" in told["after"], told["by"]) == (True, True, "root")
        listed = (await root.get(f"{HR}/documents", params={"corrected": True})).json()["documents"]
        assert [one["document_id"] for one in listed] == [rivers]
        job = await upload(root, NOTE)
        assert job["sources"][0]["unchanged"]
        await settled(root, "hr", await root.post(f"{HR}/reindex", json={"document_ids": [rivers]}))
        assert await text(root, rivers) == whole
        assert (await root.post(f"{HR}/doctor")).json()["problems"] == []


async def test_a_changed_file_keeps_what_still_fits_and_says_what_does_not(town: Town) -> None:
    async with town.client("root") as root:
        await upload(root, NOTE)
        rivers = (await line(root, "rivers"))["document_id"]
        await correct(root, rivers, "1,320", "1,233")
        await correct(root, rivers, "1,233 km long", "1,233 kilometres long")
        await correct(root, rivers, "is deep", "is very deep")
        longer = b"# Seas\n\nThe sea is wide. It is salty, and its waves are high in the winter.\n\n" + NOTE
        job = await upload(root, longer.replace(b"is deep", b"was drained"))
        (end,) = job["sources"]
        assert (end["state"], end["outcome"]) == ("live", "")
        assert "A correction by root was left out" in end["reason"]
        assert "is very deep" in end["reason"]
        whole = await text(root, rivers)
        assert "The Rhine is 1,233 kilometres long." in whole
        assert "was drained" in whole
        assert len((await root.get(f"{HR}/corrections", params={"document_id": rivers})).json()) == 2
        await correct(root, rivers, "was drained", "was not drained")
        assert "1,233 kilometres" in await text(root, rivers)
        assert len((await root.get(f"{HR}/corrections", params={"document_id": rivers})).json()) == 3
        await upload(root, b"# Rivers\n\nNothing of it is left here, and this is another text.")
        assert (await root.get(f"{HR}/corrections", params={"document_id": rivers})).json() == []
        assert "corrected_at" not in (await line(root, "rivers"))["metadata"]


async def take_back(client: httpx.AsyncClient, document_id: str, number: int) -> httpx.Response:
    return await client.post(f"{HR}/corrections/take_back", json={"document_id": document_id, "number": number})


async def test_a_correction_is_taken_back_and_stays_listed(town: Town) -> None:
    async with town.client("root") as root, town.client("lara") as lara:
        await upload(root, NOTE)
        rivers = (await line(root, "rivers"))["document_id"]
        whole = await text(root, rivers)
        await correct(root, rivers, "1,320", "1,233")
        await correct(root, rivers, "The Rhine", "The river Rhine")
        await correct(root, rivers, "in the Alps", "in the high Alps")
        assert (await take_back(root, rivers, 1)).status_code == 204
        now = await text(root, rivers)
        assert "The river Rhine is 1,320 km long. It begins in the high Alps." in now
        told = (await root.get(f"{HR}/corrections", params={"document_id": rivers})).json()
        assert [(one["number"], one["taken_back_by"], one["takes_back"]) for one in told] == [
            (1, 4, None),
            (2, None, None),
            (3, None, None),
            (4, None, 1),
        ]
        assert [now[slice(*one["span"])] for one in told[1:]] == [one["added"] for one in told[1:]]
        again = await take_back(root, rivers, 1)
        assert (again.status_code, again.json()["detail"]) == (
            400,
            "Correction 1 was taken back already, by correction 4.",
        )
        assert (await take_back(root, rivers, 9)).status_code == 400
        await settled(root, "hr", await root.post(f"{HR}/reindex", json={"document_ids": [rivers]}))
        assert await text(root, rivers) == now
        assert (await take_back(lara, "szabadsag", 1)).status_code in (403, 404)
        for number in (2, 3):
            assert (await take_back(root, rivers, number)).status_code == 204
        assert await text(root, rivers) == whole
        assert (await take_back(root, rivers, 4)).status_code == 204
        assert "The Rhine is 1,233 km long. It begins in the Alps." in await text(root, rivers)
        hits = (await root.post(f"{HR}/search", json={"question": "1,233", "mode": "keyword"})).json()["hits"]
        assert [hit["document_id"] for hit in hits] == [rivers]


async def test_new_settings_cut_the_corrected_words(open_town: Opener) -> None:
    async with open_town() as town, town.client("root") as root:
        await upload(root, NOTE)
        rivers = (await line(root, "rivers"))["document_id"]
        await correct(root, rivers, "1,320", "1,233")
    async with open_town(filled=False, chunk={"size_chars": 300}) as town, town.client("root") as root:
        await upload(root, NOTE)
        assert "1,233" in await text(root, rivers)
        exported = [line async for line in town.spaces._spaces["hr"].kb.export()]
        kb = town.spaces._spaces["it"].kb
        await kb.import_(exported)
        (document, _) = await kb.document(rivers)
        assert "1,233" in document.text
        assert document.metadata["corrected_by"] == "root"
        await root.delete(f"{HR}/document", params={"document_id": rivers})
        await upload(root, NOTE)
        assert "1,320" in await text(root, rivers)


async def test_the_pages_of_a_pdf_are_still_drawn(town: Town) -> None:
    async with town.client("root") as root:
        await upload(root, PLAN, "plan.pdf")
        plan = (await line(root, "plan"))["document_id"]
        assert (await correct(root, plan, "wolves", "grey wolves")).status_code == 204
        places = await root.get(f"{HR}/places", params={"document_id": plan, "start": 0, "end": 30})
        assert places.json()["pictures"]
        assert places.json()["boxes"]
        assert (await root.get(f"{HR}/download", params={"document_id": plan})).content == PLAN
        health = (await root.post(f"{HR}/doctor")).json()
        assert (health["originals"], health["problems"]) == (1, [])


async def test_what_has_changed_meanwhile_is_not_written_over(town: Town) -> None:
    async with town.client("root") as root, town.client("lara") as lara:
        body = {"document_id": "urlaub", "span": [0, 3], "before": "Die", "text": "Das"}
        refused = await root.post(f"{HR}/corrections", json=body)
        assert (refused.status_code, refused.json()["detail"]) == (400, "These words do not stand there any more.")
        whole = await text(root, "urlaub")
        blank = {"document_id": "urlaub", "span": [0, len(whole)], "before": whole, "text": " \n"}
        assert (await root.post(f"{HR}/corrections", json=blank)).status_code == 400
        hidden = await lara.post(f"{HR}/corrections", json={**body, "before": "Der"})
        assert hidden.status_code == 404
        assert await text(root, "urlaub") == whole


WORDS = "One two three.\n\n## Four\n\nFive six."
PAGES = Page(1, (0, 15)), Page(2, (15, 34))
WHOLE = Document("d", "s", "markdown", WORDS, sections=(Section("Four", 2, (16, 34)),), pages=PAGES)


def test_places_move_along_with_the_words() -> None:
    made = spliced(WHOLE, (4, 7), "twenty-two")
    assert made.text[slice(*made.sections[0].span)] == "## Four\n\nFive six."
    assert [made.text[slice(*page.span)] for page in made.pages] == [
        "One twenty-two three.\n",
        "\n## Four\n\nFive six.",
    ]
    renamed = spliced(WHOLE, (19, 23), "The fourth")
    assert renamed.sections == (Section("The fourth", 2, (16, 40)),)


@pytest.mark.parametrize(("span", "new"), [((4, 7), "2"), ((0, 3), ""), ((25, 34), "Five."), ((0, 34), "All new.")])
def test_a_correction_is_put_in_once(span: tuple[int, int], new: str) -> None:
    one = correction_of(WHOLE, span, new)
    made, kept = corrected(WHOLE, [one])
    assert made.text == WORDS[: span[0]] + new + WORDS[span[1] :]
    assert kept == [one]
    again, _ = corrected(made, [one])
    assert again is made


def test_one_on_top_of_another_is_not_lost() -> None:
    first = correction_of(WHOLE, (4, 7), "2")
    once, _ = corrected(WHOLE, [first])
    second = correction_of(once, (4, 5), "II")
    made, kept = corrected(WHOLE, [first, second])
    assert (made.text[:13], kept) == ("One II three.", [first, second])
    assert corrected(made, kept)[0] is made


def test_what_was_corrected_again_cannot_be_taken_back_before_that() -> None:
    first = correction_of(WHOLE, (4, 7), "twenty")
    once = spliced(WHOLE, (4, 7), "twenty")
    second = correction_of(once, (6, 9), "ELV")
    assert [one.span for one in history_of([first, second])] == [None, (6, 9)]


@pytest.mark.parametrize("seed", range(20))
def test_every_correction_that_stands_can_be_taken_back_wherever_it_is_by_now(seed: int) -> None:
    """Random changes far from each other, taken back in random order, leave the text as it was."""
    chance = random.Random(seed)
    words = [f"w{number:02}" for number in range(40)]
    document, made = Document("d", "s", "text", "，".join(words)), []
    whole = document.text
    for word in chance.sample(words[::3], 8):
        start = document.text.index(word)
        new = chance.choice(["", "x", "休暇" * 9, word + word, word[:-1]])
        made.append(correction_of(document, (start, start + len(word)), new))
        document = spliced(document, (start, start + len(word)), new)
    while standing := [one for one in history_of(made) if one.span is not None and one.takes_back is None]:
        one = chance.choice(standing)
        assert one.span is not None
        assert document.text[slice(*one.span)] == one.added
        made.append(correction_of(document, one.span, one.removed))
        document = spliced(document, one.span, one.removed)
    assert document.text == whole
    assert corrected(Document("d", "s", "text", whole), made)[0].text == whole


def test_words_that_stand_twice_are_not_guessed() -> None:
    one = Correction("d", 900, "six", "seven")
    assert corrected(Document("d", "s", "text", "six of six"), [one]) == (Document("d", "s", "text", "six of six"), [])


async def test_a_base_of_its_own_index_has_the_new_words_only(tmp_path: Any) -> None:
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}, store={"index": "lancedb"}) as kb:
        (tmp_path / "a.md").write_bytes(NOTE)
        await kb.add(tmp_path / "a.md")
        (info,) = await kb.documents()
        document, _ = await kb.document(info.document_id)
        at = document.text.index("Alps")
        await kb.correct(info.document_id, (at, at + 4), "Alps", "Andes", by="anna")
        hits = await kb.search("Where does the Rhine begin?", mode="semantic")
        assert any("Andes" in hit.chunk.text for hit in hits)
        assert not any("Alps" in hit.chunk.text for hit in hits)
        (entry,) = await kb.ledger()
        assert entry.state == "live"
        assert (await kb.doctor()).ok

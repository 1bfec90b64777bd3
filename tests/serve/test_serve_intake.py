"""Handing in: files, texts and pages become documents; what was acknowledged is not lost; names are only names."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove.serve.documents.spool import JOB, Item, Spool
from rove.serve.documents.upload import safe_name, uri_of
from serve.conftest import Opener, Town, settled

UPLOADS, DOCUMENTS = "/v1/spaces/hr/uploads", "/v1/spaces/hr/documents"
SEARCH = "/v1/spaces/hr/search"


def left(town: Town) -> list[Path]:
    return list((town.spaces._spaces["hr"].kb.settings.path / "incoming").glob("*/*/"))


async def test_files_of_many_kinds_go_in_and_failures_say_why(town: Town) -> None:
    files = [
        ("files", ("Urlaub.md", "# Urlaub\n\nDer Urlaub beträgt dreißig Tage.".encode())),
        ("files", ("休暇.txt", "休暇は三十日です。".encode())),
        ("files", ("leer.txt", b"")),
        ("files", ("bad.pdf", b"%PDF-1.7 broken")),
        ("files", ("table.csv", b"name,days\nAnna,30\n")),
    ]
    async with town.client("anna") as client:
        job = await settled(client, "hr", await client.post(UPLOADS, files=files))
        ends = {source["source"]: source for source in job["sources"]}
        assert {name: end["state"] for name, end in ends.items()} == {
            "Urlaub.md": "live",
            "休暇.txt": "live",
            "leer.txt": "failed",
            "bad.pdf": "failed",
            "table.csv": "live",
        }
        assert ends["leer.txt"]["outcome"] == "empty"
        assert all(ends[name]["cure"] for name in ("leer.txt", "bad.pdf"))
        assert "incoming" not in json.dumps(job)
        hits = (await client.post(SEARCH, json={"question": "Urlaub dreißig Tage"})).json()["hits"]
        assert hits[0]["source"] == "Urlaub.md"
    assert left(town) == []


async def test_system_files_of_a_folder_that_is_dropped_are_left_out(town: Town) -> None:
    names = ["docs › a.txt", "docs › Thumbs.db", "docs › .git › config", "docs › ~$a.docx", "docs › sub › .DS_Store"]
    files = [("files", (name, b"The canteen serves soup.")) for name in names]
    async with town.client("anna") as client:
        job = await settled(client, "hr", await client.post(UPLOADS, files=files))
        assert [source["source"] for source in job["sources"]] == ["docs › a.txt"]
        none = await settled(client, "hr", await client.post(UPLOADS, files=files[1:]))
        assert none["sources"] == []
    assert left(town) == []


async def test_the_same_again_changes_nothing(town: Town) -> None:
    files = [("files", ("a.txt", b"The canteen serves soup."))]
    async with town.client("anna") as client:
        first = await settled(client, "hr", await client.post(UPLOADS, files=files))
        again = await settled(client, "hr", await client.post(UPLOADS, files=files))
        assert (first["sources"][0]["unchanged"], again["sources"][0]["unchanged"]) == (False, True)
        changed = [("files", ("a.txt", b"The canteen serves rice."))]
        await settled(client, "hr", await client.post(UPLOADS, files=changed))
        text = (await client.post(SEARCH, json={"question": "What does the canteen serve?", "top_k": 50})).text
        assert "rice" in text
        assert "soup" not in text


async def test_what_is_empty_when_it_is_handed_in_again_answers_as_it_was(town: Town) -> None:
    async with town.client("anna") as client:
        for data in (b"The canteen serves soup on Mondays.", b""):
            job = await settled(client, "hr", await client.post(UPLOADS, files=[("files", ("menu.txt", data))]))
        [end] = job["sources"]
        assert (end["state"], end["outcome"]) == ("live", "empty")
        [hit] = [
            hit
            for hit in (await client.post(SEARCH, json={"question": "canteen soup Mondays"})).json()["hits"]
            if hit["source"] == "menu.txt"
        ]
        day = hit["as_of"]
        assert len(day) == len("2026-11-01")
        asked = {"question": "What does the canteen serve on Mondays?"}
        answer = (await client.post("/v1/spaces/hr/ask", json=asked)).json()
        answer = answer.get("answer", answer)
        assert f"is as it was on {day}" in answer["note"]
        assert day in {one["as_of"] for sentence in answer["sentences"] for one in sentence["citations"]}


async def test_progress_comes_as_events(town: Town) -> None:
    async with town.client("anna", accept="text/event-stream") as client:
        reply = await client.post(UPLOADS, files=[("files", ("a.txt", b"Soup."))])
    assert reply.status_code == 202
    assert reply.headers["content-type"].startswith("text/event-stream")
    told = [json.loads(line[6:]) for line in reply.text.splitlines() if line.startswith("data: ")]
    assert told[0]["state"] in {"queued", "running"}
    assert {event["job_id"] for event in told} == {told[0]["job_id"]}
    assert told[-1]["state"] == "done"
    assert [source["source"] for event in told for source in event["sources"]] == ["a.txt"]  # each told once


async def test_a_text_is_replaced_under_its_name(town: Town) -> None:
    async with town.client("anna") as client:
        for text in ("The gym opens at six.", "The gym opens at seven."):
            body = {"text": text, "name": "gym", "title": "Gym", "metadata": {"year": 2024, "tags": ["sport"]}}
            await settled(client, "hr", await client.post(DOCUMENTS, json=body))
        where = {"and": [{"field": "year", "op": ">=", "value": 2024}, {"field": "tags", "op": "==", "value": "sport"}]}
        hits = (await client.post(SEARCH, json={"question": "gym", "where": where})).json()["hits"]
        assert [hit["text"] for hit in hits] == ["The gym opens at seven."]


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/x", "http://localhost/x", "http://169.254.169.254/latest"])
async def test_addresses_within_the_house_are_not_fetched(town: Town, url: str) -> None:
    async with town.client("anna") as client:
        job = await settled(client, "hr", await client.post(DOCUMENTS, json={"url": url}))
        assert job["sources"][0]["state"] == "failed"


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "postgresql://localhost/x", "sqlite:////etc/x", "/etc/passwd", "ftp://a/b", "//a"]
)
async def test_only_pages_can_be_named(town: Town, url: str) -> None:
    async with town.client("anna") as client:
        assert (await client.post(DOCUMENTS, json={"url": url})).status_code == 422


async def test_a_form_with_anything_else_is_refused(town: Town) -> None:
    async with town.client("anna") as client:
        for parts in (
            {"data": {"files": "text"}},
            {"files": [("other", ("a.txt", b"x"))]},
            {"files": [("files", ("a.txt", b"x"))], "data": {"path": "/etc"}},
            {"files": [("files", ("a.txt", b"x"))], "data": {"access": "a/b"}},
            {"content": b"no form"},
        ):
            assert (await client.post(UPLOADS, **parts)).status_code == 400, parts
    assert left(town) == []


async def test_what_was_acknowledged_outlives_the_process(open_town: Opener, tmp_path: Path) -> None:
    """The first server never works at the job: as if it had ended right after its reply. The next one does."""
    async with open_town(filled=False) as town, town.client("anna") as client:
        jobs = town.spaces._spaces["hr"].jobs
        await jobs.stop(0)
        jobs._worker = None
        files = [("files", ("plan.md", b"# Plan\n\nThe move is in May."))]
        reply = await client.post(UPLOADS, files=files, data={"access": ["staff"]})
        assert reply.status_code == 202
        unfinished = jobs.spool.begin()  # never acknowledged
        (unfinished.folder / "0").write_bytes(b"half")
        jobs.spool.close()
    async with open_town(filled=False) as town, town.client("lara") as client:
        async with asyncio.timeout(30):
            while left(town):  # noqa: ASYNC110 - the disk is watched
                await asyncio.sleep(0.05)
        hits = (await client.post(SEARCH, json={"question": "When is the move?"})).json()["hits"]
        assert [hit["source"] for hit in hits] == ["plan.md"]


def test_two_processes_share_a_spool(tmp_path: Path) -> None:
    one, other = Spool(tmp_path), Spool(tmp_path)
    draft = one.begin()
    assert other.waiting() == []
    assert draft.folder.is_dir()  # what another fills is left alone
    spooled = one.commit(draft, "anna", [Item("upload:/a", "a", text="A.")])
    assert other.waiting() == []
    one.close()
    (taken,) = other.waiting()
    assert taken.items() == (Item("upload:/a", "a", text="A."),)
    assert (taken.job_id, taken.caller) == (spooled.job_id, "anna")
    assert not spooled.folder.exists()
    assert taken.items()[0].location(taken.folder).text is not None
    taken.done()
    assert not taken.folder.exists()


@pytest.mark.parametrize(
    ("was", "becomes"),
    [(b"damaged", b"damag\xe5d"), (b"damaged", b"damag\x05d"), (b"caller", b"\xe3aller"), (b"{", b"\0")],
)
def test_a_job_that_is_damaged_stays_where_it_is_and_those_beside_it_are_done(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, was: bytes, becomes: bytes
) -> None:
    one, other = Spool(tmp_path), Spool(tmp_path)
    whole = [one.commit(one.begin(), "anna", [Item(f"upload:/{name}", name, text="A.")]) for name in "ab"]
    damaged = one.commit(one.begin(), "damaged", [Item("upload:/c", "c", text="C.")])
    one.close()
    file = damaged.folder / JOB
    file.write_bytes(file.read_bytes().replace(was, becomes, 1))
    assert {job.job_id for job in other.waiting()} == {job.job_id for job in whole}
    assert file.is_file()  # it was acknowledged
    assert [(record.message, vars(record)["job"]) for record in caplog.records] == [
        ("job cannot be read", damaged.job_id)
    ]


@given(st.text(max_size=400))
def test_names_are_names_whatever_is_sent(name: str) -> None:
    safe = safe_name(name)
    assert safe
    assert len(safe) <= 200
    assert safe == Path(safe).name
    assert safe not in {".", ".."}
    assert safe.isprintable()


@given(
    st.lists(st.from_regex(r"[\w.-]{1,8}", fullmatch=True), unique=True, max_size=3),
    st.lists(st.from_regex(r"[\w.-]{1,8}", fullmatch=True), unique=True, max_size=3),
    st.text(max_size=8),
    st.text(max_size=8),
)
def test_uris_of_different_labels_differ(a: list[str], b: list[str], one: str, other: str) -> None:
    if set(a) != set(b):
        assert uri_of(safe_name(one), a) != uri_of(safe_name(other), b)

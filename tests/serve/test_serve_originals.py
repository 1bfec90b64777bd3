"""Originals: what was handed in is shown as pages, to who may see the document, while the document is there."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import subprocess
import sys
from base64 import b64encode
from contextlib import closing
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from load.samples_pages import described_png, pdf_pages, printed
from rove.store.originals import Offered, Originals
from serve.conftest import Opener, Town, settled

HR = "/v1/spaces/hr"
PLAN = pdf_pages([[printed(70, 700, "The move is in May.")], [printed(70, 700, "The budget is in June.")]])
OTHER = pdf_pages([[printed(70, 700, "The move is in July.")]])
DELETE = """
import sys
from rove.sync import Rove
with Rove.open(sys.argv[1], embedder={"name": "fake"}) as kb:
    kb.delete(sys.argv[2])
"""


def base_of(town: Town) -> Path:
    return town.spaces._spaces["hr"].kb.settings.path


def files_of(town: Town) -> list[str]:
    """What lies in the folder of originals."""
    return sorted(path.name for path in (base_of(town) / "originals").glob("*"))


def digest(data: bytes) -> str:
    return sha256(data).hexdigest()


async def hand_in(client: httpx.AsyncClient, data: bytes, name: str = "plan.pdf", *access: str) -> str:
    """Upload a file; returns its document's id."""
    given = {"files": [("files", (name, data))], "data": {"access": list(access)}}
    job = await settled(client, "hr", await client.post(f"{HR}/uploads", **given))
    (end,) = job["sources"]
    assert end["state"] == "live", end
    documents = (await client.get(f"{HR}/documents")).json()["documents"]
    return [one for one in documents if one["source"] == name][-1]["document_id"]


async def places(client: httpx.AsyncClient, document_id: str) -> dict[str, Any]:
    return (await client.get(f"{HR}/places", params={"document_id": document_id, "start": 0, "end": 40})).json()


async def page(client: httpx.AsyncClient, document_id: str, number: int = 1) -> httpx.Response:
    return await client.get(f"{HR}/picture", params={"document_id": document_id, "page": number})


async def test_an_upload_is_shown_as_pages_with_its_boxes(town: Town) -> None:
    async with town.client("root") as client:
        plan = await hand_in(client, PLAN)
        there = await places(client, plan)
        assert (there["pictures"], there["page"], there["pages"]) == (True, 1, 2)
        assert there["boxes"]
        drawn = [await page(client, plan, number) for number in (1, 2)]
        assert [(one.status_code, one.content[:4]) for one in drawn] == [(200, b"\x89PNG")] * 2
        assert drawn[0].content != drawn[1].content
        assert (await page(client, plan, 3)).status_code == 404
        health = (await client.post(f"{HR}/doctor")).json()
        assert (health["originals"], health["problems"]) == (1, [])
    assert files_of(town) == [digest(PLAN)]
    assert not list((base_of(town) / "incoming").glob("*/*/"))


async def test_an_image_is_shown_upright(town: Town) -> None:
    turned = Image.open(BytesIO(described_png()))
    exif = turned.getexif()
    exif[0x0112] = 6  # held on its side
    exif[270] = "Five wolves in the snow"
    out = BytesIO()
    turned.save(out, "PNG", exif=exif)
    async with town.client("root") as client:
        wolves = await hand_in(client, out.getvalue(), "wolves.png")
        assert (await places(client, wolves))["pictures"]
        drawn = Image.open(BytesIO((await page(client, wolves)).content))
        assert drawn.size == (30, 40)


async def test_only_who_may_see_the_document_sees_its_pages(town: Town) -> None:
    async with town.client("mira") as mira, town.client("lara") as lara, town.client("otto") as otto:
        plan = await hand_in(mira, PLAN, "plan.pdf", "board")
        assert (await page(mira, plan)).status_code == 200
        for stranger in (lara, otto):
            for route in ("picture", "places"):
                hidden = await stranger.get(f"{HR}/{route}", params={"document_id": plan})
                absent = await stranger.get(f"{HR}/{route}", params={"document_id": "nothing"})
                assert hidden.status_code == absent.status_code == 404
                assert hidden.json() == absent.json()


async def test_the_same_bytes_lie_there_once_and_go_with_the_last_document(town: Town) -> None:
    async with town.client("mira") as client:
        staff = await hand_in(client, PLAN, "plan.pdf", "staff")
        board = await hand_in(client, PLAN, "same.pdf", "board")
        assert files_of(town) == [digest(PLAN)]
        await client.delete(f"{HR}/document", params={"document_id": staff})
        assert (await page(client, staff)).status_code == 404
        assert (await page(client, board)).status_code == 200
        await client.delete(f"{HR}/document", params={"document_id": board})
    assert files_of(town) == []


async def test_a_changed_file_replaces_the_original(town: Town) -> None:
    async with town.client("anna") as client:
        first = await hand_in(client, PLAN)
        assert await hand_in(client, OTHER) == first
        assert files_of(town) == [digest(OTHER)]
        assert (await places(client, first))["pages"] == 1
        assert (await page(client, first)).status_code == 200
        await hand_in(client, OTHER)  # unchanged
        assert files_of(town) == [digest(OTHER)]


async def test_the_command_line_erases_what_the_server_took_in(open_town: Opener) -> None:
    """Another process deletes; no byte of the file is left under the base."""
    async with open_town(filled=False, store={"index": "lancedb"}) as town:
        async with town.client("anna") as client:
            plan = await hand_in(client, PLAN)
        command = [sys.executable, "-c", DELETE, str(base_of(town)), plan]
        await asyncio.to_thread(subprocess.run, command, check=True, timeout=120)
        assert files_of(town) == []
        needle = PLAN[100:140]
        held = [path for path in base_of(town).rglob("*") if path.is_file() and needle in path.read_bytes()]
        assert held == []


@pytest.mark.parametrize("serve", [{"keep_originals": False}, {"max_originals_mb": 0}])
async def test_the_settings_bound_what_is_kept(open_town: Opener, serve: dict[str, Any]) -> None:
    async with open_town(serve=serve) as town, town.client("anna") as client:
        job = await settled(client, "hr", await client.post(f"{HR}/uploads", files=[("files", ("plan.pdf", PLAN))]))
        assert bool(job["trouble"]) == ("max_originals_mb" in serve)  # it is said, where it was not asked for
        plan = (await client.get(f"{HR}/documents")).json()["documents"][-1]["document_id"]
        assert not (await places(client, plan))["pictures"]
        assert (await page(client, plan)).status_code == 404
        assert files_of(town) == []


async def test_a_damaged_or_lost_original_shows_as_text_and_the_doctor_says_so(town: Town) -> None:
    async with town.client("root") as client:
        plan = await hand_in(client, PLAN)
        file = base_of(town) / "originals" / digest(PLAN)
        file.write_bytes(OTHER)
        assert not (await places(client, plan))["pictures"]
        assert (await page(client, plan)).status_code == 404
        (file.parent / "stray").write_bytes(b"x")
        health = (await client.post(f"{HR}/doctor")).json()
        assert [problem.split(" ", 1)[0] for problem in health["problems"]] == ["1", "1"]
        assert health["originals"] == 0
        assert (await client.get(f"{HR}/text", params={"document_id": plan})).json()["text"]
        assert await hand_in(client, PLAN) == plan  # handed in again, it is whole again, though the text was unchanged
        assert (await page(client, plan)).status_code == 200
        assert (await client.post(f"{HR}/doctor")).json()["problems"] == []


async def test_an_import_cannot_name_a_file_of_this_machine(town: Town, tmp_path: Path) -> None:
    """A document says that it was read from a PDF that lies here, with its true hash: nothing here is opened for it."""
    secret = tmp_path / "secret.pdf"
    secret.write_bytes(PLAN)
    kb = town.spaces._spaces["hr"].kb
    pieces = [
        "",
        json.dumps({"original": digest(PLAN), "data": ""}),
        json.dumps({"original": digest(PLAN), "data": b64encode(OTHER).decode()}),
        json.dumps({"original": str(secret), "data": b64encode(PLAN).decode()}),
        json.dumps({"original": digest(PLAN), "data": ["no text"]}),
    ]
    async with town.client("root") as root:
        await hand_in(root, OTHER, "own.pdf")
        head, *lines = (await root.get(f"{HR}/export")).text.splitlines()
        own = next(tree for tree in map(json.loads, lines) if tree.get("source") == "upload:/own.pdf")
        for read_from in ("", digest(PLAN), str(secret), f"../../{secret.name}"):
            hostile = {**own, "document_id": "x", "source": str(secret), "read_from": read_from}
            for piece in pieces:
                body = "\n".join([head, json.dumps(hostile), piece])
                assert (await root.post(f"{HR}/import", content=body)).status_code == 200
                assert (await root.get(f"{HR}/document", params={"document_id": "x"})).status_code == 200
                if read_from == str(secret) == json.loads(piece or "{}").get("original"):
                    assert kb.store.originals.of("x") is None
                assert not (await places(root, "x"))["pictures"], (read_from, piece)
                assert (await page(root, "x")).status_code == 404, (read_from, piece)
        assert files_of(town) == [digest(OTHER)]
        await kb.add(secret)  # whoever runs the server may add it
        (read,) = await kb.named(secret)
        assert (await page(root, read.document_id)).status_code == 200


async def test_an_export_carries_originals_to_another_base(town: Town) -> None:
    async with town.client("root") as root:
        plan = await hand_in(root, PLAN)
        await hand_in(root, PLAN, "same.pdf")
        export = (await root.get(f"{HR}/export")).text
        assert export.count(b64encode(PLAN).decode()) == 1
        restored = await root.post("/v1/spaces/it/import", content=export)
        assert restored.json()["failed"] == []
        drawn = await root.get("/v1/spaces/it/picture", params={"document_id": plan, "page": 2})
        assert drawn.content == (await page(root, plan, 2)).content
        health = (await root.post("/v1/spaces/it/doctor")).json()
        assert (health["problems"], health["originals"]) == ([], 1)
        broken = export.replace(b64encode(PLAN).decode(), b64encode(PLAN[:-9]).decode())
        told = (await root.post("/v1/spaces/it/import", content=broken)).json()
        assert len(told["failed"]) == 2
        assert "damaged" in told["failed"][0]


async def test_only_the_file_that_was_read_is_kept(town: Town, tmp_path: Path) -> None:
    """A name that was handed in again with another file, which then could not be read; a document that has gone."""
    file = tmp_path / "other.pdf"
    file.write_bytes(OTHER)
    store = town.spaces._spaces["hr"].kb.store
    async with town.client("anna") as client:
        plan = await hand_in(client, PLAN)
        for offered in (Offered(plan, digest(PLAN[:-1]), file), Offered("gone", digest(OTHER), file)):
            assert await store.keep_originals([offered], 10**9) == []
            assert files_of(town) == [digest(PLAN)]
        assert (await page(client, plan)).status_code == 200


async def test_what_was_interrupted_is_swept_or_finished(open_town: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process ends when the file is copied and no document says so: the next writer takes it away."""
    ended = RuntimeError("killed")

    def killed(self: Originals) -> int:
        raise ended

    async with open_town() as town, town.client("anna") as client:
        jobs = town.spaces._spaces["hr"].jobs
        plan = await hand_in(client, PLAN)
        with closing(sqlite3.connect(base_of(town) / "catalog.sqlite")) as database:
            database.execute("UPDATE originals SET kept_bytes = 0")
            database.execute("INSERT OR REPLACE INTO facts VALUES ('sweeping', 'yes')")
            database.commit()
        assert files_of(town) == [digest(PLAN)]
        await jobs._kb.store.mend()
        assert files_of(town) == []
        assert await hand_in(client, PLAN) == plan
        assert files_of(town) == [digest(PLAN)]
        monkeypatch.setattr(Originals, "sweep", killed)
        with pytest.raises(RuntimeError, match="killed"):
            await jobs._kb.delete(plan)
        assert files_of(town) == [digest(PLAN)]
        monkeypatch.undo()
    async with open_town(filled=False) as town:
        await town.spaces._spaces["hr"].kb.store.mend()
        assert files_of(town) == []

"""Recordings over HTTP: when words are said, and the sound itself, for who may see the document."""

from __future__ import annotations

import pytest

from load.speech_files import LEASE
from rove.records.moment import TimeSpan
from serve.conftest import Opener, settled

FAKE = {"name": "fake"}
HR = "/v1/spaces/hr"


async def test_the_page_plays_what_was_handed_in_to_who_may_see_it(open_town: Opener) -> None:
    pytest.importorskip("av", reason="the extra audio is not installed")
    async with open_town(transcriber=FAKE) as town, town.client("mira") as mira, town.client("lara") as lara:
        given = {"files": [("files", ("call.opus", LEASE.read_bytes()))], "data": {"access": ["board"]}}
        job = await settled(mira, "hr", await mira.post(f"{HR}/uploads", **given))
        assert [one["state"] for one in job["sources"]] == ["live"]
        documents = (await mira.get(f"{HR}/documents")).json()["documents"]
        [document_id] = [one["document_id"] for one in documents if one["source"] == "call.opus"]
        text = (await mira.get(f"{HR}/text", params={"document_id": document_id})).json()["text"]
        start = text.index("Loudness", 40)
        there = (
            await mira.get(f"{HR}/places", params={"document_id": document_id, "start": start, "end": start + 5})
        ).json()
        assert (there["recording"], there["pictures"], there["page"]) == ("audio", False, None)
        assert there["time"]["start_s"] == pytest.approx(2.0, abs=1.1)
        assert there["time"]["clock"] == TimeSpan(there["time"]["start_s"], there["time"]["end_s"]).clock
        asked = {"params": {"document_id": document_id}}
        played = await mira.get(f"{HR}/recording", **asked)
        assert played.content == LEASE.read_bytes()
        assert played.headers["content-type"].startswith("audio/")
        assert (await lara.get(f"{HR}/recording", **asked)).status_code == 404
        assert (await mira.get(f"{HR}/recording", params={"document_id": "policy"})).status_code == 404
        found = (await mira.post(f"{HR}/search", json={"question": "Loudness"})).json()["hits"]
        assert next(hit for hit in found if hit["document_id"] == document_id)["time"]["clock"].startswith("0:0")

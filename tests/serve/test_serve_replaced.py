"""A catalog that is replaced under a server: a command refuses to; by hand, nothing is acknowledged that is lost."""

from __future__ import annotations

import shutil
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from rove import Rove, Text
from serve.conftest import ENVIRONMENT, FAKE, ROVE, serving

SPACE = "/v1/spaces/default"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "kb"
    with Rove.open(folder, embedder=FAKE) as kb:
        kb.add(Text("Parking is free on Sundays.", id="before"))
    shutil.copytree(folder, tmp_path / "backup")
    return folder


def posted(client: httpx.Client, name: str) -> httpx.Response:
    return client.post(f"{SPACE}/documents", json={"text": f"{name} came home.", "name": f"{name}.txt"})


@pytest.mark.long
def test_a_catalog_is_not_replaced_under_a_server(base: Path) -> None:
    with serving(base) as (client, process):
        for number in range(3):
            assert posted(client, f"ship-{number}").status_code == 202
            command = [str(ROVE), "doctor", "--rebuild-from", str(base.parent / "backup"), "--kb", str(base)]
            done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=120, check=False)
            assert done.returncode == 1, done.stdout
            assert f"{client.base_url}".rstrip("/") in done.stderr and str(process.pid) in done.stderr
            assert "Stop that server" in done.stderr
    with Rove.open(base, embedder=FAKE) as kb:
        assert len(kb.documents()) == 4


@pytest.mark.long
def test_a_server_notices_and_opens_the_catalog_that_is_there(base: Path) -> None:
    with serving(base) as (client, process):
        assert client.post(f"{SPACE}/search", json={"question": "parking"}).status_code == 200
        shutil.copy(base.parent / "backup" / "catalog.sqlite", base / "new")
        (base / "new").replace(base / "catalog.sqlite")
        refused = posted(client, "ship")
        assert (refused.status_code, refused.json()["type"]) == (503, "urn:rove:problem:replaced")
        assert refused.json()["cure"]
        kept = until(client, "ship", 202)
        assert process.poll() is None and kept.json()["job_id"]
        until_found(client, "ship.txt")
    with Rove.open(base, embedder=FAKE) as kb:
        assert len(kb.documents()) == 2
    assert "begins anew" in (base.parent / "log").read_text("utf-8")


@pytest.mark.long
def test_a_server_whose_folder_is_gone_acknowledges_nothing(base: Path) -> None:
    with serving(base) as (client, process):
        assert client.post(f"{SPACE}/search", json={"question": "parking"}).status_code == 200
        shutil.rmtree(base)
        for answer in (
            posted(client, "ship"),
            client.post(f"{SPACE}/search", json={"question": "parking"}),
            client.delete(f"{SPACE}/document", params={"document_id": "before"}),
        ):
            assert (answer.status_code, answer.json()["type"]) == (503, "urn:rove:problem:replaced"), answer.text
        assert process.poll() is None and not base.exists()


def until(client: httpx.Client, name: str, status: int) -> httpx.Response:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with suppress(httpx.TransportError):
            answer = posted(client, name)
            if answer.status_code == status:
                return answer
            assert answer.status_code == 503
        time.sleep(0.1)
    pytest.fail("it was not opened anew")


def until_found(client: httpx.Client, source: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found = client.get(f"{SPACE}/documents").json()["documents"]
        if any(source in one["source"] for one in found):
            return
        time.sleep(0.1)
    pytest.fail("what was acknowledged is not there")

"""`rove serve --await-key` as a process: it answers nothing but what to do, and serves once there is a key."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from rove.cli import rove
from rove.errors import ConfigError
from rove.serve.awaiting_key import COMMANDS, opened
from rove.serve.pages.web_page import FOLDER
from rove.settings import read_settings
from serve.conftest import ENVIRONMENT, ROVE

pytestmark = pytest.mark.long
ELSEWHERE = "127.0.0.2"
"""An address that only this machine reaches, and that Rove does not count among those."""
SECRET = "nordwind"


@contextmanager
def started(kb: Path, *options: str, **environment: str) -> Iterator[tuple[httpx.Client, subprocess.Popen[bytes]]]:
    """Run it; what it writes is in the file `log` beside the base."""
    with socket.socket() as probe:
        probe.bind((ELSEWHERE, 0))
        port = probe.getsockname()[1]
    command = [str(ROVE), "serve", "--host", ELSEWHERE, "--port", str(port), "--await-key", *options]
    with (kb.parent / "log").open("ab") as log:
        place = {"ROVE_KB": str(kb)}
        process = subprocess.Popen(command, env={**ENVIRONMENT, **place, **environment}, stdout=log, stderr=log)
    try:
        with httpx.Client(base_url=f"http://{ELSEWHERE}:{port}", timeout=30) as client:
            assert status(client, process, "/health", 503, 200)
            yield client, process
    finally:
        process.terminate()
        process.wait(timeout=60)


def status(client: httpx.Client, process: subprocess.Popen[bytes], path: str, *wanted: int, **headers: str) -> int:
    """Ask until the reply has one of these; 0 after five minutes, or where the process has ended."""
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if (told := client.get(path, headers=headers).status_code) in wanted:
                return told
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    return 0


def lines(kb: Path) -> list[dict[str, object]]:
    text = (kb.parent / "log").read_text("utf-8")
    assert "Traceback" not in text
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


def key_for(kb: Path, name: str = "anna") -> str:
    done = CliRunner().invoke(rove, ["serve", "key", name, "--right", "read", "--right", "add", "--kb", str(kb)])
    assert done.exit_code == 0, done.output
    return done.stdout.strip()


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    """A base with a document, which nobody must learn of."""
    folder = tmp_path / "merger-kb"
    environment = {"ROVE_EMBEDDER__NAME": "fake"}
    note = tmp_path / f"{SECRET}.md"
    note.write_text(f"# {SECRET}\n\nThe merger with {SECRET} is approved.", "utf-8")
    done = CliRunner().invoke(rove, ["add", str(note), "--kb", str(folder)], env=environment)
    assert done.exit_code == 0, done.output
    return folder


def test_it_says_what_to_do_and_serves_once_there_is_a_key(kb: Path) -> None:
    with started(kb, "--host-name", "rove") as (client, process):
        replies = [
            client.get("/health"),
            client.get("/"),
            client.get("/v1/spaces"),
            client.get("/web/main.js"),
            client.get("/openapi.json"),
            client.post("/v1/spaces/default/search", json={"question": SECRET}),
            client.post("/v1/spaces/default/uploads", files={"files": ("a.md", b"x" * 3_000_000)}),
            client.post("/mcp", json={}),
            client.get("/", headers={"accept": "text/html", "accept-language": "de"}),
        ]
        assert {reply.status_code for reply in replies} == {503}
        told = "".join(f"{reply.headers}{reply.text}" for reply in replies).lower()
        assert not {word for word in (SECRET, "merger", str(kb.parent)) if word in told}
        assert client.get("/health").json()["status"] == "awaiting-key"
        problem = client.get("/v1/spaces").json()
        assert problem["type"] == "urn:rove:problem:awaiting-key"
        assert "rove serve key NAME" in problem["cure"]
        assert problem["commands"] == COMMANDS
        assert replies[2].headers["content-type"] == "application/problem+json"
        asked = client.post("/v1/chat/completions", json={"model": "default"}).json()
        assert "rove serve key NAME" in asked["error"]["message"]

        (kb / "rove.toml").write_text("[serve", "utf-8")  # half written: it goes on waiting
        time.sleep(2.5)
        assert client.get("/health").status_code == 503
        (kb / "rove.toml").unlink()
        key = key_for(kb)
        bearer = {"authorization": f"Bearer {key}"}
        assert status(client, process, "/v1/spaces", 200, **bearer)
        assert client.get("/v1/spaces").status_code == 401
        assert client.get("/v1/spaces", headers={**bearer, "host": "rove:8017"}).status_code == 200
        assert client.get("/v1/spaces", headers={**bearer, "host": "other"}).status_code == 403
        found = client.post("/v1/spaces/default/search", json={"question": SECRET}, headers=bearer).json()
        assert SECRET in found["hits"][0]["text"].lower()
    waiting = [line for line in lines(kb) if line["event"] == "it waits for its first key"]
    assert [line["commands"] for line in waiting] == [COMMANDS]
    assert len([line for line in lines(kb) if line["event"] == "settings not read"]) == 1


def test_a_browser_is_told_in_its_language_and_it_ends_when_it_is_told_to(kb: Path) -> None:
    with started(kb) as (client, process):
        for language in ("en", "de", "hu", "zh", "ja"):
            reply = client.get("/", headers={"accept": "text/html,*/*", "accept-language": f"{language};q=0.9, fr"})
            assert (reply.status_code, reply.headers["content-type"]) == (503, "text/html; charset=utf-8")
            assert reply.headers["refresh"] == "5"
            assert f'<html lang="{language}">' in reply.text
            words = json.loads((FOLDER / "lang" / f"{language}.json").read_text("utf-8"))
            assert words["problem.awaiting-key"] in reply.text
            assert re.findall(r"<code>(.*?)</code>", unescape(reply.text)) == list(COMMANDS.values())
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) in {0, -signal.SIGTERM}
    assert not (kb / "rove.toml").exists()


def test_the_first_person_opens_it_as_a_key_does(kb: Path) -> None:
    with started(kb, "--host-name", "rove") as (client, process):
        done = CliRunner().invoke(
            rove, ["serve", "person", "ada", "--role", "administrator", "--kb", str(kb), "--json"]
        )
        assert done.exit_code == 0, done.output
        assert status(client, process, "/v1/spaces", 401)
        token = json.loads(done.stdout)["token"]
        wanted = {"token": token, "password": "a walk along the river"}
        assert client.post("/v1/session/invitation", json=wanted).status_code == 200
        assert client.get("/v1/people").json()["people"][0]["state"] == "active"


def test_a_key_that_is_there_needs_no_waiting(kb: Path) -> None:
    key = key_for(kb)
    with started(kb, "--host-name", "ROVE") as (client, process):
        assert status(client, process, "/v1/spaces", 200, authorization=f"Bearer {key}", host="rove")
    assert not [line for line in lines(kb) if "waits" in str(line["event"])]


def test_other_mistakes_end_it_as_ever(tmp_path: Path) -> None:
    (tmp_path / "rove.toml").write_text("[serve]\nport = 'x'\n", "utf-8")
    with pytest.raises(ConfigError, match=r"serve\.port"):
        asyncio.run(opened(lambda: read_settings(tmp_path), lambda _: None))


def test_the_commands_that_it_names_are_commands() -> None:
    for command in COMMANDS.values():
        given = re.search(r"rove serve person .*", command)
        assert given
        made = rove.get_command(None, "serve")  # pyright: ignore[reportArgumentType] - it is not used
        assert made
        assert made.make_context("serve", given[0].split()[2:], resilient_parsing=True)

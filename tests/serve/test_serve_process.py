"""`rove serve` as a process: a key is made, it starts, it ends on SIGTERM, and nothing that it said yes to is lost."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import time
import tomllib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from rove.cli import rove
from rove.serve.admission.keys import hash_key
from rove.settings import read_settings
from serve.conftest import ENVIRONMENT, ROVE, serving

pytestmark = pytest.mark.long


def test_what_was_acknowledged_outlives_sigterm(tmp_path: Path) -> None:
    """Ended in the middle of a large add, and again at once: the next process has all that this one said yes to."""
    kb = tmp_path / "kb"
    acknowledged: list[str] = []
    for round_ in range(2):
        with serving(kb, "--set", "serve.drain_s=0") as (client, process):
            for number in range(6):
                name = f"note-{round_}-{number}.md"
                text = "\n\n".join(f"# {name} {i}\n\nSentence {i} of {name} is here." for i in range(150))
                reply = client.post("/v1/spaces/default/uploads", files=[("files", (name, text.encode()))])
                assert reply.status_code == 202
                acknowledged.append(name)
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=60) in {0, -signal.SIGTERM}
    with serving(kb) as (client, _):
        assert sources_in(client, kb) == set(acknowledged)
        health = client.post("/v1/spaces/default/doctor").json()
        assert health["problems"] == []


def test_an_evaluation_outlives_a_kill(tmp_path: Path) -> None:
    kb, evaluations = tmp_path / "kb", "/v1/spaces/default/evaluations"
    table = "question,source\n" + "".join(f"What does sentence {n} of the note say?,note\n" for n in range(120))
    ways = [{"name": mode, "mode": mode} for mode in ("keyword", "gather")]
    body = {"table": {"name": "many.csv", "text": table}, "configurations": ways, "metrics": ["rr"]}
    with serving(kb) as (client, process):
        text = "\n\n".join(f"Sentence {n} of the note is here." for n in range(120))
        client.post("/v1/spaces/default/documents", json={"text": text, "name": "note", "title": "note"})
        _await(lambda: client.get("/v1/spaces/default/documents").json()["documents"])
        started = client.post(evaluations, json=body).json()["evaluation_id"]
        _await(lambda: client.get(f"{evaluations}/{started}").json()["evaluation"]["asked"] > 20)
        process.kill()
        process.wait(timeout=60)
    with serving(kb) as (client, _):
        kept = client.get(f"{evaluations}/{started}").json()["evaluation"]
        assert (kept["starts"], kept["state"]) != (1, "done")  # it was cut off in the middle
        _await(lambda: client.get(f"{evaluations}/{started}").json()["evaluation"]["state"] == "done")
        told = client.get(f"{evaluations}/{started}").json()
    assert (told["evaluation"]["starts"], told["evaluation"]["asked"]) == (2, 240)
    assert {mean["scored"] for row in told["report"]["rows"] for mean in row["means"]} == {120}


def _await(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 120
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_sigterm_among_uploads_loses_none_that_was_acknowledged(tmp_path: Path) -> None:
    """Ended while eight hand in and search as fast as they can: what any of them was told yes to is there."""
    kb = tmp_path / "kb"
    acknowledged: list[str] = []
    with serving(kb, "--set", "serve.drain_s=0") as (client, process):
        address = str(client.base_url)

        def hand_in(worker: int) -> None:
            with httpx.Client(base_url=address, timeout=30) as own, suppress(httpx.TransportError):
                for number in range(1_000):
                    name = f"note-{worker}-{number}.md"
                    text = f"# {name}\n\nThis is said in {name}, and nowhere else."
                    reply = own.post("/v1/spaces/default/uploads", files=[("files", (name, text.encode()))])
                    if reply.status_code == 202:
                        acknowledged.append(name)
                    own.post("/v1/spaces/default/search", json={"question": name})

        with ThreadPoolExecutor(8) as workers:
            working = [workers.submit(hand_in, worker) for worker in range(8)]
            _await(lambda: len(acknowledged) > 40)
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=60) in {0, -signal.SIGTERM}
            for one in working:
                one.result()
    with serving(kb) as (client, _):
        assert sources_in(client, kb) >= set(acknowledged)
        assert client.post("/v1/spaces/default/doctor").json()["problems"] == []


def sources_in(client: httpx.Client, kb: Path) -> set[str]:
    """The sources of a base, once all that was handed in is in it."""
    deadline = time.monotonic() + 120
    while list((kb / "incoming").glob("*/*/job.json")) and time.monotonic() < deadline:
        time.sleep(0.1)
    documents = client.get("/v1/spaces/default/documents", params={"limit": 1_000}).json()["documents"]
    return {document["source"] for document in documents}


def test_it_ends_while_streams_are_open_and_logs_json(tmp_path: Path) -> None:
    with serving(tmp_path / "kb") as (client, process):
        with client.stream("POST", "/v1/spaces/default/ask", json={"question": "Who?", "stream": True}) as reply:
            assert reply.status_code == 200
            process.send_signal(signal.SIGTERM)
            assert "event: answer" in "".join(reply.iter_text())
        assert process.wait(timeout=60) in {0, -signal.SIGTERM}
        errors = (tmp_path / "log").read_text("utf-8")
    lines = [line for line in errors.splitlines() if line.startswith("{")]
    assert any(json.loads(line).get("route") == "/v1/spaces/{space}/ask" for line in lines)
    assert "Traceback" not in errors


@pytest.mark.parametrize("streams", [False, True])
def test_who_is_being_answered_when_it_ends_is_told_to_ask_again(tmp_path: Path, streams: bool) -> None:
    """The chat model says nothing for ever; the server waits no longer than it was told to."""
    with socket.create_server(("127.0.0.1", 0)) as silent, ThreadPoolExecutor(1) as worker:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        settings = ("serve.drain_s=0", "chat.model=m", f"chat.base_url={url}")
        options = [part for one in settings for part in ("--set", one)]
        with serving(tmp_path / "kb", *options) as (client, process):
            text = {"text": "The tower of Upton is 90 metres high.", "name": "tower"}
            client.post("/v1/spaces/default/documents", json=text)
            _await(lambda: client.get("/v1/spaces/default/documents").json()["documents"])
            question = {"question": "How high is the tower of Upton?", "stream": streams}
            asking = worker.submit(client.post, "/v1/spaces/default/ask", json=question)
            with silent.accept()[0]:
                process.send_signal(signal.SIGTERM)
                cut, reply = asking.exception(timeout=30), None if streams else asking.result()
    if reply:
        assert (reply.status_code, reply.headers["content-type"]) == (503, "application/problem+json")
        assert int(reply.headers["retry-after"]) > 0
        assert reply.json()["detail"] == "This server is ending, and has not finished what it was asked."
    else:
        assert isinstance(cut, httpx.RemoteProtocolError)
    assert "Traceback" not in (tmp_path / "log").read_text("utf-8")


def test_a_key_is_made_shown_once_and_works(tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    kb.mkdir()
    (kb / "rove.toml").write_text('# mine\n[embedder]\nname = "fake"', "utf-8")
    run = CliRunner().invoke
    made = run(rove, ["serve", "key", "anna", "--right", "read", "--right", "add", "--kb", str(kb), "--json"])
    assert made.exit_code == 0, made.output
    key = json.loads(made.stdout)["key"]
    text = (kb / "rove.toml").read_text("utf-8")
    assert text.startswith("# mine\n")
    assert key not in text
    table = tomllib.loads(text)["serve"]["keys"]["anna"]
    assert table == {"hash": hash_key(key), "spaces": ["*"], "rights": ["read", "add"]}
    assert read_settings(kb).serve.keys["anna"].rights == ("read", "add")
    again = run(rove, ["serve", "key", "anna", "--kb", str(kb)])
    assert (again.exit_code, (kb / "rove.toml").read_text("utf-8")) == (2, text)
    labelled = run(rove, ["serve", "key", "lara", "--label", "staff", "--kb", str(kb)])
    assert re.fullmatch(r"rove_[\w-]{43}", labelled.stdout.strip())
    assert run(rove, ["serve", "key", "../x", "--kb", str(kb)]).exit_code == 2
    with serving(kb) as (client, _):
        assert client.get("/v1/spaces").status_code == 401
        spaces = client.get("/v1/spaces", headers={"authorization": f"Bearer {key}"}).json()
        assert spaces == {"spaces": ["default"], "rights": ["add", "read"], "can_make": False}


@pytest.mark.parametrize("options", [["--host", "0.0.0.0"], ["--set", "serve.host=::"]])
def test_no_other_machine_is_let_in_without_a_key(tmp_path: Path, options: list[str]) -> None:
    command = [str(ROVE), "serve", "--kb", str(tmp_path / "kb"), *options]
    done = subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "there is no key" in done.stderr
    assert "rove serve key" in done.stderr


def test_a_server_without_a_base_begins_with_an_empty_one_and_an_invitation_has_its_port(tmp_path: Path) -> None:
    wrong = subprocess.run(
        [str(ROVE), "serve", "--kb", "typo"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (wrong.returncode, (tmp_path / "typo").exists()) == (2, False)
    with (tmp_path / "log").open("wb") as log:
        served = subprocess.Popen([str(ROVE), "serve", "--port", "0"], cwd=tmp_path, env=ENVIRONMENT, stderr=log)
        try:
            _await(lambda: b"Application startup complete" in (tmp_path / "log").read_bytes())
            told = (tmp_path / "log").read_text("utf-8")
            assert "kb is a new one" in told
            port = re.search(r"Serving at http://127\.0\.0\.1:(\d+)", told)
            assert port
            assert httpx.get(f"http://127.0.0.1:{port[1]}/v1/spaces/default/documents").json()["documents"] == []
            person = [str(ROVE), "serve", "person", "eva", "--role", "administrator"]
            made = subprocess.run(
                person, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False
            )
            assert made.stdout.startswith(f"http://127.0.0.1:{port[1]}/#/invitation/")
        finally:
            served.terminate()
            served.wait(60)

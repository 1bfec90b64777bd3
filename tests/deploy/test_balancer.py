"""deploy/Caddyfile before two servers of one base: turns, streams, and no request lost while one of them is renewed."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from rove import Rove
from serve.conftest import DOCUMENTS, ENVIRONMENT, FAKE, ROVE

pytestmark = [pytest.mark.servers, pytest.mark.long]
CADDYFILE = Path(__file__).parents[2] / "deploy" / "Caddyfile"
SERVERS = ("127.0.0.2", "127.0.0.3")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running(command: list[str], log: Path, url: str, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("ab") as written:
        process = subprocess.Popen(command, env={**ENVIRONMENT, **environment}, stdout=written, stderr=written)
    try:
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline and process.poll() is None:
            try:
                if httpx.get(f"{url}/health", headers={"host": "localhost"}).status_code == 200:
                    break
            except httpx.TransportError:
                time.sleep(0.1)
        else:
            pytest.fail(log.read_text("utf-8"))
        yield process
    finally:
        process.terminate()
        process.wait(timeout=60)


def test_two_servers_take_turns_and_one_may_go(tmp_path: Path) -> None:
    kb, port, site = tmp_path / "kb", free_port(), f"http://localhost:{free_port()}"
    with Rove.open(kb, embedder=FAKE) as base:
        base.add(*DOCUMENTS["hr"])
    text, found = re.subn(
        r"dynamic a \{.*?\n\t\t\}", f"to {' '.join(f'{one}:{port}' for one in SERVERS)}", CADDYFILE.read_text("utf-8"),
        flags=re.S,
    )  # fmt: skip
    assert found == 1
    (tmp_path / "Caddyfile").write_text("{\n\tadmin off\n}\n" + text, "utf-8")
    environment = {**os.environ, "ROVE_EMBEDDER__NAME": "fake"}
    made = subprocess.run(
        [ROVE, "serve", "key", "anna", "--kb", kb], env=environment, capture_output=True, text=True, check=True
    )
    headers = {"authorization": f"Bearer {made.stdout.strip()}"}
    command = [str(ROVE), "serve", "--kb", str(kb), "--port", str(port), "--host-name", "rove", "--host"]
    caddy = [str(Path(sys.executable).with_name("caddy")), "run", "--adapter", "caddyfile", "--config"]
    logs = {one: tmp_path / one for one in SERVERS}
    with ExitStack() as stack:
        servers = [stack.enter_context(running([*command, one], logs[one], f"http://{one}:{port}")) for one in SERVERS]
        home = {"XDG_DATA_HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "SITE": site}
        stack.enter_context(running([*caddy, str(tmp_path / "Caddyfile")], tmp_path / "caddy", site, **home))
        client = stack.enter_context(httpx.Client(base_url=site, headers=headers, timeout=30))
        question = {"question": "Who approves remote work?"}
        search = "/v1/spaces/default/search"
        assert {client.post(search, json=question).status_code for _ in range(10)} == {200}
        assert all(log.read_text("utf-8").count(search.replace("default", "{space}")) >= 3 for log in logs.values())
        with client.stream("POST", "/v1/spaces/default/ask", json={**question, "stream": True}) as reply:
            assert "event: answer" in "".join(reply.iter_text())
        servers[0].send_signal(signal.SIGTERM)
        statuses: set[int] = set()
        while servers[0].poll() is None:
            statuses.add(client.post(search, json=question).status_code)
        statuses |= {client.post(search, json=question).status_code for _ in range(10)}
        assert statuses == {200}

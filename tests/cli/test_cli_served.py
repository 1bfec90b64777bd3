"""`rove search` and `rove ask` while a server has the base open: they print the same, and nobody else is let in."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rove import Rove, Text
from rove.cli import asking_server, rove
from rove.cli.session import Session
from rove.serve.local_calls.invitation import (
    CLIENT,
    FILE,
    HOST,
    SERVER,
    Invitation,
    environment_of,
    invitation_in,
    is_proof,
)
from serve.conftest import ENVIRONMENT, serving

TEXTS = (
    Text("# Remote work\n\nRemote work is approved by the head of unit.", id="policy", metadata={"topic": "work"}),
    Text("A szabadságot az osztályvezető hagyja jóvá.", id="szabadsag"),
    Text("休暇は部長が三日以内に承認します。", id="休暇"),
)
CALLS = (
    ("search", "Who approves remote work?"),
    ("search", "休暇は誰が承認しますか", "--top", "2", "-v"),
    ("search", "remote work", "--json"),
    ("search", "remote", "--where", "topik=work"),
    ("search", "remote", "--mode", "keywrd"),
    ("search", "remote", "--where", "a b"),
    ("ask", "Who approves remote work?"),
    ("ask", "Who approves remote work?", "--json"),
    ("ask", "How heavy is a blue whale?", "-v"),
    ("ask", "  "),
)
OPENED = """import sys
from rove.cli import main
try:
    main()
finally:
    print(*{name.partition(".")[0] for name in sys.modules}, file=sys.stderr)
"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("served") / "kb"
    with Rove.open(made, embedder={"name": "fake"}) as kb:
        kb.add(TEXTS)
    return made


@pytest.fixture(scope="module")
def served(base: Path) -> Iterator[Path]:
    with serving(base):
        assert invitation_in(base) is not None
        yield base


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine lets the server wait; and the variables of the one process are those of the other."""
    monkeypatch.setattr(asking_server, "CONNECT_S", 60.0)
    monkeypatch.setattr(asking_server, "SILENT_S", 60.0)
    for name in [name for name in os.environ if name.upper().startswith("ROVE_")]:
        monkeypatch.delenv(name)  # what another test of this process has left
    for name, value in ENVIRONMENT.items():
        if name.upper().startswith("ROVE_"):
            monkeypatch.setenv(name, value)


def call(base: Path, *words: str, **more: str) -> tuple[int, str, str, bool]:
    """Run a command; returns its status, what it printed on either stream, and whether it opened the base itself."""
    opened: list[Session] = []

    class Spy(Session):
        def __init__(self, *given: Any, **named: Any) -> None:
            opened.append(self)
            super().__init__(*given, **named)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("rove.cli.session.Session", Spy)
        done = CliRunner().invoke(rove, [*words, "--kb", str(base)], env=more)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done.exit_code, done.stdout, done.stderr, bool(opened)


def test_a_call_that_is_answered_imports_next_to_nothing(served: Path) -> None:
    command = [sys.executable, "-c", OPENED, "search", "Who approves remote work?", "--kb", str(served)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    assert "Remote work is approved" in done.stdout
    assert not {"numpy", "pydantic", "rich", "sqlalchemy", "asyncio"}.intersection(done.stderr.split())


def test_what_is_printed_is_the_same_to_the_byte(served: Path) -> None:
    for words in CALLS:
        *asked, opened = call(served, *words)
        *alone, opened_alone = call(served, *words, "--local")
        assert asked == alone, words
        assert (opened, opened_alone) == (False, True), words


def test_a_call_that_is_not_as_the_servers_is_done_alone(served: Path) -> None:
    question = ("search", "remote work", "--json")
    for words, more in (
        ((*question, "--set", "search.top_k=1"), {}),
        (question, {"ROVE_SEARCH__TOP_K": "1"}),
    ):
        status, printed, _, _ = call(served, *words, **more)
        assert (status, len(json.loads(printed))) == (0, 1), words
    (served / "rove.toml").write_text("[search]\ntop_k = 1\n", "utf-8")
    try:
        assert len(json.loads(call(served, *question)[1])) == 1
    finally:
        (served / "rove.toml").unlink()
    assert call(served, "ask", "Who approves remote work?", "--walk")[3]
    assert call(served, *question, FORCE_COLOR="1")[3]


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_the_invitation_is_the_owners_alone(served: Path) -> None:
    file = served / FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text("utf-8").count(found(served).key) == 1
    file.chmod(0o640)
    try:
        assert invitation_in(served) is None
        assert call(served, "search", "remote")[3]
    finally:
        file.chmod(0o600)


def test_a_link_is_not_followed(served: Path, tmp_path: Path) -> None:
    (tmp_path / FILE).symlink_to(served / FILE)
    assert invitation_in(tmp_path) is None


def found(folder: Path) -> Invitation:
    invitation = invitation_in(folder)
    assert invitation is not None
    return invitation


def talk(port: int, *lines: bytes) -> list[bytes]:
    """Send lines to the server one by one; returns what came back until it closed."""
    with socket.create_connection((HOST, port), timeout=30) as connection, connection.makefile("rwb") as stream:
        answers: list[bytes] = []
        for line in lines:
            stream.write(line + b"\n")
            stream.flush()
            answers.append(stream.readline())
        return answers


def test_nobody_without_the_key_is_answered(served: Path) -> None:
    invitation = found(served)
    hello = json.dumps({"space": invitation.space, "word": "x"}).encode()
    request = {"command": "search", "kb": str(served), "setting": [], "values": {}, "proof": "0" * 64}
    first, second = talk(invitation.port, hello, json.dumps(request).encode())
    assert is_proof(json.loads(first)["proof"], invitation.proof(SERVER, "x"))
    assert second == b""
    # what the server has proven is no proof of the client's
    word = json.loads(first)["word"]
    assert invitation.proof(SERVER, word) != invitation.proof(CLIENT, word)
    for line in (b"GET / HTTP/1.1", b"{}", b"[]", b"\xff", json.dumps({"space": "none", "word": "x"}).encode()):
        assert talk(invitation.port, line) == [b""], line


def test_who_has_got_the_port_of_a_server_that_is_gone_learns_nothing(base: Path, tmp_path: Path) -> None:
    """It cannot prove that it has the key, so that it is never told what is asked."""
    with socket.create_server((HOST, 0)) as listener:
        listener.settimeout(60)
        port = listener.getsockname()[1]
        folder = tmp_path / "kb"
        with Rove.open(folder, embedder={"name": "fake"}) as kb:
            kb.add(TEXTS[0])
        environment = environment_of(dict(os.environ))
        code = str(Path(sys.modules["rove"].__file__ or "").parent)
        Invitation(port, os.getpid(), "a" * 43, "default", code, environment).write(folder)
        with ThreadPoolExecutor(1) as pool:
            asking = pool.submit(call, folder, "search", "secret", "question")
            connection, _ = listener.accept()
            with connection:
                heard = connection.recv(65_536)
                connection.sendall(json.dumps({"proof": "0" * 64, "word": "y"}).encode() + b"\n")
                heard += connection.recv(65_536)
            status, printed, _, opened = asking.result()
    assert heard
    assert b"secret" not in heard
    assert (status, opened) == (0, True)
    assert "Remote work" in printed


def test_the_file_goes_with_the_server_and_a_stale_one_is_ignored(base: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kb"
    Rove.open(folder, embedder={"name": "fake"}).close()
    with serving(folder):
        kept = (folder / FILE).read_text("utf-8")
    assert not (folder / FILE).exists()
    (folder / FILE).write_text(kept, "utf-8")
    (folder / FILE).chmod(0o600)
    assert invitation_in(folder) is None
    status, printed, said, opened = call(folder, "search", "tea")
    assert (status, printed, opened) == (0, "", True)
    assert said.strip() == "Nothing was found."
    for odd in ("", "{}", "[]", "{", '{"port": 1}', json.dumps({**json.loads(kept), "protocol": 2})):
        (folder / FILE).write_text(odd, "utf-8")
        assert invitation_in(folder) is None, odd


def test_an_environment_is_told_by_what_stands_for_it() -> None:
    one = environment_of({"ROVE_CHAT__API_KEY": "sk-secret", "HOME": "/root"})
    assert one == environment_of({"ROVE_CHAT__API_KEY": "sk-secret", "ROVE_KB": "other"})
    assert one != environment_of({"ROVE_CHAT__API_KEY": "sk-other"})
    assert "secret" not in one

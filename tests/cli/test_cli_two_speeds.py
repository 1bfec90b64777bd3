"""Two speeds on the command line: how far it is, the bar, and Ctrl-C in the second pass."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from rove.cli import rove
from rove.cli.add import AddBar
from rove.cli.session import Session
from rove.events import AddStarted, ChunksDeepened, ChunksEmbedded
from rove.records import Text
from rove.sync import Rove

FIRST = {"name": "fake", "first": "static"}
TEXTS = [Text(f"Town {i} keeps {i} letters about ships and the weather.", id=f"t{i}") for i in range(8)]


@pytest.fixture(autouse=True)
def _fake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROVE_EMBEDDER__NAME", "fake")


def call(*words: str) -> str:
    done = CliRunner().invoke(rove, words)
    assert done.exit_code == 0, done.output
    return done.output


def test_commands_say_how_far_the_embedder_is(tmp_path: Path) -> None:
    kb = str(tmp_path / "kb")
    with Rove.open(kb, embedder=FIRST) as base:
        base.add(TEXTS, deep=False)
    assert json.loads(call("inspect", "--depth", "--json", "--kb", kb)) == {"chunks": 8, "shallow": 8, "share": 0.0}
    said = f"8 found by words and quick vectors. Go on: rove add --resume --kb {kb}"
    for words in (["inspect"], ["inspect", "--depth"], ["doctor"]):
        assert said in call(*words, "--kb", kb).replace("\n", " ")
    assert json.loads(call("doctor", "--json", "--kb", kb))["shallow"] == 8
    call("add", "--resume", "--kb", kb)
    assert "reached all passages: 8" in call("inspect", "--depth", "--kb", kb)
    assert "embedder" not in call("inspect", "--kb", kb) + call("doctor", "--kb", kb)


def test_the_bar_counts_the_second_pass_by_itself() -> None:
    session = Session(["kb"], (), as_json=False)
    session.output.notes = Console(force_terminal=True)
    bar = AddBar(session)
    for event in (AddStarted(3), ChunksEmbedded(40), ChunksDeepened(10, 30), ChunksDeepened(25, 5)):
        bar(event)
    adding, embedding = bar.progress.tasks
    assert (adding.description, adding.total) == ("Adding", 3) and "40 chunks" in adding.fields["at"]
    assert (embedding.description, embedding.completed, embedding.total) == ("Embedding", 35, 40)


INTERRUPTED = """
import sys, asyncio, os, signal
from rove.models.fake import FakeEmbedder
async def held(self, texts):
    os.kill(os.getpid(), signal.SIGINT)
    await asyncio.sleep(60)
FakeEmbedder.passages = held
from rove.cli import main
main()
"""


def test_ctrl_c_in_the_second_pass_says_how_to_go_on(tmp_path: Path) -> None:
    docs, kb = tmp_path / "docs", str(tmp_path / "kb")
    docs.mkdir()
    for i in range(5):
        (docs / f"{i}.md").write_text(f"# Town {i}\n\nThe harbour of town {i} is closed.")
    words = ["add", str(docs), "--kb", kb, "--set", "embedder.first=static"]
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, *words], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode in {1, 130}, done.stderr
    assert "0 % of 5 passages" in done.stderr and f"rove add --resume --kb {kb}" in done.stderr.replace("\n", " ")
    assert "Town 2" in call("search", "town 2", "--kb", kb, "--set", "search.top_k=1")
    call("add", "--resume", "--kb", kb)
    assert json.loads(call("inspect", "--depth", "--json", "--kb", kb)) == {"chunks": 5, "shallow": 0, "share": 1.0}

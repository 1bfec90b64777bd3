"""`rove walk` and `rove walks`: lines in a pipe, lines of JSON, and in a terminal the edit that Ctrl-C opens."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cli.terminal import Terminal
from rove import InputError, Rove, Text
from rove.cli import rove
from rove.cli.walk_edit import EditChoice, choice_of, parse_edit
from rove.records.walk_events import Answered, Fact, FactFound, Lead, LeadFound, WalkStarted
from rove.walk.json_format import from_line
from rove.walk.state import State, folded

QUESTION = "On which river lies the town where Ada Byron was born?"
TEXTS = (
    Text("Ada Byron was born in Szeged in 1893. She founded Acme.", id="ada", title="Ada Byron"),
    Text("Szeged lies on the river Tisza. It has a university.", id="szeged", title="Szeged"),
    *(Text(f"Note {i} is about trains and rain.", id=f"f{i}") for i in range(10)),
)
FAKE = ["-s", "embedder.name=fake", "-s", "walk.memory=false"]


@pytest.fixture
def base(tmp_path: Path) -> str:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add(TEXTS)
    return str(tmp_path / "kb")


def run(base: str, *arguments: str) -> Result:
    return CliRunner().invoke(rove, [*arguments, "-k", base, *FAKE], catch_exceptions=False)


def test_lines_in_a_pipe_tell_rounds_facts_leads_and_the_answer(base: str) -> None:
    done = run(base, "walk", QUESTION)
    assert done.exit_code == 0
    for wanted in (
        QUESTION,
        "Round 1",
        "✓ Szeged lies on the river Tisza.",
        "⇢ the question",
        "rounds ·",
        "open: rove",
    ):
        assert wanted in done.stdout, wanted
    assert "\x1b[" not in done.stdout
    assert "No chat model" in done.stderr


def test_json_is_a_line_for_each_event(base: str) -> None:
    done = run(base, "walk", QUESTION, "--json", "--rounds", "1", "--where", "document_id!=szeged")
    events = [from_line(line) for line in done.stdout.splitlines()]
    assert isinstance(events[0], WalkStarted)
    assert events[0].budget.rounds == 1
    assert isinstance(events[-1], Answered)
    assert "Tisza" not in done.stdout


def test_walks_are_listed_shown_replayed_forked_exported_and_deleted(base: str, tmp_path: Path) -> None:
    run(base, "walk", QUESTION)
    listed = json.loads(run(base, "walks", "--json").stdout)
    assert [info["question"] for info in listed] == [QUESTION]
    name = listed[0]["walk_id"]
    assert name in run(base, "walks").stdout
    assert "f1" in run(base, "walks", "show", name[:5]).stdout
    assert "Round 1" in run(base, "walks", "replay").stdout
    assert run(base, "walks", "fork", name, "--at", "4").exit_code == 0
    assert len(json.loads(run(base, "walks", "list", "--json").stdout)) == 2
    file = tmp_path / "walk.jsonl"
    assert run(base, "walks", "export", name, "--file", str(file)).exit_code == 0
    assert run(base, "walks", "delete", name).exit_code == 0
    assert run(base, "walks", "import", "--file", str(file)).exit_code == 0
    assert name in run(base, "walks").stdout
    assert run(base, "walks", "resume", name).exit_code == 0
    gone = json.loads(run(base, "walks", "--json").stdout)[0]["rounds"]
    further = run(base, "walks", "resume", name, "--rounds", "1")
    assert f"Round {gone + 1}" in further.stdout
    assert f"Round {gone + 2}" not in further.stdout
    missing = run(base, "walks", "show", "zzz")
    assert missing.exit_code == 2
    assert "There is no walk 'zzz'" in missing.stderr


def _standing() -> State:
    facts = (Fact("fact1", "One.", 1.0, 1), Fact("fact2", "Two.", 0.5, 1))
    leads = (Lead("lead1", "A", "name", 1, score=0.1), Lead("lead2", "B", "name", 1, score=0.9))
    return folded([*map(FactFound, facts), *map(LeadFound, leads)])


def test_the_edit_reads_what_is_typed() -> None:
    state = _standing()
    assert parse_edit("fact It rains.", state).facts[0].text == "It rains."
    assert parse_edit("lead the 雨 report", state).leads[0].text == "the 雨 report"
    assert parse_edit("question Wer?", state).question == "Wer?"
    assert parse_edit("drop f2, l1", state).dropped == ("fact2", "lead2")  # l1 is the most promising lead
    assert parse_edit("budget rounds=9 seconds=1.5", state).budget.rounds == 9
    for bad in ("fact", "drop f7", "drop x", "budget rounds", "budget lives=9", "budget rounds=-1", "dance"):
        with pytest.raises(InputError):
            parse_edit(bad, state)
    assert (choice_of("q"), choice_of(" RESUME "), choice_of("drop f1")) == (EditChoice.QUIT, EditChoice.RESUME, None)


SLOW = """
import asyncio, sys
from rove.models.fake import FakeEmbedder
inner = FakeEmbedder.passages
async def slow(self, texts):
    await asyncio.sleep(float({delay}))
    return await inner(self, texts)
FakeEmbedder.passages = slow
"""


@pytest.fixture
def slow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Child processes embed slowly, so that there is a walk to interrupt."""
    (tmp_path / "sitecustomize.py").write_text(SLOW.format(delay=2.0), "utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))


@pytest.mark.usefixtures("slow")
def test_ctrl_c_opens_the_edit_and_the_walk_goes_on_after_it(base: str) -> None:
    terminal = Terminal("walk", QUESTION, "-k", base, *FAKE)
    terminal.until("reading")
    terminal.interrupt()
    terminal.until("Paused.")
    terminal.until("edit")
    terminal.type("fact The town is in Hungary.\r")
    terminal.until("The town is in Hungary.")
    terminal.until("— you")
    terminal.type("nonsense\r")
    terminal.until("not a command")
    terminal.type("resume\r")
    terminal.until("Tisza")
    terminal.until("open: rove inspect")
    assert terminal.status() == 0
    with Rove.open(base, embedder={"name": "fake"}) as kb:
        assert "The town is in Hungary." in {fact.text for fact in kb.take_up("last").state.facts}


@pytest.mark.usefixtures("slow")
def test_a_walk_that_was_left_can_be_resumed(base: str) -> None:
    terminal = Terminal("walk", QUESTION, "-k", base, *FAKE)
    terminal.until("reading")
    terminal.interrupt()
    terminal.until("edit")
    terminal.type("quit\r")
    terminal.until("rove walks resume")
    assert terminal.status() == 130
    done = run(base, "walks", "resume")
    assert done.exit_code == 0
    assert "Tisza" in done.stdout


@pytest.mark.usefixtures("slow")
def test_in_a_pipe_ctrl_c_leaves_it_resting(base: str) -> None:
    command = [sys.executable, "-c", "from rove.cli import main; main()", "walk", QUESTION, "-k", base, *FAKE]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        while "the question" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "rove walks resume" in errors
    assert json.loads(run(base, "walks", "--json").stdout)[0]["status"] == "paused"

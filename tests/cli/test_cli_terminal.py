"""The command line in a terminal: colours, highlighted words, lines that are edited, completion, what is imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cli.terminal import Terminal
from rove import Rove, Text
from rove.cli.add import AddBar
from rove.cli.session import Session
from rove.events import AddStarted, ChunksEmbedded, SourceDone, SourcesAt
from rove.records.ledger import LedgerEntry

ROVE = Path(sys.executable).with_name("rove")
FAKE = ("-s", "embedder.name=fake")
HEAVY = {"numpy", "pydantic", "sqlalchemy", "rich", "onnxruntime", "httpx", "fastapi", "pyarrow", "asyncio", "email"}
"""Packages that take longer to import than a person waits for help."""
PROMPT = "\x1b[1;36m>\x1b[0m "
POLICY = "# Remote work\n\nRemote work is approved by the head of unit. Chairs are lent.\n"


@pytest.fixture
def base(tmp_path: Path) -> str:
    (tmp_path / "policy.md").write_text(POLICY, "utf-8")
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add(tmp_path / "policy.md", Text("Tea is served at four.", id="tea"))
    return str(tmp_path / "kb")


# -- colours -----------------------------------------------------------------------------------------------------------


def test_the_words_of_the_question_are_highlighted_and_scores_are_not_shown(base: str) -> None:
    terminal = Terminal("search", "Who", "approves", "working", "remotely?", "-k", base, *FAKE)
    terminal.until("policy.md")
    terminal.until("\x1b[1;33mRemote\x1b[0m \x1b[1;33mwork\x1b[0m is \x1b[1;33mapproved\x1b[0m by")
    assert terminal.status() == 0
    assert "keyword 1" not in terminal.screen
    told = Terminal("search", "remote", "work", "-v", "-k", base, *FAKE)
    told.until("(keyword 1")
    assert told.status() == 0


def test_a_heading_is_shown_once(base: str) -> None:
    done = run("search", "remote work", "-k", base, *FAKE, "--top", "1")
    path, heading, passage = done.stdout.splitlines()
    assert path.startswith("1. ")
    assert "policy.md · " in path
    assert (heading.strip(), passage.strip()) == (
        "Remote work",
        "Remote work is approved by the head of unit. Chairs are lent.",
    )


def test_no_colour_where_none_is_wanted(base: str) -> None:
    terminal = Terminal("search", "remote", "work", "-k", base, *FAKE, NO_COLOR="1")
    terminal.until("is approved by")
    assert terminal.status() == 0
    assert "\x1b[1;33m" not in terminal.screen


def test_one_file_of_no_known_type_is_one_line(base: str, tmp_path: Path) -> None:
    file = tmp_path / "x.bin"
    file.write_bytes(bytes(range(256)) * 8)
    terminal = Terminal("add", str(file), str(tmp_path / "policy.md"), "-k", base, *FAKE, COLUMNS="60")
    terminal.until("1 unchanged, 1 failed")
    terminal.until(f"{file}: unsupported: ")
    assert terminal.status() == 1
    assert str(file) not in terminal.screen


def test_the_bar_of_add_shows_chunks_what_is_read_and_what_is_left(tmp_path: Path) -> None:
    bar = AddBar(Session([str(tmp_path)], ()))
    bar.progress.disable = False
    files = [tmp_path / f"{number}.md" for number in range(3)]
    for file in files:
        file.write_text("x" * 999, "utf-8")
    bar(AddStarted(3, 3 * 999))
    bar(SourcesAt("reading", tuple(map(str, files[:1]))))
    bar(ChunksEmbedded(1))
    task = bar.progress.tasks[0]
    assert task.fields["at"] == "sources · 1 chunk · 0 failed · 0.md"
    bar(SourceDone(LedgerEntry(str(files[0]), "live"), unchanged=True))
    assert task.fields["rest"] == ""  # what takes no time says nothing
    bar.progress.start_task(bar.task)
    bar(SourceDone(LedgerEntry(str(files[1]), "live")))
    assert task.fields["rest"].startswith("about ")
    bar(SourceDone(LedgerEntry(str(files[2]), "live")))
    assert (task.completed, task.fields["rest"]) == (3, "")


# -- lines that are edited ---------------------------------------------------------------------------------------------


def test_chat_brings_back_and_edits_what_was_typed(base: str) -> None:
    terminal = Terminal("chat", "-k", base, *FAKE)
    terminal.until("Ask away")
    terminal.until(PROMPT)
    terminal.type("When is tea served?\r")
    terminal.until("Tea is served at four.")
    terminal.until(PROMPT)
    terminal.type("\x1b[A")  # the arrow upwards
    terminal.until("When is tea served?")
    terminal.type("\x01\x0b/he\t\r")  # to the beginning, drop the rest; then a command, completed
    terminal.until("/help")
    terminal.until("/suggest, /quit")
    terminal.until(PROMPT)
    terminal.type("/quit\r")
    assert terminal.status() == 0


def test_what_was_typed_is_not_kept(base: str, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    terminal = Terminal("chat", "-k", base, *FAKE, HOME=str(home))
    terminal.until(PROMPT)
    terminal.type("/help\r")
    terminal.until("/suggest, /quit")
    terminal.until(PROMPT)  # what comes before it would be lost
    terminal.type("\x04")
    assert terminal.status() == 0
    assert not [path for path in home.rglob("*") if path.is_file()]


# -- completion --------------------------------------------------------------------------------------------------------


def run(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([ROVE, *words], capture_output=True, text=True, check=False, env={**os.environ, **more})


def completed(line: str, **more: str) -> list[str]:
    """What bash is offered at the end of a line."""
    words = line.split(" ")
    asked = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), "_ROVE_COMPLETE": "bash_complete"}
    return [found.partition(",")[2] for found in run(**asked, **more).stdout.splitlines()]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_what_a_shell_reads(shell: str) -> None:
    done = run("completion", shell)
    assert done.returncode == 0
    assert "_ROVE_COMPLETE" in done.stdout
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=done.stdout, text=True, check=True)


def test_commands_options_and_values_are_completed(base: str) -> None:
    assert completed("rove wal") == ["walk", "walks"]
    assert "--mode" in completed("rove search --m")
    assert completed("rove search x --mode s") == ["semantic", "sparse", "summaries", "schema"]
    assert completed("rove eval set --mode hy") == ["hybrid"]
    assert completed("rove walks re") == ["resume", "replay"]
    assert completed("rove enrich gr") == ["graph"]
    assert completed("rove inspect te", ROVE_KB=base) == ["te", "tea"]  # the first: files, which the shell names
    assert completed(f"rove inspect --kb {base} te")[1] == "tea"
    assert completed(f"rove --kb {base} inspect te")[1] == "tea"
    assert completed("rove walks show ", ROVE_KB=base) == ["last"]


@pytest.mark.parametrize(
    "words",
    [
        ("--help",),
        ("search", "--help"),
        ("sweep", "--help"),
        ("flow", "run", "--help"),
        ("serve", "key", "--help"),
        ("completion", "fish"),
    ],
)
def test_help_and_completion_import_nothing_heavy(words: tuple[str, ...]) -> None:
    assert not loaded(words) & HEAVY


def loaded(words: tuple[str, ...]) -> set[str]:
    """The packages that a call has imported by its end."""
    script = (
        "import sys\nfrom rove.cli import rove\n"
        f"try:\n    rove.main({list(words)!r}, prog_name='rove')\nexcept SystemExit as end:\n    assert not end.code\n"
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stderr.split())

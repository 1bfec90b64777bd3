"""`rove questions`: made, reviewed, judged and compared, in a pipe and in a terminal."""

from __future__ import annotations

import errno
import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rove.cli import rove
from rove.evaluate.dataset import read_dataset
from rove.evaluate.dataset.resolve import resolve
from rove.records import Text
from rove.sync import Rove

Run = Callable[..., Result]
ROVE = Path(sys.executable).with_name("rove")
BODY = "It is approved by the head of unit within five working days, in writing, and not later."


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    text = "\n\n".join(f"## {topic} in the office\n\n{BODY}" for topic in ("Parking", "Dogs", "Remote work"))
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add(Text(text, id="rules", kind="markdown"), Text("休暇は三十日です。", id="休暇"))
    return tmp_path / "kb"


@pytest.fixture
def run(kb: Path) -> Run:
    def call(*arguments: object, input: str = "") -> Result:
        words = [str(argument) for argument in arguments]
        options = ["--kb", str(kb), "--set", "embedder.name=fake"]
        return CliRunner().invoke(rove, ["questions", *words, *options], input=input)

    return call


def test_from_a_base_to_a_reviewed_dataset(tmp_path: Path, kb: Path, run: Run) -> None:
    file = tmp_path / "made.csv"
    done = run("make", file, "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout) == {"file": str(file), "questions": 3, "rejected": {}}
    first = run("review", file, "--annotator", "ann", input="y\ne Put better, once and for all?\n")
    assert first.exit_code == 0, first.output
    assert "What is said about" in first.stdout
    assert BODY in " ".join(first.stdout.split())
    assert "2 done, 1 left." in first.stdout
    second = run("review", file, "--annotator", "ann", "--json", input="n\nn\n")
    assert json.loads(second.stdout) == {"file": str(file), "done": 1, "left": 0}
    questions = read_dataset(file).questions
    assert len(questions) == 2
    assert questions[1].text == "Put better, once and for all?"
    with Rove.open(kb, embedder={"name": "fake"}) as base:
        data = resolve(read_dataset(file), base.documents())
        assert {key for grades in data.gold.values() for key in grades} == {"rules"}


def test_agreement_of_two_annotators(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "made.jsonl"
    run("make", file)
    nobody = run("agree", file)
    assert nobody.exit_code == 2
    assert "rove questions review" in nobody.stderr
    run("review", file, "-a", "ann", input="y\nn\ny\n")
    run("review", file, "-a", "bob", input="y\nn\nn\n")
    found = json.loads(run("agree", file, "--json").stdout)
    assert (found["annotators"], found["items"], found["pairs"]) == (2, 3, pytest.approx(2 / 3))
    assert "Krippendorff" in run("agree", file).stdout


def test_a_run_is_judged_and_becomes_qrels(tmp_path: Path, run: Run) -> None:
    trec = tmp_path / "run.txt"
    trec.write_text("q1 Q0 rules 1 2.0 x\nq1 Q0 休暇 2 1.0 x\nq1 Q0 gone 3 0.5 x\n", encoding="utf-8")
    first = run("judge", trec, "--annotator", "ann", input="1\n")
    assert first.exit_code == 0, first.output
    assert "1 done, 2 left." in first.stdout
    second = run("judge", trec, "-a", "ann", input="2\ns\n")
    assert "2 done, 0 left." in second.stdout
    assert "does not hold it" in first.stdout + second.stdout
    qrels = tmp_path / "qrels.tsv"
    assert run("agree", trec, "--qrels", qrels, "--json").exit_code == 0
    grades = sorted(line.split("\t")[2] for line in qrels.read_text("utf-8").splitlines())
    assert grades == ["1", "2"]


def test_errors_name_the_cure(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "made.jsonl"
    run("make", file)
    again = run("make", file)
    assert again.exit_code == 2
    assert "--force" in again.stderr
    assert run("make", file, "--force", "-n", 1).exit_code == 0
    wrong = run("review", file, input="maybe\n")
    assert wrong.exit_code == 2
    assert "'maybe'" in wrong.stderr
    assert run("make", tmp_path / "made.txt").exit_code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_in_a_terminal_one_key_is_enough(tmp_path: Path, kb: Path, run: Run) -> None:
    import pty  # noqa: PLC0415 - not on every system

    file = tmp_path / "made.jsonl"
    run("make", file)
    outer, inner = pty.openpty()
    command = [ROVE, "questions", "review", file, "--annotator", "ann", "--kb", kb, "--set", "embedder.name=fake"]
    keys, shown = [b"y", b"xn", b"q"], b""  # x means nothing and is passed over
    with subprocess.Popen(list(map(str, command)), stdin=inner, stdout=inner, stderr=inner) as process:
        os.close(inner)
        try:
            while piece := _read(outer):
                shown += piece
                if keys and shown.count(b"[q] quit") > 3 - len(keys):
                    _press(outer, keys.pop(0))
        except BaseException:
            process.kill()
            raise
        assert process.wait() == 0, shown.decode("utf-8", "replace")
    os.close(outer)
    assert "2 done, 1 left." in shown.decode("utf-8", "replace")


def _read(terminal: int) -> bytes:
    """What the program shows next; nothing when it has ended."""
    assert select.select([terminal], [], [], 60)[0], "the program shows nothing more, and does not end"
    try:
        return os.read(terminal, 65536)
    except OSError as error:
        if error.errno != errno.EIO:
            raise
        return b""


def _press(terminal: int, keys: bytes) -> None:
    for key in keys:
        time.sleep(0.5)  # what is typed before the program waits for it is thrown away
        os.write(terminal, bytes([key]))

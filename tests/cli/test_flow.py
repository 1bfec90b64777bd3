"""`rove flow`: templates are listed, drawn and checked; a run asks, waits, is resumed and forgotten."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rove import Rove, Text
from rove.cli import rove

MINE = """
[steps.name]
use = "human"
question = "Who?"
options = ["me", "you"]
[steps.found]
use = "search"
question = "$input.question"
top_k = 1
[output]
name = "$name"
text = "$found.0.chunk.text"
"""


@pytest.fixture
def kb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kb.toml").write_text('path = "kb"\n[embedder]\nname = "fake"\n')
    with Rove.open(tmp_path / "kb.toml") as base:
        base.add(Text("Remote work is approved by the head of unit.", id="policy"))
    (tmp_path / "mine.toml").write_text(MINE)
    return tmp_path / "kb.toml"


def called(*args: str) -> Result:
    return CliRunner().invoke(rove, ["flow", *args])


def test_templates_and_operators_are_listed_and_drawn(kb: Path) -> None:
    assert "simple\tquestion\tSearch once" in called("list").stdout
    assert "human\tquestion, [options]\tstr\tAsk a person" in called("operators").stdout
    assert "├ found: retrieve  ← reply, understood  [when not reply]" in called("show", "simple").stdout
    assert called("show", "simple", "--mermaid").stdout.startswith("flowchart TD\n")
    assert called("show", "simple", "--svg").stdout.startswith("<svg ")
    assert called("show", "simple", "--source").stdout.startswith("# What `rove ask` does")


def test_a_file_is_checked(kb: Path) -> None:
    assert called("check", "mine.toml").stdout == "mine.toml: 2 steps, nothing wrong.\n"
    (kb.parent / "mine.toml").write_text(MINE.replace('use = "search"', 'use = "serch"'))
    done = called("check", "mine.toml")
    assert done.exit_code == 1
    assert "mine.toml: steps.found: No operator is named 'serch'." in done.stdout
    assert "Did you mean 'search'?" in done.stdout
    assert called("run", "mine.toml", "x", "--kb", str(kb)).exit_code == 2


def test_a_run_waits_and_is_resumed_and_forgotten(kb: Path) -> None:
    waiting = called("run", "mine.toml", "Who approves remote work?", "--kb", str(kb), "--json")
    assert waiting.exit_code == 3
    told = [json.loads(line) for line in waiting.stdout.splitlines()]
    assert told[-1]["status"] == "waiting"
    assert [one["data"]["key"] for one in told[:-1] if one["event"] == "StepWaits"] == ["name"]
    run_id = told[-1]["run"]
    assert f"{run_id}\tmine\twaiting\t1\t" in called("runs", "--kb", str(kb)).stdout
    assert called("resume", run_id, "--reply", "nobody=me", "--kb", str(kb)).exit_code == 2
    done = called("resume", run_id, "--reply", "name=me", "--kb", str(kb))
    assert done.exit_code == 0
    assert done.stdout == "name: me\ntext: Remote work is approved by the head of unit.\n"
    assert called("forget", run_id, "--kb", str(kb)).exit_code == 0
    assert called("runs", "--kb", str(kb)).stdout == ""


def test_a_template_answers_in_the_terminal(kb: Path) -> None:
    done = called("run", "simple", "question=Who approves remote work?", "--kb", str(kb))
    assert done.exit_code == 0
    assert "Remote work is approved by the head of unit. [1]" in done.stdout


NEEDY = """
[steps.asked]
use = "sql"
question = "$input.question"
database = "shpo"
[steps.called]
use = "tool"
request = "$input.question"
tool = "get_forecas"
[output]
asked = "$asked"
called = "$called"
"""


def test_a_file_is_checked_against_the_base(kb: Path) -> None:
    Path("needy.toml").write_text(NEEDY)
    done = called("check", "needy.toml", "--kb", "kb.toml")
    assert done.exit_code == 1
    assert "steps.asked.database: There is no [databases.shpo] in the settings." in done.output
    assert "steps.called.tool: No tool is set up." in done.output
    settings = """
[databases.shop]
url = "sqlite:///shop.sqlite"
[tools.mine]
kind = "python"
functions = ["tools.tool_servers:get_forecast"]
"""
    kb.write_text(kb.read_text() + settings)
    told = json.loads(called("check", "needy.toml", "--kb", "kb.toml", "--json").stdout)
    assert [one["place"] for one in told] == ["steps.asked.database", "steps.called.tool"]
    assert "Did you mean 'shop'?" in told[0]["cure"]
    assert "Did you mean 'get_forecast'?" in told[1]["cure"]
    Path("needy.toml").write_text(NEEDY.replace("shpo", "shop").replace("get_forecas", "get_forecast"))
    assert called("check", "needy.toml", "--kb", "kb.toml").output == "needy.toml: 2 steps, nothing wrong.\n"
    with Rove.open(kb) as base:  # a check writes nothing: no tool became a document
        assert [info.document_id for info in base.documents()] == ["policy"]


def test_without_a_base_a_check_says_that_it_did_not_look(kb: Path) -> None:
    Path("needy.toml").write_text(NEEDY)
    done = called("check", "needy.toml", "--kb", "nowhere")
    assert done.exit_code == 0
    assert "There is no base in nowhere" in done.output.replace("\n", " ")
    assert not Path("nowhere").exists()

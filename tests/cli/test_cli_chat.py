"""`rove chat` in a pipe: questions lean on each other, commands work, errors end nothing, JSON is one line each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rove import Rove, Text
from rove.cli import rove


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("chat") / "kb"
    with Rove.open(made, embedder={"name": "fake"}) as kb:
        kb.add(
            Text("Remote work is approved by the head of the unit. Remote work applies since 2021.", id="remote"),
            Text("The deck opens at seven. Parking applies since 1999.", id="parking", metadata={"topic": "cars"}),
            Text("远程办公由部门主管批准。", id="zh"),
        )  # fmt: skip
    return made


def talk(base: Path, *lines: str, flags: tuple[str, ...] = ()) -> Result:
    words = ["chat", "--kb", str(base), "--set", "embedder.name=fake", *flags]
    result = CliRunner().invoke(rove, words, input="\n".join(lines))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def answers(result: Result) -> list[dict]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_question_leans_on_the_one_before(base: Path) -> None:
    first, second = answers(talk(base, "Who approves remote work?", "And since when?", flags=("--json",)))
    assert first["answer"]["question"] == "Who approves remote work?"
    assert second["understood"]["standalone"] == "And since when? (approves remote work)"
    assert second["answer"]["question"] == "And since when?"
    assert "2021" in second["answer"]["text"]
    assert second["gathered"] is None


def test_a_new_conversation_forgets(base: Path) -> None:
    found = answers(talk(base, "Who approves remote work?", "/new", "And since when?", flags=("--json",)))
    assert found[1]["understood"]["standalone"] == "And since when?"


def test_where_narrows_and_widens(base: Path) -> None:
    result = talk(base, "/where topic=cars", "What applies since when?", "/where", "What applies?", flags=("--json",))
    narrow, wide = answers(result)
    assert {hit["chunk"]["document_id"] for hit in narrow["answer"]["hits"]} == {"parking"}
    assert len(wide["answer"]["hits"]) == 3


def test_plain_in_a_pipe(base: Path) -> None:
    result = talk(base, "", "谁批准远程办公？", "/quit", "never asked")
    assert "远程办公由部门主管批准。 [1]" in result.stdout
    assert "\x1b" not in result.output
    assert "never asked" not in result.output
    assert result.exit_code == 0


def test_an_error_ends_nothing_and_shows_in_the_exit_status(base: Path) -> None:
    result = talk(base, "/nonsense", "/where !!", "Who approves remote work?")
    assert "There is no command /nonsense" in result.stderr
    assert "head of the unit" in result.stdout
    assert result.exit_code == 1
    found = answers(talk(base, "/nonsense", flags=("--json",)))
    assert found == [{"error": "ConfigError", "reason": "There is no command /nonsense.", "cure": found[0]["cure"]}]


def test_a_setting_of_the_user_wins(base: Path) -> None:
    flags = ("--json", "--set", "question.reform=off")
    assert answers(talk(base, "Remote work?", "And since when?", flags=flags))[1]["understood"]["steps"] == []


def test_what_was_asked_is_suggested(base: Path) -> None:
    flags = ("--json", "--set", "question.log=true")
    result = talk(base, "Who approves remote work?", "/suggest who", "/suggest quantum", flags=flags)
    assert answers(result)[1:] == [{"suggestions": ["Who approves remote work?"]}, {"suggestions": []}]

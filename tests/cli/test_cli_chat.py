"""`rove chat` in a pipe: questions lean on each other, commands work, errors end nothing, JSON is one line each."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rove import InputError, Rove, Text
from rove.cli import rove
from rove.cli.chat import gathering_of
from rove.records import Gathered, GatherRound, Graded, Searched, Sufficiency, Understood


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


@pytest.fixture
def own_base(tmp_path: Path) -> Path:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add(
            Text("Remote work is approved by the head of the unit. Remote work applies since 2021.", id="remote"),
            Text("A távmunkát az osztályvezető hagyja jóvá. A távmunka 2020 óta érvényes.", id="hu"),
            Text("远程办公由部门主管批准。", id="zh"),
        )
    return tmp_path / "kb"


def kept(base: Path) -> list[dict]:
    return json.loads(talk(base, flags=("--list", "--json")).stdout)


def test_a_pipe_keeps_nothing_unless_it_is_told_to(own_base: Path) -> None:
    (told,) = answers(talk(own_base, "Who approves remote work?", flags=("--json",)))
    assert "conversation_id" not in told
    assert kept(own_base) == []
    assert "No conversation is kept." in talk(own_base, flags=("--list",)).stderr
    result = talk(own_base, flags=("--resume",))
    assert result.exit_code == 2
    assert "rove chat --list" in result.stderr


def test_a_conversation_that_is_kept_is_gone_on_with_by_another_process(own_base: Path) -> None:
    (first,) = answers(talk(own_base, "Who approves remote work?", flags=("--json", "--keep")))
    other, another = answers(talk(own_base, "谁批准远程办公？", "/new", "Ki hagyja jóvá?", flags=("--json", "--keep")))
    named = [one["conversation_id"] for one in (another, other, first)]
    assert len(set(named)) == 3
    assert [one["conversation_id"] for one in kept(own_base)] == named
    assert [one["title"] for one in kept(own_base)] == [
        "Ki hagyja jóvá?",
        "谁批准远程办公？",
        "Who approves remote work?",
    ]
    (second,) = answers(talk(own_base, "And since when?", flags=("--json", "--resume", first["conversation_id"][:6])))
    assert second["understood"]["standalone"] == "And since when? (approves remote work)"
    assert "2021" in second["answer"]["text"]
    assert second["conversation_id"] == first["conversation_id"]
    assert kept(own_base)[0]["turns"] == 2
    resumed = talk(own_base, "And since when?", flags=("--resume",))
    assert "> Who approves remote work?" in resumed.stderr
    assert "> And since when?" in resumed.stderr
    assert kept(own_base)[0]["turns"] == 3


def test_what_fails_in_a_kept_conversation_is_a_turn_and_ends_nothing(own_base: Path) -> None:
    lines = ["Who approves remote work?", "/where nosuch=1", "/where =", "And since when?"]
    result = talk(own_base, *lines, flags=("--json", "--keep"))
    assert result.exit_code == 1
    assert kept(own_base)[0]["turns"] == 2
    with Rove.open(own_base, embedder={"name": "fake"}) as kb:
        turns = kb.conversation(kept(own_base)[0]["conversation_id"])
    assert [(turn.number, turn.state) for turn in turns] == [(1, "done"), (2, "done")]


def test_an_erased_document_leaves_the_conversation(own_base: Path) -> None:
    (told,) = answers(talk(own_base, "Who approves remote work?", flags=("--json", "--keep")))
    with Rove.open(own_base, embedder={"name": "fake"}) as kb:
        kb.delete("remote")
        (turn,) = kb.conversation(told["conversation_id"])
    assert turn.question == "Who approves remote work?"
    assert "head of the unit" not in (turn.answer.text if turn.answer else "")


def test_conversations_of_others_are_not_found(own_base: Path) -> None:
    with Rove.open(own_base, embedder={"name": "fake"}) as kb:
        theirs = kb.begin_conversation(owner="anna")
        kb.converse(theirs, "Who approves remote work?", owner="anna")
        assert kb.conversations() == []
        assert [one.title for one in kb.conversations(owner="anna")] == ["Who approves remote work?"]
        with pytest.raises(InputError):
            kb.converse(theirs, "And since when?")
        with pytest.raises(InputError):
            kb.conversation(theirs)


def test_a_gathering_is_told_with_its_rounds_grades_and_sufficiency() -> None:
    rounds = tuple(GatherRound(n, (Searched("?", "", 9, new),)) for n, new in ((1, 9), (2, 3)))
    grades = tuple(Graded(f"c{n}", grade, "text") for n, grade in enumerate((2, 1, 1, 0)))
    gathered = Gathered(Understood("?", "?", "en"), (), rounds, Sufficiency(False, "text", "Nothing answers."), grades)
    assert gathering_of(gathered) == (
        "Gathered in 2 rounds (new: 9, 3 passages; graded 2: 1, 1: 2, 0: 1). Enough: no. Nothing answers."
    )

"""`rove memory`, and the path of an answer: in a pipe, in a terminal, as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from rove.cli import rove
from rove.cli.explain import branch_of, show_path, tree_lines
from rove.cli.output import Output
from rove.errors import count_text
from rove.records import Answer, Citation, PathStep, Text
from rove.sync import Rove

QUESTION = "Where was the founder of Acme born?"
TEXTS = [
    Text("Acme makes shoes. The founder of Acme is Ada Byron, a cobbler.", id="acme", title="Acme"),
    Text("Ada Byron was born in Netherby. She had two brothers.", id="byron", title="Ada Byron"),
    *(Text(f"Notes on barn {i}: it was painted in {1900 + i}.", id=f"x{i}") for i in range(12)),
]


@pytest.fixture
def base(tmp_path: Path) -> Iterator[str]:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add(TEXTS)
    yield str(tmp_path / "kb")


def run(base: str, *words: str, answer: str | None = None) -> Result:
    settings = ["-k", base, "-s", "embedder.name=fake", "-s", "walk.first_chunks=1", "-s", "walk.lead_chunks=1"]
    return CliRunner().invoke(rove, [*words, *settings], input=answer)


def test_what_walks_learned_is_listed_searched_edited_and_erased(base: str) -> None:
    nothing = run(base, "memory", "list")
    assert nothing.stdout == ""
    assert nothing.stderr == "Walks have learned nothing yet. Begin one with: rove walk QUESTION\n"
    assert run(base, "ask", "--walk", QUESTION).exit_code == 0
    listed = run(base, "memory", "list").output
    assert "Ada Byron was born in Netherby." in listed
    facts = json.loads(run(base, "memory", "list", "--json").output)
    name = next(fact["memory_id"] for fact in facts if "Netherby" in fact["text"])
    found = json.loads(run(base, "memory", "search", "born in Netherby", "--json", "-n", "1").output)
    assert [fact["memory_id"] for fact in found] == [name]
    assert "answer\tsection\tAda Byron" in run(base, "memory", "leads").output
    assert "Ada comes from Netherby." in run(base, "memory", "edit", name[:8], "Ada comes from Netherby.").output
    assert json.loads(run(base, "memory", "forget", name, "--json").output) == {"forgotten": 1}
    assert run(base, "memory", "clear", answer="n\n").exit_code == 1
    assert len(json.loads(run(base, "memory", "list", "--json").output)) == len(facts) - 1
    assert run(base, "memory", "clear", "--yes").output == f"{count_text(len(facts) - 1, 'fact')} forgotten\n"
    assert json.loads(run(base, "memory", "leads", "--json").output) == []


def test_an_unknown_fact_is_an_error_with_its_cure(base: str) -> None:
    for words in (("memory", "forget", "nope"), ("memory", "edit", "nope", "x")):
        failed = run(base, *words)
        assert failed.exit_code == 2
        assert "rove memory list" in failed.output


def test_the_path_is_told_in_a_pipe_and_as_json(base: str) -> None:
    shown = run(base, "ask", "--walk", "--explain", QUESTION).output
    tree = shown[shown.index(QUESTION) :].splitlines()
    assert tree[1].startswith("  [1] ")
    assert tree[1].endswith("The founder of Acme is Ada Byron, a cobbler. — Acme (round 1)")
    assert tree[2] == "    → Ada Byron (section)"
    assert tree[3].endswith("Ada Byron was born in Netherby. — Ada Byron (round 2)")
    answer = json.loads(run(base, "ask", "--walk", "--json", "-s", "walk.memory=false", QUESTION).output)
    assert [(step["round"], step["lead"]) for step in answer["path"]][:2] == [(1, ""), (2, "Ada Byron")]


def test_only_a_walk_can_be_explained(base: str) -> None:
    failed = run(base, "ask", "--explain", QUESTION)
    assert failed.exit_code == 2
    assert "--walk" in failed.output


def test_the_path_is_drawn_in_a_terminal_and_no_text_of_a_document_steers_it() -> None:
    citation = Citation(1, "c", "d", "u", "T[red]itle", "x", (0, 1))
    path = (
        PathStep("a", "One [bold]fact[/bold] \x1b[31m.", 1, citation=citation, used=True),
        PathStep("b", "Next.", 2, "name\nof it", "name", "a", citation),
        PathStep("lost", "Its parent is itself.", 2, "x", "name", "lost"),
        PathStep("left", "From what was dropped.", 3, "y", "page", "gone"),
        PathStep("m", "From before.", 0),
    )
    answer = Answer("Who [i]?", "", "extractive", "en", path=path)
    assert list(tree_lines(branch_of(answer))) == [
        "Who [i]?",
        "  [1] One [bold]fact[/bold] \x1b[31m. — T[red]itle (round 1)",
        "    → name of it (name)",
        "      Next. — T[red]itle (round 2)",
        "  → x (name)",
        "    Its parent is itself. (round 2)",
        "  → y (page)",
        "    From what was dropped. (round 3)",
        "  From before. (remembered)",
    ]
    output = Output(as_json=False)
    output.console = Console(force_terminal=True, width=100, record=True, file=None, color_system=None)
    output.terminal = True
    with output.console.capture() as captured:
        show_path(output, answer)
    assert "├── [1] One [bold]fact[/bold] [31m." in captured.get()
    assert "└── → name of it (name)" in captured.get()

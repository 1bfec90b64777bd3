"""`rove enrich` and `rove graph`: what it costs before it begins, what is said of a thing, and the files it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rove import Rove, Text
from rove.cli import rove
from rove.models.fake import FakeEmbedder

TEXT = "Marie Curie was born in Warsaw. Marie Curie won the Nobel Prize."


@pytest.fixture
def base(tmp_path: Path) -> str:
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "rove.toml").write_text('embedder = {name = "fake"}\n', "utf-8")
    with Rove.open(tmp_path / "kb", embedder=FakeEmbedder()) as kb:
        kb.add(Text(TEXT, id="curie", title="Marie Curie"), Text("Oslo lies in Norway.", id="oslo", title="Oslo"))
    return str(tmp_path / "kb")


def run(base: str, *arguments: str, **more: str) -> Result:
    return CliRunner().invoke(rove, [arguments[0], "--kb", base, *arguments[1:]], **more)  # type: ignore[arg-type]


def test_a_graph_is_made_and_shown_with_its_words(base: str) -> None:
    assert "Make it: rove enrich graph" in run(base, "graph", "Warsaw").stderr
    made = run(base, "enrich", "graph")
    assert "graph: found in 2 documents, 2 changed" in made.stdout
    assert "0 changed" in run(base, "enrich", "graph").stdout
    shown = run(base, "graph", "Warsaw")
    assert shown.exit_code == 0
    assert "Marie Curie was born in Warsaw\n" in shown.stdout
    assert "curie:0-31" in shown.stdout
    assert "Nobel" not in shown.stdout
    assert "Nobel Prize" in run(base, "graph", "Warsaw", "--depth", "2").stdout


def test_json_has_all_of_it(base: str) -> None:
    run(base, "enrich", "graph")
    graph = json.loads(run(base, "graph", "Warsaw", "--json").stdout)
    assert {entity["names"][0] for entity in graph["entities"]} == {"Warsaw", "Marie Curie"}
    assert graph["links"][0]["relations"][0]["quote"] == "Marie Curie was born in Warsaw."


@pytest.mark.parametrize(("name", "begins"), [("a.html", "<!doctype html>"), ("a.graphml", "<?xml")])
def test_a_file_is_written(base: str, tmp_path: Path, name: str, begins: str) -> None:
    run(base, "enrich", "graph")
    file = tmp_path / name
    assert run(base, "graph", "--document", "curie", "-o", str(file)).exit_code == 0
    assert file.read_text("utf-8").startswith(begins)
    assert "Nobel Prize" in file.read_text("utf-8")


def test_the_structure_of_a_document_is_shown_and_written(base: str, tmp_path: Path) -> None:
    run(base, "enrich", "graph")
    shown = run(base, "graph", "--document", "curie", "--structure")
    assert shown.stdout.splitlines()[0] == "Marie Curie"
    assert "· Marie Curie, Warsaw, Nobel Prize" in shown.stdout
    file = tmp_path / "s.graphml"
    assert run(base, "graph", "--document", "curie", "--structure", "-o", str(file)).exit_code == 0
    assert "Warsaw" in file.read_text("utf-8")
    assert json.loads(run(base, "graph", "--document", "curie", "--structure", "--json").stdout)["parts"]
    assert "wants one --document" in run(base, "graph", "Warsaw", "--structure").stderr


def test_what_is_wrong_is_said(base: str) -> None:
    run(base, "enrich", "graph")
    unknown = run(base, "graph", "Curie")
    assert unknown.exit_code == 1
    assert "There is: Marie Curie" in unknown.stderr
    assert "neither .html nor .graphml" in run(base, "graph", "Oslo", "-o", "x.txt").stderr
    assert "Name a thing" in run(base, "graph").stderr
    assert "It must be 1 to 5" in run(base, "graph", "Oslo", "--depth", "9").stderr
    assert "Nothing in the base is named" in run(base, "graph", "--document", "nowhere").stderr


def test_a_chat_model_is_not_asked_before_somebody_agrees(base: str) -> None:
    model = ("--set", "chat.model=fake", "--set", "enrich.ask_model=true", "--set", "chat.price_in=2")
    refused = run(base, "enrich", "graph", *model)
    assert refused.exit_code == 2
    assert "'graph' will ask the chat model 2 times" in refused.stderr
    assert "by your prices" in refused.stderr
    assert "--yes" in refused.stderr
    with Rove.open(base, embedder=FakeEmbedder()) as kb:
        assert kb.graph_size() == (0, 0)
    assert run(base, "enrich", "graph", *model, "--yes").exit_code == 0


def test_an_enricher_that_is_not_there_is_said(base: str) -> None:
    assert "graph" in run(base, "enrich", "grpah").stderr

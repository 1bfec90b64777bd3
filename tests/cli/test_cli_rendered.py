"""What the command line shows of marked-up texts: in a pipe, in a terminal, as JSON; equal texts once."""

from __future__ import annotations

import json
import re
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner
from rich.console import Console

from rove.cli import rove
from rove.cli.ask import NEAREST
from rove.cli.output import Output
from rove.language.rendering import render

pytestmark = pytest.mark.long

DOCUMENTS = {
    "en.md": "# Canteen\n\nThe canteen is led by **[Ada Berg](https://c.example/ada)**.[[3]](#cite_note-3) *Big*.\n",
    "de.md": "# Bücherei\n\nDie Bücherei leitet **[Uwe Kranz](/wiki/Kranz)** seit 2015.[^1]\n",
    "hu.md": "# Uszoda\n\nAz uszodát **[Kis Éva](/wiki/Kis)** vezeti 2016 óta.[7]\n",
    "zh.md": "# 校史\n\n图书馆由**[李明](/wiki/李明)**管理。[5]\n",
    "ja.md": "# 食堂\n\n食堂は**[山田](/wiki/山田)**が運営している。[^2]\n",
    "gates.md": "| Gate | Opens |\n| --- | --- |\n| [North](/north) | at **7:30** |\n| South | at 8 |\n",
    "one/note.txt": "The sauna closes on Fridays at noon.\n",
    "two/note.txt": "The sauna  closes on Fridays at noon.\n",
}
SAID = {
    "Who leads the canteen?": ("The canteen is led by Ada Berg. [1]", "links: Ada Berg <https://c.example/ada>"),
    "Wer leitet die Bücherei?": ("Die Bücherei leitet Uwe Kranz seit 2015. [1]", "links: Uwe Kranz </wiki/Kranz>"),
    "Ki vezeti az uszodát?": ("Az uszodát Kis Éva vezeti 2016 óta. [1]", "links: Kis Éva </wiki/Kis>"),
    "谁管理图书馆？": ("图书馆由李明管理。 [1]", "links: 李明 </wiki/李明>"),
    "食堂は誰が運営していますか": ("食堂は山田が運営している。 [1]", "links: 山田 </wiki/山田>"),
}
MARKS = ("](", "**", "[^", "| --- |", "# ", "cite_note", "[7]", "[5]")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shown")
    for name, text in DOCUMENTS.items():
        (folder / "docs" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    piped("add", str(folder / "docs"), base=folder / "kb")
    return folder / "kb"


def piped(*words: str, base: Path) -> str:
    done = CliRunner().invoke(rove, [*words, "--kb", str(base), "--set", "embedder.name=fake"])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("question", SAID)
def test_answers_passages_and_walks_are_read_without_marks(base: Path, question: str) -> None:
    said, links = SAID[question]
    answered, found = piped("ask", question, base=base), piped("search", question, base=base)
    walked = piped("walk", question, base=base)
    assert answered.startswith(said)
    for told in (answered, found, walked):
        assert said.removesuffix(" [1]") in told
        assert links in told or told is walked
        assert not [mark for mark in MARKS if mark in told]


def test_json_has_the_exact_words_and_what_is_shown_of_them(base: Path) -> None:
    (question, (said, _)), *_ = SAID.items()
    told = json.loads(piped("ask", question, "--json", base=base))
    citation = next(one for one in told["sentences"][0]["citations"])
    assert citation["quote"] in DOCUMENTS["en.md"]
    assert citation["quote"] != citation["rendered"]["text"]
    assert f"{citation['rendered']['text']} [1]" == said
    hit = next(hit for hit in told["hits"] if hit["chunk"]["document_id"] == citation["document_id"])
    assert hit["chunk"]["text"] in DOCUMENTS["en.md"]
    assert hit["chunk"]["rendered"]["links"] == [{"label": "Ada Berg", "target": "https://c.example/ada"}]


def test_quoted_rows_are_a_table(base: Path) -> None:
    told = piped("ask", "When does the South gate open?", base=base)
    assert told.startswith("Gate\tOpens\nSouth\tat 8 [1]\n")
    assert "“South · at 8”" in told


def test_equal_texts_are_one_passage_with_the_other_places(base: Path) -> None:
    told = piped("search", "When does the sauna close?", base=base)
    assert told.count("closes on Fridays at noon") == 1
    assert " · ×2 · " in told
    assert re.search(r"also in: \S+/(one|two)/note\.txt \(", told)
    apart = piped("search", "When does the sauna close?", "--set", "search.deduplicate=off", base=base)
    assert apart.count("closes on Fridays at noon") == 2
    assert "also in" not in apart


def test_a_terminal_draws_tables_and_cuts_long_passages() -> None:
    output = Output(as_json=False)
    output.terminal = True
    output.console = Console(file=StringIO(), force_terminal=True, color_system=None, width=60, soft_wrap=True)
    links = " ".join(f"[link {n}](/{n})" for n in range(7))
    output.passage(render(f"# Gates\n\n| Gate | Opens |\n| --- | --- |\n| [North](/n) | [x](/x) |\n\n{links}"), 34)
    output.text(render("- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |"))
    lines = [line.rstrip() for line in output.console.file.getvalue().splitlines()]  # type: ignore[attr-defined]
    assert lines == [
        "   Gates",
        "    Gate   Opens",
        "    North  x",
        "   link 0…",
        "   links: North </n>, x </x>, link 0 </0>, link 1 </1>, link 2 </2> and 4 more",
        "• one",
        "• two",
        "",
        " a  b",
        " 1  2",
    ]


def test_beneath_a_refusal_stand_the_nearest_passages_said_to_be_no_answer(base: Path) -> None:
    far = ("--set", "answer.max_distance=0.0001")
    shown = piped("ask", "Who sails the boat?", *far, base=base)
    refusal, _, passages = shown.partition(NEAREST)
    assert refusal.strip() == "The knowledge base does not hold enough to answer this."
    assert [line[:2] for line in passages.splitlines() if line[:1].isdecimal()] == ["1.", "2.", "3."]
    assert not [mark for mark in MARKS if mark in passages]
    told = json.loads(piped("ask", "Who sails the boat?", "--json", *far, base=base))
    assert (told["mode"], len(told["nearest"])) == ("refused", 3)
    assert all(hit["chunk"]["rendered"]["text"] for hit in told["nearest"])
    greeted = piped("ask", "Hello there", "--set", "answer.persona=You are Ada.", base=base)
    assert greeted.strip() == "Hello! Ask me something about the documents in this knowledge base."

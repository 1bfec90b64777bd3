"""`rove ask` and `rove chat` print sentences as they pass, each once, and say that a reply was cut off."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from loopback import answering
from openai_server import chat
from rove import Rove, Text
from rove.cli import rove
from rove.cli.output import Output

HELD = ("Remote work is approved by the head of the unit.", "Remote work applies since 2021.")
FALSE = "The senate of Mars approves elephants."
QUESTION = "Who approves remote work?"


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("stream") / "kb"
    with Rove.open(made, embedder={"name": "fake"}) as kb:
        kb.add(Text(" ".join(HELD), id="remote"))
    return made


@pytest.mark.parametrize("command", ["ask", "chat"])
@pytest.mark.parametrize("finish", ["stop", "length"])
def test_sentences_are_printed_as_they_pass_and_once(
    base: Path, command: str, finish: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed: list[str] = []

    def piece(output: Output, text: str) -> None:
        printed.append(text)
        print_piece(output, text)

    print_piece = Output.piece
    monkeypatch.setattr(Output, "piece", piece)
    written = f"{HELD[0]} [1] {FALSE} [1] {HELD[1]} [1]" + (" It was deci" if finish == "length" else "")
    with answering(lambda _: chat(*written, finish=finish)) as url:
        words = [command, *([QUESTION] if command == "ask" else []), "--kb", str(base), "--set", "embedder.name=fake"]
        words += ["--set", f"chat.base_url={url}", "--set", "chat.model=m"]
        plain = CliRunner().invoke(rove, words, input=QUESTION)
        as_json = CliRunner().invoke(rove, [*words, "--json"], input=QUESTION)
    assert printed == [f"{HELD[0]} [1]", f" {FALSE} [?]", f" {HELD[1]} [1]"]
    assert plain.stdout.startswith("".join(printed) + "\n\n[1]")
    assert ("cut off" in plain.stderr) == ("Raise chat.max_tokens." in plain.stderr) == (finish == "length")
    answer = json.loads(as_json.stdout)
    assert answer.get("answer", answer)["cut"] == (finish == "length")

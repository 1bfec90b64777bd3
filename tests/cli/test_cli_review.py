"""`rove review`: the queue in a terminal and as JSON, decisions by id and key by key, and how far people agree."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rove import Rove, Text
from rove.cli import rove

TEXTS = {
    "curie": "Marie Curie was born in Warsaw. In spring, Marie Curie went to London.",
    "hu": "Petőfi Sándor a Kiskőrösi Híradót olvasta.",
}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add(*(Text(text, id=name, title="Notes") for name, text in TEXTS.items()))
    return tmp_path / "kb"


def call(base: Path, *words: str, given: str = "") -> Result:
    command = [*words, "--kb", str(base), "--set", "embedder.name=fake"]
    result = CliRunner().invoke(rove, command, input=given)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def queue(base: Path, by: str) -> list[dict]:
    return json.loads(call(base, "review", "--by", by, "--kind", "triplet", "--json").stdout)


def test_the_queue_is_shown_and_decided_by_id(base: Path) -> None:
    assert "rove enrich graph" in call(base, "review", "--kind", "triplet").stderr
    assert call(base, "enrich", "graph").exit_code == 0
    first, *rest = queue(base, "ann")
    shown = call(base, "review", "--by", "ann", "--kind", "triplet")
    assert (shown.exit_code, shown.stdout.splitlines()[0]) == (0, "Marie Curie | named together with | London")
    assert TEXTS["hu"] in shown.stdout
    assert first["item_id"] in shown.stdout
    assert call(base, "review", "reject", first["item_id"], "--by", "ann").exit_code == 0
    assert "London" not in call(base, "graph", "Marie Curie").stdout
    names = ("Petőfi Sándor", "olvasta", "Híradót")
    edited = next(one["item_id"] for one in rest if one["document_id"] == "hu")
    told = json.loads(call(base, "review", "edit", edited, *names, "--by", "ann", "--json").stdout)
    assert (told["verdict"], told["by"], told["edit"]) == ("edit", "ann", list(names))
    assert "Híradót" in call(base, "graph", "Petőfi Sándor").stdout
    assert len(queue(base, "ann")) == len(rest) - 1
    assert queue(base, "bob")[-1]["decisions"][0]["by"] == "ann"


def test_the_queue_is_gone_through_key_by_key(base: Path) -> None:
    call(base, "enrich", "graph")
    assert (
        "3 done, 0 left" in call(base, "review", "--ask", "--kind", "triplet", "--by", "ann", given="r\na\na\n").stdout
    )
    keys = "e Marie Curie | saw | London\ns\na\n"
    assert "2 done, 1 left" in call(base, "review", "--ask", "--kind", "triplet", "--by", "bob", given=keys).stdout
    assert "Marie Curie saw London" in call(base, "graph", "London").stdout
    decided = call(base, "review", "--decided")
    assert "2 reviewers decided about 2 things twice or more: equal pairs 0.500" in " ".join(decided.stderr.split())
    told = json.loads(call(base, "review", "--decided", "--json").stdout)
    assert [one["verdict"] for one in told["decisions"]] == ["reject", "accept", "accept", "edit", "accept"]
    assert told["agreement"]["pairs"] == 0.5
    stopped = call(base, "review", "--ask", "--kind", "triplet", "--by", "eve", given="q\n")
    assert "0 done, 3 left" in stopped.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("accept",), "Name what to accept"),
        (("accept", "triplet-0@curie"), "There is no triplet"),
        (("accept", "curie"), "is not an id of the review queue"),
        (("praise", "triplet-0@curie"), "'praise' is not one of"),
    ],
)
def test_what_is_not_clear_is_not_done(base: Path, words: tuple[str, ...], said: str) -> None:
    result = call(base, "review", *words)
    assert result.exit_code == 2
    assert said in result.stderr

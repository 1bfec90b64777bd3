"""A question of any length is answered soon or refused, with the same limit at every door."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from rove.cli import rove
from rove.errors import MAX_QUESTION_CHARS, InputError
from rove.records import Text
from rove.retrieve.condition import parse_where
from rove.settings import Settings
from rove.sync import Rove

LONG = ("boiler flushed spring " + "lorem ipsum dolor " * 20_000)[:360_000]


@pytest.fixture
def kb(tmp_path: Path):  # noqa: ANN201 - a base, open
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as opened:
        opened.add(Text("The boiler must be flushed every spring.", id="boiler"))
        yield opened


@pytest.mark.parametrize(
    "ask",
    [
        lambda kb, text: kb.search(text),
        lambda kb, text: kb.search(text, mode="keyword"),
        lambda kb, text: kb.ask(text),
        lambda kb, text: kb.walk(text),
        lambda kb, text: kb.ask_tables(text),
        lambda kb, text: parse_where((text,)),
        lambda kb, text: parse_where((f"topic={text}",)),
    ],
    ids=["search", "keyword", "ask", "walk", "tables", "name", "value"],
)
def test_what_is_too_long_is_refused_before_anything_is_done(kb: Rove, ask: Callable[[Rove, str], object]) -> None:
    with pytest.raises(InputError, match=f"{len(LONG)}|{len(LONG) + 6}") as refused:
        ask(kb, LONG)
    assert str(MAX_QUESTION_CHARS) in refused.value.reason
    assert "Shorten it" in refused.value.cure


def test_as_long_as_is_allowed_it_is_answered(kb: Rove) -> None:
    assert [hit.chunk.document_id for hit in kb.search(LONG[:MAX_QUESTION_CHARS])] == ["boiler"]


def test_the_command_line_says_so(kb: Rove) -> None:
    place = str(kb.settings.path)
    told = CliRunner().invoke(rove, ["search", "--kb", place, "--set", "embedder.name=fake", "--local", LONG])
    assert told.exit_code != 0
    assert "360000 characters" in told.output + told.stderr


def test_a_server_cannot_be_set_up_to_take_more() -> None:
    with pytest.raises(ValueError, match="max_question_chars"):
        Settings.model_validate({"serve": {"max_question_chars": MAX_QUESTION_CHARS + 1}})

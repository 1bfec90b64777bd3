"""Lines of an export that others may have changed: ids, names and fields are held to what every other door asks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rove import Rove, Text, field
from rove.records import Report


@pytest.fixture
def lines(tmp_path: Path) -> list[str]:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add(Text("What the board has said.", id="ab"), Text("Another text.", id="other"))
        return list(kb.export())


def taken(folder: Path, lines: list[str], **changed: object) -> tuple[Report, Rove]:
    line: dict[str, Any] = {**json.loads(lines[1]), **changed}
    kb = Rove.open(folder, embedder={"name": "fake"})
    return kb.import_([lines[0], json.dumps(line), lines[2]]), kb


@pytest.mark.parametrize(
    "change",
    [
        {"document_id": ""},
        {"document_id": " \u2003"},
        {"document_id": "x" * 2_001},
        {"document_id": "ab\0"},
        {"document_id": "a\x1bb"},
        {"document_id": "ab\n"},
        {"document_id": "a\ud800b"},
        {"source": ""},
        {"source": "a\0b"},
        {"text": "What the\0board has said."},
    ],
)
def test_what_cannot_be_kept_as_it_is_costs_its_line_alone(
    tmp_path: Path, lines: list[str], change: dict[str, str]
) -> None:
    report, kb = taken(tmp_path / "to", lines, **change)
    with kb:
        assert [one.document_id for one in kb.documents()] == ["other"]
        assert [entry.source for entry in report.failed] == ["import:2"]
        assert report.failed[0].reason.startswith("Line 2 of the export")
        assert report.failed[0].cure


def test_the_second_of_two_documents_of_one_id_is_left_out(tmp_path: Path, lines: list[str]) -> None:
    report, kb = taken(tmp_path / "to", lines, document_id="other")
    with kb:
        assert kb.text("other") == "What the board has said."
        assert [entry.source for entry in report.failed] == ["import:3"]
        assert "line 2" in report.failed[0].reason


def test_a_field_of_the_system_is_kept_under_another_name(tmp_path: Path, lines: list[str]) -> None:
    given = {"document_id": "other", "page": 4, "kind": "x", "year": 2024}
    report, kb = taken(tmp_path / "to", lines, metadata=given, set={"document_id": "other"})
    with kb:
        assert not report.failed
        found = next(one for one in kb.documents() if one.document_id == "ab")
        assert {"field_document_id": "other", "field_page": 4, "field_kind": "x", "year": 2024}.items() <= (
            found.metadata.items()
        )
        assert "'field_document_id'" in next(one.reason for one in kb.ledger() if one.source == "ab")
        assert {hit.chunk.document_id for hit in kb.search("text", where=field("document_id") == "other")} == {"other"}
        assert kb.delete(where=field("document_id") == "other") == 1
        assert [one.document_id for one in kb.documents()] == ["ab"]

"""Fields and ids that are the system's: no metadata stands in their place, and no id becomes another."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import Rove, Text, field
from rove.errors import InputError
from rove.records.filter import BUILT_IN


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_field_with_a_name_of_the_systems_is_refused_where_somebody_gives_it(name: str, tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        with pytest.raises(InputError, match=name) as raised:
            kb.add(Text("Words.", id="a", metadata={name: "victim"}))
        assert f"field_{name}" in raised.value.cure
        assert not kb.documents()


def test_a_file_keeps_its_own_under_another_name_and_erases_no_other(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ndocument_id: victim\ntype: post\nyear: 2024\n---\nThe gate code is 4417.\n")
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        assert kb.add(Text("The board has met.", id="victim")).ok
        assert kb.add(tmp_path / "a.md").ok
        (entry,) = [one for one in kb.ledger() if one.source.endswith("a.md")]
        assert "'field_document_id', 'field_type'" in entry.reason
        (hit,) = kb.search("gate code", where=field("field_type") == "post")
        assert hit.chunk.metadata["year"] == 2024
        kb.delete(where=field("document_id") == "victim")
        assert [one.source for one in kb.documents()] == [str(tmp_path / "a.md")]


@pytest.mark.parametrize("name", ["\ud800", "a\udfffb", "a\0", "a\nb", "\x7f", "  ", "a" * 2_001])
def test_an_id_that_could_not_be_found_again_is_refused(name: str, tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        with pytest.raises(InputError, match="The id"):
            kb.add(Text("Words.", id=name))
        assert not kb.documents()

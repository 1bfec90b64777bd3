"""Documents by a part of what they are called: the database looks for it, and not all documents are listed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from rove import InputError, Rove, Text
from rove.records import DocumentInfo
from rove.store.documents import Documents

PATHS = ("handbuch/Übersicht_100%.md", "handbuch/urlaub.md", "it/urlaub.md", "規程/休暇.md", "it/%.md")


@pytest.fixture
def kb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rove:
    made = Rove.open(tmp_path / "kb", embedder={"name": "fake"})
    made.add([Text(f"Text of {path}.", id=f"/data/{path}") for path in PATHS])
    listed = Documents.documents

    def named_ones(self: Documents, *, ids: Sequence[str] = (), sources: Sequence[str] = ()) -> list[DocumentInfo]:
        assert ids or sources, "all documents were listed"
        return listed(self, ids=ids, sources=sources)

    monkeypatch.setattr(Documents, "documents", named_ones)
    return made


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Übersicht_100%.md", PATHS[0]),
        ("handbuch/urlaub.md", PATHS[1]),
        ("it\\urlaub.md", PATHS[2]),
        ("./it/urlaub.md", PATHS[2]),
        ("休暇.md", PATHS[3]),
        ("%.md", PATHS[4]),
    ],
)
def test_the_end_of_a_path_is_found_as_it_is_written(kb: Rove, name: str, path: str) -> None:
    with kb:
        (found,) = kb.named(name)
        assert found.source == f"/data/{path}"
        assert kb.named(found.document_id[:-1]) == [found]


@pytest.mark.parametrize(("name", "said"), [("rlaub.md", "Nothing"), ("URLAUB.md", "Nothing"), ("urlaub.md", "2 doc")])
def test_what_is_no_name_or_that_of_several_is_said(kb: Rove, name: str, said: str) -> None:
    with kb, pytest.raises(InputError, match=said):
        kb.named(name)


def test_what_names_an_erased_document_is_looked_for_once_more(kb: Rove) -> None:
    with kb:
        assert kb.delete("it/urlaub.md", "%.md") == 2
        assert kb.mentions("it/urlaub.md", "urlaub.md").words == ()
        assert [info.source for info in kb.named("urlaub.md")] == [f"/data/{PATHS[1]}"]

"""Fields and ids that are the system's: no metadata stands in their place, and no id becomes another."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from rove import Rove, Text, field
from rove.errors import ConfigError, InputError
from rove.records.filter import BUILT_IN


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_field_with_a_name_of_the_systems_is_refused_where_somebody_gives_it(name: str, tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        with pytest.raises(InputError, match=name) as raised:
            kb.add(Text("Words.", id="a", metadata={name: "victim"}))
        assert f"field_{name}" in raised.value.cure
        assert not kb.documents()


def test_a_field_that_only_repeats_what_the_document_has_is_left_out(tmp_path: Path) -> None:
    """As loaders of other libraries write it; what says something else is refused whole, with every other name."""
    same = {"document_id": "a", "source": "a", "title": "Gate", "type": "markdown", "year": 2024}
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        assert kb.add(Text("The gate code is 4417.", id="a", title="Gate", kind="markdown", metadata=same)).ok
        (info,) = kb.documents()
        assert (info.metadata, info.kind, info.title) == ({"year": 2024}, "markdown", "Gate")
        with pytest.raises(InputError) as raised:
            kb.add(Text("Words.", id="b", title="Gate", metadata={**same, "language": "de"}))
        named = "'field_document_id', 'field_language', 'field_source', 'field_type'"
        assert f"Call it {named}, in filters too." in str(raised.value)


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


@pytest.mark.parametrize("name", ["\ud800", "a\0", "  "])
def test_names_of_conversations_walks_and_kinds_are_refused_alike(name: str, tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kept = kb.begin_conversation()
        calls: list[Callable[[], object]] = [
            lambda: kb.begin_conversation(owner=name),
            lambda: kb.conversations(owner=name),
            lambda: kb.conversation(name),
            lambda: kb.conversation(kept, owner=name),
            lambda: kb.converse(name, "Who approves it?"),
            lambda: list(kb.replay(name)),
            lambda: kb.add(Text("Words.", id="a", kind=name)),
            lambda: kb.text(name),
            lambda: kb.delete(name),
        ]
        for call in calls:
            with pytest.raises(InputError) as raised:
                call()
            assert raised.value.cure
        assert not kb.documents()
        assert [one.conversation_id for one in kb.conversations()] == [kept]


def test_a_question_is_kept_without_what_no_store_can_keep(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add(Text("Remote work is approved by Anna.", id="a"))
        kb.keep_question("Who approves\ud800 remote\0 work?", "a", (0, 11))
        assert [one.question for one in kb.kept_questions()] == ["Who approves remote work?"]


def test_the_empty_path_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.txt").write_text("Words of a file.")
    monkeypatch.chdir(tmp_path)
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        for blank in ("", " "):
            with pytest.raises(InputError, match="names no file"):
                kb.add(blank)
        assert not kb.documents()


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_declared_field_has_no_name_of_the_systems(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=f"field_{name}"):
        Rove.open(tmp_path / "kb", embedder={"name": "fake"}, enrich={"fields": {name: {"type": "number"}}})


ROW = {name: "victim" for name in BUILT_IN} | {"body": "The gate code is 4417, and nobody else knows of it."}


def _csv(path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(ROW))
        writer.writeheader()
        writer.writerow(ROW)


def _database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as made, made:
        made.execute(f"create table notes ({', '.join(ROW)})")
        made.execute(f"insert into notes values ({', '.join('?' * len(ROW))})", list(ROW.values()))


WRITERS: dict[str, Callable[[Path], object]] = {
    "a.csv": _csv,
    "a.db": _database,
    "a.json": lambda path: path.write_text(json.dumps([ROW])),
    "a.jsonl": lambda path: path.write_text(json.dumps(ROW) + "\n"),
    "a.html": lambda path: path.write_text(
        "".join(f'<meta name="{name}" content="victim">' for name in BUILT_IN) + f"<p>{ROW['body']}</p>"
    ),
    "a.eml": lambda path: path.write_text(
        "".join(f"{name}: victim\n" for name in (*BUILT_IN, "subject", "from")) + f"\n{ROW['body']}\n"
    ),
}


@pytest.mark.parametrize("name", WRITERS)
def test_columns_and_headers_of_these_names_stand_for_nothing(name: str, tmp_path: Path) -> None:
    WRITERS[name](tmp_path / name)
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        assert kb.add(Text("The board has met.", id="victim")).ok
        address = f"sqlite:///{tmp_path / name}" if name == "a.db" else str(tmp_path / name)
        assert kb.add(address).ok
        assert all(set(BUILT_IN).isdisjoint(one.metadata) for one in kb.documents())
        for one in ("document_id", "source"):
            hits = kb.search("gate code board", where=field(one) == "victim")
            assert {hit.chunk.document_id for hit in hits} == {"victim"}
        assert kb.delete(where=field("document_id") == "victim") == 1
        assert kb.documents()

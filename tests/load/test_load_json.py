from __future__ import annotations

import json

import pytest

from load.samples import PARAGRAPHS, json_records, source
from rove.errors import InputError
from rove.load.data.json import JsonLoader
from rove.records import Document, content_hash


def load(value: object, name: str = "records.json") -> list[Document]:
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return list(JsonLoader().load(source("json", data, name)))


def load_bad(data: bytes, name: str = "records.json") -> tuple[list[Document], InputError]:
    good: list[Document] = []
    with pytest.raises(InputError) as caught:
        for document in JsonLoader().load(source("json", data, name)):
            good.append(document)  # noqa: PERF402 - what came before the error is what is looked at
    return good, caught.value


def test_records_by_id() -> None:
    documents = load(json_records().encode())
    assert [d.text for d in documents] == list(PARAGRAPHS.values())
    first = documents[0]
    assert first.source == "/data/records.json#en"
    assert first.document_id == content_hash("/data/records.json#en")
    assert first.title == "Title en"
    assert first.metadata == {"lang": "en", "more.n": 1, "record_id": "en"}


@pytest.mark.parametrize(
    "record",
    [
        {"id": "a", "title": "T", "text": "Szöveg"},
        {"_id": "a", "question": "T", "answer": "Szöveg"},
        {"id": "a", "query": "T", "contents": "Szöveg"},
    ],
)
def test_common_shapes(record: dict[str, str]) -> None:
    for value in ([record], record, {"a": {k: v for k, v in record.items() if "id" not in k}}):
        [document] = load(value)
        assert (document.title, document.text, document.metadata) == ("T", "Szöveg", {"record_id": "a"})


def test_metadata_is_flat_and_typed() -> None:
    metadata = {
        "a": {"b": {"c": 1.5}},
        "none": None,
        "tags": ["x", 2, None],
        "big": 1 << 70,
        "ok": True,
        "nan": float("nan"),
    }
    [document] = load([{"id": 7, "text": "t", "year": 2024, "objects": [{"x": 1}], "metadata": metadata}])
    assert document.metadata == {
        "a.b.c": 1.5, "tags": ("x", "2"), "big": str(1 << 70), "ok": True, "year": 2024, "record_id": "7",
    }  # fmt: skip


def test_a_bad_record_loses_only_itself_and_is_named() -> None:
    lines = [
        '{"id": "1", "text": "one"}',
        '{"id": "2", "text": ',
        "",
        '{"id": "3"}',
        '{"id": "1", "text": "x"}',
        "[1]",
        '{"id": "4", "text": "四"}',
    ]
    good, error = load_bad("\n".join(lines).encode(), "records.jsonl")
    assert [d.text for d in good] == ["one", "四"]
    assert error.outcome == "partial"
    for part in ("4 of 6", "line 2", "line 4", "no text", "line 5", "'1' occurs before", "line 6", "list"):
        assert part in str(error)
    assert error.cure


def test_a_bad_record_in_an_object_is_named_by_its_id() -> None:
    good, error = load_bad(json.dumps({"x": {"document": "d"}, "y": {"document": ""}, "z": {"document": "e"}}).encode())
    assert [d.text for d in good] == ["d", "e"]
    assert error.outcome == "partial"
    assert "record 'y'" in str(error)


def test_many_bad_records_are_counted_and_some_named() -> None:
    good, error = load_bad(b'{"id":1,"text":"x"}\n' + b"{\n" * 500, "records.jsonl")
    assert len(good) == 1
    assert "500 of 501" in str(error)
    assert "490 more" in str(error)
    assert len(str(error)) < 2000


def test_lines_are_known_without_the_suffix() -> None:
    documents = load(b'{"id": "a", "text": "x"}\n{"id": "b", "text": "y"}\n', "records.json")
    assert [d.text for d in documents] == ["x", "y"]


def test_lines_in_other_encodings() -> None:
    text = '{"id": "a", "text": "Árvíztűrő"}\n{"id": "b", "text": "日本語"}\n'
    assert [d.text for d in load(text.encode("utf-16"), "r.jsonl")] == ["Árvíztűrő", "日本語"]
    assert [d.text for d in load(text.encode("utf-8-sig"), "r.jsonl")] == ["Árvíztűrő", "日本語"]


def test_lines_are_read_one_at_a_time() -> None:
    stream = JsonLoader().load(source("json", b'{"id": "a", "text": "x"}\n' * 1 + b"not json at all", "r.jsonl"))
    assert next(stream).text == "x"


def test_surrogates_and_nul_never_reach_the_text() -> None:
    [document] = load(
        b'[{"id": "a\\ud800", "title": "t\\u0000", "text": "x\\udfffy\\u0000z", "metadata": {"k": "\\ud801"}}]'
    )
    assert (document.text, document.title) == ("xyz", "t")
    assert document.metadata == {"k": "", "record_id": "a"}
    document.source.encode()


def test_a_blank_text_falls_back_to_the_title() -> None:
    [document] = load([{"id": "a", "title": "Only a title", "text": ""}])
    assert document.text == "Only a title"


def test_records_without_an_id_get_one_from_what_they_say() -> None:
    one = load([{"text": "x"}, {"text": "y"}])
    two = load([{"text": "y"}, {"text": "x"}])
    assert {d.document_id for d in one} == {d.document_id for d in two}


def test_any_other_tree_is_an_outline() -> None:
    people = [{"név": "Anna", "kor": 3}, {"név": "Béla", "kor": 4}]
    tree = {"name": "rove", "scripts": {"test": "run", "on": True}, "deps": ["á", "日"], "people": people}
    [document] = load(tree)
    assert document.text == (
        "- name: rove\n- deps: á, 日\n\npeople:\n\n"
        "| név | kor |\n| --- | --- |\n| Anna | 3 |\n| Béla | 4 |\n\n# scripts\n\n- test: run\n- on: true\n"
    )
    assert document.title == "records"
    assert [s.title for s in document.sections] == ["scripts"]


def test_lines_without_a_text_are_a_table() -> None:
    [document] = load(b'{"ts": "2024-01-01", "level": 1}\n{"ts": "2024-01-02", "level": 2}\n', "log.jsonl")
    assert "| ts | level |\n| --- | --- |\n| 2024-01-01 | 1 |" in document.text


@pytest.mark.parametrize("keyed", [True, False])
def test_a_large_array_is_read_one_record_at_a_time(keyed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.load.data.json.STREAMED_CHARS", 10)
    records = {code: {"query": code, "document": text} for code, text in PARAGRAPHS.items()}
    tree = records if keyed else [{"id": key, **value} for key, value in records.items()]
    assert [d.text for d in load(tree)] == list(PARAGRAPHS.values())
    whole = json.dumps(tree, ensure_ascii=False).encode()
    good, error = load_bad(whole[: len(whole) * 3 // 5])
    assert 0 < len(good) < len(PARAGRAPHS)
    assert error.outcome == "partial"
    assert "not complete JSON from here on" in str(error)


def test_deep_trees_end() -> None:
    assert load(json.loads("[" * 300 + "1" + "]" * 300))[0].text.strip()
    assert load(json.loads('{"a":' * 300 + "1" + "}" * 300))[0].text.strip()


@pytest.mark.parametrize(
    ("data", "outcome"),
    [
        (b"{", "damaged"),
        (b"[" * 200_000, "damaged"),
        (b"{}", "empty"),
        (b"[]", "empty"),
        (b"null", "empty"),
        (b"\xff\x00\x01", "unreadable"),
    ],
)
def test_what_is_no_record(data: bytes, outcome: str) -> None:
    good, error = load_bad(data)
    assert good == []
    assert error.outcome == outcome
    assert error.cure

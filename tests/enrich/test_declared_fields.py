"""The enricher "fields": values that the user declares, found in every document with their types."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import AsyncRove, ConfigError, Rove, Text, field
from rove.errors import ServiceError
from scripted_chat import ScriptedChat

DECLARED = {
    "status": {
        "type": "enum",
        "values": {"draft": ["Entwurf", "tervezet", "草案", "案"], "final": ["endgültig", "正式"]},
    },
    "effective": {"type": "date", "description": "from when on it holds"},
    "version": {"type": "number", "pattern": r"(?:version|Fassung|verzió|版本|版)[:：]?\s*([\d.]+)"},
    "reference": {"type": "pattern", "pattern": r"\b[A-Z]{2}-\d{3}\b"},
    "owner": {"description": "who is responsible"},
}
TEXTS = {
    "en": "Version 2. This draft holds from March 1, 2024. See HR-101. A draft is no final text.",
    "de": "Fassung 3, Entwurf, gültig ab 1. März 2024.",
    "hu": "Verzió: 4, tervezet, hatályos 2024. március 1-től.",
    "zh": "版本：5，草案，自2024年3月1日起施行。",
    "ja": "版：6、案、2024年3月1日から。",
    "none": "Nothing of the kind stands here.",
}
FAKE = {"embedder": {"name": "fake"}, "enrich": {"fields": DECLARED}}


def fields_of(kb: Rove) -> dict[str, dict[str, object]]:
    return {info.document_id: {k: v for k, v in info.metadata.items() if k in DECLARED} for info in kb.documents()}


def test_values_are_found_by_rule_with_their_types(tmp_path: Path) -> None:
    with Rove.open(tmp_path, **FAKE) as kb:
        kb.add([Text(text, id=name) for name, text in TEXTS.items()])
        report = kb.enrich("fields")
        assert (report.documents, report.changed, report.notes) == (5, 5, ())
        found = fields_of(kb)
        rest = {"status": "draft", "effective": "2024-03-01"}
        assert found["en"] == {**rest, "version": 2, "reference": "HR-101"}
        for version, language in enumerate(("de", "hu", "zh", "ja"), start=3):
            assert found[language] == {**rest, "version": version}
        assert found["none"] == {}
        assert kb.enrich("fields").changed == 0
        hits = kb.search("草案", where=(field("version") > 3) & (field("effective") >= "2024-01-01"), top_k=9)
        assert {hit.chunk.document_id for hit in hits} == {"hu", "zh", "ja"}


def test_what_a_document_brings_along_stays_and_what_it_loses_goes(tmp_path: Path) -> None:
    with Rove.open(tmp_path, **FAKE) as kb:
        kb.add(Text("This draft holds.", id="a", metadata={"status": "signed"}), Text("A draft.", id="b"))
        kb.enrich("fields")
        assert [one["status"] for one in fields_of(kb).values()] == ["signed", "draft"]
        kb.add(Text("It is final.", id="b"))
        kb.enrich("fields")
        assert {name: one["status"] for name, one in fields_of(kb).items()} == {"a": "signed", "b": "final"}
        kb.add(Text("It is nothing.", id="b"))
        kb.enrich("fields")
        assert fields_of(kb)["b"] == {}


def test_they_can_be_found_at_the_end_of_every_add(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}, enrich={"fields": DECLARED, "after_add": ("fields",)}) as kb:
        kb.add(Text(TEXTS["de"], id="de"))
        assert fields_of(kb)["de"]["version"] == 3


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ({"name": "owner", "value": "Ms Bell", "quote": "Ms Bell is in charge."}, {"owner": "Ms Bell"}),
        ({"name": "owner", "value": "Mr Hook", "quote": "Ms Bell is in charge."}, {}),
        ({"name": "owner", "value": "Ms Bell", "quote": "Ms Bell owns everything."}, {}),
        ({"name": "effective", "value": "1 May 2024", "quote": "from the 1st of May in 2024"}, {}),
        ({"name": "status", "value": "final", "quote": "Ms Bell is in charge."}, {"status": "final"}),
        ({"name": "status", "value": "lost", "quote": "Ms Bell is in charge."}, {}),
        ({"name": "height", "value": "2", "quote": "Ms Bell is in charge."}, {}),
    ],
)
async def test_a_model_is_held_to_the_words_of_the_document(
    tmp_path: Path, said: dict[str, str], kept: dict[str, object]
) -> None:
    chat = ScriptedChat(NamedFields={"fields": [said]})
    settings = {"embedder": {"name": "fake"}, "enrich": {"fields": DECLARED, "ask_model": True}}
    async with AsyncRove.open(tmp_path, chat=chat, **settings) as kb:
        await kb.add(Text("Ms Bell  is in\ncharge. It costs 5 euros.", id="a"))
        report = await kb.enrich("fields")
        (info,) = await kb.documents()
        assert {name: value for name, value in info.metadata.items() if name in DECLARED} == kept
        assert bool(report.notes) == (not kept and said["name"] in DECLARED)
        assert "owner (text): who is responsible" in chat.asked("NamedFields")[0]


async def test_without_leave_or_where_it_fails_only_rules_are_asked(tmp_path: Path) -> None:
    for ask, count in ((False, 0), (True, 1)):
        chat = ScriptedChat(NamedFields=ServiceError("It is gone.", cure="Wait."))
        settings = {"embedder": {"name": "fake"}, "enrich": {"fields": DECLARED, "ask_model": ask}}
        async with AsyncRove.open(tmp_path / str(ask), chat=chat, **settings) as kb:
            await kb.add(Text(TEXTS["en"], id="en"))
            report = await kb.enrich("fields")
            assert len(chat.asked("NamedFields")) == count
            assert ["1 documents" in note and "gone" in note for note in report.notes] == [True] * count
            assert (await kb.documents())[0].metadata["version"] == 2


def test_nothing_declared_and_a_broken_pattern_are_said(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "a", embedder={"name": "fake"}) as kb:
        kb.add(Text("A text.", id="a"))
        with pytest.raises(ConfigError, match=r"enrich\.fields"):
            kb.enrich("fields")
    broken = {"fields": {"x": {"pattern": "("}}}
    with Rove.open(tmp_path / "b", embedder={"name": "fake"}, enrich=broken) as kb:
        kb.add(Text("A text.", id="a"))
        with pytest.raises(ConfigError, match=r"enrich\.fields\.x\.pattern"):
            kb.enrich("fields")


@pytest.mark.parametrize(("digits", "value"), [("9" * 5_000, None), ("9" * 30, 1e30), ("9" * 15, 10**15 - 1)])
def test_a_number_of_any_length_can_be_kept_or_is_none(tmp_path: Path, digits: str, value: float | None) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}, enrich={"fields": {"x": {"type": "number"}}}) as kb:
        kb.add(Text(f"No. {digits}.", id="a"))
        kb.enrich("fields")
        assert kb.documents()[0].metadata.get("x") == value
        assert kb.enrich("fields").changed == 0

"""Summaries: of a document and its sections, in sentences of the text, or in those of a model that the text holds."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from rove import AsyncRove, Text, field
from rove.answer.summary_tree import PART_CHARS, tree_of
from rove.cli import rove
from rove.errors import InputError, ServiceError
from rove.language.rendering import render
from rove.records import Document
from rove.records.filter import AccessFilter
from scripted_chat import ScriptedChat

FILLER = "The rule stands in the annex and is looked at again each spring by the board of the firm. " * 8
HANDBOOK = f"""# Handbook

This handbook tells how we travel and how we rest.

## Travel

Trips are approved by the team lead. Second class is the rule on trains. {FILLER}

### Abroad

Who travels abroad asks the office a week before. {FILLER}

## Leave

Leave is 30 days a year. {FILLER}

## Annex

| code | what |
|---|---|
| 7 | forms |
"""
OTHERS = {
    "de": "Die Bibliothek öffnet um neun Uhr. Sie schließt um achtzehn Uhr. Bücher werden drei Wochen geliehen.",
    "hu": "A könyvtár kilenckor nyit. Este hatkor zár. A könyveket három hétre lehet kölcsönözni.",
    "zh": "图书馆九点开门。晚上六点关门。书可以借三个星期。",
    "ja": "図書館は九時に開く。夜六時に閉まる。本は三週間借りられる。",
}
FAKE: dict[str, Any] = {"embedder": {"name": "fake"}}
ABROAD = ("Handbook", "Travel", "Abroad")


@pytest.fixture
async def kb(tmp_path: Path) -> AsyncIterator[AsyncRove]:
    async with AsyncRove.open(tmp_path / "kb", **FAKE) as base:
        staff = {"access": ("staff",)}
        await base.add(Text(HANDBOOK, id="handbook", title="Handbook", kind="markdown", metadata=staff))
        await base.add([Text(text, id=name, metadata={"lang": name, **staff}) for name, text in OTHERS.items()])
        yield base


async def test_every_sentence_is_words_of_the_text_at_its_span(kb: AsyncRove) -> None:
    report = await kb.enrich("summaries")
    assert (report.documents, report.changed) == (5, 5)
    for info in await kb.documents():
        text = await kb.text(info.document_id)
        whole, *sections = await kb.summary(info.document_id)
        assert (whole.span, whole.headings) == ((0, len(text)), ())
        assert 1 <= len(whole.sentences) <= 5
        for one in (whole, *sections):
            for sentence in one.sentences:
                (span,) = sentence.spans
                assert one.span[0] <= span[0] < span[1] <= one.span[1]
                assert sentence.text == render(text[slice(*span)]).line
            assert [sentence.spans for sentence in one.sentences] == sorted(one.spans for one in one.sentences)


async def test_a_section_sums_up_what_stands_below_it_and_no_heading_or_table_is_a_sentence(kb: AsyncRove) -> None:
    await kb.enrich("summaries")
    of = {one.headings: one for one in await kb.summary("handbook")}
    assert set(of) == {(), ("Handbook", "Travel"), ABROAD, ("Handbook", "Leave")}  # a short one is its own summary
    assert "Leave is 30 days a year." in of["Handbook", "Leave"].text
    assert "Who travels abroad asks the office a week before." in of[ABROAD].text
    assert "Trips are approved by the team lead." in of["Handbook", "Travel"].text
    held = {one for headings, summary in of.items() if headings for one in summary.sentences}
    assert len(held.intersection(of[()].sentences)) >= 2
    every = " ".join(one.text for one in of.values())
    assert "#" not in every
    assert "forms" not in every
    assert len({sentence.text for sentence in of[()].sentences}) == len(of[()].sentences)


def test_long_text_without_headings_is_summed_up_in_parts() -> None:
    text = " ".join(f"Clause {number} is about item {number} and nothing else at all." for number in range(600))
    root = tree_of(Document("d", "d", "text", text, language="en"), "en")
    assert len(root.below) > 3
    assert not root.own
    assert all(sum(end - start for start, end in part.own) < PART_CHARS + 600 for part in root.below)
    held = [span for part in root.below for span in part.own]
    assert held == sorted(held)
    assert len(held) == 600


async def test_labels_are_no_sentences_where_there_are_whole_ones(tmp_path: Path) -> None:
    prose = "The firm was founded in 1975 by two friends. It makes software for offices and homes. It has many staff."
    async with AsyncRove.open(tmp_path, **FAKE) as base:
        await base.add(Text(f"The Official Page\n\nUpdated by us\n\n{prose}\n\nContact", id="page"))
        await base.add(Text("Sheet1\n\nAlpha\n\nBeta, Gamma", id="labels"))
        await base.enrich("summaries")
        assert (await base.summary("page"))[0].text == prose
        assert "Beta, Gamma" in (await base.summary("labels"))[0].text


async def test_what_is_found_is_opened_to_the_words_beneath(kb: AsyncRove) -> None:
    assert await kb.search("travel abroad", mode="summaries") == []
    await kb.enrich("summaries")
    hits = await kb.search("Who travels abroad asks the office", mode="summaries", top_k=3)
    assert hits[0].chunk.document_id == "handbook"
    assert "asks the office" in hits[0].summary
    assert "summaries" in hits[0].sources
    for language, text in OTHERS.items():
        (hit,) = await kb.search(text, mode="summaries", top_k=1)
        assert hit.chunk.document_id == language
    only = await kb.search("Who travels abroad", mode="summaries", where=field("lang") == "zh")
    assert {hit.chunk.document_id for hit in only} == {"zh"}
    assert await kb.search("travel", mode="summaries", where=AccessFilter("access", "in", ("guest",))) == []


async def test_only_what_is_new_is_summed_up_and_a_summary_goes_with_its_document(kb: AsyncRove) -> None:
    await kb.enrich("summaries")
    assert (await kb.enrich("summaries")).changed == 0
    await kb.add(Text("The shop opens at ten. It closes at noon.", id="de"))
    assert [one.text for one in await kb.summary("de")] == []
    assert (await kb.estimate_enrich("summaries")).documents == 1
    assert (await kb.enrich("summaries")).changed == 1
    assert "ten" in (await kb.summary("de"))[0].text
    await kb.delete("handbook")
    with pytest.raises(InputError):
        await kb.summary("handbook")
    assert all(hit.chunk.document_id != "handbook" for hit in await kb.search("travel", mode="summaries"))


async def test_an_export_carries_summaries_and_believes_no_sentence_that_is_not_there(
    kb: AsyncRove, tmp_path: Path
) -> None:
    await kb.enrich("summaries")
    lines = [line async for line in kb.export()]
    told = (await kb.summary("de"))[0].sentences[0].text
    forged = [line.replace(json.dumps([[told]], ensure_ascii=False)[2:-2], '"Die Bank ist zu."') for line in lines]
    for name, given, same in (("same", lines, True), ("forged", forged, False)):
        async with AsyncRove.open(tmp_path / name, embedder={"name": "fake", "dimension": 32}) as other:
            assert not (await other.import_(given)).failed
            assert await other.summary("handbook") == await kb.summary("handbook")
            assert (await other.summary("de") == await kb.summary("de")) is same
            assert "Bank" not in (await other.summary("de"))[0].text
            assert (await other.enrich("summaries")).changed == 0
            hits = await other.search(OTHERS["zh"], mode="summaries", top_k=1)
            assert hits[0].chunk.document_id == "zh"


async def with_model(folder: Path, chat: ScriptedChat) -> AsyncRove:
    kb = AsyncRove.open(folder, chat=chat, enrich={"ask_model": True}, **FAKE)
    await kb.add(Text(HANDBOOK, id="handbook", title="Handbook", kind="markdown"))
    return kb


async def test_of_a_model_only_what_the_text_holds_is_kept(tmp_path: Path) -> None:
    true, false = "Who travels abroad asks the office a week before.", "Trips abroad cost 900 euros."
    chat = ScriptedChat(Sentences={"sentences": [true, false]})
    kb = await with_model(tmp_path, chat)
    estimate = await kb.estimate_enrich("summaries")
    report = await kb.enrich("summaries")
    asked = len(chat.asked("Sentences"))
    assert estimate.calls == asked == 4  # the document and three sections
    of = {one.headings: one for one in await kb.summary("handbook")}
    text = await kb.text("handbook")
    assert [one.text for one in of[ABROAD].sentences] == [true]
    assert all(true in text[slice(*span)] for span in of[ABROAD].sentences[0].spans)
    assert of[ABROAD].by == "sentences 1, scripted"
    assert [one.text for one in of["Handbook", "Travel"].sentences] == [true]  # read from the summary below it
    assert "Leave is 30 days a year." in of["Handbook", "Leave"].text  # which the model has not told truly
    assert not any("900" in one.text for one in of.values())
    assert any(f"{asked + 1} sentences" in note for note in report.notes)
    await kb.close()


async def test_where_a_model_fails_sentences_of_the_text_stand_in(tmp_path: Path) -> None:
    kb = await with_model(tmp_path, ScriptedChat(Sentences=ServiceError("It is gone.", cure="Wait.")))
    report = await kb.enrich("summaries")
    assert any("4 sections" in note and "It is gone." in note for note in report.notes)
    assert all(one.sentences for one in await kb.summary("handbook"))
    await kb.close()


def test_the_command_line_shows_summaries_and_says_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "rove.toml").write_text('embedder = {name = "fake"}\n', "utf-8")
    (tmp_path / "handbook.md").write_text(HANDBOOK, "utf-8")
    path, base = str(tmp_path / "handbook.md"), ["--kb", str(tmp_path / "kb")]
    run = CliRunner().invoke
    assert run(rove, ["add", path, *base]).exit_code == 0
    missing = run(rove, ["summary", path, *base])
    assert missing.exit_code == 1
    assert "rove enrich summaries" in missing.stderr
    assert run(rove, ["enrich", "summaries", *base]).exit_code == 0
    shown = run(rove, ["summary", path, *base]).stdout
    assert "Leave is 30 days a year." in shown
    assert "Abroad" not in shown.splitlines()[0]
    told = json.loads(run(rove, ["summary", "--json", path, *base]).stdout)
    assert told[0]["headings"] == []
    assert "asks the office" in run(rove, ["search", "--mode", "summaries", "travel abroad", *base]).stdout
    assert run(rove, ["summary", "nothing", *base]).exit_code != 0


@pytest.mark.parametrize("odd", ["x", 7, {"a": 1}, [7], [[0, 1]], [[0, "x", "by", [], []]], [[0, 9, "by", [], [[]]]]])
async def test_damaged_summaries_of_an_export_are_reported(tmp_path: Path, odd: object) -> None:
    async with AsyncRove.open(tmp_path / "from", **FAKE) as base:
        await base.add(Text(OTHERS["de"], id="de"))
        head, line = [line async for line in base.export()]
    line = json.dumps(json.loads(line) | {"summaries": odd})
    async with AsyncRove.open(tmp_path / "to", **FAKE) as base:
        (failed,) = (await base.import_([head, line])).failed
        assert "Line 2" in failed.reason

"""What a base is about: passages that are near to one another, the same at every call, in every language."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from rove import AsyncRove, Rove, Text, field
from rove.cli import rove
from rove.errors import ServiceError
from rove.retrieve.theme_search import LEAST_CHUNKS, communities
from scripted_chat import ScriptedChat

ABOUT = {
    "Sailing": [
        "The boat needs wind to sail across the lake.",
        "Ein Segelboot braucht Wind, um zu segeln.",
        "A vitorlás hajó szél nélkül nem tud vitorlázni.",
        "帆船需要风才能在湖上航行。",
        "ヨットは風がないと帆走できない。",
    ],
    "Baking": [
        "Bread is baked from flour, yeast and water.",
        "Brot wird aus Mehl, Hefe und Wasser gebacken.",
        "A kenyér lisztből, élesztőből és vízből sül.",
        "面包由面粉、酵母和水烤制而成。",
        "パンは小麦粉と酵母と水から焼かれる。",
        "Rolls are baked for twenty minutes.",
    ],
    "Taxes": [
        "Taxes on income are paid to the state each year.",
        "Die Einkommensteuer wird jährlich an den Staat gezahlt.",
        "A jövedelemadót évente fizetik az államnak.",
        "所得税每年缴纳给国家。",
        "所得税は毎年国に納められる。",
        "The tax office sends a bill.",
        "Steuern sind bis Mai zu zahlen.",
    ],
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    with Rove.open(tmp_path_factory.mktemp("kb"), answer={"mode": "themes"}) as base:
        for name, texts in ABOUT.items():
            base.add(
                [Text(text, id=f"{name}{n}", title=name, metadata={"about": name}) for n, text in enumerate(texts)]
            )
        yield base


def test_passages_of_five_languages_on_one_thing_are_one_theme(kb: Rove) -> None:
    themes = kb.themes()
    assert [theme.label[0] for theme in themes] == ["Taxes", "Baking", "Sailing"]
    assert [round(theme.share * 18) for theme in themes] == [7, 6, 5]
    for theme in themes:
        assert {hit.chunk.metadata["about"] for hit in theme.hits} == {theme.label[0]}
        scores = [hit.score for hit in theme.hits]
        assert scores == sorted(scores, reverse=True)
    assert kb.themes() == themes
    assert kb.themes(most=1) == themes[:1]


def test_as_a_mode_each_theme_has_a_hit(kb: Rove) -> None:
    hits = kb.search("What are the main themes?", mode="themes")
    assert [hit.theme.split(",")[0] for hit in hits] == ["Taxes", "Baking", "Sailing"]
    assert [hit.chunk for hit in hits] == [theme.hits[0].chunk for theme in kb.themes()]
    assert hits[0].score == kb.themes()[0].share


def test_asked_for_they_are_listed_each_with_words_of_its_own(kb: Rove) -> None:
    answer = kb.ask("Worum geht es in den Dokumenten?")
    assert [line.split(":")[0] for line in answer.text.splitlines()] == ["- Taxes", "- Baking", "- Sailing"]
    assert [one.number for one in answer.citations] == [1, 2, 3]
    for citation in answer.citations:
        assert kb.text(citation.document_id)[slice(*citation.span)] == citation.quote
        assert answer.hits[citation.number - 1].chunk.document_id == citation.document_id
    assert [note.code for note in answer.notes] == ["themes"]


def test_a_filter_holds(kb: Rove) -> None:
    themes = kb.themes(where=field("about") == "Taxes")
    assert {hit.chunk.metadata["about"] for theme in themes for hit in theme.hits} == {"Taxes"}
    assert kb.themes(where=field("about") == "Music") == []


def test_the_command_line_names_them(kb: Rove, tmp_path: Path) -> None:
    lines = "\n".join(kb.export())
    with Rove.open(tmp_path / "copy") as copy:
        copy.import_(lines.splitlines())
        assert copy.themes() == kb.themes()
    shown = CliRunner().invoke(rove, ["themes", "--top", "2", "--kb", str(tmp_path / "copy")])
    assert shown.exit_code == 0, shown.output
    assert [line[:2] for line in shown.stdout.splitlines() if not line.startswith(" ")] == ["1.", "2."]
    told = CliRunner().invoke(rove, ["themes", "--json", "--kb", str(tmp_path / "copy")])
    assert [theme["label"][0] for theme in json.loads(told.stdout)] == ["Taxes", "Baking", "Sailing"]


def test_an_empty_base_has_none_and_one_text_is_one(tmp_path: Path) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as base:
        assert base.themes() == []
        base.add(Text("A boat.", id="boat", title="Boats"))
        (theme,) = base.themes()
        assert (theme.label, theme.share) == (("Boats",), 1.0)
        base.delete("boat")
        assert base.themes() == []


def test_vectors_in_two_bundles_are_two_communities_and_small_ones_are_left_out() -> None:
    dice = np.random.default_rng(1)
    middles = np.eye(3, 16, dtype=np.float32)
    sizes = (9, 6, LEAST_CHUNKS - 1)
    vectors = np.concatenate(
        [middle + 0.05 * dice.standard_normal((size, 16)) for middle, size in zip(middles, sizes, strict=True)]
    ).astype(np.float32)
    unit = vectors - vectors.mean(axis=0)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    groups = sorted(communities(unit), key=len, reverse=True)
    assert groups[0] == list(range(9))
    assert groups[1] == list(range(9, 15))
    assert communities(np.eye(4, 4, dtype=np.float32)) == [[0, 1, 2, 3]]


async def test_a_chat_model_tells_of_themes_what_their_passages_hold(tmp_path: Path) -> None:
    true, false = "Bread is baked from flour.", "Bread costs nine euros."
    chat = ScriptedChat(Sentences={"sentences": [true, false]})
    async with AsyncRove.open(tmp_path, chat=chat, embedder={"name": "fake"}) as told:
        for n in range(4):
            await told.add(Text(f"Bread is baked from flour. Flour {n} is ground.", id=f"bread{n}", title="Baking"))
        answer = await told.ask("What are the main themes?")
        assert answer.mode == "scripted"
        assert [one.text for one in answer.sentences] == [true]
        assert answer.text == f"- Baking: {true} [1]"
        (citation,) = answer.citations
        assert citation.quote == true
        assert (await told.text(citation.document_id))[slice(*citation.span)] == true
        assert "1 of 1" in answer.note
        asked = len(chat.prompts)
        assert (await told.ask("What are the main themes?")).text == answer.text
        assert len(chat.prompts) == asked  # what was told is kept
        await told.delete(citation.document_id)
        again = await told.ask("What are the main themes?")
        assert len(chat.prompts) == asked + 1
        assert again.citations[0].document_id != citation.document_id
        chat.replies["Sentences"] = [ServiceError("It is gone.", cure="Wait.")]
        await told.delete(again.citations[0].document_id)
        assert (await told.ask("What are the main themes?")).mode == "extractive"


@pytest.mark.parametrize(
    ("texts", "name"),
    [
        ([f"Day {n}: the night train to Vienna was late." for n in range(5)], "night train"),
        ([f"第{n}天，机房温度报警，值班人员到场。" for n in range(5)], "机房温度报警"),
    ],
)
def test_what_most_passages_say_names_a_theme_whose_titles_all_differ(
    tmp_path: Path, texts: list[str], name: str
) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as base:
        base.add([Text(text, id=f"t{n}", title=f"{chr(65 + n)}{n}x Report") for n, text in enumerate(texts)])
        (theme, *_) = base.themes()
        assert name in theme.name
        assert not any("Report" in label for label in theme.label)

"""Related questions: what else the documents say beside an answer; each is answered by other words when it is asked."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from rove import Answer, Rove, Text, field
from rove.cli import rove
from rove.cli.ask import RELATED
from rove.conversation.kept_turns import KeptReply, documents_of, left_of
from rove.serve.mcp.plain_text import answer_text
from rove.serve.questions.results import AnswerOut

NOTES = {
    "en": (
        "Keeping bees",
        "# Keeping bees\n\n"
        "## Choosing a place\n\nA hive stands where the sun reaches it before nine, and far from any path.\n\n"
        "## Feeding in autumn\n\nFrom September each colony gets twelve kilograms of sugar syrup, in portions.\n\n"
        "## Treating mites\n\nVarroa mites are treated with oxalic acid in December, when there is no brood left.\n\n"
        "## Harvesting honey\n\nHoney is harvested in July, when two thirds of the cells of a frame are capped.\n",
        "How many kilograms of sugar syrup does a colony get in autumn?",
    ),
    "de": (
        "Betrieb der Schleuse",
        "# Betrieb der Schleuse\n\n"
        "## Durchfahrt\n\nBoote unter zwölf Metern Länge werden an Werktagen ab acht Uhr geschleust.\n\n"
        "## Hochwasser\n\nAb einem Pegel von 4,20 Metern ist die Schleuse gesperrt, und die Tore bleiben zu.\n\n"
        "## Gebühren\n\nEine Schleusung kostet neun Euro. Ruderboote und Kanus sind von der Gebühr befreit.\n\n"
        "## Wartung der Tore\n\nDie Tore werden jedes Jahr im Februar zwei Wochen lang gewartet und neu geschmiert.\n",
        "Ab welchem Pegel ist die Schleuse gesperrt?",
    ),
    "hu": (
        "A malom működése",
        "# A malom működése\n\n"
        "## Nyitvatartás\n\nA malom április elejétől október végéig látogatható, hétfő kivételével tíz órától.\n\n"
        "## Belépőjegyek\n\nA felnőtt belépőjegy ezerkétszáz forint, a diákok és a nyugdíjasok fél árat fizetnek.\n\n"
        "## Kőcsere\n\nA malomköveket tizenöt évente cserélik, és kéthetente újravágják a barázdáikat.\n\n"
        "## Vezetett séták\n\nSzombatonként délután háromkor a molnár egyórás sétát vezet legfeljebb húsz vendégnek.\n",
        "Mennyibe kerül a felnőtt belépőjegy?",
    ),
    "zh": (
        "茶园管理手册",
        "# 茶园管理手册\n\n"
        "## 采摘时间\n\n春茶在清明前十天开始采摘，每天只在上午九点以前采，雨天不采，以免影响香气。\n\n"
        "## 施肥方法\n\n每年十一月施一次有机肥，每亩用量为三百公斤，施肥后必须在三天之内翻土一次。\n\n"
        "## 病虫防治\n\n茶小绿叶蝉超过每百叶八头时使用黄色粘虫板，每亩悬挂二十五块，不使用化学农药。\n\n"
        "## 茶叶储存\n\n干茶的含水量不得超过百分之五，装入铝箔袋后在零下五度的冷库中保存，最多保存十八个月。\n",
        "每亩有机肥的用量是多少？",
    ),
    "ja": (
        "灯台の運用規則",
        "# 灯台の運用規則\n\n"
        "## 点灯時刻\n\n灯台の灯りは日没の三十分前に点灯し、日の出の十五分後に消灯する。冬至の日も同じ規則に従う。\n\n"
        "## 霧の警報\n\n視界が千メートル以下になったときは、霧笛を一分間に二回鳴らし、港湾事務所に無線で知らせる。\n\n"
        "## レンズの清掃\n\nレンズは毎週月曜日に蒸留水と絹の布で清掃する。洗剤やアルコールを使ってはならない。\n\n"
        "## 見学の受付\n\n見学は五月から九月までの土曜日に受け付ける。一回の人数は十人までとし、予約が必要である。\n",
        "霧笛は一分間に何回鳴らしますか",
    ),
}
FAQ = (
    "Q: Who may borrow the boat?\nA: Every member who has rowed for a year may borrow it.\n\n"
    "Q: Where is the key of the boat house?\nA: It hangs behind the bar of the Anchor.\n\n"
    "Q: When is the boat repaired?\nA: In March, before the season begins.\n"
)
OPEN = {"answer": {"related": 3}}


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Rove]:
    """A base of five notes, in five languages, and one of questions; opened anew each time."""
    place = tmp_path_factory.mktemp("related") / "kb"
    with Rove.open(place) as kb:
        kb.add([Text(text, id=code, title=title, kind="markdown") for code, (title, text, _) in NOTES.items()])
        kb.add(Text(FAQ, id="faq", title="The boat"))
    return lambda: Rove.open(place, **OPEN)


def overlapping(answer: Answer, other: Answer) -> bool:
    """Say whether two answers cite some of the same words."""
    return any(
        one.document_id == that.document_id and one.span[0] < that.span[1] and that.span[0] < one.span[1]
        for one in answer.citations
        for that in other.citations
    )


def test_each_is_answered_in_the_language_of_its_document_by_other_words(notes: Callable[[], Rove]) -> None:
    with notes() as kb:
        for code, (title, text, question) in NOTES.items():
            answer = kb.ask(question)
            assert not answer.refused, question
            assert answer.related, question
            assert len(answer.related) <= 3
            for one in answer.related:
                assert (one.document_id, one.title) == (code, title)
                assert one.question.rstrip("?？") in text[slice(*one.span)]
                told = kb.ask(one.question)
                assert not told.refused, one.question
                assert not overlapping(told, answer), one.question


def test_what_a_document_asks_itself_comes_as_it_stands_there(notes: Callable[[], Rove]) -> None:
    with notes() as kb:
        answer = kb.ask("Where is the key of the boat house?")
        asked = [one.question for one in answer.related]
        assert sorted(asked) == ["When is the boat repaired?", "Who may borrow the boat?"]
        assert kb.ask("When is the boat repaired?").text.startswith("In March")


def test_none_is_looked_for_where_nobody_wants_any_or_nothing_was_answered(notes: Callable[[], Rove]) -> None:
    with notes() as kb:
        assert kb.ask("What is the mass of Neptune?").related == ()
        place = kb.settings.folder
    with Rove.open(place) as kb:
        assert kb.ask(NOTES["en"][2]).related == ()


def test_what_may_not_be_seen_is_never_asked_about(tmp_path: Path) -> None:
    """A reader is told the same, whether the hidden documents are there or not."""
    title, text, question = NOTES["en"]
    hidden = (
        text.replace("Keeping bees", "Bees, for the board").replace("Harvesting honey", "Selling honey to Nordwind"),
        "Q: How much sugar syrup does Nordwind get in autumn?\nA: It gets a ton of syrup in autumn.\n\n"
        "Q: Who signs for Nordwind?\nA: The treasurer signs for Nordwind.\n",
    )
    told: list[Answer] = []
    for there in (False, True):
        with Rove.open(tmp_path / str(there), **OPEN) as kb:
            kb.add(Text(text, id="bees", title=title, kind="markdown", metadata={"access": "all"}))
            for number, secret in enumerate(hidden if there else ()):
                kb.add(Text(secret, id=f"s{number}", title="Board", kind="markdown", metadata={"access": "board"}))
            told.append(kb.ask(question, where=field("access") == "all"))
            if there:
                board = kb.ask("How much sugar syrup does Nordwind get in autumn?")
                assert "Who signs for Nordwind?" in [one.question for one in board.related]
    assert told[0].related == told[1].related != ()


def test_they_go_with_their_documents(notes: Callable[[], Rove]) -> None:
    with notes() as kb:
        answer = kb.ask(NOTES["en"][2])
    (kept,) = left_of([KeptReply(answer)], {"de"})
    assert kept.answer == answer
    other = answer.related[0]
    elsewhere = KeptReply(Answer("q", "t", "extractive", "en", related=(other,)))
    assert documents_of(elsewhere) == {"en"}
    (left,) = left_of([elsewhere], {"en"})
    assert left.answer is not None
    assert left.answer.related == ()
    assert not left.withheld


def test_every_face_has_them(notes: Callable[[], Rove]) -> None:
    with notes() as kb:
        place = kb.settings.folder
        answer = kb.ask(NOTES["en"][2])
    first = answer.related[0]
    assert f"Also answered:\n- {first.question} (Keeping bees)" in answer_text(AnswerOut.of(answer))
    words = ["ask", NOTES["en"][2], "--kb", str(place), "--set", "answer.related=3"]
    printed = CliRunner().invoke(rove, words).output
    assert f"{RELATED}\n  {first.question} · Keeping bees" in printed
    told = json.loads(CliRunner().invoke(rove, [*words, "--json"]).output)
    assert [one["question"] for one in told["related"]] == [one.question for one in answer.related]


@pytest.mark.long
def test_they_are_answered_on_manuals_that_were_not_written_for_it(shared_data: Path, tmp_path: Path) -> None:
    chosen = random.Random(3)
    asked = answered = same = 0
    with Rove.open(tmp_path / "kb", **OPEN) as kb:
        read = [pages_of(shared_data / "retrieval" / name, chosen) for name in ("lohelp_en", "lohelp_de")]
        pages = [page for of_one in read for page in of_one]  # of two languages, with ids in common
        kb.add([Text(one["text"], id=f"{at}", title=one["title"], kind="markdown") for at, one in enumerate(pages)])
        for page in (page for of_one in read for page in of_one[:4]):
            answer = kb.ask(f"{page['title']}?")
            for one in answer.related:
                told = kb.ask(one.question)
                asked += 1
                answered += not told.refused
                same += overlapping(told, answer)
    assert asked >= 5
    assert answered >= 0.95 * asked
    assert same <= 0.1 * asked


def pages_of(folder: Path, chosen: random.Random) -> list[dict[str, str]]:
    """Some pages of a set that have two sections or more."""
    lines = (folder / "corpus.jsonl").read_text("utf-8").splitlines()
    return chosen.sample([page for line in lines if (page := json.loads(line))["text"].count("\n## ") >= 2], 20)

"""Questions of `ask` that all rows of a table answer together, beside those that a sentence answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from rove import Rove
from rove.answer.cite import check_citation

pytestmark = pytest.mark.model
MEMBERS = """Name,Joined,Fee paid,Boat,Phone
Alice Novak,2019-04-02,yes,Heron,555-0101
Ben Ortiz,2021-06-15,no,,555-0102
Chiara Russo,2018-03-30,yes,Swift,555-0103
Dmitri Petrov,2023-01-11,no,Otter,555-0104
Eva Lindqvist,2020-09-09,yes,,555-0105
"""
TOOLS = """# Werkzeugliste der Werkstatt

Die Liste wird von Herrn Ahrens geführt. Verliehen wird höchstens für zwei Wochen.

| Werkzeug | Anschaffung | Preis | Verliehen an | Geprüft |
|---|---|---|---|---|
| Bohrhammer | 2019-03-12 | 189,00 | Familie Petzold | ja |
| Stichsäge | 2021-08-30 | 79,50 | | nein |
| Schleifer | 2018-05-02 | 64,00 | | ja |
| Kettensäge | 2023-02-17 | 245,00 | Herr Kern | nein |
"""
ORDERS = """订单号,客户,城市,金额,是否付款
A1001,晨光书店,杭州,1200,是
A1002,海风餐厅,宁波,860,否
A1003,绿洲花店,杭州,430,是
A1004,东方茶馆,苏州,2150,否
"""
MARKS = "név;matematika;igazolatlan órák\nKiss Anna;5;0\nNagy Bence;3;4\nVarga Dénes;2;11\n"
ROTA = """<html><head><title>当番表</title></head><body><h1>当番表</h1><p>当番は毎朝8時に鍵を開けます。</p><table>
<tr><th>名前</th><th>部署</th></tr><tr><td>佐藤</td><td>営業</td></tr><tr><td>鈴木</td><td>経理</td></tr>
<tr><td>高橋</td><td>営業</td></tr></table></body></html>"""
TRAINS = """# Getting to the conference

The venue is ten minutes on foot from Central Station. The conference has 12 speakers.

| Train | Departs | Price | Bikes allowed |
| --- | --- | --- | --- |
| IC 204 | 07:10 | 38 | no |
| RE 11 | 07:40 | 21 | yes |
| RE 13 | 09:40 | 21 | yes |
| NX 90 | 06:05 | 64 | yes |
"""
FILES = {
    "members.csv": MEMBERS, "werkzeug.md": TOOLS, "dingdan.csv": ORDERS, "jegyek.csv": MARKS, "rota.html": ROTA,
    "trains.md": TRAINS,
}  # fmt: skip


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    pytest.importorskip("duckdb", reason="the extra sql is not installed")
    folder = tmp_path_factory.mktemp("tables")
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    with Rove.open(folder / "kb") as kb:
        kb.add(*(folder / name for name in FILES))
        yield kb


@pytest.mark.parametrize(
    ("question", "rows", "first"),
    [
        ("Who has not paid the fee?", ["Ben", "Dmitri"], "2 of the 5 rows of “members.csv”"),
        ("How many members have not paid the fee?", ["Ben", "Dmitri"], "2 of the 5 rows"),
        ("Which members have a boat?", ["Alice", "Chiara", "Dmitri"], "3 of the 5 rows"),
        ("Which members have no boat?", ["Ben", "Eva"], "2 of the 5 rows"),
        ("Who joined before 2020?", ["Alice", "Chiara"], "2 of the 5 rows"),
        ("List the phone numbers of the members who have not paid.", ["Ben", "Dmitri"], "2 of the 5 rows"),
        ("Welche Werkzeuge sind nicht geprüft?", ["Stichsäge", "Kettensäge"], "2 der 4 Zeilen von “werkzeug.md”"),
        ("Welche Werkzeuge sind verliehen?", ["Bohrhammer", "Kettensäge"], "2 der 4 Zeilen"),
        ("Was ist das teuerste Werkzeug?", ["Kettensäge"], "1 der 4 Zeilen"),
        ("哪些订单没有付款？", ["A1002", "A1004"], "4 行中有 2 行"),
        ("杭州有几个订单？", ["A1001", "A1003"], "4 行中有 2 行"),
        ("总金额是多少？", ["A1001", "A1002", "A1003", "A1004"], "合计：4640"),
        ("Kinek van a legtöbb igazolatlan órája?", ["Varga"], "3 sor közül 1"),
        ("営業部署は何人ですか", ["佐藤", "高橋"], "3 行のうち 2 行"),
        ("Which trains allow bikes?", ["RE 11", "RE 13", "NX 90"], "3 of the 4 rows"),
        ("Which trains do not allow bikes?", ["IC 204"], "1 of the 4 rows"),
        ("Which train is the cheapest?", ["RE 11", "RE 13"], "2 of the 4 rows"),
        ("What is the average price?", ["IC 204", "RE 11", "RE 13", "NX 90"], "on average: 36"),
    ],
)
def test_all_rows_are_read_and_those_that_are_meant_are_cited(
    kb: Rove, question: str, rows: list[str], first: str
) -> None:
    answer = kb.ask(question)
    assert first in answer.text.partition("\n")[0]
    quoted = [citation.quote for citation in answer.citations]
    assert len(quoted) == len(rows)
    assert all(row in quote for row, quote in zip(rows, quoted, strict=True))
    assert all(check_citation(one, kb.text(one.document_id)) for one in answer.citations)
    assert [note.code for note in answer.notes][0] == "from-rows"
    assert "SELECT" in answer.note


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How many speakers does the conference have?", "12 speakers"),
        ("Wer führt die Liste?", "Herrn Ahrens"),
        ("当番は何時に鍵を開けますか", "8時"),
        ("An wen ist die Kettensäge verliehen?", "Herr Kern"),
        ("What is the phone number of Eva?", "555-0105"),
        ("When did Chiara join?", "2018-03-30"),
    ],
)
def test_what_a_sentence_or_one_row_answers_is_answered_by_it(kb: Rove, question: str, words: str) -> None:
    answer = kb.ask(question)
    assert words in answer.text
    assert not any(note.code == "from-rows" for note in answer.notes)


@pytest.mark.parametrize(
    "question", ["How many planks did the jetty lose?", "Which members live in Oslo?", "Welche Werkzeuge sind rostig?"]
)
def test_a_question_of_which_a_word_is_not_understood_is_not_answered_from_rows(kb: Rove, question: str) -> None:
    answer = kb.ask(question)
    assert not re.search(r"\d (of the|der) \d", answer.text)


def test_it_can_be_turned_off(kb: Rove) -> None:
    with Rove.open(kb.settings.path, answer={"forms": False}) as plain:
        assert not any(note.code == "from-rows" for note in plain.ask("Who has not paid the fee?").notes)


def test_a_filter_holds(kb: Rove) -> None:
    tools = next(one.document_id for one in kb.documents() if one.source.endswith("werkzeug.md"))
    assert kb.ask("Who has not paid the fee?", where={"document_id": tools}).refused


def test_all_that_are_equally_the_first_are_told_also_with_a_condition_and_in_groups(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="the extra sql is not installed")
    rooms = "Room,Floor,Price\nRed,1,40\nBlue,1,40\nGreen,2,30\nGrey,2,35\n"
    (tmp_path / "rooms.csv").write_text(rooms, "utf-8")
    with Rove.open(tmp_path / "kb") as kb:
        kb.add(tmp_path / "rooms.csv")
        assert kb.ask_tables("Which room is the most expensive?", by_rules=True).rows[1][0] == "Blue"
        most = kb.ask_tables("Which floor has the most rooms?", by_rules=True)
        assert most.rows == (("1",), ("2",)) and len({cell.row for cell in most.cells}) == 2
        answer = kb.ask("Which room is the most expensive?")
        assert [one.quote.split("|")[1].strip() for one in answer.citations] == ["Red", "Blue"]


def test_of_many_rows_the_first_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    pytest.importorskip("duckdb", reason="the extra sql is not installed")
    lines = "\n".join(f"O{number},{'yes' if number % 3 else 'no'}" for number in range(900))
    (tmp_path / "orders.csv").write_text(f"Order,Paid\n{lines}\n", "utf-8")
    with Rove.open(tmp_path / "kb") as kb:
        kb.add(tmp_path / "orders.csv")
        answer = kb.ask("How many orders are not paid?")
        assert answer.text.startswith("300 of the 900 rows of “orders.csv”")
        assert 0 < len(answer.citations) <= 20
        assert kb.ask("Which orders are not paid?").text.startswith("200+ of the 900 rows")


def test_all_entries_are_given_but_where_a_sentence_answers(kb: Rove) -> None:
    assert len(kb.ask("Which tools are on the list of tools?").citations) == 4
    assert kb.ask("Wer führt die Liste?").citations[0].quote.startswith("Die Liste wird")


@pytest.mark.parametrize(
    ("name", "sheet", "question", "cell"),
    [
        (
            "tools.csv",
            "Tool,Maker,Quantity\nAngle grinder,Bosch,3\nDrill,Makita,7\n",
            "How many drills are there?",
            "7",
        ),
        ("inventur.csv", "Werkzeug,Anzahl\nWinkelschleifer,3\nHammer,9\n", "Wie viele Winkelschleifer gibt es?", "3"),
        ("見積書.csv", "項目,数量,単価\n照明器具,6,12000\n床材,40,900\n", "照明器具は何台ですか。", "6"),
    ],
)
def test_where_a_column_says_how_many_there_are_rows_are_not_counted(
    tmp_path: Path, name: str, sheet: str, question: str, cell: str
) -> None:
    pytest.importorskip("duckdb", reason="the extra sql is not installed")
    (tmp_path / name).write_text(sheet, "utf-8")
    with Rove.open(tmp_path / "kb") as kb:
        kb.add(tmp_path / name)
        answer = kb.ask(question)
        told = answer.short.quote if answer.short else answer.text.partition("\n")[0].split()[-1]
        assert told.endswith(cell), answer.text
        assert len(answer.citations) == 1

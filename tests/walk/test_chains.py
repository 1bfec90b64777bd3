"""A walk without a chat model arrives: it follows what a text points to, reads rows by what it knows, cites steps."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import AsyncRove, Text
from rove.walk.handle import AsyncWalk

FILLERS = [
    Text(f"The office {i} is open on weekdays. Tea is at four.", id=f"n{i}", title=f"Note {i}") for i in range(6)
]
LEASE = Text("# Lease\n\n## 5 Rent\n\nThe rent of the shop is set out in Annex B.\n", id="lease", title="Lease")
ANNEX = Text("# Annex B\n\nShop: 1,400 a month. Flat: 900 a month.\n", id="annex", title="Annex B")
AGREEMENT = Text(
    "# Agreement of Orrin Bakery\n\n## 7 Fees\n\nOrrin Bakery pays a monthly fee for each oven. "
    "The class of each oven stands in Annex C.\n",
    id="agreement",
    title="Agreement of Orrin Bakery",
)
CLASSES = Text(
    "# Annex C\n\n| Oven | Class |\n|---|---|\n| Mill Lane oven | Teal |\n| Quay oven | Umber |\n\n"
    "The rate of each class is that of Schedule 2.\n",
    id="classes",
    title="Annex C",
)
RATES = Text(
    "# Schedule 2\n\n| Class | Rate per month (GBP) | Visits |\n|---|---|---|\n"
    "| Umber | 310 | 1 |\n| Teal | 2,745 | 4 |\n| Ochre | 7,100 | 9 |\n",
    id="rates",
    title="Schedule 2",
)
NEWS = Text("This month the bakery trade pays 95 GBP more for flour.", id="news", title="Trade news")
SUPPLIES = [
    Text("Für den Umbau von Halle 4 nehmen wir die Pumpe QP-31.", id="mail", title="Umbau Halle 4"),
    Text(
        "| Artikel | Termin |\n|---|---|\n| QP-30 | 2. Mai 2025 |\n| QP-31 | 9. Juli 2025 |\n",
        id="dates",
        title="Liefertermine",
    ),
    Text("Während des Umbaus von Halle 4 wird das Essen um 11 Uhr geliefert.", id="food", title="Kantine"),
]


async def walked(folder: Path, texts: list[Text], question: str) -> AsyncWalk:
    async with AsyncRove.open(folder, walk={"memory": False}) as kb:
        await kb.add([*texts, *FILLERS])
        walk = kb.walk(question)
        await walk.answered()
        return walk


async def test_a_pointer_is_no_answer_and_is_followed(tmp_path: Path) -> None:
    walk = await walked(tmp_path, [LEASE, ANNEX], "What is the rent of the shop?")
    assert walk.answer is not None
    assert "1,400" in walk.answer.text
    assert [citation.document_id for citation in walk.answer.citations][-1] == "annex"


async def test_three_steps_each_cited_and_the_row_of_what_was_found_before(tmp_path: Path) -> None:
    question = "How much does Orrin Bakery pay each month for the Mill Lane oven?"
    walk = await walked(tmp_path, [AGREEMENT, CLASSES, RATES, NEWS], question)
    answer = walk.answer
    assert answer is not None
    assert " → " in answer.text
    assert [c.document_id for c in answer.citations if c.document_id != "agreement"][-2:] == ["classes", "rates"]
    assert answer.short is not None
    assert answer.short.quote == "2,745"
    assert "95" not in answer.text
    assert walk.state.stopped is not None
    assert walk.state.stopped.reason == "enough"


async def test_what_was_found_by_steps_is_found_so_again(tmp_path: Path) -> None:
    question = "How much does Orrin Bakery pay each month for the Mill Lane oven?"
    async with AsyncRove.open(tmp_path) as kb:
        await kb.add([AGREEMENT, CLASSES, RATES, NEWS, *FILLERS])
        for _ in range(3):
            answer = await kb.walk(question).answered()
            assert answer.short is not None
            assert answer.short.quote == "2,745"
            assert {"classes", "rates"} <= {citation.document_id for citation in answer.citations}
        similar = await kb.walk(question.replace("Mill Lane", "Quay")).answered()
        assert similar.short is not None
        assert similar.short.quote == "310"


async def test_a_code_leads_to_its_row(tmp_path: Path) -> None:
    walk = await walked(tmp_path, SUPPLIES, "Wann wird die Pumpe für den Umbau von Halle 4 geliefert?")
    assert walk.answer is not None
    assert walk.answer.text.endswith("Termin: 9. Juli 2025 [2]")


async def test_what_was_read_is_read_again_for_a_later_lead(tmp_path: Path) -> None:
    texts = [
        Text("Ada Lindqvist founded Norrby Glass in 1931. The works stand in Kalmar.", id="a", title="Norrby"),
        Text("Norrby Glass was bought by Eklund Holding in 1987.", id="b", title="Sales"),
    ]
    walk = await walked(tmp_path, texts, "Who bought the company that Ada Lindqvist founded?")
    assert walk.answer is not None
    assert "Eklund Holding" in walk.answer.text


async def test_of_two_codes_the_one_leads_of_which_the_question_is_said(tmp_path: Path) -> None:
    mail = Text("Für den Umbau von Halle 4 nehmen wir die Pumpe QP-31. Die QP-30 ist zu klein.", id="m", title="Umbau")
    walk = await walked(tmp_path, [mail, *SUPPLIES[1:]], "Wann wird die Pumpe für den Umbau von Halle 4 geliefert?")
    assert walk.answer is not None
    assert walk.answer.short is not None
    assert walk.answer.short.quote == "9. Juli 2025"


async def test_a_name_on_the_way_is_no_answer_where_it_leads_to_what_was_asked(tmp_path: Path) -> None:
    texts = [
        Text("Order the seal SS-7 of the Orla pump by its number.", id="sheet", title="Orla pump"),
        Text("| Part | Supplier |\n|---|---|\n| SS-5 | Tarn |\n| SS-7 | Dorn Works |\n", id="parts", title="Parts"),
        Text("Dorn Works: phone 0113 555 0199.", id="contacts", title="Contacts"),
        Text("Tarn: phone 0113 555 0100.", id="others", title="Others"),
    ]
    walk = await walked(tmp_path, texts, "What is the phone number of the supplier of the seal of the Orla pump?")
    assert walk.answer is not None
    assert walk.answer.short is not None
    assert "0113 555 0199" in walk.answer.short.quote
    assert "0100" not in walk.answer.text


async def test_neither_a_count_nor_a_day_is_a_lead(tmp_path: Path) -> None:
    texts = [
        Text("The Sorby club has 9 telescopes and meets on Tuesdays.", id="a", title="Sorby club"),
        Text("In January the Sorby club is led by Ada Quill of Class 9.", id="b", title="Sorby news"),
    ]
    walk = await walked(tmp_path, texts, "Who pays for the telescopes of the Sorby club?")
    assert not {"has 9", "Tuesdays", "January"}.intersection(lead.text for lead in walk.state.leads)


@pytest.mark.parametrize("question", ["Was kostet die Zulassung?", "Who leads it?"])
async def test_where_nothing_answers_no_chain_is_told(tmp_path: Path, question: str) -> None:
    walk = await walked(tmp_path, [LEASE], question)
    assert walk.answer is not None
    assert "→" not in walk.answer.text


async def test_the_head_of_a_mail_is_no_step(tmp_path: Path) -> None:
    mail = (
        "From: kim@pump.example\nTo: lee@pump.example\nDate: Mon, 6 Jan 2025 09:00:00 +0000\n"
        "Subject: Norrby project\n\n"
        "For the Norrby project we take the boiler KZ-77, since the old boiler room has no more space.\n"
    )
    files = tmp_path / "files"
    files.mkdir()
    (files / "01.eml").write_text(mail, encoding="utf-8")
    (files / "Arrivals.md").write_text(
        "# Arrivals\n\n| Item | Arrives |\n|---|---|\n| KZ-71 | 2 May |\n| KZ-77 | 14 March |\n", encoding="utf-8"
    )
    async with AsyncRove.open(tmp_path / "kb", walk={"memory": False}) as kb:
        await kb.add(files)
        answer = await kb.walk("When does the boiler of the Norrby project arrive?").answered()
    assert "14 March" in answer.text
    assert "kim@pump.example" not in answer.text


async def test_documents_of_other_codes_contradict_nothing(tmp_path: Path) -> None:
    texts = [
        Text("发票 RE-2026-0816。收取吊车修理费500元。", id="a"),
        Text("发票号 RE-2026-0817。应付润滑电梯费用900元。", id="b"),
    ]
    walk = await walked(tmp_path, texts, "发票RE-2026-0817收取什么费用?")
    assert walk.answer is not None
    assert not walk.answer.conflicts
    assert "0816" not in walk.answer.text


HOUSES = Text(
    "# Our houses\n\n## Great House\n\nBuilt in 1891. Tickets are sold on scale 1.\n\n"
    "## Paint Store\n\nThe former workshop of the painters. Tickets are sold on scale 3.\n",
    id="houses",
    title="Our houses",
)
SEASON = Text(
    "# Season\n\n| Date | Title | House |\n|---|---|---|\n| 7 May | The Salt Road | Great House |\n"
    "| 9 May | The Salt Road | Paint Store |\n| 10 May | Two Brothers | Great House |\n",
    id="season",
    title="Season",
)
SCALES = Text(
    "| Scale | Best seats | Restricted view |\n|---|---|---|\n| 1 | 42.00 | 18.50 |\n| 3 | 27.00 | 13.50 |\n",
    id="scales",
    title="Price scales",
)
REPORT = Text(
    "The label printers at the Leeds depot print half a label and then stop. Switching them off does not help. "
    "Panel shows QHOLD 3. The drivers are waiting.",
    id="report",
    title="Printers in Leeds",
)
PANELS = Text(
    "| Panel | Meaning | Telephone |\n|---|---|---|\n| QHOLD 1 | paused | 0113 555 0100 |\n"
    "| QHOLD 3 | held back | 0113 555 0188 |\n",
    id="panels",
    title="Panel messages",
)


async def test_a_row_leads_to_the_part_of_a_passage_that_has_its_name(tmp_path: Path) -> None:
    question = "How much is a restricted-view seat for The Salt Road on 9 May?"
    walk = await walked(tmp_path, [HOUSES, SEASON, SCALES], question)
    assert walk.answer is not None
    assert "Restricted view: 13.50" in walk.answer.text
    assert "18.50" not in walk.answer.text


async def test_a_short_text_leads_on_by_what_any_of_its_sentences_names(tmp_path: Path) -> None:
    question = "Which telephone number helps with the label printers at the Leeds depot?"
    walk = await walked(tmp_path, [REPORT, PANELS], question)
    assert walk.answer is not None
    assert "0113 555 0188" in walk.answer.text
    assert "0113 555 0100" not in walk.answer.text


async def test_the_edition_in_force_is_read(tmp_path: Path) -> None:
    rule = Text("The Quay oven is of class Umber. The rates stand in Schedule 2.", id="rule", title="Ovens")
    head, rows = "| Class | Rate (GBP) |\n|---|---|\n", "| Teal | {0} |\n| Umber | {1} |\n"
    paths: list[str] = []
    for name, day, old, new in (("Schedule 2 2019.md", 2019, 305, 318), ("Schedule 2 2024.md", 2024, 200, 210)):
        path = tmp_path / name
        path.write_text(f"# Schedule 2\n\nIn force from 1 January {day}.\n\n{head}{rows.format(old, new)}", "utf-8")
        paths.append(str(path))
    async with AsyncRove.open(tmp_path / "kb", walk={"memory": False}) as kb:
        await kb.add([rule, *FILLERS])
        await kb.add(paths)
        answer = await kb.walk("What is the rate of the Quay oven?").answered()
    assert "210" in answer.text
    assert "318" not in answer.text

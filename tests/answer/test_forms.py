"""Questions of whole documents, of which there are, of what is new and what changed, over a base of six languages."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rove import Rove, Text
from rove.question.form import names_documents
from rove.records import Answer, field

FILES = {
    "travel-policy-v1.md": "# Travel policy\n\nValid from 1 January 2023.\n\nTrips are booked through the travel desk. "
    "The limit for a hotel is 120 EUR a night. Meals are paid up to 40 EUR a day. Taxis need a reason.\n",
    "travel-policy-v2.md": "# Travel policy\n\nValid from 1 January 2025.\n\nTrips are booked through the travel desk. "
    "The limit for a hotel is 150 EUR a night. Meals are paid up to 40 EUR a day. Trains are preferred.\n",
    "lease-office.md": "# Lease of the office\n\nThe Landlord lets the office in Graz to Nordglas. The rent is "
    "3,200 EUR a month. Mould has to be reported to the Landlord within a week. The lease ends on 30 June 2027.\n",
    "otthon.md": "# Távmunka\n\nA dolgozók heti két napot dolgozhatnak otthonról. A közvetlen vezető hagyja jóvá.\n",
    "员工手册.md": "# 员工手册\n\n员工每年有十天年假。加班需要主管批准。消防安全培训每年一次。\n",
    "kisoku.md": "# 就業規則\n\n従業員の年次休暇は十日です。残業には上司の承認が必要です。\n",
    **{
        f"memo{n}.md": f"# Memo {n}\n\nThe strike of the drivers cost {n} hours. The board met in room {n}.\n"
        for n in range(4)
    },
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    folder = tmp_path_factory.mktemp("forms")
    given = folder / "given"
    given.mkdir()
    for name, text in FILES.items():
        (given / name).write_text(text, "utf-8")
    with Rove.open(folder / "kb") as kb:
        kb.add(given)
        yield kb


def codes(answer: Answer) -> set[str]:
    return {note.code for note in answer.notes}


def cited(answer: Answer) -> set[str]:
    return {Path(citation.uri).name for citation in answer.citations}


@pytest.mark.parametrize(
    ("question", "file"),
    [
        ("Summarise the lease of the office", "lease-office.md"),
        ("What is in lease-office.md?", "lease-office.md"),
        ("总结一下员工手册", "员工手册.md"),
        ("就業規則を要約して", "kisoku.md"),
        ("Fasse lease-office.md zusammen", "lease-office.md"),
    ],
)
def test_the_whole_of_a_named_document_is_summed_up_in_its_own_sentences(kb: Rove, question: str, file: str) -> None:
    answer = kb.ask(question)
    assert cited(answer) == {file}
    assert len(answer.sentences) >= 2
    assert codes(answer) == {"summed-up"}
    assert all(citation.quote in FILES[file] for citation in answer.citations)


def test_one_document_that_is_chosen_is_what_is_meant(kb: Rove) -> None:
    (document,) = [info for info in kb.documents() if info.source.endswith("otthon.md")]
    answer = kb.ask("Foglald össze", where=field("document_id") == document.document_id)
    assert cited(answer) == {"otthon.md"}
    assert "közvetlen vezető" in answer.text


def test_the_whole_of_all_there_is_are_its_themes(kb: Rove) -> None:
    assert codes(kb.ask("总结一下")) == {"themes"}


def test_what_changed_stands_side_by_side_cited_on_both(kb: Rove) -> None:
    answer = kb.ask("What changed between version 1 and version 2 of the travel policy?")
    changed = [sentence.text for sentence in answer.sentences]
    assert any("120 EUR" in text and "150 EUR" in text and text.index("120") < text.index("150") for text in changed)
    assert any(text.startswith("+") and "Trains" in text for text in changed) or any(
        "Taxis" in text for text in changed
    )
    assert cited(answer) == {"travel-policy-v1.md", "travel-policy-v2.md"}
    assert not any("Meals" in text for text in changed)


def test_what_changed_in_a_document_of_one_version_is_not_told_of_another(kb: Rove) -> None:
    assert "differ in" not in kb.ask("What changed in the lease of the office?").text


def test_documents_that_mention_something_are_counted_and_listed(kb: Rove) -> None:
    answer = kb.ask("How many documents mention the strike?")
    assert answer.text.startswith("4 of 10 documents")
    assert cited(answer) == {f"memo{n}.md" for n in range(4)}
    assert kb.ask("Which documents mention mould?").text.startswith("1 of 10 documents")
    assert kb.ask("有多少文档提到加班？").text.startswith("10 份文档中有 1 份")


def test_what_there_is_and_what_is_new_is_said_from_the_catalog(kb: Rove) -> None:
    listed = kb.ask("Which documents do you have?").text
    assert listed.startswith("10 documents:")
    assert all(name in listed for name in FILES)
    assert kb.ask("What was added today?").text.startswith("10 documents were added since")


@pytest.mark.parametrize(
    "question",
    [
        "When does the lease end?",
        "What is the limit for a hotel?",
        "How many hours did the strike cost?",
        "加班需要谁批准？",
    ],
)
def test_a_question_for_a_fact_is_searched_for(kb: Rove, question: str) -> None:
    assert not codes(kb.ask(question)) & {"summed-up", "from-catalog", "documents-by-words"}


def test_it_can_be_turned_off(kb: Rove, tmp_path: Path) -> None:
    with Rove.open(tmp_path, answer={"forms": False}) as other:
        other.add(Path(kb.documents()[0].source))
        assert "from-catalog" not in codes(other.ask("Which documents do you have?"))


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    folder = tmp_path_factory.mktemp("tables")
    given = folder / "given"
    given.mkdir()
    (given / "Fleet.csv").write_text(
        "Plate,Model,Driver,Mileage\nHP21 KLM,Transit,Idris Fenner,88410\nHP22 RTY,Master,Bella Soames,61275\n"
        "HP23 ZXC,Daily,Conrad Mbeki,23990\nHP24 VBN,TGE,Petra Lindholm,9120\n",
        "utf-8",
    )
    for hall, rent, end in (("9", "7,250", "31 May 2027"), ("11", "5,900", "30 September 2026")):
        (given / f"Lease Hall {hall}.md").write_text(
            f"# Lease agreement, Hall {hall}\n\n## Term\n\nThe lease ends on {end}.\n\n"
            f"## Rent\n\nThe rent is GBP {rent} a month.\n",
            "utf-8",
        )
    with Rove.open(folder / "kb") as kb:
        kb.add(given)
        yield kb


def test_all_entries_of_a_table_are_given_each_cited(tables: Rove) -> None:
    answer = tables.ask("List the plates of the vans")
    assert all(plate in answer.text for plate in ("HP21 KLM", "HP22 RTY", "HP23 ZXC", "HP24 VBN"))
    assert len(answer.sentences) == 4
    assert all(one.quote.startswith("| HP2") for one in answer.citations)


def test_what_is_compared_stands_side_by_side(tables: Rove) -> None:
    answer = tables.ask("Which is cheaper, the rent of Hall 9 or the rent of Hall 11?")
    assert "7,250" in answer.text
    assert "5,900" in answer.text
    assert cited(answer) == {"Lease Hall 9.md", "Lease Hall 11.md"}
    ends = tables.ask("Which of the two leases ends earlier, Hall 9 or Hall 11?").text
    assert "31 May 2027" in ends
    assert "30 September 2026" in ends


@pytest.fixture(scope="module")
def coded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    with Rove.open(tmp_path_factory.mktemp("coded")) as kb:
        codes = "| Code | Meaning |\n|---|---|\n| E-1024 | The drum is blocked |\n| E-1042 | The water is too cold |\n"
        pumps = "The P-100 pump moves 40 litres a minute. The P-200 pump moves 90 litres a minute. "
        kb.add(
            [
                Text(f"# Error codes\n\n{codes}", id="codes.md"),
                Text(f"{pumps}The P-1000 is no longer made.", id="pumps"),
            ]
        )
        yield kb


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("What is the difference between E-1042 and E-1024?", ("drum", "water")),
        ("Was ist der Unterschied zwischen E-1042 und E-1024?", ("drum", "water")),
        ("How do the P-100 and the P-200 differ?", ("40 litres", "90 litres")),
        ("P-100与P-200有什么区别？", ("40 litres", "90 litres")),
        ("Miben különbözik a P-100 a P200-tól?", ("40 litres", "90 litres")),
    ],
)
def test_things_whose_names_are_codes_are_compared(coded: Rove, question: str, sides: tuple[str, str]) -> None:
    answer = coded.ask(question)
    assert len(answer.sentences) == 2
    assert all(side in answer.text for side in sides)


@pytest.mark.parametrize("question", ["Compare the P-100 pump with the P-400 pump", "What is E-1042 beside E-9999?"])
def test_what_is_compared_with_a_code_that_stands_nowhere_is_not_another_thing(coded: Rove, question: str) -> None:
    assert "sides-compared" not in codes(coded.ask(question))


def test_a_place_in_a_document_is_told_by_its_heading(tables: Rove) -> None:
    answer = tables.ask("Which documents mention the rent of Hall 11?")
    assert "Lease Hall 11.md" in answer.text
    assert "› Rent" in answer.text


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Hány példányt kérnek a naptárból?", "hu"),
        ("How many copies of the calendar are ordered?", "en"),
        ("Wie viele Aufzüge werden gewartet?", "de"),
        ("采购了几台切纸机？", "zh"),
    ],
)
def test_a_count_of_what_documents_tell_is_no_count_of_documents(kb: Rove, question: str, language: str) -> None:
    assert not names_documents(question, language)
    assert "documents-by-words" not in codes(kb.ask(question))

"""Versions of one document: the one that held at the time asked about answers, the others are named."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from rove import Rove
from rove.answer.versions import asked_days, same_but_version, version_of

FILES = {
    "Parking v1.md": "# Parking policy\n\nValid from 1 March 2023.\n\n## Fees\n\n"
    "A parking place costs GBP 22 a month.\n",
    "Parking v2.md": "# Parking policy\n\nValid from 1 October 2025.\n\n## Fees\n\n"
    "A parking place costs GBP 29 a month.\n",
    "cafeteria 2024.md": "# Cafeteria szabályzat\n\nHatályos: 2024. január 1-jétől.\n\n## Keret\n\n"
    "Az éves keret munkatársanként 360 000 forint.\n",
    "cafeteria 2025.md": "# Cafeteria szabályzat\n\nHatályos: 2025. január 1-jétől.\n\n## Keret\n\n"
    "Az éves keret munkatársanként 420 000 forint.\n",
    "規程（旧）.md": "# 出張旅費規程\n\n## 日当\n\n日当は一日2,200円とする。\n",
    "規程（新）.md": "# 出張旅費規程\n\n## 日当\n\n日当は一日2,800円とする。\n",
    "Lease Hall 9.md": "# Lease, Hall 9\n\nSigned on 2 May 2024.\n\n## Rent\n\nThe rent is GBP 7,250 a month.\n",
    "Lease Hall 11.md": "# Lease, Hall 11\n\nSigned on 9 May 2025.\n\n## Rent\n\nThe rent is GBP 5,900 a month.\n",
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    folder = tmp_path_factory.mktemp("versions")
    given = folder / "given"
    given.mkdir()
    for name, text in FILES.items():
        (given / name).write_text(text, "utf-8")
    with Rove.open(folder / "kb") as kb:
        kb.add(given)
        yield kb


@pytest.mark.parametrize(
    ("question", "value", "other", "names"),
    [
        ("What does a parking place cost?", "29", "22", "Parking v1.md"),
        ("What did a parking place cost in 2024?", "22", "29", "Parking v2.md"),
        ("What does a parking place cost by version 1?", "22", "29", "Parking v2.md"),
        ("Mennyi az éves cafeteria keret?", "420 000", "360 000", "cafeteria 2024.md"),
        ("Mennyi volt az éves cafeteria keret 2024-ben?", "360 000", "420 000", "cafeteria 2025.md"),
        ("出張の日当はいくらですか", "2,800", "2,200", "規程（旧）.md"),
    ],
)
def test_the_version_that_held_answers_and_the_other_is_named(
    kb: Rove, question: str, value: str, other: str, names: str
) -> None:
    answer = kb.ask(question)
    assert value in answer.text
    assert other not in answer.text
    assert names in answer.note


def test_documents_that_only_look_alike_are_no_versions(kb: Rove) -> None:
    answer = kb.ask("What is the rent?")
    assert "Lease Hall" not in answer.note
    assert len({Path(one.uri).name for one in answer.citations}) == 2


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a/policy_2023.pdf", "a/Policy 2025.pdf", True),
        ("2023/policy.pdf", "2025/policy.pdf", True),
        ("rules rev. 3.docx", "rules rev. 4.docx", True),
        ("考勤制度_2022版.docx", "考勤制度_2025版.docx", True),
        ("Ordnung_alt.docx", "Ordnung_neu.docx", True),
        ("Hall 7.docx", "Hall 9.docx", False),
        ("a/policy.pdf", "b/policy.pdf", False),
        ("loan_piano.docx", "loan_projector.docx", False),
    ],
)
def test_names_of_files_tell_versions_from_other_documents(one: str, other: str, same: bool) -> None:
    assert (same_but_version(one) == same_but_version(other)) is same


def test_the_day_a_version_holds_from_is_read_from_its_first_lines_then_its_name() -> None:
    assert version_of("1", "x 2025.md", "Gültig ab 1. März 2024.", "de").since == "2024-03-01"
    assert version_of("1", "x 2025.md", "No day.", "en").since == "2025-01-01"
    assert version_of("1", "旧.md", "なし", "ja").age < version_of("2", "新.md", "なし", "ja").age


@pytest.mark.parametrize(
    ("question", "language", "days"),
    [
        ("What was it in May 2024?", "en", {"2024-05-31"}),
        ("2024年的上限是多少？", "zh", {"2024-12-31"}),
        ("Mennyi volt 2023-ban?", "hu", {"2023-12-31"}),
        ("How many of the 1999 cars?", "en", {"1999-12-31"}),
        ("Room 2024.5 or 12024?", "en", set()),
    ],
)
def test_the_time_of_a_question(question: str, language: str, days: set[str]) -> None:
    assert asked_days(question, language)[0] == days

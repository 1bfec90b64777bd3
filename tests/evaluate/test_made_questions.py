"""Questions from a base's own documents: without a model in many languages, with one held to the passage."""

from __future__ import annotations

import itertools
import json
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from rove.errors import InputError, ServiceError
from rove.evaluate.dataset import check_dataset, read_dataset
from rove.evaluate.made import MadeQuestion, write_rows
from rove.evaluate.make_questions import (
    COPIED,
    GIVEN_AWAY,
    LEANS,
    NOT_THERE,
    NOTHING,
    TWICE,
    fault,
    make_questions,
)
from rove.records import Chunk, Document, Text
from rove.sync import Rove

BODY = {
    "en": "It is approved by the head of unit within five working days, in writing.",
    "de": "Sie wird von der Abteilungsleitung innerhalb von fünf Arbeitstagen schriftlich genehmigt.",
    "hu": "Az osztályvezető hagyja jóvá öt munkanapon belül, írásban, az iroda értesítésével.",
    "zh": "须由部门负责人在五个工作日之内以书面形式批准，并通知办公室，之后方可开始执行，所有员工都必须遵守。",
    "ja": "部門長が五営業日以内に書面で承認し、事務所に通知します。すべての従業員はこの規定を守ります。",
}
HEADINGS = {
    "en": ("1.2 Remote work abroad", "What is said about “Remote work abroad”?"),
    "de": ("§ 3 Mobile Arbeit im Ausland", "Was steht zu „Mobile Arbeit im Ausland“?"),
    "hu": ("2. Távmunka külföldön", "Mit lehet tudni erről: „Távmunka külföldön”?"),
    "zh": ("第三章 海外远程办公", "关于“海外远程办公”有哪些说明？"),
    "ja": ("第2節 海外でのテレワーク", "「海外でのテレワーク」について何が書かれていますか。"),
}


def base(folder: Path, *texts: str) -> list[tuple[Document, Sequence[Chunk]]]:
    with Rove.open(folder, embedder={"name": "fake"}) as kb:
        kb.add(*(Text(text, id=f"d{number}", kind="markdown") for number, text in enumerate(texts)))
        return [kb.document(info.document_id) for info in kb.documents()]


@pytest.mark.parametrize("language", HEADINGS)
async def test_a_heading_is_asked_about_in_the_language_of_its_document(tmp_path: Path, language: str) -> None:
    heading, question = HEADINGS[language]
    documents = base(tmp_path, f"## {heading}\n\n{BODY[language]}\n")
    made = (await make_questions(documents, 10)).questions
    assert [(one.question, one.made_by, one.language) for one in made] == [(question, "heading", language)]
    start, end = made[0].span
    assert BODY[language] in documents[0][0].text[start:end]


async def test_a_heading_that_occurs_twice_is_no_question(tmp_path: Path) -> None:
    text = f"# {{}}\n\n## Overview of it\n\n{BODY['en']}\n"
    made = (await make_questions(base(tmp_path, text.format("Remote work"), text.format("Annual leave")), 10)).questions
    assert {one.question for one in made} == {
        "What is said about “Remote work”?",
        "What is said about “Annual leave”?",
    }


async def test_a_short_heading_is_asked_with_the_one_above_it_and_a_question_stays_one(tmp_path: Path) -> None:
    text = f"# Remote work\n\n## Approval\n\n{BODY['en']}\n\n## Who pays for the chair?\n\n{BODY['en']}\n"
    asked = {one.question for one in (await make_questions(base(tmp_path, text), 10)).questions}
    assert asked >= {"What is said about “Approval (Remote work)”?", "Who pays for the chair?"}


async def test_cells_of_a_table_are_asked_for_with_their_answers(tmp_path: Path) -> None:
    text = (
        "# Offices of the firm\n\n| City | Head |\n| --- | --- |\n| Oslo | Ingrid Dahl |\n| 東京 | 佐藤 |\n| 7 | 8 |\n"
    )
    documents = base(tmp_path, text)
    rows = [one for one in (await make_questions(documents, 10)).questions if one.made_by == "row"]
    assert {(one.question, one.answer) for one in rows} == {
        ("Oslo: what is its Head?", "Ingrid Dahl"),
        ("東京: what is its Head?", "佐藤"),
    }
    for one in rows:
        assert one.answer in documents[0][0].text[slice(*one.span)]


async def test_the_same_base_gives_the_same_questions_and_fewer_are_the_first_of_more(tmp_path: Path) -> None:
    text = "\n\n".join(f"## Topic number{letter} here\n\n{BODY['en']}" for letter in "abcdefgh")
    documents = base(tmp_path, text)
    all_ = (await make_questions(documents, 8)).questions
    assert (await make_questions(documents, 3)).questions == all_[:3]
    assert [one.question for one in all_] != sorted(one.question for one in all_)


@pytest.mark.parametrize("name", ["made.jsonl", "made.csv", "made.tsv"])
async def test_what_was_made_is_read_as_a_dataset(tmp_path: Path, name: str) -> None:
    documents = base(tmp_path / "kb", *(f"## {heading}\n\n{BODY[of]}\n" for of, (heading, _) in HEADINGS.items()))
    made = (await make_questions(documents, 10)).questions
    write_rows(tmp_path / name, (one.row for one in made))
    found = read_dataset(tmp_path / name)
    assert [(q.question_id, q.text, q.language) for q in found.questions] == [
        (one.question_id, one.question, one.language) for one in made
    ]
    assert found.sources == {one.question_id: (one.document_id,) for one in made}
    assert {key: (own[0].document_id, own[0].span) for key, own in found.spans.items()} == {
        one.question_id: (one.document_id, one.span) for one in made
    }


def test_a_file_of_questions_needs_a_name_that_says_how_it_is_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="jsonl"):
        write_rows(tmp_path / "made.txt", [])
    with pytest.raises(InputError, match="cannot be written"):
        write_rows(tmp_path / "nowhere" / "made.csv", [])


PASSAGE = "Remote work is approved by the head of unit within five working days of the application in writing."
ZH = "远程办公须由部门负责人在收到申请之后的五个工作日之内以书面形式批准，并通知人事办公室。"


@pytest.mark.parametrize(
    ("question", "answer", "passage", "language", "says"),
    [
        ("Who has to agree when I work from home?", "the head of unit", PASSAGE, "en", ""),
        ("谁来决定能不能在家上班？", "部门负责人", ZH, "zh", ""),
        ("", "", PASSAGE, "en", NOTHING),
        ("Who is it?", "the head of unit", PASSAGE, "en", NOTHING),
        ("Who has to agree when I work from home?", "the director", PASSAGE, "en", NOT_THERE),
        ("谁来决定能不能在家上班？", "总经理", ZH, "zh", NOT_THERE),
        ("Does the head of unit agree to work from home?", "the head of unit", PASSAGE, "en", GIVEN_AWAY),
        ("Who approves remote work according to the passage?", "the head of unit", PASSAGE, "en", LEANS),
        ("Wer genehmigt laut diesem Text die mobile Arbeit?", "head of unit", PASSAGE, "de", LEANS),
        ("根据上文，谁来决定能不能在家上班？", "部门负责人", ZH, "zh", LEANS),
        ("Is it approved by the head of unit within five working days?", "remote work", PASSAGE, "en", COPIED),
        ("谁在收到申请之后的五个工作日之内以书面形式批准？", "部门负责人", ZH, "zh", COPIED),
    ],
)  # fmt: skip
def test_faults_of_questions(question: str, answer: str, passage: str, language: str, says: str) -> None:
    assert fault(question, answer, passage, language) == says


class Scripted:
    """Writes the replies in their order, the last for ever; an error is raised."""

    name = "scripted"

    def __init__(self, *replies: dict[str, str] | ServiceError) -> None:
        self.replies = list(replies)
        self.prompts: list[str] = []

    async def stream(self, instructions: str, prompt: str, *, shape: object = None) -> AsyncIterator[str]:
        self.prompts.append(prompt)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, ServiceError):
            raise reply
        yield json.dumps(reply)


GOOD = {"question": "Who has to agree when I work from home?", "answer": "the head of unit"}


async def test_a_model_is_asked_once_a_passage_and_what_is_wrong_is_thrown_away(tmp_path: Path) -> None:
    documents = base(tmp_path, *(f"## Remote {word}\n\n{PASSAGE} Paper {word}.\n" for word in ("one", "two", "three")))
    model = Scripted({"question": "Who decides on work?", "answer": "the director"}, GOOD)
    found = await make_questions(documents, 2, model)
    assert found.rejected == {NOT_THERE: 1, TWICE: 1}
    assert [(one.question, one.answer, one.made_by) for one in found.questions] == [(*GOOD.values(), "scripted")]
    start, end = found.questions[0].span
    text = next(d.text for d, _ in documents if d.document_id == found.questions[0].document_id)
    assert text[start:end] == PASSAGE
    assert len(model.prompts) == 3
    assert "⟦passage" in model.prompts[0]


async def test_what_was_made_is_kept_when_the_model_fails(tmp_path: Path) -> None:
    documents = base(tmp_path, *(f"## Remote {word}\n\n{PASSAGE} Paper {word}.\n" for word in ("one", "two", "three")))
    found = await make_questions(documents, 3, Scripted(GOOD, ServiceError("The endpoint is down.")))
    assert len(found.questions) == 1
    assert "down" in found.failure


@pytest.mark.data
async def test_questions_can_be_made_of_real_documents_and_their_spans_hold(shared_data: Path, tmp_path: Path) -> None:
    data = read_dataset(shared_data / "retrieval" / "lohelp_de")
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        kb.add(*itertools.islice(data.documents, 30))
        documents = [kb.document(info.document_id) for info in kb.documents()]
    made: Sequence[MadeQuestion] = (await make_questions(documents, 200)).questions
    texts = {document.document_id: document.text for document, _ in documents}
    assert len(made) > 50
    assert len({one.question_id for one in made}) == len(made)
    assert all(0 <= one.span[0] < one.span[1] <= len(texts[one.document_id]) for one in made)
    assert sum(one.language == "de" for one in made) > 0.9 * len(made)
    check_dataset(data)

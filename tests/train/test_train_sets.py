"""What the reader is trained on says what is true: sides apart, spans exact, nothing called wrong that may be right."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from bench.sets import Doc, RetrievalSet
from train.cloze import WORDS, clozes
from train.reader_data import all_questions, ask_all
from train.reader_sets import Base, Label, Question, split

from rove.models.e5.interaction import Interaction

TEXTS = {
    "en": "The old harbour was rebuilt by Mary Fletcher in 1894. It is the largest harbour of Kent, with 300 boats.",
    "de": "Der alte Hafen wurde 1894 von Maria Flechter neu gebaut. Heute ist er der größte Hafen des ganzen Landes.",
    "es": "El viejo puerto fue reconstruido por María Flores en 1894. Hoy es el puerto más grande de Valencia entera.",
    "zh": "这座古老的港口于1894年由著名工程师玛丽重新修建完成。如今它是“全省第一大港”，每年有许多船只停靠。",
    "ja": "この古い港は1894年に技師メアリーフレッチャーによって再建された。現在では「県内最大の港」である。",
}


def questions_of(language: str, name: str, answers: tuple[str, ...]) -> Question:
    return Question(f"q-{language}", "Who rebuilt the old harbour?", name, "en", (language,), answers, "train")


@pytest.mark.model
def test_labels_of_what_rove_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.vectors.CACHE", tmp_path)
    answers = {"en": "Mary Fletcher", "de": "Maria Flechter", "zh": "玛丽", "ja": "メアリーフレッチャー"}
    docs = tuple(Doc(language, f"1894 {language}", text) for language, text in TEXTS.items())
    asked = [questions_of(language, "harbours", (answer,)) for language, answer in answers.items()]
    asked.append(questions_of("es", "harbours", ()))
    folder = tmp_path / "harbours"
    folder.mkdir()
    assert ask_all(RetrievalSet("harbours", "en", "en", docs, {}, {}), asked, folder) == len(docs)
    base = Base(folder)
    assert base.questions == asked
    rows = {passage.document: n for n, passage in enumerate(base.passages)}
    for row, question in enumerate(asked):
        assert sorted(c for c in base.candidates[row] if c >= 0) == sorted(rows.values())
        own = rows[question.gold[0]]
        label = base.label(question, own)
        assert (label.is_relevant, label.answers) == (1, 1)
        for start, end in label.spans:
            spans = base.spans(own)
            assert question.answers[0] in base.passages[own].text[spans[start, 0] : spans[end, 1]]
        assert len(label.spans) == len(question.answers)
        assert len(base.packed(own)) == len(base.spans(own))
    # Another document that holds the answer may be right, unless the answer is too short to tell; a title is no text.
    spanish = rows["es"]
    assert base.label(questions_of("en", "harbours", ("reconstruido",)), spanish) == Label(-1, -1)
    assert base.label(questions_of("en", "harbours", ("1894",)), spanish) == Label(0, 0)
    assert base.label(questions_of("es", "harbours", ("1894 es",)), spanish) == Label(0, 0)
    # MaxSim is the product's own.
    n = list(base.candidates[0]).index(rows["en"])
    cosines = base.question_tokens(0) @ base.passage_tokens(rows["en"]).T
    maxsim = (cosines.clip(0).max(1) ** 3).mean() + 0.5 * (cosines.clip(0).max(0) ** 3).mean()
    assert base.maxsim[0, n] == pytest.approx(maxsim, abs=1e-3)
    assert base.packed(0).shape[1] == Interaction().dimension // 2


@pytest.mark.parametrize("language", TEXTS)
def test_a_made_questions_answer_stands_in_its_text_and_not_in_the_question(language: str) -> None:
    made = clozes(TEXTS[language], language, 2, random.Random(4))
    assert len(made) == 2
    for question in made:
        assert question.answer in TEXTS[language]
        assert question.answer not in question.text
        assert WORDS[language] in question.text


@pytest.mark.data
def test_no_paragraph_is_on_both_sides_in_any_language(shared_data: Path) -> None:
    from train.reader_data import PLANS  # noqa: PLC0415 - reads shared/data

    sides: dict[str, set[str]] = {}
    for plan in PLANS:
        if plan.name in ("xquad_de", "xquad_zh"):
            for question in all_questions(plan, plan.data()):
                sides.setdefault(question.gold[0], set()).add(question.side)
    assert len(sides) == 240
    assert all(len(found) == 1 for found in sides.values())
    assert {split("xquad_en", [document]) for document in sides} == {"train", "test"}

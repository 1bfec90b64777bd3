"""Languages of questions and texts, and what is loaded to find them."""

import json
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rove.language.detect import detect

QUESTIONS = [
    ("hu", "ki nyerte"),
    ("hu", "hogyan kell telepíteni a programot"),
    ("en", "who won"),
    ("en", "capital of France"),
    ("en", "vacation policy"),
    ("de", "Wer hat gewonnen?"),
    ("de", "Passwort zurücksetzen"),
    ("fr", "qui a gagné"),
    ("es", "quién ganó"),
    ("it", "chi ha vinto"),
    ("pt", "quem ganhou"),
    ("nl", "wie heeft gewonnen"),
    ("ru", "кто выиграл"),
    ("uk", "хто виграв"),
    ("pl", "kto wygrał"),
    ("ja", "勝者は誰"),
    ("ja", "東京タワー"),
    ("zh", "谁赢了"),
    ("ko", "누가 이겼나요"),
    ("ar", "من فاز"),
    ("fa", "چه کسی برنده شد"),
    ("th", "ใครชนะ"),
    ("el", "ποιος κέρδισε"),
    ("he", "מי ניצח"),
    ("hi", "कौन जीता"),
    ("und", ""),
    ("und", "12:30 + 5 = ?"),
]


@pytest.mark.parametrize(("language", "question"), QUESTIONS)
def test_questions(language, question):
    assert detect(question) == language


@pytest.mark.parametrize(
    ("text", "among", "language"),
    [
        ("Budapest", {"hu", "zh"}, "hu"),
        ("max_connections", {"en", "ja"}, "en"),
        ("who won", {"zh", "ja"}, "und"),
        ("憲法", {"ja", "en"}, "ja"),
        ("憲法", {"zh", "ja"}, "zh"),
        ("勝者は誰", {"en"}, "und"),
        ("кто выиграл", {"ru", "en"}, "ru"),
        ("was ist das", {"de", "en", "hu"}, "de"),
    ],
)
def test_candidates(text, among, language):
    assert detect(text, among) == language


def test_mixed_texts_go_by_their_main_script():
    assert detect("PostgreSQL 是一个功能强大的开源对象关系型数据库系统") == "zh"
    assert detect("The word 猫 means cat in Japanese, and it is read neko.") == "en"
    assert detect("《熊猫小熊猫》是由东京ムービー制作的动画电影，由高畑勋执导、宫崎骏负责剧本，" * 5) == "zh"


def test_model_is_loaded_only_where_it_is_needed():
    code = (
        "import sys; from rove.language.detect import detect;"
        "detect('who won', {'en', 'zh'}); detect('谁赢了'); detect('who won', {'en', 'hu'});"
        "detect('It was the best of times and it was the worst of times.'); assert 'py3langid' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(), max_size=60))
def test_any_text_has_an_answer(text):
    assert detect(text).isalpha()


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("xquad_en", "en"),
        ("xquad_de", "de"),
        ("xquad_es", "es"),
        ("xquad_zh", "zh"),
        ("jsquad", "ja"),
        ("cmrc2018_dev", "zh"),
    ],
)
@pytest.mark.parametrize("file", ["queries", "corpus"])
def test_real_texts(shared_data, name, language, file):
    lines = (shared_data / "retrieval" / name / f"{file}.jsonl").read_text("utf-8").splitlines()[:200]
    wrong = [text for text in (json.loads(line)["text"] for line in lines) if detect(text) != language]
    assert len(wrong) <= 2, wrong

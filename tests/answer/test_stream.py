"""What is told while a chat model writes has passed, stays, and is the answer; a reply that was cut off says so."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace

import pytest

import rove.models.endpoint as waits
from openai_server import Reply, chat, raw_stream, serve
from rove.answer.answerer import BY_RULES, Answerer
from rove.answer.chat import AnswerContext, Verified, write_answer
from rove.answer.gate import GateVerdict
from rove.answer.refusal import refusal
from rove.errors import ServiceError
from rove.events import Event, TextDelta, ignore
from rove.models import ChatModel
from rove.models.chat import PydanticChatModel
from rove.models.fake import FakeEmbedder
from rove.models.thinking import WithoutThinking
from rove.records import Answer, Chunk, Hit, Note
from rove.records.hit import Place
from rove.settings import AnswerSettings, ChatSettings

HELD: Mapping[str, Sequence[str]] = {
    "en": ("The RTO committee approves remote work.", "It meets on Mondays.", "Dogs may come to the office on Friday."),
    "de": ("Der Ausschuss genehmigt die Telearbeit.", "Er tagt am Montag.", "Hunde dürfen am Freitag ins Büro."),
    "hu": ("A távmunkát a bizottság hagyja jóvá.", "Hétfőnként ülésezik.", "Kutyát pénteken lehet az irodába hozni."),
    "zh": ("远程办公由委员会批准。", "委员会每周一开会。", "星期五可以带狗到办公室。"),
    "ja": ("在宅勤務は委員会が承認します。", "委員会は毎週月曜日に開かれます。", "金曜日は犬を連れて来てよいです。"),
}  # fmt: skip
FALSE = {
    "en": "The senate of Mars moved to Zanzibar with 4711 elephants.",
    "de": "Der Senat des Mars zog mit 4711 Elefanten nach Sansibar.",
    "hu": "A Mars szenátusa 4711 elefánttal Zanzibárba költözött.",
    "zh": "火星参议院带着4711头大象搬到了桑给巴尔。",
    "ja": "火星の元老院は4711頭の象とともにザンジバルへ移りました。",
}
TABLE = "| day | animal |\n|---|---|\n| Friday | dogs |"
GUARD_S = 20
PASSES = GateVerdict(passes=True)


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits, "FIRST_WAIT_S", 0.01)


def text_in(language: str) -> str:
    blank = "" if language in {"zh", "ja"} else " "
    return f"{blank.join(HELD[language])}\n\n{TABLE}"


def hits_in(language: str) -> list[Hit]:
    text = text_in(language)
    chunk = Chunk("d-0", "d", text, (0, len(text)), 0, language=language)
    return [Hit(chunk, 1.0, {"semantic": Place(1, 0.9)}, uri="file:///d.md", title="Handbook")]


class Pieces:
    """A chat model whose reply comes in these pieces; `gate` holds it up before the last. It fails by an error."""

    name = "scripted"

    def __init__(self, *pieces: str | ServiceError, gate: asyncio.Event | None = None) -> None:
        self.pieces, self.gate = pieces, gate

    async def stream(self, instructions: str, prompt: str, *, shape: object = None) -> AsyncIterator[str]:
        for piece in self.pieces:
            if self.gate and piece is self.pieces[-1]:
                await self.gate.wait()
            if isinstance(piece, ServiceError):
                raise piece
            yield piece


def context_of(language: str, hear: Callable[[str], None] = str) -> AnswerContext:
    async def text_of(document_id: str) -> str:
        return text_in(language)

    def listen(event: Event) -> None:
        assert isinstance(event, TextDelta)
        hear(event.text)

    return AnswerContext(FakeEmbedder(), None, AnswerSettings(strict=True), text_of, listen)


async def written(language: str, *pieces: str) -> tuple[Verified, list[str]]:
    heard: list[str] = []
    hits = hits_in(language)
    verified = await write_answer("?", hits, hits, language, Pieces(*pieces), context_of(language, heard.append))
    return verified, heard


async def asked(
    language: str, model: ChatModel, hear: Callable[[str], None] = str, verdict: GateVerdict = PASSES
) -> Answer:
    context = context_of(language, hear)
    answerer = Answerer(FakeEmbedder(), model, AnswerSettings(strict=True))
    return await answerer.answer(
        "?",
        hits_in(language),
        verdict,
        language=language,
        text_of=context.text_of,
        listener=context.listener,
    )


async def answered(language: str, reply: Reply, hear: Callable[[str], None] = str) -> Answer:
    async with serve(reply) as server:
        settings = ChatSettings(model="scripted", base_url=server.url, timeout_s=2, retries=0)
        return await asked(language, PydanticChatModel(settings), hear)


def reply_in(language: str, dice: random.Random) -> str:
    """A reply of true and false sentences, headings, lead-ins, lists, a table and refusals."""
    blank = "" if language in {"zh", "ja"} else " "
    told: list[str] = []
    for _ in range(dice.randint(1, 8)):
        sentence = dice.choice([*HELD[language], FALSE[language], refusal(language)])
        told += [sentence, dice.choice(["", " [1]", "[7]", " [1, 2]", "【1】"])]
        told.append(
            dice.choice([blank, blank, "\n", "\n\n", "\n- ", "\n\n## A\n\n", f"\n\n{TABLE}\n\n", "\nNotes:\n\n"])
        )
    return "".join(told)


# -- as they pass ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", HELD)
async def test_what_is_told_is_the_answer_however_the_reply_comes(language: str) -> None:
    dice = random.Random(language)
    shown = 0
    for _ in range(12):
        reply = reply_in(language, dice)
        whole, told = await written(language, reply)
        assert "".join(told) == whole.text
        at, pieces = 0, list[str]()
        while at < len(reply):
            pieces.append(reply[at : at + dice.randint(1, 9)])
            at += len(pieces[-1])
        verified, heard = await written(language, *pieces)
        assert verified == whole, reply
        assert "".join(heard) == whole.text
        assert FALSE[language] not in whole.text
        shown += bool(heard)
    assert shown > 6


@pytest.mark.parametrize("language", HELD)
async def test_a_sentence_is_told_before_the_next_one_is_written(language: str) -> None:
    first, second, _ = HELD[language]
    blank = "" if language in {"zh", "ja"} else " "
    gate, told = asyncio.Event(), asyncio.Event()
    heard: list[str] = []

    def hear(text: str) -> None:
        heard.append(text)
        told.set()

    model = Pieces(f"{first} [1]{blank}{second[:13]}", f"{second[13:]} [1]", gate=gate)
    asking = asyncio.create_task(asked(language, model, hear))
    async with asyncio.timeout(GUARD_S):
        await told.wait()
        assert heard == [f"{first} [1]"]
        gate.set()
        answer = await asking
    assert answer.text == "".join(heard) == f"{first} [1]{blank}{second} [1]"
    assert (answer.mode, answer.cut, answer.notes) == ("scripted", False, (BY_RULES,))


async def test_a_heading_waits_for_what_holds_under_it_and_a_table_for_its_end() -> None:
    reply = f"## Animals\n\nThe days:\n\n{FALSE['en']} [1]\n\n{TABLE} [1]\n\n## Nothing\n\n{FALSE['en']} [1]"
    verified, heard = await written("en", *reply)
    assert heard == [f"## Animals\n\nThe days:\n\n[…]\n\n{TABLE}\n\n[1]", "\n\n## Nothing", "\n\n[…]"]
    assert verified.text == "".join(heard)
    assert (verified.deleted, verified.holds) == (2, True)


@pytest.mark.parametrize("language", HELD)
async def test_nothing_is_told_of_a_reply_in_which_nothing_holds(language: str) -> None:
    heard: list[str] = []
    answer = await asked(language, Pieces("## Mars\n\n", FALSE[language], " [1]"), heard.append)
    assert (answer.mode, heard) == ("extractive", [])
    assert Note("model-unheld", {"model": "scripted"}) in answer.notes
    refusing = await asked(language, Pieces(*refusal(language)), heard.append)
    assert (refusing.mode, refusing.text, heard) == ("refused", refusal(language), [])


# -- cut off -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", HELD)
@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        ({"finish": "length"}, "Raise chat.max_tokens."),
        ({"finish": "length", "usage": (7, 2)}, "Raise chat.max_tokens."),
        ({"done": False}, "ended without a finish_reason"),
        ({"done": False, "cut": True}, "scripted failed"),
        ({"finish": "content_filter"}, "filter"),
    ],
)
async def test_a_cut_reply_keeps_what_is_whole_and_says_so(
    language: str, ending: Mapping[str, object], reason: str
) -> None:
    first, second, _ = HELD[language]
    blank = "" if language in {"zh", "ja"} else " "
    pieces = f"{first} [1]", f"{blank}{second[:-3]}"
    heard: list[str] = []
    answer = await answered(language, chat(*pieces, **ending), heard.append)  # pyright: ignore[reportArgumentType]
    assert (answer.text, answer.mode, answer.cut) == (f"{first} [1]", "scripted", True)
    assert heard == [answer.text]
    assert [sentence.text for sentence in answer.sentences] == [first]
    assert "reply-cut" in {note.code for note in answer.notes}
    assert reason in answer.note


@pytest.mark.parametrize("finish", ["length", ""])
async def test_a_last_sentence_with_its_number_is_whole(finish: str) -> None:
    told = " ".join(f"{sentence} [1]" for sentence in HELD["en"])
    answer = await answered("en", chat(told, finish=finish) if finish else chat(told, done=False))
    assert (answer.text, answer.cut) == (told, True)


@pytest.mark.parametrize(
    "written", ["The RTO committee appr", "The RTO committee approves remote work.", f"{TABLE}", FALSE["en"] + " [1] "]
)
async def test_where_nothing_whole_holds_the_sources_are_quoted(written: str) -> None:
    answer = await answered("en", chat(written, finish="length"))
    assert (answer.mode, answer.cut) == ("extractive", False)
    assert "model-failed" in {note.code for note in answer.notes}
    assert "Raise chat.max_tokens." in answer.note


async def test_a_whole_reply_says_nothing_of_it() -> None:
    told = f"{HELD['en'][0]} [1]"
    for reply in (chat(told), chat(told, usage=(7, 2)), replace(chat(told), delay_s=0.01)):
        answer = await answered("en", reply)
        assert (answer.text, answer.cut, answer.notes) == (told, False, (BY_RULES,))


async def test_a_model_that_fails_after_a_sentence_has_passed_leaves_it() -> None:
    """An error of the server within its stream."""
    told = chat(f"{HELD['en'][0]} [1] It mee", done=False)
    answer = await answered("en", raw_stream(*told.chunks, b'data: {"error": {"message": "overloaded"}}\n\n'))
    assert (answer.text, answer.cut) == (f"{HELD['en'][0]} [1]", True)
    assert "overloaded" in answer.note


@pytest.mark.parametrize(
    ("pieces", "code"),
    [
        ([FALSE["en"] + " [1]"], "model-unheld"),
        ([ServiceError("It is down.", cure="Wait.", retryable=False)], "model-failed"),
    ],
)
async def test_what_quotations_would_not_answer_is_refused_where_nothing_of_the_model_holds(
    pieces: list[str | ServiceError], code: str
) -> None:
    model = Pieces(*pieces)
    sure, doubtful = [await asked("en", model, verdict=GateVerdict(passes=True, doubtful=one)) for one in (False, True)]
    assert (sure.mode, [note.code for note in sure.notes]) == ("extractive", [code])
    assert (doubtful.mode, [note.code for note in doubtful.notes]) == ("refused", [code])
    assert doubtful.nearest


@pytest.mark.parametrize("written", [HELD["en"][0] + " [1]", FALSE["en"] + " [1]"])
async def test_thoughts_stand_beside_an_answer_for_who_wants_them(written: str) -> None:
    model = WithoutThinking(Pieces("<think>Room 12 ", f"holds it [1].</think>{written}"))
    for wanted in (True, False):
        answer = await Answerer(FakeEmbedder(), model, AnswerSettings(strict=True, thoughts=wanted)).answer(
            "?",
            hits_in("en"),
            GateVerdict(passes=True),
            language="en",
            text_of=context_of("en").text_of,
            listener=ignore,
        )
        assert answer.thoughts == ("Room 12 holds it [1]." if wanted else "")
        assert "Room 12" not in answer.text
        assert "Room 12" not in str(answer.sentences)


async def test_what_the_persona_says_of_itself_is_cut_as_well() -> None:
    said = "I am Ada, the assistant of the university!"
    settings = AnswerSettings(persona="You are Ada, the assistant of the university.", demonstrations="campus")
    async with serve(chat(f"{said} I answer que", finish="length")) as server:
        model = PydanticChatModel(ChatSettings(model="scripted", base_url=server.url, retries=0))
        answer = await Answerer(FakeEmbedder(), model, settings).portrait(
            "Who are you?", [], language="en", text_of=context_of("en").text_of, listener=ignore
        )
    assert answer is not None
    assert (answer.text, answer.cut) == (said, True)
    assert "reply-cut" in {note.code for note in answer.notes}


LONG = {
    "en": "The committee is the one that approves remote work, and it meets on all Mondays of the year.",
    "de": "Der Ausschuss genehmigt die Telearbeit, und er tagt an jedem Montag, wenn es nicht anders gesagt ist.",
    "hu": "A távmunkát a bizottság hagyja jóvá, és minden hétfőn ülésezik, ha nem mondták meg másképp.",
    "zh": "远程办公由委员会批准，除非另有说明，委员会每周一开会，讨论所有的申请。",
    "ja": "在宅勤務は委員会が承認します。特に断りがない限り、委員会は毎週月曜日に開かれます。",
}


class Scripts:
    """A chat model with one reply after the other, and what it was asked."""

    name = "scripted"

    def __init__(self, *replies: str) -> None:
        self.replies, self.asked = list(replies), list[str]()

    async def stream(self, instructions: str, prompt: str, *, shape: object = None) -> AsyncIterator[str]:
        self.asked.append(prompt)
        for piece in self.replies[min(len(self.asked), len(self.replies)) - 1].splitlines(keepends=True):
            yield piece


@pytest.mark.parametrize("language", HELD)
@pytest.mark.parametrize("other", LONG)
async def test_a_reply_in_another_language_is_asked_for_once_more(language: str, other: str) -> None:
    told: list[str] = []
    model = Scripts(LONG[other], " ".join(HELD[language]))
    hits = hits_in(language)
    verified = await write_answer("?", hits, hits, language, model, context_of(language, told.append))
    if language == other:
        assert len(model.asked) == 1
        return
    assert len(model.asked) == 2
    assert verified.text == "".join(told)
    assert not verified.written_in
    assert HELD[language][0].rstrip(".。") in verified.text


async def test_a_reply_twice_in_another_language_says_so_and_one_of_names_is_not_asked_for_again() -> None:
    hits = hits_in("en")
    model = Scripts(" ".join((*HELD["de"], LONG["de"])))
    verified = await write_answer("?", hits, hits, "en", model, context_of("en"))
    assert (len(model.asked), verified.written_in) == (2, "de")
    names = Scripts("RTO: Müller, Yamada 山田太郎, Zürich.")
    await write_answer("?", hits, hits, "en", names, context_of("en"))
    assert len(names.asked) == 1


async def test_a_model_in_a_loop_is_stopped_and_said_once() -> None:
    hits = hits_in("en")
    model = Scripts(f"{HELD['en'][0]}\n" * 30)
    verified = await write_answer("?", hits, hits, "en", model, context_of("en"))
    assert verified.text.count(HELD["en"][0].rstrip(".")) == 1
    assert 0 < verified.repeats < 9

"""A question that leans on the turn before is answered in its light, and not by what was said before."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from rove import Rove, Text
from rove.records import History, Turn

POLICY = {
    "en": "Remote work\n\nRemote work is approved by the head of unit. The rule has been in force since 1 March 2021. "
    "Interns may not work remotely. Ms Keller, the head of unit, can refuse a request in writing.",
    "de": "Telearbeit\n\nDie Telearbeit wird von der Referatsleitung genehmigt. Die Regelung gilt seit dem 1. März "
    "2021. Praktikanten dürfen nicht in Telearbeit arbeiten. "
    "Die Referatsleitung kann einen Antrag schriftlich ablehnen.",
    "hu": "Távmunka\n\nA távmunkát az osztályvezető engedélyezi. A szabály 2021. március 1. óta érvényes. "
    "Gyakornokok nem végezhetnek távmunkát. Az osztályvezető írásban elutasíthatja a kérelmet.",
    "zh": "远程办公\n\n远程办公由处长批准。该规定自2021年3月1日起生效。实习生不得远程办公。处长可以书面拒绝申请。",
    "ja": "在宅勤務\n\n在宅勤務は部長が承認します。この規定は2021年3月1日から有効です。"
    "インターンは在宅勤務ができません。部長は書面で申請を却下できます。",
}
TRAVEL = {
    "en": "Travel\n\nTravel is approved by the travel office. The rule has been in force since 2015.",
    "de": "Dienstreisen\n\nDienstreisen werden von der Reisestelle genehmigt. Die Regelung gilt seit 2015.",
    "hu": "Kiküldetés\n\nA kiküldetést az utazási iroda engedélyezi. A szabály 2015 óta érvényes.",
    "zh": "出差\n\n出差由差旅处批准。该规定自2015年起生效。",
    "ja": "出張\n\n出張は旅費課が承認します。この規定は2015年から有効です。",
}
ASKED = {
    "en": ("Who approves remote work?", "And since when?", "Can she refuse?", "refuse a request"),
    "de": ("Wer genehmigt die Telearbeit?", "Und seit wann?", "Kann sie das ablehnen?", "schriftlich ablehnen"),
    "hu": ("Ki engedélyezi a távmunkát?", "És mióta?", "Elutasíthatja?", "elutasíthatja a kérelmet"),
    "zh": ("谁批准远程办公？", "那从什么时候开始？", "他可以拒绝吗？", "拒绝申请"),
    "ja": ("在宅勤務は誰が承認しますか？", "いつからですか？", "却下できますか？", "却下できます"),
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rove]:
    """The packaged embedder, and two policies in each language that differ in little."""
    with Rove.open(tmp_path_factory.mktemp("follow") / "kb") as opened:
        texts = [
            (f"{name}-{code}", text) for name, of in (("work", POLICY), ("trip", TRAVEL)) for code, text in of.items()
        ]
        opened.add(*(Text(text, id=name, title=text.partition("\n")[0]) for name, text in texts))
        yield opened


@pytest.mark.parametrize("language", ASKED)
def test_and_since_when(kb: Rove, language: str) -> None:
    first, since, may, refusing = ASKED[language]
    before = kb.respond(first)
    assert not before.answer.refused
    answer = kb.respond(since, history=before.history).answer
    assert "2021" in answer.text and "2015" not in answer.text, answer.text
    assert before.answer.sentences[0].text not in answer.text, "what was said before is no answer"
    then = kb.respond(may, history=before.history).answer
    assert refusing in then.text, then.text
    assert {one.document_id for one in (*answer.citations, *then.citations)} == {f"work-{language}"}


@pytest.mark.parametrize("language", ASKED)
def test_without_an_answer_before(kb: Rove, language: str) -> None:
    """The turn before was a search, or was stopped: what it asked is enough."""
    first, since, *_ = ASKED[language]
    answer = kb.respond(since, history=History((Turn(first, ""),))).answer
    assert "2021" in answer.text, answer.text

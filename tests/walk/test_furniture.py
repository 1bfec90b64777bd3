"""Without a chat model, words of the page are no leads."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove import AsyncRove, Text
from rove.records.walk_events import FactFound, LeadFound

PAGE = {
    "en": (
        "Who founded Acme?",
        "Table 3 says who founded Acme. According to Note 4, Acme was founded by Ada Byron. Click Table to see who "
        "founded Acme. You can click the table, or read the note.",
        {"Ada Byron"},
    ),
    "de": (
        "Wer hat Acme gegründet?",
        "Acme hat, wie TABELLE 3 sagt, Ada Byron gegründet. Acme hat BEREITS jemand gegründet, bereits vorher.",
        {"Ada Byron"},
    ),
    "hu": (
        "Ki alapította az Acme céget?",
        "Az Acme céget MEGJEGYZÉS 2 szerint Ada Byron alapította. Az Acme cég neve a megjegyzés szerint régi.",
        {"Ada Byron"},
    ),
    "ja": (
        "港橋の塗装工事の予算はいくらですか。",
        "港橋の塗装工事について審議し、「港橋基金」の予算で可決した。塗装工事の予算は万円で表す。",
        {"港橋基金"},
    ),
}


@pytest.mark.parametrize("language", PAGE)
async def test_words_of_the_page_are_no_leads(tmp_path: Path, language: str) -> None:
    question, text, names = PAGE[language]
    async with AsyncRove.open(tmp_path, embedder={"name": "fake"}) as kb:
        await kb.add([Text(text, id="page"), *(Text(f"Rain fell in {i} towns.", id=f"x{i}") for i in range(12))])
        events = [event async for event in kb.walk(question)]
    assert [event for event in events if isinstance(event, FactFound)]
    assert {event.lead.text for event in events if isinstance(event, LeadFound) and event.lead.kind == "name"} == names

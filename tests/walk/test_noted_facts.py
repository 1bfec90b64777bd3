"""Facts as a chat model notes them: understood in each form, and held against the whole document."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from openai_server import Reply, chat
from rove.engine import AsyncRove
from rove.records.walk_events import Budget, FactFound, FactRejected, LeadFollowed, LeadFound, WalkEvent
from walk.walking import kind_of, prompt_of, serve

AGREEMENT = """# Maintenance Agreement HD-114

## 1. Definitions

“Business Day” means a day on which banks are open in Leeds.

“Contractor” means Northgate Refrigeration.

## 7. Fees

Hollins Dairy pays the Contractor a monthly fee for each Site. The fee follows from the class of the Site; classes are
set out in Annex B. Fees are due on the fifth Business Day of the month.
"""
QUESTION = "When are the fees of Hollins Dairy due?"
NOTE = {
    "fact": "Fees of Hollins Dairy are due on the fifth Business Day of the month.",
    "relevance": "It says when the fees are due.",
    "next_source": "the list of classes",
    "expected_info": "the classes of the Sites",
}
TABLE = (
    "Here are my notes:\n\n| Fact | Relevance | Next source | Expected info |\n|---|---|---|---|\n"
    f"| {NOTE['fact']} | {NOTE['relevance']} | {NOTE['next_source']} | {NOTE['expected_info']} |\n"
)


async def noted(folder: Path, reply: str) -> tuple[list[WalkEvent], str]:
    """Walk with a model whose notes are `reply`, and return the events and what it was shown."""
    shown: list[str] = []

    def answer(request: dict) -> Reply:
        match kind_of(request):
            case "Notes":
                shown.append(prompt_of(request))
                return chat(reply)
            case "Verdict":
                return chat(json.dumps({"enough": False, "missing": "", "reason": "not yet"}))
            case _:
                return chat("Nothing.")

    async with serve(answer) as server:
        settings = {"model": "scripted", "base_url": server.url, "timeout_s": 5, "retries": 0}
        async with AsyncRove.open(
            folder / "kb", chat=settings, store={"index": "memory"}, walk={"memory": False}
        ) as kb:
            (folder / "agreement.md").write_text(AGREEMENT, encoding="utf-8")
            await kb.add(folder / "agreement.md")
            events = [event async for event in kb.walk(QUESTION, budget=Budget(rounds=2))]
    return events, "\n".join(shown)


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps({"facts": [{**NOTE, "score": 0.9, "reference": 1}]}),
        json.dumps([NOTE]),
        "```json\n" + json.dumps({"Facts": [{name.replace("_", " ").title(): told for name, told in NOTE.items()}]}),
        TABLE,
    ],
    ids=["object", "list", "other spelling", "table"],
)
async def test_notes_are_understood_in_each_form(reply: str, tmp_path: Path) -> None:
    events, _ = await noted(tmp_path, reply)
    fact = next(event.fact for event in events if isinstance(event, FactFound))
    assert (fact.text, fact.bearing) == (NOTE["fact"], NOTE["relevance"])
    assert (fact.next_source, fact.expected_info) == (NOTE["next_source"], NOTE["expected_info"])
    assert fact.citation is not None
    assert "fifth Business Day" in fact.citation.quote


async def test_next_source_and_expected_info_are_both_looked_for(tmp_path: Path) -> None:
    events, _ = await noted(tmp_path, json.dumps({"facts": [{**NOTE, "reference": 1}]}))
    leads = {event.lead.lead_id: event.lead.kind for event in events if isinstance(event, LeadFound)}
    followed = {leads.get(event.lead_id) for event in events if isinstance(event, LeadFollowed)}
    assert followed >= {"next-source", "expected-info"}


@pytest.mark.parametrize(
    "fact",
    [
        "Fees of Hollins Dairy are due on the fifth Business Day, a day on which banks are open in Leeds.",
        "Hollins Dairy pays Northgate Refrigeration a monthly fee for each Site.",
    ],
)
async def test_a_fact_may_take_its_definitions_from_elsewhere_in_the_document(fact: str, tmp_path: Path) -> None:
    events, shown = await noted(tmp_path, json.dumps({"facts": [{"fact": fact, "relevance": "Yes.", "reference": 1}]}))
    assert fact in [event.fact.text for event in events if isinstance(event, FactFound)]
    assert "“Business Day” means a day on which banks are open in Leeds." in shown


async def test_what_a_judge_is_unsure_of_is_kept_in_the_words_of_its_source(tmp_path: Path) -> None:
    fact = "How much a site costs depends on its class, which is listed in Annex B."
    events, _ = await noted(tmp_path, json.dumps({"facts": [{"fact": fact, "next_source": "Annex B"}]}))
    found = [event.fact for event in events if isinstance(event, FactFound)]
    assert any("classes are set out in Annex B" in one.text and one.next_source == "Annex B" for one in found)
    assert fact in [event.text for event in events if isinstance(event, FactRejected)]


@pytest.mark.parametrize("fact", ["Fees of Hollins Dairy are 4,711 GBP.", "Fees are paid to the Martian senate."])
async def test_of_what_no_source_says_nothing_is_kept(fact: str, tmp_path: Path) -> None:
    events, _ = await noted(tmp_path, json.dumps({"facts": [{"fact": fact, "reference": 1}]}))
    assert not [event for event in events if isinstance(event, FactFound) and event.fact.origin == "model"]

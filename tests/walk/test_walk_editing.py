"""Edits of a walk by name."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from rove import InputError, Rove
from rove.records.walk_events import Budget
from walk.chain import RIVER, opened


async def _made(path: Path) -> None:
    async with await opened(path):
        return


def test_a_walk_is_edited_by_name(tmp_path: Path) -> None:
    asyncio.run(_made(tmp_path))
    with Rove.open(tmp_path, embedder={"name": "fake"}, walk={"first_chunks": 1, "lead_chunks": 1}) as kb:
        walk = kb.walk(RIVER)
        next(walk)
        own = walk.add_fact("Ada Byron liked rivers.")
        place = walk.add_lead("Szeged", document_id="szeged", span=(0, 10))
        assert {fact.fact_id: fact.text for fact in walk.state.facts}[own] == "Ada Byron liked rivers."
        assert place in {lead.lead_id for lead in walk.state.leads}
        walk.change_fact(own, "Ada Byron liked hills.")
        assert {fact.fact_id: fact.text for fact in walk.state.facts}[own] == "Ada Byron liked hills."
        walk.drop(own, place)
        assert own not in {fact.fact_id for fact in walk.state.facts}
        walk.ask("Which river does Szeged lie on?")
        walk.allow(Budget(rounds=2))
        assert (walk.state.question, walk.state.budget.rounds) == ("Which river does Szeged lie on?", 2)
        for call in (lambda: walk.change_fact("none", "x"), lambda: walk.drop("none"), lambda: walk.add_lead(" ")):
            with pytest.raises(InputError):
                call()
        assert walk.answered().text


@pytest.mark.parametrize("wrong", [None, 5, ["Who?"]])
def test_a_question_that_is_no_text_is_refused(tmp_path: Path, wrong: object) -> None:
    with Rove.open(tmp_path, embedder={"name": "fake"}) as kb:
        for call in (kb.search, kb.ask, kb.walk):
            with pytest.raises(InputError, match="question is "):
                call(wrong)  # type: ignore[arg-type]

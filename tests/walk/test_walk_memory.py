"""What a walk leaves behind makes the next one cheaper, never wronger."""

from __future__ import annotations

from pathlib import Path

import pytest

from openai_server import chat
from rove.records import Text, field
from rove.records.learned import LeadEnd
from rove.records.walk_events import Budget, FactFound, Judged, Lead, LeadFollowed, LeadFound, Stopped
from rove.sync import Rove
from rove.walk import RecalledFacts
from rove.walk.earlier_walks import WalkMemory
from rove.walk.json_format import filter_of, filter_to_text
from rove.walk.operations import SPACES
from rove.walk.state import State
from walking import HOPS, QUESTION, TOWN, Reader, check_citations, founder_reader, told, town

SIMILAR = "Which river does the birthplace of the founder of Acme lie on?"
LABELS = {"board and staff": ["staff", "board"], "staff": ["staff"]}
NO_MODEL = {"model": "", "base_url": ""}


def searches(events: list) -> int:
    """What was searched for; a chain follows leads to what was read already."""
    return sum(isinstance(event, LeadFollowed) and "lead-read" not in {n.code for n in event.notes} for event in events)


async def test_the_same_question_again_is_answered_from_memory(tmp_path: Path) -> None:
    async with town(tmp_path, founder_reader()) as (kb, server):
        first, events = await told(kb.walk(QUESTION))
        calls = len(server.requests)
        again, repeated = await told(kb.walk(QUESTION.replace("?", " ?")))
        await check_citations(kb, again)
    assert (searches(events), calls) == (4, 7)
    assert (searches(repeated), len(server.requests) - calls) == (0, 1)
    assert [e.by for e in repeated if isinstance(e, Judged)] == ["memory"]
    assert all(hop in again.text for hop in HOPS)
    assert {step.round for step in again.path} == {0}
    assert [e.fact.origin for e in repeated if isinstance(e, FactFound)] == ["memory"] * 3
    assert first.mode == again.mode


async def test_a_similar_question_costs_less(tmp_path: Path) -> None:
    async with town(tmp_path, founder_reader()) as (kb, server):
        _, events = await told(kb.walk(QUESTION))
        calls = len(server.requests)
        answer, later = await told(kb.walk(SIMILAR))
        await check_citations(kb, answer)
    assert 0 < searches(later) < searches(events)
    assert 0 < len(server.requests) - calls < calls
    assert HOPS[2] in answer.text


async def test_without_a_model_each_question_is_walked_from_what_is_remembered(tmp_path: Path) -> None:
    async with town(tmp_path, chat("not asked"), chat=NO_MODEL) as (kb, _):
        first, _ = await told(kb.walk("Where was the founder of Acme born?"))
        similar, later = await told(kb.walk("Of Acme the founder: where was she born?"))
        same, _ = await told(kb.walk("Where was the founder of Acme born?"))
    assert any(e.fact.origin == "memory" for e in later if isinstance(e, FactFound))
    assert all(HOPS[1] in answer.text for answer in (first, similar, same))


async def test_memory_can_be_switched_off(tmp_path: Path) -> None:
    walk = {"first_chunks": 1, "lead_chunks": 1, "leads": 2, "memory": False}
    async with town(tmp_path, founder_reader(), walk=walk) as (kb, server):
        for _ in range(2):
            _, events = await told(kb.walk(QUESTION))
            assert searches(events) == 4
        assert await kb.memory().facts() == []
    assert len(server.requests) == 14


async def test_a_base_that_has_changed_is_searched_again(tmp_path: Path) -> None:
    """A new document may hold more, or the contrary: what is remembered is not taken for enough."""
    async with town(tmp_path, founder_reader()) as (kb, _):
        await told(kb.walk(QUESTION))
        await kb.add(Text("The founder of Acme is Eve Stone, says the register.", id="register"))
        _, events = await told(kb.walk(QUESTION))
        assert searches(events) >= 1
        assert [e.by for e in events if isinstance(e, Judged)] == ["scripted"]


async def test_what_was_deleted_is_not_remembered(tmp_path: Path) -> None:
    async with town(tmp_path, founder_reader()) as (kb, _):
        await told(kb.walk(QUESTION))
        await kb.delete("netherby")
        answer, events = await told(kb.walk(QUESTION))
        await check_citations(kb, answer)
        kept = {one.citation.document_id for one in await kb.memory().facts()}
    assert kept == {"acme", "byron"}
    assert "Teme" not in answer.text
    assert all("Teme" not in e.fact.text for e in events if isinstance(e, FactFound))


async def test_a_filter_holds_for_what_is_remembered(tmp_path: Path) -> None:
    texts = [Text(text, id=name, metadata={"open": name != "netherby"}) for name, text in TOWN.items()]
    async with town(tmp_path, founder_reader(), texts=texts) as (kb, _):
        await told(kb.walk(QUESTION))
        answer, events = await told(kb.walk(QUESTION, where=field("open") == True))  # noqa: E712
        assert "Teme" not in answer.text
        found = [e.fact.citation.document_id for e in events if isinstance(e, FactFound) and e.fact.citation]
    assert "netherby" not in found


async def test_what_a_walk_has_learned_that_saw_more_is_not_used(tmp_path: Path) -> None:
    """How its leads have ended tells of what it saw; of its facts the words of the visible source are left."""
    texts = [Text(text, id=name, metadata={"access": ("staff", "board")}) for name, text in TOWN.items()]
    labels = {name: filter_to_text(field("access").in_(given)) for name, given in LABELS.items()} | {"all": ""}
    async with town(tmp_path, founder_reader(), texts=texts) as (kb, _):
        for walker, users in (
            ("all", {"all"}),
            ("board and staff", {"all", "board and staff"}),
            ("staff", {"all", "board and staff", "staff"}),
        ):
            await kb.memory().clear()
            await told(kb.walk(QUESTION, where=filter_of(labels[walker])))
            for user in ("all", "board and staff", "staff"):
                memory = WalkMemory(kb.memory())
                recalled = await memory.recall(State(question=SIMILAR, where=labels[user]), 3)
                lead = Lead("l", "Ada Byron", "next-source", 1)
                assert (memory.prior(lead) > 1) == (user in users), (walker, user)
                assert any(fact.next_source for fact in recalled.facts) == (user in users)
                assert recalled.facts
                assert all(fact.citation for fact in recalled.facts)
            recalled = await memory.recall(State(question=SIMILAR, where=filter_to_text(field("x") == 1)), 3)
            assert recalled.facts == ()


async def test_what_an_unknown_walk_has_learned_is_for_those_who_see_all(tmp_path: Path) -> None:
    """Memories from before it was kept what a walk could see."""
    async with town(tmp_path, founder_reader()) as (kb, _):
        await told(kb.walk(QUESTION))
        with kb.store.catalog.database.write() as connection:
            connection.exec_driver_sql("DELETE FROM memory_walks")
        priors: list[float] = []
        for where in ("", filter_to_text(~field("nothing").exists())):
            memory = WalkMemory(kb.memory())
            await memory.recall(State(question=SIMILAR, where=where), 3)
            priors.append(memory.prior(Lead("l", "Ada Byron", "next-source", 1)))
    assert priors[0] > 1
    assert priors[1] == 1


async def test_hidden_facts_crowd_no_others_out(tmp_path: Path) -> None:
    texts = [Text(text, id=name, metadata={"open": name == "netherby"}) for name, text in TOWN.items()]
    async with town(tmp_path, founder_reader(), texts=texts) as (kb, _):
        await told(kb.walk(QUESTION))
        found = await kb.memory().search(HOPS[0], top_k=1, where=field("open") == True)  # noqa: E712
    assert [one.citation.document_id for one in found] == ["netherby"]


async def test_a_walk_that_was_cut_short_settles_nothing(tmp_path: Path) -> None:
    async with town(tmp_path, founder_reader()) as (kb, _):
        _, events = await told(kb.walk(QUESTION, budget=Budget(calls=3)))
        assert next(e for e in events if isinstance(e, Stopped)).reason == "calls"
        answer, events = await told(kb.walk(QUESTION))
        assert searches(events) >= 1
        assert "memory" not in [e.by for e in events if isinstance(e, Judged)]
    assert HOPS[2] in answer.text


async def test_what_the_user_put_otherwise_is_recalled_and_still_cited_to_the_source(tmp_path: Path) -> None:
    async with town(tmp_path, founder_reader()) as (kb, server):
        await told(kb.walk(QUESTION))
        fact = next(one for one in await kb.memory().facts() if "Teme" in one.text)
        await kb.memory().edit(fact.memory_id, "The village lies on the Teme, the user says.")
        answer, _ = await told(kb.walk(QUESTION))
        await check_citations(kb, answer)
        assert "the user says" in str(server.requests[-1])
        assert len(await kb.memory().facts()) == 3
    assert all(HOPS[2] in c.quote for c in answer.citations if c.document_id == "netherby")


async def test_a_false_start_is_not_made_again(tmp_path: Path) -> None:
    """Leads that ended in nothing stand behind those that led to the answer, when the like is asked again."""
    marks = {HOPS[0]: "Ida Carter", HOPS[1]: "Netherby", HOPS[2]: ""}
    async with town(tmp_path, Reader(marks, HOPS[2])) as (kb, _):
        await told(kb.walk(QUESTION, budget=Budget(rounds=6)))
        ends = {end.text: end.outcome for end in await kb.memory().leads()}
        assert ends["Ida Carter"] in {"nothing", "fact"}
        memory = WalkMemory(kb.memory())
        await memory.recall(State(question=SIMILAR), 3)
        priors = {text: memory.prior(Lead("l", text, "next-source", 1)) for text in (*ends, "something else")}
    assert priors["something else"] == 1.0
    assert all((priors[text] > 1) == (outcome in {"answer", "fact"}) for text, outcome in ends.items())
    assert all(0.5 <= prior <= 2 for prior in priors.values())


async def test_places_are_alike_only_in_the_same_chunk(tmp_path: Path) -> None:
    async with town(tmp_path, chat("x"), chat=NO_MODEL) as (kb, _):
        end = LeadEnd("Section 4", "section", "answer", chunk_id="c1", document_id="acme", walk_id="w")
        await kb.memory().keep(QUESTION, [], [end], "en")
        memory = WalkMemory(kb.memory())
        await memory.recall(State(question=QUESTION), 3)
        assert memory.prior(Lead("l", "section 4", "section", 1, chunk_id="c1")) > 1.4
        assert memory.prior(Lead("l", "section 4", "section", 1, chunk_id="c2")) == 1.0
        assert memory.prior(Lead("l", "section 5", "section", 1, chunk_id="c1")) == 1.0


async def test_the_prior_shows_in_the_score_of_a_lead(tmp_path: Path) -> None:
    async with town(tmp_path, founder_reader()) as (kb, _):
        _, events = await told(kb.walk(QUESTION))
        before = {e.lead.text: e.lead.score for e in events if isinstance(e, LeadFound)}
        for fact in await kb.memory().facts():
            await kb.memory().forget(fact.memory_id)
        _, events = await told(kb.walk(SIMILAR))
        after = {e.lead.text: e.lead.score for e in events if isinstance(e, LeadFound)}
    assert before["Ada Byron"] <= after["Ada Byron"]
    assert after["Ada Byron"] == pytest.approx(min(1.0, before["Ada Byron"] * 2), abs=0.6)


async def test_what_is_recalled_leads_on_as_what_is_read(tmp_path: Path) -> None:
    """A place that the source refers to beside the fact's words is a lead when the fact comes from memory, too."""
    async with town(tmp_path, chat("not asked"), chat=NO_MODEL) as (kb, _):
        await kb.add(
            Text("Remote work in Holm is approved by the dean: see “Deans of Holm”.", id="rule"),
            Text("Eve Stone has held that office since May.", id="deans", title="Deans of Holm"),
        )
        _, events = await told(kb.walk("Who approves remote work in Holm?"))
        _, later = await told(kb.walk("Remote work in Holm: who approves that, by name?"))
    recalled = [e.fact.fact_id for e in later if isinstance(e, FactFound) and e.fact.origin == "memory"]
    assert recalled
    for told_leads in (events, later):
        assert "deans" in {e.lead.document_id for e in told_leads if isinstance(e, LeadFound)}


def test_the_memory_of_few_spaces_is_held_at_once(tmp_path: Path) -> None:
    with Rove.open(tmp_path / "kb", embedder={"name": "fake"}) as kb:
        kb.add(Text("The council approves the budget.", id="d"))
        held = [kb._kb.memory(f"space{number}") for number in range(SPACES + 10)]
        assert kb._kb.memory(f"space{SPACES + 9}") is held[-1]
        assert len(kb._kb._memories) == SPACES
        assert kb.memory("space0").facts() == []


async def test_what_is_remembered_and_hidden_settles_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Facts of an earlier walk of which one is hidden by the time that it is read are no reason to look no further."""
    async with town(tmp_path, founder_reader()) as (kb, _):
        _, events = await told(kb.walk(QUESTION))
        facts = tuple(e.fact for e in events if isinstance(e, FactFound) and e.fact.citation)
        hidden = sorted({fact.citation.document_id for fact in facts if fact.citation})

        async def recall(memory: WalkMemory, state: State, top_k: int) -> RecalledFacts:
            return RecalledFacts(facts, settled=True, fresh=True)

        monkeypatch.setattr(WalkMemory, "recall", recall)
        _, settled = await told(kb.walk(QUESTION))
        _, searched = await told(kb.walk(QUESTION, where=~field("document_id").in_(hidden[:1])))
    assert len(hidden) > 1
    assert [e.by for e in settled if isinstance(e, Judged)] == ["memory"]
    assert "memory" not in [e.by for e in searched if isinstance(e, Judged)]
    assert (searches(settled), searches(searched) > 0) == (0, True)

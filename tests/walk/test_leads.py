"""Which leads a walk takes up, and how promising each is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from rove.records import Citation
from rove.records.learned import LeadEnd
from rove.records.walk_events import Fact, Lead, LeadKind
from rove.walk.earlier_walks import WalkMemory
from rove.walk.leads import MOST_NEW, WEIGHTS, fact_id, lead_id, lead_to, leads_of, new_leads
from rove.walk.state import State

CITED = Citation(0, "chunk", "document", "", "", "quote", (0, 5))


def fact(relevance: float = 1.0, **more: str) -> Fact:
    return Fact("f", "A fact.", relevance, 3, "text", CITED, **more)  # pyright: ignore


class Prior:
    """A memory that has an opinion of leads by their words."""

    def __init__(self, **factors: float) -> None:
        self.factors = factors

    def prior(self, lead: Lead) -> float:
        return self.factors.get(lead.text, 1.0)


def test_a_lead_is_worth_its_kind_its_fact_and_its_promise() -> None:
    assert WEIGHTS["user"] == WEIGHTS["next-source"] == 1.0 > WEIGHTS["expected-info"] == 0.9
    assert WEIGHTS["footnote"] == WEIGHTS["reference"] == WEIGHTS["section"] == WEIGHTS["memory"] == 0.8
    assert WEIGHTS["page"] == WEIGHTS["link"] == WEIGHTS["name"] == 0.7
    found = lead_to("Ada", "name", 2, promise=0.5, fact=fact(0.6))
    assert found == Lead(lead_id("Ada"), "Ada", "name", 2, "f", "chunk", score=0.28)  # 0.7 · (0.5 + 0.3) · 0.5
    assert lead_to("Ada", "name", 2, promise=1.0).score == 0.525
    assert lead_to("Ada", "name", 2, promise=1.0).chunk_id == ""


def test_what_a_fact_says_of_where_to_look_next_is_a_lead_each() -> None:
    told = leads_of(fact(next_source="The annual report", expected_info="the date of founding"))
    assert [(one.text, one.kind, one.score, one.round) for one in told] == [
        ("The annual report", "next-source", 1.0, 3),
        ("the date of founding", "expected-info", 0.9, 3),
    ]
    assert leads_of(fact(next_source=" … ", expected_info="")) == []


def test_new_leads_come_once_the_most_promising_first_and_a_dozen_at_most() -> None:
    state = State(question="Who?", leads=(lead_to("old", "name", 1, promise=1.0),), dropped={lead_id("gone"): ""})
    many = [lead_to(f"new {n}", "name", 1, promise=n / 20) for n in range(20)]
    others = [lead_to(text, "name", 1, promise=1.0) for text in ("old", "gone", "taken", "who", "—", "NEW 19")]
    found = new_leads([*many, *others], state, {lead_id("taken")}, None)
    assert MOST_NEW == 12
    assert [one.text for one in found] == [f"new {n}" for n in range(19, 7, -1)]
    assert found[0].score == many[19].score


def test_memory_has_its_say_on_each_lead_and_none_is_worth_more_than_1() -> None:
    leads = [lead_to(text, "user", 1, promise=0.8, fact=fact()) for text in ("plain", "good", "bad")]
    found = new_leads(leads, State(), (), Prior(good=2.0, bad=0.5))  # pyright: ignore
    assert [(one.text, one.score) for one in found] == [("good", 1.0), ("plain", 0.8), ("bad", 0.4)]


def test_the_same_place_or_the_same_words_are_the_same() -> None:
    assert lead_id("a", "d", (1, 2)) == lead_id("b", "d", (1, 2)) != lead_id("a", "d", (1, 3))
    assert lead_id("Ａda, Byron") == lead_id("ada byron") != lead_id("ada")
    assert fact_id("Ada.", "d", (1, 2)) == fact_id("ada", "d", (1, 2)) != fact_id("ada", "d", (2, 2))
    assert len(fact_id("Ada.")) == len(lead_id("Ada.")) == 12


def remembering(experience: Sequence[tuple[LeadEnd, float]]) -> WalkMemory:
    memory = WalkMemory(None)  # pyright: ignore
    memory._language = "en"
    memory._experience = list(experience)
    return memory


def end(outcome: str, terms: str = "annual report", kind: LeadKind = "name", chunk_id: str = "") -> LeadEnd:
    return LeadEnd(terms, kind, outcome, terms, chunk_id)  # pyright: ignore


@pytest.mark.parametrize(
    ("experience", "prior"),
    [
        ([], 1.0),
        ([(end("answer"), 1.0)], 2**0.5),
        ([(end("fact"), 1.0)], 2**0.125),
        ([(end("nothing"), 1.0)], 2**-0.5),
        ([(end("answer"), 0.5)], 2 ** (0.5 / 1.5)),
        ([(end("answer"), 1.0), (end("nothing"), 1.0)], 1.0),
        ([(end("answer"), 1.0)] * 3, 2**0.75),
        ([(end("answer", "annual"), 1.0)], 2**0.5),  # half of the words
        ([(end("answer", "annual plan"), 1.0)], 1.0),  # a third
        ([(end("answer", ""), 1.0)], 1.0),
        ([(end("answer", kind="page"), 1.0)], 1.0),
    ],
)
def test_how_leads_like_it_have_ended_halves_or_doubles_a_lead_at_most(
    experience: list[tuple[LeadEnd, float]], prior: float
) -> None:
    lead = lead_to("annual report", "name", 1, promise=1.0, fact=fact())
    assert remembering(experience).prior(lead) == pytest.approx(prior)


def test_leads_to_a_place_are_alike_where_the_same_words_of_the_same_chunk_name_it() -> None:
    lead = lead_to("annual report", "page", 1, promise=1.0, fact=fact())
    assert remembering([(end("answer", kind="page", chunk_id="chunk"), 1.0)]).prior(lead) > 1
    assert remembering([(end("answer", kind="page", chunk_id="other"), 1.0)]).prior(lead) == 1
    assert remembering([(end("answer", "annual", "page", "chunk"), 1.0)]).prior(lead) == 1

"""What a walk does next, what it may still use up, and what is enough: pure functions of its state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from rove.records import Citation, Note
from rove.records.walk_events import (
    Budget,
    ChunkSeen,
    ChunksRead,
    Fact,
    FactFound,
    Judged,
    Lead,
    LeadDropped,
    LeadFollowed,
    LeadFound,
    LeadKind,
    RoundStarted,
    Spent,
    Used,
    WalkEvent,
    WalkStarted,
)
from rove.walk import EXTRACTIVE, RecalledFacts
from rove.walk.budget import exhausted, extended, may_call, seconds_left
from rove.walk.judge import MEMORY, judged_by_text, judged_from_memory
from rove.walk.state import State, folded
from rove.walk.step import Begin, End, Follow, Judge, Read, next_step

START: list[WalkEvent] = [WalkStarted("w", "Who?", "en", EXTRACTIVE, Budget(rounds=4))]


def lead(name: str, score: float = 0.5, kind: str = "name") -> Lead:
    return Lead(name, f"text {name}", kind, 1, score=score)  # pyright: ignore


def fact(name: str, relevance: float = 0.9, number: int = 1, text: str = "") -> Fact:
    return Fact(name, text or name, relevance, number)


def round_of(number: int, *leads: str, enough: bool = False, chunks: int = 1, missing: str = "x") -> list[WalkEvent]:
    return [
        RoundStarted(number, leads),
        *(LeadFollowed(one, number, chunks) for one in leads),
        Judged(number, enough, EXTRACTIVE, "", missing),
    ]


def step(events: Sequence[WalkEvent], most: int = 2) -> object:
    return next_step(folded([*START, *events]), most)


def test_a_round_follows_its_leads_reads_and_is_judged() -> None:
    first = RoundStarted(1, ("",))
    seen = ChunkSeen(1, "c", "d", "t", "u", 1.0)
    assert step([]) == Begin(1, ("",))
    assert step([first]) == Follow(None, Note("lead-asked"))
    assert step([first, LeadFollowed("", 1, 1), seen]) == Read(("c",))
    assert step([first, LeadFollowed("", 1, 1), seen, ChunksRead(1, ("c",), EXTRACTIVE)]) == Judge()


def test_the_next_round_takes_the_most_promising_leads() -> None:
    leads = [LeadFound(lead("low", 0.2)), LeadFound(lead("high", 0.9)), LeadFound(lead("middle", 0.5))]
    done = [*round_of(1, ""), FactFound(fact("f")), *leads]
    assert step(done) == Begin(2, ("high", "middle"))
    assert step(done, most=5) == Begin(2, ("high", "middle", "low"))
    assert step([*done, LeadDropped("high", 1, "")]) == Begin(2, ("middle", "low"))
    plan = [*done, RoundStarted(2, ("high", "middle"))]
    assert step(plan) == Follow(lead("high", 0.9), Note("said", {"text": "text high"}))
    assert step([*plan, LeadFollowed("high", 2, 1)]) == Follow(lead("middle"), Note("said", {"text": "text middle"}))


def test_enough_ends_a_walk_but_for_what_the_user_wants() -> None:
    done = [*round_of(1, "", enough=True), FactFound(fact("f")), LeadFound(lead("name"))]
    assert step(done) == End("enough")
    assert step([*done, LeadFound(lead("mine", 0.1, "user"))]) == Begin(2, ("mine",))
    wanted = [*done, LeadFound(lead("mine", 0.1, "user")), RoundStarted(2, ("mine",))]
    assert step(wanted) == Follow(lead("mine", 0.1, "user"), Note("lead-wanted"))


def test_no_lead_no_chunk_no_fact_no_round_each_ends_it_in_its_own_name() -> None:
    assert step([*round_of(1, ""), FactFound(fact("f"))]) == End("no-lead")
    assert step([*round_of(1, "", chunks=0), FactFound(fact("f"))]) == End("no-new-chunk")
    leads = [LeadFound(lead(name)) for name in "abcdef"]
    barren = [FactFound(fact("f")), *leads, *round_of(1, ""), *round_of(2, "a"), *round_of(3, "b", missing="y")]
    assert step(barren) == End("no-new-fact")
    fresh = [*barren, FactFound(fact("g", 0.95, 2))]
    assert step(fresh) == Begin(4, ("c", "d"))
    assert step([*fresh, *round_of(4, "c", missing="z"), FactFound(fact("h", 0.97, 4))]) == End("rounds")


def test_a_round_that_came_no_nearer_is_the_last() -> None:
    leads = [LeadFound(lead(name)) for name in "abc"]
    two = [*leads, FactFound(fact("f", 0.5)), *round_of(1, ""), *round_of(2, "a")]
    assert step([*two, FactFound(fact("g", 0.5, 2))]) == End("no-new-fact")
    assert step([*two, FactFound(fact("g", 0.6, 2))]) == Begin(3, ("b", "c"))
    other = [*leads, FactFound(fact("f", 0.5)), *round_of(1, ""), *round_of(2, "a", missing="y")]
    assert step([*other, FactFound(fact("g", 0.5, 2))]) == Begin(3, ("b", "c"))
    judged = [replace(one, by="model") if isinstance(one, Judged) else one for one in two]
    assert step([*judged, FactFound(fact("g", 0.5, 2))]) == Begin(3, ("b", "c"))


def test_a_budget_that_is_used_up_ends_it_between_two_steps() -> None:
    assert step([RoundStarted(1, ("",)), Used(Spent(seconds=120.0))]) == End("seconds")
    assert step([RoundStarted(1, ("",)), Used(Spent(seconds=119.9))]) == Follow(None, Note("lead-asked"))


@pytest.mark.parametrize(
    ("spent", "stop"),
    [
        (Spent(seconds=10), "seconds"),
        (Spent(seconds=9.9), None),
        (Spent(calls=3), "calls"),  # the last one is kept for the answer
        (Spent(calls=2), None),
        (Spent(tokens=100), "tokens"),
        (Spent(tokens=99), None),
        (Spent(money=1.0), "money"),
        (Spent(money=0.99), None),
        (Spent(rounds=99), None),
    ],
)
def test_what_is_used_up(spent: Spent, stop: str | None) -> None:
    budget = Budget(rounds=2, calls=4, tokens=100, seconds=10, money=1.0)
    assert exhausted(spent, budget) == stop
    assert exhausted(spent, Budget(0, 0, 0, 0, 0.0)) is None


def test_a_budget_of_one_call_lets_one_be_made() -> None:
    assert exhausted(Spent(calls=0), Budget(calls=1)) is None
    assert exhausted(Spent(calls=1), Budget(calls=1)) == "calls"
    assert exhausted(Spent(tokens=60), Budget(tokens=100), next_tokens=40) == "tokens"
    assert exhausted(Spent(tokens=60), Budget(tokens=100), next_tokens=39) is None


def test_the_answer_may_be_written_by_a_model_while_all_bounds_hold() -> None:
    budget = Budget(calls=4, tokens=100, seconds=10, money=1.0)
    assert may_call(Spent(calls=3, tokens=99, seconds=9, money=0.9), budget)
    for spent in (Spent(calls=4), Spent(tokens=100), Spent(seconds=10), Spent(money=1.0)):
        assert not may_call(spent, budget)
        assert may_call(spent, Budget(0, 0, 0, 0, 0.0))
    assert seconds_left(Spent(seconds=4), budget) == 6
    assert seconds_left(Spent(seconds=4), Budget(seconds=0)) == float("inf")


def test_a_walk_that_goes_on_has_half_of_each_bound_at_least() -> None:
    budget = Budget(rounds=4, calls=20, tokens=1000, seconds=100.0, money=2.0)
    little = extended(budget, Spent(rounds=3, calls=5, tokens=100, seconds=10.0, money=0.5), 2)
    assert little == Budget(5, 20, 1000, 100.0, 2.0)
    much = extended(budget, Spent(rounds=4, calls=18, tokens=900, seconds=90.0, money=1.9), 2)
    assert much == Budget(6, 28, 1400, 140.0, 2.9)
    assert extended(Budget(0, 0, 0, 0, 0.0), Spent(5, 5, 5, 5.0, 5.0), 2) == Budget(0, 0, 0, 0.0, 0.0)


def judged(question: str, *facts: Fact, language: str = "en") -> State:
    return State(question=question, language=language, mode=EXTRACTIVE, round=2, facts=facts)


QUESTIONS = {
    "en": ("Who approves remote work?", "The head of the unit approves remote work.", "The head likes work."),
    "de": ("Wer genehmigt den Urlaub?", "Den Urlaub genehmigt die Leitung.", "Der Urlaub ist schön."),
    "hu": ("Ki engedélyezi a szabadságot?", "A szabadságot a vezető engedélyezi.", "A szabadság szép."),
    "zh": ("谁批准年假？", "年假由主管批准。", "年假很好。"),
    "ja": ("休暇は誰が承認しますか", "休暇は部長が承認する。", "休暇は楽しい。"),
}


@pytest.mark.parametrize("language", QUESTIONS)
def test_a_clear_fact_with_all_telling_words_is_enough(language: str) -> None:
    question, whole, part = QUESTIONS[language]
    assert judged_by_text(judged(question, fact("f", 0.5, text=whole), language=language)).enough
    assert not judged_by_text(judged(question, fact("f", 0.49, text=whole), language=language)).enough
    assert not judged_by_text(judged(question, fact("f", 0.9, text=part), language=language)).enough
    both = judged(question, fact("f", 0.9, text=part), fact("g", 0.1, text=whole), language=language)
    assert judged_by_text(both).enough
    none = judged_by_text(judged(question, language=language))
    assert (none.enough, none.missing, none.round) == (False, question, 2)


def test_words_that_are_nowhere_do_not_count_up_to_half_of_all() -> None:
    question = "Which zorbulent office approves quixel work?"  # office, approves, work; two are nowhere
    state = judged(question, fact("f", text="The office approves it."))
    found = judged_by_text(state)
    assert not found.enough
    assert found.missing.split() == ["zorbulent", "quixel", "work"]
    assert found.reason == "The facts hold 40% of the question's words."
    two = judged_by_text(state, {"zorbul", "quixel"})
    assert (two.enough, two.missing) == (False, "work")
    assert two.reason == "The facts hold 40% of the question's words. 2 of them are nowhere to be found."
    assert not judged_by_text(state, {"zorbul", "quixel", "work"}).enough  # three of five
    more = judged("Which zorbulent office approves quixel?", fact("f", text="The office approves it."))
    assert judged_by_text(more, {"zorbul", "quixel"}).enough  # two of four


def test_what_is_remembered_is_enough_where_it_would_be_if_it_were_found_now() -> None:
    question, whole, part = QUESTIONS["en"]
    good, poor = judged(question, fact("f", text=whole)), judged(question, fact("f", text=part))
    settled = judged_from_memory(poor, RecalledFacts((), settled=True))
    assert settled is not None
    assert (settled.enough, settled.by) == (True, MEMORY)
    fresh = judged_from_memory(good, RecalledFacts((), fresh=True))
    assert fresh is not None
    assert (fresh.enough, fresh.by) == (True, MEMORY)
    assert judged_from_memory(good, RecalledFacts(())) is None
    assert judged_from_memory(poor, RecalledFacts((), fresh=True)) is None
    assert judged_from_memory(replace(good, mode="model"), RecalledFacts((), fresh=True)) is None


@pytest.mark.parametrize(
    ("kind", "reason"),
    [
        ("reference", "Annex B, named in “Agreement”: “Classes are set out in Annex B.”"),
        ("next-source", "Annex B: what “Agreement” says calls for it"),
    ],
)
def test_a_reason_says_why_a_person_would_go_there(kind: LeadKind, reason: str) -> None:
    quote = "Classes are set out in Annex B."
    said = Fact("f", quote, 0.9, 1, citation=Citation(1, "c", "d", "u", "Agreement", quote, (0, len(quote))))
    lead = Lead("annex", "Annex B", kind, 1, fact_id="f", chunk_id="c")
    follow = step([FactFound(said), LeadFound(lead), *round_of(1, ""), RoundStarted(2, ("annex",))])
    assert isinstance(follow, Follow)
    assert follow.reason.text("en") == reason

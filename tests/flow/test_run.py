"""Runs: parallel steps, branches, joins, loops, lists, errors by branch, people, and resuming."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from flow import flow_samples as samples
from flow.flow_samples import CALLS, broken, join, longer, pay, shout, slow, words
from rove import AsyncRove, InputError, ServiceError
from rove.flow import Flow, FlowContext, forget, resume, run, runs
from rove.flow.flow_events import FlowEvent, RunBegun, StepFailed, StepFinished, StepSkipped, StepStarted
from rove.store.flow_log import FlowLog

TEXT = {"text": "a b"}


@pytest.fixture
async def kb(tmp_path: Path) -> AsyncIterator[AsyncRove]:
    CALLS.clear()
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as base:
        yield base


def flow() -> Flow:
    return Flow("mine").takes(text="string")


async def test_what_needs_nothing_of_each_other_runs_at_the_same_time(kb: AsyncRove) -> None:
    met = asyncio.Barrier(2)

    async def meet(context: FlowContext, *, text: str) -> str:
        await asyncio.wait_for(met.wait(), 60)  # comes to an end only where both are there
        return text

    both = flow().step("left", meet, text="$input.text").step("right", meet, text="$input.text")
    done = await run(kb, both.step("both", join, parts=["$left", "$right"]).gives(text="$both"), TEXT)
    assert done.status == "done"
    assert done.output == {"text": "a b+a b"}


async def test_a_branch_is_left_out_and_the_first_that_is_there_is_taken(kb: AsyncRove) -> None:
    branched = (
        flow()
        .step("split", words, text="$input.text")
        .step("few", shout, text="few", when="count(split) < 3")
        .step("many", shout, text="many", when="count(split) >= 3")
        .gives(text="$few | $many", few="$few", second="$split.1")
    )
    assert (await run(kb, branched, TEXT)).output == {"text": "FEW", "few": "FEW", "second": "b"}
    assert (await run(kb, branched, {"text": "a b c"})).output == {"text": "MANY", "few": None, "second": "b"}


async def test_what_follows_from_a_step_that_was_left_out_is_left_out(kb: AsyncRove) -> None:
    chain = flow().step("first", shout, text="$input.text", when="false").step("second", shout, text="$first")
    told: list[FlowEvent] = []
    done = await run(kb, chain.gives(text="$second | $input.text"), TEXT, listener=told.append)
    assert done.output == {"text": "a b"}
    assert told == [
        RunBegun(done.run_id),
        StepSkipped("first", "It is for when false."),
        StepSkipped("second", "'text' is not there."),
    ]


async def test_a_step_runs_for_each_element_and_no_more_than_so_many_at_once(kb: AsyncRove) -> None:
    running, most = 0, 0

    async def one(context: FlowContext, *, text: str) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(5):
            await asyncio.sleep(0)
        running -= 1
        return text * 2

    mapped = (
        flow()
        .step("words", words, text="$input.text")
        .step("twice", one, each="$words", text="$item", at_once=2)
        .step("long", longer, each="$twice", text="$item")
        .gives(all="$twice", texts="$long.text")
    )
    done = await run(kb, mapped, {"text": "a b c d e"})
    assert done.output["all"] == ("aa", "bb", "cc", "dd", "ee")
    assert done.output["texts"] == ("aa!", "bb!", "cc!", "dd!", "ee!")
    assert most == 2


async def test_a_loop_goes_round_until_its_condition_holds_or_its_bound_is_reached(kb: AsyncRove) -> None:
    def looped(at_most: int) -> Flow:
        made = flow().step("more", longer, text="$more.text | $input.text")
        return made.loop("again", "more", until="more.count >= 6", at_most=at_most).gives(text="$more.text")

    assert (await run(kb, looped(10), TEXT)).output == {"text": "a b!!!"}
    assert CALLS["longer"] == 3
    assert (await run(kb, looped(2), TEXT)).output == {"text": "a b!!"}


async def test_in_a_round_later_steps_are_those_of_the_round_before(kb: AsyncRove) -> None:
    looped = (
        flow()
        .step("first", longer, text="$second.text | $input.text", by="1")
        .step("second", longer, text="$first.text", by="2")
        .loop("again", "first", "second", at_most=2)
        .step("after", shout, text="$second.text")
        .gives(text="$after")
    )
    assert (await run(kb, looped, TEXT)).output == {"text": "A B1212"}


async def test_the_first_of_a_race_is_enough_and_the_others_are_stopped(kb: AsyncRove) -> None:
    race = (
        flow()
        .step("tortoise", slow, text="late", pause_s=600)
        .step("hare", slow, text="early", pause_s=0)
        .step("winner", shout, text="$tortoise | $hare", join="first")
        .gives(text="$winner")
    )
    assert (await run(kb, race, TEXT)).output == {"text": "EARLY"}
    assert CALLS["cancelled"] == 1


async def test_a_branch_that_fails_is_told_of_and_the_others_go_on(kb: AsyncRove) -> None:
    told: list[FlowEvent] = []
    branched = (
        flow()
        .step("bad", broken, text="$input.text", on_error="skip", retry=1)
        .step("instead", shout, text="instead", when="failed(bad)")
        .gives(text="$bad | $instead")
    )
    done = await run(kb, branched, TEXT, listener=told.append)
    assert done.output == {"text": "INSTEAD"}
    assert CALLS["broken"] == 2
    reason = "The service does not answer to 'a b'."
    assert [one for one in told if isinstance(one, StepFailed)] == [
        StepFailed("bad", reason, again=True),
        StepFailed("bad", reason),
    ]


async def test_a_step_that_fails_ends_the_run_and_resumed_only_it_is_done_again(kb: AsyncRove) -> None:
    mending = False

    async def mended(context: FlowContext, *, text: str) -> str:
        if not mending:
            message = "Not yet."
            raise ServiceError(message, cure="Wait.")
        return text + "?"

    chain = flow().step("loud", shout, text="$input.text").step("last", mended, text="$loud").gives(text="$last")
    with pytest.raises(ServiceError, match="The step 'last': Not yet"):
        await run(kb, chain, TEXT)
    assert [one.status for one in await runs(kb)] == ["failed"]
    mending = True
    told: list[FlowEvent] = []
    done = await resume(kb, flow=chain, listener=told.append)
    assert done.output == {"text": "A B?"}
    assert CALLS["shout"] == 1
    assert [one.key for one in told if isinstance(one, StepStarted)] == ["last"]
    assert [one.key for one in told if isinstance(one, StepFinished) and one.restored] == ["loud"]
    with pytest.raises(InputError, match="is done"):
        await resume(kb, done.run_id, flow=chain)


async def test_an_error_of_the_operators_own_is_said_as_one_of_the_step(kb: AsyncRove) -> None:
    async def wrong(context: FlowContext, *, text: str) -> int:
        return int(text)

    with pytest.raises(ServiceError, match="The step 'number': 'wrong' failed: ValueError") as raised:
        await run(kb, flow().step("number", wrong, text="$input.text").gives(n="$number"), TEXT)
    assert not raised.value.retryable


async def test_a_step_and_a_run_end_when_their_time_is_over(kb: AsyncRove) -> None:
    async def forever(context: FlowContext) -> str:
        await asyncio.sleep(600)
        return ""

    bounded = flow().step("late", forever, seconds=0.01, on_error="skip").gives(text="$late")
    assert (await run(kb, bounded, TEXT)).output == {"text": None}
    whole = replace(flow().step("late", forever).gives(text="$late"), seconds=0.01)
    with pytest.raises(ServiceError, match="took more than 0.01 s"):
        await run(kb, whole, TEXT)


async def test_a_run_waits_for_a_person_while_the_rest_goes_on(kb: AsyncRove) -> None:
    asking = (
        flow()
        .step("chosen", "human", question="Which?", options=["left", "right"])
        .step("loud", shout, text="$input.text")
        .step("both", join, parts=["$chosen", "$loud"])
        .gives(text="$both")
    )
    waiting = await run(kb, asking, TEXT)
    assert waiting.status == "waiting"
    assert [(one.key, one.question, one.options) for one in waiting.waiting] == [
        ("chosen", "Which?", ("left", "right"))
    ]
    assert CALLS["shout"] == 1
    with pytest.raises(InputError, match="Nobody waits"):
        await resume(kb, waiting.run_id, {"loud": "x"}, flow=asking)
    again = await resume(kb, waiting.run_id, {"chosen": "up"}, flow=asking)
    assert again.status == "waiting", "up is no option"
    assert [one.waiting for one in await runs(kb)] == [("Which?",)]
    done = await resume(kb, waiting.run_id, {"chosen": "right"}, flow=asking)
    assert done.output == {"text": "right+A B"}
    assert CALLS["shout"] == 1
    with pytest.raises(InputError, match="keep=True"):
        await run(kb, asking, TEXT, keep=False)


async def test_what_must_not_be_done_twice_is_asked_for_first(kb: AsyncRove) -> None:
    paying = replace(flow().step("paid", pay, amount=5).gives(paid="$paid"), writes=True)
    waiting = await run(kb, paying, TEXT)
    assert waiting.waiting[0].key == "paid?"
    assert waiting.waiting[0].options == ("yes", "no")
    assert not CALLS["pay"]
    with pytest.raises(ServiceError, match="said no"):
        await resume(kb, waiting.run_id, {"paid?": "no"}, flow=paying)
    waiting = await run(kb, paying, TEXT)
    assert (await resume(kb, waiting.run_id, {"paid?": "yes"}, flow=paying)).output == {"paid": 5}
    assert CALLS["pay"] == 1


async def test_a_run_of_named_operators_is_resumed_by_itself_and_forgotten(kb: AsyncRove) -> None:
    asking = Flow("two").step("name", "human", question="Who?").gives(text="$name")
    waiting = await run(kb, asking, {"question": "x"})
    assert (await resume(kb, waiting.run_id[:4], {"name": "me"})).output == {"text": "me"}
    assert await forget(kb, "last") == waiting.run_id
    assert await runs(kb) == []
    with pytest.raises(InputError, match="no run"):
        await resume(kb, waiting.run_id)


async def test_inputs_are_checked_before_anything_runs(kb: AsyncRove) -> None:
    one = flow().step("loud", shout, text="$input.text").gives(text="$loud")
    for given, said in (({}, "needs 'text'"), ({"text": 5}, "no string"), ({"txt": "a"}, "Did you mean 'text'")):
        with pytest.raises(InputError, match=said):
            await run(kb, one, given)
    assert await runs(kb) == []


async def test_erasing_a_document_erases_what_runs_have_kept_of_it(tmp_path: Path) -> None:
    async with await samples.opened(tmp_path) as base:
        asking = (
            Flow("leak")
            .step("before", "human", question="Shall I?")
            .step("found", "search", question="$input.question", mode="keyword", top_k=3)
            .step("told", join, parts="$found.chunk.text")
            .step("after", "human", question="And now?")
            .gives(text="$told", more="$after", before="$before")
        )
        waiting = await run(base, asking, {"question": "Who approves remote work?"})
        kept = "".join(_events(base, waiting.run_id))
        assert "approved by the head" in kept
        await base.delete("policy")
        assert "approved by the head" not in "".join(_events(base, waiting.run_id))
        done = await resume(base, waiting.run_id, {"before": "yes"}, flow=asking)
        assert done.status == "waiting", "what was asked after it was found is asked anew"


def _events(kb: AsyncRove, run_id: str) -> list[str]:
    return FlowLog(kb.store.catalog.database).events(run_id)

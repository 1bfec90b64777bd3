"""How a kept run stands is read from its journal alone: what each step gave, what comes out, why it failed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from flow.flow_samples import QUESTIONS, opened
from rove import AsyncRove, RoveError
from rove.flow import read_flow, resume, run
from rove.flow.definition import flow_of
from rove.flow.so_far import so_far

LISTED = """
[input]
words = "strings"
[steps.found]
use = "search"
question = "$item"
each = "$input.words"
mode = "keyword"
top_k = 1
[steps.never]
use = "search"
question = "x"
when = "false"
[output]
titles = "$found.0.title"
lists = "$found"
never = "$never"
"""
BROKEN = """
[steps.found]
use = "search"
question = "$input.question"
[steps.bad]
use = "search"
question = "$found.0.chunk.text"
mode = "no such mode"
[output]
hits = "$bad"
"""


@pytest.fixture
async def kb(tmp_path: Path) -> AsyncIterator[AsyncRove]:
    async with await opened(tmp_path) as base:
        yield base


@pytest.mark.parametrize("language", list(QUESTIONS))
@pytest.mark.parametrize("name", ["simple", "parallel"])
async def test_what_came_out_is_read_back(kb: AsyncRove, name: str, language: str) -> None:
    done = await run(kb, read_flow(name), {"question": QUESTIONS[language]})
    held = await so_far(kb, done.run_id)
    assert (held.status, held.output, held.reason, held.erased) == ("done", done.output, "", False)
    assert held.given["question"] == QUESTIONS[language]
    assert {step.state for step in held.steps} == {"finished"}


async def test_a_list_and_what_was_left_out_are_read_back(kb: AsyncRove) -> None:
    done = await run(kb, flow_of(LISTED, "listed.toml"), {"words": ["canteen", "Elbe", "Urlaub"]})
    held = await so_far(kb, "last")
    assert held.output == done.output
    assert sorted(step.key for step in held.steps) == ["found#0", "found#1", "found#2"]


async def test_a_run_that_waits_in_a_loop_says_what_is_asked_and_its_last_round_comes_out(kb: AsyncRove) -> None:
    begun = await run(kb, read_flow("ask-again"), {"question": "Zzyzx qwert?"})
    held = await so_far(kb, begun.run_id)
    assert (held.status, held.output) == ("waiting", {})
    assert [(one.key, one.question) for one in held.waiting] == [(one.key, one.question) for one in begun.waiting]
    assert "@1" in held.waiting[0].key
    done = await resume(kb, begun.run_id, {held.waiting[0].key: QUESTIONS["en"]})
    assert done.status == "done"
    held = await so_far(kb, begun.run_id)
    assert held.output == done.output
    assert {step.key.partition("@")[2] for step in held.steps} >= {"1", "2"}


async def test_a_run_that_failed_says_at_which_step(kb: AsyncRove) -> None:
    with pytest.raises(RoveError, match="no such mode"):
        await run(kb, flow_of(BROKEN, "broken.toml"), {"question": QUESTIONS["en"]})
    held = await so_far(kb, "last")
    assert held.status == "failed"
    assert "no such mode" in held.reason
    assert {step.key: step.state for step in held.steps} == {"found": "finished", "bad": "failed"}


async def test_what_rests_on_an_erased_document_is_gone(kb: AsyncRove) -> None:
    done = await run(kb, read_flow("simple"), {"question": QUESTIONS["en"]})
    await kb.delete("policy")
    held = await so_far(kb, done.run_id)
    assert held.erased
    assert "head of unit" not in repr(held.steps) + repr(held.output)

"""Steps of the new operators within flows: layers, the graph, filters of a step, tools that fail, own functions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from flow.outside import STOPPED, broken_load, host_load, stop_host
from rove import AsyncRove, ConfigError, InputError, ServiceError, Text, field
from rove.flow import Flow, FlowContext, checked, read_flow, run
from rove.flow.definition import flow_of
from rove.flow.operators.answering import answer_from
from rove.flow.operators.layers import layers

RULES = {"name": "rules", "where": ("layer=rules",)}
NEWS = {"name": "news", "where": ("layer=news",)}


@pytest.fixture
async def kb(tmp_path: Path) -> AsyncIterator[AsyncRove]:
    STOPPED.clear()
    async with AsyncRove.open(tmp_path / "kb", embedder={"name": "fake"}) as base:
        rules, news = {"layer": "rules"}, {"layer": "news"}
        await base.add(
            Text("Remote work is approved by the head of unit.", id="rule", metadata=rules),
            Text("Remote work is approved by the director since May.", id="news", metadata=news),
            Text("| Host | Needs |\n| --- | --- |\n| db-1 | nas-1 |", id="hosts", metadata=rules, kind="markdown"),
            Text("| Host | Needs |\n| --- | --- |\n| db-1 | tape-9 |", id="rumour", metadata=news, kind="markdown"),
        )
        await base.enrich("graph")
        base.tools.add(host_load, broken_load)
        base.tools.add(stop_host, effects="writes")
        yield base


async def test_the_first_layer_that_answers_wins(kb: AsyncRove) -> None:
    question = "Who approves remote work?"
    first = await layers(FlowContext(kb), question=question, layers=[RULES, NEWS])
    assert (first.layer, [hit.chunk.document_id for hit in first.found.hits][0]) == ("rules", "rule")
    assert [one.name for one in first.tried] == ["rules"]
    other = await layers(FlowContext(kb), question=question, layers=[NEWS, RULES])
    assert (other.layer, other.found.hits[0].chunk.document_id) == ("news", "news")


async def test_a_layer_without_an_answer_is_passed_over(kb: AsyncRove) -> None:
    empty = {"name": "empty", "where": ("document_id=none",)}
    found = await layers(FlowContext(kb), question="Who approves remote work?", layers=[empty, NEWS])
    assert [(one.name, one.enough) for one in found.tried] == [("empty", False), ("news", True)]
    none = await layers(FlowContext(kb), question="How deep is the ocean?", layers=[RULES, NEWS])
    assert (none.layer, none.found.verdict.passes, [one.enough for one in none.tried]) == ("", False, [False, False])


async def test_a_filter_of_the_run_holds_in_every_layer(kb: AsyncRove) -> None:
    context = FlowContext(kb, field("layer") == "news")
    found = await layers(context, question="Who approves remote work?", layers=[RULES, NEWS])
    assert [(one.name, one.hits) for one in found.tried] == [("rules", 0), ("news", found.tried[1].hits)]


@pytest.mark.parametrize("wrong", [[], [{"mode": "hybrid"}], [{"name": "a", "top_k": "many"}]])
async def test_layers_that_are_declared_wrongly_are_refused(kb: AsyncRove, wrong: list[dict[str, object]]) -> None:
    with pytest.raises(ConfigError):
        await layers(FlowContext(kb), question="Who?", layers=wrong)


@pytest.mark.parametrize(("condition", "needs"), [("layer=rules", {"nas-1"}), ("layer=news", {"tape-9"})])
async def test_the_graph_is_explored_within_a_filter(kb: AsyncRove, condition: str, needs: set[str]) -> None:
    flow = Flow("near").step("near", "explore", names=["db-1"], direction="out", where=[condition])
    found = await run(kb, flow.gives(names="$near.entities.name"), {"question": "db-1"})
    assert set(found.output["names"]) == {"db-1", *needs}


async def test_a_search_within_a_filter_of_its_own(kb: AsyncRove) -> None:
    flow = Flow("search").step("found", "search", question="$input.question", where=["layer=news"])
    found = await run(kb, flow.gives(ids="$found.chunk.document_id"), {"question": "Who approves remote work?"})
    assert set(found.output["ids"]) == {"news", "rumour"}
    wrong = Flow("wrong").step("found", "search", question="$input.question", where=["no condition"])
    with pytest.raises(InputError, match="condition"):
        await run(kb, wrong.gives(it="$found"), {"question": "Who?"})


@pytest.mark.parametrize(("name", "reason"), [("broken_load", "ZeroDivisionError"), ("no_such_tool", "no_such_tool")])
async def test_a_tool_that_fails_says_so_and_the_others_go_on(kb: AsyncRove, name: str, reason: str) -> None:
    flow = Flow("called").step(
        "called",
        "tool",
        each="$input.names",
        request="The load",
        tool="$item",
        arguments={"host": "db-1"},
        failing="say",
    )
    flow = flow.takes(names="strings").gives(outcomes="$called.outcome", notes="$called.note")
    found = (await run(kb, flow, {"names": [name, "host_load"]})).output
    assert found["outcomes"] == ("failed", "ran")
    assert reason in found["notes"][0]
    strict = replace(flow, steps=(replace(flow.steps[0], given={**flow.steps[0].given, "failing": "fail"}),))
    with pytest.raises((ServiceError, InputError), match=reason):
        await run(kb, strict, {"names": [name, "host_load"]})


async def test_a_tool_that_writes_is_not_run_by_saying_so(kb: AsyncRove) -> None:
    flow = Flow("called").step(
        "called", "tool", each="$input.names", request="Stop", tool="$item", arguments={"host": "db-1"}, failing="say"
    )
    flow = flow.takes(names="strings").gives(outcomes="$called.outcome")
    found = await run(kb, flow, {"names": ["stop_host"]})
    assert (found.output["outcomes"], STOPPED) == (("unconfirmed",), [])


async def test_an_answer_from_what_is_given_alone(kb: AsyncRove) -> None:
    context = FlowContext(kb)
    run_ = await kb.tools.run("The load", tool="host_load", arguments={"host": "db-1"})
    found = await answer_from(context, question="What is the load of db-1?", called=[run_])
    assert found is not None
    assert "42" in found.text
    assert {one.document_id for one in found.citations} == {run_.document.document_id if run_.document else ""}
    assert await answer_from(context, question="What is the load?") is None


OWN = """
name = "own"
[steps.shouted]
use = "shout"
text = "$input.question"
[output]
it = "$shouted"
"""


async def shout(context: FlowContext, *, text: str) -> str:
    """Write in capitals."""
    return text.upper()


async def test_a_file_uses_functions_that_the_program_gives_it(kb: AsyncRove, tmp_path: Path) -> None:
    file = tmp_path / "own.toml"
    file.write_text(OWN, "utf-8")
    done = await run(kb, read_flow(file, {"shout": shout}), {"question": "now"})
    assert done.output["it"] == "NOW"
    _, problems = checked(flow_of(OWN, "own.toml"))
    assert "shout" in problems[0].reason  # a file alone names no code

"""Steps that ask a real database, the tables of documents, and tools: answered or not, missing, confirmed, refused."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from flow.flow_samples import QUESTIONS, opened
from flow.outside import (
    STAFF,
    STOPPED,
    broken_load,
    host_load,
    raum_temperatur,
    room_temperature_zh,
    shop,
    stop_host,
)
from rove import AsyncRove, ConfigError, ServiceError, Text
from rove.events import DatabaseAsked
from rove.flow import Flow, FlowContext, operator, read_flow, resume, run
from rove.flow.flow_events import FlowEvent, StepFailed, StepTold
from rove.records import Answer
from rove.store.flow_log import FlowLog

COUNTED = [
    ("How many customers are from Wien?", "customers", "number: 2."),
    ("Wie viele Mitarbeiter gibt es in Bonn?", "mitarbeiter", "Anzahl: 2."),
    ("上海有多少员工？", "员工", "数量: 2。"),
]
LACKING = [
    ("What is the load?", "Please also say: Name of the host."),
    ("Wie hoch ist die Last?", "Bitte geben Sie noch an: Name of the host."),
    ("负载是多少？", "请补充：Name of the host。"),
]


@pytest.fixture
async def kb(tmp_path: Path) -> AsyncIterator[AsyncRove]:
    STOPPED.clear()
    async with await opened(tmp_path, databases={"shop": {"url": shop(tmp_path)}}) as base:
        base.tools.add(host_load, broken_load)
        base.tools.add(stop_host, effects="writes")
        yield base


def called(use: str = "tool", **given: object) -> Flow:
    flow = Flow("called").step("called", use, request="$input.question", **given)
    made = flow.gives(outcome="$called.outcome", missing="$called.missing", text="$called.text", it="$called.result")
    return replace(made, writes=use == "tool-once")


@pytest.mark.parametrize(("question", "table", "sentence"), COUNTED)
async def test_a_database_comes_first(kb: AsyncRove, question: str, table: str, sentence: str) -> None:
    told: list[FlowEvent] = []
    output = (await run(kb, read_flow("database-first"), {"question": question}, listener=told.append)).output
    assert (output["text"], output["rows"], output["answer"]) == (sentence, (("2",),), None)
    assert f'FROM "{table}"' in str(output["sql"])
    assert [one.event.sql for one in told if isinstance(one, StepTold) and isinstance(one.event, DatabaseAsked)] == [
        output["sql"]
    ]


@pytest.mark.parametrize("language", ["en", "de", "zh"])
async def test_where_it_does_not_answer_the_documents_do(kb: AsyncRove, language: str) -> None:
    output = (await run(kb, read_flow("database-first"), {"question": QUESTIONS[language]})).output
    answer = await kb.ask(QUESTIONS[language])
    assert answer.hits
    assert (output["text"], output["sql"], output["rows"]) == (answer.text, "", ())


async def test_a_database_that_is_down_does_not_keep_the_documents_from_answering(tmp_path: Path) -> None:
    gone = f"sqlite:///{tmp_path / 'none' / 'gone.sqlite'}"
    told: list[FlowEvent] = []
    async with await opened(tmp_path, databases={"shop": {"url": gone}}) as base:
        flow = read_flow("database-first")
        output = (await run(base, flow, {"question": QUESTIONS["en"]}, listener=told.append)).output
        assert output["text"] == (await base.ask(QUESTIONS["en"])).text
    assert [one.key for one in told if isinstance(one, StepFailed)] == ["asked"]


async def test_tables_of_documents_are_asked_with_the_place_of_each_value(kb: AsyncRove) -> None:
    await kb.add(Text(STAFF, id="staff", title="Staff", kind="markdown"))
    flow = Flow("tables").step("asked", "sql-tables", question="$input.question")
    flow = flow.gives(text="$asked.answer", rows="$asked.rows", spans="$asked.cells.span")
    output = (await run(kb, flow, {"question": "What is the average salary in Oslo?"})).output
    assert output["rows"] == (("50125",),)
    text = await kb.text("staff")
    spans = output["spans"]
    assert isinstance(spans, tuple)
    assert [text[slice(*span)] for span in spans] == ["$52,000", "$48,250"]


@pytest.mark.parametrize(("question", "asked"), LACKING)
async def test_what_a_tool_lacks_comes_out_or_is_asked(kb: AsyncRove, question: str, asked: str) -> None:
    given = {"question": question}
    output = (await run(kb, called(tool="host_load"), given)).output
    assert output == {"outcome": "asks", "missing": ("host",), "text": None, "it": None}
    waiting = await run(kb, called(tool="host_load", ask=True), given)
    assert [(one.key, one.question) for one in waiting.waiting] == [("called", asked)]
    output = (await resume(kb, waiting.run_id, {"called": "db-1"})).output
    assert (output["outcome"], output["missing"]) == ("ran", ())
    assert output["it"] == {"host": "db-1", "minutes": 5, "load": 42}
    assert "42" in str(output["text"])


async def test_a_tool_takes_values_of_other_steps(kb: AsyncRove) -> None:
    flow = called(tool="host_load", arguments={"host": "$input.question", "minutes": "$none"})
    flow = replace(flow.step("none", "human", question="?", when="false"), output={**flow.output, "none": "$none"})
    output = (await run(kb, flow, {"question": "web-7"})).output
    assert output["it"] == {"host": "web-7", "minutes": 5, "load": 42}


async def test_what_changes_something_is_shown_and_asked_for_and_done_once(kb: AsyncRove) -> None:
    flow = called("tool-once", tool="stop_host", ask=True)
    waiting = await run(kb, flow, {"question": "Stop it."})
    assert [one.key for one in waiting.waiting] == ["called"]
    waiting = await resume(kb, waiting.run_id, {"called": "db-1"})
    assert [one.key for one in waiting.waiting] == ["called?"]
    assert "tool-once: stop_host(host = 'db-1')" in waiting.waiting[0].question
    assert not STOPPED
    with pytest.raises(ServiceError, match="said no"):
        await resume(kb, waiting.run_id, {"called?": "no"})
    assert not STOPPED
    given = called("tool-once", tool="stop_host", arguments={"host": "db-2"})
    waiting = await run(kb, given, {"question": "Stop it."})
    done = await resume(kb, waiting.run_id, {"called?": "yes"})
    assert (done.output["outcome"], STOPPED) == ("ran", ["db-2"])
    unasked = called("tool-once", tool="stop_host", arguments={"host": "db-3"}, confirm=False)
    assert (await run(kb, unasked, {"question": "Stop it."})).output["text"]
    assert STOPPED == ["db-2", "db-3"]


async def test_after_a_crash_a_person_is_asked_whether_it_may_be_done_again(kb: AsyncRove) -> None:
    flow = called("tool-once", tool="stop_host", arguments={"host": "db-2"}, confirm=False)
    done = await run(kb, flow, {"question": "Stop it."})
    log = FlowLog(kb.store.catalog.database)
    kept = log.events(done.run_id)
    assert [line for line in kept if "Begun" in line]
    await _cut(kb, done.run_id, kept)
    waiting = await resume(kb, done.run_id)
    assert "may have been done" in waiting.waiting[0].question
    assert STOPPED == ["db-2"]


async def _cut(kb: AsyncRove, run_id: str, kept: list[str]) -> None:
    """Leave of a run what a crash within its step would: all up to the event that it begins."""
    log = FlowLog(kb.store.catalog.database)
    log.forget(run_id)
    place = next(place for place, line in enumerate(kept) if "Begun" in line)
    log.append(run_id, 1, kept[: place + 1])


async def test_a_reply_holds_for_the_plan_that_was_shown_and_for_no_other(kb: AsyncRove) -> None:
    hosts = iter(["db-1", "db-2", "db-2"])

    def stop_next(host: str) -> str:
        """Stop the next host."""
        STOPPED.append(host)
        return host

    kb.tools.add(stop_next, effects="writes")

    async def act(context: FlowContext) -> str:
        """Do what differs each time, as what a model plans may."""
        await context.once(host := next(hosts))
        return stop_next(host)

    act = operator(effects="once", confirms=True)(act)
    flow = replace(Flow("acts").step("acted", act).gives(text="$acted"), writes=True)
    waiting = await run(kb, flow, {"question": "x"})
    assert "db-1" in waiting.waiting[0].question
    waiting = await resume(kb, waiting.run_id, {"acted?": "yes"}, flow=flow)
    assert "db-2" in waiting.waiting[0].question
    assert not STOPPED
    assert (await resume(kb, waiting.run_id, {"acted?": "yes"}, flow=flow)).output == {"text": "db-2"}


async def test_a_tool_that_the_request_chooses_is_not_run_where_it_changes_something(kb: AsyncRove) -> None:
    output = (await run(kb, called(), {"question": "Stop the host, please: stop host"})).output
    assert (output["outcome"], STOPPED) in [("unconfirmed", []), ("asks", [])]


async def test_a_tool_that_fails_is_a_step_that_failed(kb: AsyncRove) -> None:
    given = {"tool": "broken_load", "arguments": {"host": "db-1"}}
    with pytest.raises(ServiceError, match="The step 'called': .*ZeroDivisionError"):
        await run(kb, called(**given), {"question": "load"})
    assert (await run(kb, called(**given, on_error="skip"), {"question": "load"})).output["outcome"] is None


TOOL_ASKED = [
    ("What is the load of the host db-1 over 7 minutes?", "host_load", "load: 42"),
    ("Wie hoch ist die Temperatur im Raum 12?", "raum_temperatur", "Temperatur: 21.5"),
    ("查询12号房间的温度。", "room_temperature_zh", "温度: 19.5"),
]


@pytest.mark.parametrize(("question", "name", "said"), TOOL_ASKED)
async def test_a_tool_comes_first_and_its_result_is_cited(kb: AsyncRove, question: str, name: str, said: str) -> None:
    kb.tools.add(raum_temperatur, room_temperature_zh)
    output = (await run(kb, read_flow("tool-first"), {"question": question})).output
    answer = output["answer"]
    assert isinstance(answer, Answer)
    assert name in answer.note
    assert said in answer.text
    cited = [one for one in answer.citations if one.document_id.startswith(f"tool:{name}")]
    assert cited
    hit = next(hit for hit in answer.hits if hit.chunk.document_id == cited[0].document_id)
    assert hit.chunk.text[slice(*cited[0].span)] == cited[0].quote


async def test_where_a_tool_lacks_a_value_the_documents_answer_and_it_is_said(kb: AsyncRove) -> None:
    output = (await run(kb, read_flow("tool-first"), {"question": "What is the load of the host?"})).output
    assert output["missing"] == ("host",)
    answer = output["answer"]
    assert isinstance(answer, Answer)
    assert not [one for one in answer.citations if one.document_id.startswith("tool:")]


async def test_where_no_tool_surely_fits_the_documents_answer(kb: AsyncRove) -> None:
    for language in ("en", "de", "zh"):
        output = (await run(kb, read_flow("tool-first"), {"question": QUESTIONS[language]})).output
        answer = output["answer"]
        assert isinstance(answer, Answer)
        assert answer == await kb.ask(QUESTIONS[language])


SQL = Flow("asks").step("asked", "sql", question="$input.question").gives(text="$asked.answer")


@pytest.mark.parametrize(
    ("flow", "reason", "cure"),
    [
        (
            replace(SQL, steps=(replace(SQL.steps[0], given={"question": "x", "database": "shpo"}),)),
            "databases.shpo",
            "'shop'",
        ),
        (called(tool="host_laod"), "no tool 'host_laod'", "'host_load'"),
        (called(tool="stop_host"), "'stop_host' changes something", "tool-once"),
        (replace(called("tool-once", tool="stop_host"), writes=False), "does not say that it may", "writes = true"),
    ],
)
async def test_what_is_missing_is_said_before_a_run(kb: AsyncRove, flow: Flow, reason: str, cure: str) -> None:
    with pytest.raises(ConfigError) as raised:
        await run(kb, flow, {"question": "x"})
    assert reason in str(raised.value)
    assert cure in str(raised.value)
    assert FlowLog(kb.store.catalog.database).listed() == []


async def test_a_base_without_databases_and_tools_says_so(tmp_path: Path) -> None:
    async with await opened(tmp_path) as base:
        with pytest.raises(ConfigError, match=r"No database is set up(.|\n)*\[databases\.shop\]"):
            await run(base, read_flow("database-first"), {"question": "x"})
        with pytest.raises(ConfigError, match=r"no \[databases\.hr\](.|\n)*\[databases\.hr\] url"):
            await run(base, read_flow("database-first"), {"question": "x", "database": "hr"})
        with pytest.raises(ConfigError, match=r"No tool is set up(.|\n)*\[tools\.NAME\]"):
            await run(base, read_flow("tool-first"), {"question": "x"})

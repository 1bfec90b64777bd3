"""Every operator of flows through its suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from flow.outside import ACCOUNTS, STAFF, host_load, shop, stop_host
from rove.flow import FlowContext
from rove.flow.operators.answering import answer
from rove.flow.operators.figures import figures
from rove.flow.operators.question import understand
from rove.flow.operators.retrieval import gather, retrieve, search
from rove.flow.operators.tools import tool
from rove.records import Answer, Text
from rove.records.paper import Paper
from rove.records.sql import SqlReply
from rove.records.tool import ToolRun
from rove.testing import OperatorContract
from rove.testing.samples import TEXTS

QUESTION = "Who approves remote work?"
Given = Mapping[str, object]


class Asked(OperatorContract):
    async def given(self, context: FlowContext, folder: Path) -> Given:
        return {"question": QUESTION}


class TestUnderstand(Asked):
    name = "understand"


class TestSearch(Asked):
    name = "search"


class TestRetrieve(Asked):
    name = "retrieve"


class TestGather(Asked):
    name = "gather"


class TestUnsourced(Asked):
    name = "unsourced"


class TestHuman(Asked):
    name = "human"


class TestWalk(Asked):
    name = "walk"

    def same(self, value: object) -> object:
        assert isinstance(value, Answer)
        return replace(value, notes=(), note="", path=())  # facts have ids of their own


class TestReply(OperatorContract):
    name = "reply"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        return {"question": await understand(context, question="Hello!")}


class TestClassify(OperatorContract):
    name = "classify"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        work = ["Who approves remote work?", "May I work from home?", "How long does remote work last?"]
        food = ["When does the canteen open?", "What is for lunch?", "Who cooks?"]
        return {"text": "Who approves remote work?", "kinds": {"work": work, "food": food}}


class TestSlots(OperatorContract):
    name = "slots"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        return {"text": "What was sold in 2021?", "values": {"year": {"type": "number"}}}


class TestFuse(OperatorContract):
    name = "fuse"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        modes = ("keyword", "semantic")
        return {"lists": [await search(context, question=QUESTION, mode=mode) for mode in modes]}


class Ordered(OperatorContract):
    async def given(self, context: FlowContext, folder: Path) -> Given:
        return {"question": QUESTION, "hits": await search(context, question=QUESTION, mode="semantic")}


class TestRerank(Ordered):
    name = "rerank"


class TestJudge(Ordered):
    name = "judge"


class TestStoredAnswer(OperatorContract):
    name = "stored-answer"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        name, text = next(iter(TEXTS.items()))
        await context.kb.keep_question(QUESTION, name, (0, len(text)))
        return {"question": QUESTION, "hits": await search(context, question=QUESTION, mode="questions")}


class TestAnswer(OperatorContract):
    name = "answer"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        return {"question": QUESTION, "found": await retrieve(context, question=QUESTION)}


class TestAnswerGathered(OperatorContract):
    name = "answer-gathered"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        return {"gathered": await gather(context, question=QUESTION)}


class TestWrite(OperatorContract):
    name = "write"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        return {"task": "Say it shorter.", "text": "Remote work is approved by the head of unit."}


class Untimed(OperatorContract):
    def same(self, value: object) -> object:
        assert isinstance(value, SqlReply | ToolRun)
        return replace(value, seconds=0.0)


class TestSql(Untimed):
    name = "sql"

    def settings(self, folder: Path) -> Given:
        return {"databases": {"shop": {"url": shop(folder)}}}

    async def given(self, context: FlowContext, folder: Path) -> Given:
        return {"question": "How many customers are from Wien?"}


class TestSqlTables(Untimed):
    name = "sql-tables"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        await context.kb.add(Text(STAFF, id="staff", title="Staff", kind="markdown"))
        return {"question": "How many employees are in Oslo?"}


class TestTool(Untimed):
    name = "tool"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        context.kb.tools.add(host_load)
        return {"request": "What is the load?", "tool": "host_load", "ask": True}


class TestToolOnce(Untimed):
    name = "tool-once"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        context.kb.tools.add(stop_host, effects="writes")
        return {"request": "Stop it.", "tool": "stop_host", "arguments": {"host": "db-1"}}


class TestAnswerWithTool(OperatorContract):
    name = "answer-with-tool"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        context.kb.tools.add(host_load)
        question = "What is the load of the host db-1?"
        called = await tool(context, request=question, tool="host_load", arguments={"host": "db-1"})
        return {"question": question, "called": called}


class TestAnswerFrom(OperatorContract):
    name = "answer-from"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        context.kb.tools.add(host_load)
        called = await tool(context, request="The load?", tool="host_load", arguments={"host": "db-1"})
        hits = await search(context, question=QUESTION)
        return {"question": QUESTION, "hits": hits, "called": [called]}


class TestLayers(OperatorContract):
    name = "layers"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        nowhere = {"name": "empty", "where": ("document_id=none",)}
        return {"question": QUESTION, "layers": [nowhere, {"name": "all", "mode": "keyword"}]}


class TestExplore(OperatorContract):
    name = "explore"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        await context.kb.add(Text("| Host | Needs |\n| --- | --- |\n| db-1 | nas-1 |", id="hosts", kind="markdown"))
        await context.kb.enrich("graph")
        return {"names": ["db-1"]}


class TestFigures(OperatorContract):
    name = "figures"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        await context.kb.add(Text(ACCOUNTS, id="accounts", title="Accounts", kind="markdown"))
        return {"labels": {"revenue": ["Revenue"]}}


class TestCompute(OperatorContract):
    name = "compute"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        await context.kb.add(Text(ACCOUNTS, id="accounts", title="Accounts", kind="markdown"))
        read = await figures(context, labels={"revenue": ["Revenue"], "profit": ["Profit"]})
        return {"figures": read, "formulas": [{"name": "margin", "formula": "profit / revenue", "unit": "%"}]}


class TestReport(OperatorContract):
    name = "report"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        answered = await answer(context, question=QUESTION, found=await retrieve(context, question=QUESTION))
        return {"paper": Paper("A report", answered.sentences)}


class TestAdd(OperatorContract):
    name = "add"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        (folder / "a.txt").write_text("The canteen opens at eight.")
        return {"sources": [str(folder)]}


class TestEnrich(OperatorContract):
    name = "enrich"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        return {"name": "graph"}

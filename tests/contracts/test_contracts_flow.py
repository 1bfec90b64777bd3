"""Every operator of flows through its suite."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from rove.flow import FlowContext
from rove.flow.operators.question import understand
from rove.flow.operators.retrieval import gather, retrieve, search
from rove.records import Answer
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
        return replace(value, note="", path=())  # facts have ids of their own


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


class TestAdd(OperatorContract):
    name = "add"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        (folder / "a.txt").write_text("The canteen opens at eight.")
        return {"sources": [str(folder)]}


class TestEnrich(OperatorContract):
    name = "enrich"

    async def given(self, context: FlowContext, folder: Path) -> Given:
        return {"name": "graph"}

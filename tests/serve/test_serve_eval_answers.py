"""Evaluations that let the questions be answered: what is measured is what `rove eval --answers` says, and is kept."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rove.engine import AsyncRove
from rove.evaluate.answering import answer_all, answered
from rove.evaluate.configuration import Configuration
from rove.evaluate.dataset import read_dataset
from rove.evaluate.dataset.resolve import resolve
from rove.evaluate.lab import Lab
from rove.evaluate.plan import Way
from rove.evaluate.results import AnswerOutcome
from rove.instances import Instances
from rove.records import Answer
from rove.store.question_log import QuestionLog
from serve.conftest import Opener, Town
from serve.test_serve_evaluations import EVALUATIONS, asking, finished, until

NEAR = {"answer": {"max_distance": 2}}
TABLE = (
    "id,question,source,answer\n"
    "q1,Who approves remote work within five days?,policy,the head of unit\n"
    "q2,Who approves the merger with Nordwind?,merger,the head of unit\n"
    "q3,Wer genehmigt den Urlaub?,urlaub,der Aufsichtsrat\n"
)
HOLDER = {"spaces": ("*",), "rights": ("read", "admin")}
WAYS = [
    {"name": "hybrid"},
    {"name": "keyword", "mode": "keyword"},
    {"name": "board", "where": ["topic=work"]},
]
WITH_ANSWERS: dict[str, Any] = asking(TABLE, answers=True, configurations=WAYS, metrics=["rr"])


async def test_answers_are_measured_as_on_the_command_line(open_town: Opener, tmp_path: Path) -> None:
    async with open_town(**NEAR) as town, town.client() as client:
        told = await finished(client, await client.post(EVALUATIONS, json=WITH_ANSWERS))
        page = (await client.get(f"{EVALUATIONS}/{told['evaluation']['evaluation_id']}/page")).text
        kb = town.spaces._spaces["hr"].kb
        given = await alone(kb, tmp_path / "q.csv")
    evaluation, (line, narrow) = told["evaluation"], told["report"]["answers"]
    assert (evaluation["answers"], evaluation["asked"], evaluation["expected"]) == (True, 15, 15)
    assert line["configurations"] == ["hybrid", "keyword"]  # the mode is that of searches
    assert narrow["configurations"] == ["board"]
    assert {mean["metric"]: mean["mean"] for mean in line["means"]} == given
    assert given["answer_match"] == pytest.approx(2 / 3)
    assert narrow["beside"]["found_and_answered"]["mean"] == 0.0
    assert line["beside"] == {}
    assert line["p50_s"] > 0
    assert (line["calls"], line["errors"]) == (0, 0)
    assert line["graded_by"].startswith("nearness")
    assert "What the answers are worth" in page
    assert "hybrid, keyword" in page


async def alone(kb: AsyncRove, table: Path) -> dict[str, float | None]:
    """The means of the metrics as `rove eval --answers` works them out."""
    await asyncio.to_thread(table.write_text, TABLE, "utf-8")
    dataset = resolve(read_dataset(table), await kb.documents())
    found: dict[str, AnswerOutcome] = {}

    def keep(outcomes: Sequence[AnswerOutcome]) -> None:
        found.update((outcome.question, outcome) for outcome in outcomes)

    lab = Lab(AsyncRove(kb.settings, Instances(embedder=kb.embedder)), under=kb.settings)
    await answer_all(lab, [Way("one", Configuration("one"))], dataset, (), keep)
    await lab.close()
    scores = answered(found, dataset).scores
    return {metric: scores.mean(metric) for metric in scores.values}


async def test_the_chat_model_is_told_of_and_the_base_is_left_as_it_is(open_town: Opener) -> None:
    """And nothing that an evaluation asks is suggested to others."""
    tables: dict[str, Any] = {"chat": {"model": "fake"}, "question": {"log": True}, **NEAR}
    async with open_town(holders={"root": HOLDER}, **tables) as town, town.client() as client:
        body = asking(TABLE, answers=True, metrics=["rr"])
        told = await finished(client, await client.post(EVALUATIONS, json=body))
        numbers = (await client.get("/metrics")).text
        kb = town.spaces._spaces["hr"].kb
        assert QuestionLog(kb.store.catalog.database).frequent(most=5) == []
    (line,) = told["report"]["answers"]
    assert line["calls"] >= 3
    assert line["tokens_read"] > 0
    assert line["judge_calls"] > 0
    assert line["graded_by"] == "fake"
    read, written = re.findall(r"rove_chat_tokens_total{.*} ([\d.]+)", numbers)
    assert float(read) + float(written) == line["tokens_read"] + line["tokens_written"] + line["judge_tokens"]


async def test_without_them_nothing_is_answered(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Lab, "answer", None)
    async with town.client() as client:
        told = await finished(client, await client.post(EVALUATIONS, json=asking()))
    assert told["evaluation"]["state"] == "done"
    assert told["report"]["answers"] == []


async def test_a_restart_answers_nothing_twice(open_town: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, given, gate = Lab.answer, [], asyncio.Event()

    async def held(self: Lab, question: str, way: Configuration) -> tuple[Answer, float]:
        if len(given) == 2:
            await gate.wait()
        given.append(question)
        return await answer(self, question, way)

    monkeypatch.setattr(Lab, "answer", held)
    body = asking(TABLE, answers=True, metrics=["rr"])
    async with open_town() as town, town.client() as client:
        started = (await client.post(EVALUATIONS, json=body)).json()["evaluation_id"]
        await until(town, started, asked=5)
        running = (await client.get(f"{EVALUATIONS}/{started}")).json()["evaluation"]
        assert (running["state"], running["asked"], running["expected"]) == ("answering", 5, 6)
        await town.spaces._spaces["hr"].evaluations.stop()
    gate.set()
    async with open_town(filled=False) as again, again.client() as client:
        await client.get(f"{EVALUATIONS}/{started}/events")
        told = (await client.get(f"{EVALUATIONS}/{started}")).json()
    assert (told["evaluation"]["state"], told["evaluation"]["starts"]) == ("done", 2)
    assert given == [line.split(",")[1] for line in TABLE.splitlines()[1:]]


async def test_it_can_be_cancelled_amid_an_answer(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    reached, left = asyncio.Event(), asyncio.Event()

    async def held(*_: object) -> None:
        reached.set()
        try:
            await asyncio.Event().wait()
        finally:
            left.set()

    monkeypatch.setattr(Lab, "answer", held)
    async with town.client() as client:
        started = (await client.post(EVALUATIONS, json=WITH_ANSWERS)).json()["evaluation_id"]
        await asyncio.wait_for(reached.wait(), 30)
        assert (await client.post(f"{EVALUATIONS}/{started}/cancel")).status_code == 204
        assert left.is_set()
        told = (await client.get(f"{EVALUATIONS}/{started}")).json()["evaluation"]
    assert told["state"] == "cancelled"

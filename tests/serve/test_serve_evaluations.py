"""Evaluations over HTTP: begun, watched, cancelled, cut off and taken up, kept and deleted; for administrators."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest

from rove.engine import AsyncRove
from rove.records import Hit, Text
from serve.conftest import Opener, Town, hold

EVALUATIONS = "/v1/spaces/hr/evaluations"
TABLE = (
    "id,question,source\n"
    "q1,Who approves remote work within five days?,policy\n"
    "q2,Who approves the merger with Nordwind?,merger\n"
    "q3,Wer genehmigt den Urlaub?,urlaub\n"
    "q4,Which zebra sleeps at noon?,urlaub\n"
)


def asking(text: str = TABLE, name: str = "my questions.csv", **more: Any) -> dict[str, Any]:
    return {"table": {"name": name, "text": text}, **more}


def folder(town: Town) -> Path:
    return town.spaces._spaces["hr"].kb.settings.path / "evaluations"


async def finished(client: httpx.AsyncClient, reply: httpx.Response) -> dict[str, Any]:
    assert reply.status_code == 202, reply.text
    evaluation_id = reply.json()["evaluation_id"]
    assert (await client.get(f"{EVALUATIONS}/{evaluation_id}/events")).status_code == 200
    return (await client.get(f"{EVALUATIONS}/{evaluation_id}")).json()


async def until(town: Town, evaluation_id: str, asked: int) -> None:
    async for now in (await town.spaces._spaces["hr"].evaluations.get(evaluation_id)).watch():
        if now.record.asked >= asked:
            return


async def test_a_table_is_asked_in_two_ways_and_the_report_is_kept(town: Town) -> None:
    ways = [{"name": "keyword", "mode": "keyword"}, {"name": "rrf", "search": {"fusion": "rrf"}, "top_k": 5}]
    body = asking(configurations=ways, metrics=["rr", "hit@1"])
    async with town.client() as client:
        told = await finished(client, await client.post(EVALUATIONS, json=body))
        evaluation, report = told["evaluation"], told["report"]
        assert (evaluation["state"], evaluation["name"], evaluation["by"]) == ("done", "my questions", "root")
        assert (evaluation["questions"], evaluation["asked"], evaluation["expected"]) == (4, 8, 8)
        rows = {row["configuration"]["name"]: row for row in report["rows"]}
        assert (report["baseline"], report["documents"], set(rows)) == ("keyword", 3, {"keyword", "rrf"})
        means = {mean["metric"]: mean for mean in rows["keyword"]["means"]}
        assert means["hit@1"]["mean"] == 0.75  # no word of q4 stands in any document
        assert 0 <= means["hit@1"]["low"] < 0.75 < means["hit@1"]["high"] <= 1
        assert (means["hit@1"]["scored"], means["hit@1"]["asked"]) == (4, 4)
        assert set(rows["rrf"]["beside"]) == {"rr", "hit@1"}
        assert rows["keyword"]["beside"] == {}
        worst = report["worst"][0]
        assert (worst["question_id"], worst["expected"], set(worst["values"])) == ("q4", ["Urlaub"], {"keyword", "rrf"})
        assert evaluation["headline"] == rows[evaluation["best"]]["means"]
        listed = (await client.get(EVALUATIONS)).json()["evaluations"]
        assert [one["evaluation_id"] for one in listed] == [evaluation["evaluation_id"]]
        page = await client.get(f"{EVALUATIONS}/{evaluation['evaluation_id']}/page")
        assert page.headers["content-disposition"].startswith("attachment")
        assert page.headers["x-content-type-options"] == "nosniff"
        assert "<h1>my questions</h1>" in page.text
        assert str(folder(town).parent) not in page.text + json.dumps(told)
        assert (await client.delete(f"{EVALUATIONS}/{evaluation['evaluation_id']}")).status_code == 204
        assert (await client.get(f"{EVALUATIONS}/{evaluation['evaluation_id']}")).status_code == 404
        assert list(folder(town).iterdir()) == []


async def test_similarity_is_measured_over_http_too(town: Town) -> None:
    ways = [{"name": "keyword", "mode": "keyword"}, {"name": "semantic", "mode": "semantic"}]
    async with town.client() as client:
        body = asking(configurations=ways, metrics=["similarity", "similarity_best@1"])
        told = await finished(client, await client.post(EVALUATIONS, json=body))
    rows = {row["configuration"]["name"]: row for row in told["report"]["rows"]}
    for mean in rows["semantic"]["means"]:
        assert (mean["scored"], mean["asked"]) == (4, 4)
        assert -1 <= mean["mean"] <= 1 + 1e-6
    assert rows["keyword"]["means"][0]["scored"] == 3  # no word of q4 stands in any document


async def test_of_equals_the_baseline_is_the_best(town: Town) -> None:
    """The second is as good and quicker: that makes nothing better of it."""
    table = "question,source\nWho approves remote work within five days?,policy\n"
    ways = [{"name": "hybrid"}, {"name": "keyword", "mode": "keyword"}]
    async with town.client() as client:
        told = await finished(client, await client.post(EVALUATIONS, json=asking(table, configurations=ways)))
        page = await client.get(f"{EVALUATIONS}/{told['evaluation']['evaluation_id']}/page")
    assert told["evaluation"]["best"] == "hybrid"
    assert told["report"]["worst"] == []
    assert "No configuration has a higher ndcg@10 than the baseline" in page.text


async def test_what_it_reports_is_what_the_base_finds(town: Town) -> None:
    """And the base is left as it is: its own searches do not go through the lab's memory."""
    base = town.spaces._spaces["hr"].kb
    store, embedder = base.store, base.embedder
    async with town.client() as client:
        told = await finished(client, await client.post(EVALUATIONS, json=asking(metrics=["rr"])))
        question = told["report"]["worst"][0]
        hits = (await client.post("/v1/spaces/hr/search", json={"question": question["question"]})).json()["hits"]
        ranked = list(dict.fromkeys(hit["document_id"] for hit in hits))
    assert [found["document_id"] for found in question["found"]] == ranked[:3]
    assert (base.store, base.embedder) == (store, embedder)


async def test_questions_are_made_from_the_documents(town: Town) -> None:
    await town.spaces._spaces["hr"].kb.add(
        Text("# Canteen\n\nIt opens at noon.\n\n# Bicycles\n\nThey stand outside.", id="house", kind="markdown")
    )
    body = {"make": {"count": 5}, "metrics": ["rr", "span_recall@5"]}
    async with town.client(accept="text/event-stream") as client:
        reply = await client.post(EVALUATIONS, json=body)
    told = [json.loads(line[6:]) for line in reply.text.splitlines() if line.startswith("data: ")]
    assert (reply.status_code, told[-1]["state"], told[-1]["name"]) == (202, "done", "")
    assert told[-1]["questions"] >= 2
    async with town.client() as client:
        page = await client.get(f"{EVALUATIONS}/{told[-1]['evaluation_id']}/page")
    assert "<h1>Questions made from the documents</h1>" in page.text
    assert {mean["metric"]: mean["scored"] for mean in told[-1]["headline"]}["span_recall@5"] == told[-1]["questions"]


async def test_one_at_a_time_and_it_can_be_cancelled(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    hold(monkeypatch, after=3)
    async with town.client() as client:
        first = (await client.post(EVALUATIONS, json=asking())).json()["evaluation_id"]
        second = await client.post(EVALUATIONS, json=asking())
        assert second.status_code == 429
        assert int(second.headers["retry-after"]) >= 5
        assert "cancel" in second.json()["cure"]
        watching = asyncio.create_task(client.get(f"{EVALUATIONS}/{first}/events"))
        await asyncio.sleep(0.1)
        assert (await client.post(f"{EVALUATIONS}/{first}/cancel")).status_code == 204
        assert '"state":"cancelled"' in (await watching).text
        told = (await client.get(f"{EVALUATIONS}/{first}")).json()
        assert (told["evaluation"]["state"], told["report"]) == ("cancelled", None)
        assert (await client.get(f"{EVALUATIONS}/{first}/page")).status_code == 404
        third = (await client.post(EVALUATIONS, json=asking())).json()["evaluation_id"]
        assert (await client.delete(f"{EVALUATIONS}/{third}")).status_code == 204
        assert [path.name for path in folder(town).iterdir()] == [first]


async def test_a_restart_takes_up_what_was_cut_off(open_town: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was asked before is not asked again."""
    async with open_town() as town, town.client() as client:
        with monkeypatch.context() as patched:
            hold(patched, after=3)  # the first only warms up
            monkeypatch.setattr("rove.evaluate.ask_all.KEEP_EVERY_S", 0.0)
            started = (await client.post(EVALUATIONS, json=asking(metrics=["rr"]))).json()["evaluation_id"]
            await until(town, started, asked=2)
            await town.spaces._spaces["hr"].evaluations.stop()
    asked: list[str] = []
    search = AsyncRove.search

    async def noted(self: AsyncRove, question: str, **more: Any) -> list[Hit]:
        asked.append(question)
        return await search(self, question, **more)

    monkeypatch.setattr(AsyncRove, "search", noted)
    async with open_town(filled=False) as again, again.client() as client:
        await client.get(f"{EVALUATIONS}/{started}/events")
        told = (await client.get(f"{EVALUATIONS}/{started}")).json()
    assert (told["evaluation"]["state"], told["evaluation"]["starts"]) == ("done", 2)
    assert asked[1:] == ["Wer genehmigt den Urlaub?", "Which zebra sleeps at noon?"]
    assert told["report"]["questions"] == 4


async def test_what_is_cut_off_again_and_again_is_given_up(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    hold(monkeypatch, after=0)
    evaluations = town.spaces._spaces["hr"].evaluations
    async with town.client() as client:
        started = (await client.post(EVALUATIONS, json=asking())).json()["evaluation_id"]
        for _ in range(3):
            await evaluations.stop()
            evaluations.start()
        told = (await client.get(f"{EVALUATIONS}/{started}")).json()["evaluation"]
        assert (told["state"], told["reason"]) == ("failed", "It was cut off 3 times.")
        assert (await client.post(EVALUATIONS, json=asking())).status_code == 202


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (asking("question,source\nWho?,nobody.md\n"), 202, "no document of the base is named 'nobody.md'"),
        (asking("no header\nhere\n"), 400, "'question' or 'text' is missing"),
        (asking("question,source\n"), 400, "questions.csv: it holds no question"),
        (asking("not json", "q.jsonl"), 400, "questions.jsonl:1: this line is not JSON"),
        (asking("[" * 100_000, "q.jsonl"), 400, "not JSON"),
        (asking('{"question": "\\ud800?", "source": "policy"}', "q.jsonl"), 400, "this line is not JSON"),
        (asking(f"question,source,start,end\nWho?,policy,{'1' * 5000},{'2' * 5000}\n"), 400, "no span"),
        (asking("question,source\n" + "Who?,policy\n" * 11), 413, "10 are asked at most"),
        (asking(f"question,source\n{'x' * 5000},policy\n"), 413, "5000 characters"),
        (asking(name="q.exe"), 422, "pattern"),
        (asking(metrics=["rr@0"]), 422, "valid cut"),
        (asking(configurations=[{"mode": "none"}]), 422, "there is no mode"),
        (asking(configurations=[{"search": {"top_q": 1}}]), 422, "top_q"),
        (asking(configurations=[{"chat": {"base_url": "http://evil.example"}}]), 422, "Extra inputs"),
        (asking(configurations=[{}, {}]), 422, "same name"),
        ({"metrics": ["rr"]}, 422, "either table or make"),
        (asking(make={"count": 3}), 422, "either table or make"),
    ],
)
async def test_what_cannot_be_run_says_why(open_town: Opener, body: Any, status: int, words: str) -> None:
    async with open_town(serve={"max_eval_questions": 10}) as town, town.client() as client:
        reply = await client.post(EVALUATIONS, json=body)
        assert reply.status_code == status, reply.text
        text = reply.text
        if status == 202:
            told = await finished(client, reply)
            assert told["evaluation"]["state"] == "failed"
            text = told["evaluation"]["reason"]
        assert words in text
        assert str(folder(town).parent) not in text
        again = await client.post(EVALUATIONS, json=asking())
        assert again.status_code == 202, again.text


async def test_a_server_starts_without_the_lab_whatever_was_evaluated_before(open_town: Opener) -> None:
    """It is loaded with the first evaluation that is run, but for how far reviewers agree, which is small."""
    async with open_town() as town, town.client() as client:
        await finished(client, await client.post(EVALUATIONS, json=asking(configurations=[{"mode": "keyword"}])))
        base = folder(town).parent
    code = (
        "import sys, pathlib, rove.serve.run; from rove.serve.evaluations.folders import EvaluationFolders\n"
        "(record,) = EvaluationFolders(pathlib.Path(sys.argv[1])).records()\n"
        "small = {'rove.evaluate', 'rove.evaluate.agreement', 'rove.evaluate.labels'}\n"
        "print(record.state, *(one for one in sys.modules if one.startswith('rove.evaluate') and one not in small))"
    )
    command = [sys.executable, "-c", code, str(base)]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["done"]


async def test_only_administrators_measure(town: Town) -> None:
    """A key with labels cannot be one: what an evaluation says of the base would tell of documents it may not see."""
    async with town.client() as root, town.client("lara") as lara:
        told = await finished(root, await root.post(EVALUATIONS, json=asking()))
        one = f"{EVALUATIONS}/{told['evaluation']['evaluation_id']}"
        assert (await lara.post(EVALUATIONS, json=asking())).status_code == 403
        for path in (EVALUATIONS, one, f"{one}/events", f"{one}/page"):
            assert (await lara.get(path)).status_code == 403
        assert (await lara.delete(one)).status_code == 403
        assert (await root.get(f"{EVALUATIONS}/../evaluations")).status_code in {200, 404}
        for wrong in ("..%2f..%2fhr", "0" * 16, "x"):
            assert (await root.get(f"{EVALUATIONS}/{wrong}")).status_code == 404

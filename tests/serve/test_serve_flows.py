"""Flows over HTTP: only those of the owner's folder, within the caller's labels, and nothing that changes anything."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from flow.outside import shop
from rove.flow import read_flow
from rove.records import Text
from serve.conftest import PUBLIC, SECRET, Opener

FLOWS = "/v1/spaces/hr/flows"
QUESTION = "What is approved by the head of unit?"
HITS = """
[steps.found]
use = "search"
question = "$input.question"
mode = "keyword"
[output]
hits = "$found"
first = "$found.0"
titles = "$found.title"
many = "$found.score"
"""
WAITS = '[steps.said]\nuse = "human"\nquestion = "$input.question"\n[output]\nsaid = "$said"\n'
TOO_MUCH = '[steps.known]\nuse = "understand"\nquestion = "$input.question"\n[output]\nknown = "$known"\n'


def run_of(name: str) -> str:
    return f"{FLOWS}/{name}/run"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "flows"
    made.mkdir()
    for name in ("simple", "parallel", "ingest", "walk"):
        (made / f"{name}.toml").write_text(read_flow(name).text)
    for name, text in (("hits", HITS), ("waits", WAITS), ("known", TOO_MUCH), ("wrong", "steps = 1")):
        (made / f"{name}.toml").write_text(text)
    return made


async def test_only_what_changes_nothing_is_served_and_only_to_who_may_read(open_town: Opener, folder: Path) -> None:
    async with open_town(serve={"flows": str(folder)}) as town:
        async with town.client("anna") as client:
            flows = (await client.get(FLOWS)).json()
            assert [flow["name"] for flow in flows] == ["hits", "known", "parallel", "simple", "waits"]
            assert flows[2]["input"] == {"question": "string", "top_k": "integer"}
            for name in ("ingest", "walk", "wrong", "..%2Fflows%2Fsimple", "gather"):
                reply = await client.post(f"{FLOWS}/{name}/run", json={"given": {"question": "x"}})
                assert reply.status_code == 404, name
        async with town.client("nobody") as client:
            assert (await client.get(FLOWS)).status_code == 403
            assert (await client.post(run_of("simple"), json={"given": {"question": "x"}})).status_code == 403
    async with open_town(filled=False, serve={"flows": ""}) as town, town.client("anna") as client:
        assert (await client.get(FLOWS)).json() == []


async def test_a_key_with_labels_opens_no_database_by_a_flow(open_town: Opener, folder: Path) -> None:
    (folder / "database-first.toml").write_text(read_flow("database-first").text)
    databases = {"shop": {"url": shop(folder.parent)}}
    given = {"given": {"question": "How many customers are from Wien?"}}
    async with open_town(serve={"flows": str(folder)}, databases=databases) as town:
        async with town.client("root") as client:
            output = (await client.post(run_of("database-first"), json=given)).json()["output"]
            assert (output["text"], output["rows"], output["answer"]) == ("number: 2.", [["2"]], None)
            wrong = {"given": {**given["given"], "database": "shpo"}}
            assert (await client.post(run_of("database-first"), json=wrong)).status_code == 400
        async with town.client("lara") as client:
            reply = await client.post(run_of("database-first"), json=given)
            assert reply.status_code == 403
            assert "number: 2." not in reply.text


async def test_each_key_gets_what_its_documents_say(open_town: Opener, folder: Path) -> None:
    async with open_town(serve={"flows": str(folder)}) as town:
        for holder, sees in (("root", True), ("mira", True), ("lara", False)):
            async with town.client(holder) as client:
                for name in ("simple", "parallel", "hits"):
                    reply = await client.post(f"{FLOWS}/{name}/run", json={"given": {"question": QUESTION}})
                    assert reply.status_code == 200, reply.text
                    assert (SECRET[:20] in reply.text or "Nordwind" in reply.text) <= sees, (holder, name)
                asked = await client.post("/v1/spaces/hr/ask", json={"question": QUESTION})
                flow = await client.post(run_of("simple"), json={"given": {"question": QUESTION}})
                assert flow.json()["output"]["answer"] == asked.json()
        async with town.client("root") as client:
            body: dict[str, Any] = {"given": {"question": QUESTION}}
            output = (await client.post(run_of("hits"), json=body)).json()["output"]
            assert output["first"] == output["hits"][0]
            assert set(output["titles"]) == {"Policy", "Nordwind"}
            body["where"] = {"field": "topic", "op": "==", "value": "play"}
            output = (await client.post(run_of("hits"), json=body)).json()["output"]
            assert output == {"hits": [], "first": None, "titles": [], "many": []}


async def test_what_is_wrong_is_refused(open_town: Opener, folder: Path) -> None:
    async with open_town(serve={"flows": str(folder)}) as town, town.client("anna") as client:
        for name, given in (("simple", {}), ("simple", {"qestion": "x"}), ("waits", {"question": "x"})):
            reply = await client.post(f"{FLOWS}/{name}/run", json={"given": given})
            assert reply.status_code == 400, reply.text
        assert (await client.post(run_of("simple"), json={"given": {"question": "x" * 5_000}})).status_code == 413
        reply = await client.post(run_of("known"), json={"given": {"question": "x"}})
        assert reply.status_code >= 400
        assert "Understood" in reply.text


async def test_a_run_is_streamed_step_by_step(open_town: Opener, folder: Path) -> None:
    async with open_town(serve={"flows": str(folder)}) as town, town.client("anna") as client:
        body = {"given": {"question": QUESTION}, "stream": True}
        text = (await client.post(run_of("simple"), json=body)).text
        told = [block.split("\n") for block in text.strip().split("\n\n") if block.startswith("event")]
        steps = [json.loads(data.removeprefix("data: ")) for name, data in told if name == "event: step"]
        assert [step["key"] for step in steps if step["state"] == "finished"][:2] == ["understood", "reply"]
        assert told[-1][0] == "event: output"
        plain = await client.post(run_of("simple"), json={**body, "stream": False})
        assert json.loads(told[-1][1].removeprefix("data: ")) == plain.json()


APPROVED = """
[steps.found]
use = "search"
question = "$input.question"
mode = "keyword"
[steps.said]
use = "human"
question = "Is that it?"
options = ["yes", "no"]
[output]
said = "$said"
hits = "$found"
"""
RUNS = f"{FLOWS}/runs"
KEPT: dict[str, Any] = {"given": {"question": QUESTION}, "keep": True}


async def test_a_run_that_waits_is_kept_resumed_and_forgotten(open_town: Opener, folder: Path) -> None:
    (folder / "approved.toml").write_text(APPROVED)
    async with open_town(serve={"flows": str(folder)}) as town, town.client("lara") as client:
        begun = (await client.post(run_of("approved"), json=KEPT)).json()
        assert (begun["status"], begun["output"]) == ("waiting", {})
        assert begun["waiting"] == [{"key": "said", "question": "Is that it?", "options": ["yes", "no"]}]
        (listed,) = (await client.get(RUNS)).json()
        assert (listed["run_id"], listed["flow"], listed["status"]) == (begun["run_id"], "approved", "waiting")
        assert listed["waiting"] == ["Is that it?"]
        resumed = f"{RUNS}/{begun['run_id']}/resume"
        wrong = await client.post(resumed, json={"replies": {"sayd": "yes"}})
        assert (wrong.status_code, "sayd" in wrong.text) == (400, True)
        done = (await client.post(resumed, json={"replies": {"said": "yes"}})).json()
        assert (done["status"], done["output"]["said"]) == ("done", "yes")
        assert [hit["document_id"] for hit in done["output"]["hits"]] == ["policy"]  # within her labels
        assert (await client.post(resumed, json={})).status_code == 400  # it is done
        assert (await client.delete(f"{RUNS}/{begun['run_id']}")).status_code == 204
        assert (await client.get(RUNS)).json() == []
        assert (await client.delete(f"{RUNS}/{begun['run_id']}")).status_code == 404


async def test_a_run_is_its_callers_and_the_administrators(open_town: Opener, folder: Path) -> None:
    async with open_town(serve={"flows": str(folder)}) as town:
        async with town.client("mira") as client:
            run_id = (await client.post(run_of("waits"), json=KEPT)).json()["run_id"]
        for holder in ("anna", "lara", "otto", "nobody"):
            async with town.client(holder) as client:
                listed = await client.get(RUNS)
                assert listed.status_code in {403, 404} or listed.json() == [], holder
                for reply in (
                    await client.post(f"{RUNS}/{run_id}/resume", json={"replies": {"said": "x"}}),
                    await client.delete(f"{RUNS}/{run_id}"),
                ):
                    assert reply.status_code in {403, 404}, holder
        async with town.client("root") as client:
            assert [one["run_id"] for one in (await client.get(RUNS)).json()] == [run_id]
            body = {"replies": {"said": "x"}, "stream": True}
            text = (await client.post(f"{RUNS}/{run_id}/resume", json=body)).text
            assert '"status":"done"' in text
            assert '"said":"x"' in text


async def test_nothing_is_kept_unless_it_is_asked_for_and_a_flow_that_is_gone_is_not_resumed(
    open_town: Opener, folder: Path
) -> None:
    async with open_town(serve={"flows": str(folder)}) as town, town.client("anna") as client:
        once = (await client.post(run_of("hits"), json={"given": {"question": QUESTION}})).json()
        assert (once["run_id"], once["status"], (await client.get(RUNS)).json()) == ("", "done", [])
        run_id = (await client.post(run_of("waits"), json=KEPT)).json()["run_id"]
        (folder / "waits.toml").unlink()
        gone = await client.post(f"{RUNS}/{run_id}/resume", json={"replies": {"said": "x"}})
        assert (gone.status_code, "no longer served" in gone.text) == (404, True)
        assert (await client.delete(f"{RUNS}/{run_id}")).status_code == 204


async def test_a_kept_run_does_not_tell_what_its_caller_may_no_longer_see(open_town: Opener, folder: Path) -> None:
    (folder / "approved.toml").write_text(APPROVED)
    async with open_town(serve={"flows": str(folder)}) as town, town.client("lara") as client:
        run_id = (await client.post(run_of("approved"), json=KEPT)).json()["run_id"]
        kb = town.spaces.view("hr", town.caller("root")).kb
        await kb.add(Text(PUBLIC, id="policy", title="Policy", metadata={"access": ("board",), "topic": "work"}))
        done = await client.post(f"{RUNS}/{run_id}/resume", json={"replies": {"said": "yes"}})
        assert done.status_code == 400, done.text
        assert "changed" in done.text
        assert "five days" not in done.text


async def test_a_flow_is_told_with_its_inputs_and_its_graph(open_town: Opener, folder: Path) -> None:
    (folder / "ask-again.toml").write_text(read_flow("ask-again").text)
    async with open_town(filled=False, serve={"flows": str(folder)}) as town, town.client("anna") as client:
        flows = {flow["name"]: flow for flow in (await client.get(FLOWS)).json()}
        parallel = {step["name"]: step for step in flows["parallel"]["steps"]}
        assert [parallel[name]["row"] for name in ("by_words", "by_meaning", "by_names", "fused")] == [0, 0, 0, 1]
        assert parallel["fused"]["before"] == ["by_meaning", "by_names", "by_words"]
        assert (parallel["fused"]["use"], bool(parallel["fused"]["about"])) == ("fuse", True)
        question, top_k = flows["parallel"]["inputs"]
        assert (question["required"], top_k["required"]) == (True, False)
        assert (top_k["default"], top_k["type"]) == (20, "integer")
        again = {step["name"]: step for step in flows["ask-again"]["steps"]}
        assert (again["found"]["loop"], again["found"]["back"]) == ("again", ["wording"])
        assert again["wording"]["when"] == "not found.verdict.passes"
        assert flows["ask-again"]["loops"] == [{"name": "again", "at_most": 3, "until": "found.verdict.passes"}]


async def test_a_kept_run_is_told_step_by_step_to_its_caller_alone(open_town: Opener, folder: Path) -> None:
    (folder / "approved.toml").write_text(APPROVED)
    async with open_town(serve={"flows": str(folder)}) as town, town.client("lara") as client:
        text = (await client.post(run_of("approved"), json={**KEPT, "stream": True})).text
        assert text.startswith("event: run\n")
        run_id = json.loads(text.split("\n")[1].removeprefix("data: "))["run_id"]
        told = (await client.get(f"{RUNS}/{run_id}")).json()
        assert (told["status"], told["output"], told["note"]) == ("waiting", {}, "")
        assert told["waiting"] == [{"key": "said", "question": "Is that it?", "options": ["yes", "no"]}]
        assert [step["name"] for step in told["flow"]["steps"]] == ["found", "said"]
        (found,) = told["steps"]
        assert (found["key"], found["state"]) == ("found", "finished")
        assert [hit["document_id"] for hit in found["output"]] == ["policy"]
        assert told["given"] == {"question": QUESTION}
        done = (await client.post(f"{RUNS}/{run_id}/resume", json={"replies": {"said": "yes"}})).json()
        assert (await client.get(f"{RUNS}/{run_id}")).json()["output"] == done["output"]
        for holder in ("anna", "mira", "otto"):
            async with town.client(holder) as other:
                assert (await other.get(f"{RUNS}/{run_id}")).status_code in {403, 404}, holder
        async with town.client("root") as admin:
            assert (await admin.get(f"{RUNS}/{run_id}")).json()["output"] == done["output"]
        kb = town.spaces.view("hr", town.caller("root")).kb
        await kb.add(Text(PUBLIC, id="policy", title="Policy", metadata={"access": ("board",), "topic": "work"}))
        hidden = await client.get(f"{RUNS}/{run_id}")
        assert "changed" in hidden.json()["note"]
        assert "five days" not in hidden.text


async def test_what_each_kind_of_step_gave_is_told_without_places(open_town: Opener, folder: Path) -> None:
    (folder / "database-first.toml").write_text(read_flow("database-first").text)
    databases = {"shop": {"url": shop(folder.parent)}}
    async with open_town(serve={"flows": str(folder)}, databases=databases) as town, town.client("root") as client:
        for name, question in (("database-first", "How many customers are from Wien?"), ("simple", QUESTION)):
            begun = await client.post(run_of(name), json={"given": {"question": question}, "keep": True})
            reply = await client.get(f"{RUNS}/{begun.json()['run_id']}")
            assert reply.status_code == 200, reply.text
            assert str(folder.parent) not in reply.text
            told = {step["key"]: step["output"] for step in reply.json()["steps"]}
            if name == "simple":
                assert told["understood"]["standalone"] == QUESTION
            else:
                assert any(output and output.get("rows") == [["2"]] for output in told.values())

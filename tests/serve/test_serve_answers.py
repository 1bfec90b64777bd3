"""Searching and asking: filters as JSON, answers in one piece and as events, clients that leave, models that fail."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

import openai_server
from rove.records.filter import All, Compare, Filter, Not
from rove.records.filter import Any as AnyOf
from rove.serve.questions.filters import FilterIn, compiled
from rove.serve.redaction import public_source
from serve.conftest import PUBLIC, Opener, Town, listening

SEARCH, ASK = "/v1/spaces/hr/search", "/v1/spaces/hr/ask"
QUESTION = {"question": "Who approves remote work?"}
adapter: TypeAdapter[Any] = TypeAdapter(FilterIn)
scalars = st.one_of(st.text(max_size=5), st.integers(-9, 9), st.booleans(), st.floats(-9, 9))


def read(tree: object) -> Filter | None:
    return compiled(adapter.validate_python(tree))


def written(node: Filter) -> dict[str, Any]:
    match node:
        case All(parts):
            return {"and": [written(part) for part in parts]}
        case AnyOf(parts):
            return {"or": [written(part) for part in parts]}
        case Not(part):
            return {"not": written(part)}
        case Compare(name, op, value):
            return {"field": name, "op": op, "value": list(value) if isinstance(value, tuple) else value}
    raise AssertionError


leaves = st.one_of(
    st.builds(Compare, st.text(min_size=1, max_size=5), st.sampled_from(["==", ">", ">=", "<", "<="]), scalars),
    st.builds(Compare, st.text(min_size=1, max_size=5), st.just("in"), st.lists(scalars, max_size=3).map(tuple)),
    st.builds(Compare, st.text(min_size=1, max_size=5), st.just("exists"), st.just(True)),  # noqa: FBT003
)
trees = st.recursive(
    leaves,
    lambda below: st.one_of(
        st.lists(below, max_size=3).map(lambda parts: All(tuple(parts))),
        st.lists(below, max_size=3).map(lambda parts: AnyOf(tuple(parts))),
        below.map(Not),
    ),
    max_leaves=8,
)


def deep(tree: Filter) -> Iterator[int]:
    match tree:
        case All(parts) | AnyOf(parts):
            yield from (1 + depth for part in parts for depth in deep(part))
        case Not(part):
            yield from (1 + depth for depth in deep(part))
        case _:
            pass
    yield 1


async def test_a_search_by_the_least_score_and_by_questions(open_town: Opener) -> None:
    async with open_town() as town, town.client("root") as client:
        hits = (await client.post(SEARCH, json={**QUESTION, "mode": "keyword"})).json()["hits"]
        least = {**QUESTION, "mode": "keyword", "min_score": hits[0]["score"]}
        assert (await client.post(SEARCH, json=least)).json()["hits"] == hits[:1]
        kb = town.spaces._spaces["hr"].kb
        span = (0, len(await kb.text("policy")))
        await kb.keep_question("Who signs it?", "policy", span)
        asked = {"question": "who signs it", "mode": "questions"}
        (hit,) = (await client.post(SEARCH, json=asked)).json()["hits"]
        assert (hit["question"], hit["span"], hit["score"]) == ("Who signs it?", list(span), 1.0)
        assert (await client.post(SEARCH, json={**asked, "min_score": "x"})).status_code == 422


@given(trees)
def test_a_filter_comes_through_as_it_was(tree: Filter) -> None:
    if max(deep(tree)) < 12:
        assert read(json.loads(json.dumps(written(tree)))) == tree


@pytest.mark.parametrize(
    "tree",
    [
        "topic == 'hr'",
        {},
        {"field": "a"},
        {"field": "a", "op": "=", "value": 1},
        {"field": "a", "op": "==", "value": None},
        {"field": "a", "op": "==", "value": {"$ne": 1}},
        {"field": "a", "op": "==", "value": [1]},
        {"field": "a", "op": "in", "value": 1},
        {"field": "a", "op": "==", "value": 1, "or": []},
        {"and": [{"field": "a", "op": "==", "value": 1}] * 201},
        {"and": {"field": "a"}},
        json.loads('{"not":' * 13 + '{"and":[]}' + "}" * 13),
        {"field": "a", "op": "==", "value": "x" * 1_001},
    ],
)
async def test_a_wrong_filter_is_refused_and_never_ignored(town: Town, tree: object) -> None:
    async with town.client("anna") as client:
        reply = await client.post(SEARCH, json={**QUESTION, "where": tree})
    assert reply.status_code == 422, reply.text
    assert reply.json()["reasons"]


async def test_a_tree_of_any_depth_does_no_harm(town: Town) -> None:
    async with town.client("anna") as client:
        content = '{"question":"x","where":' + '{"not":' * 50_000 + "1" + "}" * 50_001
        reply = await client.post(SEARCH, content=content, headers={"content-type": "application/json"})
    assert reply.status_code in {400, 422}
    with pytest.raises(ValidationError):
        adapter.validate_python({"and": [{"or": []}] * 1_000})


@pytest.mark.parametrize("holder", ["root", "lara"])
async def test_a_field_that_nothing_has_is_noted(town: Town, holder: str) -> None:
    where = {"and": [{"field": "topci", "op": "==", "value": "work"}, {"not": {"field": "topic", "op": "exists"}}]}
    said = "No document has a field 'topci'. Did you mean 'topic'?"
    async with town.client(holder) as client:
        assert (await client.post(SEARCH, json={**QUESTION, "where": where})).json() == {"hits": [], "notes": [said]}
        assert said in (await client.post(ASK, json={**QUESTION, "where": where})).json()["note"]
        known = (await client.post(SEARCH, json={**QUESTION, "where": where["and"][1]})).json()
        assert known["notes"] == []


async def test_hits_say_where_they_stand(town: Town) -> None:
    async with town.client("anna") as client:
        hit = (await client.post(SEARCH, json={**QUESTION, "top_k": 1})).json()["hits"][0]
        text = await client.get("/v1/spaces/hr/text", params={"document_id": hit["document_id"]})
        start, end = hit["span"]
        assert text.json()["text"][start:end] == hit["text"] == PUBLIC
        part = await client.get("/v1/spaces/hr/text", params={"document_id": hit["document_id"], "start": 7, "end": 11})
        assert (part.json()["text"], part.json()["span"]) == ("work", [7, 11])
        unknown = await client.post(SEARCH, json={**QUESTION, "mode": "rove.cli:main"})
        assert unknown.status_code == 400
        assert "hybrid" in unknown.json()["cure"]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("/srv/bases/hr/plan.md", "plan.md"),
        ("/srv/mail.zip#a/b.eml", "mail.zip#a/b.eml"),
        ("C:\\Users\\x\\plan.md", "plan.md"),
        ("upload:hr+it/plan.md", "plan.md"),
        ("upload:hr/https://a.org/b", "https://a.org/b"),
        ("https://a.org/b?c=d#e", "https://a.org/b?c=d#e"),
        ("policy", "policy"),
    ],
)
def test_where_files_lie_is_not_told(source: str, shown: str) -> None:
    assert public_source(source) == shown


async def test_an_answer_cites_exact_words(town: Town) -> None:
    async with town.client("anna") as client:
        whole = (await client.post(ASK, json=QUESTION)).json()
        events = (await client.post(ASK, json={**QUESTION, "stream": True})).text
        by_header = (await client.post(ASK, json=QUESTION, headers={"accept": "text/event-stream"})).text
        page = await client.get("/v1/spaces/hr/text", params={"document_id": whole["citations"][0]["document_id"]})
    citation = whole["citations"][0]
    assert page.json()["text"][slice(*citation["span"])] == citation["quote"]
    assert events == by_header
    name, data = events.strip().splitlines()
    assert name == "event: answer"
    assert json.loads(data.removeprefix("data: ")) == whole


async def test_a_question_can_lean_on_what_was_said(open_town: Opener) -> None:
    history = [{"question": "How is remote work regulated?", "answer": "By the policy."}]
    messages = [
        {"role": "user", "content": history[0]["question"]},
        {"role": "assistant", "content": history[0]["answer"]},
        {"role": "user", "content": "And who approves it?"},
    ]
    async with open_town(question={"reform": "first"}) as town, town.client("anna") as client:
        ask = {"question": "And who approves it?", "history": history}
        answers = [
            (await client.post(ASK, json=ask)).json()["text"],
            (await client.post("/v1/chat/completions", json={"model": "hr", "messages": messages})).json()["choices"][
                0
            ]["message"]["content"],
        ]
    assert answers[0] == answers[1]
    assert PUBLIC in answers[0]


async def test_sentences_come_while_the_model_writes_and_stay_inert(open_town: Opener) -> None:
    """Whatever a model writes, in pieces of three bytes, is text within JSON within one event."""
    reply = f"## <script>x</script>\n\n{PUBLIC} [1]\n\nevent: answer\ndata: {{}} {PUBLIC} [1]"
    pieces = [reply[i : i + 3] for i in range(0, len(reply), 3)]
    async with openai_server.serve(openai_server.chat(*pieces)) as model:
        chat = {"model": "m", "base_url": model.url}
        async with open_town(chat=chat) as town, town.client("anna") as client:
            text = (await client.post(ASK, json={**QUESTION, "stream": True})).text
    told = [block.split("\n") for block in text.strip().split("\n\n")]
    assert all(len(lines) == 2 for lines in told)
    names = [lines[0] for lines in told]
    assert names == ["event: delta"] * (len(told) - 1) + ["event: answer"]
    *deltas, answer = [json.loads(lines[1][6:])["text"] for lines in told]
    assert "".join(deltas) == answer
    assert deltas[0] == f"## <script>x</script>\n\n{PUBLIC} [1]"


async def test_a_model_that_fails_leaves_an_answer_of_quotes(open_town: Opener) -> None:
    async with openai_server.serve(openai_server.failure(400, "no such model")) as model:
        chat = {"model": "m", "base_url": model.url, "api_key": "sk-very-secret", "retries": 0}
        async with open_town(chat=chat) as town, town.client("anna") as client:
            reply = await client.post(ASK, json=QUESTION)
    assert reply.json()["mode"] == "extractive"
    assert "sk-very-secret" not in reply.text


async def test_an_embedder_that_is_down_is_a_problem_to_try_again(open_town: Opener) -> None:
    script = (openai_server.embeddings([1.0, 0.0]), openai_server.failure(503, "overloaded"))
    async with openai_server.serve(*script) as model:
        embedder = {"name": "openai", "model": "m", "base_url": model.url, "dimension": 2, "retries": 0}
        async with open_town(embedder=embedder, filled=False) as town, town.client("anna") as client:
            assert (await client.post(SEARCH, json=QUESTION)).status_code == 200
            down = await client.post(SEARCH, json={"question": "And now?"})
            stream = await client.post(ASK, json={"question": "And then?", "stream": True})
    assert down.status_code == 503
    assert int(down.headers["retry-after"]) > 0
    assert down.json()["cure"]
    assert stream.text.startswith("event: problem\n")
    assert '"status":503' in stream.text


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("face", ["ask", "openai"])
async def test_a_client_that_leaves_ends_the_call_to_its_model(open_town: Opener, stream: bool, face: str) -> None:
    """The scripted server's connection is closed within two seconds of the client's leaving."""
    message = {"role": "user", "content": QUESTION["question"]}
    path, body = (ASK, QUESTION) if face == "ask" else (
        "/v1/chat/completions", {"model": "hr", "messages": [message]})  # fmt: skip
    async with (
        openai_server.hanging() as model,
        open_town(chat={"model": "m", "base_url": model.url}) as town,
        listening(town) as address,
    ):
        headers = {"authorization": f"Bearer {town.keys['anna']}"}
        async with httpx.AsyncClient(base_url=address, headers=headers, timeout=30) as client:
            asking = asyncio.create_task(client.post(path, json={**body, "stream": stream}))
            async with asyncio.timeout(20):
                await model.asked.wait()
            asking.cancel()
            await asyncio.gather(asking, return_exceptions=True)
        async with asyncio.timeout(2):
            await model.left.wait()

"""Every route of the app, without a key, with another space's, without the right, and with hostile strings."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from starlette.routing import BaseRoute, Route

from rove.serve.administration.settings_file import version_of
from rove.serve.admission.middleware import OPEN
from serve.conftest import Town

pytestmark = pytest.mark.long

OTHERS = {
    "run_id": "0123456789",
    "job_id": "0", "walk_id": "0123456789", "action": "pause", "evaluation_id": "0123456789abcdef", "name": "simple",
    "conversation_id": "0123456789abcdef", "number": "1",
}  # fmt: skip


@dataclass(frozen=True)
class Call:
    """One call of a route that works for root; `{}` in its strings is where a string of the client's goes."""

    method: str
    route: str
    right: str = "read"
    query: dict[str, str] = field(default_factory=dict)
    body: Any = None
    files: bool = False
    path: dict[str, str] = field(default_factory=dict)

    def url(self, space: str) -> str:
        return self.route.format(space=space, **{**OTHERS, "model": space, **self.path})


SPACE = "/v1/spaces/{space}"
TAKE_BACK = f"{SPACE}/corrections/take_back"
REVIEWS = f"{SPACE}/reviews"
FLOW = '[steps.found]\nuse = "search"\nquestion = "$input.question"\n[output]\nhits = "$found"\n'
FLOW_SOURCE = f"{SPACE}/flows/{{name}}/source"
ASKED = {"question": "Who approves remote work?", "where": {"field": "topic", "op": "==", "value": "work"}}
EVALUATED = {
    "table": {"name": "q.csv", "text": "question,source\nWho approves remote work?,policy\n"},
    "configurations": [{"name": "a", "mode": "keyword", "where": ["topic=work"], "search": {"fusion": "rrf"}}],
    "metrics": ["rr"],
}
CALLS = [
    Call("POST", f"{SPACE}/uploads", "add", files=True),
    Call("POST", f"{SPACE}/documents", "add", body={"text": "x", "name": "n", "title": "t", "metadata": {"a": "b"}}),
    Call("GET", f"{SPACE}/jobs/{{job_id}}", "add"),
    Call("GET", f"{SPACE}/jobs/{{job_id}}/events", "add"),
    Call(
        "GET",
        f"{SPACE}/documents",
        query={
            "cursor": "0",
            "limit": "10",
            "words": "",
            "folder": "",
            "type": "text",
            "tag": "x",
            "sort": "title",
        },
    ),
    Call("GET", f"{SPACE}/chunks", query={"document_id": "policy", "cursor": "0"}),
    Call("GET", f"{SPACE}/download", query={"document_id": "policy", "what": "text"}),
    Call("POST", f"{SPACE}/documents/tags", "add", body={"document_ids": ["urlaub"], "add": ["{}"], "remove": ["old"]}),
    Call("POST", f"{SPACE}/documents/delete", "delete", body={"document_ids": ["nothing"]}),
    Call("GET", f"{SPACE}/corrections", query={"document_id": "policy"}),
    Call(
        "POST",
        f"{SPACE}/corrections",
        "add",
        body={
            "document_id": "urlaub",
            "span": [0, 3],
            "before": "Der",
            "text": "Der",
        },
    ),
    Call("POST", TAKE_BACK, "add", body={"document_id": "urlaub", "number": 1}),
    Call("GET", f"{SPACE}/reviews/queue", query={"most": "5"}),
    Call("GET", REVIEWS, query={"cursor": "0", "limit": "10"}),
    Call("POST", REVIEWS, "add", body={"item_id": "triplet-0@urlaub", "verdict": "edit", "edit": ["{}"]}),
    Call("POST", f"{SPACE}/reindex", "add", body={"document_ids": ["urlaub"], "failed": False}),
    Call("GET", f"{SPACE}/depth"),
    Call("GET", f"{SPACE}/document", query={"document_id": "policy"}),
    Call("GET", f"{SPACE}/text", query={"document_id": "policy", "start": "0", "end": "5"}),
    Call("GET", f"{SPACE}/blocks", query={"document_id": "policy", "start": "0", "end": "5", "exact": "end"}),
    Call("GET", f"{SPACE}/find", query={"document_id": "policy", "words": "remote work"}),
    Call("GET", f"{SPACE}/places", query={"document_id": "policy", "start": "0", "end": "5"}),
    Call("GET", f"{SPACE}/recording", query={"document_id": "policy"}),
    Call("GET", f"{SPACE}/picture", query={"document_id": "policy", "page": "1", "version": "x"}),
    Call("DELETE", f"{SPACE}/document", "delete", query={"document_id": "urlaub"}),
    Call("POST", f"{SPACE}/search", body={**ASKED, "mode": "hybrid", "top_k": 3}),
    Call("GET", f"{SPACE}/depth"),
    Call("GET", f"{SPACE}/themes"),
    Call("GET", f"{SPACE}/summary", query={"document_id": "policy"}),
    Call("POST", f"{SPACE}/graph", body={"names": ["{}"], "documents": ["policy"], "where": ASKED["where"]}),
    Call("POST", f"{SPACE}/ask", body=ASKED),
    Call("POST", f"{SPACE}/related", body={**ASKED, "cited": [{"chunk_id": "policy", "span": [0, 9]}]}),
    Call("GET", f"{SPACE}/flows"),
    Call("POST", f"{SPACE}/flows/{{name}}/run", body={"given": {"question": "{}"}, "where": ASKED["where"]}),
    Call("GET", f"{SPACE}/flows/runs"),
    Call("GET", f"{SPACE}/flows/runs/{{run_id}}"),
    Call("POST", f"{SPACE}/flows/runs/{{run_id}}/resume", body={"replies": {"said": "{}"}}),
    Call("DELETE", f"{SPACE}/flows/runs/{{run_id}}"),
    *(Call("GET", f"{SPACE}/flows/{what}", "admin") for what in ("operators", "files", "{name}/source")),
    Call("POST", f"{SPACE}/flows/check", "admin", body={"text": "{}", "name": "{}"}),
    Call("POST", f"{SPACE}/flows/insert", "admin", body={"text": "{}", "use": "search", "line": 1}),
    Call("POST", f"{SPACE}/flows/try", "admin", body={"text": FLOW, "given": {"question": "{}"}}),
    Call("PUT", FLOW_SOURCE, "admin", body={"text": FLOW, "version": ""}, path={"name": "mine"}),
    Call("PATCH", FLOW_SOURCE, "admin", body={"name": "ours", "version": version_of(FLOW)}, path={"name": "mine"}),
    Call("DELETE", FLOW_SOURCE, "admin", query={"version": version_of(FLOW)}, path={"name": "ours"}),
    Call("GET", f"{SPACE}/databases"),
    Call("POST", f"{SPACE}/sql", body={**ASKED, "tables": True, "dry_run": True}),
    Call("GET", f"{SPACE}/tools", query={"request": "weather", "limit": "5"}),
    Call("POST", f"{SPACE}/tools/run", body={"request": "weather", "arguments": {"city": "{}"}, "dry_run": True}),
    Call("POST", f"{SPACE}/walks", body=ASKED),
    Call("GET", f"{SPACE}/walks"),
    Call("GET", f"{SPACE}/walks/{{walk_id}}"),
    Call("GET", f"{SPACE}/walks/{{walk_id}}/events"),
    Call("POST", f"{SPACE}/walks/{{walk_id}}/edit", body={"question": "Who?", "facts": [{"text": "x"}]}),
    Call("POST", f"{SPACE}/walks/{{walk_id}}/fork", body={}),
    Call("POST", f"{SPACE}/walks/{{walk_id}}/{{action}}"),
    Call("DELETE", f"{SPACE}/walks/{{walk_id}}"),
    Call("GET", f"{SPACE}/conversations", query={"query": "work", "cursor": "0", "limit": "10"}),
    Call("POST", f"{SPACE}/conversations", body={"title": "{}"}),
    Call("GET", f"{SPACE}/conversations/{{conversation_id}}"),
    Call("POST", f"{SPACE}/conversations/{{conversation_id}}", body={"title": "{}"}),
    Call("POST", f"{SPACE}/conversations/{{conversation_id}}/turns", body=ASKED),
    Call("POST", f"{SPACE}/conversations/{{conversation_id}}/turns/{{number}}/feedback", body={"judgement": "up"}),
    Call("GET", f"{SPACE}/conversations/{{conversation_id}}/export", query={"format": "json"}),
    Call("DELETE", f"{SPACE}/conversations/{{conversation_id}}"),
    Call("POST", f"{SPACE}/evaluations", "admin", body=EVALUATED),
    Call("GET", f"{SPACE}/evaluations", "admin"),
    Call("GET", f"{SPACE}/evaluations/{{evaluation_id}}", "admin"),
    Call("GET", f"{SPACE}/evaluations/{{evaluation_id}}/events", "admin"),
    Call("GET", f"{SPACE}/evaluations/{{evaluation_id}}/page", "admin"),
    Call("POST", f"{SPACE}/evaluations/{{evaluation_id}}/cancel", "admin"),
    Call("DELETE", f"{SPACE}/evaluations/{{evaluation_id}}", "admin"),
    Call("GET", f"{SPACE}/about", "admin"),
    Call("GET", f"{SPACE}/settings", "admin"),
    Call("PATCH", f"{SPACE}/settings", "admin", body={"version": "", "values": {"answer.persona": "{}"}}),
    Call("POST", f"{SPACE}/settings/try", "admin", body={"model": "embedder"}),
    Call("DELETE", SPACE, "admin", query={"confirm": "nothing"}),
    Call("GET", f"{SPACE}/words", "admin"),
    Call("POST", f"{SPACE}/words", "admin", body={"put": {"remote work": ["{}"]}, "remove": ["nothing"]}),
    Call("POST", f"{SPACE}/doctor", "admin"),
    Call("GET", f"{SPACE}/ledger", "admin", query={"state": "live"}),
    Call("GET", f"{SPACE}/export", "admin"),
    Call("POST", f"{SPACE}/import", "admin", body={"rove": 1}),
    Call("GET", "/v1/models/{model}", ""),
    Call("POST", "/v1/chat/completions", body={"model": "{space}", "messages": [{"role": "user", "content": "Who?"}]}),
    Call("POST", "/v1/responses", body={"model": "{space}", "input": "Who?", "instructions": "{}"}),
    Call("POST", "/v1/embeddings", body={"model": "{space}", "input": ["{}", "Who?"]}),
]
GLOBAL = [
    Call("GET", "/v1/spaces", ""),
    Call("POST", "/v1/spaces", "admin", body={"name": "new"}),
    Call("GET", "/v1/models", ""),
    Call("GET", "/metrics", "admin"),
    Call("GET", "/v1/status", "admin"),
    Call("GET", "/v1/people", "admin"),
    Call("POST", "/v1/people", "admin", body={"name": "ida", "full_name": "{}", "role": "reader", "spaces": ["hr"]}),
    Call("PATCH", "/v1/people/{name}", "admin", body={"full_name": "{}", "role": "editor", "disabled": False}),
    Call("POST", "/v1/people/{name}/invitation", "admin"),
    Call("DELETE", "/v1/people/{name}", "admin", query={"confirm": "simple"}),
    Call("GET", "/v1/keys", "admin"),
    Call("POST", "/v1/keys", "admin", body={"name": "bot", "rights": ["read"], "spaces": ["hr"], "labels": ["staff"]}),
    Call("DELETE", "/v1/keys/{name}", "admin"),
    Call("POST", "/mcp", "", body={"jsonrpc": "2.0", "id": 1, "method": "tools/list"}),
]
SIGN_IN = [
    Call("GET", "/v1/session"),
    Call("POST", "/v1/session", body={"name": "ida", "password": "{}"}),
    Call("DELETE", "/v1/session"),
    Call("POST", "/v1/session/password", body={"old": "{}", "new": "{}"}),
    Call("GET", "/v1/session/invitation", query={"token": "x"}),
    Call("POST", "/v1/session/invitation", body={"token": "{}", "password": "{}"}),
    Call("GET", "/v1/session/oidc/{name}"),
    Call("GET", "/v1/session/oidc/{name}/callback", query={"code": "x", "state": "x", "error": ""}),
]
"""What anybody may ask, signed in or not. None of these calls lets anybody in."""
HOSTILE = [
    "../../../../etc/passwd",
    "..%2f..%2fetc%2fpasswd",
    "/etc/passwd",
    "\0",
    "a\0b",
    "' OR 1=1 --",
    '") or true or ("',
    "<script>alert(1)</script>",
    "{{7*7}} ${7*7} <%= 7*7 %>",
    "{0.__class__.__mro__}",
    "%s%n%x",
    "‮txt.exe",
    "\ud800",
    "file:///etc/passwd",
    "\r\nSet-Cookie: a=b",
    "data: x\n\nevent: answer",
    "鸭" * 5_000,
    "",
]
LEAKS = ("root:x:0", "Traceback", "site-packages", "49 49", "__mro__,")


async def send(client: httpx.AsyncClient, call: Call, space: str = "hr") -> httpx.Response:
    body = json.loads(json.dumps(call.body).replace("{space}", space)) if call.body is not None else None
    files = [("files", ("note.md", b"# Note\n\nText."))] if call.files else None
    headers = {"accept": "application/json, text/event-stream"} if call.route == "/mcp" else {}
    return await client.request(
        call.method, call.url(space), params=call.query, json=body, files=files, headers=headers
    )


def name_of(call: Call) -> str:
    return f"{call.method} {call.route}"


def test_no_route_is_forgotten(town: Town) -> None:
    """A new route has to be put into the table above, and is then tested like all others."""
    known = {(call.method, call.route) for call in (*CALLS, *GLOBAL, *SIGN_IN)}
    there: set[tuple[str, str]] = set()
    for route in all_routes(town.app.routes):
        methods = {"POST"} if route.path == "/mcp" else (route.methods or set()) - {"HEAD"}
        there |= {(method, route.path) for method in methods if route.path not in OPEN}
    assert there == known


def all_routes(routes: Iterable[BaseRoute]) -> Iterator[Route]:
    for route in routes:
        if isinstance(route, Route):  # those of FastAPI are such
            yield route
        else:
            assert hasattr(route, "original_router"), f"{route} is of a kind that these tests do not know"
            yield from all_routes(route.original_router.routes)


@pytest.mark.parametrize("header", [None, "", "Bearer ", "Bearer wrong", "Basic cm9vdDpyb290", "Bearer \xff"])
async def test_without_a_key_there_is_nothing(town: Town, header: str | None) -> None:
    async with town.client("") as client:
        if header is not None:
            client.headers = httpx.Headers([(b"authorization", header.encode("latin-1"))])
        for call in (*CALLS, *GLOBAL):
            reply = await send(client, call)
            assert reply.status_code == 401, name_of(call)
            assert reply.headers["www-authenticate"] == "Bearer"
            assert reply.headers["content-type"] == "application/problem+json"
            assert "hr" not in reply.text.split()


async def test_another_spaces_key_finds_no_space(town: Town) -> None:
    """The space of others and one that does not exist are answered alike, to the letter."""
    async with town.client("otto") as client:
        for call in CALLS:
            theirs, nowhere = await send(client, call, "hr"), await send(client, call, "nowhere")
            assert (theirs.status_code, nowhere.status_code) == (404, 404), name_of(call)
            assert theirs.text == nowhere.text


async def test_without_the_right_nothing_is_done(town: Town) -> None:
    async with town.client("nobody") as nobody, town.client("anna") as anna, town.client("root") as root:
        for call in [call for call in CALLS if call.right]:
            reply = await send(nobody, call)
            assert reply.status_code == 403, name_of(call)
            assert call.right in reply.json()["detail"]
            if call.right == "admin":
                assert (await send(anna, call)).status_code == 403, name_of(call)
        assert len((await root.get("/v1/spaces/hr/documents")).json()["documents"]) == 3


async def test_what_concerns_the_whole_server_is_for_administrators(town: Town) -> None:
    async with town.client("anna") as client:
        for call in [call for call in GLOBAL if call.right]:
            assert (await send(client, call)).status_code == 403, name_of(call)


async def test_who_is_about_to_sign_in_gets_nothing_by_that(town: Town) -> None:
    async with town.client("") as client:
        for call in SIGN_IN:
            reply = await send(client, call)
            assert "set-cookie" not in reply.headers, name_of(call)
            assert reply.status_code in {401, 404} or reply.json()["person"] is None, name_of(call)


async def test_the_table_holds_calls_that_work(town: Town) -> None:
    async with town.client("root") as client:
        for call in (*CALLS, *GLOBAL):
            reply = await send(client, call)
            absent = ("_id}", "/picture", "/recording", "/people/{name}", "/keys/{name}")
            nothing_yet = any(part in call.route for part in absent)
            works = reply.status_code == 404 if nothing_yet else reply.status_code < 300
            # keys name it, and the settings; nothing was corrected yet; and nothing was found to be reviewed
            if call.route in (SPACE, TAKE_BACK) or (call.method, call.route) == ("POST", REVIEWS):
                works = reply.status_code == 400
            assert works, (name_of(call), reply.text)


@pytest.mark.parametrize("call", [*CALLS, *GLOBAL, *SIGN_IN], ids=name_of)
async def test_hostile_strings_do_no_harm(town: Town, call: Call) -> None:
    """In each field, in the path, in the query: answered or refused, never an error of the server's own."""
    async with town.client("root") as client:
        for text in HOSTILE:
            for variant in variants(call, text):
                reply = await variant(client)
                assert reply is None or reply.status_code < 500, (text, reply.text)
                assert reply is None or not [leak for leak in LEAKS if leak in reply.text], (text, reply.text)
                assert reply is None or "set-cookie" not in reply.headers
        documents = (await client.get("/v1/spaces/hr/documents")).json()["documents"]
    assert {"policy", "merger"} <= {document["document_id"] for document in documents}


def variants(call: Call, text: str) -> Iterator[Any]:
    """The call with the text in each of its places, one after the other."""
    plain = text.encode("utf-8", "replace").decode()
    for name in call.query:
        yield lambda client, name=name: client.request(
            call.method, call.url("hr"), params={**call.query, name: plain}, json=call.body
        )
    for body in placed(call.body, text) if call.body is not None else ():
        content = json.dumps(body).replace("{space}", "hr")  # \ud800 goes over the wire as an escape
        yield lambda client, content=content: client.request(
            call.method,
            call.url("hr"),
            params=call.query,
            content=content,
            headers={"content-type": "application/json", "accept": "application/json, text/event-stream"},
        )
    if "{" in call.route:
        segment = quote(plain[:2_000], safe="") or "%20"
        yield lambda client: client.request(
            call.method, re.sub(r"\{\w+\}", lambda _: segment, call.route), json=call.body
        )
    if call.files:
        yield lambda client: client.post(call.url("hr"), files=[("files", (plain or "x", b"Text."))])
        yield lambda client: client.post(
            call.url("hr"), files=[("files", ("x.md", b"Text."))], data={"access": [plain]}
        )


def placed(body: Any, text: str) -> Iterator[Any]:
    """The body with the text instead of each string in it, keys included."""
    if isinstance(body, dict):
        for key, value in body.items():
            yield {**{k: v for k, v in body.items() if k != key}, text: value}
            yield from ({**body, key: inner} for inner in placed(value, text))
    elif isinstance(body, list):
        for at, value in enumerate(body):
            yield from ([*body[:at], inner, *body[at + 1 :]] for inner in placed(value, text))
    elif isinstance(body, str) and body != "{space}":
        yield text
    else:
        yield text

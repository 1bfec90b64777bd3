"""Every route by every kind of caller: no status beyond its rights, and no byte of what it may not see."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx
from fastapi import FastAPI

from campaign.shapes import sample
from campaign.trial import Faults, Trial
from rove.records import Text
from rove.serve.admission.keys import hash_key, make_key
from rove.serve.app import create_app
from rove.serve.spaces import Spaces
from rove.settings import read_settings

EACH = 60  # requests of a trial
HUNG_S = 30.0
SPACE = "/v1/spaces/{space}"
RIGHTS = {
    "GET /health": "open",
    "GET /v1/spaces": "", "POST /v1/spaces": "admin of all", f"DELETE {SPACE}": "admin",
    f"GET {SPACE}/about": "admin",
    f"GET {SPACE}/settings": "admin of all", f"PATCH {SPACE}/settings": "admin of all",
    f"POST {SPACE}/settings/try": "admin of all",
    "GET /metrics": "admin of all", "GET /v1/status": "admin of all",
    "GET /v1/models": "", "GET /v1/models/{model}": "",
    "POST /v1/chat/completions": "read", "POST /v1/responses": "read", "POST /v1/embeddings": "read",
    f"POST {SPACE}/uploads": "add", f"POST {SPACE}/documents": "add",
    f"GET {SPACE}/jobs/{{job_id}}": "add", f"GET {SPACE}/jobs/{{job_id}}/events": "add",
    f"GET {SPACE}/chunks": "read", f"GET {SPACE}/download": "read", f"POST {SPACE}/documents/tags": "add",
    f"POST {SPACE}/documents/delete": "delete", f"POST {SPACE}/reindex": "add",
    f"GET {SPACE}/corrections": "read", f"POST {SPACE}/corrections": "add",
    f"POST {SPACE}/corrections/take_back": "add",
    f"GET {SPACE}/reviews/queue": "read", f"POST {SPACE}/reviews": "add", f"GET {SPACE}/reviews": "read",
    f"GET {SPACE}/documents": "read", f"GET {SPACE}/document": "read", f"GET {SPACE}/text": "read",
    f"GET {SPACE}/blocks": "read", f"GET {SPACE}/find": "read",
    f"GET {SPACE}/places": "read", f"GET {SPACE}/picture": "read", f"GET {SPACE}/recording": "read",
    f"DELETE {SPACE}/document": "delete",
    f"POST {SPACE}/search": "read", f"POST {SPACE}/ask": "read", f"GET {SPACE}/themes": "read",
    f"GET {SPACE}/summary": "read", f"GET {SPACE}/depth": "read",
    f"POST {SPACE}/related": "read", f"POST {SPACE}/graph": "read", f"POST {SPACE}/sql": "read",
    f"GET {SPACE}/databases": "read",
    f"GET {SPACE}/tools": "read without labels", f"POST {SPACE}/tools/run": "read without labels",
    **{f"{at.replace('WALKS', SPACE + '/walks')}": "read" for at in (
        "POST WALKS", "GET WALKS", "GET WALKS/{walk_id}", "DELETE WALKS/{walk_id}", "GET WALKS/{walk_id}/events",
        "POST WALKS/{walk_id}/edit", "POST WALKS/{walk_id}/fork", "POST WALKS/{walk_id}/{action}",
    )},
    **{f"{at.replace('TALKS', SPACE + '/conversations')}": "read" for at in (
        "POST TALKS", "GET TALKS", "GET TALKS/{conversation_id}", "POST TALKS/{conversation_id}",
        "DELETE TALKS/{conversation_id}", "POST TALKS/{conversation_id}/turns", "GET TALKS/{conversation_id}/export",
        "POST TALKS/{conversation_id}/turns/{number}/feedback",
    )},
    **{f"{at.replace('EVALUATIONS', SPACE + '/evaluations')}": "admin" for at in (
        "POST EVALUATIONS", "GET EVALUATIONS", "GET EVALUATIONS/{evaluation_id}", "DELETE EVALUATIONS/{evaluation_id}",
        "GET EVALUATIONS/{evaluation_id}/events", "GET EVALUATIONS/{evaluation_id}/page",
        "POST EVALUATIONS/{evaluation_id}/cancel",
    )},
    f"GET {SPACE}/flows/runs": "read", f"POST {SPACE}/flows/runs/{{run_id}}/resume": "read",
    f"GET {SPACE}/flows/runs/{{run_id}}": "read", f"DELETE {SPACE}/flows/runs/{{run_id}}": "read",
    f"GET {SPACE}/flows": "read", f"POST {SPACE}/flows/{{name}}/run": "read",
    **{f"{at.replace('FLOWS', SPACE + '/flows')}": "admin of all" for at in (
        "GET FLOWS/operators", "GET FLOWS/files", "POST FLOWS/check", "POST FLOWS/insert", "POST FLOWS/try",
        "GET FLOWS/{name}/source", "PUT FLOWS/{name}/source", "PATCH FLOWS/{name}/source",
        "DELETE FLOWS/{name}/source",
    )},
    f"GET {SPACE}/words": "admin", f"POST {SPACE}/words": "admin",
    f"POST {SPACE}/doctor": "admin", f"GET {SPACE}/ledger": "admin", f"GET {SPACE}/export": "admin",
    f"POST {SPACE}/import": "admin",
    "POST /mcp": "",
    "GET /v1/people": "admin of all", "POST /v1/people": "admin of all", "PATCH /v1/people/{name}": "admin of all",
    "DELETE /v1/people/{name}": "admin of all", "POST /v1/people/{name}/invitation": "admin of all",
    "GET /v1/keys": "admin of all", "POST /v1/keys": "admin of all", "DELETE /v1/keys/{name}": "admin of all",
    "GET /v1/session": "anyone", "POST /v1/session": "anyone", "DELETE /v1/session": "anyone",
    "POST /v1/session/password": "anyone", "GET /v1/session/invitation": "anyone",
    "POST /v1/session/invitation": "anyone", "GET /v1/session/oidc/{name}": "anyone",
    "GET /v1/session/oidc/{name}/callback": "anyone",
}  # fmt: skip
"""The access table: which right a route takes; "": any key at all; "open": not even that; "anyone": nor that, and the
reply depends on what is sent; "without labels": no key that has some.

A route that is not in it is a fault, so that whoever makes one says here what opens it."""


@dataclass(frozen=True, slots=True)
class Holder:
    """A kind of caller; `key` None sends none."""

    spaces: tuple[str, ...] = ()
    rights: tuple[str, ...] = ()
    labels: tuple[str, ...] | None = None
    known: bool = True


HOLDERS = {
    "nobody": Holder(known=False),
    "wrong key": Holder(known=False),
    "no rights": Holder(("hr",)),
    "reader": Holder(("hr",), ("read",)),
    "labelled reader": Holder(("hr",), ("read",), ("staff",)),
    "no label": Holder(("hr",), ("read", "add", "delete"), ()),
    "labelled writer": Holder(("hr",), ("read", "add", "delete"), ("staff",)),
    "adder": Holder(("hr",), ("add",)),
    "deleter": Holder(("hr",), ("delete",)),
    "other space": Holder(("it",), ("read", "add", "delete")),
    "labelled elsewhere": Holder(("it",), ("read",), ("staff",)),
    "admin of it": Holder(("it",), ("read", "add", "delete", "admin")),
    "admin": Holder(("*",), ("read", "add", "delete", "admin")),
}
CANARIES = {
    ("hr", "board"): "quokkazephyr",
    ("hr", ""): "narwhalgrotto",
    ("it", "staff"): "axolotlveranda",
    ("it", ""): "pangolintrellis",
}
"""Words of hidden documents, by space and label."""
SEEN = "The caretaker approves remote work, says the policy of the unit."
INTERNAL = re.compile(r'"code":(0|-32603)[,}]')
"""What MCP replies where the server has raised something that it did not mean to."""
OPEN_PATHS = ("/", "/app.js", "/openapi.json", "/../etc/passwd", "/v1", "/v1/spaces/hr/../it/documents", "/metrics")


@dataclass(slots=True)
class Town:
    """A server with two spaces; ids of things in it, for requests to name."""

    app: FastAPI
    keys: Mapping[str, str]
    ids: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def client(self, holder: str) -> httpx.AsyncClient:
        """Speak to it as one of the holders."""
        key = self.keys.get(holder, "rove_" + "0" * 40)
        headers = {} if holder == "nobody" else {"Authorization": f"Bearer {key}"}
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        return httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers, timeout=HUNG_S)


class Callers:
    """See `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def close(self) -> None:
        """Nothing stays open."""

    def trial(self, seed: int) -> Trial:
        """Open a town, and ask it this and that as this one and that one."""
        faults, base = Faults(), self.folder / f"town{seed}"
        base.mkdir()
        try:
            tries = asyncio.run(asyncio.wait_for(asked(base, Random(seed), faults), 4 * HUNG_S))
        finally:
            shutil.rmtree(base, ignore_errors=True)
        return faults.trial("as the table says", tries)


async def asked(base: Path, chance: Random, faults: Faults) -> int:
    """Make requests by chance; returns how many."""
    async with opened(base, chance) as town:
        described = town.app.openapi()
        routes = [
            (method.upper(), path, operation)
            for path, operations in described["paths"].items()
            for method, operation in operations.items()
        ]
        for method, path, _ in routes:
            faults.expect(f"{method} {path}" in RIGHTS, f"{method} {path} has no line in the table of rights")
        for _ in range(EACH):
            holder = chance.choice(list(HOLDERS))
            async with town.client(holder) as client:
                if chance.random() < 0.15:
                    await _tool(client, town, holder, chance, faults)
                elif chance.random() < 0.05:
                    path = chance.choice(OPEN_PATHS)
                    _has_no_canary(await client.get(path), holder, f"GET {path}", faults)
                else:
                    await _route(client, town, holder, chance.choice(routes), described, chance, faults)
    return EACH


@asynccontextmanager
async def opened(base: Path, chance: Random) -> AsyncIterator[Town]:
    """A town with hidden documents in both spaces, walks and a job."""
    keys = {name: make_key() for name, one in HOLDERS.items() if one.known}
    table = {
        "spaces": {name: {"path": base / name} for name in ("hr", "it")},
        "keys": {
            name.replace(" ", "-"): {
                "hash": hash_key(key), "spaces": HOLDERS[name].spaces, "rights": HOLDERS[name].rights,
                **({} if HOLDERS[name].labels is None else {"labels": HOLDERS[name].labels}),
            }
            for name, key in keys.items()
        },
    }  # fmt: skip
    for name in table["spaces"]:
        (base / name).mkdir()
    tables = {"embedder": {"name": "fake"}, "store": {"index": "memory"}, "question": {"log": True}, "serve": table}
    spaces = Spaces.open(read_settings(base, **tables), base)
    app = create_app(spaces)
    async with app.router.lifespan_context(app):
        town = Town(app, keys)
        for space in ("hr", "it"):
            kb = spaces._spaces[space].kb  # noqa: SLF001
            await kb.add(documents(space))
            await kb.enrich("graph")
            reviewed = [one.item_id for one in await kb.review_queue(by="admin")]
            town.ids.setdefault("item_id", ["triplet-0@no-such"]).extend(reviewed)
        async with town.client("admin") as client:
            job = (await client.post("/v1/spaces/hr/documents", json={"text": CANARIES["hr", ""]})).json()
            walk = await client.post(
                "/v1/spaces/hr/walks", json={"question": f"Who approves {CANARIES['hr', 'board']}?"}
            )
            started = json.loads(walk.text.partition("data: ")[2].partition("\n")[0])
            talk = (await client.post("/v1/spaces/hr/conversations", json={"title": CANARIES["hr", ""]})).json()
            asked_in = f"/v1/spaces/hr/conversations/{talk['conversation_id']}/turns"
            await client.post(asked_in, json={"question": f"Who approves {CANARIES['hr', 'board']}?"})
        hidden = [f"{space}-{label or 'free'}-{CANARIES[space, label]}" for space, label in CANARIES]
        town.ids |= {
            "document_id": [*hidden, "policy", "no-such"], "job_id": [job["job_id"], "0" * 32],
            "walk_id": [started["walk_id"], "last", "0" * 10], "evaluation_id": ["0" * 32, "1"],
            "space": ["hr", "hr", "hr", "it", "nowhere"], "model": ["hr", "it", "nowhere"],
            "action": ["pause", "resume", "stop"], "conversation_id": [talk["conversation_id"], "last", "0" * 16],
            "question": [f"Who approves {chance.choice(list(CANARIES.values()))}?", "remote work"],
            "field": ["access", "title", "secret"], "text": ["A note of the campaign."],
            "state": ["live", "failed"],
        }  # fmt: skip
        yield town


def documents(space: str) -> list[Text]:
    """One that the staff may see, and hidden ones, whose words stand in text, title, id and metadata."""
    seen = Text(SEEN, id="policy", title="Policy", metadata={"access": ("staff",)})
    made = [seen] if space == "hr" else []
    for (of, label), canary in CANARIES.items():
        if of == space:
            fields = {"secret": f"{canary}field"} | ({"access": (label,)} if label else {})
            text = f"The {canary} is approved by the caretaker. {canary.title()} costs 4,000,000."
            made.append(Text(text, id=f"{space}-{label or 'free'}-{canary}", title=f"{canary} title", metadata=fields))
    return made


async def _route(
    client: httpx.AsyncClient, town: Town, holder: str, route: tuple[str, str, dict[str, Any]],
    described: dict[str, Any], chance: Random, faults: Faults,
) -> None:  # fmt: skip
    method, template, operation = route
    path, query, space = template, dict[str, Any](), ""
    for parameter in operation.get("parameters", ()):
        name = parameter["name"]
        value = (
            chance.choice(town.ids[name])
            if name in town.ids
            else sample(parameter["schema"], described, chance, town.ids)
        )
        if parameter["in"] == "path":
            path = path.replace("{" + name + "}", str(value))
            space = str(value) if name in {"space", "model"} else space
        elif value is not None:
            query[name] = value
    body = _body(operation, described, chance, town)
    if holder == "admin" and method == "DELETE":
        query = {"document_id": "no-such"} if query else query
    said = f"{holder}: {method} {path} {query or ''} {str(body)[:200] if body else ''}"
    try:
        async with asyncio.timeout(HUNG_S):
            reply = await client.request(method, path, params=query, **body)
    except TimeoutError:
        faults.append(f"{said}: no end after {HUNG_S:.0f} s")
        return
    space = str(body.get("json", {}).get("model", "")) if "completions" in template else space
    more_than_delete = query.get("mentions") or query.get("erase") == "now"
    if not (reply.status_code == 403 and more_than_delete):
        route = f"{method} {template}"
        whole = route == f"POST {SPACE}/ask" and body["json"].get("tools") is True  # labels say nothing of tools
        found = judged(reply.status_code, holder, route, space, whole=whole)
        faults += [f"{said}: {fault}" for fault in found]
    _has_no_canary(reply, holder, said, faults)


def _body(operation: dict[str, Any], described: dict[str, Any], chance: Random, town: Town) -> dict[str, Any]:
    content = (operation.get("requestBody") or {}).get("content", {})
    if "multipart/form-data" in content:
        data = {"access": [chance.choice(["staff", "board"])]} if chance.random() < 0.5 else {}
        return {"files": {"files": ("note.md", b"# Note\n\nA note.")}, "data": data}
    if "application/json" in content:
        return {"json": sample(content["application/json"]["schema"], described, chance, town.ids)}
    return {}


def judged(status: int, holder: str, route: str, space: str, *, whole: bool = False) -> list[str]:
    """What is wrong with a status, by the table of rights; `whole`: it is for callers without labels alone."""
    one, right = HOLDERS[holder], RIGHTS.get(route, "admin")
    if status >= 500 and status not in {503, 507}:
        return [f"status {status}"]
    if right == "open":
        return [] if status == 200 else [f"{status} instead of 200"]
    if right == "anyone":
        return []
    if not one.known:
        return [] if status in {401, 429} else [f"{status} instead of 401"]
    everywhere = right == "admin of all"
    opens = "*" in one.spaces or (not everywhere and (not space or space in one.spaces))
    whole = whole or right.endswith(" without labels") or right.startswith("admin")
    right = right.removesuffix(" of all").removesuffix(" without labels")
    may = not right or (right in one.rights and (not whole or one.labels is None))
    if status == 403 and one.labels is not None and route == f"POST {SPACE}/sql":  # a database, not tables
        return []
    if status < 300 and not (opens and may):
        return [f"{status}, though it has not the right {right!r} in {space!r}"]
    if status in {401, 403} and opens and may and "access" not in route and right != "add":
        return [f"{status}, though it has the right {right!r} in {space!r}"]
    if not opens and status not in {400, 403, 404, 422}:
        return [f"{status} for a space that is not there for it"]
    return []


def hidden_from(holder: str) -> list[str]:
    """The canaries that a caller may not see."""
    one = HOLDERS[holder]
    return [
        canary
        for (space, label), canary in CANARIES.items()
        if not (one.known and ("*" in one.spaces or space in one.spaces) and "read" in one.rights)
        or (one.labels is not None and label not in one.labels)
    ]


def _has_no_canary(reply: httpx.Response, holder: str, said: str, faults: Faults) -> None:
    """No hidden word stands in a reply, save where the caller has said it itself."""
    told = f"{reply.text} {reply.headers}".lower()
    for canary in hidden_from(holder):
        if canary in said.lower():
            continue
        faults.expect(canary not in told, f"{said}: {reply.status_code} tells {canary!r}: {reply.text[:200]}")


async def _tool(client: httpx.AsyncClient, town: Town, holder: str, chance: Random, faults: Faults) -> None:
    """A call over MCP: a tool with arguments of its own description, or a resource."""
    headers = {"accept": "application/json, text/event-stream"}

    async def call(method: str, params: dict[str, Any]) -> httpx.Response:
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return await client.post("/mcp", json=body, headers=headers)

    listed = await call("tools/list", {})
    faults += [f"{holder}: POST /mcp: {fault}" for fault in judged(listed.status_code, holder, "POST /mcp", "")]
    if listed.status_code != 200:
        return
    text = listed.text[listed.text.index("{") : listed.text.rindex("}") + 1]
    tools = json.loads(text)["result"]["tools"]
    if chance.random() < 0.3:
        uri = f"rove://{chance.choice(('hr', 'it'))}/document/{chance.choice(town.ids['document_id'])}"
        method, params = chance.choice((("resources/list", {}), ("resources/read", {"uri": uri})))
    else:
        tool = chance.choice(tools)
        given = sample(tool["inputSchema"], tool["inputSchema"], chance, town.ids)
        method, params = "tools/call", {"name": tool["name"], "arguments": given}
    reply = await call(method, params)
    said = f"{holder}: {method} {params}"
    faults.expect(reply.status_code < 500, f"{said}: {reply.status_code}")
    faults.expect(not INTERNAL.search(reply.text), f"{said}: an internal error: {reply.text[:200]}")
    _has_no_canary(reply, holder, said, faults)

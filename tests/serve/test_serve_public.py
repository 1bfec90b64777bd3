"""What the server's disk is like stays there: no reply names a folder of it, and cures can be followed by a client."""

from __future__ import annotations

import inspect
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any, Literal, get_origin

import httpx
import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

import rove
from rove.engine import AsyncRove
from rove.errors import ServiceError
from rove.serve.problems import Problem
from rove.serve.redaction import CALLS, public_cure, public_text
from rove.serve.schema import Reply
from serve.conftest import Town, in_a_task, listening, towns_at
from serve.test_serve_mcp import http_client

MARK = "Geheim Marker.d"
TELLING = {"reason", "reasons", "detail", "note", "trouble", "error", "problems", "failed", "cure"}
"""Fields of replies that hold sentences of the engine's."""
TABLE = {"table": {"name": "q.csv", "text": "question,source\nWho approves remote work?,policy\n"}}
HR = "/v1/spaces/hr"
ASKED = {"question": "Who approves remote work?"}


@pytest.fixture
async def town(tmp_path: Path) -> AsyncIterator[Town]:
    """A town whose bases lie in a folder that no reply may name."""
    (tmp_path / MARK).mkdir()
    async with in_a_task(towns_at(tmp_path / MARK)(serve={"mcp_add": True})) as opened:
        yield opened


@pytest.fixture
def trouble(town: Town, monkeypatch: pytest.MonkeyPatch) -> ServiceError:
    """An error as the store says it, which all work in the base ends with."""
    base = town.spaces._spaces["hr"].kb.settings.path
    message = f"The index in {base}/index cannot be read: IO error at file://{base}/index/a.lance; {base} is broken."
    error = ServiceError(message, cure=f"Run: rove doctor, or look at {base}.", retryable=False)

    async def fail(*_: object, **__: object) -> None:
        raise error

    for name in ("search", "respond", "doctor", "ledger", "documents", "import_"):
        monkeypatch.setattr(AsyncRove, name, fail)
    return error


def said(text: str) -> None:
    """See that a reply says what is wrong, and not where."""
    assert "IO error at index/a.lance; the base is broken." in text
    assert "POST /v1/spaces/SPACE/doctor, or look at the base." in text
    assert "Geheim" not in text
    assert "Marker" not in text


Call = Callable[[httpx.AsyncClient], Awaitable[httpx.Response]]
CALLED: dict[str, Call] = {
    "search": lambda web: web.post(f"{HR}/search", json=ASKED),
    "ask": lambda web: web.post(f"{HR}/ask", json=ASKED),
    "ask as events": lambda web: web.post(f"{HR}/ask", json={**ASKED, "stream": True}),
    "completion": lambda web: web.post("/v1/chat/completions", json=completion(stream=False)),
    "completion as events": lambda web: web.post("/v1/chat/completions", json=completion(stream=True)),
    "doctor": lambda web: web.post(f"{HR}/doctor"),
    "ledger": lambda web: web.get(f"{HR}/ledger"),
    "documents": lambda web: web.get(f"{HR}/documents"),
    "import": lambda web: web.post(f"{HR}/import", content=b"x"),
}


def completion(*, stream: bool) -> dict[str, Any]:
    return {"model": "hr", "messages": [{"role": "user", "content": "Who?"}], "stream": stream}


@pytest.mark.usefixtures("trouble")
@pytest.mark.parametrize("call", CALLED.values(), ids=CALLED)
async def test_no_problem_names_a_folder(town: Town, call: Call) -> None:
    async with town.client() as web:
        said((await call(web)).text)


@pytest.mark.usefixtures("trouble")
async def test_no_evaluation_names_a_folder(town: Town) -> None:
    async with town.client() as web:
        started = (await web.post(f"{HR}/evaluations", json=TABLE)).json()["evaluation_id"]
        said((await web.get(f"{HR}/evaluations/{started}/events")).text.rpartition("event:")[2])
        said((await web.get(f"{HR}/evaluations/{started}")).text)


@pytest.mark.usefixtures("trouble")
async def test_no_tool_names_a_folder(town: Town) -> None:
    async with listening(town) as address, http_client(town, address, "root") as client:
        for name, arguments in (("search", ASKED), ("ask", ASKED)):
            result = await client.call_tool(name, {**arguments, "space": "hr"})
            assert result.is_error
            said(result.content[0].text)


async def test_no_job_names_a_folder(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    base = town.spaces._spaces["hr"].kb.settings.path

    async def fail(*_: object, **__: object) -> None:
        message = f"{base} cannot be written to: {base}/catalog.sqlite is read-only."
        raise ServiceError(message)

    monkeypatch.setattr(AsyncRove, "add", fail)
    async with town.client() as web:
        job = (await web.post(f"{HR}/documents", json={"text": "Soup."})).json()["job_id"]
        async for now in (await town.spaces._spaces["hr"].jobs.get(job, None)).watch():
            if now.state == "waiting":
                break
        told = (await web.get(f"{HR}/jobs/{job}")).json()
    assert told["trouble"] == "the base cannot be written to: catalog.sqlite is read-only."


async def test_the_ledger_names_files_and_no_folders(town: Town, tmp_path: Path) -> None:
    folder = tmp_path / MARK / "in coming"
    folder.mkdir()
    (folder / "empty.md").write_bytes(b"")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 no")
    await town.spaces._spaces["hr"].kb.add(str(folder), str(folder / "gone.md"))
    async with town.client() as web:
        reply = await web.get(f"{HR}/ledger", params={"state": "failed"})
    entries = {entry["source"]: entry for entry in reply.json()["entries"]}
    assert set(entries) == {"empty.md", "broken.pdf", "gone.md"}
    assert all(entry["reason"] and entry["cure"] for entry in entries.values())
    assert "Marker" not in reply.text
    assert "in coming" not in reply.text


async def test_a_walk_that_fails_says_why_and_not_where(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    base = town.spaces._spaces["hr"].kb.settings.path

    async def fail(*_: object, **__: object) -> None:
        message = f"The index in {base}/index cannot be read."
        raise ServiceError(message, cure="Run: rove doctor")

    monkeypatch.setattr(type(town.spaces._spaces["hr"].kb.store), "search", fail)
    async with town.client() as web:
        reply = await web.post(f"{HR}/walks", json=ASKED)
        (walk,) = (await web.get(f"{HR}/walks")).json()["walks"]
        again = await web.get(f"{HR}/walks/{walk['walk_id']}")
    for text in (reply.text, again.text):
        assert "The index in index cannot be read." in text
        assert "Marker" not in text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("/srv/a b/c.db is gone", "c.db is gone"),
        ("'/srv/x/y.pdf' and \"/tmp/z/\" at C:\\Users\\x\\y.pdf", "'y.pdf' and \"\" at y.pdf"),
        ("~/kb/x, (/a/b/c), path=/a/b, file:///a/b", "x, (c), path=b, b"),
        ("https://a.org/b/c http://[::1]/a/b upload:hr/x", "https://a.org/b/c http://[::1]/a/b upload:hr/x"),
        (
            "and/or 1/2 a / b text/html hr/leave.md mail.zip#/a/b",
            "and/or 1/2 a / b text/html hr/leave.md mail.zip#/a/b",
        ),
        ("GET /v1/spaces/hr/documents, see /openapi.json.", "GET /v1/spaces/hr/documents, see /openapi.json."),
    ],
)
def test_folders_are_left_out(text: str, told: str) -> None:
    assert public_text(text) == told
    assert public_text(told) == told


def cures() -> Iterator[str]:
    """Every cure that the code below `serve` gives and that names a command of ours."""
    root = Path(inspect.getfile(rove)).parent
    for path in root.rglob("*.py"):
        if path.relative_to(root).parts[0] not in {"cli", "serve"}:
            yield from re.findall(r"cure=f?\"([^\"]*\brove [a-z][^\"]*)\"", path.read_text("utf-8"))


def test_cures_can_be_followed_by_a_client() -> None:
    """A command is a call, or is told as something for the server; each call that stands for one is needed."""
    known = list(cures())
    assert len(known) > 5
    for cure in known:
        told = public_cure(cure)
        assert told.startswith("On the server: ") or not re.search(r"\brove [a-z]", told), told
        assert public_cure(told) == told
    for command in CALLS:
        assert any(command in cure for cure in known), command


def test_calls_that_stand_for_commands_are_there(town: Town) -> None:
    paths = town.app.openapi()["paths"]
    for call in CALLS.values():
        method, path = call.split()
        named = path.replace("SPACE", "{space}").replace("/ID", "/{walk_id}")
        assert method.casefold() in paths[named], call


def test_no_reply_has_a_sentence_that_is_not_looked_at() -> None:
    looked_at = {public_text, public_cure}
    seen: set[str] = set()
    for model in (Problem, *kinds(Reply)):
        for name, field in model.model_fields.items():
            if name in TELLING and get_origin(field.annotation) is not Literal:
                assert looked_at & set(validators(field)), f"{model.__name__}.{name}"
                seen.add(name)
    assert seen == TELLING


def kinds(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for own in model.__subclasses__():
        yield own
        yield from kinds(own)


def validators(field: FieldInfo) -> Iterator[Any]:
    """The functions that a field's value goes through, or each of its items."""
    items = (getattr(item, "__metadata__", ()) for item in getattr(field.annotation, "__args__", ()))
    found = [*field.metadata, *(part for parts in items for part in parts)]
    yield from (one.func for one in found if hasattr(one, "func"))

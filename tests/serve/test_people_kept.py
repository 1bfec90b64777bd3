"""Where people are kept: kill -9, two servers on one base in Postgres, a torn catalog, exports, the command line."""

from __future__ import annotations

import asyncio
import json
import shutil
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from secrets import token_hex

import httpx
import pytest
from click.testing import CliRunner, Result

import postgres_server
from rove import AsyncRove
from rove.cli import rove
from rove.rebuild import rebuild
from rove.serve.app import create_app
from rove.serve.spaces import Spaces
from rove.settings import read_settings
from rove.store.database import Database
from rove.store.home import home_of
from rove.store.made_keys import MadeKey, MadeKeys
from rove.store.people_log import PeopleLog
from rove.store.person import hash_token
from serve.conftest import DOCUMENTS, FAKE, serving
from serve.people import HERE, PASSWORD

SESSION = "/v1/session"
SOON_S = 20.0


def person(kb: Path, *arguments: str) -> Result:
    return CliRunner().invoke(rove, ["serve", "person", *arguments, "--kb", str(kb)])


def token_of(done: Result) -> str:
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["token"]


def status_becomes(client: httpx.Client, path: str, status: int) -> bool:
    deadline = time.monotonic() + SOON_S
    while time.monotonic() < deadline:
        if client.get(path).status_code == status:
            return True
        time.sleep(0.1)
    return False


def test_who_was_let_in_is_still_there_after_kill(tmp_path: Path) -> None:
    """The first administrator from the command line, while a server runs; the next one over HTTP; then kill -9."""
    kb = tmp_path / "kb"
    with serving(kb) as (client, process):
        assert client.get("/v1/spaces").status_code == 200
        token = token_of(person(kb, "ada", "--role", "administrator", "--json"))
        assert status_becomes(client, "/v1/spaces", 401)  # the server was open, and is not any more
        client.headers = httpx.Headers(HERE)
        assert client.post(f"{SESSION}/invitation", json={"token": token, "password": PASSWORD}).status_code == 200
        made = client.post("/v1/people", json={"name": "bob", "role": "administrator"})
        bobs = made.json()["invitation"]["token"]
        key = client.post("/v1/keys", json={"name": "bot", "rights": ["read"]}).json()["key"]
        cookie = client.cookies["rove_session"]
        process.kill()
        process.wait()
    with serving(kb) as (client, _):
        client.headers, bearer = httpx.Headers(HERE), {"authorization": f"Bearer {key}"}
        assert client.get("/v1/spaces").status_code == 401
        assert client.get("/v1/spaces", headers=bearer).status_code == 200
        client.cookies.set("rove_session", cookie)
        assert [one["name"] for one in client.get("/v1/people").json()["people"]] == ["ada", "bob"]
        with httpx.Client(base_url=client.base_url, headers=HERE) as other:
            assert other.post(f"{SESSION}/invitation", json={"token": bobs, "password": PASSWORD}).status_code == 200
        assert person(kb, "ADA", "--disable").exit_code == 0
        assert status_becomes(client, "/v1/spaces", 401)


def test_keys_of_the_file_are_revoked_over_http(tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    made = CliRunner().invoke(rove, ["serve", "key", "anna", "--right", "admin", "--kb", str(kb)])
    other = CliRunner().invoke(rove, ["serve", "key", "otto", "--kb", str(kb)])
    with serving(kb) as (client, _):
        client.headers = httpx.Headers({"authorization": f"Bearer {made.stdout.strip()}"})
        otto = {"authorization": f"Bearer {other.stdout.strip()}"}
        assert client.get("/v1/spaces", headers=otto).status_code == 200
        assert client.delete("/v1/keys/otto").status_code == 204
        assert client.get("/v1/spaces", headers=otto).status_code == 401
        text = (kb / "rove.toml").read_text("utf-8")
        assert "otto" not in text and "anna" in text
        time.sleep(1.5)  # the file is looked at
        assert [one["name"] for one in client.get("/v1/keys").json()["keys"]] == ["anna"]
        assert client.delete("/v1/keys/anna").status_code == 204  # the last: nobody comes in any more
        assert client.get("/v1/spaces").status_code == 401


def test_the_command_line_lets_in_lists_and_takes_out(tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    done = person(kb, "ada", "--role", "editor", "--label", "staff", "--label", "board", "--full-name", "Ada L")
    assert done.stdout.startswith("http://127.0.0.1:8017/#/invitation/")
    first = done.stdout.strip().rpartition("/")[2]
    again = token_of(person(kb, "ada", "--invite", "--json"))
    assert (whom(kb, first), whom(kb, again)) == ("", "ada")
    assert person(kb, "ADA").exit_code == 2  # the name is taken, whatever its case
    assert CliRunner().invoke(rove, ["serve", "key", "Ada", "--kb", str(kb)]).exit_code == 2
    assert CliRunner().invoke(rove, ["serve", "key", "bot", "--kb", str(kb)]).exit_code == 0
    assert person(kb, "BOT").exit_code == 2
    listed = json.loads(person(kb, "--list", "--json").stdout)
    assert [(one["name"], one["role"], one["labels"], one["state"]) for one in listed] == [
        ("ada", "editor", ["staff", "board"], "invited")
    ]
    for wrong in (
        ("x", "--role", "administrator", "--label", "staff"), ("x", "--space", "nowhere"), (), ("x", "--list"),
        ("a b",), ("local",), ("nobody", "--disable"), ("ada", "--disable", "--remove"),
    ):  # fmt: skip
        assert person(kb, *wrong).exit_code == 2, wrong
    assert person(kb, "ada", "--disable").exit_code == 0
    assert whom(kb, again) == ""
    assert json.loads(person(kb, "ada", "--remove", "--json").stdout) == {"name": "ada", "state": "removed"}
    assert person(kb, "--list").stdout == ""


def whom(kb: Path, token: str) -> str:
    """The name of whom an invitation is for."""
    database = Database(home_of(kb).dialect())
    try:
        found = PeopleLog(database).invited(token)
    finally:
        database.close()
    return found.name if found else ""


async def test_an_export_holds_none_and_a_rebuild_carries_people(tmp_path: Path) -> None:
    folder = tmp_path / "kb"
    settings = read_settings(folder, embedder=FAKE, store={"index": "memory"})
    async with AsyncRove(settings) as kb:
        await kb.add(*DOCUMENTS["hr"])
        people = PeopleLog(kb.store.catalog.database)
        keys = MadeKeys(kb.store.catalog.database)
        ada = people.make("ada", full_name="Ada L", role="editor", spaces=["*"], labels=["staff"])
        people.set_password(ada.person_id, "$argon2id$secret", keep="")
        token = people.begin_session(ada.person_id, "password", idle_h=1, max_h=1)
        keys.put(MadeKey("bot", "sha256:" + "0" * 64, ("*",), ("read",), ()))
        lines = "".join([line async for line in kb.export()])
        assert not [word for word in ('"ada"', "Ada L", "argon2id", '"bot"') if word in lines]
        before = people.people()
    shutil.copytree(folder, tmp_path / "copy")
    for source in (str(tmp_path / "copy"), "here"):
        if source == "here":
            data = bytearray((folder / "catalog.sqlite").read_bytes())
            at = data.index(b"Remote work is approved")
            data[at : at + 4_000] = bytes(4_000)  # a torn page of texts
            (folder / "catalog.sqlite").write_bytes(data)
        else:
            for left in folder.glob("catalog.sqlite*"):
                left.unlink()
        await rebuild(settings, source)
        async with AsyncRove(settings) as kb:
            people = PeopleLog(kb.store.catalog.database)
            assert people.people() == before
            assert [key.labels for key in MadeKeys(kb.store.catalog.database).listed()] == [()]
            assert people.session(hash_token(token)) is None  # of a backup, some were ended since: all sign in anew


@asynccontextmanager
async def server(base: str, folder: Path) -> AsyncIterator[httpx.AsyncClient]:
    """A server of a base in Postgres, and a browser at its page."""
    spaces = Spaces.open(read_settings(base, embedder=FAKE, serve={"tries_per_minute": 600}), folder)
    app = create_app(spaces)
    async with app.router.lifespan_context(app):
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=HERE) as page:
            yield page


@pytest.mark.long
async def test_servers_on_postgres_share_people_and_sessions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    base = postgres_server.base(f"p{token_hex(8)}")
    pages: list[httpx.AsyncClient] = []
    async with AsyncExitStack() as stack:
        for place in ("here", "there"):
            monkeypatch.setenv("ROVE_DATA", str(tmp_path / place))
            pages.append(await stack.enter_async_context(server(base, tmp_path)))
        here, there = pages
        made = await here.post("/v1/people", json={"name": "ada", "role": "administrator"})
        token = made.json()["invitation"]["token"]
        assert (await here.post(f"{SESSION}/invitation", json={"token": token, "password": PASSWORD})).is_success
        await becomes(there, 401)
        there.cookies.set("rove_session", here.cookies["rove_session"])
        assert (await there.get("/v1/people")).json()["people"][0]["name"] == "ada"
        made = await there.post("/v1/people", json={"name": "Ármin", "labels": ["staff"]})
        assert made.status_code == 201, made.text
        assert (await here.delete(SESSION)).status_code == 204
        await becomes(there, 401)


async def becomes(page: httpx.AsyncClient, status: int) -> None:
    for _ in range(200):
        if (await page.get("/v1/spaces")).status_code == status:
            return
        await asyncio.sleep(0.1)
    pytest.fail(f"it is not {status}")

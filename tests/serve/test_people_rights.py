"""People and keys, as administrators change them: what a role and labels give, on every route, and when it ends."""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path

import httpx
import pytest

from rove.errors import ConfigError
from rove.serve.people.directory import LOOK_S
from rove.serve.people.roles import ROLES
from rove.serve.spaces import Spaces
from rove.settings import read_settings
from rove.store.people_log import PeopleLog
from serve.conftest import Opener, Town, hold
from serve.people import HERE, PASSWORD, browser, invited, let_in, sign_in, signed_in
from serve.test_serve_routes import CALLS, GLOBAL, name_of, send

HR = "/v1/spaces/hr"
ASKED = {"question": "Who approves the merger with Nordwind?"}


@pytest.mark.long
@pytest.mark.parametrize("role", ROLES)
async def test_a_role_opens_what_its_rights_open(town: Town, role: str) -> None:
    """Every route, by somebody of each role who sees one of two spaces."""
    await let_in(town, "ada", role=role, spaces=["hr"])
    async with signed_in(town, "ada") as page:
        for call in (*CALLS, *GLOBAL):
            if call.method == "DELETE" and "{space}" in call.route and call.route.endswith("{space}"):
                continue  # it would shut the space
            reply = await send(page, call)
            whole = call.right == "admin" and (call in GLOBAL or re.search("/(settings|flows)", call.route))  # of all
            may = not whole and (not call.right or call.right in ROLES[role])
            assert (reply.status_code == 403) != may, (name_of(call), reply.status_code, reply.text[:200])
            if call in CALLS:
                assert (await send(page, call, "it")).status_code == 404, name_of(call)


async def test_labels_hold_for_people_as_for_keys(town: Town) -> None:
    await let_in(town, "ada", role="editor", spaces=["hr"], labels=["staff"])
    await let_in(town, "none", role="reader", spaces=["hr"], labels=[])
    async with signed_in(town, "ada") as page, signed_in(town, "none") as none, town.client("lara") as key:
        for client in (page, key):
            listed = (await client.get(f"{HR}/documents")).json()["documents"]
            assert [one["document_id"] for one in listed] == ["policy"]
        assert (await none.get(f"{HR}/documents")).json()["documents"] == []
        for path in ("search", "ask", "walks"):
            told = [await client.post(f"{HR}/{path}", json=ASKED) for client in (page, none)]
            assert not [reply for reply in told if "Nordwind is" in reply.text or "November" in reply.text]
        assert (await page.get(f"{HR}/text", params={"document_id": "merger"})).status_code == 404
        made = await page.post(f"{HR}/documents", json={"text": "Of ada.", "access": ["board"]})
        assert made.status_code == 403
        talk = (await page.post(f"{HR}/conversations", json={"title": "mine"})).json()["conversation_id"]
        asked = await page.post(f"{HR}/conversations/{talk}/turns", json=ASKED)
        assert "November" not in asked.text
        assert (await key.get(f"{HR}/conversations/{talk}")).status_code == 404


async def test_what_belongs_to_somebody_is_not_inherited_by_a_namesake(town: Town) -> None:
    await let_in(town, "ada", role="contributor", spaces=["hr"])
    async with signed_in(town, "ada") as page:
        talk = (await page.post(f"{HR}/conversations", json={"title": "mine"})).json()["conversation_id"]
        walk = await page.post(f"{HR}/walks", json=ASKED)
        assert walk.status_code == 200
        assert len((await page.get(f"{HR}/walks")).json()["walks"]) == 1
    async with town.client("root") as root:
        assert (await root.delete("/v1/people/ada")).status_code == 400
        assert (await root.delete("/v1/people/ada", params={"confirm": "ADA"})).status_code == 204
        assert (await root.delete("/v1/people/ada", params={"confirm": "ada"})).status_code == 404
    await let_in(town, "ada", role="contributor", spaces=["hr"])
    async with signed_in(town, "ada") as page:
        assert (await page.get(f"{HR}/conversations")).json()["conversations"] == []
        assert (await page.get(f"{HR}/conversations/{talk}")).status_code == 404
        assert (await page.get(f"{HR}/walks")).json()["walks"] == []
    catalog = town.spaces._spaces["hr"].kb.store.catalog.database
    with catalog.read() as connection:  # a person who goes takes conversations along
        assert connection.exec_driver_sql("SELECT count(*) FROM conversations").scalar_one() == 0


@pytest.mark.parametrize(
    "change", [{"disabled": True}, {"role": "contributor"}, {"spaces": ["it"]}, {"labels": []}, None]
)
async def test_what_is_being_done_ends_with_the_right_to_it(
    town: Town, monkeypatch: pytest.MonkeyPatch, change: dict[str, object] | None
) -> None:
    await let_in(town, "ada", spaces=["hr"])
    hold(monkeypatch, 0)
    async with signed_in(town, "ada") as page, town.client("root") as root:
        asked = asyncio.create_task(page.post(f"{HR}/search", json=ASKED))
        await asyncio.sleep(0.1)
        if change is None:
            reply = await root.delete("/v1/people/ada", params={"confirm": "ada"})
        else:
            reply = await root.patch("/v1/people/ada", json=change)
        assert reply.status_code < 300, reply.text
        assert (await asyncio.wait_for(asked, 5)).status_code == 401
        signed_out = change is None or "disabled" in change or "role" in change
        assert (await page.get("/v1/spaces")).status_code == (401 if signed_out else 200)
        if change and change.get("disabled"):
            assert (await sign_in(page, "ada")).status_code == 401
            await root.patch("/v1/people/ada", json={"disabled": False})
            assert (await sign_in(page, "ada")).status_code == 200


async def test_the_last_administrator_stays(town: Town) -> None:
    await let_in(town, "ada", role="administrator")
    async with signed_in(town, "ada") as page:
        await invited(page, "bob", role="administrator")  # who has not signed in yet
        await let_in(town, "cleo", role="administrator", spaces=["hr"])  # of one space only
        for change in ({"disabled": True}, {"role": "editor"}, {"spaces": ["hr"]}):
            refused = await page.patch("/v1/people/ada", json=change)
            assert (refused.status_code, refused.json()["cure"][:4]) == (400, "Make"), change
        assert (await page.delete("/v1/people/ada", params={"confirm": "ada"})).status_code == 400
        await let_in(town, "dan", role="administrator")
        assert (await page.patch("/v1/people/ada", json={"role": "editor"})).status_code == 200
        assert (await page.get("/v1/people")).status_code == 401  # who has another role signs in anew
        await sign_in(page, "ada")
        assert (await page.get("/v1/people")).status_code == 403


@pytest.mark.parametrize(
    ("person", "status"),
    [
        ({"name": "Anna"}, 400),  # a key is called so
        ({"name": "LOCAL"}, 400),
        ({"name": "ADA"}, 400),
        ({"name": "a b"}, 422),
        ({"name": "person:1"}, 422),
        ({"name": "x", "role": "king"}, 422),
        ({"name": "x", "spaces": ["nowhere"]}, 400),
        ({"name": "x", "spaces": []}, 422),
        ({"name": "x", "role": "administrator", "labels": ["staff"]}, 400),
        ({"name": "x", "labels": ["a b"]}, 422),
        ({"name": "エイダ", "full_name": "エイダ・ラブレス"}, 201),
    ],
)
async def test_who_cannot_be_let_in_is_refused(town: Town, person: dict[str, object], status: int) -> None:
    async with town.client("root") as root:
        await invited(root, "ada")
        assert (await root.post("/v1/people", json=person)).status_code == status


async def test_keys_are_made_and_revoked_on_the_page(town: Town) -> None:
    async with town.client("root") as root, browser(town) as page:
        await invited(root, "ada")
        for taken in ("anna", "ADA", "root"):
            assert (await root.post("/v1/keys", json={"name": taken})).status_code == 400
        made = (await root.post("/v1/keys", json={"name": "bot", "spaces": ["hr"], "labels": ["staff"]})).json()
        listed = {one["name"]: one for one in (await root.get("/v1/keys")).json()["keys"]}
        assert (listed["bot"]["where"], listed["anna"]["where"]) == ("page", "file")
        assert "key" not in listed["bot"]
        bearer = {"authorization": f"Bearer {made['key']}"}
        found = (await page.get(f"{HR}/documents", headers=bearer)).json()["documents"]
        assert [one["document_id"] for one in found] == ["policy"]
        assert (await root.post("/v1/people", json={"name": "BOT"})).status_code == 400
        assert (await root.delete("/v1/keys/bot")).status_code == 204
        assert (await page.get(f"{HR}/documents", headers=bearer)).status_code == 401
        assert (await root.delete("/v1/keys/bot")).status_code == 404


async def test_the_first_of_the_people_closes_an_open_server(open_town: Opener) -> None:
    async with open_town(holders={}, filled=False) as town, browser(town) as page:
        session = (await page.get("/v1/session")).json()
        assert session["ways"]["open"] and session["person"]["way"] == "local"
        assert (await page.post("/v1/people", json={"name": "ada"})).status_code == 400  # nobody could let others in
        token = await invited(page, "ada", role="administrator")
        assert (await page.get("/v1/spaces")).status_code == 401
        assert (await page.get("/v1/session")).json() == {
            "ways": {"open": False, "keys": False, "password": True, "oidc": []},
            "person": None,
        }
        assert (await page.post("/v1/session/invitation", json={"token": token, "password": PASSWORD})).is_success
        assert (await page.get("/v1/people")).json()["people"][0]["state"] == "active"


async def test_who_closes_the_server_is_told_the_link(open_town: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the server notices in between that it is to be closed."""
    invite = PeopleLog.invite

    def slowly(self: PeopleLog, person_id: str) -> tuple[str, str]:
        time.sleep(2.5 * LOOK_S)
        return invite(self, person_id)

    monkeypatch.setattr(PeopleLog, "invite", slowly)
    async with open_town(holders={}, filled=False) as town, browser(town) as page:
        assert await invited(page, "ada", role="administrator")


async def test_two_servers_of_one_base_have_the_same_people(tmp_path: Path, open_town: Opener) -> None:
    async with open_town(filled=False) as here, open_town(filled=False) as there:
        await let_in(here, "ada", role="administrator")
        async with browser(there) as page, signed_in(here, "ada") as admin:
            await asyncio.sleep(0)
            assert (await sign_in(page, "ada")).status_code == 200
            token = page.cookies["rove_session"]
            async with browser(here) as other:  # the session of one is one of the other
                other.cookies.set("rove_session", token)
                assert (await other.get("/v1/spaces")).status_code == 200
                assert (await other.delete("/v1/session")).status_code == 204
            await gone(page)
            await sign_in(page, "ada")
            made = (await page.post("/v1/keys", json={"name": "bot"})).json()["key"]
            bearer = {"authorization": f"Bearer {made}"}
            assert await becomes(admin, "/v1/spaces", 200, {**HERE, **bearer})
            await admin.patch("/v1/people/ada", json={"full_name": "Ada"})
            await let_in(here, "bob", role="administrator")
            assert (await admin.patch("/v1/people/ada", json={"disabled": True})).status_code == 200
            await gone(page)


async def gone(page: httpx.AsyncClient) -> None:
    assert await becomes(page, "/v1/spaces", 401)


async def becomes(client: httpx.AsyncClient, path: str, status: int, headers: dict[str, str] | None = None) -> bool:
    for _ in range(100):
        if (await client.get(path, headers=headers)).status_code == status:
            return True
        await asyncio.sleep(0.1)
    return False


async def test_people_of_another_base_are_not_lost_in_silence(tmp_path: Path, open_town: Opener) -> None:
    async with open_town(filled=False) as town:
        await let_in(town, "ada")
    with pytest.raises(ConfigError, match="'it'.*has none.*'hr'"):
        async with open_town(filled=False, serve={"people_space": "it"}):
            pass
    with pytest.raises(ConfigError, match="nowhere"):
        async with open_town(filled=False, serve={"people_space": "nowhere"}):
            pass


async def test_labels_and_bases_that_leave_out_duplicates_do_not_go_together(open_town: Opener) -> None:
    holders = {"root": {"rights": ("read", "add", "delete", "admin")}}
    opened = open_town(holders=holders, filled=False, load={"duplicates": "skip"})
    async with opened as town, town.client("root") as root:
        refused = await root.post("/v1/people", json={"name": "ada", "labels": ["staff"]})
        assert refused.status_code == 400 and "duplicates" in refused.json()["detail"]
        assert (await root.post("/v1/people", json={"name": "ada"})).status_code == 201


def test_an_address_of_others_needs_somebody_who_may_sign_in(tmp_path: Path) -> None:
    serve = {"host": "0.0.0.0", "hosts": ("kb.example.org",)}
    settings = read_settings(tmp_path / "kb", embedder={"name": "fake"}, store={"index": "memory"}, serve=serve)
    with pytest.raises(ConfigError) as refused:
        Spaces.open(settings, tmp_path)
    assert "rove serve person" in refused.value.cure and "rove serve key" in refused.value.cure

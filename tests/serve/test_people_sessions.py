"""Signing in and out: cookies, invitations, passwords, expiry, and what guessing costs."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy import update
from tests.cpu_time import at_most

from rove.errors import InputError
from rove.serve.people import passwords
from rove.serve.people.passwords import Passwords, check_password
from rove.serve.people.sign_in_delays import FREE_TRIES, LONGEST_S, SignInDelays
from rove.serve.problems import ThrottledError
from rove.store.people_log import hash_token
from rove.store.people_tables import people, person_invitations, person_sessions
from serve.conftest import Opener, Town
from serve.people import HERE, PASSWORD, browser, invited, let_in, sign_in, signed_in

HR = "/v1/spaces/hr"
SESSION = "/v1/session"


async def who(page: httpx.AsyncClient) -> str | None:
    found = (await page.get(SESSION)).json()["person"]
    return found and found["name"]


def database(town: Town):
    return town.app.state.server_context.people.log._database


def forget(town: Town) -> None:
    """Let the server look at each session anew, as it does after a second."""
    town.app.state.server_context.people.sessions.forget()


async def test_an_invitation_is_used_once_and_its_session_lets_in(town: Town) -> None:
    async with town.client("root") as root, browser(town) as page, browser(town) as other:
        token = await invited(root, "Ada.L", full_name="Ada Lovelace", role="contributor", spaces=["hr"])
        assert (await page.get(f"{SESSION}/invitation", params={"token": token})).json() == {
            "name": "Ada.L",
            "full_name": "Ada Lovelace",
        }
        weak = await page.post(f"{SESSION}/invitation", json={"token": token, "password": "short"})
        assert weak.status_code == 400 and "10 characters" in weak.json()["detail"]
        reply = await page.post(f"{SESSION}/invitation", json={"token": token, "password": PASSWORD})
        assert reply.json()["person"] == {
            "name": "Ada.L",
            "full_name": "Ada Lovelace",
            "role": "contributor",
            "rights": ["add", "read"],
            "spaces": ["hr"],
            "labels": None,
            "way": "password",
        }
        cookie = reply.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=strict" in cookie and "Path=/" in cookie and "Secure" not in cookie
        assert (await page.get("/v1/spaces")).json()["spaces"] == ["hr"]
        for again in (
            await other.post(f"{SESSION}/invitation", json={"token": token, "password": PASSWORD}),
            await other.get(f"{SESSION}/invitation", params={"token": token}),
        ):
            assert again.status_code == 404
        assert await who(other) is None
        assert (await sign_in(other, "ADA.l")).status_code == 200
        assert (await other.delete(SESSION)).status_code == 204
        assert (await other.get("/v1/spaces")).status_code == 401
        assert await who(page) == "Ada.L"
        with database(town).read() as connection:
            kept = list(connection.execute(people.select()))
        assert PASSWORD not in repr(kept) and "$argon2id$" in repr(kept)


async def test_an_invitation_expires_and_a_new_one_ends_the_old(town: Town) -> None:
    async with town.client("root") as root, browser(town) as page:
        first = await invited(root, "ada")
        second = (await root.post("/v1/people/ada/invitation")).json()["token"]
        assert (await page.get(f"{SESSION}/invitation", params={"token": first})).status_code == 404
        assert (await page.get(f"{SESSION}/invitation", params={"token": second})).status_code == 200
        with database(town).write() as connection:
            past = (datetime.now(UTC) - timedelta(minutes=1)).isoformat(timespec="milliseconds")
            connection.execute(update(person_invitations).values(expires_at=past))
        reply = await page.post(f"{SESSION}/invitation", json={"token": second, "password": PASSWORD})
        assert reply.status_code == 404


async def test_behind_https_the_cookie_goes_no_other_way(open_town: Opener) -> None:
    async with open_town(filled=False, serve={"public_url": "https://kb.example.org"}) as town:
        async with town.client("root") as root:
            made = await root.post("/v1/people", json={"name": "ada"})
            assert made.json()["invitation"]["link"].startswith("https://kb.example.org/#/invitation/")
            token = made.json()["invitation"]["token"]
        async with browser(town) as page:
            reply = await page.post(f"{SESSION}/invitation", json={"token": token, "password": PASSWORD})
            assert "; Secure" in reply.headers["set-cookie"]


async def test_a_page_elsewhere_does_nothing_with_the_cookie(town: Town) -> None:
    """The cookie alone is not enough: what changes something comes from a page of the server's own."""
    await let_in(town, "ada", role="editor", spaces=["hr"])
    async with signed_in(town, "ada") as page:
        body, path = {"question": "Who approves remote work?"}, f"{HR}/search"
        del page.headers["sec-fetch-site"]
        refused = [
            {},
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
            {"origin": "http://localhost:8018"},
            {"origin": "null"},
            {"origin": "https://evil.example", "sec-fetch-site": "same-origin"},
            {"origin": "http://localhost", "sec-fetch-site": "cross-site"},
        ]
        for headers in refused:
            assert (await page.post(path, json=body, headers=headers)).status_code == 403, headers
            gone = await page.delete(f"{HR}/document", params={"document_id": "policy"}, headers=headers)
            assert gone.status_code == 403
            assert (await page.post("/mcp", json={}, headers=headers)).status_code == 403
        for headers in ({"origin": "http://localhost"}, HERE):
            assert (await page.post(path, json=body, headers=headers)).status_code == 200
        assert (await page.get(f"{HR}/documents")).status_code == 200


async def test_a_key_is_what_counts_where_both_come(town: Town) -> None:
    await let_in(town, "ada", role="administrator")
    async with signed_in(town, "ada") as page:
        assert (await page.get("/metrics")).status_code == 200
        assert (await page.get("/metrics", headers={"authorization": f"Bearer {town.keys['anna']}"})).status_code == 403
        assert (await page.get("/metrics", headers={"authorization": "Bearer no"})).status_code == 401


async def test_another_password_ends_the_other_sessions(town: Town) -> None:
    await let_in(town, "ada")
    async with signed_in(town, "ada") as page, signed_in(town, "ada") as other:
        wrong = await page.post(f"{SESSION}/password", json={"old": "not this one", "new": PASSWORD * 2})
        assert (wrong.status_code, wrong.json()["type"]) == (403, "urn:rove:problem:wrong-password")
        weak = await page.post(f"{SESSION}/password", json={"old": PASSWORD, "new": "password123"})
        assert weak.status_code == 400
        assert await who(other) == "ada"
        done = await page.post(f"{SESSION}/password", json={"old": PASSWORD, "new": PASSWORD * 2})
        assert done.status_code == 204
        assert (await who(page), await who(other)) == ("ada", None)
        assert (await sign_in(other, "ada")).status_code == 401
        assert (await sign_in(other, "ada", PASSWORD * 2)).status_code == 200
    async with town.client("anna") as key:
        assert (await key.post(f"{SESSION}/password", json={"old": "x", "new": "y"})).status_code == 401


async def test_a_session_expires_without_use_and_at_last(open_town: Opener) -> None:
    async with open_town(filled=False, serve={"session_idle_h": 1, "session_max_h": 10}) as town:
        await let_in(town, "ada")
        async with signed_in(town, "ada") as page:
            hashed = hash_token(page.cookies["rove_session"])

            def aged(column: str, hours: float) -> None:
                at = (datetime.now(UTC) - timedelta(hours=hours)).isoformat(timespec="milliseconds")
                one = person_sessions.c.token_hash == hashed
                with database(town).write() as connection:
                    connection.execute(update(person_sessions).where(one).values(**{column: at}))
                forget(town)

            aged("seen_at", 0.9)
            assert await who(page) == "ada"
            await town.app.state.server_context.people.sessions.settle()
            forget(town)  # it was used a moment ago: that is written down
            found = await asyncio.to_thread(town.app.state.server_context.people.log.session, hashed)
            assert datetime.now(UTC) - datetime.fromisoformat(found[0].seen_at) < timedelta(minutes=1)
            aged("created_at", 9.9)
            assert await who(page) == "ada"
            aged("created_at", 10.1)
            assert await who(page) is None
        async with signed_in(town, "ada") as page:
            hashed = hash_token(page.cookies["rove_session"])
            aged("seen_at", 1.1)
            assert await who(page) is None


async def test_an_unknown_name_costs_the_same_and_is_told_the_same(town: Town, monkeypatch: pytest.MonkeyPatch) -> None:
    await let_in(town, "ada")
    await let_in(town, "gone")
    checked: list[str] = []
    fits = Passwords._fits

    def counted(self: Passwords, kept: str, password: str) -> bool:
        checked.append(kept.rsplit("$", 2)[0])
        return fits(self, kept, password)

    monkeypatch.setattr(Passwords, "_fits", counted)
    async with town.client("root") as root, browser(town) as page:
        await invited(root, "new")
        await root.patch("/v1/people/gone", json={"disabled": True})
        told = []
        for name in ("ada", "nobody-of-this-name", "new", "gone", "anna", "", "x" * 200):
            reply = await sign_in(page, name, "not the password" if name == "ada" else PASSWORD)
            told.append((reply.status_code, reply.text, "set-cookie" in reply.headers))
    assert len(set(told)) == 1 and told[0][0] == 401
    assert len(checked) == len(told) and len(set(checked)) == 1  # as many hashes, of the same parameters


async def test_guessing_at_a_name_is_slowed_down_and_its_owner_gets_in(town: Town) -> None:
    await let_in(town, "ada")
    now = 0.0
    town.app.state.server_context.people.delays._clock = lambda: now
    async with browser(town) as page:
        replies = [await sign_in(page, "ada", f"guess number {number}") for number in range(FREE_TRIES + 1)]
        assert [one.status_code for one in replies] == [401] * FREE_TRIES + [429]
        assert replies[-1].json()["type"] == "urn:rove:problem:too-many"
        assert int(replies[-1].headers["retry-after"]) == 1
        assert (await sign_in(page, "ada")).status_code == 429  # also with the right one: nobody learns which it was
        now = 1.1
        assert (await sign_in(page, "ada")).status_code == 200
        assert (await sign_in(page, "ada", "once wrong")).status_code == 401


def test_delays_grow_are_bounded_and_keep_known_addresses_free() -> None:
    now = 0.0
    delays = SignInDelays(lambda: now)
    waits: list[float] = []
    for _ in range(20):
        while True:
            try:
                delays.begin("ada", "evil")
                break
            except ThrottledError as error:
                waits.append(error.retry_after_s)
                now += error.retry_after_s
    assert waits[:3] == [1.0, 2.0, 4.0] and max(waits) == LONGEST_S
    now += 3_600
    delays.begin("ada", "home")
    delays.succeed("ada", "home")
    for _ in range(FREE_TRIES):
        delays.begin("ada", "evil")
    with pytest.raises(ThrottledError):
        delays.begin("ada", "evil")
    delays.begin("ada", "home")  # who has been here from there does not wait for others
    for number in range(30_000):
        delays.begin(f"name{number}", "evil")
    assert len(delays._tries) <= 10_000


async def test_an_address_tries_so_often_a_minute(open_town: Opener) -> None:
    async with open_town(filled=False, serve={"tries_per_minute": 1}) as town, browser(town) as page:
        replies = [await sign_in(page, f"name{number}", PASSWORD) for number in range(3)]
        assert [one.status_code for one in replies] == [401, 429, 429]
        assert (await page.get(SESSION)).status_code == 200


async def test_two_hashes_at_once_and_a_queue_that_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    running, most = 0, 0

    def slow(self: Passwords, kept: str, password: str) -> bool:
        nonlocal running, most
        running += 1
        most = max(most, running)
        time.sleep(0.02)
        running -= 1
        return False

    monkeypatch.setattr(Passwords, "_fits", slow)
    made = Passwords()
    tries = [made.fits("$argon2id$x", "x") for _ in range(passwords.MOST_WAITING + 5)]
    done = await asyncio.gather(*tries, return_exceptions=True)
    assert most <= passwords.AT_ONCE
    assert sum(isinstance(one, ThrottledError) for one in done) == 5


async def test_a_hash_of_older_parameters_is_made_anew(town: Town) -> None:
    await let_in(town, "ada")
    log = town.app.state.server_context.people.log
    weak = passwords.PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD)
    await asyncio.to_thread(log.rehash, log.get("ada"), weak)
    async with signed_in(town, "ada") as page:
        assert await who(page) == "ada"
    kept = log.get("ada").password
    assert kept != weak and "m=65536" in kept


@pytest.mark.parametrize(
    "password",
    ["kurz", "password123", "PASSWORD123", "1234567890", "0987654321", "aaaaaaaaaaaa", "ada.lovelace", "x" * 201],
)
def test_passwords_that_anybody_would_try_are_refused(password: str) -> None:
    with pytest.raises(InputError):
        check_password(password, "ada.lovelace")


@pytest.mark.parametrize(
    "password", ["correct horse battery", "犬が川を渡って行きました", "jó reggelt kívánok", "x2-9kk-01aq"]
)
def test_other_passwords_are_the_persons_own_business(password: str) -> None:
    check_password(password, "ada")


async def test_a_request_with_a_session_costs_little(town: Town) -> None:
    """Once a second the base is asked; what comes between is found in memory."""
    await let_in(town, "ada")
    sessions = town.app.state.server_context.people.sessions
    async with signed_in(town, "ada") as page:
        token = page.cookies["rove_session"]
        await sessions.find(token)
        with at_most(0.2):  # 0.2 ms each
            for _ in range(1_000):
                assert await sessions.find(token)

"""Signing in with an OpenID provider: a real one, and a scripted one that does all that must not be believed."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from joserfc.jwk import RSAKey
from pydantic import ValidationError

from rove.errors import ConfigError
from rove.serve.people import openid
from rove.serve.people.openid import Flow
from rove.serve.people.openid_people import claimed
from rove.settings import OpenIdSettings
from serve.conftest import Opener, Town
from serve.people import browser, let_in
from serve.scripted_provider import Script, scripted_provider

START, BACK = "/v1/session/oidc/sso", "/v1/session/oidc/sso/callback"
ROLES = {"rove-admins": "administrator", "writers": "editor", "all": "reader"}


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Iterator[Script]:
    monkeypatch.setenv("ROVE_TEST_OIDC", "geheim")
    with scripted_provider() as running:
        running.claims = {"groups": ["all"]}
        yield running


def provider(issuer: str, **more: Any) -> dict[str, Any]:
    one = {"issuer": issuer, "client_id": "rove", "client_secret_env": "ROVE_TEST_OIDC", "label": "Example"}
    return {"oidc": {"sso": {**one, "role_claim": "groups", "roles": ROLES, **more}}}


async def sent(page: httpx.AsyncClient) -> str:
    """Go to the provider; returns the address that the browser is sent to."""
    reply = await page.get(START)
    assert reply.status_code == 302, reply.headers
    return reply.headers["location"]


async def come_back(page: httpx.AsyncClient, script: Script) -> str:
    """Sign in there, and come back; returns where the page is sent to then."""
    reply = await page.get(script.approve(await sent(page)))
    assert reply.status_code == 303, reply.text
    return reply.headers["location"].removeprefix("http://localhost")


async def who(page: httpx.AsyncClient) -> dict[str, Any] | None:
    return (await page.get("/v1/session")).json()["person"]


@pytest.fixture
def real_provider(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A provider in a process of its own, which knows one person; yields its issuer."""
    monkeypatch.setenv("ROVE_TEST_OIDC", "geheim")
    claims = {"sub": "u7", "preferred_username": "ada@example.org", "name": "Ada", "groups": ["writers", "all", "x"]}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "oidc_provider_mock", "--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen([*command, "--user-claims", json.dumps(claims)], stderr=subprocess.DEVNULL)
    issuer = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            with suppress(httpx.TransportError):
                httpx.get(f"{issuer}/.well-known/openid-configuration")
                break
            time.sleep(0.1)
        yield issuer
    finally:
        process.terminate()
        process.wait()


async def test_a_real_provider(open_town: Opener, real_provider: str) -> None:
    async with open_town(filled=False, serve=provider(real_provider, spaces=["hr"])) as town, browser(town) as page:
        assert (await page.get("/v1/session")).json()["ways"]["oidc"] == [{"name": "sso", "label": "Example"}]
        async with httpx.AsyncClient() as there:
            approved = await there.post(await sent(page), data={"sub": "u7"})
        assert approved.status_code == 302, approved.text
        assert (await page.get(approved.headers["location"])).headers["location"] == "http://localhost/#/"
        found = await who(page)
        assert found and found["name"] == "ada.example.org"
        assert (found["role"], found["spaces"], found["way"]) == ("editor", ["hr"], "oidc")
        assert (await page.get("/v1/spaces")).json()["spaces"] == ["hr"]
        async with town.client("root") as root:
            listed = (await root.get("/v1/people")).json()
            assert listed["oidc_roles"] and listed["people"][0]["way"] == "oidc"


async def test_roles_and_labels_are_taken_over_at_each_sign_in(open_town: Opener, script: Script) -> None:
    script.claims = {"groups": ["all"], "departments": ["staff", "not a label"]}
    async with open_town(serve=provider(script.issuer, labels_claim="departments")) as town, browser(town) as page:
        assert await come_back(page, script) == "/#/"
        assert (await who(page) or {})["labels"] == ["staff"]
        listed = (await page.get("/v1/spaces/hr/documents")).json()["documents"]
        assert [one["document_id"] for one in listed] == ["policy"]
        script.claims = {"groups": "all", "departments": None}  # none: nothing is seen
        await come_back(page, script)
        assert (await page.get("/v1/spaces/hr/documents")).json()["documents"] == []
        script.claims = {"groups": ["all", "rove-admins"], "departments": ["staff"]}
        await come_back(page, script)
        found = await who(page)
        assert found and (found["role"], found["labels"]) == ("administrator", None)
        assert len((await page.get("/v1/people")).json()["people"]) == 1  # still the same person
        script.claims = {"groups": []}
        async with browser(town) as other:
            assert await come_back(other, script) == "/#/sign-in?problem=no-role"
        town.app.state.server_context.people.sessions.forget()
        assert await who(page) is None  # who has no role any more is signed out everywhere


async def test_what_the_provider_tells_only_when_asked(open_town: Opener, script: Script) -> None:
    script.claims, script.user_info = {"groups": None}, {"groups": ["writers"]}
    async with open_town(filled=False, serve=provider(script.issuer)) as town, browser(town) as page:
        assert await come_back(page, script) == "/#/"
        assert (await who(page) or {})["role"] == "editor"
        script.user_info = {"groups": ["rove-admins"], "sub": "somebody else"}
        assert await come_back(page, script) == "/#/sign-in?problem=no-role"


@pytest.mark.parametrize("name", ["bob", "anna", "LOCAL"])
async def test_a_provider_does_not_become_somebody_else(open_town: Opener, script: Script, name: str) -> None:
    """Who is here by a password, or a key of that name, stays who they are."""
    script.claims["preferred_username"] = name
    async with open_town(filled=False, serve=provider(script.issuer)) as town, browser(town) as page:
        await let_in(town, "BOB", role="administrator")
        assert await come_back(page, script) == "/#/sign-in?problem=name-taken"
        assert await who(page) is None


async def test_who_is_disabled_here_stays_out(open_town: Opener, script: Script) -> None:
    async with open_town(filled=False, serve=provider(script.issuer)) as town, browser(town) as page:
        await come_back(page, script)
        async with town.client("root") as root:
            await root.patch("/v1/people/ada", json={"disabled": True})
        assert await who(page) is None
        assert await come_back(page, script) == "/#/sign-in?problem=disabled"
        script.claims |= {"sub": "s2", "preferred_username": "  "}
        assert await come_back(page, script) == "/#/sign-in?problem=no-name"


def wrong_key(script: Script) -> None:
    script.told_keys = [RSAKey.generate_key(2048, {"kid": "one"})]


def fault(word: str) -> Callable[[Script], None]:
    return lambda script: setattr(script, "fault", word)


def claim(**claims: Any) -> Callable[[Script], None]:
    return lambda script: script.claims.update(claims)


FAULTS: dict[str, Callable[[Script], None]] = {
    "nonce": claim(nonce="another"),
    "no nonce": claim(nonce=None),
    "expired": claim(exp=int(time.time()) - 3_600),
    "no expiry": claim(exp=None),
    "of tomorrow": claim(iat=int(time.time()) + 86_400),
    "audience": claim(aud="another"),
    "audiences": claim(aud=["another", "third"]),
    "authorized party": claim(aud=["rove", "another"], azp="another"),
    "issuer": claim(iss="http://127.0.0.1:1"),
    "no subject": claim(sub=None),
    "empty subject": claim(sub=""),
    "long subject": claim(sub="x" * 300),
    "signature": wrong_key,
    "unsigned": fault("unsigned"),
    "signed with the public key": fault("hmac"),
    "too much": fault("huge"),
}


@pytest.mark.parametrize("name", FAULTS)
async def test_what_must_not_be_believed_lets_nobody_in(open_town: Opener, script: Script, name: str) -> None:
    async with open_town(filled=False, serve=provider(script.issuer)) as town, browser(town) as page:
        FAULTS[name](script)
        assert await come_back(page, script) == "/#/sign-in?problem=provider"
        assert await who(page) is None
        async with town.client("root") as root:
            assert (await root.get("/v1/people")).json()["people"] == []


async def test_the_way_back_belongs_to_the_browser_that_left(open_town: Opener, script: Script) -> None:
    async with open_town(filled=False, serve=provider(script.issuer)) as town, browser(town) as page:
        async with browser(town) as victim:
            back = script.approve(await sent(page))
            assert (await victim.get(back)).headers["location"].endswith("problem=expired")
            assert await who(victim) is None
            await sent(victim)  # it has a flow of its own, and the other's state does not fit it
            assert (await victim.get(back)).headers["location"].endswith("problem=expired")
        assert (await page.get(back)).headers["location"].endswith("/#/sign-in?problem=expired") is False
        again = await page.get(back)  # the cookie has gone with the first use
        assert again.headers["location"].endswith("problem=expired")
        refused = await page.get(BACK, params={"error": "access_denied", "state": "x"})
        assert refused.headers["location"].endswith("problem=expired")
        state = parse_qs(urlsplit(await sent(page)).query)["state"][0]
        refused = await page.get(BACK, params={"error": "access_denied", "state": state})
        assert refused.headers["location"].endswith("problem=refused")
        assert (await page.get("/v1/session/oidc/none")).status_code == 404


async def test_the_cookie_of_the_way_is_narrow(open_town: Opener, script: Script) -> None:
    async with open_town(filled=False, serve=provider(script.issuer)) as town, browser(town) as page:
        reply = await page.get(START)
        cookie = reply.headers["set-cookie"]
        assert "HttpOnly" in cookie and "SameSite=lax" in cookie and f"Path={START}" in cookie
        assert "geheim" not in f"{reply.headers}"
        back = await page.get(script.approve(reply.headers["location"]))
        cookies = back.headers.get_list("set-cookie")
        assert any(one.startswith("rove_session=") and "SameSite=strict" in one for one in cookies)


@pytest.mark.parametrize("what", ["down", "redirect", "nonsense", "issuer", "plain", "elsewhere"])
async def test_a_provider_that_is_down_or_odd_is_said(open_town: Opener, script: Script, what: str) -> None:
    script.fault = what
    script.description = {
        "issuer": {"issuer": "https://another.example"},
        "plain": {"token_endpoint": "http://login.example.org/token"},
        "elsewhere": {"jwks_uri": "file:///etc/passwd"},
    }.get(what, {})
    async with open_town(filled=False, serve=provider(script.issuer)) as town, browser(town) as page:
        reply = await page.get(START)
        assert (reply.status_code, reply.headers["location"]) == (303, "http://localhost/#/sign-in?problem=provider")
        script.fault, script.description = "", {}
        assert await come_back(page, script) == "/#/"  # what went wrong is not remembered


async def test_keys_that_have_changed_are_looked_for(
    open_town: Opener, script: Script, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(openid, "LEAST_S", 0.0)
    async with open_town(filled=False, serve=provider(script.issuer)) as town, browser(town) as page:
        assert await come_back(page, script) == "/#/"
        await come_back(page, script)
        assert script.asked.count("/keys") == 1
        script.key = RSAKey.generate_key(2048, {"kid": "two"})
        assert await come_back(page, script) == "/#/"
        assert script.asked.count("/keys") == 2


@pytest.fixture
async def town(open_town: Opener, script: Script) -> AsyncIterator[Town]:
    async with open_town(filled=False, holders={}, serve=provider(script.issuer)) as opened:
        yield opened


async def test_a_provider_alone_closes_a_server(town: Town) -> None:
    async with browser(town) as page:
        assert (await page.get("/v1/spaces")).status_code == 401
        ways = (await page.get("/v1/session")).json()["ways"]
        assert (ways["open"], ways["password"]) == (False, False)


async def test_without_its_secret_a_server_does_not_start(open_town: Opener, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ROVE_TEST_OIDC", raising=False)
    with pytest.raises(ConfigError, match="ROVE_TEST_OIDC"):
        async with open_town(filled=False, serve=provider("https://login.example.org")):
            pass


@pytest.mark.parametrize("issuer", ["http://login.example.org", "ftp://x", "https://a b", "https://x?y"])
def test_issuers_are_reached_by_https(issuer: str) -> None:
    with pytest.raises(ValidationError):
        OpenIdSettings(issuer=issuer, client_id="rove")


def test_claims_are_read_as_the_settings_have_it() -> None:
    settings = OpenIdSettings.model_validate({
        "issuer": "https://a.example", "client_id": "rove", "role_claim": "realm_access.roles", "roles": ROLES,
        "labels_claim": "https://a.example/labels",
    })  # fmt: skip
    claims = {
        "preferred_username": "Ada L/../x", "name": ["no text"], "https://a.example/labels": "hr board",
        "realm_access": {"roles": ["all", "writers", 7]},
    }  # fmt: skip
    found = claimed(claims, settings)
    assert (found.name, found.full_name, found.role, found.labels) == ("Ada.L....x", "", "editor", ("hr", "board"))
    assert claimed({"realm_access": "all"}, settings).role == ""
    assert Flow("a", "s").word("state") != Flow("b", "s").word("state") != Flow("b", "s").word("nonce")
    assert not Flow("a", "").came_back(Flow("a", "").word("state"))

"""Keys while the server runs: made, changed and taken back; and how often somebody may try without one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_network
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from rove.cli import rove
from rove.serve.admission.callers import LOCAL, Callers
from rove.serve.admission.client_address import client_address
from rove.serve.admission.keyring import Keyring, follow
from rove.serve.admission.keys import hash_key
from rove.serve.admission.open_requests import OpenRequests
from rove.serve.admission.rate_limits import Buckets
from rove.serve.problems import ThrottledError, UnknownCallerError
from rove.settings import KeySettings, read_settings
from serve.conftest import Opener, Town, serving

SPACES = "/v1/spaces"
SOON_S = 20.0


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


def made(kb: Path, name: str, *options: str) -> str:
    done = CliRunner().invoke(
        rove, ["serve", "key", name, "--right", "add", "--right", "read", "--kb", str(kb), *options]
    )
    assert done.exit_code == 0, done.output
    return done.stdout.strip()


def status_becomes(client: httpx.Client, key: str, status: int) -> bool:
    deadline = time.monotonic() + SOON_S
    while time.monotonic() < deadline:
        if client.get(SPACES, headers=bearer(key)).status_code == status:
            return True
        time.sleep(0.1)
    return False


@contextmanager
def idle_stream(client: httpx.Client, key: str) -> Iterator[Iterator[str]]:
    """The progress of a job that waits for an embedder that is not there."""
    job = client.post("/v1/spaces/default/documents", json={"text": "Hello."}, headers=bearer(key)).json()
    path = f"/v1/spaces/default/jobs/{job['job_id']}/events"
    with client.stream("GET", path, headers=bearer(key)) as reply:
        lines = reply.iter_lines()
        assert next(lines) == "event: job"
        yield lines


def test_keys_count_while_the_server_runs(tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    file = kb / "rove.toml"
    anna = made(kb, "anna")
    file.write_text(
        '[embedder]\nname = "openai"\nmodel = "none"\nbase_url = "http://127.0.0.1:9/v1"\ndimension = 8\n'
        + file.read_text("utf-8"),
        "utf-8",
    )
    file.chmod(0o600)
    with serving(kb, ROVE_EMBEDDER__NAME="openai") as (client, _):
        with idle_stream(client, anna) as lines:
            otto = made(kb, "otto")
            assert file.stat().st_mode & 0o777 == 0o600
            assert status_becomes(client, otto, 200)
            whole = file.read_text("utf-8")

            file.write_text(whole + "[broken", "utf-8")  # nobody loses a key by a slip in the file …
            time.sleep(1.5)
            assert client.get(SPACES, headers=bearer(anna)).status_code == 200
            file.write_text(whole[: whole.index('[serve.keys."otto"]')] + "[broken", "utf-8")
            assert status_becomes(client, otto, 401)  # … and who was taken out of it has lost his
            assert client.get(SPACES, headers=bearer(anna)).status_code == 200

            file.write_text(whole, "utf-8")
            assert status_becomes(client, otto, 200)
            began = time.monotonic()
            revoked = CliRunner().invoke(rove, ["serve", "key", "anna", "--revoke", "--kb", str(kb)])
            assert revoked.exit_code == 0, revoked.output
            with pytest.raises(httpx.RemoteProtocolError):  # cut where it stands
                for _ in lines:
                    assert time.monotonic() - began < SOON_S
            assert time.monotonic() - began < SOON_S
        assert client.get(SPACES, headers=bearer(anna)).status_code == 401
        assert client.get(SPACES, headers=bearer(otto)).status_code == 200


def test_the_first_key_closes_an_open_server_and_the_last_does_not_open_it(tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    with serving(kb) as (client, _):
        assert client.get(SPACES).status_code == 200
        anna = made(kb, "anna")
        assert status_becomes(client, "none", 401)
        assert client.get(SPACES, headers=bearer(anna)).status_code == 200
        (kb / "rove.toml").unlink()
        assert status_becomes(client, anna, 401)
        assert client.get(SPACES).status_code == 401


def test_revoking_touches_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "rove.toml"
    file.write_text("# mine\n[search]\ntop_k = 3\n", "utf-8")
    before = file.read_text("utf-8")
    made(tmp_path, "a.b")
    with_one = file.read_text("utf-8")
    made(tmp_path, "anna", "--space", "hr")
    run = CliRunner().invoke
    assert run(rove, ["serve", "key", "anna", "--revoke", "--kb", str(tmp_path)]).exit_code == 0
    assert file.read_text("utf-8").rstrip() == with_one.rstrip()
    assert run(rove, ["serve", "key", "anna", "--revoke", "--kb", str(tmp_path)]).exit_code == 2
    assert run(rove, ["serve", "key", "a.b", "--revoke", "--kb", str(tmp_path)]).exit_code == 0
    assert file.read_text("utf-8").rstrip() == before.rstrip()
    file.write_text(f'serve.keys.anna = {{hash = "{hash_key("a")}"}}', "utf-8")
    by_hand = run(rove, ["serve", "key", "anna", "--revoke", "--kb", str(tmp_path)])
    assert (by_hand.exit_code, "by hand" in by_hand.output) == (2, True)


def test_whose_rights_change_is_told_and_nobody_gets_in_without_a_key() -> None:
    anna = KeySettings(hash=hash_key("anna"))
    callers = Callers({"anna": anna, "otto": KeySettings(hash=hash_key("otto"))})
    fewer = anna.model_copy(update={"rights": ()})
    assert callers.replace({"anna": fewer, "mira": anna}) == {"anna", "otto"}
    assert callers.replace({}) == {"anna", "mira"}
    with pytest.raises(UnknownCallerError):
        callers.find("")
    opened = Callers({})
    assert opened.find("") is LOCAL
    assert opened.replace({}) == set()
    assert opened.find("") is LOCAL
    assert opened.replace({"anna": anna}) == {"local"}
    with pytest.raises(UnknownCallerError):
        opened.find("")


async def test_the_first_key_with_labels_counts_at_once(open_town: Opener) -> None:
    """And from then on nothing that is asked is kept, nor put in place of what others ask."""
    question = "Who approves remote work within five days?"
    first = {"root": {"rights": ("read",)}}
    async with open_town(holders=first, question={"log": True, "usual_wording": True}) as town:
        kb = town.spaces._spaces["hr"].kb
        async with town.client() as client:
            assert (await client.post("/v1/spaces/hr/ask", json={"question": question})).status_code == 200
        assert await kb.suggest() == [question]
        key = KeySettings(hash=hash_key("lara"), spaces=("hr",), rights=("read",), labels=("staff",))
        keys = {**town.spaces.settings.keys, "lara": key}
        town.app.state.server_context.callers.replace(town.spaces.admit(keys))
        async with town.client("", **bearer("lara")) as lara:
            listed = (await lara.get("/v1/spaces/hr/documents")).json()["documents"]
            assert [one["title"] for one in listed] == ["Policy"]
            asked = await lara.post("/v1/spaces/hr/ask", json={"question": "Is remote work approved by the head?"})
            assert asked.json()["citations"]
        assert await kb.suggest() == [question]
        assert not kb.settings.question.usual_wording


async def test_a_key_with_labels_never_counts_where_duplicates_are_left_out(open_town: Opener) -> None:
    holders = {"root": {"rights": ("read",)}}
    async with open_town(holders=holders, filled=False, load={"duplicates": "skip"}) as town:
        keys = {"lara": KeySettings(hash=hash_key("lara"), labels=("staff",)), "anna": KeySettings(hash=hash_key("a"))}
        assert set(town.spaces.admit(keys)) == {"anna"}


async def test_keys_are_followed_as_they_are_admitted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.serve.admission.keyring.LOOK_S", 0.01)
    callers = Callers({})
    keyring = Keyring(tmp_path / "rove.toml", lambda: read_settings(tmp_path).serve.keys)
    unlabelled = lambda keys: {name: key for name, key in keys.items() if key.labels is None}  # noqa: E731
    task = asyncio.create_task(follow(keyring, callers, OpenRequests(), unlabelled))
    await asyncio.to_thread(made, tmp_path, "lara", "--label", "staff")
    await asyncio.to_thread(made, tmp_path, "anna")
    async with asyncio.timeout(SOON_S):
        while "anna" not in callers.keys:  # noqa: ASYNC110 - it tells nobody
            await asyncio.sleep(0.01)
    task.cancel()
    assert set(callers.keys) == {"anna"}


# -- without a key ----------------------------------------------------------------------------------------------------


async def statuses(town: Town, count: int, address: str = "10.0.0.9", **headers: str) -> list[httpx.Response]:
    transport = httpx.ASGITransport(town.app, client=(address, 123))
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
        return [await client.get(SPACES) for _ in range(count)]


async def test_tries_are_bounded_by_address(open_town: Opener) -> None:
    async with open_town(filled=False, serve={"tries_per_minute": 3}) as town:
        replies = await statuses(town, 4, authorization="Bearer wrong")
        assert [reply.status_code for reply in replies] == [401, 401, 401, 429]
        assert 1 <= int(replies[-1].headers["retry-after"]) <= 20
        assert [one.status_code for one in await statuses(town, 1)] == [429]  # without any key too
        assert [one.status_code for one in await statuses(town, 1, "10.0.0.8")] == [401]
        known = await statuses(town, 1, authorization=f"Bearer {town.keys['anna']}")
        assert known[0].status_code == 200  # nobody can lock a key's holder out from behind the same proxy
        told = {"x-forwarded-for": "192.0.2.1"}
        assert [one.status_code for one in await statuses(town, 1, **told)] == [429]  # nobody said who may say so


async def test_behind_a_proxy_it_is_the_clients_address(open_town: Opener) -> None:
    async with open_town(filled=False, serve={"tries_per_minute": 1, "proxies": ["10.0.0.0/24"]}) as town:
        for number in range(3):
            forged = {"x-forwarded-for": f"192.0.2.{number}, 198.51.100.7, 10.0.0.2"}
            assert (await statuses(town, 1, **forged))[0].status_code == (429 if number else 401)
        assert (await statuses(town, 1, **{"x-forwarded-for": "198.51.100.8"}))[0].status_code == 401


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("192.0.2.1", "", "192.0.2.1"),
        ("::ffff:192.0.2.1", "", "192.0.2.1"),
        ("2001:db8:1:2:3::4", "", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "", "fe80::/64"),
        ("192.0.2.1", "198.51.100.1", "192.0.2.1"),
        ("10.1.1.1", "198.51.100.1", "198.51.100.1"),
        ("10.1.1.1", "6.6.6.6, 198.51.100.1, 10.1.1.2", "198.51.100.1"),
        ("::ffff:10.1.1.1", "2001:db8::9", "2001:db8::/64"),
        ("10.1.1.1", "198.51.100.1, nonsense", "10.1.1.1"),
        ("10.1.1.1", "10.1.1.3", "10.1.1.3"),
        ("", "198.51.100.1", "unknown"),
    ],
)
def test_whose_address_it_is(peer: str, forwarded: str, address: str) -> None:
    headers = [(b"x-forwarded-for", part.encode()) for part in forwarded.split(", ") if part]
    scope = {"type": "http", "client": (peer, 1) if peer else None, "headers": headers}
    assert client_address(scope, [ip_network("10.0.0.0/8")]) == address


async def test_a_million_addresses_fill_no_memory() -> None:
    now = 0.0
    buckets = Buckets(1, most=100, clock=lambda: now)
    await buckets.take("again", "m", "c")
    for number in range(10_000):
        await buckets.take(str(number), "m", "c")
        if number % 50 == 0:
            with pytest.raises(ThrottledError):
                await buckets.take("again", "m", "c")  # who keeps coming is not forgotten for those who came once
    assert len(buckets) == 100

"""The gate: hosts, origins, sizes, rates; headers on every reply; and what is refused before the server starts."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from rove.errors import ConfigError, RoveError, ServiceError
from rove.serve.admission.keys import hash_key
from rove.serve.admission.middleware import SECURITY_HEADERS
from rove.serve.admission.rate_limits import Throttle
from rove.serve.problems import TITLES, TYPE, ThrottledError, problem_of
from rove.serve.spaces import Spaces
from rove.settings import read_settings
from serve.conftest import HOLDERS, Opener, Town, listening

SEARCH = "/v1/spaces/hr/search"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("LOCALHOST:8017", 200),
        ("127.0.0.1:1", 200),
        ("[::1]:8017", 200),
        ("kb.example.org", 200),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("evil.example#localhost", 403),
        ("kb.example.org.", 403),
        ("", 403),
    ],
)
async def test_only_its_own_names_are_answered(open_town: Opener, host: str, status: int) -> None:
    """A page elsewhere can point its own name to this machine; it cannot choose the Host header."""
    serve = {"hosts": ["kb.example.org"]}
    async with open_town(filled=False, serve=serve) as town, town.client("root", host=host) as client:
        assert (await client.get("/v1/spaces")).status_code == status
        assert (await client.get("/health")).status_code == status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://localhost", 200),
        ("https://app.example.org", 200),
        ("http://localhost:81", 403),
        ("https://evil.example", 403),
        ("null", 403),
        ("", 403),
        ("https://app.example.org.evil.example", 403),
    ],
)
async def test_only_named_pages_may_call(open_town: Opener, origin: str, status: int) -> None:
    serve = {"origins": ["https://app.example.org"]}
    async with open_town(filled=False, serve=serve) as town, town.client("root", origin=origin) as client:
        reply = await client.get("/v1/spaces")
        assert reply.status_code == status
        allowed = reply.headers.get("access-control-allow-origin")
        assert allowed == ("https://app.example.org" if origin == "https://app.example.org" else None)


async def test_every_reply_has_the_headers(town: Town) -> None:
    async with town.client("root") as root, town.client("") as nobody:
        replies = [
            await root.get("/v1/spaces"),
            await root.get("/nothing"),
            await nobody.get("/v1/spaces"),
            await root.post(SEARCH, json={"question": ""}),
            await root.post("/v1/spaces/hr/ask", json={"question": "Who?", "stream": True}),
            await root.get("/health"),
            await root.get("/health", headers={"host": "evil.example"}),
        ]
    for reply in replies:
        for name, value in SECURITY_HEADERS.items():
            assert reply.headers[name] == value, reply.url
        assert len(reply.headers["x-request-id"]) == 16


async def test_bodies_are_bounded_whatever_they_say_of_themselves(open_town: Opener) -> None:
    serve = {"max_body_kb": 16, "max_upload_mb": 1, "max_files": 2, "max_question_chars": 50}
    async with open_town(filled=False, serve=serve) as town, town.client("anna") as client:

        async def pieces(size: int) -> object:
            for _ in range(size // 1_000):
                yield b" " * 1_000

        said = await client.post(SEARCH, content=b" " * 17_000, headers={"content-type": "application/json"})
        streamed = await client.post(SEARCH, content=pieces(17_000), headers={"content-type": "application/json"})
        assert (said.status_code, streamed.status_code) == (413, 413)
        assert said.headers["content-type"] == streamed.headers["content-type"] == "application/problem+json"
        lied = await client.post(SEARCH, content=b"{}", headers={"content-length": "9" * 30})
        assert lied.status_code == 413
        upload = "/v1/spaces/hr/uploads"
        many = await client.post(upload, files=[("files", (f"{i}.txt", b"x")) for i in range(3)])
        assert many.status_code == 400
        large = await client.post(upload, files=[("files", ("x.txt", b"x" * 1_100_000))])
        assert large.status_code == 413
        long = await client.post(SEARCH, json={"question": "x" * 51})
        assert long.status_code == 413
        assert list((town.spaces._spaces["hr"].kb.settings.path / "incoming").glob("*/*/job.json")) == []


async def test_a_head_that_is_too_large_is_refused(town: Town) -> None:
    async with listening(town) as address, httpx.AsyncClient(base_url=address) as client:
        assert (await client.get("/health", headers={"x-large": "x" * 20_000})).status_code in {400, 431}
        with suppress(httpx.ReadError):  # it may close the connection before all is sent
            assert (await client.get("/health", headers={"x-large": "x" * 200_000})).status_code == 400
        assert (await client.get("/health")).status_code == 200


async def test_each_key_has_its_own_rate(open_town: Opener) -> None:
    serve = {"requests_per_minute": 3}
    async with open_town(filled=False, serve=serve) as town, town.client("anna") as anna, town.client("otto") as otto:
        statuses = [(await anna.get("/v1/spaces")).status_code for _ in range(4)]
        assert statuses == [200, 200, 200, 429]
        refused = await anna.get("/v1/spaces")
        assert 1 <= int(refused.headers["retry-after"]) <= 20
        assert (await otto.get("/v1/spaces")).status_code == 200


async def test_so_many_at_once(open_town: Opener) -> None:
    async with open_town(serve={"concurrent": 2}) as town, town.client("root") as client:
        replies = await asyncio.gather(*(client.post(SEARCH, json={"question": f"Who {i}?"}) for i in range(8)))
        statuses = [reply.status_code for reply in replies]
        assert set(statuses) == {200, 429}
        assert all("retry-after" in reply.headers for reply in replies if reply.status_code == 429)
        assert (await client.get("/v1/spaces")).status_code == 200  # places are given back


async def test_a_bucket_fills_again() -> None:
    now = 0.0
    throttle = Throttle(60, 10, clock=lambda: now)
    for _ in range(60):
        await throttle.count("a")
    with pytest.raises(ThrottledError) as refused:
        await throttle.count("a")
    assert refused.value.retry_after_s == pytest.approx(1)
    now = 1.0
    await throttle.count("a")


@pytest.mark.parametrize(
    ("serve", "reason"),
    [
        ({"host": "0.0.0.0"}, "there is no key"),
        ({"host": "192.168.1.7"}, "there is no key"),
        ({"host": "0.0.0.0", "keys": {"a": {"hash": hash_key("a")}}}, "serve.hosts is empty"),
        ({"access_field": "title"}, "every document has"),
        ({"keys": {"a": {"hash": hash_key("a"), "spaces": ["nowhere"]}}}, "not served: nowhere"),
    ],
)
def test_what_is_not_safe_does_not_start(tmp_path: Path, serve: dict[str, object], reason: str) -> None:
    with pytest.raises(ConfigError, match=reason) as refused:
        Spaces.open(read_settings(tmp_path, embedder={"name": "fake"}, serve=serve), tmp_path)
    assert refused.value.cure


@pytest.mark.parametrize(
    "key",
    [
        {"hash": "rove_secret"},
        {"hash": hash_key("a"), "rights": ["root"]},
        {"hash": hash_key("a"), "labels": ["a/b"]},
        {"hash": hash_key("a"), "labels": ["hr"], "rights": ["admin"]},
    ],
)
def test_wrong_keys_are_no_settings(tmp_path: Path, key: dict[str, object]) -> None:
    with pytest.raises(ConfigError) as refused:
        read_settings(tmp_path, serve={"keys": {"a": key}})
    assert "rove_secret" not in str(refused.value)


def test_labels_and_left_out_duplicates_do_not_go_together(tmp_path: Path) -> None:
    serve = {"keys": {"a": {"hash": hash_key("a"), "labels": ["hr"]}}}
    with pytest.raises(ConfigError, match="duplicates"):
        Spaces.open(read_settings(tmp_path, serve=serve, load={"duplicates": "skip"}), tmp_path)


async def test_without_keys_this_machine_is_let_in(open_town: Opener) -> None:
    async with open_town(holders={}) as town, town.client("") as client:
        assert (await client.get("/v1/spaces")).json() == {
            "spaces": ["hr", "it"],
            "rights": sorted(HOLDERS["root"]["rights"]),
            "can_make": True,
        }
        assert (await client.get("/v1/spaces", headers={"host": "evil.example"})).status_code == 403
        assert (await client.get("/v1/spaces", headers={"origin": "https://evil.example"})).status_code == 403


async def test_every_problem_has_its_type(open_town: Opener) -> None:
    """A type is for programs, and for the page to say in its reader's language; only a bare status has none."""
    space = "/v1/spaces/hr"
    async with open_town(filled=False) as town, town.client("root") as root, town.client("otto") as otto:
        replies = {
            "unknown-key": await root.get("/v1/spaces", headers={"authorization": "Bearer x"}),
            "denied": await otto.post("/v1/spaces/it/documents", json={"text": "x"}),
            "not-found": await root.get(f"{space}/document", params={"document_id": "none"}),
            "head-too-large": await root.get("/v1/spaces", headers={"x-long": "x" * 70_000}),
            "too-large": await root.post(f"{space}/ask", json={"question": "x" * 5_000}),
            "unworkable": await root.post(SEARCH, json={"question": "x", "mode": "none"}),
            "invalid": await root.post(SEARCH, json={}),
        }
        files = [("files", (f"{number}.txt", b"x")) for number in range(101)]
        assert (await root.post(f"{space}/uploads", files=files)).json()["type"] == f"{TYPE}unworkable"
        assert (await root.get("/v1/none")).json()["type"] == f"{TYPE}not-found"
        assert (await root.put("/v1/spaces")).json()["type"] == "about:blank"
    told = {kind: (reply.json()["type"], reply.json()["title"]) for kind, reply in replies.items()}
    assert told == {kind: (TYPE + kind, TITLES[kind]) for kind in replies}
    for error, kind in (
        (ThrottledError("x", cure="", retry_after_s=1), "too-many"),
        (ConfigError("x"), "misconfigured"),
        (ServiceError("x"), "busy"),
        (ServiceError("x", retryable=False), "service-failed"),
        (RoveError("x"), "unexpected"),
    ):
        assert problem_of(error).type == TYPE + kind

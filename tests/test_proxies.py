"""Which proxy an address is asked through; and every client of Rove reaches this machine without one."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Thread

import pytest

from openai_server import chat, embeddings, serve
from rove.errors import ConfigError, RoveError
from rove.models.chat import PydanticChatModel
from rove.models.openai import OpenAIEmbedder
from rove.proxies import is_loopback, proxy_for
from rove.serve.people.openid import Flow, OpenIdProvider
from rove.settings import ChatSettings, EmbedderSettings, IndexServerSettings, OpenIdSettings

PROXY = "http://proxy.example.com:3128"
NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*NAMES, *map(str.lower, NAMES)):
        monkeypatch.setenv(name, "")  # so that what a client sets itself is taken back too
        monkeypatch.delenv(name)


class Listener:
    """Takes connections and closes them again, and counts them."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.socket.getsockname()[1]}"
        self.taken = 0
        Thread(target=self._take, daemon=True).start()

    def _take(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                self.taken += 1
                connection.close()


@pytest.fixture
def listeners(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Listener, Listener]]:
    """A server on this machine, and what the environment names as the proxy."""
    server, proxy = Listener(), Listener()
    for name in NAMES[:3]:
        monkeypatch.setenv(name, f"http://{proxy.address}")
        monkeypatch.setenv(name.lower(), f"http://{proxy.address}")
    yield server, proxy
    server.socket.close()
    proxy.socket.close()


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "LOCALHOST.", "a.localhost", "127.0.0.1", "127.255.0.9", "127.1", "2130706433", "0x7f000001",
        "0.0.0.0", "[::1]", "::", "[::ffff:127.0.0.1]", "[0:0:0:0:0:0:0:1]", "::1%lo",
    ],
)  # fmt: skip
def test_this_machine_is_known_however_it_is_written(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_loopback(host)
    monkeypatch.setenv("ALL_PROXY", PROXY)
    assert proxy_for(f"http://{f'[{host}]' if ':' in host and '[' not in host else host}:8080/v1") is None


@pytest.mark.parametrize("host", ["10.0.0.1", "example.com", "localhost.example.com", "mylocalhost", "", "[fe80::1]"])
def test_another_machine_is_not_taken_for_this_one(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    ("url", "exceptions", "proxied"),
    [
        ("https://api.example.com/v1", "", True),
        ("https://api.example.com/v1", "example.com", False),
        ("https://api.example.com/v1", ".example.com", False),
        ("https://api.example.com/v1", "*.example.com", False),
        ("https://api.example.com/v1", "other.example.com, *", True),
        ("https://api.example.com/v1", "*", False),
        ("https://notexample.com/v1", "*.example.com", True),
        ("http://10.1.2.3:8000", "10.0.0.0/8", False),
        ("http://11.1.2.3:8000", "10.0.0.0/8", True),
        ("http://[fd00::2]:8000", "fd00::/8,::1", False),
        ("http://[fe00::2]:8000", "fd00::/8,[::1]", True),
        ("http://10.1.2.3:8000", "10.1.2.3:8000", False),
        ("http://api.example.com", "10.0.0.0/8,,bad/99", True),
    ],
)
def test_who_is_excepted_from_the_proxy(
    url: str, exceptions: str, proxied: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", PROXY)
    monkeypatch.setenv("NO_PROXY", exceptions)
    assert proxy_for(url) == (PROXY if proxied else None)


def test_each_scheme_has_its_proxy_and_a_bare_name_is_one_of_http(monkeypatch: pytest.MonkeyPatch) -> None:
    assert proxy_for("https://example.com") is None
    monkeypatch.setenv("HTTPS_PROXY", "proxy.example.com:3128")
    assert proxy_for("https://example.com") == PROXY
    assert proxy_for("http://example.com") is None


@pytest.mark.parametrize("proxy", ["ftp://proxy.example.com", "socks5://proxy.example.com:1080"])
def test_a_proxy_that_cannot_be_used_is_said(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    monkeypatch.setattr("rove.proxies.find_spec", lambda _name: None)
    with pytest.raises(ConfigError, match="the kind") as raised:
        proxy_for("https://api.example.com")
    assert "NO_PROXY" in raised.value.cure
    assert proxy_for("http://localhost:1234") is None


# -- clients ----------------------------------------------------------------------------------------------------------


async def test_a_chat_model_and_an_embedder_on_this_machine_are_asked_directly(
    listeners: tuple[Listener, Listener], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with serve(chat("yes")) as server:
        settings = ChatSettings.model_validate({"model": "m", "base_url": server.url})
        assert [piece async for piece in PydanticChatModel(settings).stream("", "q")] == ["yes"]
        monkeypatch.setenv("OLLAMA_BASE_URL", server.url)
        named = PydanticChatModel(ChatSettings.model_validate({"model": "ollama:m"}))
        for _ in range(2):
            assert [piece async for piece in named.stream("", "q")] == ["yes"]
    async with serve(embeddings([3, 4])) as server:
        given = {"name": "openai", "model": "m", "base_url": server.url, "dimension": 2, "retries": 0}
        await OpenAIEmbedder(EmbedderSettings.model_validate(given)).passages(["a"])
    assert not listeners[1].taken


async def test_other_addresses_are_asked_through_the_proxy(listeners: tuple[Listener, Listener]) -> None:
    settings = {"model": "m", "base_url": "http://models.example.com/v1", "retries": 0, "timeout_s": 5}
    with pytest.raises(RoveError):
        _ = [piece async for piece in PydanticChatModel(ChatSettings.model_validate(settings)).stream("", "q")]
    taken = listeners[1].taken
    assert taken
    given = {"name": "openai", "dimension": 2, "retries": 0, **settings}
    with pytest.raises(RoveError):
        await OpenAIEmbedder(EmbedderSettings.model_validate(given)).passages(["a"])
    assert listeners[1].taken > taken


async def test_a_provider_of_sign_in_on_this_machine_is_asked_directly(listeners: tuple[Listener, Listener]) -> None:
    server, proxy = listeners
    settings = OpenIdSettings.model_validate({"issuer": f"http://{server.address}", "client_id": "rove"})
    with pytest.raises(RoveError):
        await OpenIdProvider("house", settings).address(Flow.begin("house"), "http://localhost/back")
    assert (server.taken, proxy.taken) == (1, 0)


def ask_chroma(settings: IndexServerSettings) -> None:
    pytest.importorskip("chromadb")
    from rove.store.servers.chroma import _client  # noqa: PLC0415 - an extra

    _client(settings)


def ask_milvus(settings: IndexServerSettings) -> None:
    pytest.importorskip("pymilvus")
    from rove.store.servers.milvus_calls import MilvusCalls  # noqa: PLC0415 - an extra

    MilvusCalls(settings, lambda _client: None).run(lambda client: client.list_collections())


@pytest.mark.parametrize("ask", [ask_chroma, ask_milvus])
def test_an_index_server_on_this_machine_is_asked_directly(
    ask: Callable[[IndexServerSettings], None], listeners: tuple[Listener, Listener]
) -> None:
    server, proxy = listeners
    given = {"url": f"http://{server.address}", "retries": 0, "timeout_s": 5}
    with pytest.raises(Exception, match=r"\w"):  # whatever the client says of a server that hangs up
        ask(IndexServerSettings.model_validate(given))
    assert (server.taken > 0, proxy.taken) == (True, 0)

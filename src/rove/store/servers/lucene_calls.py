"""Calls to Elasticsearch or OpenSearch: tried again where that can help, and what fails told as Rove tells it."""

from __future__ import annotations

import asyncio
import json
import ssl
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast
from urllib.parse import quote, urlsplit

from rove.errors import ConfigError, RoveError, ServiceError
from rove.settings import IndexServerSettings

Json = dict[str, Any]
LOCAL = "http://localhost:9200"
"""Where a server is that the settings do not name."""
FIRST_PAUSE_S = 0.25
"""The pause before a call is tried again; it is doubled each time."""
LONGEST_PAUSE_S = 8.0
BUSY = {429, 502, 503, 504}
"""What a server answers that may answer otherwise soon."""
DENIED = {401, 403}
MISSING = 404
NOT_READY = 503
NO_INDEX = "index_not_found_exception"
BLOCKED = {"cluster_block_exception", "index_create_block_exception"}
"""A disk is full (429, 403), or somebody has forbidden writes (403), whoever asks; with 503: one that has not begun."""
UNREACHED, UNTRUSTED = 0, -1
"""In place of a status: nothing came back; the certificate is not trusted."""
ALIAS_ONLY = {"require_alias": "true"}
"""Without its alias the server would make an index that has none of our types."""
LONGEST_REASON = 500
SHOWN = 3
"""Rows that a message names."""


@dataclass(slots=True)
class CallError(Exception):
    """A call that failed. `status` is HTTP's; `kind` and `reason` are the server's words."""

    status: int
    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class Call:
    """One request. `body`: JSON, or lines of it for `_bulk`. `wait_s`: how long the reply is waited for."""

    method: str
    path: str
    body: Json | bytes | None
    params: Mapping[str, str]
    wait_s: float

    @property
    def target(self) -> str:
        """The path with its parameters."""
        asked = "&".join(f"{name}={quote(value)}" for name, value in self.params.items())
        return f"{self.path}?{asked}" if asked else self.path

    @property
    def headers(self) -> dict[str, str]:
        """The media types of the request and of its reply."""
        kind = "application/x-ndjson" if isinstance(self.body, bytes) else "application/json"
        return {"accept": "application/json", **({} if self.body is None else {"content-type": kind})}

    @property
    def payload(self) -> bytes | None:
        """The body as it is sent."""
        return json.dumps(self.body).encode() if isinstance(self.body, dict) else self.body


class MissingIndexError(ServiceError):
    """The index is not there, or its alias."""


class Client(ABC):
    """The engine's own client. Any thread may use it."""

    @abstractmethod
    def send(self, call: Call) -> Json:
        """Send one request and return its reply. Blocks.

        Raises:
            CallError: there is none, or it says that the request failed.
        """

    @abstractmethod
    def close(self) -> None:
        """Close its connections."""


class Calls:
    """Sends requests by a client; `engine` is what it is called in messages."""

    def __init__(self, client: Client, settings: IndexServerSettings, engine: str) -> None:
        self.client = client
        self.settings = settings
        self.engine = engine

    async def call(
        self,
        method: str,
        path: str,
        body: Json | bytes | None = None,
        *,
        params: Mapping[str, str] = MappingProxyType({}),
        wait_s: float = 0,
    ) -> Json:
        """Send a request, again where the server was busy or out of reach, and return the reply.

        Raises:
            ServiceError: see `told`.
            ConfigError: see `told`.
        """
        try:
            return await self.attempt(method, path, body, params=params, wait_s=wait_s)
        except CallError as error:
            raise self.told(error) from error

    async def found(self, method: str, path: str, body: Json | None = None) -> Json | None:
        """As `call`; None where the server says that there is no such thing."""
        try:
            return await self.attempt(method, path, body)
        except CallError as error:
            if error.status == MISSING:
                return None
            raise self.told(error) from error

    async def attempt(
        self,
        method: str,
        path: str,
        body: Json | bytes | None = None,
        *,
        params: Mapping[str, str] = MappingProxyType({}),
        wait_s: float = 0,
    ) -> Json:
        """As `call`, but with the server's own words.

        Raises:
            CallError: the last attempt failed.
        """
        call = Call(method, path, body, params, wait_s or self.settings.timeout_s)
        for number in range(self.settings.retries + 1):
            try:
                return await asyncio.to_thread(self.client.send, call)
            except CallError as error:
                if error.status not in BUSY | {UNREACHED} or number == self.settings.retries:
                    raise
                await pause(number)
        raise AssertionError

    def told(self, error: CallError) -> RoveError:
        """Return what the caller is told: whether waiting helps, and which setting to look at."""
        where, said = f"{self.engine} at {self.settings.url or LOCAL}", f"{error.kind}: {error.reason}"
        if error.status == UNTRUSTED:
            message = f"The certificate of {where} is not trusted: {error.reason}."
            return ConfigError(message, cure="Name the file of its authority in store.server.ca_file.")
        if error.kind in BLOCKED and error.status != NOT_READY:
            message = f"{where} answers {error.status}, {said}."
            return ServiceError(message, cure="Make room on its disks, or take away the block that somebody has set.")
        if error.status in DENIED:
            message = f"{where} answers {error.status}, {said}."
            cure = "Check store.server.user and password, or api_key, and what they may do there."
            return ConfigError(message, cure=cure)
        if error.status == UNREACHED:
            message = f"{where} cannot be reached: {said}."
            return ServiceError(message, cure="Start it, or check store.server.url and timeout_s.")
        if error.status in BUSY:
            message = f"{where} answers {error.status}, {said}."
            return ServiceError(message, cure="Try again later, or raise store.server.retries.")
        message = f"{where} answers {error.status}, {said}."
        kind = MissingIndexError if error.kind == NO_INDEX else ServiceError
        return kind(message, cure="Run: rove doctor", retryable=False)

    async def write(self, alias: str, items: Sequence[tuple[str, Json | None]]) -> None:
        """Write documents by their ids; None deletes one. Those that the server is too busy for are sent again.

        Raises:
            ServiceError: some were refused, and all others are written; or as `call`.
        """
        refused: list[str] = []
        waiting = list(items)
        for number in range(self.settings.retries + 1):
            reply = await self.call("POST", "/_bulk", bulk_body(alias, waiting), params=ALIAS_ONLY)
            failed = [
                (item, one)
                for item, result in zip(waiting, reply["items"], strict=True)
                if "error" in (one := next(iter(result.values())))
            ]
            for _, one in failed:
                if one["error"]["type"] in {NO_INDEX, *BLOCKED} and one["status"] not in BUSY:
                    raise self.told(_failure(one))
            refused += [_bulk_error_text(one) for _, one in failed if one["status"] not in BUSY]
            waiting = [item for item, one in failed if one["status"] in BUSY]
            if not waiting:
                break
            if number == self.settings.retries:
                raise self.told(_failure(next(one for _, one in failed if one["status"] in BUSY)))
            await pause(number)
        if refused:
            shown = "; ".join(refused[:SHOWN])
            message = f"{self.engine} refused {len(refused)} of {len(items)} chunks: {shown}."
            raise ServiceError(message, cure="Run: rove doctor", retryable=False)


def _failure(one: Json) -> CallError:
    return CallError(one["status"], one["error"]["type"], one["error"]["reason"])


def _bulk_error_text(one: Json) -> str:
    error = one["error"]
    cause = error.get("caused_by", {}).get("reason", "")
    return f"{one['status']}, {error['type']}: {error['reason']}{cause and f' ({cause})'}"


def failure_of(status: int, reply: object) -> CallError:
    """Return what a reply says that is no success: JSON as both engines write it, or a proxy's text.

    >>> failure_of(404, {"error": {"type": "index_not_found_exception", "reason": "no such index [x]"}}).kind
    'index_not_found_exception'
    """
    error = cast("Json", reply).get("error", "") if isinstance(reply, dict) else reply
    if isinstance(error, dict):
        told = cast("Json", error)
        causes = told.get("root_cause") or [told]
        kind, reason = told.get("type", "error"), causes[0].get("reason") or told.get("reason")
        return CallError(status, str(kind), str(reason)[:LONGEST_REASON])
    return CallError(status, "error", str(error)[:LONGEST_REASON])


def bulk_body(alias: str, items: Sequence[tuple[str, Json | None]]) -> bytes:
    """Return the body of a `_bulk`."""
    lines: list[Json] = []
    for name, document in items:
        place = {"_index": alias, "_id": name}
        lines += [{"delete": place}] if document is None else [{"index": place}, document]
    return "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines).encode()


async def pause(number: int) -> None:
    """Wait before the next attempt: twice as long as before the last one."""
    await asyncio.sleep(min(FIRST_PAUSE_S * 2**number, LONGEST_PAUSE_S))


def server_address(settings: IndexServerSettings) -> str:
    """Return the server's address.

    Raises:
        ConfigError: it is none, or holds a password.
    """
    url = (settings.url or LOCAL).rstrip("/")
    parts = urlsplit(url)
    if "@" in parts.netloc:
        message = "store.server.url holds a user or a password."
        raise ConfigError(message, cure="Set them in store.server.user and store.server.password.")
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        message = f"store.server.url is {url!r}, which is no address of a server."
        raise ConfigError(message, cure='Write it as "https://localhost:9200".')
    return url


def trusted(settings: IndexServerSettings) -> ssl.SSLContext:
    """Return what says which certificates are trusted.

    Raises:
        ConfigError: the file with them cannot be read.
    """
    try:
        context = ssl.create_default_context(cafile=settings.ca_file or None)
    except OSError as error:
        message = f"The certificates in {settings.ca_file!r} cannot be read: {error}."
        raise ConfigError(message, cure="Check store.server.ca_file.") from error
    if not settings.verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context

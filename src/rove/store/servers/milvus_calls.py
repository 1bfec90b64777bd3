"""Calls to a Milvus server: one connection, tried again where that helps, and errors that say what to do."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from threading import Lock
from typing import Any, TypeVar
from urllib.parse import urlsplit

import grpc
from pymilvus import MilvusClient
from pymilvus.exceptions import MilvusException

from rove.errors import ConfigError, RoveError, ServiceError
from rove.proxies import proxy_for
from rove.settings import IndexServerSettings
from rove.store.servers.patience import Patience

T = TypeVar("T")
Client = Any
"""A `MilvusClient`, whose annotations are missing in part, and in part say that it is asynchronous."""
USUAL = "http://localhost:19530"
NOT_FOUND, NOT_LOADED = 100, 101
TRANSIENT = (2, 4, 5, 8, 9, NOT_LOADED, 103)
"""Milvus' codes for which waiting helps: not there, too many calls, an error inside, too fast, closed, not loaded."""
LOST = {"UNAVAILABLE", "DEADLINE_EXCEEDED", "ABORTED", "CANCELLED", "INTERNAL", "UNKNOWN"}
"""What gRPC calls a call that had no reply, or none in time."""
REFUSED = {"UNAUTHENTICATED", "PERMISSION_DENIED"}
NOT_NOW = ("not ready", "not healthy", "unavailable", "timestamp lag", "no available", "not available", "offline")
"""What Milvus says without a code of its own while it starts, or moves what it holds."""
NO_ACCESS = ("auth check", "authenticat", "permission", "privilege", "username and password", "database not found")
CHECK = "Check store.server.url, user, password, api_key and database."

logging.getLogger("pymilvus").setLevel(logging.CRITICAL)  # what fails is raised, and said once


class MilvusCalls:
    """A connection to one server. Calls block; any thread may make them.

    Args:
        settings: how the server is reached.
        prepare: what is done when it is first reached, and again when what it made is gone.

    Raises:
        ConfigError: the address is none, or the settings ask for what Milvus' client cannot do.
    """

    def __init__(self, settings: IndexServerSettings, prepare: Callable[[Client], None]) -> None:
        self.settings = settings
        self._prepare = prepare
        self._client: Client | None = None
        self._is_prepared = False
        self._lock = Lock()
        self._url = settings.url or USUAL
        try:
            parts = urlsplit(self._url)
            self.place = f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 19530)}"
        except ValueError:
            parts, self.place = urlsplit(""), ""
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            message = "store.server.url is no address of a Milvus server."
            raise ConfigError(message, cure=f"Write it like {USUAL}, or https://host:19530.")
        if not settings.verify:
            message = "store.server.verify is off, and Milvus' client always checks certificates."
            raise ConfigError(message, cure="Turn it on, and name the server's certificates in store.server.ca_file.")

    def run(self, work: Callable[[Client], T], *, prepared: bool = True) -> T:
        """Let `work` have the client; again where that helps. Not `prepared`: in whatever state all is.

        Raises:
            ConfigError: the server refuses who asks, or what the settings name is not there.
            ServiceError: it cannot be reached (retryable), or refuses what it was asked to do.
        """
        patience = Patience(self.settings.retries)
        while True:
            try:
                return work(self._ready(prepared))
            except (MilvusException, grpc.RpcError, OSError) as error:
                if isinstance(error, MilvusException) and error.code == NOT_FOUND and self._is_prepared:
                    self._is_prepared = False  # somebody has dropped it: an empty one takes its place
                    continue
                if isinstance(error, MilvusException) and error.code == NOT_LOADED:
                    self._is_prepared = False  # a server that was started again may have to be told
                patience.wait(self._told(error), error)

    def forget(self) -> None:
        """Let what is prepared be prepared again before the next call."""
        self._is_prepared = False

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            client, self._client, self._is_prepared = self._client, None, False
        if client:
            client.close()

    def _ready(self, prepared: bool) -> Client:
        with self._lock:
            if self._client is None:
                self._client = self._connected()
            if prepared and not self._is_prepared:
                self._prepare(self._client)
                self._is_prepared = True
            return self._client

    def _connected(self) -> Client:
        s = self.settings
        limit: dict[str, Any] = {"methodConfig": [{"name": [{}], "timeout": f"{s.timeout_s:.3f}s"}]}
        return MilvusClient(
            uri=self._url,
            user=s.user,
            password=s.password.get_secret_value(),
            token=s.api_key.get_secret_value(),
            db_name=s.database,
            timeout=s.timeout_s,
            dedicated=True,
            server_pem_path=s.ca_file,
            grpc_options={
                "grpc.service_config": json.dumps(limit),
                "grpc.enable_http_proxy": int(proxy_for(self._url) is not None),
            },
        )

    def _told(self, error: MilvusException | grpc.RpcError | OSError) -> RoveError:
        """Say what the client has raised as Rove says it."""
        if isinstance(error, OSError):
            return ConfigError(f"store.server.ca_file cannot be read: {error.strerror}.", cure="Check it.")
        code, said = _error_code_and_message(error)
        words = said.casefold()
        if code in REFUSED or any(word in words for word in NO_ACCESS):
            return ConfigError(f"Milvus at {self.place} refuses: {said}.", cure=CHECK)
        if code in LOST or code in TRANSIENT or any(word in words for word in NOT_NOW):
            message = f"Milvus at {self.place} cannot be reached or asked now: {said}."
            cure = "See that the server of store.server.url runs; then run the same again."
            return ServiceError(message, cure=cure)
        return ServiceError(f"Milvus at {self.place} refuses: {said}.", cure="Run: rove doctor", retryable=False)


def _error_code_and_message(error: MilvusException | grpc.RpcError) -> tuple[object, str]:
    """The code and the words of an error, without how often the client itself has tried.

    Of a connection that was refused the client says only that there is none; why, stands in what gRPC had raised.
    """
    error = error.__cause__ if isinstance(error.__cause__, grpc.RpcError) else error
    if isinstance(error, MilvusException):
        said = str(error.message).rpartition("retry times, ")[2].removeprefix("message=")
        code: object = error.code
    else:
        said, code = str(getattr(error, "details", str)() or "no reply in time"), getattr(error, "code", int)()
    return (code.name if isinstance(code, grpc.StatusCode) else code), said.partition("\n")[0].strip().rstrip(".")

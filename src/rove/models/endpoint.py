"""One HTTP endpoint of a model: requests are tried again, and failures become errors that name the cure."""

from __future__ import annotations

import asyncio
import random
import ssl
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TypeVar

import httpx

from rove.errors import ConfigError, ServiceError
from rove.models.bounded import PLAIN, bounds
from rove.proxies import proxy_for

Result = TypeVar("Result")
Upload = tuple[str, bytes]
"""A file's name, and its bytes."""
RETRIED = frozenset({408, 409, 429})
FIRST_WAIT_S = 0.5
LONGEST_WAIT_S = 30.0
QUOTED_CHARS = 200


class _FailedError(ServiceError):
    """One attempt failed; `wait_s` is what the server asked to wait, None where it did not say."""

    def __init__(self, message: str, *, cure: str, retryable: bool, wait_s: float | None = None) -> None:
        super().__init__(message, cure=cure, retryable=retryable)
        self.wait_s = wait_s


class Endpoint:
    """POSTs JSON, or a form with a file, to `{url}/{path}`.

    Proxies and certificates come from the environment (`rove.proxies`); a redirect is never followed, since what is
    posted is for this address alone. Each `post` opens its own connection: one endpoint serves any number of event
    loops and needs no closing.

    Args:
        table: the settings' table that names it, for cures: "embedder".
        key: sent as a bearer token if not "", and never repeated in a message.
        key_cure: where to set the key.
        reply_mb: see `ModelSection.max_reply_mb`.

    Raises:
        ConfigError: the address is no URL.
    """

    def __init__(
        self, url: str, key: str, *, table: str, key_cure: str, timeout_s: float, retries: int, reply_mb: int
    ) -> None:
        self.url = url.rstrip("/")
        self._key = key
        self._table = table
        self._key_cure = key_cure
        self._timeout_s = timeout_s
        self._retries = retries
        self._reply_mb = reply_mb
        if not self.url.startswith(("http://", "https://")):
            message = f"{table}.base_url {self.url!r} is not an http address."
            raise ConfigError(message, cure='Give one such as "http://localhost:8080/v1".')

    async def post(
        self, path: str, question: dict[str, object], read: Callable[[bytes], Result], *, file: Upload | None = None
    ) -> Result:
        """Return what `read` makes of the reply's body; a ServiceError that it raises is a failure like another.

        With a `file` the question goes as a form's fields beside it.

        Raises:
            ConfigError: the key or the address is refused.
            ServiceError: it failed after all retries.
        """
        headers = PLAIN | ({"Authorization": f"Bearer {self._key}"} if self._key else {})
        hooks = bounds(self.url, self._table, reply_mb=self._reply_mb)
        async with httpx.AsyncClient(
            timeout=self._timeout_s,
            headers=headers,
            trust_env=False,
            proxy=proxy_for(self.url),
            follow_redirects=False,
            verify=certificates(),
            event_hooks=hooks,
        ) as client:
            for attempt in range(self._retries):
                try:
                    return read(await self._attempt(client, path, question, file))
                except ServiceError as error:
                    if not error.retryable:
                        raise
                    await asyncio.sleep(backoff_s(attempt, error.wait_s if isinstance(error, _FailedError) else None))
            return read(await self._attempt(client, path, question, file))

    async def _attempt(
        self, client: httpx.AsyncClient, path: str, question: dict[str, object], file: Upload | None
    ) -> bytes:
        address = f"{self.url}/{path}"
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await (
                    client.post(address, data=question, files={"file": file})
                    if file
                    else client.post(address, json=question)
                )
        except (TimeoutError, httpx.TimeoutException):
            message = f"{self.url} did not answer within {self._timeout_s:g} s."
            cure = f"Raise {self._table}.timeout_s, or look at the server."
            raise _FailedError(message, cure=cure, retryable=True) from None
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            message = f"{self.url} could not be reached: {self._safe(str(error)) or type(error).__name__}."
            cure = f"Is {self._table}.base_url right, and its server up?"
            raise _FailedError(message, cure=cure, retryable=True) from None
        if not response.is_success:
            raise self._refused(response)
        return response.content

    def _refused(self, response: httpx.Response) -> ConfigError | _FailedError:
        status = response.status_code
        message = f"{self.url} answered {status}: {self._safe(response.text) or response.reason_phrase}."
        if status in {401, 403}:
            return ConfigError(message, cure=self._key_cure)
        if status == 404:
            cure = f"Correct {self._table}.base_url (it often ends in /v1) or {self._table}.model."
            return ConfigError(message, cure=cure)
        retryable = status in RETRIED or status >= 500
        cure = "Wait, then do the same again: what is done is kept." if retryable else "See its message."
        return _FailedError(message, cure=cure, retryable=retryable, wait_s=retry_after_s(response))

    def _safe(self, text: str) -> str:
        """Shorten what a server said, and take the key out of it should it have echoed it."""
        text = text.replace(self._key, "…") if self._key else text
        return " ".join(text.split())[:QUOTED_CHARS].rstrip(".")


def backoff_s(attempt: int, asked_s: float | None = None) -> float:
    """Return the seconds to wait after attempt 0, 1, 2 …: what the server asked, else doubling with jitter, capped."""
    if asked_s is not None:
        return min(asked_s, LONGEST_WAIT_S)
    return min(FIRST_WAIT_S * 2**attempt, LONGEST_WAIT_S) * random.uniform(0.5, 1.0)


def retry_after_s(response: httpx.Response) -> float | None:
    """Read `Retry-After`, in seconds or as a date; None where it is absent or unreadable.

    >>> retry_after_s(httpx.Response(429, headers={"Retry-After": "2"}))
    2.0
    """
    value = response.headers.get("Retry-After", "").strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        when = parsedate_to_datetime(value)
    except ValueError:
        return None
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return max((when - datetime.now(UTC)).total_seconds(), 0.0)


@cache
def certificates() -> ssl.SSLContext:
    """Read the authorities that are trusted, once: it takes 30 ms."""
    return httpx.create_ssl_context()

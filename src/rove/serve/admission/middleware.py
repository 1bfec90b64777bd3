"""The middleware before all routes: who may call, how often and how much at once, and the headers of every reply.

Pure ASGI, so that streams pass through as they are. Nothing behind it is reached without a caller, save what `OPEN`
names: a route that is added later is closed until somebody opens it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from secrets import token_hex
from time import monotonic
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rove.errors import RoveError, ServiceError
from rove.serve.admission.callers import NOBODY, Caller, Callers
from rove.serve.admission.client_address import client_address
from rove.serve.admission.cookies import SAFE, check_same_origin, cookie_of
from rove.serve.admission.open_requests import OpenRequests
from rove.serve.admission.rate_limits import Buckets, ConcurrencyLimit, Throttle
from rove.serve.admission.request_body import RequestBodies, too_large
from rove.serve.journal import Journal
from rove.serve.pages.web_page import FILES
from rove.serve.people.sessions import Sessions, SignedIn
from rove.serve.problems import (
    DeniedError,
    LongHeadError,
    UnknownCallerError,
    response_of,
    response_of_fault,
)
from rove.serve.space_checks import LOOPBACK
from rove.settings import ServeSettings
from rove.store.tally import Tally

OPEN = frozenset({"/health", "/openapi.json", *FILES})
"""What needs no key: it says nothing of what is served."""
SIGN_IN = "/v1/session"
"""Where people sign in: what begins so is answered without a caller too."""
LARGE = ("/uploads", "/import")
SMALL_BYTES = 16_000
"""Of a body that somebody sends who has not signed in."""
MAX_HEAD_BYTES = 16_384
CALLER = "rove.caller"
SIGNED_IN = "rove.signed_in"
SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
HOST_CURE = "Call it by a name in serve.hosts."
ENDING = "This server is ending, and has not finished what it was asked."
ENDING_CURE = "Ask again in a moment: another answers, or this one once it is up again."
ORIGIN_CURE = "Name the page's origin in serve.origins, if it is to call this server."


class ReplySender:
    """Sends a reply with the headers that all have. `status` is its status, 0 as long as it has not begun."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._request_id = request_id
        self.status = 0

    async def __call__(self, message: Message) -> None:
        """Send a part of it."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
            headers["X-Request-Id"] = self._request_id
        await self._send(message)


class AdmissionMiddleware:
    """See the module."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        settings: ServeSettings,
        journal: Journal,
        callers: Callers,
        sessions: Sessions,
        open_requests: OpenRequests,
        tally: Tally,
    ) -> None:
        self._app = app
        self._settings = settings
        self._journal = journal
        self._callers = callers
        self._sessions = sessions
        self._open_requests = open_requests
        self._throttle = Throttle(settings.requests_per_minute, settings.concurrent, tally=tally)
        self._uploads = ConcurrencyLimit(settings.uploads, what="uploads", setting="serve.uploads", tally=tally)
        self._arriving = RequestBodies()
        self._strangers = Buckets(settings.tries_per_minute, what="tries", tally=tally)
        self._hosts = {*LOOPBACK, settings.host, *settings.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or say why not."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        scope["rove.request"] = token_hex(8)
        began, reply = monotonic(), ReplySender(send, scope["rove.request"])
        try:
            await self._enter(scope, receive, reply)
        except Exception as error:  # noqa: BLE001 - logged there
            response = response_of_fault(error, scope["rove.request"], scope["path"])
            if not reply.status:  # a reply that has begun is cut where it stands
                await response(scope, receive, reply)
        except asyncio.CancelledError:  # the server ends, and waits no longer for who is being answered
            if not reply.status:
                ending = ServiceError(ENDING, cure=ENDING_CURE, retryable=True)
                await response_of(ending, scope["path"])(scope, receive, reply)
        finally:
            self._journal.note(scope, reply.status, monotonic() - began)

    async def _enter(self, scope: Scope, receive: Receive, send: ReplySender) -> None:
        headers = Headers(scope=scope)
        try:
            check_head(scope)
            check_host(headers, self._hosts)
            check_origin(headers, self._settings.origins)
            if scope["path"] in OPEN:
                await self._app(scope, receive, send)
                return
            scope[CALLER] = await self._known(scope, headers)
            if scope[CALLER] is NOBODY:
                await self._welcome(scope, headers, receive, send)
                return
            with self._open_requests.noted(scope[CALLER].name):
                await self._work(scope, headers, receive, send)
        except RoveError as error:
            if not send.status:  # a reply that has begun is cut where it stands
                await response_of(error, scope["path"])(scope, receive, send)

    async def _work(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        """Have a request answered. It takes a place once its body is there: who sends slowly takes none from others.

        What is large is read as it comes, and has places of its own.
        """
        name = scope[CALLER].name
        if scope["path"].endswith(LARGE):
            limit = self._settings.max_upload_mb * 1_000_000
            check_body_length(headers, limit)
            await self._throttle.count(name, self._uploads)
            async with self._uploads.taken(name):
                await self._app(scope, _limit_body_size(receive, limit), send)
            return
        limit = self._settings.max_body_kb * 1_000
        check_body_length(headers, limit)
        await self._throttle.count(name)
        with self._arriving.body(limit) as arriving:
            if whole := await arriving.read(receive):
                async with self._throttle.working(name):
                    await self._app(scope, whole, send)

    async def _welcome(self, scope: Scope, headers: Headers, receive: Receive, send: Send) -> None:
        """Have somebody answered who is about to sign in: so often for each address, but for a look at the ways."""
        if scope["path"] != SIGN_IN or scope["method"] not in SAFE:
            address = client_address(scope, self._settings.proxies)
            await self._strangers.take(address, "Too many tries came from this address.", "Wait a little.")
        check_body_length(headers, SMALL_BYTES)
        with self._arriving.body(SMALL_BYTES) as arriving:
            if whole := await arriving.read(receive):
                await self._app(scope, whole, send)

    async def _known(self, scope: Scope, headers: Headers) -> Caller:
        """Find who asks; bound the tries of those who are not known, by address.

        Whoever has a key or a session is let in from an address that has tried too often too: nobody guesses 256 bits,
        and others behind the same proxy must not be able to lock them out.
        """
        authorization = headers.get("authorization", "")
        token = "" if authorization else cookie_of(headers)
        signing_in = scope["path"] == SIGN_IN or scope["path"].startswith(f"{SIGN_IN}/")
        if token and (signed_in := await self._sessions.find(token)):
            check_same_origin(scope["method"], headers)
            scope[SIGNED_IN] = signed_in
            return signed_in.caller
        if signing_in and not authorization and not token and not self._callers.is_open:
            return NOBODY
        try:
            return self._callers.find(authorization)
        except UnknownCallerError:
            address = client_address(scope, self._settings.proxies)
            message = "Too many requests without a valid key came from this address."
            await self._strangers.take(address, message, "Wait a little, then sign in, or send a valid key.")
            if signing_in and not authorization:
                return NOBODY
            raise


def signed_in(scope: Scope) -> SignedIn | None:
    """Whose session this request came with; None where it came with none."""
    return scope.get(SIGNED_IN)


def caller_of(scope: Scope) -> Caller:
    """Who made this request."""
    return scope[CALLER]


def check_head(scope: Scope) -> None:
    """Refuse an address and headers that are too long together.

    Raises:
        LongHeadError: they are.
    """
    size = len(scope["raw_path"] or b"") + len(scope["query_string"])
    size += sum(len(name) + len(value) for name, value in scope["headers"])
    if size > MAX_HEAD_BYTES:
        message = f"Address and headers have more than {MAX_HEAD_BYTES} bytes."
        raise LongHeadError(message, cure="Send what is long in the body.")


def check_host(headers: Headers, hosts: set[str]) -> None:
    """Refuse a request that names another host: a page elsewhere could have pointed its own name here.

    Raises:
        DeniedError: it does.
    """
    name = _host_name(headers.get("host", ""))
    if name not in hosts:
        message = "This server is not called by that name."
        raise DeniedError(message, cure=HOST_CURE)


def check_origin(headers: Headers, origins: Sequence[str]) -> None:
    """Refuse a request that a web page of another origin makes.

    Raises:
        DeniedError: the page's origin is neither this server nor one that the settings name.
    """
    origin = headers.get("origin")
    if origin is None or origin in origins:
        return
    if not origin or urlsplit(origin).netloc.lower() != headers.get("host", "").lower():
        message = "Pages of that origin may not call this server."
        raise DeniedError(message, cure=ORIGIN_CURE)


def check_body_length(headers: Headers, limit: int) -> None:
    """Refuse a body that says itself that it is too large.

    Raises:
        TooLargeError: it is.
    """
    length = headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit() or len(length) > 15 or int(length) > limit:
        raise too_large(limit)


def _limit_body_size(receive: Receive, limit: int) -> Receive:
    """Count what is received; a body that is too large ends with an error, wherever it is being read."""
    size = 0

    async def counted() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > limit:
            raise HTTPException(413, too_large(limit).reason)
        return message

    return counted


def _host_name(host: str) -> str:
    """Return the name in a Host header, without its port and brackets.

    >>> _host_name("[::1]:8017"), _host_name("KB.example.org:80"), _host_name("localhost")
    ('::1', 'kb.example.org', 'localhost')
    """
    name = host.lower().strip()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0]

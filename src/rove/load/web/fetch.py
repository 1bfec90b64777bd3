"""The one function that fetches from the web: no private network unless allowed, and bounds on size and time."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from mimetypes import guess_extension
from pathlib import PurePosixPath
from types import TracebackType
from typing import Self

import httpx

from rove.errors import InputError
from rove.load import SUFFIXES
from rove.load.discover import Location, kind_of, suffix_kind
from rove.load.web.address import Resolver, check_addresses, resolve
from rove.load.web.plan import FetchLimits
from rove.records import Source

USER_AGENT = "Rove (retrieval; one page at a time)"
MAX_URL_CHARS = 8_000
MAX_ADDRESSES = 3  # of a host that are tried
REDIRECTS = {301, 302, 303, 307, 308}
RETRIED = {429, 500, 502, 503, 504}
GENERIC = {"", "application/octet-stream", "text/plain", "binary/octet-stream"}
KINDS = {"text/html": "html", "application/xhtml+xml": "html"}
FIRST_WAIT_S = 0.5
ENCODINGS = {"": 0, "identity": 0, "gzip": 47, "x-gzip": 47, "deflate": 47}  # 47: zlib finds out which of the two


DEFAULT = FetchLimits()


async def fetch(url: str, *, limits: FetchLimits = DEFAULT, resolver: Resolver = resolve) -> Source:
    """Fetch one page or file.

    The host's addresses are looked up once, all of them must be of the public network (unless `allow_private`), and
    the connection goes to the one that was checked; each redirect is checked anew. Proxies of the environment are not
    used, since they would look the host up again. A name and a password in `url` are sent to its host alone, and kept
    nowhere.

    Raises:
        InputError: "unreadable", "too-large", "empty" or "unsupported".
    """
    async with Fetcher(limits, resolver) as fetcher:
        return source_of(await fetcher.get(url))


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """What a server sent. `url` is the address that was asked for, `final_url` where redirects led."""

    url: str
    final_url: str
    data: bytes
    content_type: str
    robots: str = ""


class Fetcher:
    """Fetches one page after the other; a connection is never used twice, since it was checked for one host."""

    def __init__(
        self,
        limits: FetchLimits = DEFAULT,
        resolver: Resolver = resolve,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.limits = limits
        self.resolver = resolver
        self.sleep = sleep
        self.client = httpx.AsyncClient(
            trust_env=False,
            follow_redirects=False,
            timeout=limits.timeout_s,
            limits=httpx.Limits(max_keepalive_connections=0),
            headers={"User-Agent": USER_AGENT, "Accept": "*/*", "Accept-Encoding": "gzip"},
        )

    async def __aenter__(self) -> Self:
        """Open."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close."""
        await self.client.aclose()

    async def get(self, url: str) -> FetchedPage:
        """Return what is at `url`. See `fetch`."""
        first = target = parse_url(url)
        for _ in range(self.limits.redirects + 1):
            answer = await self._ask(target, _auth(first) if target.host == first.host else None)
            if isinstance(answer, FetchedPage):
                return FetchedPage(public_url(first), answer.final_url, answer.data, answer.content_type, answer.robots)
            target = _resolve_redirect_url(target, answer)
        message = f"{public_url(first)} redirects more than {self.limits.redirects} times."
        raise InputError(message, cure="Give the address where it ends.", outcome="unreadable")

    async def _ask(self, url: httpx.URL, auth: httpx.BasicAuth | None) -> FetchedPage | str:
        """Return the page, or the address that it redirects to; ask again where the server wants a pause."""
        wait_s = FIRST_WAIT_S
        for left in range(self.limits.retries, -1, -1):
            answer = await self._try(url, auth)
            if not isinstance(answer, Refusal):
                return answer
            wait_s = max(answer.wait_s, wait_s)
            if not left or not answer.again or wait_s > self.limits.max_wait_s:
                cure = "Try again later." if answer.again else "Check the address; a page behind a login is not read."
                message = f"{public_url(url)} answered {answer.status}."
                raise InputError(message, cure=cure, outcome="unreadable")
            await self.sleep(wait_s)
            wait_s *= 2
        raise AssertionError  # the last attempt returns or raises

    async def _try(self, url: httpx.URL, auth: httpx.BasicAuth | None) -> FetchedPage | str | Refusal:
        cure = "Check the address, or try again later."
        try:
            async with asyncio.timeout(self.limits.timeout_s):
                return await self._send(url, await self._addresses(url), auth)
        except (TimeoutError, httpx.TimeoutException) as error:
            message = f"{public_url(url)} did not come within {self.limits.timeout_s} seconds."
            raise InputError(message, cure=cure, outcome="unreadable") from error
        except (httpx.HTTPError, httpx.StreamError, httpx.InvalidURL, zlib.error) as error:
            message = f"{public_url(url)} could not be fetched: {error or type(error).__name__}."
            raise InputError(message, cure=cure, outcome="unreadable") from error

    async def _addresses(self, url: httpx.URL) -> list[str]:
        port = url.port or (443 if url.scheme == "https" else 80)
        addresses = await self.resolver(url.raw_host.decode("ascii").strip("[]"), port)
        if not self.limits.allow_private or not addresses:
            check_addresses(url.host, addresses)
        return addresses[:MAX_ADDRESSES]

    async def _send(
        self, url: httpx.URL, addresses: list[str], auth: httpx.BasicAuth | None
    ) -> FetchedPage | str | Refusal:
        """Connect to the addresses in turn, and read what the first that answers sends."""
        for number, address in enumerate(addresses, 1):
            request = self.client.build_request(
                "GET",
                url.copy_with(host=address, userinfo=b"", fragment=None),
                headers={"Host": url.netloc.decode("ascii")},
                extensions={"sni_hostname": url.raw_host.decode("ascii").strip("[]")},
            )
            try:
                response = await self.client.send(request, stream=True, auth=auth)
            except httpx.ConnectError:
                if number == len(addresses):
                    raise
                continue
            try:
                return await self._read(url, response)
            finally:
                await response.aclose()
        raise AssertionError  # there is an address, and the last one answers or raises

    async def _read(self, url: httpx.URL, response: httpx.Response) -> FetchedPage | str | Refusal:
        status, headers = response.status_code, response.headers
        if status in REDIRECTS and headers.get("location"):
            return headers["location"]
        if status != 200:
            named = f"{status} {response.reason_phrase}".strip()
            return Refusal(named, status in RETRIED, _retry_after_seconds(headers.get("retry-after", "")))
        size = headers.get("content-length", "")
        if size.isdecimal() and int(size[:20]) > self.limits.max_bytes:
            raise self._too_large(url)
        data = await self._body(url, response)
        content_type = " ".join(headers.get("content-type", "").split())
        return FetchedPage("", public_url(url), data, content_type, headers.get("x-robots-tag", "").lower())

    async def _body(self, url: httpx.URL, response: httpx.Response) -> bytes:
        """Return the body, unpacked no further than the limit."""
        encoding = response.headers.get("content-encoding", "").strip().lower()
        if encoding not in ENCODINGS:
            message = f"{public_url(url)} is sent in the encoding {encoding!r}, which was not asked for."
            raise InputError(message, cure="Download it, and add the file.", outcome="unreadable")
        unpack = zlib.decompressobj(ENCODINGS[encoding]) if ENCODINGS[encoding] else None
        out = bytearray()
        async for raw in response.aiter_raw():
            out += unpack.decompress(raw, self.limits.max_bytes + 1 - len(out)) if unpack else raw
            if len(out) > self.limits.max_bytes:
                raise self._too_large(url)
        if unpack and out and not unpack.eof:
            message = f"{public_url(url)} ended before its end."
            raise InputError(message, cure="Try again later.", outcome="unreadable")
        return bytes(out)

    def _too_large(self, url: httpx.URL) -> InputError:
        message = f"{public_url(url)} has more than {self.limits.max_bytes} bytes."
        return InputError(message, cure="Raise the limit in the settings.", outcome="too-large")


@dataclass(frozen=True, slots=True)
class Refusal:
    """A server's answer without a page; `again` says whether it may come later, after `wait_s` seconds."""

    status: str
    again: bool
    wait_s: float


def parse_url(url: str) -> httpx.URL:
    """Return a URL that can be fetched, in its normal form: one parser decides what host it names.

    Raises:
        InputError: "unreadable" - it is none, or of another kind than http and https.
    """
    try:
        found = httpx.URL(url.strip()) if len(url) <= MAX_URL_CHARS else httpx.URL("")
    except (httpx.InvalidURL, ValueError):
        found = httpx.URL("")
    if found.scheme not in ("http", "https") or not found.host:
        shown = public_url(found) if found.host else repr(url[:80].rpartition("@")[2])
        message = f"{shown} is not an address of a page."
        raise InputError(message, cure="Give one that begins with http:// or https://.", outcome="unreadable")
    return found


def public_url(url: httpx.URL) -> str:
    """Return a URL without name, password and fragment: as it is kept and shown."""
    return str(url.copy_with(userinfo=b"", fragment=None))


def _resolve_redirect_url(url: httpx.URL, location: str) -> httpx.URL:
    try:
        return parse_url(str(url.join(location)))
    except (httpx.InvalidURL, ValueError):
        return parse_url(location)


def _auth(url: httpx.URL) -> httpx.BasicAuth | None:
    return httpx.BasicAuth(url.username, url.password) if url.userinfo else None


def source_of(page: FetchedPage) -> Source:
    """Return a page as a source. Its kind is what the bytes, the server and the address's suffix say, in that order.

    Raises:
        InputError: "empty" or "unsupported".
    """
    if not page.data:
        message = f"{page.url} is empty (0 bytes)."
        raise InputError(message, cure="Check the address.", outcome="empty")
    path = PurePosixPath(httpx.URL(page.final_url).path)
    media = page.content_type.partition(";")[0].strip().lower()
    said = KINDS.get(media) or SUFFIXES.get(guess_extension(media) or "", "")
    kind = suffix_kind(path.name) or said if media in GENERIC else said or suffix_kind(path.name)
    name = path.name or httpx.URL(page.final_url).host
    metadata = {"url": page.final_url, "content_type": page.content_type}
    kind = kind_of(page.data, Location(page.url, name, kind))
    return Source(page.url, name, page.data, kind, {key: value for key, value in metadata.items() if value})


def _retry_after_seconds(retry_after: str) -> float:
    """Return how long a server wants to be left alone: it gives seconds, or a time."""
    if retry_after.strip().isdecimal():
        return float(retry_after[:9])
    try:
        return max(0.0, (parsedate_to_datetime(retry_after) - datetime.now(UTC)).total_seconds())
    except (ValueError, TypeError, IndexError, OverflowError):
        return 0.0

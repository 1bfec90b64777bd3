"""A site's pages: by its links to a depth, by its sitemap; what its robots.txt allows, at the pace that it asks for."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field, replace
from urllib.parse import parse_qsl, urlencode, urljoin
from urllib.robotparser import RobotFileParser

import httpx

from rove.errors import InputError
from rove.load.html.tree import decode_page
from rove.load.text import decode
from rove.load.web.address import Resolver, resolve
from rove.load.web.fetch import DEFAULT, USER_AGENT, FetchedPage, Fetcher, parse_url, public_url, source_of
from rove.load.web.links import Links, Sitemap, read_links, read_sitemap
from rove.load.web.plan import CrawlPlan, FetchLimits
from rove.records import Source

ROBOT = USER_AGENT.partition(" ")[0]
ROBOTS_BYTES, LINK_BYTES = 512 << 10, 2 << 20
MAX_SITEMAPS, MAX_KNOWN = 50, 50_000
MAX_DELAY_S = 30.0
SERVER_FAILS = re.compile(r" answered 5\d\d")
TRACKING = ("utm_", "fbclid", "gclid", "mc_cid", "mc_eid", "msclkid", "igshid")

Failed = Callable[[str, InputError], None]


async def crawl(
    url: str,
    *,
    failed: Failed,
    plan: CrawlPlan = CrawlPlan(),  # noqa: B008 - frozen
    limits: FetchLimits = DEFAULT,
    resolver: Resolver = resolve,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncIterator[Source]:
    """Yield the pages of the host of `url`, each once, the nearest first; a sitemap's address gives what it names.

    Pages are the same that have the same address without fragment and marks of tracking, or name the same canonical
    address. `failed` is told of every page that could not be read, and why; robots.txt, `nofollow` and `noindex` are
    heeded.

    Raises:
        InputError: the first page cannot be read.
    """
    async with Fetcher(limits, resolver, sleep) as fetcher:
        site = _Site(fetcher, plan, failed, sleep)
        async for source in site.sources(parse_url(url)):
            yield source


@dataclass(frozen=True, slots=True)
class _Step:
    """A page to be fetched, and how many links from the first one it lies."""

    url: str
    depth: int


@dataclass(slots=True)
class _Site:
    """One walk through a site. `known` are the pages that wait or were fetched, `given` those that were yielded."""

    fetcher: Fetcher
    plan: CrawlPlan
    failed: Failed
    sleep: Callable[[float], Awaitable[None]]
    host: bytes = b""
    robots: RobotFileParser = field(default_factory=RobotFileParser)
    delay_s: float = 0.0
    asked: bool = False
    known: set[str] = field(default_factory=set[str])
    given: set[str] = field(default_factory=set[str])
    waiting: deque[_Step] = field(default_factory=deque["_Step"])

    async def sources(self, start: httpx.URL) -> AsyncIterator[Source]:
        self.host = start.netloc
        await self._read_robots(start)
        first = await self._first(start)
        if first is not None:
            yield first
        if self.plan.sitemap:
            await self._read_sitemaps(self.robots.site_maps() or [str(start.join("/sitemap.xml"))])
        while self.waiting and len(self.given) < self.plan.pages:
            step = self.waiting.popleft()
            try:
                source = await self._source(await self._get(step.url), step.depth)
            except InputError as error:
                self.failed(step.url, error)
                continue
            if source is not None:
                yield source

    async def _first(self, start: httpx.URL) -> Source | None:
        """Fetch the first page, which may lead to the site's proper name; a sitemap's addresses are put to wait."""
        page = await self._get(public_url(start), start)
        self.known.add(_page_url_key(start))
        self.host = parse_url(page.final_url).netloc
        found = read_sitemap(page.data)
        if found.addresses:
            await self._enter_sitemap(found, [page.url])
            return None
        return await self._source(page, 0)

    async def _get(self, url: str, given: httpx.URL | None = None) -> FetchedPage:
        """Fetch a page; `given` is its address with name and password, if it has them."""
        if not self.robots.can_fetch(ROBOT, url):
            message = f"The robots.txt of its site does not allow {url}."
            raise InputError(message, cure="Ask its owner, or download it yourself.", outcome="unreadable")
        if self.asked:
            await self.sleep(self.delay_s)
        self.asked = True
        return await self.fetcher.get(str(given or url))

    async def _source(self, page: FetchedPage, depth: int) -> Source | None:
        """Return a page as a source, and put what it links to into the queue; None for one that is not wanted."""
        final = parse_url(page.final_url)
        if final.netloc != self.host:
            return None
        source = source_of(page)
        links = await asyncio.to_thread(_links_of, source)
        rules = f"{page.robots},{links.robots}".replace(" ", "").split(",")
        base = urljoin(page.final_url, links.base)
        if depth < self.plan.depth and not {"nofollow", "none"} & set(rules):
            self._enter(links.targets, base, depth + 1)
        own = _resolve_page_link(base, links.canonical) if links.canonical else None
        identity = _page_url_key(own if own is not None and own.netloc == self.host else final)
        if identity in self.given or {"noindex", "none"} & set(rules):
            return None
        self.given.add(identity)
        return source

    def _enter(self, targets: list[str], base: str, depth: int) -> None:
        """Put pages of this host that are not known yet into the queue."""
        for target in targets:
            url = _resolve_page_link(base, target)
            if url is None or url.netloc != self.host or len(self.known) >= MAX_KNOWN:
                continue
            key = _page_url_key(url)
            if key not in self.known:
                self.known.add(key)
                self.waiting.append(_Step(public_url(url), depth))

    # -- robots.txt and sitemaps ----------------------------------------------------------------------------------

    async def _read_robots(self, start: httpx.URL) -> None:
        """Read robots.txt (RFC 9309): where there is none all is allowed, where its server fails nothing is."""
        limits = replace(self.fetcher.limits, max_bytes=ROBOTS_BYTES, retries=0)
        lines: list[str] = []
        try:
            async with Fetcher(limits, self.fetcher.resolver, self.sleep) as fetcher:
                page = await fetcher.get(str(start.join("/robots.txt")))
            lines = decode(page.data).splitlines() if page.data else []
        except InputError as error:
            if SERVER_FAILS.search(error.reason):
                lines = ["User-agent: *", "Disallow: /"]
        self.robots.parse(lines)
        asked_s = float(self.robots.crawl_delay(ROBOT) or 0)
        self.delay_s = min(max(self.plan.delay_s, asked_s), MAX_DELAY_S)

    async def _read_sitemaps(self, addresses: list[str]) -> None:
        """Put what sitemaps name into the queue."""
        for address in addresses[:MAX_SITEMAPS]:
            try:
                page = await self._get(address)
                await self._enter_sitemap(read_sitemap(page.data), [page.url])
            except InputError as error:
                self.failed(address, error)

    async def _enter_sitemap(self, found: Sitemap, read: list[str]) -> None:
        """Put the pages of a sitemap into the queue, and those of the sitemaps that it names; `read` were read."""
        self._enter([] if found.is_index else found.addresses, read[0], 0)
        for address in found.addresses if found.is_index else []:
            url = _resolve_page_link(read[0], address)
            if url is None or url.netloc != self.host or public_url(url) in read or len(read) >= MAX_SITEMAPS:
                continue
            read.append(public_url(url))
            try:
                page = await self._get(public_url(url))
            except InputError as error:
                self.failed(public_url(url), error)
                continue
            inner = read_sitemap(page.data)
            await self._enter_sitemap(replace(inner, addresses=[] if inner.is_index else inner.addresses), read)


def _page_url_key(url: httpx.URL) -> str:
    """Return what two addresses of one page share: no fragment, no marks of tracking, one form of the path."""
    query = [(k, v) for k, v in parse_qsl(url.query.decode("ascii", "replace"), keep_blank_values=True)
             if not k.lower().startswith(TRACKING)]  # fmt: skip
    return f"{url.scheme.removesuffix('s')}://{url.netloc.decode('ascii')}{url.path.rstrip('/')}?{urlencode(query)}"


def _links_of(source: Source) -> Links:
    return read_links(decode_page(source.data[:LINK_BYTES])) if source.kind == "html" else Links()


def _resolve_page_link(base: str, target: str) -> httpx.URL | None:
    try:
        return parse_url(urljoin(base, target.strip()))
    except (InputError, ValueError):  # a mail address, a telephone number
        return None

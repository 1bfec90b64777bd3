"""Sources that have to be fetched: pages and sites. The sandbox, which reads them, has no network."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from itertools import islice

from rove.errors import InputError
from rove.load.discover import Location
from rove.load.web.plan import CrawlPlan, FetchLimits
from rove.records import Source, SourceEnd
from rove.registry import load
from rove.settings import LoadSettings

AT_ONCE = 8
PAGES = 32
"""Pages that are held in memory at once."""

Fetched = list[Location | SourceEnd]


def limits_of(settings: LoadSettings) -> FetchLimits:
    """Say what one page may cost, and whether it may lie in a private network."""
    return FetchLimits(
        max_bytes=settings.max_file_mb * 1_000_000,
        timeout_s=settings.fetch_timeout_s,
        allow_private=settings.allow_private_hosts,
    )


async def fetched(locations: Sequence[Location], limits: FetchLimits) -> AsyncIterator[Fetched]:
    """Yield pages with what is on them, some at a time; one that cannot be had is yielded as its end."""
    waiting = iter(locations)
    turn = asyncio.Semaphore(AT_ONCE)
    while some := list(islice(waiting, PAGES)):
        yield list(await asyncio.gather(*(_fetch_location(location, limits, turn) for location in some)))


async def crawled(url: str, plan: CrawlPlan, limits: FetchLimits) -> AsyncIterator[Fetched]:
    """Yield the pages of a site, some at a time."""
    ends: list[Location | SourceEnd] = []
    some: Fetched = []

    def failed(page: str, error: InputError) -> None:
        ends.append(_source_end_from_error(page, error))

    try:
        crawl: Callable[..., AsyncIterator[Source]] = load("rove.load.web.crawl:crawl")  # which takes long to import
        sources = crawl(url, plan=plan, limits=limits, failed=failed)
        async for source in sources:
            some.append(located(source))
            if len(some) >= PAGES:
                yield some
                some = []
    except InputError as error:
        ends.append(_source_end_from_error(url, error))
    yield [*some, *ends]


def located(source: Source) -> Location:
    """Make a location of what was fetched."""
    return Location(source.uri, source.name, source.kind, data=source.data, metadata=source.metadata)


async def _fetch_location(location: Location, limits: FetchLimits, turn: asyncio.Semaphore) -> Location | SourceEnd:
    async with turn:
        try:
            source: Source = await load("rove.load.web.fetch:fetch")(location.address, limits=limits)
        except InputError as error:
            return _source_end_from_error(location.uri, error)
    page = located(source)
    metadata = {**page.metadata, **location.metadata}
    return Location(location.uri, page.name, page.kind, data=page.data, metadata=metadata)


def _source_end_from_error(uri: str, error: InputError) -> SourceEnd:
    return SourceEnd(uri, "", "", error.outcome, error.reason, error.cure)

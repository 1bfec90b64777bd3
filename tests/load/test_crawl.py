from __future__ import annotations

import gzip

import pytest

from load.web_server import Answer, Request, Site, html, redirect, serve
from rove.errors import InputError
from rove.load.web.crawl import crawl
from rove.load.web.links import MAX_ADDRESSES, read_sitemap
from rove.load.web.plan import CrawlPlan, FetchLimits
from rove.records import Source

OPEN = FetchLimits(allow_private=True, timeout_s=5, retries=0)
FAST = CrawlPlan(depth=3, delay_s=0)


def page(*targets: str, more: str = "") -> Answer:
    return html(f"<html><head>{more}</head><body>" + "".join(f"<a href='{target}'>x</a>" for target in targets))


async def walk(site: Site, path: str = "/", plan: CrawlPlan = FAST, **options: object) -> tuple[list[str], list[str]]:
    """The paths of the pages that were given, and of those that failed."""
    failed: list[str] = []
    found: list[Source] = []
    async for source in crawl(
        site.url + path, failed=lambda url, _: failed.append(url), plan=plan, limits=OPEN, **options
    ):
        found.append(source)
    return [s.uri.removeprefix(site.url) for s in found], [url.removeprefix(site.url) for url in failed]


async def test_the_pages_of_a_host_each_once_the_nearest_first() -> None:
    pages = {
        "/": page("a", "/b/", "b#x", "/a?utm_source=x", "https://other.example/", "mailto:a@b.c", "tel:1", "http://["),
        "/a": page("/c", "/gone", "/"),
        "/b/": page("c.html", "../c"),
        "/c": page("/deep"),
        "/b/c.html": page(),
        "/deep": page("/deeper"),
        "/deeper": page("/deepest"),
    }
    async with serve(pages) as site:
        found, failed = await walk(site)
        assert found == ["/", "/a", "/b/", "/c", "/b/c.html", "/deep"]
        assert failed == ["/gone"]
        assert len(site.paths) == len(set(site.paths))


async def test_depth_and_number_of_pages_are_bounded() -> None:
    def pages(request: Request) -> Answer:
        return page(*(f"{request.path.rstrip('/')}/{n}" for n in range(10)))

    async with serve(pages) as site:
        assert (await walk(site, plan=CrawlPlan(depth=0, delay_s=0)))[0] == ["/"]
        assert len((await walk(site, plan=CrawlPlan(depth=1, delay_s=0)))[0]) == 11
        assert len((await walk(site, plan=CrawlPlan(depth=9, pages=25, delay_s=0)))[0]) == 25


async def test_robots_and_their_pace_are_heeded() -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    robots = Answer(b"User-agent: *\nDisallow: /private\nCrawl-delay: 7\n")
    pages = {
        "/robots.txt": robots, "/": page("/private/x", "/n", "/m", "/f"), "/private/x": page(),
        "/n": page("/from-n", more="<meta name=robots content='noindex'>"), "/from-n": page(),
        "/m": page("/from-m", more="<meta name=robots content='index, nofollow'>"), "/from-m": page(),
        "/f": html("<a rel='nofollow' href='/from-f'>x</a>", X_Robots_Tag="noarchive"), "/from-f": page(),
    }  # fmt: skip
    async with serve(pages) as site:
        found, failed = await walk(site, sleep=sleep)
        assert (found, failed) == (["/", "/m", "/f", "/from-n"], ["/private/x"])
        assert "/private/x" not in site.paths
    assert waits == [7] * 4


async def test_a_site_whose_robots_file_fails_is_left_alone() -> None:
    async with serve({"/robots.txt": Answer(status=500), "/": page()}) as site:
        with pytest.raises(InputError, match=r"robots\.txt"):
            await walk(site)
        assert site.paths == ["/robots.txt"]


async def test_a_first_page_that_cannot_be_read_is_an_error() -> None:
    async with serve({}) as site:
        with pytest.raises(InputError, match="404"):
            await walk(site)


async def test_pages_with_the_same_canonical_address_are_one() -> None:
    same = page("/d", more="<link rel=canonical href='/a'>")
    far = page(more="<link rel=canonical href='https://other.example/'>")
    pages = {"/": page("/b", "/a", "/e", "/r"), "/a": same, "/b": same, "/d": page(), "/e": far, "/r": redirect("/d")}
    async with serve(pages) as site:
        found, _ = await walk(site)
    assert found == ["/", "/b", "/e", "/r"]  # /a is what /b says it is, /d is where /r leads


async def test_redirects_to_another_host_are_followed_by_the_first_page_alone() -> None:
    def pages(request: Request) -> Answer:
        if request.headers["host"].startswith("127."):
            return redirect(f"http://www.example:{site.port}{request.path}")
        if request.path == "/out":
            return redirect("http://elsewhere.example/")
        return page("/in", "/out") if request.path == "/" else page()

    async def resolver(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    async with serve(pages) as site:
        found, _ = await walk(site, resolver=resolver)
        assert found == ["/", f"http://www.example:{site.port}/in"]


SITEMAP = "<?xml version='1.0'?><urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{}</urlset>"


def sitemap(*addresses: str) -> bytes:
    return SITEMAP.format("".join(f"<url><loc> {address} </loc></url>" for address in addresses)).encode()


async def test_a_sitemap_its_index_and_its_packed_parts() -> None:
    def pages(request: Request) -> Answer:
        u = site.url
        index = f"<sitemapindex><sitemap><loc>{u}/1.xml</loc></sitemap><sitemap><loc>{u}/2.xml.gz</loc></sitemap>"
        index += f"<sitemap><loc>{u}/index.xml</loc></sitemap><sitemap><loc>http://169.254.169.254/</loc></sitemap></sitemapindex>"
        return {
            "/robots.txt": Answer(f"Sitemap: {u}/index.xml".encode()),
            "/index.xml": Answer(index.encode()),
            "/1.xml": Answer(sitemap(f"{u}/a", f"{u}/q?x=1&amp;y=2", "http://other.example/")),
            "/2.xml.gz": Answer(gzip.compress(sitemap(f"{u}/b", f"<![CDATA[{u}/c]]>"))),
        }.get(request.path, page())

    async with serve(pages) as site:
        everything = ["/a", "/q?x=1&y=2", "/b", "/c"]
        assert (await walk(site, plan=CrawlPlan(depth=0, delay_s=0, sitemap=True)))[0] == ["/", *everything]
        assert (await walk(site, "/index.xml", plan=CrawlPlan(depth=0, delay_s=0)))[0] == everything
        assert (await walk(site, plan=CrawlPlan(depth=0, delay_s=0)))[0] == ["/"]


def test_a_sitemap_that_is_a_bomb_stays_small() -> None:
    bomb = gzip.compress(b"<urlset>" + b"<loc>https://a.example/</loc>" * 10_000_000)
    assert len(read_sitemap(bomb).addresses) == MAX_ADDRESSES

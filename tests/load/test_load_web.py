from __future__ import annotations

import gzip
import zlib

import pytest

from load.samples import PARAGRAPHS, pdf_report
from load.web_server import Answer, Request, html, redirect, serve
from rove.errors import InputError
from rove.load.discover import load_documents
from rove.load.web.address import is_public
from rove.load.web.fetch import Fetcher, fetch, parse_url, public_url
from rove.load.web.plan import FetchLimits

OPEN = FetchLimits(allow_private=True, timeout_s=5)


def told(*addresses: str):
    """A name server that says this; it counts how often it is asked."""
    asked: list[str] = []

    async def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        return [addresses[min(len(asked), len(addresses)) - 1]]

    resolver.asked = asked  # type: ignore[attr-defined]
    return resolver


async def no_sleep(seconds: float) -> None:
    pass


async def refused(url: str, **options: object) -> InputError:
    with pytest.raises(InputError) as caught:
        await fetch(url, **options)  # type: ignore[arg-type]
    assert caught.value.cure
    return caught.value


async def test_a_page_is_fetched_and_read_with_its_links_made_whole() -> None:
    links = "<a href='b?x=1'>次</a> <a href='//e.x/'>e</a>"
    page = f"<html lang=ja><title>文書</title><p>{PARAGRAPHS['ja']}</p><p>{links}</p>"
    async with serve({"/a/": html(page)}) as site:
        source = await fetch(f"{site.url}/a/#part", limits=OPEN)
        assert site.requests[0].headers["host"] == f"127.0.0.1:{site.port}"
    assert (source.uri, source.kind) == (f"{site.url}/a/", "html")
    [document] = load_documents(source)
    assert PARAGRAPHS["ja"] in document.text
    assert f"[次]({site.url}/a/b?x=1)" in document.text
    assert "[e](http://e.x/)" in document.text
    assert document.metadata["content_type"] == "text/html; charset=utf-8"


@pytest.mark.parametrize(
    ("path", "content_type", "data", "kind"),
    [
        ("/x", "application/pdf", pdf_report(1), "pdf"),
        ("/x.bin", "text/html", pdf_report(1), "pdf"),
        ("/notes.md", "text/plain", b"# T\n\nx", "markdown"),
        ("/x", "application/json; charset=utf-8", b'{"a": 1}', "json"),
        ("/x", "text/plain", b"words", "text"),
        ("/x", "", b"<!doctype html><p>x", "html"),
        ("/x.md", "text/html", b"<p>a page about a .md file", "html"),
    ],
)
async def test_what_it_is(path: str, content_type: str, data: bytes, kind: str) -> None:
    async with serve({path: Answer(data, headers={"Content-Type": content_type} if content_type else {})}) as site:
        assert (await fetch(site.url + path, limits=OPEN)).kind == kind


async def test_the_charset_of_the_header_is_believed() -> None:
    page = Answer(
        f"<p>{PARAGRAPHS['hu']}</p>".encode("iso-8859-2"), headers={"Content-Type": "text/html; charset=iso-8859-2"}
    )
    async with serve({"/": page}) as site:
        [document] = load_documents(await fetch(site.url, limits=OPEN))
    assert document.text.strip() == PARAGRAPHS["hu"]


# -- addresses within the house ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "100.100.100.200", "168.63.129.16", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.9",
        "224.0.0.1", "240.0.0.1", "255.255.255.255", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00:ec2::254",
        "fec0::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:a9fe:a9fe", "::127.0.0.1", "64:ff9b::a00:1",
        "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2001:db8::1", "2001:0:7f00:1::", "100::1",
        "not an address", "", "::ffff:0:127.0.0.1", "::ffff:0:a9fe:a9fe", "::ffff:0:0:1", "::10.0.0.1", "::7f00:1",
        "64:ff9b:1:7f00:0:100:808:808", "2606:4700::5efe:7f00:1", "2606:4700::200:5efe:a9fe:a9fe", "64:ff9b:2::1",
        "3fff::1", "2001:20::1", "2001:0:808:808::80ff:fffe", "5f00::1", "4000::1", "fec0::1", "100:0:0:1::1",
        "192.0.0.9", "192.88.99.1", "::ffff:100.64.0.1", "2002:c0a8:101::1", "64:ff9b::a9fe:a9fe", "255.255.255.255",
    ],
)  # fmt: skip
def test_no_address_of_a_house_is_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        "93.184.216.34", "1.1.1.1", "2606:4700::1111", "64:ff9b::101:101", "::ffff:1.1.1.1", "2002:101:101::1",
        "2606:4700::5efe:101:101", "2a00:1450:4001:80b::200e",
    ],
)  # fmt: skip
def test_addresses_of_the_world_are_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1", "localhost", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "127.1", "0",
        "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "127.0.0.1.", "①②⑦.⓪.⓪.①",
        "169.254.169.254", "[fe80::1]", "user:pw@127.0.0.1", "example.com@127.0.0.1",
    ],
)  # fmt: skip
async def test_hosts_that_are_within_the_house_by_any_spelling(host: str) -> None:
    async with serve({"/": html("<p>secret")}) as site:
        error = await refused(f"http://{host}:{site.port}/", limits=FetchLimits(timeout_s=5))
        assert site.requests == []
    assert error.outcome == "unreadable"
    assert "pw" not in str(error)


async def test_one_address_within_the_house_spoils_all() -> None:
    async def both(host: str, port: int) -> list[str]:
        return ["93.184.216.34", "127.0.0.1"]

    assert "127.0.0.1" in str(await refused("http://a.example/", resolver=both))


async def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    """A name server that changes its mind after the check (DNS rebinding) is not asked a second time."""
    resolver = told("127.0.0.1", "192.0.2.1")
    async with serve({"/": html("<p>here")}) as site:
        await fetch(f"http://rebind.example:{site.port}/", limits=OPEN, resolver=resolver)
        assert site.requests[0].headers["host"] == f"rebind.example:{site.port}"
    assert resolver.asked == ["rebind.example"]


@pytest.mark.parametrize(
    "target", ["http://127.0.0.1:{port}/secret", "http://169.254.169.254/latest/meta-data/", "http://[::1]:{port}/secret",
               "//localhost:{port}/secret", "http://2130706433:{port}/secret", "file:///etc/passwd", "ftp://a.example/x",
               "gopher://127.0.0.1:{port}/x", "data:text/html,x"]
)  # fmt: skip
async def test_a_redirect_is_checked_anew(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve(
        lambda request: redirect(target.format(port=site.port)) if request.path == "/" else html("secret"),
        host="0.0.0.0",
    ) as site:
        # one public address stands for the test server, so that the first step passes the guard
        monkeypatch.setattr("rove.load.web.address.is_public", lambda address: address == "127.0.0.2")
        error = await refused(f"http://a.example:{site.port}/", resolver=_house, limits=FetchLimits(timeout_s=5))
        assert site.paths == ["/"]
    assert error.outcome == "unreadable"


async def _house(host: str, port: int) -> list[str]:
    return ["127.0.0.2"] if host == "a.example" else ["127.0.0.1"]


@pytest.mark.parametrize("url", ["ftp://a.example/x", "file:///etc/passwd", "https://", "http:///x", "javascript:x",
                                 "http://a b/", "http://[::1", "x" * 9000, "http://\x00/", ""])  # fmt: skip
async def test_what_is_no_address_of_a_page(url: str) -> None:
    assert (await refused(url)).outcome == "unreadable"


# -- redirects, sizes, faults -----------------------------------------------------------------------------------------


async def test_redirects_are_followed_and_bounded() -> None:
    def pages(request: Request) -> Answer:
        number = int(request.path[1:])
        return redirect(f"/{number - 1}", 301) if number else html("<p>end")

    async with serve(pages) as site:
        source = await fetch(f"{site.url}/5", limits=OPEN)
        assert (source.uri, source.metadata["url"]) == (f"{site.url}/5", f"{site.url}/0")
        assert "redirects more than 5 times" in str(await refused(f"{site.url}/6", limits=OPEN))


@pytest.mark.parametrize("answer", [
    Answer(endless=True, headers={"Content-Type": "text/plain"}),
    Answer(b"x" * 200_000),
    Answer(headers={"Content-Length": "9" * 12}),
    Answer(gzip.compress(b"x" * 10_000_000), headers={"Content-Encoding": "gzip"}),
], ids=["endless", "long", "announced", "bomb"])  # fmt: skip
async def test_the_size_is_bounded_also_when_unpacked(answer: Answer) -> None:
    async with serve({"/": answer}) as site:
        error = await refused(site.url, limits=FetchLimits(max_bytes=100_000, allow_private=True, timeout_s=5))
    assert error.outcome == "too-large"


@pytest.mark.parametrize(("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
async def test_packed_pages_are_unpacked(encoding: str, pack) -> None:
    page = pack(PARAGRAPHS["zh"].encode())
    async with serve({"/": Answer(page, headers={"Content-Encoding": encoding, "Content-Type": "text/plain"})}) as site:
        assert (await fetch(site.url, limits=OPEN)).data.decode() == PARAGRAPHS["zh"]
    half = Answer(page[: len(page) // 2], headers={"Content-Encoding": encoding})
    for answer in (
        half,
        Answer(b"no gzip", headers={"Content-Encoding": "gzip"}),
        Answer(b"x", headers={"Content-Encoding": "br"}),
    ):
        async with serve({"/": answer}) as site:
            assert (await refused(site.url, limits=OPEN)).outcome == "unreadable"


async def test_a_slow_server_and_none_at_all() -> None:
    async with serve({"/": Answer(b"x", delay_s=5)}) as site:
        limits = FetchLimits(timeout_s=0.2, allow_private=True)
        assert "did not come within 0.2 seconds" in str(await refused(site.url, limits=limits))
    assert "could not be fetched" in str(await refused(site.url, limits=OPEN))
    assert "was not found" in str(await refused("http://nothing.invalid/"))


async def test_only_a_busy_server_is_asked_again() -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    busy = [Answer(status=429, headers={"Retry-After": "3"}), Answer(status=503), html("<p>now")]
    async with serve(lambda request: busy.pop(0) if request.path == "/" else Answer(status=404)) as site:
        async with Fetcher(OPEN, sleep=sleep) as fetcher:
            assert (await fetcher.get(site.url)).data == b"<p>now"
            assert waits == [3, 6]
            with pytest.raises(InputError, match="answered 404"):
                await fetcher.get(f"{site.url}/no")
        assert site.paths == ["/", "/", "/", "/no"]


async def test_a_server_that_wants_a_long_pause_is_left_alone() -> None:
    async with serve({"/": Answer(status=503, headers={"Retry-After": "86400"})}) as site:
        assert "503" in str(await refused(site.url, limits=OPEN))
        assert len(site.requests) == 1


async def test_a_name_and_a_password_go_to_their_host_alone_and_are_kept_nowhere() -> None:
    def pages(request: Request) -> Answer:
        return redirect(f"http://other.example:{site.port}/x") if request.path == "/" else html("<p>x")

    async with serve(pages) as site:
        source = await fetch(f"http://me:secret@a.example:{site.port}/", limits=OPEN, resolver=told("127.0.0.1"))
        assert "authorization" in site.requests[0].headers
        assert "authorization" not in site.requests[1].headers
    assert "secret" not in repr(source)
    assert public_url(parse_url("https://me:secret@a.example/x#y")) == "https://a.example/x"


async def test_empty_and_unknown() -> None:
    async with serve(
        {"/e": Answer(b""), "/b": Answer(bytes(range(256)), headers={"Content-Type": "application/x-shockwave-flash"})}
    ) as site:
        assert (await refused(f"{site.url}/e", limits=OPEN)).outcome == "empty"
        assert (await refused(f"{site.url}/b", limits=OPEN)).outcome == "unsupported"

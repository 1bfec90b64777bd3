"""What a page or a sitemap links to, found without a parser of foreign code: this runs outside of the sandbox."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass, field
from html import unescape
from html.parser import HTMLParser
from itertools import islice

SITEMAP_BYTES = 50 << 20
SITEMAP = re.compile(rb"<(?:\w+:)?(sitemapindex|urlset)[\s>]")
LOCATION = re.compile(rb"<(?:\w+:)?loc\s*>([^<]*)(?:<!\[CDATA\[([^\]<]*)\]\]>\s*)?</")
MAX_ADDRESSES = 50_000


@dataclass(slots=True)
class Links:
    """The targets of a page's links, in order; its canonical address, its base and its rules for robots, "" if none."""

    targets: list[str] = field(default_factory=list[str])
    canonical: str = ""
    base: str = ""
    robots: str = ""


@dataclass(frozen=True, slots=True)
class Sitemap:
    """The addresses in a sitemap; of further sitemaps, if it is an index."""

    addresses: list[str] = field(default_factory=list[str])
    is_index: bool = False


def read_links(page: str) -> Links:
    """Return what a page links to, save links that it asks not to follow.

    >>> read_links('<base href="/a/"><a href="b">x</a><a rel=nofollow href=c>y</a>')
    Links(targets=['b'], canonical='', base='/a/', robots='')
    """
    parser = _LinkParser()
    parser.feed(page)
    return parser.links


def read_sitemap(data: bytes) -> Sitemap:
    """Return the addresses that a sitemap names, packed by gzip or not; none where it is no sitemap."""
    if data.startswith(b"\x1f\x8b"):
        try:
            data = zlib.decompressobj(47).decompress(data, SITEMAP_BYTES)
        except zlib.error:
            return Sitemap()
    kind = SITEMAP.search(data[:2048])
    if kind is None:
        return Sitemap()
    found = islice(LOCATION.finditer(data[:SITEMAP_BYTES]), MAX_ADDRESSES)
    texts = (location[1].strip() or (location[2] or b"") for location in found)
    addresses = [unescape(text.decode("utf-8", "replace")).strip() for text in texts]
    return Sitemap([address for address in addresses if address], kind[1] == b"sitemapindex")


class _LinkParser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.links = Links()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        fields = {name: value or "" for name, value in attrs}
        rules, target = fields.get("rel", "").lower().split(), fields.get("href", "")
        if tag in ("a", "area") and target and "nofollow" not in rules:
            self.links.targets.append(target)
        elif tag == "link" and "canonical" in rules:
            self.links.canonical = self.links.canonical or target
        elif tag == "base":
            self.links.base = self.links.base or target
        elif tag == "meta" and fields.get("name", "").lower() == "robots":
            self.links.robots = fields.get("content", "").lower()

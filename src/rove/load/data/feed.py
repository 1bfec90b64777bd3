"""News feeds (RSS 0.9 to 2.0, Atom): each item is a document."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from html import unescape
from io import BytesIO

from rove.errors import InputError
from rove.load.html.html import HtmlLoader
from rove.load.markdown import markdown_sections
from rove.load.text import clean
from rove.load.xmltree import Node, inner_text, serialize, stream
from rove.records import Document, Source, content_hash
from rove.records.source import MetaValue

FEED = re.compile(rb"<(?:rss|(?:\w+:)?feed|(?:\w+:)?RDF)\b", re.IGNORECASE)
NAMESPACES = (b"<rss", b"http://www.w3.org/2005/Atom", b"http://purl.org/rss/", b"http://my.netscape.com/rdf")
MARKUP = re.compile(r"<[a-zA-Z/!]|&[a-zA-Z#]\w*;")
TAG = re.compile(r"</?(\w++)[^<>]*+>")
PLAIN_TAGS = {"p", "br", "div"}
# What an item's elements are called, the fullest first.
TEXTS = ("encoded", "content", "description", "summary")
IDS = ("guid", "id", "link")
DATES = ("pubDate", "published", "date", "updated")
AUTHORS = ("creator", "author")


def is_feed(data: bytes) -> bool:
    """Say whether this XML is a feed that has items."""
    head = data[:4096]
    known = FEED.search(head) is not None and any(name in head for name in NAMESPACES)
    return known and (b"item" in data or b"entry" in data)


def feed_documents(source: Source) -> Iterator[Document]:
    """Yield the items of a feed that say something, in their order.

    Raises:
        XmlError: at the place where the feed is not well-formed.
    """
    seen: set[str] = set()
    feed = ""
    for element in stream(BytesIO(source.data), "{*}item", "{*}entry"):
        feed = feed or _feed_title(element)
        document = _feed_item_document(source, element, feed, seen)
        if document is not None:
            yield document


def _feed_item_document(source: Source, item: Node, feed: str, seen: set[str]) -> Document | None:
    title = " ".join(_first_element_text(item, ("title",)).split())
    text = _prose(_first_element_text(item, TEXTS), source)
    if not title and not text:
        return None
    link = _feed_item_link(item)
    name = _unique_item_name(_first_element_text(item, IDS) or link or title, seen)
    lines = [f"# {title}" if title else "", f"[{feed or link}]({link})" if link else "", text]
    text = clean("\n\n".join(line for line in lines if line)) + "\n"
    uri = clean(f"{source.uri}#{name}")
    tags = tuple(
        clean(tag) for e in item.iterchildren("{*}category") if (tag := e.get("term", "") or _feed_element_text(e))
    )
    fields: dict[str, MetaValue] = {
        "feed": feed,
        "url": link,
        "author": _first_element_text(item, AUTHORS),
        "published": _feed_date_to_iso(_first_element_text(item, DATES)),
        "tags": tags,
    }
    return Document(
        document_id=f"{source.document_id}#{name}" if source.document_id else content_hash(uri),
        source=uri,
        kind="xml",
        text=text,
        title=clean(title) or feed or name,
        metadata={key: clean(value) if isinstance(value, str) else value for key, value in fields.items() if value},
        sections=markdown_sections(text, setext=False),
    )


def _feed_title(item: Node) -> str:
    """What the feed calls itself; in RSS 1.0 the channel stands beside its items."""
    feed = item.getparent()
    if feed is None:
        return ""
    found = feed.find("{*}title")
    found = feed.find("{*}channel/{*}title") if found is None else found
    return _feed_element_text(found) if found is not None else ""


def _first_element_text(item: Node, names: tuple[str, ...]) -> str:
    for name in names:
        for element in item.iterchildren("{*}" + name):
            if text := _feed_element_text(element):
                return text
    return ""


def _feed_element_text(element: Node) -> str:
    """The text of an element; that of Atom may be XHTML, which is kept as such."""
    if element.get("type", "") == "xhtml":
        return serialize(element)
    names = (inner_text(e) for e in element.iterchildren("{*}name"))  # of an Atom author
    return clean(next(names, "") or inner_text(element)).strip()


def _feed_item_link(item: Node) -> str:
    for element in item.iterchildren("{*}link"):
        if element.get("rel", "alternate") == "alternate" and (
            link := element.get("href", "") or _feed_element_text(element)
        ):
            return link
    return ""


def _prose(text: str, source: Source) -> str:
    """The text of an item, which is mostly HTML that was escaped."""
    if not MARKUP.search(text):
        return text
    if {name.lower() for name in TAG.findall(text)} <= PLAIN_TAGS and "<!" not in text:  # ten times quicker
        lines = (" ".join(line.split()) for line in unescape(TAG.sub("\n", text)).split("\n"))
        return "\n\n".join(filter(None, lines))
    page = Source(source.uri, source.name, text.encode(), "html")
    try:
        return next(HtmlLoader().load(page)).text.strip()
    except InputError:
        return ""  # marks without a word: a picture, a tracking pixel


def _feed_date_to_iso(moment: str) -> str:
    """RSS writes dates as mail does; Atom writes ISO 8601."""
    try:
        return parsedate_to_datetime(moment).isoformat()
    except ValueError:
        return moment


def _unique_item_name(name: str, seen: set[str]) -> str:
    """The name, or one made of it where another item has it."""
    found, number = name, 1
    while found in seen:
        number += 1
        found = f"{name}~{number}"
    seen.add(found)
    return found

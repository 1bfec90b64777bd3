"""XML as trees, parsed so that no file can reach outside itself: no entities, no DTD, no network, bounded depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, cast

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]

from rove.errors import InputError

XmlError = cast("type[Exception]", etree.XMLSyntaxError)  # pyright: ignore[reportUnknownMemberType]
OPTIONS = {
    "resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False, "remove_comments": True,
    "remove_pis": True,
}  # fmt: skip
MAX_XML_BYTES = 100 << 20
CURE = "Open it in its own program and save it again."


class Node(Protocol):
    """The part of an XML element that is used; lxml has no types of its own.

    Names are `{namespace}local`. libxml2 refuses trees that are deeper than 256, so that recursion is bounded.
    """

    tag: str
    text: str | None
    tail: str | None

    def get(self, key: str, default: str) -> str:
        """Return an attribute, or `default`."""
        ...

    def find(self, path: str) -> Node | None:
        """Return the first element at that path."""
        ...

    def findall(self, path: str) -> list[Node]:
        """Return the elements at that path."""
        ...

    def iter(self, *tags: str) -> Iterator[Node]:
        """Yield all elements with these tags, at any depth, the element itself included."""
        ...

    def itertext(self) -> Iterator[str]:
        """Yield all text, in order."""
        ...

    def getparent(self) -> Node | None:
        """Return the element that this one stands in."""
        ...

    def __iter__(self) -> Iterator[Node]: ...

    def __len__(self) -> int: ...


def parse_xml(data: bytes, name: str) -> Node:
    """Return the root of the XML document `data`, which errors call `name`.

    Raises:
        InputError: "damaged" or "too-large".
    """
    if len(data) > MAX_XML_BYTES:
        message = f"{name!r} has {len(data)} bytes of XML; the limit is {MAX_XML_BYTES}."
        raise InputError(message, cure="Split the document.", outcome="too-large")
    try:
        return cast("Node", etree.fromstring(data, etree.XMLParser(**OPTIONS)))  # pyright: ignore[reportUnknownMemberType]
    except (XmlError, ValueError) as error:
        message = f"{name!r} is no whole XML: {error}."
        raise InputError(message, cure=CURE, outcome="damaged") from error


def integer(text: str, default: int = 0) -> int:
    """Return the whole number that an attribute holds; `default` where it holds none.

    >>> integer("7"), integer("-1.5", 3), integer("")
    (7, 3, 0)
    """
    try:
        return int(text)
    except ValueError:
        return default

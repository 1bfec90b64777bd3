"""XML as trees, parsed so that no file can reach outside itself: no entities, no DTD, no network, bounded depth."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Protocol, Self, cast

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]

from rove.errors import InputError
from rove.load.container import CURE, MAX_PART_BYTES

XmlError = cast("type[Exception]", etree.XMLSyntaxError)  # pyright: ignore[reportUnknownMemberType]
OPTIONS = {
    "resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False, "remove_comments": True,
    "remove_pis": True,
}  # fmt: skip


class Node(Protocol):
    """The part of an element that is used; lxml has no types of its own.

    Names are `{namespace}local`. libxml2 refuses trees that are deeper than 256, so that recursion is bounded.
    """

    tag: str
    text: str | None
    tail: str | None
    attrib: dict[str, str]

    def get(self, key: str, default: str) -> str:
        """Return an attribute, or `default`."""
        ...

    def find(self, path: str) -> Self | None:
        """Return the first element at that path."""
        ...

    def findall(self, path: str) -> list[Self]:
        """Return all elements at that path."""
        ...

    def iter(self, *tags: str) -> Iterator[Self]:
        """Yield this and all elements under it, or those with these tags, in the order of the text."""
        ...

    def iterchildren(self, *tags: str) -> Iterator[Self]:
        """Yield the elements right under this one that have one of the tags."""
        ...

    def itertext(self) -> Iterator[str]:
        """Yield all text under this element, in order."""
        ...

    def getparent(self) -> Self | None:
        """Return the element around this one."""
        ...

    def getprevious(self) -> Self | None:
        """Return the element before this one."""
        ...

    def clear(self) -> None:
        """Drop what the element holds."""
        ...

    def remove(self, child: Self) -> None:
        """Drop an element right under this one."""
        ...

    def __iter__(self) -> Iterator[Self]: ...

    def __reversed__(self) -> Iterator[Self]: ...

    def __len__(self) -> int: ...


def parse_xml(data: bytes) -> Node:
    """Return the root of an XML document.

    Raises:
        XmlError: it is not well-formed.
    """
    return cast("Node", etree.fromstring(data, etree.XMLParser(**OPTIONS)))  # pyright: ignore[reportUnknownMemberType]


def parse_part(data: bytes, name: str) -> Node:
    """Return the root of a container's part, which errors call `name`.

    Raises:
        InputError: "damaged" or "too-large".
    """
    if len(data) > MAX_PART_BYTES:
        message = f"{name!r} has {len(data)} bytes of XML; the limit is {MAX_PART_BYTES}."
        raise InputError(message, cure="Split the document.", outcome="too-large")
    try:
        return parse_xml(data)
    except (XmlError, ValueError) as error:
        message = f"{name!r} is not complete XML: {error}."
        raise InputError(message, cure=CURE, outcome="damaged") from error


def stream(data: IO[bytes], *tags: str) -> Iterator[Node]:
    """Yield the elements with one of `tags` as they end; each is dropped when the next is asked for.

    Raises:
        XmlError: at the place where the XML is not well-formed.
    """
    for _, item in etree.iterparse(data, tag=tags, **OPTIONS):  # pyright: ignore
        element = cast("Node", item)
        yield element
        _free_xml_element(element)


def children_of_root(data: IO[bytes]) -> Iterator[Node]:
    """Yield the elements right under the root as they end; each is dropped when the next is asked for.

    A root without any is yielded itself.

    Raises:
        XmlError: at the place where the XML is not well-formed.
    """
    depth = 0
    found = False
    for event, item in etree.iterparse(data, events=("start", "end"), **OPTIONS):  # pyright: ignore
        depth += 1 if event == "start" else -1
        element = cast("Node", item)
        if event == "end" and (depth == 1 or (depth == 0 and not found)):
            found = True
            yield element
            _free_xml_element(element)


def _free_xml_element(element: Node) -> None:
    """Free what was read: the element's own parts, and all before it."""
    element.clear()
    parent = element.getparent()
    while parent is not None and (before := element.getprevious()) is not None:
        parent.remove(before)


def serialize(element: Node) -> str:
    """Return what is in the element as XML, without the element's own tag."""
    inner = "".join(cast("str", etree.tostring(child, encoding="unicode")) for child in element)  # pyright: ignore
    return (element.text or "") + inner


def local(element: Node) -> str:
    """Return the tag without its namespace; "" for what is no element (an entity that is not resolved)."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""  # pyright: ignore[reportUnnecessaryIsInstance]


def inner_text(element: Node) -> str:
    """Return all text in the element, without what is no element (an entity that is not resolved)."""
    out = [element.text or ""]
    for child in element:
        out += (inner_text(child) if local(child) else "", child.tail or "")
    return "".join(out)


def integer(text: str, default: int = 0) -> int:
    """Return the whole number that an attribute holds; `default` where it holds none.

    >>> integer("7"), integer("-1.5", 3), integer("")
    (7, 3, 0)
    """
    try:
        return int(text)
    except ValueError:
        return default

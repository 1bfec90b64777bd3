"""XML read safely: without entities, a DTD or the network, a part at a time, and with types."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import IO, Protocol, cast

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType]

XmlError: type[Exception] = cast("type[Exception]", etree.XMLSyntaxError)  # pyright: ignore
OPTIONS = {
    "resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": False, "remove_comments": True,
    "remove_pis": True,
}  # fmt: skip


class Element(Protocol):
    """The part of an XML element that is used; lxml has no types."""

    tag: str
    text: str | None
    tail: str | None
    attrib: dict[str, str]
    nsmap: dict[str | None, str]

    def get(self, key: str, default: str) -> str:
        """Return an attribute, or `default`."""
        ...

    def find(self, path: str) -> Element | None:
        """Return the first element at that path."""
        ...

    def iter(self, *tags: str) -> Iterator[Element]:
        """Yield the element itself and all in it that have one of the tags."""
        ...

    def iterchildren(self, *tags: str) -> Iterator[Element]:
        """Yield the children with one of the tags."""
        ...

    def getparent(self) -> Element | None:
        """Return the element that holds this one."""
        ...

    def getprevious(self) -> Element | None:
        """Return the element before this one."""
        ...

    def clear(self) -> None:
        """Drop what the element holds."""
        ...

    def remove(self, child: Element) -> None:
        """Drop a child."""
        ...

    def __iter__(self) -> Iterator[Element]: ...
    def __reversed__(self) -> Iterator[Element]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> Element: ...


def parse(data: bytes) -> Element:
    """Return the root element.

    Raises:
        XmlError: it is no whole XML.
    """
    return cast("Element", etree.parse(BytesIO(data), etree.XMLParser(**OPTIONS)).getroot())  # pyright: ignore


def stream(data: IO[bytes], *tags: str, recover: bool = False) -> Iterator[Element]:
    """Yield the elements with one of `tags` as they end; each is dropped when the next is asked for.

    Raises:
        XmlError: at the place where the XML is not whole.
    """
    for _, item in etree.iterparse(data, tag=tags, recover=recover, **OPTIONS):  # pyright: ignore
        element = cast("Element", item)
        yield element
        _drop(element)


def _drop(element: Element) -> None:
    """Free what was read: the element's own parts, and all before it."""
    element.clear()
    parent = element.getparent()
    while parent is not None and (before := element.getprevious()) is not None:
        parent.remove(before)


def children_of_root(data: IO[bytes]) -> Iterator[Element]:
    """Yield the elements right under the root as they end; each is dropped when the next is asked for.

    A root without any is yielded itself.

    Raises:
        XmlError: at the place where the XML is not whole.
    """
    depth = 0
    found = False
    for event, item in etree.iterparse(data, events=("start", "end"), **OPTIONS):  # pyright: ignore
        depth += 1 if event == "start" else -1
        element = cast("Element", item)
        if event == "end" and (depth == 1 or (depth == 0 and not found)):
            found = True
            yield element
            _drop(element)


def serialize(element: Element) -> str:
    """Return what is in the element as XML, without the element's own tag."""
    inner = "".join(cast("str", etree.tostring(child, encoding="unicode")) for child in element)  # pyright: ignore
    return (element.text or "") + inner


def local(element: Element) -> str:
    """Return the tag without its namespace; "" for what is no element (an entity that is not resolved)."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""  # pyright: ignore


def inner_text(element: Element, skip: frozenset[str] = frozenset()) -> str:
    """Return all text in the element; elements whose local name is in `skip` are left out."""
    out = [element.text or ""]
    for child in element:
        name = local(child)
        if name and name not in skip:
            out.append(inner_text(child, skip))
        out.append(child.tail or "")
    return "".join(out)

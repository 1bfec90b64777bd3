"""XML: the items of a feed as documents; any other as an outline of its elements, in which what repeats is a table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from itertools import chain

from rove.errors import InputError
from rove.load.data.feed import feed_documents, is_feed
from rove.load.data.outline import MAX_DEPTH, Branch, outline_documents
from rove.load.xmltree import Node, XmlError, children_of_root, inner_text, local
from rove.records import Document, Source

PARAGRAPHS = {"p", "para", "simpara"}
SECTIONS = {
    "section",
    "sect1",
    "sect2",
    "sect3",
    "sect4",
    "sec",
    "chapter",
    "part",
    "article",
    "book",
    "div",
    "appendix",
}
TITLES = {"title", "head", "name"}
SPACES = re.compile(r"\s+")
CURE = "Correct it at that place, or get the file again."


class XmlLoader:
    """See `Loader`. Entities are not resolved, and nothing outside the file is looked at."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        documents = feed_documents(source) if is_feed(source.data) else _outlines(source)
        found = False
        try:
            for document in documents:
                found = True
                yield document
        except XmlError as error:
            message = f"{source.name!r} is not complete XML: {error}."
            raise InputError(message, cure=CURE, outcome="partial" if found else "damaged") from error
        if not found:
            message = f"{source.name!r} holds elements and no text."
            raise InputError(message, cure="Give a file with text in it, or leave it out.", outcome="empty")


def _outlines(source: Source) -> Iterator[Document]:
    elements = children_of_root(BytesIO(source.data))
    first = next(elements, None)
    if first is not None:
        root = first.getparent()
        title = local(root) if root is not None else local(first)
        yield from outline_documents(source, title, map(to_branch, chain([first], elements)))


def to_branch(element: Node, depth: int = 0) -> Branch:
    """Return an element as a branch: its attributes and elements are under it, the text between them is its own."""
    tag = local(element)
    facts = [Branch(key.rpartition("}")[2], value) for key, value in element.attrib.items() if value.strip()]
    inner = [child for child in element if local(child)]
    mixed = bool(inner) and any((piece or "").strip() for piece in (element.text, *(child.tail for child in element)))
    if not inner or mixed or depth >= MAX_DEPTH:
        text = SPACES.sub(" ", inner_text(element)).strip() if inner else inner_text(element).strip()
        return Branch("" if tag in PARAGRAPHS else tag, text, () if tag in PARAGRAPHS else tuple(facts))
    title = _section_title_node(tag, inner)
    named = " ".join(inner_text(title).split()) if title is not None else ""
    kept = [child for child in inner if child is not title or not named]
    return Branch(named or tag, "", (*facts, *(to_branch(child, depth + 1) for child in kept)))


def _section_title_node(tag: str, inner: list[Node]) -> Node | None:
    """What names a part of a written document (DocBook, JATS, TEI); the fields of a record stay what they are."""
    if tag not in SECTIONS or not any(local(child) in PARAGRAPHS | SECTIONS for child in inner):
        return None
    return next((child for child in inner if local(child) in TITLES), None)

"""HTML as a tree, and the charset that a page is in."""

# lxml has no types; this module gives what it returns one.
# pyright: reportAttributeAccessIssue=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUntypedBaseClass=false
from __future__ import annotations

import re
from typing import Protocol, cast

import lxml.html
from lxml import etree

from rove.load.text import clean, decode
from rove.load.xmltree import Node

CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml[^>]+encoding\s*=\s*[\"']([\w.:-]+)", re.I)
# Browsers read "iso-8859-1" as Windows-1252, so do we, and the older sets of Chinese, Japanese and Korean as the newer.
ALIASES = {"iso-8859-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030",
           "shift_jis": "cp932", "ks_c_5601-1987": "cp949", "euc-kr": "cp949"}  # fmt: skip
SELF_CLOSED = re.compile(r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)"
                         r"([a-z][\w:.-]*)((?:\s[^<>]*)?)/>", re.IGNORECASE)  # fmt: skip


TAG = re.compile(r"<(/?)([a-z][\w:.-]*+)[^<>]*+>", re.IGNORECASE)
DEEPEST = 500
NEED_NO_END = frozenset(
    {"area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html", "img", "input", "li"}
    | {"link", "meta", "option", "p", "param", "source", "tbody", "td", "tfoot", "th", "thead", "tr", "track", "wbr"}
)


class HtmlNode(Node, Protocol):
    """The part of an element of HTML that is used: names have no namespace, an attribute that is not there is ""."""

    def get(self, key: str, default: str = "") -> str:
        """Return an attribute."""
        ...

    def getnext(self) -> HtmlNode | None:
        """Return the element that follows."""
        ...

    def drop_tree(self) -> None:
        """Take this element out, and leave what follows it."""
        ...


class _HtmlElement(lxml.html.HtmlElement):
    def get(self, key: str, default: str = "") -> str:
        return cast("str", super().get(key, default))


def parse_html(page: str) -> HtmlNode:
    """Return the root of a page. Any text gives a tree; its comments and processing instructions are left out.

    The parser ends at elements that lie too deep: of a page that has some, their tags are left out, and then all tags.
    """
    if "/>" in page:  # XHTML closes what HTML takes for open: <title/> would hold the rest of the page
        page = SELF_CLOSED.sub(r"<\1\2></\1>", page)
    root, whole = _parse_html_page(page)
    if not whole:
        root, whole = _parse_html_page(_shallow(page))
    return root if whole else _parse_html_page(f"<body>{TAG.sub(' ', page)}")[0]


def _parse_html_page(page: str) -> tuple[HtmlNode, bool]:
    """Parse a page, and say whether the parser came to its end."""
    parser = lxml.html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    parser.set_element_class_lookup(etree.ElementDefaultClassLookup(element=_HtmlElement))
    try:
        root = lxml.html.document_fromstring(page.encode(), parser=parser)
    except etree.ParserError:  # nothing but comments
        root = lxml.html.document_fromstring("<html><body></body></html>", parser=parser)
    errors: list[int] = [error.type for error in parser.error_log]
    return cast("HtmlNode", root), etree.ErrorTypes.ERR_RESOURCE_LIMIT not in errors


def _shallow(page: str) -> str:
    """Leave out the tags of elements that lie deeper than `DEEPEST`. Those that need no end tag are not counted."""
    depth = 0

    def kept(tag: re.Match[str]) -> str:
        nonlocal depth
        if tag[2].lower() in NEED_NO_END:
            return tag[0]
        depth = max(0, depth + (-1 if tag[1] else 1))
        return " " if depth + bool(tag[1]) > DEEPEST else tag[0]

    return TAG.sub(kept, page)


def decode_page(data: bytes, charset: str = "") -> str:
    """Return the text of a page: by the charset that its header or the page itself names where the bytes fit it.

    Raises:
        InputError: "unreadable", as `text.decode`.
    """
    found = CHARSET.search(data[:4096])
    name = (charset or ((found[1] or found[2]).decode("ascii") if found else "")).lower()
    if name and not name.startswith(("utf-16", "utf-32", "ucs")):
        try:
            return clean(data.decode(ALIASES.get(name, name))) if b"\0" not in data else decode(data)
        except (LookupError, UnicodeDecodeError):
            pass  # the declaration is wrong, as many are: the bytes decide
    return decode(data)

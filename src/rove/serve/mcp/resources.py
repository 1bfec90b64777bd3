"""Documents as resources of the Model Context Protocol: their addresses, pages of them, and what stands there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, urlsplit

import mcp_types as types

from rove.records import Document, DocumentInfo
from rove.records.document import Span

SCHEME = "rove"
KIND = "document"
PAGE = 200
TEXT = "text/markdown"
TEMPLATES = [
    types.ResourceTemplate(
        uri_template=f"{SCHEME}://{{space}}/{KIND}/{{document_id}}",
        name="document",
        description="The whole text of a document.",
        mime_type=TEXT,
    ),
    types.ResourceTemplate(
        uri_template=f"{SCHEME}://{{space}}/{KIND}/{{document_id}}?start={{start}}&end={{end}}",
        name="passage",
        description="The characters of a document from start to end, as search and ask name them.",
        mime_type=TEXT,
    ),
]


@dataclass(frozen=True, slots=True)
class Address:
    """What the address of a resource names. `span` None: the whole document.

    >>> Address.read("rove://hr/document/a%2Fb?start=2&end=5")
    Address(space='hr', document_id='a/b', span=(2, 5))
    >>> str(Address("hr", "a/b")), Address.read("rove://hr/a"), Address.read("file:///etc/passwd")
    ('rove://hr/document/a%2Fb', None, None)
    """

    space: str
    document_id: str
    span: Span | None = None

    @classmethod
    def read(cls, uri: str) -> Address | None:
        """Take an address apart; None where it is none of a document."""
        try:
            parts = urlsplit(uri)
        except ValueError:
            return None
        named = re.fullmatch(rf"/{KIND}/([^/]+)", parts.path)
        if parts.scheme != SCHEME or not parts.netloc or not named or parts.fragment:
            return None
        asked = dict(parse_qsl(parts.query, keep_blank_values=True))
        if not asked.keys() <= {"start", "end"} or not all(re.fullmatch(r"\d{1,10}", one) for one in asked.values()):
            return None
        span = (int(asked.get("start", 0)), int(asked.get("end", 10**10))) if asked else None
        return cls(unquote(parts.netloc), unquote(named[1]), span)

    def __str__(self) -> str:
        return f"{SCHEME}://{quote(self.space, safe='')}/{KIND}/{quote(self.document_id, safe='')}"

    def text_of(self, document: Document) -> str:
        """What stands there."""
        return document.text if self.span is None else document.text[slice(*self.span)]


def resource(space: str, info: DocumentInfo) -> types.Resource:
    """Say a document as a resource."""
    return types.Resource(
        uri=str(Address(space, info.document_id)),
        name=info.title or info.document_id,
        description=f"{info.kind}, {info.chunks} passages",
        mime_type=TEXT,
        annotations=types.Annotations(last_modified=info.added_at),
    )

"""Web pages in one file (MHTML, as browsers save them and Confluence exports them as .doc): the page that they hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from email.message import Message

from rove.errors import InputError
from rove.load import LoadOptions
from rove.load.html.html import HtmlLoader
from rove.load.mail.eml import PARSER, part_text
from rove.records import Document, Source

DEFAULT = LoadOptions()


class MhtmlLoader:
    """See `Loader`. Pictures and styles that lie beside the page are left out."""

    def __init__(self, options: LoadOptions = DEFAULT) -> None:
        self.options = options

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        page = _mhtml_root_part(PARSER.parsebytes(source.data.lstrip()))
        if page is None:
            message = f"{source.name!r} holds no web page."
            raise InputError(message, cure="Save the page again from its program, as .html or .pdf.", outcome="empty")
        metadata = {**source.metadata, "content_type": "text/html; charset=utf-8"}
        html = replace(source, data=part_text(page).encode(), kind="html", metadata=metadata)
        for document in HtmlLoader(self.options).load(html):
            yield replace(document, kind=source.kind)


def _mhtml_root_part(message: Message) -> Message | None:
    """The part that the others belong to: the one that is named as the start, else the first page."""
    pages = [part for part in message.walk() if part.get_content_type() in ("text/html", "application/xhtml+xml")]
    start = str(message.get_param("start", ""))
    return next((part for part in pages if start and part.get("content-id") == start), pages[0] if pages else None)

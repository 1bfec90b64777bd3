"""Stage 1 of 6: read one source and make Documents of it, with canonical text, sections and pages.

A new type is one file with a `Loader` and one line in `LOADERS` (and its suffixes in `SUFFIXES`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from rove.records import Document, Source
from rove.registry import Registry


class Loader(Protocol):
    """Reads one kind of source. Pure: no network, no file beside `source.data`."""

    def load(self, source: Source) -> Iterator[Document]:
        """Yield the documents of `source`, each with non-blank text.

        Raises:
            InputError: nothing can be read; the message says what is wrong and what to do, `outcome` is one of
                "empty", "unreadable", "encrypted", "damaged", "too-large", "unsupported".
        """
        ...


LOADERS = Registry(
    "load",
    {
        "text": "rove.load.text:TextLoader",
        "markdown": "rove.load.markdown:MarkdownLoader",
        "html": "rove.load.html:HtmlLoader",
        "pdf": "rove.load.pdf:PdfLoader",
        "docx": "rove.load.docx:DocxLoader",
        "json": "rove.load.json:JsonLoader",
    },
)

SUFFIXES = {
    ".txt": "text",
    ".text": "text",
    ".log": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".docx": "docx",
    ".json": "json",
    ".jsonl": "json",
}

"""Stage 1 of 6: read one source and make Documents of it, with canonical text, sections and pages.

A new type is one file with a `Loader` and one line in `LOADERS` (and its suffixes in `SUFFIXES`).

Canonical text is markdown-like, whatever the source is:

- headings as `# …` to `###### …`, of which `markdown_sections` makes the sections; paragraphs apart by a blank line
- lists as `- ` and `1. `, two spaces deeper for each level
- tables by `table.pipe_table`, the header row first; the caption is the paragraph before or after, and in `blocks`
- code between fences; formulas as LaTeX (or plain text where there is none) between `$$`, in a line between `$`
- links as `[text](target)`, footnotes as `[^1]` and `[^1]: …`
- pictures as `![what it shows](name)`, by caption or alternative text; no bytes, no data: URLs
- what a speaker notes, a reviewer comments: a paragraph `> Note: …`, `> Comment (Name): …`
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

        A loader that leaves something out by a rule, and so as it should, may `return` a sentence that says what: it
        becomes the ledger's reason of a source that is live.

        Raises:
            InputError: nothing can be read, or, after the last document, not all: the message says what is wrong or
                missing and what to do, `outcome` is one of "empty", "unreadable", "encrypted", "damaged", "too-large",
                "unsupported", "partial".
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
        "posts": "rove.load.posts:PostsLoader",
    },
)

INLINE = frozenset({"text", "markdown", "json"})
"""Kinds that are read by our own code and Python's, in linear time; all others are parsed in a sandbox."""

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

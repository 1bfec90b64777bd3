"""Stage 1 of 6: read one source and make Documents of it, with canonical text, sections and pages.

A new type is one file with a `Loader` and one line in `LOADERS` (and its suffixes in `SUFFIXES`).

A family of formats has a folder, and in it a file named by each kind, or `loader.py` where there is but one kind. What
loaders of several families share lies beside this file, and in `layout/` (printed pages) and `formula/`.

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
from dataclasses import dataclass, field
from typing import Protocol

from rove.load.limits import Inflated
from rove.load.transcripts import Transcripts
from rove.records import Document, Source
from rove.registry import Registry


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """What a caller may choose about reading.

    `keep_boilerplate`: menus, banners and footers of a page are text too. `ocr`: pictures of text are read.
    `depth` and `inflated` are the readers' own: how deep in other files this one lies, and what those unpacked to;
    `transcripts`: what OCR has said of pictures of the source, and how long it may go on.
    """

    keep_boilerplate: bool = False
    ocr: bool = True
    depth: int = 0
    inflated: Inflated | None = field(default=None, compare=False)
    transcripts: Transcripts | None = field(default=None, compare=False)


class Loader(Protocol):
    """Reads one kind of source. Pure: no network, no file beside `source.data`.

    A loader that heeds options takes them when it is made: `__init__(self, options: LoadOptions = LoadOptions())`.
    """

    def load(self, source: Source) -> Iterator[Document]:
        """Yield the documents of `source`, each with non-blank text. A generator may return a remark: what it left out.

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
        "html": "rove.load.html.html:HtmlLoader",
        "pdf": "rove.load.pdf.loader:PdfLoader",
        "docx": "rove.load.office.docx.loader:DocxLoader",
        "pptx": "rove.load.office.pptx.loader:PptxLoader",
        "odt": "rove.load.office.odf.odt:OdtLoader",
        "odp": "rove.load.office.odf.odp:OdpLoader",
        "rtf": "rove.load.office.rtf.loader:RtfLoader",
        "json": "rove.load.data.json:JsonLoader",
        "xlsx": "rove.load.sheets.xlsx:XlsxLoader",
        "xls": "rove.load.sheets.xls:XlsLoader",
        "ods": "rove.load.sheets.ods:OdsLoader",
        "csv": "rove.load.sheets.csv:CsvLoader",
        "sqlite": "rove.load.data.sqlite:SqliteLoader",
        "parquet": "rove.load.data.parquet:ParquetLoader",
        "xml": "rove.load.data.xml:XmlLoader",
        "ipynb": "rove.load.ipynb:NotebookLoader",
        "rst": "rove.load.rst.loader:RstLoader",
        "image": "rove.load.image.loader:ImageLoader",
        "epub": "rove.load.html.epub:EpubLoader",
        "eml": "rove.load.mail.eml:EmlLoader",
        "mbox": "rove.load.mail.eml:MboxLoader",
        "msg": "rove.load.mail.msg:MsgLoader",
        "zip": "rove.load.archive:ZipLoader",
        "tar": "rove.load.archive:TarLoader",
        "gzip": "rove.load.archive:GzipLoader",
        "posts": "rove.load.posts.loader:PostsLoader",
    },
)

INLINE = frozenset({"text", "markdown", "json"})
"""Kinds that are read by our own code and Python's, in linear time; all others are parsed in a sandbox."""

DRAWN = frozenset({"pdf", "image"})
"""Kinds whose pages can be shown as pictures, from the file itself."""

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
    ".docm": "docx",
    ".dotx": "docx",
    ".dotm": "docx",
    ".pptx": "pptx",
    ".pptm": "pptx",
    ".ppsx": "pptx",
    ".ppsm": "pptx",
    ".potx": "pptx",
    ".potm": "pptx",
    ".odt": "odt",
    ".ott": "odt",
    ".odp": "odp",
    ".otp": "odp",
    ".rtf": "rtf",
    ".json": "json",
    ".jsonl": "json",
    ".ndjson": "json",
    ".xlsx": "xlsx",
    ".xlsm": "xlsx",
    ".xltx": "xlsx",
    ".xltm": "xlsx",
    ".xls": "xls",
    ".ods": "ods",
    ".csv": "csv",
    ".tsv": "csv",
    ".tab": "csv",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".parquet": "parquet",
    ".xml": "xml",
    ".rss": "xml",
    ".svg": "xml",
    ".atom": "xml",
    ".ipynb": "ipynb",
    ".rst": "rst",
    ".png": "image",
    ".jpg": "image",
    ".jpeg": "image",
    ".tif": "image",
    ".tiff": "image",
    ".gif": "image",
    ".webp": "image",
    ".bmp": "image",
    ".epub": "epub",
    ".eml": "eml",
    ".mbox": "mbox",
    ".msg": "msg",
    ".zip": "zip",
    ".tar": "tar",
    ".gz": "gzip",
    ".tgz": "gzip",
    ".bz2": "gzip",
    ".xz": "gzip",
}

"""Stage 1 of 7: read one source and make Documents of it, with canonical text, sections and pages.

A new format is one file with a `Loader` and one line in `FORMATS`. A loader of another package is an entry point in the
group "rove.loaders", named by the kind of document that it reads.

A family of formats has a folder, and in it a file named by each kind, or `loader.py` where there is but one kind. What
loaders of several families share lies beside this file, and in `layout/` (printed pages) and `formula/`.

Canonical text is markdown-like, whatever the source is:

- headings as `# …` to `###### …`, of which `markdown_sections` makes the sections; paragraphs apart by a blank line
- lists as `- ` and `1. `, two spaces deeper for each level
- tables by `table.pipe_table`, the header row first; the caption is the paragraph before or after, and in `blocks`
- code between fences; formulas as LaTeX (or plain text where there is none) between `$$`, in a line between `$`
- links as `[text](target)`, footnotes as `[^1]` and `[^1]: …`
- pictures as `![what it shows](name)`, by caption or alternative text; no bytes, no data: URLs
- speakers' notes and reviewers' comments as paragraphs `> Note: …`, `> Comment (Name): …`
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Protocol

from rove.load.limits import Inflated
from rove.load.transcripts import Transcripts
from rove.records import Document, Source
from rove.records.moment import Speech
from rove.registry import Registry


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """What a caller may choose about reading.

    `keep_boilerplate`: menus, banners and footers of a page are text too. `ocr`: what reads
    pictures of text, as the setting `load.ocr` names it.
    `depth` and `inflated` are the readers' own: how deep in other files this one lies, and what those unpacked to;
    `transcripts`: what OCR has said of pictures of the source, and how long it may go on; `convert`: converts a file
    that no loader reads into one that is read, None where nothing can. `transcriber`: who writes down what is said in
    a recording, "" where nobody can; `spoken`: the language that is spoken, "" where it has to be heard; `transcribe`:
    sends a recording to an endpoint.
    """

    keep_boilerplate: bool = False
    ocr: str = "auto"
    depth: int = 0
    inflated: Inflated | None = field(default=None, compare=False)
    transcripts: Transcripts | None = field(default=None, compare=False)
    convert: Callable[[Source], Source] | None = field(default=None, compare=False)
    transcriber: str = ""
    spoken: str = ""
    transcribe: Callable[[Source], Speech] | None = field(default=None, compare=False)


class Loader(Protocol):
    """Reads one kind of source. Pure: no network, no file beside `source.data`.

    A loader that heeds options takes them when it is made: `__init__(self, options: LoadOptions = LoadOptions())`. A
    loader of another package names the suffixes of its files: `suffixes = (".lrc",)`.
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


@dataclass(frozen=True, slots=True)
class Format:
    """A packaged loader ("module:Class"), and the suffixes of its files, separated by spaces.

    `inline`: read by our own code and Python's, in linear time; all others are parsed in a sandbox. `drawn`: its pages
    can be shown as pictures, from the file itself. `pictured`: so can the pictures that stand in it, by their names.
    `played`: it is a recording, which can be played.
    """

    loader: str
    suffixes: str = ""
    inline: bool = False
    drawn: bool = False
    pictured: bool = False
    played: bool = False


FORMATS = {
    "text": Format("rove.load.text:TextLoader", ".txt .text .log", inline=True),
    "markdown": Format("rove.load.markdown:MarkdownLoader", ".md .markdown", inline=True),
    "html": Format("rove.load.html.html:HtmlLoader", ".html .htm .xhtml"),
    "pdf": Format("rove.load.pdf.loader:PdfLoader", ".pdf", drawn=True),
    "docx": Format("rove.load.office.docx.loader:DocxLoader", ".docx .docm .dotx .dotm", pictured=True),
    "pptx": Format("rove.load.office.pptx.loader:PptxLoader", ".pptx .pptm .ppsx .ppsm .potx .potm", pictured=True),
    "odt": Format("rove.load.office.odf.odt:OdtLoader", ".odt .ott", pictured=True),
    "odp": Format("rove.load.office.odf.odp:OdpLoader", ".odp .otp", pictured=True),
    "rtf": Format("rove.load.office.rtf.loader:RtfLoader", ".rtf"),
    "json": Format("rove.load.data.json:JsonLoader", ".json .jsonl .ndjson", inline=True),
    "xlsx": Format("rove.load.sheets.xlsx:XlsxLoader", ".xlsx .xlsm .xltx .xltm"),
    "xls": Format("rove.load.sheets.xls:XlsLoader", ".xls"),
    "ods": Format("rove.load.sheets.ods:OdsLoader", ".ods"),
    "csv": Format("rove.load.sheets.csv:CsvLoader", ".csv .tsv .tab"),
    "sqlite": Format("rove.load.data.sqlite:SqliteLoader", ".sqlite .sqlite3 .db"),
    "parquet": Format("rove.load.data.parquet:ParquetLoader [parquet]", ".parquet"),
    "xml": Format("rove.load.data.xml:XmlLoader", ".xml .rss .atom .svg"),
    "ipynb": Format("rove.load.ipynb:NotebookLoader", ".ipynb"),
    "rst": Format("rove.load.rst.loader:RstLoader", ".rst"),
    "image": Format("rove.load.image.loader:ImageLoader", ".png .jpg .jpeg .tif .tiff .gif .webp .bmp", drawn=True),
    "audio": Format(
        "rove.load.sound.loader:SoundLoader",
        ".mp3 .m4a .m4b .wav .ogg .oga .opus .flac .aac .aif .aiff .amr .wma .weba",
        played=True,
    ),
    "video": Format(
        "rove.load.sound.loader:SoundLoader", ".mp4 .m4v .webm .mkv .mov .avi .mpg .mpeg .3gp .wmv .flv", played=True
    ),
    "subtitles": Format("rove.load.sound.subtitles:SubtitlesLoader", ".vtt .srt", inline=True),
    "epub": Format("rove.load.html.epub:EpubLoader", ".epub", pictured=True),
    "mhtml": Format("rove.load.mail.mhtml:MhtmlLoader", ".mht .mhtml"),
    "ics": Format("rove.load.mail.calendar:CalendarLoader", ".ics .vcs .ifb", inline=True),
    "vcf": Format("rove.load.mail.calendar:CalendarLoader", ".vcf .vcard", inline=True),
    "eml": Format("rove.load.mail.eml:EmlLoader", ".eml"),
    "mbox": Format("rove.load.mail.eml:MboxLoader", ".mbox"),
    "msg": Format("rove.load.mail.msg:MsgLoader", ".msg"),
    "zip": Format("rove.load.archive:ZipLoader", ".zip"),
    "tar": Format("rove.load.archive:TarLoader", ".tar"),
    "gzip": Format("rove.load.archive:GzipLoader", ".gz .tgz .bz2 .xz"),
    "posts": Format("rove.load.posts.loader:PostsLoader [parquet]"),
}
"""Packaged loaders by the kind of document that they read."""

LOADERS = Registry("loader", "rove.loaders", {kind: format.loader for kind, format in FORMATS.items()})
SUFFIXES = {suffix: kind for kind, format in FORMATS.items() for suffix in format.suffixes.split()}
INLINE = frozenset(kind for kind, format in FORMATS.items() if format.inline)
DRAWN = frozenset(kind for kind, format in FORMATS.items() if format.drawn)
PICTURED = frozenset(kind for kind, format in FORMATS.items() if format.pictured)
PLAYED = frozenset(kind for kind, format in FORMATS.items() if format.played)


@cache
def kind_of_suffix(suffix: str) -> str:
    """The kind of document that files with this suffix (".pdf") hold, "" where no loader reads them.

    Loaders of installed packages name theirs in `Loader.suffixes`; a packaged loader's suffixes stay its own.

    Raises:
        ConfigError: an installed loader cannot be imported.
    """
    suffix = suffix.lower()
    if suffix in SUFFIXES or not suffix:
        return SUFFIXES.get(suffix, "")
    return next((kind for kind in LOADERS.outside if suffix in getattr(LOADERS.get(kind), "suffixes", ())), "")

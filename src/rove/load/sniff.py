"""Recognises formats by their bytes: how a file begins, and what it holds, counts for more than its suffix."""

from __future__ import annotations

import re
import zipfile
import zlib
from io import BytesIO
from typing import Protocol, cast

from rove.load.formats import BRANDS, CONTENT_TYPES, MARKS, MIMETYPES, OLE_CLASSES, OLE_NAMES, XML_MARKS, ZIP_PARTS
from rove.load.text import OLE_MAGIC, is_binary, narrowed
from rove.registry import load

HEAD_BYTES = 4096
HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?><\?xml[^>]*>\s*|<!--.*?-->\s*)*+<(?:!doctype\s+html|html)\b", re.I | re.S
)
XML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml\b|<svg\b)")
BOX_START = re.compile(rb"From \S[^\n]*+\n(?:>?[!-9;-~]+:|\Z)")
MAIL_START = re.compile(rb"(?:(?:Received|Return-Path|Delivered-To|MIME-Version|Message-ID): )", re.I)
# A page in one file: parts that belong together, and nobody whom they were sent to.
PAGE_HEAD = re.compile(
    rb"(?i:(?:mime-version|date|message-id|subject|from|content-type|snapshot-content-location|x-[\w-]+)):"
)
PAGE_PARTS = re.compile(rb"^content-type:[ \t]*(?:\r?\n[ \t]+)?multipart/related\b", re.IGNORECASE | re.MULTILINE)
SENT = re.compile(rb"^(?:to|cc|received|return-path|delivered-to|in-reply-to):", re.IGNORECASE | re.MULTILINE)
HEAD_END = re.compile(rb"\r?\n\r?\n")
MAGIC = (
    (b"BEGIN:VCALENDAR", "ics"),
    (b"BEGIN:VCARD", "vcf"),
    (b"{\\rtf", "rtf"),
    (b"PAR1", "parquet"),
    (b"SQLite format 3\0", "sqlite"),
    (b"\x89PNG\r\n\x1a\n", "image"),
    (b"\xff\xd8\xff", "image"),
    (b"GIF8", "image"),
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "gzip"),
    (b"\xfd7zXZ\0", "gzip"),
    (b"II*\0", "image"),
    (b"MM\0*", "image"),
)
MAIN_TYPE = re.compile(rb'ContentType\s*=\s*["\']([^"\']*(?:\.main\+xml|\.main|fixeddocumentsequence\+xml))["\']')
# A folder that only this kind of zip file has, its main part, and the kind: for one that does not say what it is.
ZIP_FOLDERS = (
    ("word/", "document.xml", "docx"),
    ("ppt/", "presentation.xml", "pptx"),
    ("xl/", "workbook.bin", "xlsb"),
    ("xl/", "workbook.xml", "xlsx"),
)
ZIPPED = {"docx", "pptx", "xlsx", "odt", "ods", "odp", "epub"}
# Kinds of which no file is text: what is a page, a mail or rows with one of their suffixes is that (HTML as .xls).
NEVER_TEXT = {*ZIPPED, "xls", "msg", "image", "parquet", "sqlite", "gzip", "zip"}
SHEETS = {"xls", "xlsx"}
ROWS = re.compile(rb"[^\r\n\t;,]*+[\t;,][^\r\n]*+[\r\n]")
TOLD_AS_TEXT = {"ps", "ciphered", "export"}
DAMAGED = (zipfile.BadZipFile, zlib.error, ValueError, NotImplementedError, KeyError, RuntimeError, OSError)


def sniff(data: bytes, kind: str) -> str:
    """Return the loader's name for `data`, or `kind` (what the suffix says) where the bytes do not tell.

    "" where neither tells. The name need not be a loader that is there: those of `formats.UNREAD` are known and not
    read.
    """
    head = data[:HEAD_BYTES]
    if head[:1024].lstrip().startswith(b"%PDF-"):
        return "pdf"
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_kind(data, kind)
    if head.startswith(OLE_MAGIC):
        return _ole_kind(data) or kind or "ole"
    if head[257:262] == b"ustar":
        return "tar"
    text = narrowed(head)
    if found := next((name for magic, name in MAGIC if text.startswith(magic)), "") or _unsupported_format(data):
        return found
    if kind in {"", "text", "mhtml", "eml", "html", "xls"} and is_page(text):
        return "mhtml"
    if kind in NEVER_TEXT and not is_binary(data):
        return _text_kind(text) or ("csv" if kind in SHEETS and ROWS.match(text) else kind)
    if kind in {"", "text", "markdown", "xml"} and (found := _text_kind(text)) and (not kind or found != "eml"):
        return found if kind in {"", "xml"} or found == "html" else kind
    return kind


def is_page(head: bytes) -> bool:
    """Say whether a file that begins so is a web page with its pictures in one (MHTML), and no mail."""
    head = head.lstrip()
    if PAGE_HEAD.match(head) is None:
        return False
    end = HEAD_END.search(head)
    fields = head[: end.start()] if end else head
    return PAGE_PARTS.search(fields) is not None and SENT.search(fields) is None


def _text_kind(head: bytes) -> str:
    if head.startswith(b"WEBVTT") and b"-->" in head:
        return "subtitles"
    if HTML_START.match(head):
        return "html"
    if XML_START.match(head) or head.lstrip().startswith(b"<"):
        marked = next((name for mark, name in XML_MARKS if mark in head), "")
        return marked or ("xml" if XML_START.match(head) else "")
    if BOX_START.match(head):
        return "mbox"
    return "eml" if MAIL_START.match(head) else ""


def _unsupported_format(data: bytes) -> str:
    """Name a format that is known and not read; a text that happens to begin like one is none."""
    if data[4:8] == b"ftyp":
        return next((name for name, brands in BRANDS.items() if data[8:12] in brands), "video")
    if data[:2] == b"MZ" and is_binary(data):
        return "program"
    for at, mark, name in MARKS:
        if data[at : at + len(mark)] == mark:
            plain = len(mark) < 3 or mark.decode("latin-1").isprintable()
            return name if not plain or name in TOLD_AS_TEXT or is_binary(data) else ""
    return ""


def _zip_kind(data: bytes, kind: str) -> str:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = set(archive.namelist())
            found = _by_mimetype(archive, names) or _by_main_type(archive, names)
    except DAMAGED:
        return kind if kind in ZIPPED else "zip"  # its loader says what is damaged
    found = found or next((k for part, k in ZIP_PARTS if part in names), "")
    for folder, main, name in ZIP_FOLDERS:
        whole = f"{folder}{main}" in names
        if not found and (whole or (kind in ZIPPED and any(each.startswith(folder) for each in names))):
            found = name if whole or name != "xlsb" else ""
    return found or (kind if kind in ZIPPED else "zip")  # one whose mark is damaged is still no archive


def _by_mimetype(archive: zipfile.ZipFile, names: set[str]) -> str:
    if "mimetype" not in names:
        return ""
    with archive.open("mimetype") as part:
        said = part.read(100)
    return next((kind for mark, kind in MIMETYPES if said.startswith(mark)), "")


def _by_main_type(archive: zipfile.ZipFile, names: set[str]) -> str:
    """Tell Microsoft's formats by their main part; what is embedded has its own type there, but is no main part."""
    if "[Content_Types].xml" not in names:
        return ""
    with archive.open("[Content_Types].xml") as part:
        said = narrowed(part.read(1 << 20))
    mains = b" ".join(MAIN_TYPE.findall(said))
    return next((kind for mark, kind in CONTENT_TYPES if mark in mains), "")


class _OleEntry(Protocol):
    """A storage or stream as olefile gives it, which has no types."""

    name: str
    clsid: str
    kids: list[_OleEntry]


class _Ole(Protocol):
    root: _OleEntry


def _ole_kind(data: bytes) -> str:
    """Tell Office's old formats by what lies at the root: what is embedded lies deeper."""
    try:
        root = cast("_Ole", load("olefile:OleFileIO")(BytesIO(data))).root
        names = {entry.name for entry in root.kids}
    except Exception:  # noqa: BLE001 - a damaged container: olefile names few of its errors
        return next((kind for name, kind in OLE_NAMES if name.encode("utf-16-le") in data), "")
    return next((kind for name, kind in OLE_NAMES if name in names), "") or OLE_CLASSES.get(root.clsid, "")

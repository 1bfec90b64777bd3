"""What bytes are: the loader's name by what they begin with and hold, which counts for more than the suffix."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO

from rove.load.text import OLE_MAGIC

HTML_START = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.I | re.S
)
XML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml\b")
BOX_START = re.compile(rb"From \S+.*\n(?:>?[!-9;-~]+:|\Z)")
MAIL_START = re.compile(rb"(?:(?:Received|Return-Path|Delivered-To|MIME-Version|Message-ID): )", re.I)
MAGIC = (
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
# A part that only this kind of zip file has, and the kind; the first that is there decides.
ZIP_PARTS = (
    ("word/", "docx"),
    ("ppt/", "pptx"),
    ("xl/", "xlsx"),
    ("META-INF/container.xml", "epub"),
)
MIMETYPES = {
    b"application/vnd.oasis.opendocument.text": "odt",
    b"application/vnd.oasis.opendocument.spreadsheet": "ods",
    b"application/vnd.oasis.opendocument.presentation": "odp",
    b"application/epub+zip": "epub",
}
ZIPPED = {"docx", "pptx", "xlsx", "odt", "ods", "odp", "epub"}
# Names of streams in Office's old container, as its directory writes them.
OLE_STREAMS = (
    ("EncryptedPackage", ""),
    ("__properties_version1.0", "msg"),
    ("WordDocument", "doc"),
    ("PowerPoint Document", "ppt"),
    ("Workbook", "xls"),
    ("Book", "xls"),
)


def sniff(data: bytes, kind: str) -> str:
    """Return the loader's name for `data`, or `kind` (what the suffix says) where the bytes do not tell.

    "" where neither tells. The name need not be a loader that is there: "doc" and "ppt" are known and not read.
    """
    head = data[:4096]
    if head[:1024].lstrip().startswith(b"%PDF-"):
        return "pdf"
    for magic, name in MAGIC:
        if head.startswith(magic):
            return name
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "image"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _zip_kind(data, kind)
    if head.startswith(OLE_MAGIC):
        return _ole_kind(data) or kind
    if head[257:262] == b"ustar":
        return "tar"
    if kind in {"", "text", "markdown", "xml"} and HTML_START.match(head):
        return "html"
    return kind or _text_kind(head)


def _text_kind(head: bytes) -> str:
    if XML_START.match(head):
        return "xml"
    if BOX_START.match(head):
        return "mbox"
    return "eml" if MAIL_START.match(head) else ""


def _zip_kind(data: bytes, kind: str) -> str:
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            names = archive.namelist()
            if names and names[0] == "mimetype":
                mimetype = data[38 : 38 + 64]  # by its standard it is stored first and uncompressed
                found = next((k for mark, k in MIMETYPES.items() if mimetype.startswith(mark)), "")
                if found:
                    return found
    except (zipfile.BadZipFile, ValueError, NotImplementedError, KeyError):
        return kind or "zip"  # its loader says what is damaged
    found = next((k for part, k in ZIP_PARTS if any(name.startswith(part) for name in names)), "zip")
    return kind if found == "zip" and kind in ZIPPED else found  # one whose mark is damaged is still no archive


def _ole_kind(data: bytes) -> str:
    return next((kind for name, kind in OLE_STREAMS if name.encode("utf-16-le") in data), "")

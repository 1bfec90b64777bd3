"""Plain text, and the one place where bytes of any encoding become text."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from pathlib import PurePath

from rove.errors import InputError
from rove.load.encodings import MANY_BYTES, ONE_BYTE, guess_encodings
from rove.records import Document, Source, content_hash
from rove.records.metadata import clean as clean
from rove.records.metadata import is_storable as is_storable
from rove.records.metadata import normal

BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
SAMPLE_BYTES = 65_536
DATA_URI = re.compile(r"data:[\w.+-]{1,64}/[\w.+-]{1,64}(?:;[\w.=+-]{1,64}){0,4},[A-Za-z0-9+/=%_.~!*-]{64,}+")
EMBEDDED = "embedded"
PRINTED = bytes(sorted({7, 8, 9, 10, 12, 13, 27, *range(32, 256)}))
OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # the container of Office's old formats, and of its encrypted ones
XML_ENCODING = re.compile(rb"\A(\s*+<\?xml\b[^>]{0,400}?)\s{1,80}encoding\s*=\s*[\"'][^\"'>]*[\"']")
UNREADABLE_CURE = "Save it as UTF-8 text, or give it the suffix of the format that it really is."


class TextLoader:
    """See `Loader`. The text is kept as it is, save its byte order mark, NULs and line ends."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        yield Document(
            document_id=identify(source),
            source=source.uri,
            kind="text",
            text=without_data(require_text(decode(source.data), source)),
            title=stem(source),
        )


def decode(data: bytes) -> str:
    r"""Return the text that `data` holds: by its byte order mark, else UTF-8, else by the look of its bytes.

    Line ends become "\n"; the mark, NULs and lone surrogates go; all else stays. Linear in the length.

    Raises:
        InputError: "unreadable" - the bytes are no text in any encoding that is known here.

    >>> decode(b"\xef\xbb\xbfone\r\ntwo")
    'one\ntwo'
    >>> decode("Árvíztűrő tükörfúrógép".encode("utf-16"))
    'Árvíztűrő tükörfúrógép'
    """
    for mark, encoding in BOMS:
        if data.startswith(mark):
            return normal(data[len(mark) :].decode(encoding, "replace"))
    if wide := _wide_encoding(data):
        return normal(data.decode(wide, "replace"))
    if is_binary(data):
        message = f"{len(data)} bytes are not text: too many of them stand for no character."
        raise InputError(message, cure=UNREADABLE_CURE, outcome="unreadable")
    if b"\x1b$" in data and (text := _strict(data, "iso2022_jp")):
        return normal(text)
    try:
        return normal(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        return normal(_nearly_utf8(data, error) or _legacy(data))


def without_data(text: str) -> str:
    """Return a text in which the bytes of pictures that stand in it ("data:image/png;base64,…") are one word.

    >>> without_data(f"![a pump](data:image/png;base64,{'iVBORw0K' * 20}) runs")
    '![a pump](embedded) runs'
    """
    return DATA_URI.sub(EMBEDDED, text) if "data:" in text else text


def narrowed(data: bytes) -> bytes:
    r"""Return text that is in UTF-16 or UTF-32 as UTF-8, for those who read bytes; no mark stays. All else as it is.

    >>> narrowed("<?xml version='1.0' encoding='utf-16'?><a>é</a>".encode("utf-16")).decode()
    "<?xml version='1.0'?><a>é</a>"
    """
    encoding = next((name for mark, name in BOMS if data.startswith(mark)), "") or _wide_encoding(data)
    if not encoding:
        return data
    narrow = data if encoding == "utf-8" else data.decode(encoding, "replace").encode("utf-8", "replace")
    narrow = narrow.removeprefix(codecs.BOM_UTF8)
    return narrow if encoding == "utf-8" else XML_ENCODING.sub(rb"\1", narrow, count=1)


def is_binary(data: bytes) -> bool:
    r"""Say whether bytes without a byte order mark are no text: over 1 in 100 is a control byte that text never has.

    >>> is_binary(bytes(range(256))), is_binary("né\n".encode()), is_binary("né".encode("utf-16-le"))
    (True, False, False)
    """
    if any(data.startswith(mark) for mark, _ in BOMS) or _wide_encoding(data):
        return False
    sample = data[: 16 * SAMPLE_BYTES]
    return len(sample.translate(None, PRINTED)) * 100 > len(sample)


def require_text(text: str, source: Source) -> str:
    """Return `text`.

    Raises:
        InputError: "empty" - it is blank.
    """
    if text and not text.isspace():
        return text
    message = f"{source.name!r} holds no text: its {len(source.data)} bytes say nothing that can be searched."
    raise InputError(message, cure="Give a file with text in it, or leave it out.", outcome="empty")


def identify(source: Source) -> str:
    """Return the id of the one document that `source` holds."""
    return source.document_id or content_hash(source.uri)


def stem(source: Source) -> str:
    """Return the title of a document that names none: the file's name without its suffix."""
    return source.title or PurePath(source.name).stem or source.name


def _wide_encoding(data: bytes) -> str:
    """UTF-16 or UTF-32 without a mark, told by where its NULs stand, which no other text has. "" where it is not."""
    head = data[:4096]
    if b"\0" not in head:
        return ""
    if len(data) % 4 == 0:  # of 32 bits that are no text hardly any stand for a character
        for encoding in ("utf-32-le", "utf-32-be"):
            if _reads(head, encoding):
                return encoding
    if len(data) % 2:
        return ""
    even, odd = head[0::2].count(0), head[1::2].count(0)
    if max(even, odd) * 5 >= len(head) and min(even, odd) * 20 <= max(even, odd):  # of Latin text every second is NUL
        return "utf-16-le" if odd > even else "utf-16-be"
    # Chinese or Japanese has few. With its bytes the wrong way round a line's end already stands for no character.
    fitting = [encoding for encoding in ("utf-16-le", "utf-16-be") if _reads(head, encoding)]
    return fitting[0] if len(fitting) == 1 else ""


def _reads(head: bytes, encoding: str) -> bool:
    """Say whether bytes, but for a character that is cut at their end, are printed characters and spaces."""
    try:
        text = codecs.getincrementaldecoder(encoding)().decode(head)
    except UnicodeDecodeError:
        return False
    return all(char.isprintable() or char.isspace() for char in text)


def _strict(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return ""


def _nearly_utf8(data: bytes, error: UnicodeDecodeError) -> str:
    """UTF-8 that was cut in a character, or has a few bad bytes among many good characters; else ""."""
    if error.start >= len(data) - 3 and error.reason == "unexpected end of data":
        return data[: error.start].decode("utf-8")
    text = data.decode("utf-8", "replace")
    bad = text.count("\ufffd")
    return text if bad * 20 < len(data) - len(text) else ""  # a good character outside ASCII saves 1 to 3 bytes


def _legacy(data: bytes) -> str:
    """Decode by the look of the bytes; the sample that is looked at is where the first of them lie."""
    first = next((i for i, byte in enumerate(data[: 64 * SAMPLE_BYTES]) if byte > 127), 0)
    start = data.rfind(b"\n", 0, first) + 1
    start = start if first - start < SAMPLE_BYTES else first
    sample = data[start : start + SAMPLE_BYTES]
    sample = sample[: sample.rfind(b"\n")] if b"\n" in sample[SAMPLE_BYTES // 2 :] else sample
    for guess in guess_encodings(sample):
        text = data.decode(guess.encoding, "replace")
        if text.count("\ufffd") * 1000 <= len(text):
            return text
    known = ", ".join((*ONE_BYTE, *MANY_BYTES))
    message = f"The encoding of {len(data)} bytes was not recognised: neither UTF-8 nor any of {known}."
    raise InputError(message, cure=UNREADABLE_CURE, outcome="unreadable")

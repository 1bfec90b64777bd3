"""Mail as it is sent (eml, MIME) and kept (mbox): head and body, attachments as documents of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from email import policy
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesParser
from email.utils import getaddresses, parsedate_to_datetime
from mimetypes import guess_extension
from typing import cast

from rove.errors import InputError
from rove.load import LoadOptions
from rove.load.html.tree import decode_page
from rove.load.limits import MAX_DEPTH
from rove.load.mail.message import Mail, MailBody, mail_documents
from rove.load.members import Member, Members
from rove.load.text import clean, decode, require_text
from rove.records import Document, Source

DEFAULT = LoadOptions()
MAX_HEADER_CHARS, MAX_ADDRESSES = 20_000, 100
MBOX_START = re.compile(rb"(?:\A|\n\r?\n)From [^\n]*\n")
QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
HEADER_START = re.compile(rb"\s*(?:From [^\n]*\n)?[!-9;-~]+[ \t]*:")
ENCRYPTED = {"application/pkcs7-mime", "application/x-pkcs7-mime", "multipart/encrypted"}
SIGNATURES = {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"}
EIGHT_BIT = {"us-ascii", "iso-8859-1", "iso-8859-2", "iso-8859-15", "windows-1252", "windows-1250"}
# Policy compat32 splits the mail into its parts and leaves its headers as they are: its successor's parser of headers
# fails on some, and its time grows with the square of their length.
PARSER = BytesParser(policy=policy.compat32)


class EmlLoader:
    """See `Loader`. The HTML body is taken where there is one, since it has the links and tables, else the plain."""

    def __init__(self, options: LoadOptions = DEFAULT) -> None:
        self.options = options

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        if not HEADER_START.match(source.data[:4096]):
            require_text(decode(source.data), source)
            message = f"{source.name!r} is not a mail: it does not begin with a header."
            raise InputError(message, cure="Save the mail again from its program.")
        try:
            yield from self._read(source)
        except RecursionError as error:
            message = f"The parts of {source.name!r} lie too deep in each other: {MAX_DEPTH} mails deep are read."
            raise InputError(message, cure="Save the inner mails by themselves.", outcome="too-large") from error

    def _read(self, source: Source) -> Iterator[Document]:
        found = PARSER.parsebytes(source.data.lstrip())
        if found.get_content_type() in ENCRYPTED:
            message = f"{source.name!r} is an encrypted mail."
            raise InputError(message, cure="Save it decrypted from its program and add that.", outcome="encrypted")
        mail = replace(read_head(found), bodies=tuple(_bodies(found)))
        yield from mail_documents(mail, _eml_attachments(found), source, self.options)


class MboxLoader:
    """See `Loader`. Every mail of the box is read as a file of its own."""

    def __init__(self, options: LoadOptions = DEFAULT) -> None:
        self.options = options

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        starts = [found.start() for found in MBOX_START.finditer(source.data)]
        if not starts:
            require_text(decode(source.data), source)
            message = f"{source.name!r} is not a mail box: no line begins with 'From '."
            raise InputError(message, cure="Save the mails again from their program.")
        yield from Members(source, self.options).documents(_mails(source.data, starts))


def _mails(data: bytes, starts: list[int]) -> Iterator[Member]:
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(data)], strict=True), 1):
        yield Member(f"{number}.eml", QUOTED_FROM.sub(rb"\1", data[start:end].lstrip()))


def read_head(message: Message) -> Mail:
    """Return what the headers of a message say."""
    return Mail(
        subject=_mail_header_text(message, "subject"),
        sender=", ".join(_addresses(message, "from")[:1]),
        to=_addresses(message, "to"),
        cc=_addresses(message, "cc"),
        date=_eml_sent_date(message),
        message_id=_mail_header_text(message, "message-id").strip("<> "),
        in_reply_to=_mail_header_text(message, "in-reply-to").strip("<> "),
    )


def _bodies(part: Message) -> Iterator[MailBody]:
    """Yield the texts of a mail, in order; versions of the same text are one."""
    if part.is_multipart() and part.get_content_maintype() == "multipart":
        bodies = [body for child in _children(part) for body in _bodies(child)]
        if part.get_content_subtype() == "alternative":
            plain, html = (next((text for text in texts if text.strip()), "")
                           for texts in ([b.plain for b in bodies], [b.html for b in bodies]))  # fmt: skip
            yield MailBody(plain, html)
        else:
            yield from bodies
    elif _is_body(part):
        text = part_text(part)
        yield MailBody(html=text) if _mime_part_type(part) == "text/html" else MailBody(_join_flowed_lines(part, text))


def _eml_attachments(part: Message) -> Iterator[Member]:
    """Yield what is attached, at any depth; pictures that the HTML shows and signatures are no attachments."""
    kind = _mime_part_type(part)
    if part.is_multipart() and part.get_content_maintype() == "multipart":
        for child in _children(part):
            yield from _eml_attachments(child)
    elif kind == "message/rfc822":
        inner = _children(part)
        subject = _mail_header_text(inner[0], "subject") if inner else ""
        yield Member(_file_name(part) or f"{subject or 'message'}.eml", inner[0].as_bytes() if inner else b"")
    elif not _is_body(part) and kind not in SIGNATURES and not (kind.startswith("image/") and part.get("content-id")):
        name = _file_name(part) or f"attachment{guess_extension(kind) or ''}"
        data = (
            "\n".join(map(str, _children(part))).encode("utf-8", "replace")
            if part.is_multipart()
            else _mime_payload(part)
        )
        yield Member(name, data)


def _children(part: Message) -> list[Message]:
    payload = part.get_payload()
    return cast("list[Message]", payload) if isinstance(payload, list) else []


def _is_body(part: Message) -> bool:
    attached = part.get_content_disposition() == "attachment" or bool(part.get_filename())
    return _mime_part_type(part) in ("text/plain", "text/html") and not attached


def _mime_part_type(part: Message) -> str:
    """Return the type of a part; what should have parts and has none is text."""
    headless = part.get_content_maintype() == "multipart" and not part.is_multipart()
    return "text/plain" if headless else part.get_content_type()


def _mime_payload(part: Message) -> bytes:
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def part_text(part: Message) -> str:
    """Return the text of a part, by the charset that it names where the bytes fit it."""
    data = _mime_payload(part)
    charset = str(part.get_content_charset() or "")
    try:
        return decode_page(data, "" if charset in EIGHT_BIT and _is_non_ascii_utf8(data) else charset)
    except InputError:  # no encoding fits: what can be read of it is better than nothing
        return clean(data.decode("utf-8", "replace"))


def _is_non_ascii_utf8(data: bytes) -> bool:
    """Say whether text is in UTF-8, whatever its mail says: who saves a mail as Unicode leaves that as it was."""
    try:
        return not data.isascii() and bool(data.decode("utf-8"))
    except UnicodeDecodeError:
        return False


def _join_flowed_lines(part: Message, text: str) -> str:
    """Return plain text with its lines joined where the mail says that they were wrapped (RFC 3676)."""
    if str(part.get_param("format", "")).lower() != "flowed":
        return text
    return re.sub(r"(?m)^(?!-- $)([^>\n].*) \n(?=[^>\s])", r"\1 ", text)


def _file_name(part: Message) -> str:
    name = _decode_encoded_words(part.get_filename() or "")
    return re.split(r"[/\\]", name)[-1].strip()


def _mail_header_text(message: Message, name: str) -> str:
    return " ".join(_decode_encoded_words(next(iter(_raw(message, name)), "")).split())


def _raw(message: Message, name: str) -> list[str]:
    """Return a header's values as they stand; bytes that are no ASCII by the look of them."""
    values = [str(value)[:MAX_HEADER_CHARS] for key, value in message.raw_items() if key.lower() == name]
    return [
        value if value.isascii() else _decode_header_bytes(value.encode("utf-8", "surrogateescape")) for value in values
    ]


def _decode_header_bytes(data: bytes) -> str:
    try:
        return decode(data)
    except InputError:
        return data.decode("ascii", "replace")


def _decode_encoded_words(value: str) -> str:
    try:
        return clean(str(make_header(decode_header(value)))) if "=?" in value else clean(value)
    except (HeaderParseError, LookupError, ValueError):
        return clean(value)


def _addresses(message: Message, name: str) -> tuple[str, ...]:
    try:
        pairs = getaddresses(_raw(message, name))[:MAX_ADDRESSES]
    except RecursionError:  # comments within comments
        return ()
    texts = (f"{_decode_encoded_words(person)} <{address}>" if person else address for person, address in pairs)
    return tuple(clean(text) for text in texts if text)


def _eml_sent_date(message: Message) -> datetime | None:
    try:
        return parsedate_to_datetime(_mail_header_text(message, "date"))
    except (ValueError, TypeError, IndexError, OverflowError):
        return None

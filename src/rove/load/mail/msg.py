"""Outlook's mail (msg): head and body, attachments and mails in it as documents of their own ([MS-OXMSG])."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from email.policy import SMTPUTF8
from io import BytesIO
from typing import IO, Protocol, cast

import olefile

from rove.errors import InputError
from rove.load import LoadOptions
from rove.load.html.tree import decode_page
from rove.load.limits import MAX_DEPTH
from rove.load.mail.eml import PARSER, read_head
from rove.load.mail.message import Mail, MailBody, mail_documents
from rove.load.members import Member
from rove.load.text import clean, decode
from rove.records import Document, Source

DEFAULT = LoadOptions()
# Properties by their numbers in [MS-OXPROPS].
SUBJECT, SENDER_NAME, SENDER_ADDRESS, SENDER_SMTP = 0x0037, 0x0C1A, 0x0C1F, 0x5D01
HEADERS, PLAIN, HTML, MESSAGE_ID, IN_REPLY_TO = 0x007D, 0x1000, 0x1013, 0x1035, 0x1042
SUBMIT_TIME, DELIVERY_TIME = 0x0039, 0x0E06
NAME, ADDRESS, SMTP_ADDRESS, RECIPIENT_TYPE = 0x3001, 0x3003, 0x39FE, 0x0C15
DATA, LONG_NAME, SHORT_NAME, CONTENT_ID, IS_HIDDEN = 0x3701, 0x3707, 0x3704, 0x3712, 0x7FFE
TO, CC = 1, 2
UNICODE, BYTES, BINARY, EMBEDDED = "001F", "001E", "0102", "000D"
HEAD_BYTES = {"": 32, "msg": 24, "part": 8}
EPOCH = datetime(1601, 1, 1, tzinfo=UTC)
CURE = "Save the mail again from Outlook."


class MsgLoader:
    """See `Loader`. The HTML body is taken where there is one; a body in RTF alone is not read."""

    def __init__(self, options: LoadOptions = DEFAULT) -> None:
        self.options = options

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        try:
            ole = cast("Ole", olefile.OleFileIO(BytesIO(source.data)))
        except (OSError, ValueError, struct.error, IndexError) as error:
            message = f"{source.name!r} is not a complete .msg file: {error}."
            raise InputError(message, cure=CURE) from error
        root = _Storage(ole, {"/".join(path) for path in ole.listdir(streams=True, storages=True)})
        yield from mail_documents(_mail(root), _msg_attachments(root), source, self.options)


class Ole(Protocol):
    """The part of olefile that is used; it has no types."""

    def listdir(self, *, streams: bool, storages: bool) -> list[list[str]]:
        """Return the paths of all streams and storages."""
        ...

    def openstream(self, filename: str) -> IO[bytes]:
        """Open the stream at that path."""
        ...


@dataclass(frozen=True, slots=True)
class _Storage:
    """A folder of the file, and its properties; `kind` is "" for the mail, "msg" for one in it, "part" for others."""

    ole: Ole
    paths: set[str]
    path: str = ""
    kind: str = ""

    def folders(self, prefix: str) -> Iterator[_Storage]:
        start = f"{self.path}{prefix}"
        for path in sorted(path for path in self.paths if path.startswith(start) and "/" not in path[len(start) :]):
            yield replace(self, path=f"{path}/", kind="part")

    def embedded(self) -> _Storage | None:
        path = f"{self.path}__substg1.0_{DATA:04X}{EMBEDDED}"
        return replace(self, path=f"{path}/", kind="msg") if path in self.paths else None

    def binary(self, number: int, kind: str = BINARY) -> bytes:
        path = f"{self.path}__substg1.0_{number:04X}{kind}"
        return self.ole.openstream(path).read() if path in self.paths else b""

    def text(self, number: int) -> str:
        if found := self.binary(number, UNICODE):
            return clean(found.decode("utf-16-le", "replace"))
        found = self.binary(number, BYTES)
        return decode(found) if found.strip(b"\0") else ""

    def line(self, *numbers: int) -> str:
        """Return the first of these properties that says something, on one line."""
        return next((text for number in numbers if (text := " ".join(self.text(number).split()))), "")

    def number(self, number: int) -> int:
        """Return a property of fixed size, 0 where it is not there."""
        path = f"{self.path}__properties_version1.0"
        data = self.ole.openstream(path).read() if path in self.paths else b""
        for start in range(HEAD_BYTES[self.kind], len(data) - 15, 16):
            _, found, _, value = struct.unpack_from("<HHIQ", data, start)
            if found == number:
                return value
        return 0


def _mail(message: _Storage) -> Mail:
    head = read_head(PARSER.parsebytes(message.text(HEADERS).encode()))
    recipients = [
        (part.number(RECIPIENT_TYPE) & 3, _recipient_address(part)) for part in message.folders("__recip_version1.0_")
    ]
    to, cc = (tuple(who for kind, who in recipients if kind == wanted and who) for wanted in (TO, CC))
    name, address = message.line(SENDER_NAME), message.line(SENDER_SMTP, SENDER_ADDRESS)
    return Mail(
        subject=message.line(SUBJECT) or head.subject,
        sender=_format_mailbox(name, address) or head.sender,
        to=to or head.to,
        cc=cc or head.cc,
        date=_msg_sent_date(message) or head.date,
        message_id=message.line(MESSAGE_ID).strip("<> ") or head.message_id,
        in_reply_to=message.line(IN_REPLY_TO).strip("<> ") or head.in_reply_to,
        bodies=(MailBody(message.text(PLAIN), decode_page(message.binary(HTML)) or message.text(HTML)),),
    )


def _recipient_address(part: _Storage) -> str:
    return _format_mailbox(part.line(NAME), part.line(SMTP_ADDRESS, ADDRESS))


def _format_mailbox(name: str, address: str) -> str:
    if "@" not in address:  # a place in Exchange's directory
        return name
    return f"{name} <{address}>" if name and name != address else address


def _msg_sent_date(message: _Storage) -> datetime | None:
    ticks = message.number(SUBMIT_TIME) or message.number(DELIVERY_TIME)
    try:
        return EPOCH + timedelta(microseconds=ticks // 10) if ticks else None
    except OverflowError:
        return None


def _msg_attachments(message: _Storage) -> Iterator[Member]:
    for part in message.folders("__attach_version1.0_"):
        name = part.line(LONG_NAME, SHORT_NAME, NAME).replace("\\", "/").split("/")[-1]
        inner = part.embedded()
        if inner is not None and inner.path.count("/") > 2 * MAX_DEPTH:
            yield Member(name, problem=f"it lies more than {MAX_DEPTH} mails deep", outcome="too-large")
        elif inner is not None:
            yield Member(f"{name or 'message'}.eml", _as_eml(inner))
        elif not (part.line(CONTENT_ID) and part.number(IS_HIDDEN)):  # else a picture that the HTML shows
            yield Member(name or "attachment", part.binary(DATA))


def _as_eml(message: _Storage) -> bytes:
    """Return a mail that stands in another one as a file of its own."""
    mail, out = _mail(message), EmailMessage(SMTPUTF8)
    heads = {"Subject": mail.subject, "Date": mail.date.strftime("%a, %d %b %Y %H:%M:%S +0000") if mail.date else ""}
    people = {"From": mail.sender, "To": ", ".join(mail.to), "Cc": ", ".join(mail.cc)}
    for key, value in {**heads, **people}.items():
        if value:
            out[key] = value
    body = mail.bodies[0]
    out.set_content(body.plain or " ")
    if body.html:
        out.add_alternative(body.html, subtype="html")
    for member in _msg_attachments(message):
        out.add_attachment(member.data, maintype="application", subtype="octet-stream", filename=member.name)
    return out.as_bytes()

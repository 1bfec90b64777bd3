"""A mail as canonical text: subject, a short head, the body; what mails of every format share."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from rove.load import LoadOptions
from rove.load.html.main import drop_unseen
from rove.load.html.parts import TextPart, join
from rove.load.html.text import html_parts
from rove.load.html.tree import parse_html
from rove.load.markdown import markdown_sections, prose
from rove.load.members import Member, Members
from rove.load.text import clean, identify, require_text, stem
from rove.records import Document, Source
from rove.records.source import MetaValue

PLAIN_SHARE = 2  # the HTML body is taken where it says at least half of what the plain one does


@dataclass(frozen=True, slots=True)
class MailBody:
    """One text of a mail, as plain text, as HTML, or as both."""

    plain: str = ""
    html: str = ""


@dataclass(frozen=True, slots=True)
class Mail:
    """What a mail says; addresses as "Name <a@b.c>", "" and () where it says nothing."""

    subject: str = ""
    sender: str = ""
    to: tuple[str, ...] = ()
    cc: tuple[str, ...] = ()
    date: datetime | None = None
    message_id: str = ""
    in_reply_to: str = ""
    bodies: tuple[MailBody, ...] = ()


def mail_documents(mail: Mail, members: Iterator[Member], source: Source, options: LoadOptions) -> Iterator[Document]:
    """Yield the mail, then what is attached to it.

    Raises:
        InputError: "empty", or as `Members.documents`.
    """
    written = join(_mail_text_parts(mail))
    yield Document(
        document_id=identify(source),
        source=source.uri,
        kind=source.kind,
        text=require_text(written.text, source),
        title=mail.subject or stem(source),
        metadata=_mail_metadata(mail),
        sections=markdown_sections(written.text, setext=False),
        blocks=written.blocks,
    )
    fields = _mail_metadata(mail)
    inherited = {f"parent.{name}": fields[name] for name in ("subject", "sender", "date") if name in fields}
    yield from Members(source, options, found=1).documents(members, inherited)


def _mail_text_parts(mail: Mail) -> Iterator[TextPart]:
    yield TextPart(f"# {mail.subject}" if mail.subject else "")
    head = {
        "From": mail.sender,
        "To": ", ".join(mail.to),
        "Cc": ", ".join(mail.cc),
        "Date": _format_mail_date(mail.date, " "),
    }
    yield TextPart("\n".join(f"{name}: {value}" for name, value in head.items() if value))
    for body in mail.bodies:
        yield from _body_parts(body)


def _body_parts(body: MailBody) -> list[TextPart]:
    """Return a text as HTML, which has its links and tables, unless the plain one says far more."""
    html: list[TextPart] = []
    if body.html.strip():
        root = parse_html(clean(body.html))
        drop_unseen(root)
        html = html_parts(root)
    if html and sum(len(part.text) for part in html) * PLAIN_SHARE >= len(body.plain.strip()):
        return html
    return [TextPart(prose(clean(body.plain)).strip())]


def _mail_metadata(mail: Mail) -> dict[str, MetaValue]:
    fields: dict[str, MetaValue] = {
        "subject": mail.subject,
        "sender": mail.sender,
        "to": mail.to,
        "cc": mail.cc,
        "date": _format_mail_date(mail.date, "T"),
        "message_id": mail.message_id,
        "in_reply_to": mail.in_reply_to,
    }
    return {name: value for name, value in fields.items() if value}


def _format_mail_date(date: datetime | None, between: str) -> str:
    if date is None:
        return ""
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).isoformat(between, "seconds")

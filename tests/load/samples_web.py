"""Small mails, books and archives, made in the test; the msg files by a writer of Office's old container."""

from __future__ import annotations

import io
import struct
import tarfile
from email.message import EmailMessage
from email.policy import SMTP
from uuid import UUID

from load.samples import PARAGRAPHS, markdown_text, zip_file

SECTOR, SMALL_SECTOR, CUTOFF = 512, 64, 4096
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
BODY = "<p>{}</p><table><tr><th>név</th><th>数</th></tr><tr><td>kör</td><td>1</td></tr></table>"


def mail(*, subject: str = "Gyűjtemény 文集", attach: dict[str, bytes] | None = None) -> EmailMessage:
    message = EmailMessage(SMTP)
    message["Subject"] = subject
    message["From"] = '"Müller, Jürgen" <j.mueller@example.org>'
    message["To"] = "山田太郎 <yamada@example.jp>, b@example.org"
    message["Date"] = "Sun, 22 Dec 2024 10:23:00 +0200"
    message["Message-ID"] = "<id-1@example.org>"
    message["In-Reply-To"] = "<id-0@example.org>"
    text = "\n\n".join(PARAGRAPHS.values())
    message.set_content(text)
    message.add_alternative(BODY.format("</p><p>".join(PARAGRAPHS.values())), subtype="html")
    for name, data in (attach or {}).items():
        message.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    return message


def eml_file(*, attach: dict[str, bytes] | None = None) -> bytes:
    return mail(attach=attach).as_bytes()


def mbox_file(*mails: bytes) -> bytes:
    mails = mails or (mail(subject="One").as_bytes(), mail(subject="Zwei").as_bytes())
    quoted = (data.replace(b"\r\n", b"\n").replace(b"\nFrom ", b"\n>From ") for data in mails)
    return b"\n".join(b"From a@example.org Sun Dec 22 10:23:00 2024\n" + data for data in quoted)


def tar_file(members: dict[str, bytes], mode: str = "w", *, more: tuple[tarfile.TarInfo, ...] = ()) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in more:
            archive.addfile(info)
    return out.getvalue()


def folder() -> dict[str, bytes]:
    return {"a.md": markdown_text().encode(), "文/jegyzet.txt": PARAGRAPHS["hu"].encode(), ".git/x.txt": b"hidden"}


CONTAINER_XML = (
    b"<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container'><rootfiles>"
    b"<rootfile full-path='EPUB/content.opf' media-type='application/oebps-package+xml'/></rootfiles></container>"
)


def epub_file(chapters: dict[str, str], *, nav: str = "", ncx: str = "", more: dict[str, bytes] | None = None) -> bytes:
    """A book of XHTML bodies, in that order; `nav` and `ncx` are tables of contents."""
    tables = {"nav.xhtml": (nav, "properties='nav' media-type='application/xhtml+xml'"),
              "toc.ncx": (ncx, "media-type='application/x-dtbncx+xml'")}  # fmt: skip
    items = "".join(f"<item id='{name}' href='{name}' media-type='application/xhtml+xml'/>" for name in chapters)
    items += "".join(f"<item id='{name}' href='{name}' {kind}/>" for name, (text, kind) in tables.items() if text)
    spine = "".join(f"<itemref idref='{name}'/>" for name in chapters)
    package = (
        "<package xmlns='http://www.idpf.org/2007/opf' version='3.0'><metadata xmlns:dc='http://purl.org/dc/elements/1.1/'>"
        "<dc:title>Gyűjtemény</dc:title><dc:creator>Őri Ödön</dc:creator><dc:language>hu-HU</dc:language>"
        f"<dc:subject>mese</dc:subject></metadata><manifest>{items}</manifest><spine>{spine}</spine></package>"
    )
    page = "<?xml version='1.0' encoding='utf-8'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head><body>{}</body></html>"
    parts = {
        "mimetype": b"application/epub+zip",
        "META-INF/container.xml": CONTAINER_XML,
        "EPUB/content.opf": package.encode(),
    }
    parts |= {f"EPUB/{name}": page.format(text).encode() for name, text in chapters.items()}
    parts |= {f"EPUB/{name}": text.encode() for name, (text, _) in tables.items() if text}
    return zip_file(parts | (more or {}))


def book() -> bytes:
    return epub_file({f"{code}.xhtml": f"<h1>Teil {code}</h1><p>{text}</p>" for code, text in PARAGRAPHS.items()})


# -- Outlook ----------------------------------------------------------------------------------------------------------


def msg_file(*, html: bool = True, attach: dict[str, bytes] | None = None, inner: bool = False) -> bytes:
    return compound_file(_message(html=html, attach=attach or {}, inner=inner, head_bytes=32))


def _message(*, html: bool, attach: dict[str, bytes], inner: bool, head_bytes: int) -> dict[str, bytes]:
    stamp = int((1734855780 + 11644473600) * 10_000_000)  # 2024-12-22 08:23 UTC
    streams = {
        "__substg1.0_0037001F": "Gyűjtemény 文集".encode("utf-16-le"),
        "__substg1.0_0C1A001F": "Jürgen Müller".encode("utf-16-le"),
        "__substg1.0_5D01001F": "j.mueller@example.org".encode("utf-16-le"),
        "__substg1.0_1000001F": "\r\n\r\n".join(PARAGRAPHS.values()).encode("utf-16-le"),
        "__properties_version1.0": bytes(head_bytes) + struct.pack("<HHIQ", 0x40, 0x39, 6, stamp),
        "__recip_version1.0_#00000000/__substg1.0_3001001F": "山田太郎".encode("utf-16-le"),
        "__recip_version1.0_#00000000/__substg1.0_39FE001F": "yamada@example.jp".encode("utf-16-le"),
        "__recip_version1.0_#00000000/__properties_version1.0": bytes(8) + struct.pack("<HHIQ", 3, 0x0C15, 6, 1),
    }
    if html:
        streams["__substg1.0_10130102"] = BODY.format("</p><p>".join(PARAGRAPHS.values())).encode()
    for number, (name, data) in enumerate(attach.items()):
        streams[f"__attach_version1.0_#{number:08X}/__substg1.0_3707001F"] = name.encode("utf-16-le")
        streams[f"__attach_version1.0_#{number:08X}/__substg1.0_37010102"] = data
    if inner:
        held = _message(html=False, attach={"inner.txt": b"the innermost text"}, inner=False, head_bytes=24)
        streams |= {f"__attach_version1.0_#000000FF/__substg1.0_3701000D/{path}": data for path, data in held.items()}
    return streams


def compound_file(streams: dict[str, bytes], class_id: str = "") -> bytes:
    """Write a compound file ([MS-CFB], version 3) with these streams; the class says of what program it is."""
    paths = [""] + sorted(
        {path.rsplit("/", n)[0] for path in streams for n in range(path.count("/") + 1)} | set(streams)
    )
    sectors: list[bytes] = []
    table: list[int] = []

    def store(data: bytes) -> int:
        count = -(-len(data) // SECTOR)
        start = len(sectors)
        sectors.extend(data[i * SECTOR : (i + 1) * SECTOR].ljust(SECTOR, b"\0") for i in range(count))
        table.extend([*range(start + 1, start + count), END] if count else [])
        return start if count else END

    small, small_table, places = b"", [], {}
    for path, data in streams.items():
        if len(data) >= CUTOFF:
            places[path] = store(data)
        elif data:
            start, count = len(small_table), -(-len(data) // SMALL_SECTOR)
            small += data.ljust(count * SMALL_SECTOR, b"\0")
            small_table += [*range(start + 1, start + count), END]
            places[path] = start
    small_start = store(small)
    small_table_start = store(
        struct.pack(f"<{len(small_table)}I", *small_table).ljust(-(-len(small_table) // 128) * 512, b"\xff")
    )
    entries = b""
    for number, path in enumerate(paths):
        children = [i for i, p in enumerate(paths) if p and (p.rpartition("/")[0] == path if number else "/" not in p)]
        siblings = [
            i for i, p in enumerate(paths) if p and p.rpartition("/")[0] == path.rpartition("/")[0] and i > number
        ]
        name = (path.rpartition("/")[2] or "Root Entry").encode("utf-16-le")
        kind = 5 if not number else 2 if path in streams else 1
        start, size = (small_start, len(small)) if not number else (places.get(path, END), len(streams.get(path, b"")))
        entries += name.ljust(64, b"\0") + struct.pack("<HBB", len(name) + 2, kind, 1)
        entries += struct.pack(
            "<III", FREE, siblings[0] if number and siblings else FREE, children[0] if children else FREE
        )
        entries += (UUID(class_id).bytes_le if class_id and not number else bytes(16)) + bytes(20)
        entries += struct.pack("<IQ", start, size)
    directory_start = store(entries.ljust(-(-len(entries) // SECTOR) * SECTOR, b"\0"))
    fat_count = -(-(len(table) + 2) // 127)
    fat_start = len(sectors)
    table += [FAT] * fat_count
    fat = struct.pack(f"<{len(table)}I", *table).ljust(fat_count * SECTOR, b"\xff")
    difat = [*range(fat_start, fat_start + fat_count)] + [FREE] * (109 - fat_count)
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    head += struct.pack("<IIIIIIIII", 0, fat_count, directory_start, 0, CUTOFF, small_table_start, 1, END, 0)
    return head + struct.pack("<109I", *difat) + b"".join(sectors) + fat


def calendar_file() -> bytes:
    """A calendar with a folded line, an event that repeats, whole days, a task, and an alarm that says nothing."""
    return (
        "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-CALNAME:Werk Eger\r\nBEGIN:VTIMEZONE\r\nTZID:Europe/Budapest\r\n"
        "BEGIN:STANDARD\r\nDTSTART:19701025T030000\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nBEGIN:VEVENT\r\nUID:1\r\n"
        "DTSTART;TZID=Europe/Budapest:20260412T080000\r\nDTEND;TZID=Europe/Budapest:20260412T100000\r\n"
        "SUMMARY:Tűzriadó\\; próba\r\nDESCRIPTION:Gyülekezés az ud\r\n varon.\\nMellény kötelező.\r\n"
        'LOCATION:Udvar\\, 3. kapu\r\nORGANIZER;CN="Kis Éva":mailto:eva@example.org\r\n'
        "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;UNTIL=20261231T000000Z\r\n"
        "ATTENDEE;PARTSTAT=ACCEPTED:mailto:b@example.org\r\nBEGIN:VALARM\r\nDESCRIPTION:ALARM\r\nEND:VALARM\r\n"
        "END:VEVENT\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20260803\r\nDTEND;VALUE=DATE:20260815\r\n"
        "SUMMARY:Betriebsferien\r\nEND:VEVENT\r\nBEGIN:VTODO\r\nSUMMARY:Renew the licence\r\nDUE:20260630T120000Z\r\n"
        "END:VTODO\r\nEND:VCALENDAR\r\n"
    ).encode()


def card_file() -> bytes:
    """A card of version 4, and one of version 2.1, whose letters are escaped as in mails."""
    return (
        "BEGIN:VCARD\nVERSION:4.0\nN:Kis;Éva;;;\nFN:Éva Kis\nORG:Nordwerk AG;Versand\n"
        "TEL;TYPE=work:tel:+49 40 555 0199\nADR;TYPE=work:;;Hafenstr. 12;Hamburg;;20457;\n"
        f"PHOTO:data:image/png;base64,{'iVBOR' * 40}\nNOTE:Zuständig für Kräne\nEND:VCARD\n"
        "BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=C3=BCr=\ngen\n"
        "TEL;HOME:0144\nEND:VCARD\n"
    ).encode()


def mhtml_file() -> bytes:
    """A page as Chrome saves it: who saved it stands where a mail has its sender."""
    message = EmailMessage(SMTP)
    message["From"] = "<Saved by Blink>"
    message["Snapshot-Content-Location"] = "https://example.org/leave"
    message["Subject"] = "Szabályzat"
    paragraphs = "".join(f"<p>{text}</p>" for text in PARAGRAPHS.values())
    message.set_content(
        f"<html><head><title>Szabályzat</title></head><body><h1>Szabályzat</h1>{paragraphs}<p>A dolgozóknak huszonhat "
        "nap szabadság jár, amelyet a vezető hagy jóvá.</p></body></html>",
        subtype="html",
        cte="quoted-printable",
    )
    message.add_related(b"\x89PNG" * 50, maintype="image", subtype="png", cid="<a@b>")
    return message.as_bytes()

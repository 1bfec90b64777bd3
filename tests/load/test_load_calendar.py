"""Calendars, contact cards and web pages in one file."""

from __future__ import annotations

from email.message import EmailMessage

import pytest

from load.samples import source
from load.samples_web import calendar_file, card_file, mhtml_file
from rove.load import LOADERS
from rove.load.discover import Location, kind_of, load_documents
from rove.load.sniff import sniff
from rove.records import Document


def read(kind: str, data: bytes) -> Document:
    [document] = LOADERS.get(kind)().load(source(kind, data, f"plan.{kind}"))
    return document


def test_events_and_tasks_are_sections_with_their_facts() -> None:
    document = read("ics", calendar_file())
    assert document.title == "Werk Eger"
    assert document.text == (
        "# Werk Eger\n\n## Tűzriadó; próba\n\n- When: 2026-04-12 08:00 Europe/Budapest to 10:00 Europe/Budapest\n"
        "- Where: Udvar, 3. kapu\n- Organizer: Kis Éva <eva@example.org>\n- Repeats: every 2 weeks on Monday, Friday "
        "until 2026-12-31\n- Attendee: b@example.org (accepted)\n\nGyülekezés az udvaron.\nMellény kötelező.\n\n"
        "## Betriebsferien\n\n- When: 2026-08-03 to 2026-08-14\n\n## Renew the licence\n\n- Due: 2026-06-30 12:00 UTC"
    )


def test_cards_of_both_versions() -> None:
    assert read("vcf", card_file()).text == (
        "## Éva Kis\n\n- Organization: Nordwerk AG, Versand\n- Telephone: +49 40 555 0199 (work)\n"
        "- Address: Hafenstr. 12, Hamburg, 20457\n\nZuständig für Kräne\n\n## Jürgen Müller\n\n- Telephone: 0144 (home)"
    )


def test_a_page_in_one_file_is_the_page() -> None:
    document = read("mhtml", mhtml_file())
    assert document.kind == "mhtml"
    assert document.title == "Szabályzat"
    assert "huszonhat nap szabadság jár, amelyet a vezető hagy jóvá" in document.text
    assert "iVBOR" not in document.text


@pytest.mark.parametrize("name", ["export.doc", "page.mht", "page.txt", "page"])
def test_a_page_is_told_whatever_its_suffix(name: str) -> None:
    assert kind_of(mhtml_file(), Location(name, name, {"mht": "mhtml", "txt": "text"}.get(name[-3:], ""))) == "mhtml"


def test_a_mail_with_pictures_stays_a_mail() -> None:
    data = mhtml_file().replace(b"Subject:", b"To: a@b.example\nSubject:")
    assert sniff(data, "eml") == "eml"
    assert sniff(b"From: a\nSubject: b\n\nContent-Type: multipart/related", "") == ""


def test_the_calendar_part_of_an_invitation_is_read() -> None:
    mail = EmailMessage()
    mail["Subject"], mail["From"], mail["To"] = "Invitation", "a@example.org", "b@example.org"
    mail.set_content("Please come.")
    mail.add_alternative(calendar_file().decode(), subtype="calendar", params={"method": "REQUEST"})
    found = list(load_documents(source("eml", mail.as_bytes(), "invitation.eml")))
    assert [document.kind for document in found] == ["eml", "ics"]
    assert "- Where: Udvar, 3. kapu" in found[1].text


def test_bytes_of_pictures_in_markdown_are_one_word() -> None:
    data = "iVBORw0KGgo" * 2_000
    text = (
        f"# Pumpa\n\n![ábra](data:image/png;base64,{data})\n\n![two][p]\n\n[p]: <data:image/png;base64,{data}>\n\n"
        f"<img src='data:image/svg+xml;utf8,%3Csvg{'%20a' * 40}'>\n\nafter"
    )
    document = read("markdown", text.encode())
    assert document.text == (
        "# Pumpa\n\n![ábra](embedded)\n\n![two][p]\n\n[p]: <embedded>\n\n<img src='embedded'>\n\nafter"
    )


def test_toml_front_matter_is_read_and_what_is_none_stays() -> None:
    fields = b'title = "Beosztas"\ndraft = false\ntags = ["a", "b"]\n[menu]\nx = 1\n'
    document = read("markdown", b"+++\n" + fields + b"+++\n# X\nText.")
    assert document.title == "Beosztas"
    assert document.metadata == {"title": "Beosztas", "draft": False, "tags": ("a", "b")}
    assert document.text == "# X\nText."
    assert read("markdown", b"+++\nno toml\n+++\nText.").text == "+++\nno toml\n+++\nText."

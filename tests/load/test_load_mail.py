from __future__ import annotations

from pathlib import Path

import pytest
from tests.cpu_time import at_most

from load.samples import PARAGRAPHS, docx_file, source, zip_file
from load.samples_web import eml_file, mail, mbox_file, msg_file
from rove.errors import InputError
from rove.load.discover import Location, kind_of, load_documents
from rove.records import Document

FILES = "files/markitdown/packages/markitdown/tests/test_files"


def load(kind: str, data: bytes) -> list[Document]:
    return list(load_documents(source(kind, data)))


def partly(kind: str, data: bytes) -> tuple[list[Document], InputError]:
    documents: list[Document] = []
    with pytest.raises(InputError) as caught:
        documents.extend(load_documents(source(kind, data)))
    return documents, caught.value


def headed(*lines: str, body: str = "x") -> bytes:
    return "\r\n".join([*lines, "", body]).encode()


@pytest.mark.parametrize(("kind", "data"), [("eml", eml_file()), ("msg", msg_file())])
def test_head_body_and_facts(kind: str, data: bytes) -> None:
    [document] = load(kind, data)
    assert document.text.startswith("# Gyűjtemény 文集\n\nFrom: ")
    assert "To: 山田太郎 <yamada@example.jp>" in document.text
    for text in (*PARAGRAPHS.values(), "| név | 数 |\n| --- | --- |\n| kör | 1 |"):
        assert text in document.text
    assert document.title == document.metadata["subject"] == "Gyűjtemény 文集"
    assert str(document.metadata["sender"]).endswith("<j.mueller@example.org>")
    assert str(document.metadata["date"])[:13] in ("2024-12-22T10", "2024-12-22T08")
    assert [s.title for s in document.sections] == ["Gyűjtemény 文集"]


def test_addresses_and_thread_of_a_mail() -> None:
    [document] = load("eml", eml_file())
    assert document.metadata["sender"] == "Müller, Jürgen <j.mueller@example.org>"
    assert document.metadata["to"] == ("山田太郎 <yamada@example.jp>", "b@example.org")
    assert (document.metadata["message_id"], document.metadata["in_reply_to"]) == (
        "id-1@example.org",
        "id-0@example.org",
    )


@pytest.mark.parametrize("make", [eml_file, msg_file])
def test_attachments_are_documents_of_their_own(make) -> None:
    attach = {"Übersicht.docx": docx_file(), "jegyzet.txt": PARAGRAPHS["hu"].encode(), "jegyzet.txt ": b"again"}
    kind = make.__name__.removesuffix("_file")
    first, *others = load(kind, make(attach=attach))
    assert [d.kind for d in (first, *others)] == [kind, "docx", "text", "text"]
    assert [d.source.partition("#")[2] for d in others] == ["Übersicht.docx", "jegyzet.txt", "2/jegyzet.txt"]
    for document in others:
        assert document.metadata["parent"] == first.source
        assert document.metadata["parent.subject"] == "Gyűjtemény 文集"
        assert str(document.metadata["parent.sender"]).endswith("<j.mueller@example.org>")
    assert PARAGRAPHS["hu"] in others[1].text


def test_an_attachment_that_cannot_be_read_is_named() -> None:
    documents, error = partly("eml", eml_file(attach={"a.bin": bytes(range(256)), "b.txt": b"text"}))
    assert [d.kind for d in documents] == ["eml", "text"]
    assert error.outcome == "partial"
    assert "1 of 2 files" in str(error)
    assert "a.bin" in str(error)


@pytest.mark.parametrize("depth", [1, 3])
def test_mails_within_mails(depth: int) -> None:
    message = mail(subject="innermost", attach={"a.txt": b"deep text"})
    for number in range(depth):
        outer = mail(subject=f"level {number}")
        outer.add_attachment(message)
        message = outer
    documents = load("eml", message.as_bytes())
    assert [d.kind for d in documents] == ["eml"] * (depth + 1) + ["text"]
    assert documents[-1].text == "deep text"
    assert documents[-1].metadata["parent.subject"] == "innermost"


def test_mails_that_lie_too_deep_are_named() -> None:
    message = mail(subject="innermost")
    for number in range(6):
        outer = mail(subject=f"level {number}")
        outer.add_attachment(message)
        message = outer
    documents, error = partly("eml", message.as_bytes())
    assert len(documents) == 5
    assert error.outcome == "partial"
    assert "files deep" in str(error)


def test_a_mail_in_an_outlook_mail() -> None:
    documents = load("msg", msg_file(inner=True))
    assert [d.kind for d in documents] == ["msg", "eml", "text"]
    assert documents[2].text.strip() == "the innermost text"


@pytest.mark.parametrize(
    ("lines", "subject"),
    [
        (["Subject: =?iso-8859-2?Q?=C1rv=EDzt=FBr=F5?="], "Árvíztűrő"),
        (["Subject: =?utf-8?B?5paH6ZuG?=", " =?utf-8?B?5paH?="], "文集文"),
        (["Subject: =?nonsense?Q?x?="], "=?nonsense?Q?x?="),
        (["Subject: =?utf-8?B?!!!?="], None),
        (["Subject: " + "a" * 100_000], "a" * 20_000),
    ],
)
def test_odd_subjects(lines: list[str], subject: str | None) -> None:
    [document] = load("eml", headed(*lines))
    assert subject is None or document.title == subject


def test_a_subject_in_raw_bytes() -> None:
    [document] = load("eml", "Subject: Árvíztűrő tükörfúrógép\r\n\r\nx".encode("cp1250"))
    assert document.title == "Árvíztűrő tükörfúrógép"


@pytest.mark.parametrize("lines", [
    ["From: (((((" * 200], ["To: " + "a@b.c, " * 5000], ["Date: never"], ["Date: Mon, 99 Foo 9999999 99:99:99"],
    ["Content-Type: multipart/mixed"], ["Content-Type: multipart/mixed; boundary=" + "b" * 9000],
    ["Content-Type: text/html; charset=no-such"], ["Content-Type: " + ";" * 9000],
    ["Content-Transfer-Encoding: base64"],
    ["Content-Type: text/plain; charset=\"" + "x" * 9000 + "\""],
])  # fmt: skip
def test_broken_heads_do_not_lose_the_body(lines: list[str]) -> None:
    [document] = load("eml", headed("Subject: s", *lines, body="VGhlIGJvZHku"))
    assert "VGhlIGJvZHku" in document.text or "The body." in document.text


def test_plain_text_and_its_wrapped_lines() -> None:
    flowed = headed(
        "Subject: s", "Content-Type: text/plain; format=flowed", body="one \r\ntwo\r\n\r\n> a \r\n> b\r\n# no heading"
    )
    [document] = load("eml", flowed)
    assert document.text.endswith("one two\n\n> a \n> b\n\\# no heading\n")
    assert len(document.sections) == 1


def test_pictures_in_the_html_and_signatures_are_no_attachments() -> None:
    message = mail()
    message.get_body(("html",)).add_related(b"\x89PNG\r\n\x1a\n", "image", "png", cid="<logo>")
    message.add_attachment(b"sig", "application", "pgp-signature", filename="signature.asc")
    assert len(load("eml", message.as_bytes())) == 1


def test_an_encrypted_mail_says_so() -> None:
    _, error = partly("eml", headed("Subject: s", "Content-Type: multipart/encrypted; boundary=x", body="--x--"))
    assert error.outcome == "encrypted"


def test_a_box_of_mails() -> None:
    data = mbox_file() + b"\nFrom b@example.org Sun Dec 22 10:23:00 2024\nSubject: Drei\n\n>From here on\n"
    documents = load("mbox", data)
    assert [d.title for d in documents] == ["One", "Zwei", "Drei"]
    assert "From here on" in documents[2].text
    assert len({d.document_id for d in documents}) == 3
    assert kind_of(data, Location("/x", "x")) == "mbox"
    assert kind_of(b"From me to you\nall the best\n", Location("/x", "x")) == "text"


@pytest.mark.parametrize("bait", [
    b"Subject: " + b"=?" * 50_000, b"From: " + b"<" * 50_000, b"From: " + b"a," * 50_000, b"X: y\n" * 50_000,
    b"Content-Type: multipart/mixed; boundary=a\n\n" + b"--a\n" * 20_000, b"From: " + b"\"" * 50_000,
])  # fmt: skip
def test_bait_takes_no_time(bait: bytes) -> None:
    with at_most(5):
        try:
            load("eml", bait)
        except InputError as error:
            assert error.cure


@pytest.mark.data
def test_a_real_outlook_mail(shared_data: Path) -> None:
    [document] = load("msg", (shared_data / FILES / "test_outlook_msg.msg").read_bytes())
    assert document.title == "Test Email Message"
    assert document.text.endswith("This is the body of the test email message\n")
    assert document.metadata["sender"] == "M. C. Kurtuluş <test.sender@example.com>"
    assert document.metadata["date"] == "2024-12-22T08:23:00+00:00"


def test_a_mail_in_an_archive_keeps_its_own_parent() -> None:
    archive = zip_file({"in/m.eml": eml_file(attach={"a.txt": b"text"})})
    first, second = load("zip", archive)
    assert first.source == "/data/sample.zip#in/m.eml"
    assert second.source == "/data/sample.zip#in/m.eml#a.txt"
    assert (first.metadata["parent"], second.metadata["parent"]) == ("/data/sample.zip", first.source)

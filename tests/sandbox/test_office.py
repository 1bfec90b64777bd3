"""What no loader reads: LibreOffice converts it, and reaches nothing but the folder that it is given."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from load.samples import PARAGRAPHS, docx_file, source, zip_file
from rove.errors import InputError, ServiceError
from rove.load.discover import Location, load_documents
from rove.load.sniff import sniff
from rove.prepare import Recipe
from rove.records import Prepared, SourceEnd
from rove.sandbox import Limits, asking, office
from rove.sandbox.messages import encoder
from rove.sandbox.pool import Pool

has_office = pytest.mark.skipif(not office.library(), reason="LibreOffice is not installed")
linux = pytest.mark.skipif(sys.platform != "linux", reason="seccomp and landlock are Linux's")
LIMITS = Limits(cpu_s=60.0, wall_s=300.0)
FLAT = """<?xml version="1.0" encoding="UTF-8"?>
<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"
 xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:xlink="http://www.w3.org/1999/xlink"
 xmlns:draw="urn:oasis:names:tc:opendocument:xmlns:drawing:1.0" xmlns:ooo="http://openoffice.org/2004/office"
 xmlns:script="urn:oasis:names:tc:opendocument:xmlns:script:1.0" xmlns:dom="http://www.w3.org/2001/xml-events"
 xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
 xmlns:svg="urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0"
 office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.{kind}">{scripts}
<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document>"""
HEADING = '<text:h text:outline-level="1">Remote work</text:h>'
MACRO = """<office:scripts><office:script script:language="ooo:Basic"><ooo:libraries>
<ooo:library-embedded ooo:name="Standard"><ooo:module ooo:name="M"><ooo:source-code>
Sub Run
ThisComponent.getText().setString("A macro ran.")
End Sub</ooo:source-code></ooo:module></ooo:library-embedded></ooo:libraries></office:script>
<office:event-listeners><script:event-listener script:language="ooo:script" script:event-name="dom:load"
 xlink:href="vnd.sun.star.script:Standard.M.Run?language=Basic&amp;location=document"/></office:event-listeners>
</office:scripts>"""
CONFINED = """
import os, socket, sys
from pathlib import Path
from rove.sandbox import Limits
from rove.sandbox.jail import confine
room, other = sys.argv[1:]
confine(Limits(), room, os.getppid())
Path(room, "made").write_text("made")
os.rename(Path(room, "made"), Path(room, "moved"))
def refused(what):
    try:
        what()
    except OSError:
        return True
print([refused(what) for what in (
    lambda: Path(other, "made").write_text("made"),
    lambda: os.rename(Path(room, "moved"), Path(other, "moved")),
    lambda: os.unlink(Path(other, "kept")),
    lambda: socket.socket(),
    lambda: socket.socket(socket.AF_UNIX),
    lambda: os.setsid(),
    lambda: os.kill(os.getppid(), 0),
    lambda: Path("/proc/1/environ").read_bytes(),
)])
"""
SLIDE = """<draw:page><draw:frame svg:x="1cm" svg:y="1cm" svg:width="20cm" svg:height="3cm"><draw:text-box>
<text:p>Remote work</text:p></draw:text-box></draw:frame></draw:page>"""
CELL = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
KILLED = """
import sys
from rove.sandbox import Limits, office
office.convert("a", open(sys.argv[1], "rb").read(), Limits(), lambda: False)
"""


def flat(body: str, scripts: str = "", kind: str = "text") -> bytes:
    return FLAT.format(body=body, scripts=scripts, kind=kind).encode()


def five_languages() -> bytes:
    return flat(HEADING + "".join(f"<text:p>{text}</text:p>" for text in PARAGRAPHS.values()))


def saved(data: bytes, suffix: str, folder: Path) -> bytes:
    """A file as LibreOffice itself saves it in an old format."""
    given = folder / "given"
    given.write_bytes(data)
    profile = f"-env:UserInstallation={(folder / 'profile').as_uri()}"
    command = ["soffice", profile, "--headless", "--convert-to", suffix, "--outdir", str(folder), str(given)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return (folder / "given").with_suffix(f".{suffix}").read_bytes()


def read(data: bytes, name: str, limits: Limits = LIMITS) -> tuple[list[Prepared], SourceEnd]:
    pool = Pool(Recipe("m", "p", convert=True), limits, 1)
    try:
        items = list(pool.read([(Location(name, name, data=data), "")]))
    finally:
        pool.close()
    (end,) = (item for item in items if isinstance(item, SourceEnd))
    return [item for item in items if isinstance(item, Prepared)], end


def text_of(data: bytes) -> str:
    converted = office.convert("a", data, LIMITS, lambda: False)
    documents = load_documents(source(sniff(converted, ""), converted))
    return "\n".join(document.text for document in documents)


def rooms() -> list[Path]:
    folder = office.private_folder()
    assert folder is not None
    return list(folder.glob("office-*"))


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))


@has_office
@pytest.mark.long
def test_old_files_are_read_with_what_they_hold(tmp_path: Path):
    old = saved(five_languages(), "doc", tmp_path)
    assert sniff(old, "") == "doc"
    (made,), end = read(old, "report.doc")
    document = made.document
    assert (end.outcome, end.kind, document.kind) == ("", "doc", "docx")
    assert document.metadata["converted_from"] == "doc"
    assert [section.title for section in document.sections] == ["Remote work"]
    assert all(text[:40] in document.text for text in PARAGRAPHS.values())
    assert all(document.text[slice(*chunk.span)] == chunk.text for chunk in made.chunks)
    slides = saved(flat(SLIDE, kind="presentation"), "ppt", tmp_path)
    assert sniff(slides, "") == "ppt"
    assert "Remote work" in text_of(slides)
    assert rooms() == []


@has_office
def test_a_workbook_stays_a_table():
    rows = [("Item", "Rate"), ("Hotel", "120"), ("Szálloda", "宿泊")]
    cells = "".join(f"<table:table-row>{''.join(map(CELL.format, row))}</table:table-row>" for row in rows)
    text = text_of(flat(f'<table:table table:name="Rates">{cells}</table:table>', kind="spreadsheet"))
    assert "| Item | Rate |" in text
    assert "| Szálloda | 宿泊 |" in text


@has_office
def test_files_in_archives_are_converted_too():
    archive = zip_file({"a.fodt": five_languages(), "b.docx": docx_file(), "c.fodt": flat("")})
    made, end = read(archive, "all.zip")
    assert [document.document.source for document in made] == ["all.zip#a.fodt", "all.zip#b.docx"]
    assert (end.outcome, "c.fodt" in end.reason) == ("partial", True)


def test_no_more_than_so_many_files_of_one_source_are_converted():
    wish = encoder.encode(asking.Wish("a.doc", b""))
    reply = asking.answer_wish(wish, asking.MOST + 1, LIMITS, lambda: pytest.fail("it was converted"))
    assert b"would be the 101th file" in reply


@pytest.mark.parametrize("message", [b"\xb4", b"\x81\xa4name\xa1\xb4"])
def test_a_wish_that_cannot_be_read_is_refused(message: bytes):
    with pytest.raises(ServiceError, match="asked for what is no file"):
        asking.answer_wish(message, 1, LIMITS, lambda: pytest.fail("it was converted"))


@has_office
def test_macros_do_not_run():
    text = text_of(flat(f"{HEADING}<text:p>Nothing has run.</text:p>", MACRO))
    assert "Nothing has run." in text
    assert "A macro ran." not in text


@has_office
def test_what_a_document_links_to_is_neither_fetched_nor_read(tmp_path: Path):
    (tmp_path / "secret.txt").write_text("The secret is out.")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"http://127.0.0.1:{server.getsockname()[1]}/p.png"
        image = f'<draw:frame svg:width="2cm" svg:height="2cm"><draw:image xlink:href="{address}"/></draw:frame>'
        link = f'<text:section-source xlink:href="{(tmp_path / "secret.txt").as_uri()}" text:filter-name="Text"/>'
        section = f'<text:section text:name="s">{link}<text:p>Kept as it was.</text:p></text:section>'
        text = text_of(flat(f"{HEADING}<text:p>{image}</text:p>{section}"))
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert "Kept as it was." in text
    assert "secret" not in text


@has_office
def test_what_it_cannot_read_or_not_in_time_is_said():
    with pytest.raises(InputError, match="LibreOffice cannot read 'a'") as caught:
        office.convert("a", b"\xd0\xcf\x11\xe0" + bytes(range(256)) * 40, LIMITS, lambda: False)
    assert caught.value.outcome == "damaged"
    for limits, outcomes in (
        (Limits(wall_s=0.1), {"too-slow"}),
        (
            Limits(memory_bytes=30_000_000),
            {"damaged", "too-large"},
        ),  # it fails for want of it, or is ended from outside
    ):
        with pytest.raises(InputError) as caught:
            office.convert("a", five_languages(), limits, lambda: False)
        assert caught.value.outcome in outcomes
        assert caught.value.cure
    assert rooms() == []


@has_office
def test_a_killed_parent_leaves_no_process_and_no_folder_for_long(tmp_path: Path):
    given = tmp_path / "a.fodt"
    given.write_bytes(five_languages())
    parent = subprocess.Popen([sys.executable, "-c", KILLED, str(given)])
    deadline = time.monotonic() + 60
    while not (children := Path(f"/proc/{parent.pid}/task/{parent.pid}/children").read_text().split()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    while not list(tmp_path.glob("tmp/*/office-*/profile")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    assert rooms()
    while Path(f"/proc/{children[0]}").exists() and "Z" not in Path(f"/proc/{children[0]}/stat").read_text().split()[2]:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert "Remote work" in text_of(five_languages())
    assert rooms() == []


@linux
def test_a_converter_can_write_to_its_room_and_to_nothing_else(tmp_path: Path):
    room, other = tmp_path / "room", tmp_path / "other"
    room.mkdir()
    other.mkdir()
    (other / "kept").write_text("kept")
    command = [sys.executable, "-c", CONFINED, str(room), str(other)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "HOME": str(room)})
    assert run.stdout.strip() == str([True] * 8)
    assert [path.name for path in room.iterdir()] == ["moved"]
    assert [path.name for path in other.iterdir()] == ["kept"]


def test_without_libreoffice_the_cure_names_it():
    with pytest.raises(InputError, match="Or install LibreOffice") as caught:
        list(load_documents(source("doc", b"\xd0\xcf\x11\xe0")))
    assert caught.value.outcome == "unsupported"

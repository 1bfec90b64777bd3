"""What files are called: by what lies at their root, not by what is embedded in them nor by their suffix."""

from __future__ import annotations

import codecs
import json
import zipfile
from io import BytesIO
from pathlib import Path

import numpy as np
import olefile
import pyarrow as pa
import pytest
from pyarrow import feather, orc

from load.samples import PARAGRAPHS, docx_file, zip_file
from load.samples_data import workbook
from load.samples_office import deck_sample, odt_sample, rtf_text
from load.samples_web import book, compound_file, eml_file, mbox_file, msg_file
from rove.errors import InputError
from rove.load import LOADERS, SUFFIXES, formats
from rove.load.discover import kind_of, load_documents, locate, read_place
from rove.load.sniff import sniff
from rove.records import Document

TYPES = '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">{}</Types>'
MAIN = '<Override PartName="/{}" ContentType="application/{}"/>'
HTML = "<html><head><title>t</title></head><body><table><tr><td>{}</td></tr></table></body></html>"


def opc(part: str, content_type: str, more: str = "") -> bytes:
    """A file of Microsoft's with a main part, and with what else its list of types says."""
    types = TYPES.format(more + MAIN.format(part, content_type))
    return zip_file({"[Content_Types].xml": types.encode(), part: b"\x83\x01\x00"})


def odf(mimetype: str) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("mimetype", mimetype)
        archive.writestr("content.xml", "<a/>")
    return out.getvalue()


def written(table: pa.Table, how: object) -> bytes:
    out = BytesIO()
    how(table, out)
    return out.getvalue()


def npy() -> bytes:
    out = BytesIO()
    np.save(out, np.arange(9))
    return out.getvalue()


ROWS = pa.table({"text": list(PARAGRAPHS.values()) * 3})
EMBEDDED_WORD = {"MBD0001/WordDocument": b"w" * 5000, "MBD0001/\x01CompObj": b"c"}
SECTION = b"\xe4\x52\x5c\x7b\x8c\xd8\xa7\x4d\xae\xb1\x53\x78\xd0\x29\x96\xd3"
NOISE = bytes(range(256)) * 8
# Name, bytes, what it is called.
UNREAD = [
    ("a.xlsb", opc("xl/workbook.bin", "vnd.ms-excel.sheet.binary.macroEnabled.main"), "xlsb"),
    ("a.xlsx", opc("xl/workbook.bin", "vnd.ms-excel.sheet.binary.macroEnabled.main"), "xlsb"),
    ("a.xlsb", zip_file({"xl/workbook.bin": b"\x83\x01\x00"}), "xlsb"),
    ("a.xlam", opc("xl/workbook.xml", "vnd.ms-excel.addin.macroEnabled.main+xml"), "excel-add-in"),
    ("a.vsdx", opc("visio/document.xml", "vnd.ms-visio.drawing.main+xml"), "vsd"),
    ("a.xps", opc("FixedDocSeq.fdseq", "vnd.ms-package.xps-fixeddocumentsequence+xml"), "xps"),
    ("a.odg", odf("application/vnd.oasis.opendocument.graphics"), "odg"),
    ("a.sxw", odf("application/vnd.sun.xml.writer"), "sxw"),
    ("a.hwpx", odf("application/hwp+zip"), "hwpx"),
    ("a.pages", zip_file({"Index/Document.iwa": b"\0\1", "preview.jpg": b"\xff\xd8\xff"}), "iwork"),
    ("a.doc", compound_file({"WordDocument": b"w", "ObjectPool/_1/Workbook": b"b"}), "doc"),
    ("a.dot", compound_file({"WordDocument": b"w"}), "doc"),
    ("a.xls", compound_file({"WordDocument": b"w"}), "doc"),
    ("a.ppt", compound_file({"PowerPoint Document": b"p", "MBD/Workbook": b"b"}), "ppt"),
    ("a.pps", compound_file({"PowerPoint Document": b"p", "MBD/WordDocument": b"b"}), "ppt"),
    ("a.vsd", compound_file({"VisioDocument": b"v"}), "vsd"),
    ("a.pub", compound_file({"Quill/QuillSub/CONTENTS": b"q", "Contents": b"c"}), "pub"),
    ("a.mpp", compound_file({"Props": b"p"}, "74B78F3A-C8C8-11D1-BE11-00C04FB6FAF1"), "mpp"),
    ("a.msi", compound_file({"Props": b"p"}, "000C1084-0000-0000-C000-000000000046"), "package"),
    ("a.wps", compound_file({"MatOST": b"m", "CONTENTS": b"c"}), "wps"),
    ("a.hwp", compound_file({"FileHeader": b"HWP Document File", "BodyText/Section0": b"s"}), "hwp"),
    ("a.sdw", compound_file({"StarWriterDocument": b"s"}), "staroffice"),
    ("a.docx", compound_file({"EncryptedPackage": b"e", "EncryptionInfo": b"i"}), "locked"),
    ("a.xls", compound_file({"EncryptedPackage": b"e", "EncryptionInfo": b"i"}), "locked"),
    ("a", compound_file({"EncryptedPackage": b"e", "EncryptionInfo": b"i"}), "locked"),
    ("a.docx", compound_file({"\x09DRMContent": b"d"}), "drm"),
    ("a.one", SECTION + NOISE, "one"),
    ("a.wpd", b"\xffWPC" + NOISE, "wpd"),
    ("a.djvu", b"AT&TFORM\0\0\1\0DJVM" + NOISE, "djvu"),
    ("a.mobi", b"Title\0".ljust(60, b"\0") + b"BOOKMOBI" + NOISE, "mobi"),
    ("a.azw", b"Title\0".ljust(60, b"\0") + b"BOOKMOBI" + NOISE, "mobi"),
    ("a.chm", b"ITSF\3\0\0\0" + NOISE, "chm"),
    ("a.ps", b"%!PS-Adobe-3.0\n%%Pages: 1\n/Times findfont\n", "ps"),
    ("a.eps", b"\xc5\xd0\xd3\xc6" + NOISE, "ps"),
    ("a.dwg", b"AC1032\0\0" + NOISE, "dwg"),
    ("a.pst", b"!BDN" + NOISE, "pst"),
    ("winmail.dat", b"\x78\x9f\x3e\x22" + NOISE, "tnef"),
    ("a.fb2", b'<?xml version="1.0"?><FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0"/>', "fb2"),
    ("a.fb2", '<?xml version="1.0" encoding="utf-16"?><FictionBook/>'.encode("utf-16"), "fb2"),
    ("a.doc", b'<?xml version="1.0"?>\n<?mso-application progid="Word.Document"?><w:wordDocument/>', "word-xml"),
    ("a.xls", b'<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?><Workbook/>', "excel-xml"),
    ("a.fodt", b'<?xml version="1.0"?><o:document xmlns:o="urn:oasis:names:tc:opendocument:xmlns:office:1.0"/>',
     "flat-odf"),
    ("a.heic", b"\0\0\0\x18ftypheic" + NOISE, "heif"),
    ("a.avif", b"\0\0\0\x18ftypavif" + NOISE, "heif"),
    ("a.jpg", b"\0\0\0\x18ftypheic" + NOISE, "heif"),
    ("a.jxl", b"\0\0\0\x0cJXL \r\n\x87\n" + NOISE, "heif"),
    ("a.7z", b"7z\xbc\xaf\x27\x1c\0\4" + NOISE, "7z"),
    ("a.zip", b"Rar!\x1a\x07\1\0" + NOISE, "rar"),
    ("a.zst", b"\x28\xb5\x2f\xfd" + NOISE, "packed"),
    ("a.lz4", b"\x04\x22\x4d\x18" + NOISE, "packed"),
    ("a.deb", b"!<arch>\ndebian-binary   " + NOISE, "package"),
    ("a.iso", bytes(32769) + b"CD001\1" + NOISE, "disk"),
    ("a.exe", b"MZ\x90\0" + NOISE, "program"),
    ("a.so", b"\x7fELF\2\1\1" + NOISE, "program"),
    ("a.db", b"\x37\x7f\x06\x82" + NOISE, "sqlite-wal"),
    ("a.mdb", b"\0\1\0\0Standard Jet DB\0" + NOISE, "access"),
    ("a.feather", written(ROWS, feather.write_feather), "arrow"),
    ("a.arrow", written(ROWS, lambda t, out: feather.write_feather(t, out, compression="uncompressed")), "arrow"),
    ("a.feather", b"FEA1" + NOISE, "arrow"),
    ("a.orc", written(ROWS, orc.write_table), "orc"),
    ("a.avro", b"Obj\1\4\x14avro.codec" + NOISE, "avro"),
    ("a.npy", npy(), "numpy"),
    ("a.h5", b"\x89HDF\r\n\x1a\n" + NOISE, "hdf5"),
    ("a.mid", b"MThd\0\0\0\6" + NOISE, "midi"),
    ("a.psd", b"8BPS\0\1" + NOISE, "psd"),
    ("a.ttf", b"\0\1\0\0\0\x0f" + NOISE, "font"),
    ("a.asc", b"-----BEGIN PGP MESSAGE-----\n\nhQ==\n-----END PGP MESSAGE-----\n", "ciphered"),
]  # fmt: skip
RECORDINGS = [
    ("a.mp4", b"\0\0\0\x18ftypisom" + NOISE, "video"),
    ("a.m4a", b"\0\0\0\x18ftypM4A " + NOISE, "audio"),
    ("a.mp3", b"ID3\3\0" + NOISE, "audio"),
    ("a.mp3", b"\xff\xfb\x90\0" + NOISE, "audio"),
    ("a.wav", b"RIFF\0\0\1\0WAVEfmt " + NOISE, "audio"),
    ("a.mkv", b"\x1a\x45\xdf\xa3" + NOISE, "video"),
    ("a.bin", b"OggS" + NOISE, "audio"),
    ("a.bin", b"fLaC" + NOISE, "audio"),
    ("a.bin", b"FORM\0\0\1\0AIFF" + NOISE, "audio"),
]


@pytest.mark.parametrize(("name", "data", "kind"), RECORDINGS)
def test_recordings_are_known_by_their_bytes(name: str, data: bytes, kind: str) -> None:
    assert sniff(data, "") == kind
    assert SUFFIXES.get(Path(name).suffix, kind) == kind


@pytest.mark.parametrize(("name", "data", "called"), UNREAD, ids=[f"{n}-{c}-{i}" for i, (n, _, c) in enumerate(UNREAD)])
def test_what_is_not_read_is_called_by_its_name_with_what_to_save_it_as(
    tmp_path: Path, name: str, data: bytes, called: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError) as raised:
        list(load_documents(read_place(locate([tmp_path / name])[0])))
    known = formats.UNREAD[called]
    assert known.what in raised.value.reason
    assert name in raised.value.reason
    assert raised.value.outcome == known.outcome
    assert known.cure in str(raised.value)


def test_every_name_that_is_given_is_a_format_or_a_loader() -> None:
    pairs = (*formats.OLE_NAMES, *formats.CONTENT_TYPES, *formats.MIMETYPES, *formats.ZIP_PARTS, *formats.XML_MARKS)
    given = {name for _, name in pairs} | {name for *_, name in formats.MARKS}
    given |= {*formats.BRANDS, *formats.OLE_CLASSES.values()}
    assert given <= {*formats.UNREAD, *LOADERS.names()}
    assert not formats.UNREAD.keys() & set(LOADERS.names())
    assert formats.UNREAD.keys() > formats.CONVERTED
    assert formats.UNREAD.keys() <= given | {"program", "ole"}
    for known in formats.UNREAD.values():
        assert known.cure.endswith(".")
        assert known.outcome in {"unsupported", "encrypted"}


def documents(tmp_path: Path, name: str, data: bytes) -> list[Document]:
    (tmp_path / name).write_bytes(data)
    return list(load_documents(read_place(locate([tmp_path / name])[0])))


def test_a_workbook_with_a_word_document_in_it_is_read_as_the_workbook(tmp_path: Path) -> None:
    ole = olefile.OleFileIO(BytesIO(workbook("xls")))
    streams = {"/".join(path): ole.openstream(path).read() for path in ole.listdir()}
    with_word = compound_file({**EMBEDDED_WORD, **streams})
    assert sniff(with_word, "") == "xls"
    plain, found = documents(tmp_path, "sales.xls", workbook("xls")), documents(tmp_path, "b.xls", with_word)
    assert [document.text for document in found] == [document.text for document in plain]
    assert found[0].text


@pytest.mark.parametrize(
    ("part", "content_type", "kind"),
    [
        ("word/document.xml", "vnd.ms-word.template.macroEnabledTemplate.main+xml", "docx"),
        ("word/document.xml", "vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml", "docx"),
        ("ppt/presentation.xml", "vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml", "pptx"),
        ("ppt/presentation.xml", "vnd.ms-powerpoint.template.macroEnabled.main+xml", "pptx"),
        ("xl/workbook.xml", "vnd.ms-excel.sheet.macroEnabled.main+xml", "xlsx"),
        ("xl/workbook.xml", "vnd.openxmlformats-officedocument.spreadsheetml.template.main+xml", "xlsx"),
    ],
)
def test_templates_and_files_with_macros_are_told_by_their_main_part(part: str, content_type: str, kind: str) -> None:
    types = ("wordprocessingml.document", "spreadsheetml.sheet", "presentationml.presentation")
    embedded = "".join(
        f'<Default Extension="e{at}" ContentType="application/vnd.openxmlformats-officedocument.{name}"/>'
        for at, name in enumerate(types)
    )
    assert sniff(opc(part, content_type, embedded), "") == kind


def test_what_can_be_read_is_told_by_its_bytes_under_any_suffix() -> None:
    samples = {"docx": docx_file(), "pptx": deck_sample(), "xlsx": workbook("xlsx"), "ods": workbook("ods"),
               "odt": odt_sample(), "xls": workbook("xls"), "epub": book(), "msg": msg_file()}  # fmt: skip
    for kind, data in samples.items():
        assert {sniff(data, wrong) for wrong in ("", "pdf", "zip", "docx", "xls", "text", "image")} == {kind}


def test_an_archive_with_a_folder_of_a_format_s_name_is_an_archive(tmp_path: Path) -> None:
    data = zip_file({"word/letter.txt": b"dear all", "xl/notes.txt": b"large"})
    assert sorted(d.text.strip() for d in documents(tmp_path, "a.zip", data)) == ["dear all", "large"]


@pytest.mark.parametrize("name", ["a.xls", "a.xlsx"])
def test_a_page_or_rows_that_a_program_calls_a_workbook_are_read(tmp_path: Path, name: str) -> None:
    page = documents(tmp_path, name, HTML.format(PARAGRAPHS["hu"]).encode())
    rows = documents(tmp_path, name, f"név\tszöveg\r\nhu\t{PARAGRAPHS['hu']}\r\n".encode("utf-16"))
    assert [d.kind for d in (*page, *rows)] == ["html", "csv"]
    assert all(PARAGRAPHS["hu"] in d.text for d in (*page, *rows))


def test_a_mail_that_is_called_a_msg_is_read_as_the_mail(tmp_path: Path) -> None:
    assert documents(tmp_path, "a.msg", b"Received: by x\r\n" + eml_file())[0].kind == "eml"


@pytest.mark.parametrize("text", ["ID3 tags, explained", "ORC files are read", "MZ is a postcode", "Rar!", "8BPS"])
def test_a_text_that_begins_like_another_format_is_a_text(tmp_path: Path, text: str) -> None:
    assert documents(tmp_path, "a.txt", text.encode())[0].text == text
    assert documents(tmp_path, "a", text.encode())[0].text == text


ALL = " ".join(PARAGRAPHS.values())
HEAD = "MIME-Version: 1.0\r\nSubject: Gruss\r\nFrom: a@b.de\r\nContent-Type: text/plain; charset=iso-8859-1\r\n"
MAIL = f"{HEAD}\r\n{ALL}\r\n"
TEXTS = {
    "a.eml": MAIL,
    "a.mbox": f"From a@b.de Mon Jan  1 00:00:00 2024\n{MAIL}",
    "a.html": HTML.format(ALL),
    "a.xml": f'<?xml version="1.0" encoding="UTF-16"?><a><b>{ALL}</b></a>',
    "a.csv": f"name,text\r\na,{ALL}\r\nb,{ALL}\r\n",
    "a.json": json.dumps({"a": {"document": ALL}}, ensure_ascii=False),
    "a.jsonl": "".join(json.dumps({"text": f"{n} {ALL}"}, ensure_ascii=False) + "\n" for n in range(3)),
    "a.ipynb": json.dumps({"cells": [{"cell_type": "markdown", "metadata": {}, "source": [ALL]}], "metadata": {},
                           "nbformat": 4, "nbformat_minor": 5}, ensure_ascii=False),
    "a.md": f"# Kopf\n\n{ALL}\n",
    "a.rst": f"Kopf\n====\n\n{ALL}\n",
    "a.txt": f"{ALL}\n",
    "zh.txt": f"{PARAGRAPHS['zh']}\n{PARAGRAPHS['ja']}\n",
    "a.rtf": f"{{\\rtf1\\ansi {rtf_text(ALL)}\\par}}",
}  # fmt: skip
ENCODINGS = [
    ("utf-8", codecs.BOM_UTF8), ("utf-16-le", codecs.BOM_UTF16_LE), ("utf-16-be", codecs.BOM_UTF16_BE),
    ("utf-16-le", b""), ("utf-16-be", b""), ("utf-32-le", codecs.BOM_UTF32_LE), ("utf-32-be", codecs.BOM_UTF32_BE),
    ("utf-32-le", b""), ("utf-32-be", b""),
]  # fmt: skip


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(("encoding", "mark"), ENCODINGS)
def test_text_of_every_kind_is_read_in_every_width(tmp_path: Path, name: str, encoding: str, mark: bytes) -> None:
    text = TEXTS[name]
    if encoding == "utf-8":
        text = text.replace("UTF-16", "UTF-8")
    found = " ".join(d.text for d in documents(tmp_path, name, mark + text.encode(encoding)))
    for expected in (PARAGRAPHS["zh"], PARAGRAPHS["ja"]) if name == "zh.txt" else PARAGRAPHS.values():
        assert expected in found


def test_mails_in_an_archive_are_read_in_every_width(tmp_path: Path) -> None:
    box = mbox_file(MAIL.encode()).decode().encode("utf-16")
    found = documents(tmp_path, "a.zip", zip_file({"a.eml": MAIL.encode("utf-16"), "b.mbox": box}))
    assert len(found) == 2
    assert all(ALL in d.text for d in found)


def brotli(data: bytes) -> bytes:
    """Brotli (RFC 7932) that compresses nothing: a block for each byte, so that the bytes do not stand together."""
    blocks = b"".join((1 << 19).to_bytes(3, "little") + bytes([byte]) for byte in data[1:])
    return (1 << 20).to_bytes(3, "little") + data[:1] + blocks + b"\x03"


def pdf(content: bytes, filters: bytes = b"") -> bytes:
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d%s>>stream\n%s\nendstream" % (len(content), filters, content),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]  # fmt: skip
    out, places = b"%PDF-1.7\n", b""
    for number, body in enumerate(objects, 1):
        places += b"%010d 00000 n \n" % len(out)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    end = b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        places,
        len(out),
    )
    return out + end


def test_a_pdf_that_is_compressed_by_brotli_is_called_so(tmp_path: Path) -> None:
    content = b"BT /F 20 Tf 20 100 Td (The quick brown fox) Tj ET"
    assert documents(tmp_path, "plain.pdf", pdf(content))[0].text.strip() == "The quick brown fox"
    with pytest.raises(InputError, match="Brotli") as raised:
        documents(tmp_path, "a.pdf", pdf(brotli(content), b"/Filter/BrotliDecode"))
    assert raised.value.outcome == "unsupported"


def test_a_damaged_container_is_left_to_its_loader() -> None:
    for kind, data in (("docx", docx_file()[:3000]), ("xls", workbook("xls")[:1500]), ("msg", msg_file()[:700])):
        assert sniff(data, kind) == kind
        assert kind_of(data, locate([f"/x/a.{kind}"])[0]) == kind

"""Hostile files that are archives, or documents in zip files: bombs, paths that lead out, loops and absurd counts.

Each maker takes `n`, how far it goes; the same `n` gives the same bytes.
"""

from __future__ import annotations

import gzip
import tarfile
import warnings
import zipfile
from io import BytesIO

from load.hostile_text import SECRET_PATH, Maker, billion_laughs
from load.packing import WHEN, cell, docx, epub, odf, packed, paragraph, pptx, repeated, shape, with_part, xlsx


def bomb(n: int) -> bytes:
    return packed({"zeros.txt": bytes(n * 10_000)})


def nested_bomb(n: int) -> bytes:
    data = packed({"zeros.txt": bytes(n * 1000)})
    for _ in range(4):
        data = packed({f"{k}.zip": data for k in range(10)})
    return data


def matryoshka(n: int) -> bytes:
    data = packed({"kernel.txt": b"The kernel."})
    for _ in range(min(n, 60)):
        data = packed({"inner.zip": data}, zipfile.ZIP_STORED)
    return data


def overlapping(n: int) -> bytes:
    """A directory that names the same compressed bytes again and again, as Fifield's bomb does."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("a.txt", WHEN), bytes(n * 100), compress_type=zipfile.ZIP_DEFLATED)
        archive.filelist *= min(n, 5000)
    return out.getvalue()


def lied_size(n: int) -> bytes:
    """A part that says it holds 10 bytes, and holds many."""
    data = bytearray(packed({"a.txt": b"words " * n}))
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = data.rindex(mark) + place
        data[start : start + 4] = (10).to_bytes(4, "little")
    return bytes(data)


def flagged(offset: int, value: int) -> Maker:
    """A zip file with one field of its directory and of its part's head set, counted from the version needed."""

    def make(_: int) -> bytes:
        data = bytearray(packed({"a.txt": b"the words of it", "b.txt": b"other words"}))
        for mark, place in ((b"PK\x03\x04", 4), (b"PK\x01\x02", 6)):
            start = data.index(mark) + place + offset
            data[start : start + 2] = value.to_bytes(2, "little")
        return bytes(data)

    return make


def names(*chosen: str) -> Maker:
    def make(_: int) -> bytes:
        out = BytesIO()
        with warnings.catch_warnings(), zipfile.ZipFile(out, "w") as archive:
            warnings.simplefilter("ignore", UserWarning)  # names that are there twice
            for name in chosen:
                archive.writestr(zipfile.ZipInfo(name, WHEN), f"The words of {name!r}.".encode())
        return out.getvalue()

    return make


def zip_link(_: int) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("link.txt", WHEN)
        info.external_attr, info.create_system = 0o120777 << 16, 3
        archive.writestr(info, SECRET_PATH)
    return out.getvalue()


def tar(*members: tuple[str, bytes, str], mode: str = "w") -> Maker:
    """A tar file of (name, type, where it leads)."""

    def make(_: int) -> bytes:
        out = BytesIO()
        with tarfile.open(fileobj=out, mode=mode) as archive:
            for name, kind, target in members:
                info = tarfile.TarInfo(name)
                info.type, info.linkname, info.size = kind, target, 10 if kind == tarfile.REGTYPE else 0
                archive.addfile(info, BytesIO(b"The words."))
        return out.getvalue()

    return make


def gzip_bomb(n: int) -> bytes:
    return gzip.compress(gzip.compress(bytes(n * 10_000), mtime=0), mtime=0)


def tar_bomb(n: int) -> bytes:
    out = BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        info = tarfile.TarInfo("zeros.txt")
        info.size = n * 10_000
        archive.addfile(info, BytesIO(bytes(info.size)))
    return gzip.compress(out.getvalue(), mtime=0)


LONG = "1000000000"
DEEP_FRAME = "<w:tbl><w:tr><w:tc>"
EXTERNAL = f"<!DOCTYPE w [<!ENTITY x SYSTEM 'file://{SECRET_PATH}'>]>"
DOCX = docx(lambda _: paragraph())
XLSX = xlsx(lambda _: cell("A1", "0", "s"))
ODT = odf("text", lambda _: "<text:p>words</text:p>")
EPUB = epub(lambda _: '<itemref idref="a"/>')

MAKERS: dict[str, Maker] = {
    "bomb.zip": bomb,
    "nested-bomb.zip": nested_bomb,
    "matryoshka.zip": matryoshka,
    "overlapping.zip": overlapping,
    "lied-size.zip": lied_size,
    "encrypted.zip": flagged(2, 1),
    "method.zip": flagged(4, 99),
    "version.zip": flagged(0, 999),
    "paths.zip": names("../../up.txt", "/absolute.txt", "C:\\drive.txt", "..\\back.txt", "a/../../b.txt", "good.txt"),
    "twice.zip": names("a.txt", "a.txt", "A.TXT", "./a.txt"),
    "odd-names.zip": names("", " ", "CON", "a" * 5000, "\u202etxt.exe", "nul\0.txt", "ünïcödé.txt", "folder/", "."),
    "link.zip": zip_link,
    "empty-members.zip": lambda n: packed({f"{k}.txt": b"" for k in range(n)}, zipfile.ZIP_STORED),
    "many-members.zip": lambda n: packed({f"{k}.txt": b"words" for k in range(n)}, zipfile.ZIP_STORED),
    "nothing.zip": lambda _: packed({}),
    "comment.zip": lambda _: packed({"a.txt": b"words"})[:-2] + b"\xff\xff" + bytes(0xFFFF),
    "paths.tar": tar(
        ("../up.txt", tarfile.REGTYPE, ""), ("/root.txt", tarfile.REGTYPE, ""), ("a.txt", tarfile.REGTYPE, "")
    ),
    "links.tar": tar(("a.txt", tarfile.SYMTYPE, SECRET_PATH), ("b.txt", tarfile.LNKTYPE, SECRET_PATH)),
    "devices.tar": tar(("a", tarfile.CHRTYPE, ""), ("b", tarfile.BLKTYPE, ""), ("c", tarfile.FIFOTYPE, "")),
    "links.tar.gz": tar(("a.txt", tarfile.SYMTYPE, "a.txt"), ("b.txt", tarfile.REGTYPE, ""), mode="w:gz"),
    "bomb.tar.gz": tar_bomb,
    "bomb.gz": gzip_bomb,
    "two.gz": lambda n: gzip.compress(b"words ", mtime=0) * n,
    "laughs.docx": with_part(DOCX, "word/document.xml", billion_laughs("document")),
    "external.docx": with_part(DOCX, "word/document.xml", lambda _: f"{EXTERNAL}<w>&x;</w>".encode()),
    "no-document.docx": lambda _: packed({"word/other.xml": b"<a/>"}),
    "empty-document.docx": with_part(DOCX, "word/document.xml", lambda _: b""),
    "bomb.docx": with_part(DOCX, "word/document.xml", lambda n: b"<a>" + b" " * (n * 10_000)),
    "deep-tables.docx": docx(lambda n: DEEP_FRAME * n + paragraph() + "</w:tc></w:tr></w:tbl>" * n),
    "deep-controls.docx": docx(lambda n: "<w:sdt><w:sdtContent>" * n + paragraph() + "</w:sdtContent></w:sdt>" * n),
    "deep-runs.docx": docx(lambda n: "<w:p>" + "<w:ins>" * n + "<w:r><w:t>in</w:t></w:r>" + "</w:ins>" * n + "</w:p>"),
    "paragraphs.docx": docx(lambda n: paragraph() * n),
    "breaks.docx": docx(lambda n: "<w:p><w:r>" + "<w:lastRenderedPageBreak/><w:br/>" * n + "<w:t>w</w:t></w:r></w:p>"),
    "wide-cell.docx": docx(
        lambda _: f'<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="{LONG}"/></w:tcPr>{paragraph()}</w:tc></w:tr></w:tbl>'
    ),
    "odd-cell.docx": docx(
        lambda _: f'<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="x"/></w:tcPr>{paragraph()}</w:tc></w:tr></w:tbl>'
    ),
    "level.docx": docx(
        lambda _: paragraph(properties=f'<w:numPr><w:ilvl w:val="{LONG}"/><w:numId w:val="-1"/></w:numPr>')
    ),
    "odd-level.docx": docx(
        lambda _: paragraph(properties='<w:numPr><w:ilvl w:val="x"/></w:numPr><w:outlineLvl w:val="-9"/>')
    ),
    "style-loop.docx": docx(
        lambda _: paragraph(properties='<w:pStyle w:val="a"/>'),
        '<w:style w:type="paragraph" w:styleId="a"><w:basedOn w:val="b"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="b"><w:basedOn w:val="a"/></w:style>',
    ),
    "style-chain.docx": docx(
        lambda n: "".join(paragraph(properties=f'<w:pStyle w:val="s{k}"/>') for k in range(min(n, 2000))),
        "".join(
            f'<w:style w:type="paragraph" w:styleId="s{k}"><w:basedOn w:val="s{k + 1}"/></w:style>' for k in range(2000)
        ),
    ),
    "relation.docx": docx(
        lambda _: paragraph() + '<w:p><w:hyperlink r:id="gone"><w:r><w:t>a</w:t></w:r></w:hyperlink></w:p>'
    ),
    "math.docx": docx(
        lambda n: (
            '<w:p><m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math">'
            + "<m:f><m:num>" * n
            + "<m:r><m:t>x</m:t></m:r>"
            + "</m:num></m:f>" * n
            + "</m:oMath></w:p>"
        )
    ),
    "far-cell.xlsx": xlsx(lambda _: cell("A1", "1") + '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'),
    "beyond.xlsx": xlsx(lambda _: cell("ZZZZZZZ99999999999", "1")),
    "row.xlsx": xlsx(lambda _: '<row r="4294967295"><c r="A4294967295"><v>1</v></c></row>'),
    "wide.xlsx": xlsx(lambda n: '<row r="1">' + "<c><v>1</v></c>" * n * 10 + "</row>"),
    "string.xlsx": xlsx(lambda _: cell("A1", "99999999", "s") + cell("A2", "-1", "s") + cell("A3", "x", "s")),
    "numbers.xlsx": xlsx(lambda _: cell("A1", "1e999") + cell("A1", "nan") + cell("A1", "9" * 5000) + cell("", "")),
    "kinds.xlsx": xlsx(lambda _: cell("A1", "9", "b") + cell("A2", "#N/A", "e") + cell("A3", "9999-99-99", "d")),
    "merged.xlsx": xlsx(lambda _: cell("A1", "1"), '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'),
    "merges.xlsx": xlsx(
        lambda _: cell("A1", "1"), "<mergeCells>" + '<mergeCell ref="A1:Z99999"/>' * 2000 + "</mergeCells>"
    ),
    "dimension.xlsx": xlsx(lambda _: cell("A1", "1"), '<dimension ref="A1:XFD1048576"/>'),
    "deep-string.xlsx": xlsx(lambda _: cell("A1", "0", "s"), strings="<si><r>" * 3000 + "<t>x</t>"),
    "laughs.xlsx": with_part(XLSX, "xl/sharedStrings.xml", billion_laughs("sst")),
    "bomb.xlsx": with_part(XLSX, "xl/worksheets/sheet1.xml", lambda n: b"<a>" + b" " * (n * 10_000)),
    "no-sheet.xlsx": with_part(XLSX, "xl/worksheets/sheet1.xml", lambda _: b""),
    "shapes.pptx": pptx(lambda n: shape() * n),
    "groups.pptx": pptx(lambda n: "<p:grpSp><p:nvGrpSpPr/><p:grpSpPr/>" * n + shape() + "</p:grpSp>" * n),
    "slides.pptx": pptx(lambda _: shape(), slides=2000),
    "odd-place.pptx": pptx(
        lambda _: shape().replace("<p:spPr/>", '<p:spPr><a:xfrm><a:off x="z" y="-9e9"/></a:xfrm></p:spPr>')
    ),
    "laughs.pptx": with_part(pptx(lambda _: shape()), "ppt/slides/slide1.xml", billion_laughs("sld")),
    "cells.ods": odf("spreadsheet", repeated(1_000_000_000, 1)),
    "rows.ods": odf("spreadsheet", repeated(1, 1_000_000_000)),
    "both.ods": odf("spreadsheet", repeated(1_000_000, 1_000_000)),
    "odd.ods": odf("spreadsheet", repeated(-7, -7)),
    "table.odt": odf("text", repeated(1_000_000_000, 1_000_000_000)),
    "lists.odt": odf(
        "text", lambda n: "<text:list><text:list-item>" * n + "<text:p>x</text:p>" + "</text:list-item></text:list>" * n
    ),
    "sections.odt": odf("text", lambda n: "<text:section>" * n + "<text:p>x</text:p>" + "</text:section>" * n),
    "spans.odt": odf("text", lambda n: "<text:p>" + "<text:span>" * n + "x" + "</text:span>" * n + "</text:p>"),
    "spaces.odt": odf("text", lambda _: f'<text:p>a<text:s text:c="{LONG}"/>b</text:p>'),
    "level.odt": odf(
        "text", lambda _: f'<text:h text:outline-level="{LONG}">h</text:h><text:h text:outline-level="x">i</text:h>'
    ),
    "laughs.odt": with_part(ODT, "content.xml", billion_laughs("document")),
    "external.odt": with_part(ODT, "content.xml", lambda _: f"{EXTERNAL}<w>&x;</w>".encode()),
    "pages.odp": odf("presentation", lambda n: "<drawing:page><text:p>x</text:p></drawing:page>" * n),
    "same-page.epub": epub(lambda n: '<itemref idref="a"/>' * n),
    "out.epub": epub(lambda _: '<itemref idref="a"/><itemref idref="out"/>'),
    "gone.epub": epub(lambda _: '<itemref idref="a"/><itemref idref="gone"/><itemref/>'),
    "deep.epub": epub(lambda _: '<itemref idref="a"/>', lambda n: "<div>" * n + "x"),
    "laughs.epub": with_part(EPUB, "o/c.opf", billion_laughs("package")),
    "external.epub": with_part(EPUB, "o/a.xhtml", lambda _: f"{EXTERNAL}<html><p>Safe.&x;</p></html>".encode()),
    "rights.epub": with_part(EPUB, "META-INF/encryption.xml", lambda _: b"<encryption><EncryptedData/></encryption>"),
    "no-package.epub": with_part(EPUB, "META-INF/container.xml", lambda _: b"<container/>"),
}

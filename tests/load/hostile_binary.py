"""Hostile files of binary formats: PDF trees that loop, pictures without end, databases whose views never stop.

Each maker takes `n`, how far it goes; the same `n` gives the same bytes.
"""

from __future__ import annotations

import sqlite3
import struct
import tempfile
import zlib
from contextlib import closing
from pathlib import Path

from load.hostile_text import Maker

PAGES = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
PAGE = (
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> "
    "/XObject << /X 6 0 R >> >> >>"
)
FONT = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"
WORDS = "BT /F 12 Tf 72 700 Td (The words of the page) Tj ET"


def stream(data: bytes, entries: str = "", *, deflated: int = 0) -> bytes:
    """A stream object, its data deflated so many times."""
    for _ in range(deflated):
        data = zlib.compress(data, 9)
    filters = f"/Filter [{' /FlateDecode' * deflated}]" if deflated else ""
    return f"<< /Length {len(data)} {filters} {entries} >>\nstream\n".encode() + data + b"\nendstream"


def pdf(changed: dict[int, str | bytes] | None = None, *, trailer: str = "", xref: bool = True) -> bytes:
    """A PDF of one page (objects 1 to 6 are catalog, pages, page, its text, font, form), some objects changed."""
    objects: dict[int, str | bytes] = {
        1: "<< /Type /Catalog /Pages 2 0 R >>",
        2: PAGES,
        3: PAGE,
        4: stream(WORDS.encode()),
        5: FONT,
        6: stream(b"", "/Type /XObject /Subtype /Form /BBox [0 0 9 9]"),
        **(changed or {}),
    }
    out = bytearray(b"%PDF-1.7\n")
    places: dict[int, int] = {}
    for number, text in objects.items():
        places[number] = len(out)
        out += f"{number} 0 obj\n".encode() + (text.encode() if isinstance(text, str) else text) + b"\nendobj\n"
    start, size = len(out), max(objects) + 1
    if xref:
        rows = "".join(f"{places[k]:010} 00000 n \n" if k in places else "0000000000 65535 f \n" for k in range(size))
        out += f"xref\n0 {size}\n{rows}".encode()
    out += f"trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def changed(**objects: str) -> Maker:
    """The PDF with some objects changed: `changed(o2="…")` changes object 2."""
    return lambda _: pdf({int(name[1:]): text for name, text in objects.items()})


def page_with(text: str | bytes, *, deflated: int = 0) -> Maker:
    return lambda _: pdf({4: stream(text if isinstance(text, bytes) else text.encode(), deflated=deflated)})


def picture(entries: str) -> Maker:
    """A page on which there is only a picture that says of itself what it is not."""
    image = f"/Type /XObject /Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 8 {entries}"
    page = PAGE.replace("595 842", "60 84")  # small, since a page that is all picture goes to OCR
    text = stream(b"q 60 0 0 84 0 0 cm /X Do Q")
    return lambda n: pdf({3: page, 4: text, 6: stream(b"\x97JB2" * n, image)})


def self_prev(_: int) -> bytes:
    start = pdf().index(b"xref\n0")
    return pdf(trailer=f"/Prev {start}")


def object_streams(_: int) -> bytes:
    """An object stream that extends itself, and holds the pages."""
    inner = b"2 0 " + PAGES.encode()
    return pdf({7: stream(inner, "/Type /ObjStm /N 1 /First 4 /Extends 7 0 R")}, xref=False).replace(
        b"2 0 obj", b"9 0 obj"
    )


def outline(n: int) -> bytes:
    loop = "<< /Title (Loop) /Parent 7 0 R /First 8 0 R /Next 8 0 R /Dest [3 0 R /Fit] >>"
    catalog = "<< /Type /Catalog /Pages 2 0 R /Outlines 7 0 R >>"
    return pdf({1: catalog, 7: f"<< /First 8 0 R /Last 8 0 R /Count {n} >>", 8: loop})


def annotations(n: int) -> bytes:
    link = "<< /Type /Annot /Subtype /Link /Rect [0 0 600 900] /A << /S /URI /URI (https://example.org/x) >> >>"
    return pdf({3: PAGE[:-2] + f"/Annots [{'7 0 R ' * n}] >>", 7: link})


def own_form(n: int) -> bytes:
    """A form that draws itself: twice, where it is to go far, and then PDFium needs 2 to the 40th steps."""
    entries = "/Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>"
    return pdf({4: stream(b"/X Do"), 6: stream(b"/X Do " * (2 if n > 1000 else 1), entries)})


def same_page(n: int) -> bytes:
    return pdf({2: f"<< /Type /Pages /Kids [{'3 0 R ' * n}] /Count {n} >>"})


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, data: bytes, *extra: bytes) -> bytes:
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(extra) + chunk(b"IDAT", zlib.compress(data, 9)) + chunk(b"IEND", b"")


def tiff(n: int) -> bytes:
    """A TIFF whose first directory is its own next one."""
    tags = ((256, n), (257, n), (258, 8), (259, 1), (262, 1), (273, 8), (277, 1), (278, n), (279, 64))
    entries = b"".join(struct.pack("<HHII", tag, 4, 1, value) for tag, value in tags)
    return b"II*\0" + struct.pack("<I", 8) + struct.pack("<H", len(tags)) + entries + struct.pack("<I", 8) + bytes(64)


def gif(n: int) -> bytes:
    frame = b"," + struct.pack("<HHHHB", 0, 0, 1, 1, 0) + b"\x02\x02D\x01\0"
    return b"GIF89a" + struct.pack("<HHBBB", 65535, 65535, 0x80, 0, 0) + bytes(6) + frame * n + b";"


def database(script: str) -> Maker:
    def make(n: int) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "a.sqlite")
            with closing(sqlite3.connect(path)) as connection:
                connection.executescript(script.replace(":n", str(n)))
            return path.read_bytes()

    return make


def schema(sql: str) -> Maker:
    """A database whose schema was rewritten by hand to `sql`."""
    return database(
        "CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('words'); PRAGMA writable_schema = ON;"
        f"UPDATE sqlite_schema SET sql = '{sql}';"
    )


def parquet(length: int) -> Maker:
    return lambda n: b"PAR1" + b"\x15\x02\x19" * n + struct.pack("<I", length) + b"PAR1"


def compound(_: int) -> bytes:
    """An OLE file whose only sector chain leads back to itself."""
    head = bytearray(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH", 0x3E, 3, 0xFFFE, 9, 6))
    head += bytes(6) + struct.pack("<IIIIIIIIII", 0, 1, 1, 0, 4096, 0, 1, 0, 1, 0)
    head += struct.pack("<I", 0) * ((512 - len(head)) // 4)
    sector = struct.pack("<I", 0) * 128
    names = "".join(["Workbook", "WordDocument", "__properties_version1.0"]).encode("utf-16-le")
    return bytes(head) + sector + names.ljust(512, b"\0") * 4


EVER = "WITH RECURSIVE r(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM r) SELECT x FROM r"
COUNT = "WITH RECURSIVE r(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM r LIMIT :n) SELECT"

MAKERS: dict[str, Maker] = {
    "page-loop.pdf": changed(o2="<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 >>"),
    "page-own-kid.pdf": changed(o3="<< /Type /Pages /Parent 3 0 R /Kids [3 0 R] /Count 1 >>"),
    "count.pdf": changed(o2="<< /Type /Pages /Kids [3 0 R] /Count 2147483647 >>"),
    "minus-count.pdf": changed(o2="<< /Type /Pages /Kids [3 0 R] /Count -1 >>"),
    "no-pages.pdf": changed(o2="<< /Type /Pages /Kids [] /Count 0 >>"),
    "same-page.pdf": same_page,
    "self-prev.pdf": self_prev,
    "far-prev.pdf": lambda _: pdf(trailer="/Prev 99999999999999"),
    "xref-stream.pdf": lambda _: pdf(trailer="/XRefStm 0"),
    "no-xref.pdf": lambda _: pdf(xref=False),
    "object-stream.pdf": object_streams,
    "size.pdf": lambda _: pdf(trailer="/Size 2147483647"),
    "cipher.pdf": lambda _: pdf(trailer="/Encrypt << /Filter /Nothing /V 99 >>"),
    "password.pdf": lambda _: pdf(
        trailer=f"/Encrypt << /Filter /Standard /V 1 /R 2 /O <{'41' * 32}> /U <{'42' * 32}> /P -4 >>"
    ),
    "outline.pdf": outline,
    "annotations.pdf": annotations,
    "huge-page.pdf": changed(o3=PAGE.replace("595 842", "1e30 1e30")),
    "flat-page.pdf": changed(o3=PAGE.replace("595 842", "0 0")),
    "odd-page.pdf": changed(o3=PAGE.replace("[0 0 595 842]", "[(a) null -9e99]") + " /Rotate 33"),
    "bomb.pdf": lambda n: pdf({4: stream(b" " * (n * 10_000), deflated=1)}),
    "bomb-twice.pdf": lambda n: pdf({4: stream(b" " * (n * 10_000), deflated=3)}),
    "filters.pdf": lambda n: pdf({4: stream(WORDS.encode(), f"/Filter [{'/ASCIIHexDecode ' * n}]")}),
    "own-form.pdf": own_form,
    "states.pdf": lambda n: pdf({4: stream(b"q " * n + WORDS.encode(), deflated=1)}),
    "texts.pdf": lambda n: pdf({4: stream(WORDS.encode() * n, deflated=1)}),
    "far-texts.pdf": lambda n: pdf(
        {4: stream(b"".join(b"BT /F 9 Tf %d %d Td (word) Tj ET\n" % (k * 7 % 595, k * 13 % 842) for k in range(n)))}
    ),
    "lines.pdf": lambda n: pdf(
        {
            4: stream(
                WORDS.encode()
                + b"".join(
                    b"0 %d m 595 %d l S %d 0 m %d 842 l S\n" % ((k % 842,) * 2 + (k % 595,) * 2) for k in range(n)
                )
            )
        }
    ),
    "rectangles.pdf": lambda n: pdf(
        {
            4: stream(
                WORDS.encode() + b"".join(b"%d %d 9 9 re S\n" % (k * 7 % 595, k * 11 % 842) for k in range(n)),
                deflated=1,
            )
        }
    ),
    "size-of-type.pdf": page_with("BT /F 1e30 Tf 72 700 Td (huge) Tj ET BT /F -12 Tf (minus) Tj /F 0 Tf (none) Tj ET"),
    "outside.pdf": page_with("BT /F 12 Tf 1e9 -1e9 Td (outside of the page) Tj ET"),
    "matrix.pdf": page_with("BT /F 12 Tf 0 0 0 0 0 0 Tm (flat) Tj 1e38 1e38 1e38 1e38 0 0 Tm (steep) Tj ET"),
    "operands.pdf": lambda n: pdf({4: stream(b"1 " * n + b"[" * n + WORDS.encode(), deflated=1)}),
    "dictionary.pdf": lambda n: pdf({7: "<< /A " * n + ">>" * n, 3: PAGE[:-2] + "/A 7 0 R >>"}),
    "array.pdf": lambda n: pdf({3: PAGE[:-2] + "/A " + "[" * n + "]" * n + ">>"}),
    "jbig2.pdf": picture("/Width 100000 /Height 100000 /Filter /JBIG2Decode"),
    "jpx.pdf": picture("/Width 99999 /Height 99999 /Filter /JPXDecode"),
    "fax.pdf": picture("/Width 60000 /Height 60000 /Filter /CCITTFaxDecode /DecodeParms << /K -1 /Columns 60000 >>"),
    "dct.pdf": picture("/Width 65535 /Height 65535 /Filter /DCTDecode"),
    "raw-picture.pdf": picture("/Width 2147483647 /Height 2147483647"),
    "own-font.pdf": changed(
        o5="<< /Type /Font /Subtype /Type0 /BaseFont /A /DescendantFonts [5 0 R] /ToUnicode 5 0 R >>"
    ),
    "type3.pdf": changed(
        o5="<< /Type /Font /Subtype /Type3 /FontMatrix [0 0 0 0 0 0] /CharProcs << /a 4 0 R >> /FontBBox [0 0 0 0] >>"
    ),
    "no-font.pdf": changed(o5="null"),
    "to-unicode.pdf": lambda n: pdf(
        {
            5: FONT[:-2] + "/ToUnicode 7 0 R >>",
            7: stream(
                b"begincmap 1 begincodespacerange <00> <FF> endcodespacerange\n"
                + b"1 beginbfrange <00> <FF> <D800> endbfrange\n" * n
            ),
        }
    ),
    "form.pdf": changed(
        o1="<< /Type /Catalog /Pages 2 0 R /AcroForm << /Fields [7 0 R] >> >>",
        o7="<< /T (a) /FT /Tx /V (value) /Kids [7 0 R] /Parent 7 0 R >>",
    ),
    "attachment.pdf": lambda n: pdf(
        {
            1: "<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [(a) 7 0 R] /Kids [8 0 R] >> >> >>",
            7: "<< /Type /Filespec /F (../../a.pdf) /EF << /F 9 0 R >> >>",
            8: "<< /Kids [8 0 R] >>",
            9: stream(bytes(n * 1000), deflated=1),
        }
    ),
    "bomb.png": lambda n: png(n * 10, n * 10, bytes((n * 10 // 8 + 1) * n * 10)),
    "huge.png": lambda _: png(2**31 - 1, 2**31 - 1, b"\0" * 99),
    "no-pixels.png": lambda _: png(0, 0, b""),
    "text.png": lambda n: png(8, 8, bytes(16), chunk(b"zTXt", b"k\0\0" + zlib.compress(bytes(n * 10_000), 9))),
    "loop.tiff": tiff,
    "frames.gif": gif,
    "head.jpg": lambda _: (
        b"\xff\xd8\xff\xc0\x00\x11\x08\xff\xff\xff\xff\x03\x01\x22\x00\x02\x11\x01\x03\x11\x01\xff\xda"
    ),
    "head.webp": lambda _: b"RIFF\xff\xff\xff\xffWEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00\xff\xff\xff\xff\xff\xff",
    "head.bmp": lambda _: b"BM" + struct.pack("<IIIIiiHH", 99, 0, 54, 40, 2**31 - 1, -(2**31), 1, 24) + bytes(24),
    "view.sqlite": database(f"CREATE TABLE t (a TEXT); INSERT INTO t VALUES ('words'); CREATE VIEW v AS {EVER};"),
    "rows.sqlite": database(f"CREATE TABLE t (a INT, b TEXT); INSERT INTO t {COUNT} x, 'words' FROM r;"),
    "blob.sqlite": database("CREATE TABLE t (a BLOB, b TEXT); INSERT INTO t VALUES (zeroblob(1000 * :n), 'words');"),
    "names.sqlite": database(
        """CREATE TABLE "a""b; DROP TABLE x--" ("c|d\n" TEXT); INSERT INTO "a""b; DROP TABLE x--" VALUES ('w');"""
    ),
    "nothing.sqlite": database("CREATE TABLE t (a TEXT);"),
    "generated.sqlite": database(
        "CREATE TABLE t (a INT, b AS (a / 0), c AS (zeroblob(1000000000))); INSERT INTO t VALUES (1);"
    ),
    "text.sqlite": database("CREATE TABLE t (a TEXT); INSERT INTO t VALUES (CAST(x'fffe00ff41' AS TEXT)), ('words');"),
    "virtual.sqlite": schema("CREATE VIRTUAL TABLE t USING nothing(a)"),
    "load.sqlite": schema("CREATE TABLE t (a TEXT, b AS (load_extension(a)))"),
    "broken.sqlite": schema("CREATE TABLE t ((((("),
    "footer.parquet": parquet(0xFFFFFFFF),
    "thrift.parquet": parquet(300),
    "none.parquet": parquet(0),
    "chain.xls": compound,
    "chain.msg": compound,
}

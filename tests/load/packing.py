"""Documents in zip files, written part by part: what no word processor would ever write can be written here."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from io import BytesIO

from load.hostile_text import SECRET_PATH, Maker

WHEN = (2026, 11, 21, 0, 0, 0)
Parts = dict[str, bytes]

RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
ODF = "urn:oasis:names:tc:opendocument:xmlns"
TYPES = "http://schemas.openxmlformats.org/package/2006/content-types"
FORMATS = "application/vnd.openxmlformats-officedocument."
CONTENT_TYPES = {
    "word/document.xml": "wordprocessingml.document.main+xml",
    "word/styles.xml": "wordprocessingml.styles+xml",
    "xl/workbook.xml": "spreadsheetml.sheet.main+xml",
    "xl/worksheets/sheet1.xml": "spreadsheetml.worksheet+xml",
    "xl/sharedStrings.xml": "spreadsheetml.sharedStrings+xml",
    "ppt/presentation.xml": "presentationml.presentation.main+xml",
    "ppt/slides/slide1.xml": "presentationml.slide+xml",
}


def packed(parts: Parts, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip file of those parts; the same parts give the same bytes."""
    out = BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name, WHEN), data, compress_type=method)
    return out.getvalue()


def relations(*targets: tuple[str, str]) -> bytes:
    rows = "".join(f'<Relationship Id="r{k}" Type="{kind}" Target="{to}"/>' for k, (kind, to) in enumerate(targets, 1))
    return f'<Relationships xmlns="{RELATIONS}">{rows}</Relationships>'.encode()


def office(main: str, parts: Parts) -> bytes:
    """An Office file whose main part is `main`; every part goes in as it is."""
    known = {name: FORMATS + CONTENT_TYPES[name] for name in parts if name in CONTENT_TYPES}
    overrides = "".join(f'<Override PartName="/{name}" ContentType="{kind}"/>' for name, kind in known.items())
    rels = "application/vnd.openxmlformats-package.relationships+xml"
    defaults = (
        f'<Default Extension="xml" ContentType="application/xml"/><Default Extension="rels" ContentType="{rels}"/>'
    )
    head = {
        "[Content_Types].xml": f'<Types xmlns="{TYPES}">{defaults}{overrides}</Types>'.encode(),
        "_rels/.rels": relations((f"{OFFICE}/officeDocument", main)),
    }
    return packed({**head, **parts})


def docx(body: Callable[[int], str], styles: str = "", more: Parts | None = None) -> Maker:
    def make(n: int) -> bytes:
        text = f'<w:document xmlns:w="{WORD}" xmlns:r="{OFFICE}"><w:body>{body(n)}</w:body></w:document>'
        sheet = f'<w:styles xmlns:w="{WORD}">{styles}</w:styles>'
        parts = {
            "word/document.xml": text.encode(),
            "word/styles.xml": sheet.encode(),
            "word/_rels/document.xml.rels": relations((f"{OFFICE}/styles", "styles.xml")),
        }
        return office("word/document.xml", {**parts, **(more or {})})

    return make


def paragraph(inner: str = "", properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr><w:r><w:t>{inner or 'words'}</w:t></w:r></w:p>"


def xlsx(rows: Callable[[int], str], more: str = "", strings: str = "<si><t>words</t></si>") -> Maker:
    def make(n: int) -> bytes:
        sheet = f'<worksheet xmlns="{SHEET}"><sheetData>{rows(n)}</sheetData>{more}</worksheet>'
        sheets = '<sheets><sheet name="One" sheetId="1" r:id="r1"/></sheets>'
        parts = {
            "xl/workbook.xml": f'<workbook xmlns="{SHEET}" xmlns:r="{OFFICE}">{sheets}</workbook>'.encode(),
            "xl/_rels/workbook.xml.rels": relations(
                (f"{OFFICE}/worksheet", "worksheets/sheet1.xml"), (f"{OFFICE}/sharedStrings", "sharedStrings.xml")
            ),
            "xl/worksheets/sheet1.xml": sheet.encode(),
            "xl/sharedStrings.xml": f'<sst xmlns="{SHEET}">{strings}</sst>'.encode(),
        }
        return office("xl/workbook.xml", parts)

    return make


def cell(place: str, value: str, kind: str = "n") -> str:
    return f'<row r="1"><c r="{place}" t="{kind}"><v>{value}</v></c></row>'


def pptx(tree: Callable[[int], str], slides: int = 1) -> Maker:
    """Slides that are all the same part: listed again and again where `slides` is more than 1."""

    def make(n: int) -> bytes:
        ids = "".join(f'<p:sldId id="{256 + k}" r:id="r1"/>' for k in range(slides))
        names = f'xmlns:p="{SLIDE}" xmlns:a="{DRAWING}" xmlns:r="{OFFICE}"'
        shapes = f"<p:nvGrpSpPr/><p:grpSpPr/>{tree(n)}"
        parts = {
            "ppt/presentation.xml": f"<p:presentation {names}><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>".encode(),
            "ppt/_rels/presentation.xml.rels": relations((f"{OFFICE}/slide", "slides/slide1.xml")),
            "ppt/slides/slide1.xml": f"<p:sld {names}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:sld>".encode(),
            "ppt/slides/_rels/slide1.xml.rels": relations((f"{OFFICE}/slide", "slide1.xml")),
        }
        return office("ppt/presentation.xml", parts)

    return make


def shape(text: str = "words") -> str:
    frame = f"<p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody>"
    return f'<p:sp><p:nvSpPr><p:cNvPr id="2" name="s"/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/>{frame}</p:sp>'


def odf(kind: str, body: Callable[[int], str]) -> Maker:
    def make(n: int) -> bytes:
        names = " ".join(f'xmlns:{p}="{ODF}:{p}:1.0"' for p in ("office", "text", "table", "drawing", "presentation"))
        text = f"<office:document-content {names}><office:body><office:{kind}>{body(n)}</office:{kind}></office:body>"
        parts = {
            "mimetype": f"application/vnd.oasis.opendocument.{kind}".encode(),
            "content.xml": f"{text}</office:document-content>".encode(),
        }
        return packed(parts, zipfile.ZIP_STORED)

    return make


def repeated(columns: int, rows: int) -> Callable[[int], str]:
    cells = f'<table:table-cell table:number-columns-repeated="{columns}"><text:p>c</text:p></table:table-cell>'
    row = f'<table:table-row table:number-rows-repeated="{rows}">{cells}</table:table-row>'
    return lambda _: f'<table:table table:name="T">{row}</table:table>'


def epub(spine: Callable[[int], str], page: Callable[[int], str] = lambda _: "<p>The words.</p>") -> Maker:
    def make(n: int) -> bytes:
        root = '<rootfile full-path="o/c.opf" media-type="application/oebps-package+xml"/>'
        opf = (
            '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><manifest>'
            '<item id="a" href="a.xhtml" media-type="application/xhtml+xml"/>'
            f'<item id="out" href="../../../..{SECRET_PATH}" media-type="application/xhtml+xml"/>'
            f"</manifest><spine>{spine(n)}</spine></package>"
        )
        container = f'<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>{root}</rootfiles>'
        parts = {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": f"{container}</container>".encode(),
            "o/c.opf": opf.encode(),
            "o/a.xhtml": f"<html><body>{page(n)}</body></html>".encode(),
        }
        return packed(parts, zipfile.ZIP_STORED)

    return make


def with_part(make: Maker, name: str, part: Maker) -> Maker:
    """The file of `make` with one part in the place of its own."""

    def changed(n: int) -> bytes:
        with zipfile.ZipFile(BytesIO(make(n))) as archive:
            parts = {info.filename: archive.read(info) for info in archive.infolist()}
        return packed({**parts, name: part(n)})

    return changed

"""Makes files of the corpora in the five `.toml` beside it: markdown is written as the name asks for."""

from __future__ import annotations

import re
import tomllib
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from html import escape
from io import BytesIO
from pathlib import Path

import docx

HALVES = ("open", "held", "late", "fourth", "fifth")
_LINK = re.compile(r"\[([^\]]+)\]\(([^)]+)\)")
_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml"


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents and a question that takes several of them. `gold`: a regular expression that a right answer holds."""

    name: str
    kind: str
    language: str
    question: str
    gold: str
    files: dict[str, str]

    def write(self, folder: Path) -> None:
        """Write the documents below a folder."""
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_as_file(text.strip() + "\n", path.suffix))


def corpora(half: str) -> list[Corpus]:
    """Return the corpora of a half."""
    told = tomllib.loads(Path(__file__).with_name(f"{half}.toml").read_text("utf-8"))
    return [Corpus(**one) for one in told["corpus"]]


def _as_file(text: str, suffix: str) -> bytes:
    match suffix:
        case ".docx":
            return _docx(text)
        case ".xlsx":
            return _xlsx(_rows(text))
        case ".pdf":
            return _pdf(text)
        case ".html":
            return _html(text).encode()
        case ".eml":
            return _mail(text)
        case _:
            return text.encode()


def _blocks(text: str) -> Iterator[str]:
    yield from (block for block in re.split(r"\n\s*\n", text.strip()) if block.strip())


def _rows(block: str) -> list[list[str]]:
    lines = [
        line for line in block.strip().splitlines() if line.startswith("|") and not re.fullmatch(r"[|\-: ]+", line)
    ]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def _heading(block: str) -> tuple[int, str]:
    found = re.match(r"(#+)\s+(.*)", block)
    return (len(found[1]), found[2]) if found else (0, block)


def _docx(text: str) -> bytes:
    document = docx.Document()
    for block in _blocks(text):
        level, said = _heading(block)
        if level:
            document.add_heading(said, level)
        elif block.startswith("|"):
            rows = _rows(block)
            table = document.add_table(len(rows), len(rows[0]))
            for row, cells in zip(table.rows, rows, strict=True):
                for cell, words in zip(row.cells, cells, strict=True):
                    cell.text = words
        else:
            for line in block.splitlines():
                document.add_paragraph(line)
    out = BytesIO()
    document.save(out)
    return out.getvalue()


def _xlsx(rows: Sequence[Sequence[str]]) -> bytes:
    written = "".join(
        f'<row r="{number}">'
        + "".join(
            f'<c r="{chr(65 + place)}{number}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
            for place, cell in enumerate(cells)
        )
        + "</row>"
        for number, cells in enumerate(rows, 1)
    )
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        f'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_EXCEL}.sheet.main+xml"/>'
        f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_EXCEL}.worksheet+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_SHEET}" xmlns:r="{_RELATIONS}"><sheets><sheet name="Sheet1" '
        f'sheetId="1" r:id="r1"/></sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{_RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>',
        "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_SHEET}"><sheetData>{written}</sheetData></worksheet>',
    }
    out = BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data)
    return out.getvalue()


def _pdf(text: str) -> bytes:
    """Lay the lines on one page, in Latin letters, headings larger."""
    drawn, height = "", 760
    for block in _blocks(text):
        level, said = _heading(block)
        for line in said.splitlines():
            shown = line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
            drawn += f"BT /F1 {16 if level else 10} Tf 60 {height} Td ({shown}) Tj ET\n"
            height -= 16
        height -= 14
    stream = drawn.encode("latin-1")
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    out, places = b"%PDF-1.4\n", list[int]()
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%s%s" % (len(objects) + 1, table, trailer)


def _html(text: str) -> str:
    title, body = "", ""
    for block in _blocks(text):
        level, said = _heading(block)
        if level:
            title = title or said
            body += f"<h{level}>{escape(said)}</h{level}>"
        elif block.startswith("|"):
            rows = _rows(block)
            cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows[1:])
            head = "".join(f"<th>{escape(cell)}</th>" for cell in rows[0])
            body += f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
        else:
            linked = _LINK.sub(r'<a href="\2">\1</a>', escape(said, quote=False))
            body += f"<p>{linked}</p>"
    return f"<html><head><title>{escape(title)}</title></head><body><main>{body}</main></body></html>"


def _mail(text: str) -> bytes:
    """Write a mail; what stands below "---" is attached as the file that the field "Attachment" names."""
    head, _, body = text.partition("\n\n")
    words, _, attached = body.partition("\n---\n")
    fields = dict(line.split(": ", 1) for line in head.splitlines())
    name = fields.pop("Attachment", "")
    mail = EmailMessage()
    for field, value in fields.items():
        mail[field] = value
    mail["Message-ID"] = f"<{zlib.crc32(text.encode()):x}@walking.example>"
    mail.set_content(words)
    if name:
        kind = "vnd.openxmlformats-officedocument.spreadsheetml.sheet"
        mail.add_attachment(_as_file(attached, Path(name).suffix), maintype="application", subtype=kind, filename=name)
    return mail.as_bytes()

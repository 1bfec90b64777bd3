"""The clerk's files, made of the texts in `half_a.txt` and `half_b.txt`: what is binary is written here."""

from __future__ import annotations

import re
import subprocess
import zipfile
from collections.abc import Iterator
from html import escape
from pathlib import Path

from docx import Document

HERE = Path(__file__).parent
TEXT = frozenset({".md", ".csv", ".html", ".eml"})
OFFICE = "application/vnd.openxmlformats-officedocument."
NAMESPACE = "http://schemas.openxmlformats.org/{}/2006/{}"
_TYPES = (
    f'<Types xmlns="{NAMESPACE.format("package", "content-types")}">'
    f'<Default Extension="xml" ContentType="{OFFICE}spreadsheetml.sheet.main+xml"/>'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>{}</Types>'
)
_SHEET_TYPE = f'<Override PartName="/xl/worksheets/sheet{{}}.xml" ContentType="{OFFICE}spreadsheetml.worksheet+xml"/>'


def write_files(half: str, folder: Path, source: Path | None = None) -> None:
    """Write the files of a half, "a" or "b", into a folder; `source`: the file of their texts, if not this bench's own.

    Raises:
        FileNotFoundError: there is no LibreOffice, which makes the PDFs.
    """
    folder.mkdir(parents=True, exist_ok=True)
    to_pdf: list[Path] = []
    for name, text in texts(source or HERE / f"half_{half}.txt"):
        path = folder / name
        if path.suffix in TEXT:
            path.write_text(text, "utf-8")
        elif path.suffix == ".xlsx":
            _write_sheets(path, text)
        else:
            made = path.with_suffix(".docx")
            _write_document(made, text)
            to_pdf += [made] if path.suffix == ".pdf" else []
    if to_pdf:
        command = ["soffice", "--headless", "--convert-to", "pdf", "--outdir", str(folder), *map(str, to_pdf)]
        subprocess.run(command, check=True, capture_output=True, timeout=240)
    for made in to_pdf:
        made.unlink()


def texts(source: Path) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file that a file of texts holds."""
    parts = re.split(r"^=== (.+)\n", source.read_text("utf-8"), flags=re.MULTILINE)
    yield from zip(parts[1::2], parts[2::2], strict=True)


def _write_document(path: Path, text: str) -> None:
    """Write headings ("# …"), bold words ("**…**") and paragraphs."""
    document = Document()
    for line in text.strip().split("\n"):
        if heading := re.match(r"(#+) (.*)", line):
            document.add_heading(heading[2], len(heading[1]))
            continue
        paragraph = document.add_paragraph()
        for place, run in enumerate(line.split("**")):
            paragraph.add_run(run).bold = place % 2 == 1
    document.save(str(path))


def _write_sheets(path: Path, text: str) -> None:
    """Write the tables that follow each line "sheet: NAME"."""
    parts = re.split(r"^sheet: (.+)\n", text, flags=re.MULTILINE)
    sheets = list(zip(parts[1::2], parts[2::2], strict=True))
    main, office, package = (
        NAMESPACE.format(*names)
        for names in (("spreadsheetml", "main"), ("officeDocument", "relationships"), ("package", "relationships"))
    )
    places = range(1, len(sheets) + 1)
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{at}" r:id="r{at}"/>'
        for at, (name, _) in zip(places, sheets, strict=True)
    )
    related = "".join(
        f'<Relationship Id="r{at}" Type="{office}/worksheet" Target="worksheets/sheet{at}.xml"/>' for at in places
    )
    root = f'<Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/>'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _TYPES.format("".join(map(_SHEET_TYPE.format, places))))
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{package}">{root}</Relationships>')
        archive.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>{listed}</sheets></workbook>'
        )
        archive.writestr("xl/_rels/workbook.xml.rels", f'<Relationships xmlns="{package}">{related}</Relationships>')
        for at, (_, rows) in zip(places, sheets, strict=True):
            data = "".join(
                f"<row>{''.join(map(_cell, line.strip('| ').split('|')))}</row>" for line in rows.strip().split("\n")
            )
            archive.writestr(
                f"xl/worksheets/sheet{at}.xml", f'<worksheet xmlns="{main}"><sheetData>{data}</sheetData></worksheet>'
            )


def _cell(text: str) -> str:
    """Write a cell: a number as one, an empty one as none."""
    said = text.strip()
    if re.fullmatch(r"\d+(\.\d+)?", said):
        return f"<c><v>{said}</v></c>"
    return f'<c t="inlineStr"><is><t>{escape(said)}</t></is></c>' if said else "<c/>"

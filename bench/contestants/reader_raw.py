"""The parser alone, format by format: what it costs to get at the text, with no structure made of it."""

from __future__ import annotations

import csv
import email
import email.policy
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from zipfile import ZipFile

import docx
import olefile
import pptx
import pypdfium2
import python_calamine
from docutils.core import publish_doctree
from lxml import etree
from lxml import html as pages
from pyarrow import parquet
from reading_protocol import Reading, compete
from striprtf.striprtf import rtf_to_text


def pdf(path: str) -> str:
    with pypdfium2.PdfDocument(path) as file:
        return "\n".join(page.get_textpage().get_text_range() for page in file)


def docx_text(path: str) -> str:
    return "\n".join(paragraph.text for paragraph in docx.Document(path).paragraphs)


def pptx_text(path: str) -> str:
    shapes = [shape for slide in pptx.Presentation(path).slides for shape in slide.shapes]
    return "\n".join(shape.text_frame.text for shape in shapes if shape.has_text_frame)


def sheets(path: str) -> str:
    book = python_calamine.load_workbook(path)
    rows = [row for name in book.sheet_names for row in book.get_sheet_by_name(name).to_python()]
    return "\n".join(" ".join(map(str, row)) for row in rows)


def opendocument(path: str) -> str:
    with ZipFile(path) as file:
        return " ".join(etree.fromstring(file.read("content.xml")).itertext())


def markup(path: str) -> str:
    return pages.fromstring(Path(path).read_bytes()).text_content()


def epub(path: str) -> str:
    with ZipFile(path) as file:
        names = [name for name in file.namelist() if name.endswith(("html", "htm"))]
        return "\n".join(pages.fromstring(file.read(name)).text_content() for name in names)


def xml(path: str) -> str:
    return " ".join(etree.parse(path).getroot().itertext())


def mail(path: str) -> str:
    found = email.message_from_bytes(Path(path).read_bytes(), policy=email.policy.default).get_body(("plain", "html"))
    return found.get_content()


def outlook(path: str) -> str:
    with olefile.OleFileIO(path) as file:
        return file.openstream("__substg1.0_1000001F").read().decode("utf-16-le")


def rows(path: str) -> str:
    data = Path(path).read_bytes()
    text = data.decode("cp932") if "mskanji" in path else data.decode("utf-8")
    return "\n".join(
        " ".join(row) for row in csv.reader(text.splitlines(), delimiter="\t" if path.endswith("tsv") else ",")
    )


def lines(path: str) -> str:
    return "\n".join(str(json.loads(line)) for line in Path(path).read_text("utf-8").splitlines())


def base(path: str) -> str:
    with closing(sqlite3.connect(path)) as connection:
        return "\n".join(str(row) for row in connection.execute("SELECT * FROM abstracts"))


def packed(path: str) -> str:
    with ZipFile(path) as file:
        return str(sum(len(file.read(name)) for name in file.namelist()))


READERS = {
    "pdf": pdf,
    "docx": docx_text,
    "pptx": pptx_text,
    **dict.fromkeys(("xlsx", "xls", "ods"), sheets),
    **dict.fromkeys(("odt", "odp"), opendocument),
    "rtf": lambda path: rtf_to_text(Path(path).read_text("latin-1")),
    "html": markup,
    "epub": epub,
    "xml": xml,
    "eml": mail,
    "msg": outlook,
    **dict.fromkeys(("csv", "tsv"), rows),
    **dict.fromkeys(("json", "ipynb"), lambda path: str(json.loads(Path(path).read_text("utf-8")))),
    "jsonl": lines,
    "rst": lambda path: publish_doctree(Path(path).read_text("utf-8"), settings_overrides={"report_level": 5}).astext(),
    "parquet": lambda path: str(parquet.read_table(path).to_pylist()),
    "sqlite": base,
    "zip": packed,
}


def read(path: str, kind: str) -> Reading:
    return {"text": READERS[kind](path), "pages": 0, "boxed": 0, "chars": 0}


compete("bare parsers", read)

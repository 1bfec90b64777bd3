"""What stands in tables, records, notebooks, reStructuredText and archives."""

from __future__ import annotations

import csv
import json
import re
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import fields
from pathlib import Path
from zipfile import ZipFile

from bench.reading.truth import Heading, Truth, oracle

ENCODINGS = ("utf-8", "cp932", "cp1252")
RST_LINE = re.compile(r"^([=\-~`'^\"*+#:.])\1{2,}$")
RST_TARGET = re.compile(r"`[^`<]*<([a-z]+://[^>`]+)>`_")
RST_ROLE = re.compile(r":[\w:+-]+:`[~!]?\.?([^`<]*)(?:<[^>]*>)?`")


def decoded(data: bytes) -> str:
    for encoding in ENCODINGS:
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "replace")


def csv_rows(path: Path) -> Truth:
    """Rows by Python's own reader; the delimiter is the suffix's."""
    text = decoded(path.read_bytes())
    rows = list(csv.reader(text.splitlines(), delimiter="\t" if path.suffix == ".tsv" else ","))
    return Truth(text=text.replace("\t", " "), tables=[row for row in rows if any(row)], numeric=True)


def xls(path: Path) -> Truth:
    """Rows by xlrd."""
    import xlrd

    truth = Truth(numeric=True)
    with xlrd.open_workbook(path) as book:
        for sheet in book.sheets():
            rows = [[str(sheet.cell_value(y, x)) for x in range(sheet.ncols)] for y in range(sheet.nrows)]
            if rows := [row for row in rows if any(row)]:
                truth.headings.append(Heading(1, sheet.name))
                truth.tables += rows
                truth.text += "\n".join([sheet.name, *(" ".join(row) for row in rows), ""])
    return truth


def json_text(path: Path) -> Truth:
    """Every string and number that is a value."""
    return Truth(text="\n".join(leaves(json.loads(path.read_text("utf-8")))), spare=path.read_text("utf-8"))


def json_lines(path: Path) -> Truth:
    """As `json_text`, line by line."""
    lines = path.read_text("utf-8").splitlines()
    text = "\n".join(leaf for line in lines for leaf in leaves(json.loads(line)))
    return Truth(text=text, spare="\n".join(lines), ordered=False)


def leaves(node: object) -> list[str]:
    if isinstance(node, dict | list):
        return [leaf for part in (node.values() if isinstance(node, dict) else node) for leaf in leaves(part)]
    return [] if node is None else [str(node)]


def notebook(path: Path) -> Truth:
    """Cells of text, of code, and what code printed."""
    truth = Truth()
    for cell in json.loads(path.read_text("utf-8"))["cells"]:
        source = "".join(cell["source"])
        truth.text += source + "\n"
        if cell["cell_type"] == "markdown":
            found = re.findall(r"^(#+) +(.+)$", source, re.M)
            truth.headings += [Heading(len(marks), title) for marks, title in found]
            truth.links += re.findall(r"\]\((https?://[^)\s]+)", source)
        elif cell["cell_type"] == "code" and source.strip():
            truth.code.append(source)
        for out in cell.get("outputs", []):
            shown = out.get("text") or out.get("data", {}).get("text/plain") or []
            truth.text += "".join(shown) + "\n"
    return truth


def rst(path: Path) -> Truth:
    """Titles by their underlines, in the order in which these are met; code blocks; links; words outside directives."""
    lines = path.read_text("utf-8").splitlines()
    truth, order = Truth(), []
    for before, line, under in zip(["", *lines], lines, [*lines[1:], ""], strict=False):
        if (
            line
            and line[0] not in " .+="
            and not line.endswith("|")
            and RST_LINE.match(under)
            and len(under) >= len(line.rstrip())
        ):
            mark = (under[0], before == under)
            order += [] if mark in order else [mark]
            truth.headings.append(Heading(order.index(mark) + 1, RST_ROLE.sub(r"\1", line)))
    kept = [line for line in lines if not line.startswith((".. ", "   :")) and not RST_LINE.match(line)]
    truth.text = RST_ROLE.sub(r"\1", RST_TARGET.sub(" ", "\n".join(kept)))
    truth.spare = "\n".join(lines)
    truth.links = RST_TARGET.findall("\n".join(lines))
    truth.code = rst_code(lines)
    return truth


def rst_code(lines: list[str]) -> list[str]:
    """The indented blocks after a code directive or after a paragraph that ends in two colons."""
    found, block, within = [], [], False
    for line in [*lines, "end"]:
        if within and (not line.strip() or line.startswith(" ")):
            block.append(line.strip())
            continue
        if within and (text := "\n".join(row for row in block if row and not row.startswith(":"))):
            found.append(text)
        block, within = [], line.startswith((".. code", ".. sourcecode")) or (line.endswith("::") and line[:2] != "..")
    return found


def parquet(path: Path) -> Truth:
    """The words of every text column."""
    import pyarrow.parquet

    table = pyarrow.parquet.read_table(path)
    texts = [column.to_pylist() for column in table.columns if str(column.type) in ("string", "large_string")]
    return Truth(
        text="\n".join(str(v) for row in zip(*texts, strict=True) for v in row if v is not None), ordered=False
    )


def sqlite(path: Path) -> Truth:
    """Every table's name as a heading, its rows."""
    truth = Truth(ordered=False, numeric=True)
    with closing(sqlite3.connect(path)) as base:
        for (name,) in base.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            rows = [[str(v) for v in row if v is not None] for row in base.execute(f'SELECT * FROM "{name}"')]  # noqa: S608
            truth.headings.append(Heading(1, name))
            truth.tables += rows
            truth.text += "\n".join([name, *(" ".join(row) for row in rows), ""])
    return truth


def zip_members(path: Path) -> Truth:
    """What stands in all members whose format has an oracle."""
    whole = Truth()
    with tempfile.TemporaryDirectory() as folder, ZipFile(path) as archive:
        for name in sorted(archive.namelist()):
            kind = name.rpartition(".")[2]
            if kind not in ("docx", "pptx", "xlsx", "html"):
                continue
            member = oracle(kind)(Path(archive.extract(name, folder)))
            for part in fields(Truth):
                value = getattr(whole, part.name)
                if part.name in ("text", "spare"):
                    setattr(whole, part.name, value + "\n" + getattr(member, part.name))
                elif part.name not in ("ordered", "numeric"):
                    setattr(whole, part.name, value + getattr(member, part.name))
    whole.ordered, whole.numeric = False, True
    return whole

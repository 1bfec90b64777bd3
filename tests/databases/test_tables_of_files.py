"""Tables in Office files, pages and PDFs are asked, and every value opens where it stands: a cell, or whole rows."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from itertools import pairwise
from pathlib import Path

import docx
import pytest

from load.packing import xlsx
from load.samples import pdf_file
from rove import Rove, Text
from rove.models.fake import FakeEmbedder
from rove.records.sql import SqlReply

HEADER = ("Name", "Site", "Salary")
ROWS = (("Ann Lee", "Oslo", "52000"), ("Bo Ek", "Bergen", "61500"), ("Cy Dahl", "Oslo", "48250"))


def sheet() -> bytes:
    def inline(place: str, text: str) -> str:
        number = text.isdigit()
        value = f"<v>{text}</v>" if number else f"<is><t>{text}</t></is>"
        kind = "n" if number else "inlineStr"
        return f'<c r="{place}" t="{kind}">{value}</c>'

    rows = "".join(
        f'<row r="{at}">' + "".join(inline("ABC"[c] + str(at), text) for c, text in enumerate(row)) + "</row>"
        for at, row in enumerate((HEADER, *ROWS), 1)
    )
    return xlsx(lambda _: rows)(1)


def page() -> bytes:
    cells = "".join(f"<tr>{''.join(f'<td>{text}</td>' for text in row)}</tr>" for row in ROWS)
    head = "".join(f"<th>{text}</th>" for text in HEADER)
    around = "<p>The staff is listed by the office of the town, which keeps the list up to date every month.</p>"
    return f"<html><body><h1>Staff</h1>{around}<table><tr>{head}</tr>{cells}</table></body></html>".encode()


def letter() -> bytes:
    word = docx.Document()
    word.add_heading("Staff", 1)
    word.add_paragraph("The staff is listed here.")
    table = word.add_table(rows=1 + len(ROWS), cols=len(HEADER))
    for cell, text in zip((c for row in table.rows for c in row.cells), sum((HEADER, *ROWS), ()), strict=True):
        cell.text = text
    out = BytesIO()
    word.save(out)
    return out.getvalue()


def printed() -> bytes:
    rows = [(72.0 + 150 * column, 700.0 - 16 * at, 11, text)
            for at, row in enumerate((HEADER, *ROWS)) for column, text in enumerate(row)]  # fmt: skip
    return pdf_file([[(72.0, 760.0, 18.0, "Staff"), (72.0, 730.0, 11.0, "The staff is listed here."), *rows]])


FILES: dict[str, Callable[[], bytes]] = {"xlsx": sheet, "html": page, "docx": letter, "pdf": printed}


@pytest.fixture(params=FILES)
def kb(request: pytest.FixtureRequest, tmp_path: Path) -> Rove:
    file = tmp_path / f"staff.{request.param}"
    file.write_bytes(FILES[request.param]())
    kb = Rove.open(tmp_path / "kb", embedder=FakeEmbedder())
    report = kb.add(file, Text("The canteen opens at noon.", id="other"))
    assert not report.failed
    return kb


def quoted(kb: Rove, reply: SqlReply) -> dict[tuple[int, int], list[str]]:
    """The words of the documents that each cell of a result is cited by."""
    found: dict[tuple[int, int], list[str]] = {}
    for cell in reply.cells:
        text = kb.text(cell.document_id)
        found.setdefault((cell.row, cell.column), []).append(text[slice(*cell.span)])
    return found


def test_each_cell_opens_in_its_file(kb: Rove) -> None:
    with kb:
        reply = kb.ask_tables("Show the name and salary")
        assert reply.rows == tuple((name, salary) for name, _, salary in ROWS)
        shown = {(at, column): [text] for at, row in enumerate(reply.rows) for column, text in enumerate(row)}
        assert quoted(kb, reply) == shown


def test_a_number_and_its_groups_are_cited_by_their_cells(kb: Rove) -> None:
    with kb:
        reply = kb.ask_tables("What is the average salary in Oslo?")
        assert reply.rows == (("50125",),)
        assert quoted(kb, reply) == {(0, 0): ["52000", "48250"]}
        groups = kb.ask_tables("What is the average salary for each site?")
        assert sorted(groups.rows) == [("Bergen", "61500"), ("Oslo", "50125")]
        at = groups.rows.index(("Oslo", "50125"))
        found = quoted(kb, groups)
        assert (found[at, 0], found[at, 1]) == (["Oslo"], ["52000", "48250"])
        assert (found[1 - at, 0], found[1 - at, 1]) == (["Bergen"], ["61500"])


def test_a_count_of_groups_is_cited_by_whole_rows(kb: Rove) -> None:
    with kb:
        reply = kb.ask_tables("Show the number of rows for each site")
        assert sorted(reply.rows) == [("Bergen", "1"), ("Oslo", "2")]
        lines = quoted(kb, reply)[reply.rows.index(("Oslo", "2")), 1]
        assert len(lines) == 2
        for line, row in zip(lines, (ROWS[0], ROWS[2]), strict=True):
            assert line.startswith("|")
            assert "\n" not in line
            places = [line.index(text) for text in row]
            assert all(one < other for one, other in pairwise(places))

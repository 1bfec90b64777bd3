from __future__ import annotations

from pathlib import Path

import pytest

from load.samples import source, zip_file
from load.samples_data import workbook
from rove.errors import InputError
from rove.load import LOADERS
from rove.load.discover import load_documents, locate, read_place
from rove.load.sheets import sheet
from rove.load.sheets.header import find_header
from rove.load.sheets.sheet import Row, Sheet
from rove.load.sheets.table_areas import find_tables
from rove.records import Document

SALES = """\
# Umsätze 売上

Bericht 2024

| Region | 2023 (Mio. €) | 2024 (Mio. €) | Anteil (%) |
| --- | --- | --- | --- |
| [Győr](https://example.org/gyor) | 1.5 | 2.3 | 25.6% |
| München | 3.0 | 4.0 | 50.0% |
| 北京 | 5.0 | 6.0 | 10.0% |
| Total | 9.5 | 12.25 |  |

| Name | Datum |
| --- | --- |
| Anna | 2024-03-31 |
| Béla | 2024-04-01 12:30:00 |
"""
WORKBOOK = (
    '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="S" sheetId="1" r:id="rId1"/></sheets></workbook>'
)
RELATIONS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/>'
    '<Relationship Id="rId2" Type="http://x/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
)
SPREADSHEET = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def load(kind: str, data: bytes) -> Document:
    [document] = load_documents(source(kind, data))
    return document


def made(cells: str, strings: str = "", before: str = "") -> bytes:
    parts = {
        "xl/workbook.xml": WORKBOOK,
        "xl/_rels/workbook.xml.rels": RELATIONS,
        "xl/sharedStrings.xml": f"<sst {SPREADSHEET}>{strings}</sst>",
        "xl/worksheets/sheet1.xml": f"{before}<worksheet {SPREADSHEET}><sheetData>{cells}</sheetData></worksheet>",
    }
    return zip_file({name: text.encode() for name, text in parts.items()})


def grid(*rows: str) -> Sheet:
    """A sheet drawn as text: a column of cells apart by |, blank where nothing stands."""
    cells: dict[int, Row] = {}
    for number, line in enumerate(rows):
        if row := {column: text.strip() for column, text in enumerate(line.split("|")) if text.strip()}:
            cells[number] = row
    return Sheet("S", cells)


def tables(*rows: str) -> list[tuple[list[str], list[list[str]]]]:
    found = find_tables(grid(*rows).rows, {})
    return [(table.headed.header, table.rows[table.headed.start :]) for table in found]


@pytest.mark.parametrize("kind", ["xlsx", "xls", "ods"])
def test_one_workbook_reads_the_same_in_three_formats(kind: str) -> None:
    document = load(kind, workbook(kind))
    assert document.text.startswith(SALES)
    assert "> Comment" in document.text
    assert "B5 “1.5”: Bitte prüfen" in document.text
    assert "| Name | 2023 Q1 | 2023 Q2 |" in document.text
    assert document.metadata["hidden_sheets"] == ("versteckt",)
    assert [s.title for s in document.sections] == ["Umsätze 売上", "versteckt"]
    first = document.blocks[0]
    assert first.caption == "Bericht 2024"
    assert document.text[slice(*first.span)].startswith("| Region |")
    assert document.text[slice(*first.span)].endswith("| 12.25 |  |")


@pytest.mark.data
@pytest.mark.parametrize("suffix", ["xlsx", "xls"])
def test_a_real_workbook(suffix: str, shared_data: Path) -> None:
    folder = shared_data / "files/markitdown/packages/markitdown/tests/test_files"
    [document] = load_documents(read_place(locate([folder / f"test.{suffix}"])[0]))
    assert document.text.count("\n| ") == 31
    for text in ("| Alpha | Beta | Gamma | Delta |", "6ff4173b-42a5-4784-9b19-f49caff4d93d", "# 09060124"):
        assert text in document.text


def test_readings_over_japanese_text_are_left_out() -> None:
    strings = "<si><t>東京</t><rPh><t>トウキョウ</t></rPh></si><si><r><t>a</t></r><r><t>b_x000D_</t></r></si>"
    cells = '<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row><row><c><v>1</v></c><c t="b"><v>1</v></c></row>'
    assert load("xlsx", made(cells, strings)).text == "# S\n\n| 東京 | ab |\n| --- | --- |\n| 1 | TRUE |\n"


def test_cells_without_places_and_values_without_formats() -> None:
    cells = '<row><c t="inlineStr"><is><t>kör</t></is></c><c t="str"><v>x</v></c></row>'
    cells += '<row r="2"><c r="B2"><v>0.30000000000000004</v></c></row>'
    assert load("xlsx", made(cells)).text.endswith("| kör | x |\n| --- | --- |\n|  | 0.3 |\n")


def test_entities_are_not_resolved() -> None:
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b SYSTEM "file:///etc/passwd">]>'
    cells = '<row><c t="inlineStr"><is><t>see &a;&b; this</t></is></c></row>'
    text = load("xlsx", made(cells, before=bomb)).text
    assert "aaa" not in text
    assert "root:" not in text


def test_damage_after_the_first_rows_is_partial() -> None:
    data = made("<row><c><v>1</v></c><c><v>2</v></c></row><row><c><v>3</v></c></row><oops")
    found: list[Document] = []
    with pytest.raises(InputError) as caught:
        found.extend(load_documents(source("xlsx", data)))
    with pytest.raises(InputError):
        for document in load_documents(source("xlsx", data)):
            found.append(document)  # noqa: PERF402 - what came before the error is what is looked at
    assert "| 1 | 2 |" in found[0].text
    assert caught.value.outcome == "partial"
    assert "sheet 'S'" in str(caught.value)


def test_too_many_cells_are_partial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sheet.CellBudget.__init__, "__defaults__", (10,))
    rows = "".join(f"<row><c><v>{n}</v></c><c><v>{n}</v></c></row>" for n in range(100))
    stream = load_documents(source("xlsx", made(rows)))
    assert next(stream).text.count("\n| ") == 7
    with pytest.raises(InputError, match="cells"):
        next(stream)


def test_two_cells_far_apart_make_no_huge_table() -> None:
    data = made('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>')
    assert load("xlsx", data).text == "# S\n\n1\n\n2\n"


def test_a_diagonal_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rove.load.sheets.table_areas.MAX_RECTANGLE", 2000)
    wide = Sheet("S", {n: {n: "x", 0: "y"} for n in range(200)})
    [table] = find_tables(wide.rows, {})
    assert table.cut
    assert sum(map(len, table.rows)) <= 2000


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
def test_an_encrypted_workbook_says_so(kind: str) -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")
    if kind == "ods":
        data = zip_file({"META-INF/manifest.xml": b"<manifest:encryption-data/>", "content.xml": b"\1\2"})
    with pytest.raises(InputError) as caught:
        list(LOADERS.get(kind)().load(source(kind, data)))
    assert caught.value.outcome == "encrypted"


def test_tables_apart_by_blank_rows_and_columns() -> None:
    found = tables("név|ár||város|fő", "kör|1||Győr|130", "négyzet|2||Pécs|140", "", "név|db", "x|3")
    assert found == [
        (["név", "ár"], [["kör", "1"], ["négyzet", "2"]]),
        (["város", "fő"], [["Győr", "130"], ["Pécs", "140"]]),
        (["név", "db"], [["x", "3"]]),
    ]


def test_a_blank_row_or_column_within_a_table_does_not_part_it() -> None:
    assert tables("név|ár", "kör|1", "", "négyzet|2") == [(["név", "ár"], [["kör", "1"], ["négyzet", "2"]])]
    assert tables("Region||2023||2024", "Nord||1||2", "Süd||3||4") == [
        (["Region", "", "2023", "", "2024"], [["Nord", "", "1", "", "2"], ["Süd", "", "3", "", "4"]])
    ]


@pytest.mark.parametrize(
    ("rows", "header", "start"),
    [
        ([["年", "売上"], ["", "百万円"], ["2023", "12"]], ["年", "売上 (百万円)"], 2),
        ([["名称", "价格"], ["", "(元)"], ["甲", "3.5"]], ["名称", "价格 (元)"], 2),
        ([["Region", "2023", "2024"], ["Nord", "1.5", "2"]], ["Region", "2023", "2024"], 1),
        ([["a", "b"], ["x", "y"]], ["a", "b"], 1),
        ([["1", "b"], ["2", "y"]], [], 0),
        ([["2024-01-01", "b"], ["2024-01-02", "y"]], [], 0),
    ],
)
def test_headers_and_units(rows: list[list[str]], header: list[str], start: int) -> None:
    found = find_header(rows)
    assert (found.header, found.start) == (header, start)


def test_groups_that_are_merged_down_and_formulas_that_nobody_worked_out() -> None:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"

    def relations(kind: str, target: str) -> bytes:
        one = f'<Relationship Id="r1" Type="{relation}/{kind}" Target="{target}"/>'
        return f'<Relationships xmlns="{package}">{one}</Relationships>'.encode()

    def cell(value: str) -> str:
        if value.startswith("="):
            return f"<c><f>{value[1:]}</f><v/></c>"
        return f"<c><v>{value}</v></c>" if value.isdigit() else f'<c t="inlineStr"><is><t>{value}</t></is></c>'

    rows = (("Region", "Dienst", "Preis"), ("Nord", "Öl", "10"), ("", "Pumpe", "=C2*2"), ("Süd", "Öl", "30"))
    cells = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
    merged = '<mergeCells><mergeCell ref="A2:A3"/></mergeCells>'
    sheets = f'<sheets><sheet name="S" sheetId="1" r:id="r1" xmlns:r="{relation}"/></sheets>'
    files = {
        "_rels/.rels": relations("officeDocument", "xl/workbook.xml"),
        "xl/workbook.xml": f'<workbook xmlns="{space}">{sheets}</workbook>'.encode(),
        "xl/_rels/workbook.xml.rels": relations("worksheet", "worksheets/sheet1.xml"),
        "xl/worksheets/sheet1.xml": (
            f'<worksheet xmlns="{space}"><sheetData>{cells}</sheetData>{merged}</worksheet>'.encode()
        ),
    }
    [document] = load_documents(source("xlsx", zip_file(files), "preise.xlsx"))
    assert "| Nord | Öl | 10 |\n| Nord | Pumpe | =C2*2 |\n| Süd | Öl | 30 |" in document.text


def test_groups_that_are_merged_down_in_ods() -> None:
    def cell(text: str, down: int = 1) -> str:
        spans = f' table:number-rows-spanned="{down}" table:number-columns-spanned="1"' if down > 1 else ""
        return f"<table:table-cell{spans}><text:p>{text}</text:p></table:table-cell>"

    covered = "<table:covered-table-cell/>"
    rows = [
        [cell("Region"), cell("Dienst"), cell("Preis")],
        [cell("Nord", 3), cell("Öl"), cell("10", 2)],
        [covered, cell("Pumpe"), covered],
        [covered, cell("Filter"), cell("12")],
        [cell("Süd"), cell("Öl"), cell("30")],
    ]
    table = "".join(f"<table:table-row>{''.join(row)}</table:table-row>" for row in rows)
    name = "urn:oasis:names:tc:opendocument:xmlns:"
    content = (
        f'<office:document-content xmlns:office="{name}office:1.0" xmlns:table="{name}table:1.0" '
        f'xmlns:text="{name}text:1.0"><office:body><office:spreadsheet><table:table table:name="S">{table}'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    files = {"mimetype": b"application/vnd.oasis.opendocument.spreadsheet", "content.xml": content.encode()}
    [document] = load_documents(source("ods", zip_file(files), "preise.ods"))
    assert "| Nord | Öl | 10 |\n| Nord | Pumpe |  |\n| Nord | Filter | 12 |\n| Süd | Öl | 30 |" in document.text


def test_the_printed_head_and_foot_and_text_boxes_of_a_sheet() -> None:
    space = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    relation = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    drawing = "http://schemas.openxmlformats.org/drawingml/2006/"

    def relations(*targets: tuple[str, str]) -> bytes:
        all_of = (
            f'<Relationship Id="r{n}" Type="{relation}/{k}" Target="{t}"/>' for n, (k, t) in enumerate(targets, 1)
        )
        return f'<Relationships xmlns="{package}">{"".join(all_of)}</Relationships>'.encode()

    box = "<a:p><a:r><a:rPr/><a:t>Freigabe durch</a:t></a:r></a:p><a:p><a:r><a:t>Frau Weiß</a:t></a:r></a:p>"
    files = {
        "_rels/.rels": relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": (
            f'<workbook xmlns="{space}"><sheets><sheet name="S" sheetId="1" r:id="r1" xmlns:r="{relation}"/></sheets>'
            "</workbook>"
        ).encode(),
        "xl/_rels/workbook.xml.rels": relations(("worksheet", "worksheets/sheet1.xml")),
        "xl/worksheets/sheet1.xml": (
            f'<worksheet xmlns="{space}"><sheetData><row><c><v>7</v></c><c><v>8</v></c></row></sheetData><headerFooter>'
            '<oddHeader>&amp;L&amp;"Arial,Bold"&amp;14Bükk &amp;&amp; Söhne Kft.&amp;RAngebot AN-7712</oddHeader>'
            "<oddFooter>&amp;CSeite &amp;P von &amp;N&amp;RKonto SZ-55</oddFooter></headerFooter></worksheet>"
        ).encode(),
        "xl/worksheets/_rels/sheet1.xml.rels": relations(("drawing", "../drawings/drawing1.xml")),
        "xl/drawings/drawing1.xml": (
            f'<xdr:wsDr xmlns:xdr="{drawing}spreadsheetDrawing" xmlns:a="{drawing}main"><xdr:sp><xdr:txBody>{box}'
            "</xdr:txBody></xdr:sp></xdr:wsDr>"
        ).encode(),
    }
    [document] = load_documents(source("xlsx", zip_file(files), "angebot.xlsx"))
    assert document.text.startswith("# S\n\nBükk & Söhne Kft.\n\nAngebot AN-7712\n\n")
    assert document.text.endswith("\n\nKonto SZ-55\n\nFreigabe durch Frau Weiß\n")
    assert "Seite" not in document.text

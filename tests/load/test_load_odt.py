from __future__ import annotations

import pytest
from tests.cpu_time import at_most

from load.samples import PARAGRAPHS, source, zip_file
from load.samples_office import odf_file, odt_sample
from rove.errors import InputError
from rove.load.office.odf.odt import OdtLoader
from rove.records import Document

STYLES = (
    '<style:style style:name="Caption"/><style:style style:name="Table" style:parent-style-name="Caption"/>'
    '<style:style style:name="Preformatted_20_Text" style:display-name="Preformatted Text"/>'
    '<style:style style:name="Title"/><style:style style:name="Hidden"><style:text-properties '
    'text:display="none"/></style:style>'
    '<text:outline-style><text:outline-level-style text:level="1" style:num-format="I" style:num-suffix="."/>'
    '<text:outline-level-style text:level="2" style:num-format="1" text:display-levels="1"/></text:outline-style>'
    '<text:list-style style:name="L"><text:list-level-style-number text:level="1" style:num-format="1" '
    'style:num-suffix="." text:start-value="3"/><text:list-level-style-number text:level="2" style:num-format="a" '
    'style:num-prefix="(" style:num-suffix=")"/></text:list-style>'
)


def load(data: bytes, kind: str = "odt") -> Document:
    [document] = OdtLoader().load(source(kind, data, f"file.{kind}"))
    return document


def outcome(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        load(data)
    assert caught.value.cure
    return caught.value.outcome


def test_paragraphs_and_what_the_file_says_of_itself() -> None:
    document = load(odt_sample())
    assert document.text == "\n\n".join(f"## Teil {code}\n\n{text}" for code, text in PARAGRAPHS.items())
    assert document.title == "Gyűjtemény"
    assert document.metadata == {"author": "Kovács Éva", "keywords": ("kör", "数"), "created": "2024-03-01T10:00:00"}


def test_headings_and_lists_are_numbered_as_the_reader_sees_them() -> None:
    body = (
        '<text:h text:outline-level="1">Erstens</text:h><text:h text:outline-level="2">Első</text:h>'
        '<text:h text:outline-level="1" text:is-list-header="true">Ohne Nummer</text:h>'
        '<text:list text:style-name="L"><text:list-item><text:p>három</text:p><text:list><text:list-item>'
        "<text:p>a</text:p></text:list-item><text:list-item><text:p>b</text:p></text:list-item></text:list>"
        "</text:list-item><text:list-item><text:p>négy</text:p><text:p>dazu</text:p></text:list-item></text:list>"
        "<text:list><text:list-item><text:p>pont</text:p></text:list-item></text:list>"
    )
    assert load(odf_file("text", body, styles=STYLES)).text == (
        "# I. Erstens\n\n## 1 Első\n\n# Ohne Nummer\n\n3. három\n  - (a) a\n  - (b) b\n4. négy\n\ndazu\n\n- pont"
    )


def test_inline_marks_notes_comments_links_and_changes() -> None:
    body = (
        "<text:tracked-changes><text:changed-region><text:p>weg</text:p></text:changed-region></text:tracked-changes>"
        '<text:p>Szó<text:s text:c="3"/>köz<text:note><text:note-citation>i</text:note-citation><text:note-body>'
        "<text:p>Lábjegyzet.</text:p></text:note-body></text:note><text:line-break/>"
        '<text:a xlink:href="https://example.org/x">itt</text:a> <text:a xlink:href="#top">oben</text:a>'
        "<office:annotation><dc:creator>Ágnes</dc:creator><text:p>Stimmt das?</text:p></office:annotation>"
        '<text:span text:style-name="Hidden">geheim</text:span> <text:ruby><text:ruby-base>東京</text:ruby-base>'
        "<text:ruby-text>とうきょう</text:ruby-text></text:ruby></text:p><text:p>Ende</text:p>"
    )
    assert load(odf_file("text", body, styles=STYLES)).text == (
        "Szó   köz[^1]\n[itt](https://example.org/x) oben 東京\n\n> Comment (Ágnes): Stimmt "
        "das?\n\nEnde\n\n[^1]: Lábjegyzet."
    )


def test_tables_frames_captions_and_code() -> None:
    row = "<table:table-row>{}</table:table-row>"
    cell = "<table:table-cell{1}><text:p>{0}</text:p></table:table-cell>"
    first = row.format(cell.format("Stadt", "") + cell.format("数", ""))
    head = f"<table:table-header-rows>{first}</table:table-header-rows>"
    wide = cell.format("beide", ' table:number-columns-spanned="2"') + "<table:covered-table-cell/>"
    body = (
        f'<text:p text:style-name="Table">Tabelle 1: Orte</text:p><table:table>{head}{row.format(wide)}</table:table>'
        '<text:p text:style-name="Table"><draw:frame draw:name="B"><draw:image xlink:href="Pictures/a.png"/>'
        "</draw:frame>1. ábra: kör</text:p>"
        '<text:p text:style-name="Preformatted_20_Text">def f():</text:p>'
        '<text:p text:style-name="Preformatted_20_Text"><text:s text:c="4"/>pass</text:p>'
        "<text:p>vor<draw:frame><draw:text-box><text:p>im Kasten</text:p></draw:text-box></draw:frame></text:p>"
        '<text:p>siehe <draw:frame><draw:image xlink:href="Pictures/b.jpg"/><svg:desc>Ein '
        "Hund</svg:desc></draw:frame></text:p>"
    )
    document = load(odf_file("text", body, styles=STYLES))
    assert document.text == (
        "Tabelle 1: Orte\n\n| Stadt | 数 |\n| --- | --- |\n| beide |  |\n\n![1. ábra: kör](a.png)\n\n1. ábra: kör\n\n"
        "```\ndef f():\n    pass\n```\n\nvor\n\nim Kasten\n\nsiehe ![Ein Hund](b.jpg)"
    )
    assert [(b.kind, b.caption) for b in document.blocks] == [("table", "Tabelle 1: Orte"), ("image", "1. ábra: kör")]


def test_formulas_become_latex() -> None:
    limits = "<mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi>"
    formulas = {
        "<mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><msqrt><mi>β</mi></msqrt></mfrac>": (
            r"\frac{a+1}{\sqrt{\beta}}"
        ),
        f"<munderover><mo>∑</mo>{limits}</munderover><msup><mi>x</mi><mn>2</mn></msup>": r"\sum_{i=1}^nx^2",
        "<mrow><mo>(</mo><mfrac><mn>1</mn><mn>2</mn></mfrac><mo>)</mo></mrow>": r"\left( \frac{1}{2} \right)",
        "<mi>sin</mi><mi>θ</mi><mo>≤</mo><mtext>Maß</mtext>": r"\sin \theta \leq \text{Maß}",
        "<mover><mi>v</mi><mo>→</mo></mover>": r"\vec{v}",
    }
    for mathml, latex in formulas.items():
        part = f'<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow>{mathml}</mrow></semantics></math>'
        frame = '<draw:frame><draw:object xlink:href="./Object 1"/><draw:image xlink:href="x"/></draw:frame>'
        body = f"<text:p>{frame}</text:p><text:p>ahol {frame} áll</text:p>"
        document = load(odf_file("text", body, parts={"Object 1/content.xml": part}))
        assert document.text == f"$${latex}$$\n\nahol ${latex}$ áll"


def test_charts_become_tables() -> None:
    cells = "".join(
        f"<table:table-row>{''.join(f'<table:table-cell><text:p>{text}</text:p></table:table-cell>' for text in row)}"
        "</table:table-row>"
        for row in (("", "2023"), ("Bp", "8.2"))
    )
    chart = (
        "<office:document-content {names}><office:body><office:chart><chart:chart><chart:title><text:p>Bevétel</text:p>"
        f"</chart:title><table:table>{cells}</table:table></chart:chart></office:chart></office:body>"
        f"</office:document-content>"
    )
    body = '<text:p><draw:frame><draw:object xlink:href="./Object 2"/></draw:frame></text:p>'
    document = load(odf_file("text", body, parts={"Object 2/content.xml": chart}))
    assert document.text == "Bevétel\n\n|  | 2023 |\n| --- | --- |\n| Bp | 8.2 |"
    assert document.blocks[0].caption == "Bevétel"


def test_pages_where_the_file_names_them() -> None:
    row = "<table:table-row><table:table-cell><text:p>{}</text:p></table:table-cell></table:table-row>"
    body = (
        "<text:p>egy<text:soft-page-break/> kettő</text:p><table:table>"
        f"{row.format('a')}<text:soft-page-break/>{row.format('b')}</table:table><text:soft-page-break/>"
        f"<text:p>négy</text:p>"
    )
    document = load(odf_file("text", body))
    assert [document.text[p.span[0] : p.span[1]] for p in document.pages] == [
        "egy", " kettő\n\n| a |\n| --- |", "| b |", "négy",
    ]  # fmt: skip


def test_repeated_cells_rows_and_spaces_are_bounded() -> None:
    many = 'table:number-columns-repeated="1000000000"'
    body = (
        f'<table:table><table:table-row table:number-rows-repeated="1000000000"><table:table-cell><text:p>a</text:p>'
        f"</table:table-cell><table:table-cell {many}/></table:table-row><table:table-row table:number-rows-repeated="
        f'"1000000000"><table:table-cell {many}/></table:table-row></table:table><text:p>x<text:s '
        f'text:c="1000000000"/>y</text:p>'
    )
    with at_most(2):
        text = load(odf_file("text", body)).text
    assert len(text) < 1000


def test_what_cannot_be_read() -> None:
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry>'
        "<manifest:encryption-data/></manifest:file-entry></manifest:manifest>"
    )
    assert outcome(odf_file("text", "<text:p>x</text:p>", parts={"META-INF/manifest.xml": manifest})) == "encrypted"
    assert outcome(zip_file({"mimetype": b"application/vnd.oasis.opendocument.text"})) == "damaged"
    assert outcome(odf_file("presentation", "")) == "damaged"
    assert outcome(odf_file("text", "<text:p>")) == "damaged"
    assert outcome(odf_file("text", "")) == "empty"
    assert outcome(odf_file("text", "<text:section>" * 400 + "x" + "</text:section>" * 400)) == "damaged"


def test_a_damaged_part_is_named_and_the_rest_is_read() -> None:
    loader = OdtLoader().load(source("odt", odf_file("text", "<text:p>egész</text:p>", styles="<x>"), "file.odt"))
    assert next(loader).text == "egész"
    with pytest.raises(InputError, match=r"styles\.xml") as caught:
        next(loader)
    assert caught.value.outcome == "partial"

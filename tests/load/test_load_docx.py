from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path

import docx
import pytest
from tests.cpu_time import at_most

from load.samples import PARAGRAPHS, docx_file, source, zip_file
from load.samples_office import NAMES, W_NUMBERING, W_STYLES, relations, w_field, w_list, w_p, w_table, word_file
from rove.errors import InputError
from rove.load.container import ENCRYPTED_MARK
from rove.load.discover import load_documents
from rove.load.office.docx.loader import DocxLoader
from rove.load.text import OLE_MAGIC
from rove.records import Document


def load(data: bytes) -> Document:
    [document] = DocxLoader().load(source("docx", data, "file.docx"))
    return document


def outcome(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        load(data)
    assert caught.value.cure
    return caught.value.outcome


def test_everything_comes_in_document_order() -> None:
    document = load(docx_file())
    body = "\n\n".join(f"## Teil {code}\n\n{text}" for code, text in PARAGRAPHS.items())
    assert document.text == (
        f"# Gyűjtemény 文集\n\n{body}\n\n- első\n- zweites\n\n"
        "| a\\|b | 数 |\n| --- | --- |\n| 1 | 2 |\n\nAfter the table."
    )
    assert document.title == "Gyűjtemény 文集"
    assert [s.title for s in document.sections][1:] == [f"Teil {code}" for code in PARAGRAPHS]


def test_the_title_of_the_properties_comes_first() -> None:
    word = docx.Document()
    word.add_paragraph("Text.")
    word.core_properties.title = "Von den Eigenschaften"
    out = BytesIO()
    word.save(out)
    assert load(out.getvalue()).title == "Von den Eigenschaften"


def test_containers_that_cannot_be_read() -> None:
    assert outcome(OLE_MAGIC + b"\0" * 500 + ENCRYPTED_MARK) == "encrypted"
    assert outcome(OLE_MAGIC + b"\0" * 500) == "unsupported"
    assert outcome(b"PK\x03\x04 not a zip") == "damaged"
    assert outcome(zip_file({"a.txt": b"x"})) == "damaged"
    assert outcome(zip_file({"word/document.xml": b"<w:document"})) == "damaged"


def test_a_zip_bomb_is_not_unpacked() -> None:
    assert outcome(zip_file({"word/document.xml": b"\0" * (80 << 20)})) == "too-large"
    assert outcome(zip_file({f"p{n}": b"" for n in range(10_001)})) == "too-large"


def test_headings_by_style_by_level_and_by_number() -> None:
    body = (
        w_p("Erstens", style="Mine")
        + w_p("Első", style="berschrift2")
        + w_p("第二", style="berschrift2")
        + w_p("Zweitens", style="Mine")
        + w_p("Alatta", style="berschrift2")
        + w_p("Inhalt", style="TOCHeading")
        + w_p("Ohne Vorlage", more='<w:outlineLvl w:val="2"/>')
        + w_p("# kein Titel")
    )
    document = load(word_file(body, {"styles": W_STYLES, "numbering": W_NUMBERING}))
    assert document.text == (
        "# I. Erstens\n\n## 1.1 Első\n\n## 1.2 第二\n\n# II. Zweitens\n\n## 2.1 Alatta\n\nInhalt\n\n"
        "### Ohne Vorlage\n\n\\# kein Titel"
    )
    assert [s.level for s in document.sections] == [1, 2, 2, 1, 2, 3]


def test_lists_are_numbered_as_the_reader_sees_them() -> None:
    items = [("három", 2, 0), ("a", 2, 1), ("b", 2, 1), ("négy", 2, 0), ("új", 4, 0), ("pont", 3, 0), ("箇条", 3, 1)]
    body = "".join(w_p(text, more=w_list(list_id, depth)) for text, list_id, depth in items) + w_p(
        "nach", more=w_list(0)
    )
    document = load(word_file(body, {"numbering": W_NUMBERING}))
    assert document.text == ("3. három\n  - (a) a\n  - (b) b\n4. négy\n7. új\n- pont\n  - 第一 箇条\n\nnach")


def test_tables_with_merged_cells_several_headers_nested_tables_and_captions() -> None:
    wide = f'<w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>{w_p("2023")}</w:tc>'
    down = [
        f"<w:tc><w:tcPr><w:vMerge{mark}/></w:tcPr>{w_p(text)}</w:tc>"
        for mark, text in ((' w:val="restart"', "Bp"), ("", ""))
    ]
    inner = f"<w:tc>{w_table([['x', 'y'], ['1', '2']])}{w_p('lásd lent')}</w:tc>"
    body = (
        w_p("1. táblázat: Bevétel", style="Caption")
        + w_table([["", wide], ["Mio. €", "Q1", "Q2"], [down[0], "1", "2"], [down[1], "3", inner]], header=2)
        + w_p("danach")
    )
    document = load(word_file(body, {"styles": W_STYLES}))
    assert document.text == (
        "1. táblázat: Bevétel\n\n| Mio. € | 2023 Q1 | 2023 Q2 |\n| --- | --- | --- |\n| Bp | 1 | 2 |\n"
        "| Bp | 3 | lásd lent |"
        "\n\n| x | y |\n| --- | --- |\n| 1 | 2 |\n\ndanach"
    )
    first = document.blocks[0]
    assert (first.kind, first.caption) == ("table", "1. táblázat: Bevétel")
    assert document.text[first.span[0] : first.span[1]].startswith("| Mio. €")
    assert document.text[first.span[0] : first.span[1]].endswith("lásd lent |")


def test_pictures_take_the_caption_under_them() -> None:
    picture = (
        '<w:r><w:drawing><wp:inline><wp:docPr id="1" name="Picture 1" descr="{}"/><a:graphic><a:graphicData><pic:pic>'
        '<pic:blipFill><a:blip r:embed="rImage"/></pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline>'
        "</w:drawing></w:r>"
    )
    body = (
        w_p(picture.format("")) + w_p("図 1: 犬", style="Caption") + w_p("vgl. ", picture.format("ein [Hund]"), " hier")
    )
    document = load(word_file(body, {"styles": W_STYLES}))
    assert document.text == "![図 1: 犬](image1.png)\n\n図 1: 犬\n\nvgl. ![ein \\[Hund\\]](image1.png) hier"
    assert [(b.kind, b.caption) for b in document.blocks] == [("image", "図 1: 犬")]


def test_links_by_element_and_by_field() -> None:
    body = (
        w_p(
            '<w:hyperlink r:id="rX" w:anchor="rész"><w:r><w:t>itt</w:t></w:r></w:hyperlink>',
            ", ",
            w_field(' HYPERLINK "https://example.org/a b" ', "dort"),
            ", ",
            '<w:fldSimple w:instr="HYPERLINK https://example.org/c"><w:r><w:t>あそこ</w:t></w:r></w:fldSimple>',
            ", ",
            w_field(" PAGEREF _Toc1 ", "7"),
            ", ",
            w_field(' HYPERLINK "javascript:alert(1)" ', "böse"),
        )
        + w_p('<w:r><w:fldChar w:fldCharType="begin"/></w:r>')
        + w_p("ein Feld ohne Ende verbirgt nichts")
    )
    text = load(word_file(body, external={"rX": "https://example.org/x"})).text
    assert text == (
        "[itt](https://example.org/x#rész), [dort](https://example.org/a%20b), [あそこ](https://example.org/c), 7, böse"
        "\n\nein Feld ohne Ende verbirgt nichts"
    )


def test_notes_comments_and_changes() -> None:
    body = (
        w_p("Szöveg", '<w:r><w:footnoteReference w:id="7"/></w:r>', " és", '<w:r><w:endnoteReference w:id="7"/></w:r>')
        + w_p("neu", "<w:ins><w:r><w:t> dazu</w:t></w:r></w:ins><w:del><w:r><w:delText>weg</w:delText></w:r></w:del>")
        + w_p(
            "言葉",
            '<w:r><w:commentReference w:id="3"/></w:r>',
            "<w:r><w:rPr><w:vanish/></w:rPr><w:t>geheim</w:t></w:r>",
        )
        + w_p("Ende")
        + '<w:sectPr><w:headerReference w:type="default" r:id="rPart3"/></w:sectPr>'
    )
    note = '<w:{0}s {{names}}><w:{0} w:id="7" {2}>{1}</w:{0}></w:{0}s>'
    parts = {
        "footnotes": note.format("footnote", w_p("Lábjegyzet."), ""),
        "endnotes": note.format("endnote", w_p("Endnote."), ""),
        "comments": note.format("comment", w_p("Stimmt das?"), 'w:author="Ágnes"').replace('"7"', '"3"'),
        "header": f"<w:hdr {NAMES}>{w_p('Bizalmas')}</w:hdr>",
    }
    document = load(word_file(body, parts))
    assert document.text == (
        "Bizalmas\n\nSzöveg[^1] és[^2]\n\nneu dazu\n\n言葉\n\n> Comment (Ágnes): Stimmt das?\n\nEnde\n\n"
        "[^1]: Lábjegyzet.\n\n[^2]: Endnote."
    )
    assert document.metadata == {
        "author": "Kovács Éva",
        "keywords": ("kör", "数", "Maß"),
        "created": "2024-03-01T10:00:00Z",
    }


def test_a_page_begins_before_the_mark_of_what_it_begins_with() -> None:
    drawn = "<w:r><w:lastRenderedPageBreak/></w:r>"
    body = (
        w_p("eins", style="berschrift1")
        + w_p(drawn, "kettő", style="berschrift1")
        + w_p(drawn, "三", more=w_list(2))
        + w_p(drawn)
        + w_table([["a"], [f"<w:tc>{w_p(drawn, 'b')}</w:tc>"], ["c"]])
    )
    document = load(word_file(body, {"styles": W_STYLES, "numbering": W_NUMBERING}))
    pages = [document.text[p.span[0] : p.span[1]] for p in document.pages]
    assert pages == ["# eins", "# kettő", "3. 三", "| a |\n| --- |", "| b |\n| c |"]


def test_text_boxes_code_bold_lines_and_ruby() -> None:
    box = f"<w:r><w:pict><w:txbxContent>{w_p('im Kasten')}</w:txbxContent></w:pict></w:r>"
    bold = "<w:r><w:rPr><w:b/></w:rPr><w:t>Fett wie ein Titel</w:t></w:r>"
    reading = "<w:rt><w:r><w:t>とうきょう</w:t></w:r></w:rt>"
    ruby = f"<w:r><w:ruby>{reading}<w:rubyBase><w:r><w:t>東京</w:t></w:r></w:rubyBase></w:ruby></w:r>"
    code = w_p("def f():", style="Code") + w_p(
        '<w:r><w:t xml:space="preserve">    # kein Titel</w:t></w:r>', style="Code"
    )
    document = load(word_file(w_p("vor", box) + code + w_p(bold) + w_p(ruby, "都"), {"styles": W_STYLES}))
    assert document.text == (
        "vor\n\nim Kasten\n\n```\ndef f():\n    # kein Titel\n```\n\n**Fett wie ein Titel**\n\n東京都"
    )
    assert not document.sections


def test_of_alternatives_one_is_read_and_controls_are_seen_through() -> None:
    either = f"<mc:Choice>{w_p('új')}</mc:Choice><mc:Fallback>{w_p('alt')}</mc:Fallback>"
    control = f"<w:sdt><w:sdtContent>{w_p('im Feld')}</w:sdtContent></w:sdt>"
    assert load(word_file(f"<mc:AlternateContent>{either}</mc:AlternateContent>{control}")).text == "új\n\nim Feld"


def test_formulas_become_latex() -> None:
    fraction = "<m:f><m:num><m:r><m:t>α</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>"
    total = (
        '<m:nary><m:naryPr><m:chr m:val="∑"/></m:naryPr><m:sub><m:r><m:t>i=1</m:t></m:r></m:sub>'
        "<m:sup><m:r><m:t>n</m:t></m:r></m:sup><m:e><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r>"
        "</m:sup></m:sSup></m:e></m:nary>"
    )
    grid = "<m:d><m:e><m:m>{0}{0}</m:m></m:e></m:d>".format("<m:mr><m:e><m:r><m:t>a</m:t></m:r></m:e></m:mr>")
    body = "".join(
        w_p(f"<m:oMathPara><m:oMath>{formula}</m:oMath></m:oMathPara>") for formula in (fraction, total, grid)
    )
    document = load(word_file(body + w_p("ahol ", f"<m:oMath>{fraction}</m:oMath>", " áll")))
    assert document.text == (
        "$$\\frac{\\alpha}{2}$$\n\n$$\\sum_{i=1}^n x^2$$\n\n"
        "$$\\left( \\begin{matrix} a \\\\ a \\end{matrix} \\right)$$\n\nahol $\\frac{\\alpha}{2}$ áll"
    )
    assert [b.kind for b in document.blocks] == ["formula"] * 3


def test_strict_files_are_read_too() -> None:
    made = word_file(w_p("Szigorú", style="berschrift1"), {"styles": W_STYLES})
    with zipfile.ZipFile(BytesIO(made)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    strict = {
        name: data.replace(
            b"http://schemas.openxmlformats.org/wordprocessingml/2006/", b"http://purl.oclc.org/ooxml/wordprocessingml/"
        ).replace(
            b"http://schemas.openxmlformats.org/officeDocument/2006/", b"http://purl.oclc.org/ooxml/officeDocument/"
        )
        for name, data in parts.items()
    }
    assert load(zip_file(strict)).text == "# Szigorú"


def test_a_damaged_part_is_named_and_the_rest_is_read() -> None:
    data = word_file(w_p("Az egész", style="berschrift1"), {"styles": "<w:styles", "comments": W_STYLES})
    loader = DocxLoader().load(source("docx", data, "file.docx"))
    assert next(loader).text == "Az egész"
    with pytest.raises(InputError, match=r"word/styles\.xml") as caught:
        next(loader)
    assert caught.value.outcome == "partial"


def test_hostile_xml_stays_inside() -> None:
    entity = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/passwd"><!ENTITY y "lol">]>'
    body = f"<w:document {NAMES}><w:body>{w_p('safe &x;&y; text')}</w:body></w:document>"
    parts = {
        "_rels/.rels": relations({"r1 officeDocument": "word/document.xml"}),
        "word/document.xml": (entity + body).encode(),
    }
    text = load(zip_file(parts)).text
    assert "root" not in text
    assert "lol" not in text
    assert text.startswith("safe")
    deep = "<w:tbl><w:tr><w:tc>" * 300 + w_p("x") + "</w:tc></w:tr></w:tbl>" * 300
    assert outcome(word_file(deep)) == "damaged"
    assert outcome(zip_file({"_rels/.rels": parts["_rels/.rels"], "word/document.xml": b"<other/>"})) == "damaged"


def test_styles_that_go_round_and_numbers_without_end_are_bounded() -> None:
    ring = "<w:styles {names}>" + "".join(
        f'<w:style w:type="paragraph" w:styleId="s{n}"><w:basedOn w:val="s{(n + 1) % 3000}"/></w:style>'
        for n in range(3000)
    )
    body = "".join(w_p(f"{n}.", style=f"s{n}", more=w_list(1)) for n in range(300))
    huge = W_NUMBERING.replace('w:start w:val="1"', 'w:start w:val="999999999"')
    with at_most(3):
        text = load(word_file(body, {"styles": f"{ring}</w:styles>", "numbering": huge})).text
    assert text.startswith("- 999999999. 0.") or text.startswith("999999999. 0.")
    wide = f'<w:tc><w:tcPr><w:gridSpan w:val="99999999"/></w:tcPr>{w_p("a")}</w:tc>'
    assert "| a |" in load(word_file(w_table([[wide, "b"], ["c", "d"]]))).text


@pytest.mark.data
def test_every_real_docx_ends_in_text_or_says_that_it_is_empty(shared_data: Path) -> None:
    loaded = 0
    for path in sorted((shared_data / "files").rglob("*.docx")):
        try:
            [document] = load_documents(source("docx", path.read_bytes(), path.name))
        except InputError as error:
            assert error.outcome == "empty", path.name
        else:
            loaded += 1
            assert document.text.strip()
    assert loaded >= 33


@pytest.mark.data
def test_links_and_merged_cells_of_a_real_file(shared_data: Path) -> None:
    files = {path.name: path for path in (shared_data / "files").rglob("*.docx")}
    assert "One [awesome hyperlink](http://yahoo.com/)." in load(files["par-hyperlinks.docx"].read_bytes()).text
    assert "| n |  |  |  |" in load(files["tbl-cell-props.docx"].read_bytes()).text


@pytest.mark.data
def test_what_a_plain_reading_of_real_files_loses(shared_data: Path) -> None:
    files = {path.name: path.read_bytes() for path in (shared_data / "files" / "markitdown").rglob("*.docx")}
    formulas = load(files["equations.docx"])
    assert r"$$\frac{a}{\lambda}=\frac{m}{\sin \theta}=\frac{1}{\sin 45.0^\circ}=1.41.$$" in formulas.text
    assert r"The angle is $\theta =\sin^{-1}(2.2\times 10^{-4})=2.2\times 10^{-4}\mathrm{rad}$." in formulas.text
    assert [block.kind for block in formulas.blocks] == ["formula", "formula"]
    linked = load(files["rlink.docx"])
    assert linked.text.endswith(
        "![A red and blue square AI-generated content may be incorrect.](file:///tmp/test_rlink.txt)"
    )
    commented = load(files["test_with_comment.docx"]).text
    assert "\n\n> Comment (Unknown Author): This is a test comment. 12df-321a\n\n# Introduction" in commented
    assert [page.number for page in load(files["test.docx"]).pages] == [1, 2]


@pytest.mark.data
def test_pages_of_a_real_file_begin_where_they_were_drawn(shared_data: Path) -> None:
    path = next((shared_data / "files").rglob("par-rendered-page-breaks.docx"))
    document = load(path.read_bytes())
    pages = [document.text[page.span[0] : page.span[1]] for page in document.pages]
    assert pages[:2] == ["No page breaks\n\nPage break here>>", "<<followed by more text.\n\n[Page break in>>"]
    assert [page.number for page in document.pages] == [1, 2, 3, 4, 5, 6]


def test_the_name_of_a_group_stands_in_each_of_its_rows_and_an_amount_once() -> None:
    def cell(text: str, merge: str = "") -> str:
        return f"<w:tc><w:tcPr>{merge}</w:tcPr>{w_p(text)}</w:tc>"

    begin, on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    rows = [
        ["Év", "Kör", "Összeg"],
        [cell("2024", begin), "őszi", cell("120 EUR", begin)],
        [cell("", on), "téli", cell("", on)],
        ["2025", "őszi", "7"],
    ]
    assert load(word_file(w_table(rows))).text == (
        "| Év | Kör | Összeg |\n| --- | --- | --- |\n| 2024 | őszi | 120 EUR |\n| 2024 | téli |  |\n| 2025 | őszi | 7 |"
    )

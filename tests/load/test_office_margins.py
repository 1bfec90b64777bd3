"""Heads and feet of Word, OpenDocument and Rich Text files: their words are in the text, page numbers are not."""

from __future__ import annotations

from io import BytesIO

import docx
from docx.document import Document as WordDocument
from docx.enum.section import WD_SECTION

from load.samples import source
from load.samples_office import NAMES, odf_file, w_field, w_p, w_table, word_file
from rove.load.office.docx.loader import DocxLoader
from rove.load.office.odf.odt import OdtLoader
from rove.load.office.rtf.loader import RtfLoader


def word_text(word: WordDocument) -> str:
    out = BytesIO()
    word.save(out)
    [document] = DocxLoader().load(source("docx", out.getvalue(), "file.docx"))
    return document.text


def test_the_head_and_foot_of_a_letter_are_text() -> None:
    word = docx.Document()
    section = word.sections[0]
    section.different_first_page_header_footer = True
    section.first_page_header.paragraphs[0].text = "Bükk Logisztika Kft. · 3300 Eger"
    section.header.paragraphs[0].text = "Bükk Logisztika Kft. – folytatás"
    section.first_page_footer.paragraphs[0].text = "Számlaszám: SZ-2026/117"
    section.footer.paragraphs[0].text = "Számlaszám: SZ-2026/117"
    word.add_heading("Számla", 1)
    word.add_paragraph("A daru javítása 240 000 Ft.")
    assert word_text(word) == (
        "Bükk Logisztika Kft. · 3300 Eger\n\nBükk Logisztika Kft. – folytatás\n\n# Számla\n\n"
        "A daru javítása 240 000 Ft.\n\nSzámlaszám: SZ-2026/117"
    )


def test_heads_that_no_page_shows_are_left_out() -> None:
    word = docx.Document()
    section = word.sections[0]
    section.first_page_header.paragraphs[0].text = "ALT: of a first page that is no longer set apart"
    section.even_page_header.paragraphs[0].text = "GERADE"
    section.header.paragraphs[0].text = "Gilt"
    word.add_paragraph("Text.")
    assert word_text(word) == "Gilt\n\nText."
    word.settings.odd_and_even_pages_header_footer = True
    assert word_text(word) == "Gilt\n\nGERADE\n\nText."


def test_each_section_has_its_own_head_before_it() -> None:
    word = docx.Document()
    word.sections[0].header.paragraphs[0].text = "Contract K-1"
    word.add_paragraph("Of the first.")
    second = word.add_section(WD_SECTION.NEW_PAGE)
    second.header.is_linked_to_previous = False
    second.header.paragraphs[0].text = "Contract K-2"
    word.add_paragraph("Of the second.")
    assert word_text(word) == "Contract K-1\n\nOf the first.\n\nContract K-2\n\nOf the second."


def test_tables_in_a_head_stay_tables_and_page_numbers_go() -> None:
    settings = (
        '<w:sectPr><w:headerReference w:type="default" r:id="rPart0"/><w:footerReference r:id="rPart1"/></w:sectPr>'
    )
    parts = {
        "header": f"<w:hdr {NAMES}>{w_table([['Kunde', 'K-55'], ['Auftrag', 'A-9']])}</w:hdr>",
        "footer": f"<w:ftr {NAMES}>{w_p('Seite ', w_field('PAGE', '1'), ' von ', w_field('NUMPAGES', '4'))}"
        f"{w_p('IBAN DE12, Blatt ', w_field('PAGE', '1'))}</w:ftr>",
    }
    [document] = DocxLoader().load(source("docx", word_file(w_p("Text.") + settings, parts), "file.docx"))
    assert document.text == "| Kunde | K-55 |\n| --- | --- |\n| Auftrag | A-9 |\n\nText.\n\nIBAN DE12, Blatt"


def test_a_watermark_is_said() -> None:
    words = '<v:textpath xmlns:v="urn:schemas-microsoft-com:vml" string="ENTWURF"/>'
    drawn = f"<w:r><w:pict>{words}</w:pict></w:r>"
    settings = '<w:sectPr><w:headerReference w:type="default" r:id="rPart0"/></w:sectPr>'
    data = word_file(w_p("Text.") + settings, {"header": f"<w:hdr {NAMES}>{w_p(drawn)}</w:hdr>"})
    [document] = DocxLoader().load(source("docx", data, "file.docx"))
    assert document.text == "ENTWURF\n\nText."


def test_heads_of_an_opendocument_text() -> None:
    masters = (
        '<office:master-styles><style:master-page style:name="First" style:next-style-name="Standard">'
        "<style:header><text:p>Facture F-2026-31</text:p></style:header></style:master-page>"
        '<style:master-page style:name="Standard"><style:header style:display="false"><text:p>CACHÉ</text:p>'
        "</style:header><style:footer><text:p>Page <text:page-number>2</text:page-number></text:p>"
        "<text:p>Dupont &amp; fils, Lyon</text:p></style:footer></style:master-page>"
        '<style:master-page style:name="Unused"><style:header><text:p>PLUS JAMAIS</text:p></style:header>'
        "</style:master-page></office:master-styles>"
        '<style:style style:name="P1" style:master-page-name="First"/>'
    )
    data = odf_file("text", '<text:p text:style-name="P1">La grue est réparée.</text:p>', styles=masters)
    [document] = OdtLoader().load(source("odt", data, "file.odt"))
    assert document.text == "Facture F-2026-31\n\nLa grue est réparée.\n\nDupont & fils, Lyon"


def test_heads_of_rich_text() -> None:
    data = (
        rb"{\rtf1\ansi{\header Nota 77/B\par}{\footer Pagina {\field{\*\fldinst PAGE}{\fldrslt 3}}\par}"
        rb"{\footerf Pagina \chpgn\par}La gru.\par}"
    )
    [document] = RtfLoader().load(source("rtf", data, "file.rtf"))
    assert document.text == "Nota 77/B\n\nLa gru."

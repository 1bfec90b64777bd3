"""Signs of symbol fonts and struck-out words, in every format that has them."""

from __future__ import annotations

import pytest

from load.samples import source
from load.samples_office import deck_file, odf_file, slide, w_field, w_p, word_file
from rove.load import FORMATS, LOADERS
from rove.load.symbol_fonts import SYMBOL, symbol


def read(kind: str, data: bytes) -> str:
    assert kind in FORMATS
    [document] = LOADERS.get(kind)().load(source(kind, data))
    return document.text


def run(text: str, properties: str) -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>"


SYMBOL_RUN = '<w:rFonts w:ascii="Symbol" w:hAnsi="Symbol"/>'
STYLES = (
    '<w:styles {names}><w:style w:type="character" w:styleId="Gr"><w:rPr><w:rFonts w:ascii="Symbol"/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="Old"><w:basedOn w:val="Gr0"/><w:rPr><w:strike/></w:rPr></w:style>'
    '<w:style w:type="character" w:styleId="Off"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>'
)


@pytest.mark.parametrize(
    ("inside", "shown"),
    [
        (("Kondensator 47 ", '<w:r><w:sym w:font="Symbol" w:char="F06D"/></w:r>', "F"), "Kondensator 47 μF"),
        (("Spalt ", run("\uf0b3", SYMBOL_RUN), " 3 mm"), "Spalt ≥ 3 mm"),
        (("Widerstand 4,7 k", run("W", SYMBOL_RUN)), "Widerstand 4,7 kΩ"),
        (("Drift ", run("D", '<w:rStyle w:val="Gr"/>'), "T"), "Drift ΔT"),
        (("ohne Schrift \uf0b0C",), "ohne Schrift °C"),
        (("Feld 5 ", w_field('SYMBOL 109 \\f "Symbol" \\s 12', ""), "m"), "Feld 5 μm"),
        (('<w:fldSimple w:instr="SYMBOL 176 \\f Symbol"/>', "C"), "°C"),
        (('<w:r><w:sym w:font="Wingdings" w:char="F0FE"/></w:r>', " erledigt"), "☑ erledigt"),
        (("Pfeil ", '<w:r><w:sym w:font="Wingdings 3" w:char="F067"/></w:r>'), "Pfeil →"),
        (("Preis ", run("50", "<w:strike/>"), run(" EUR", "<w:dstrike/>"), " 40 EUR"), "Preis ~~50 EUR~~ 40 EUR"),
        (("gilt ", run("nicht", '<w:strike w:val="0"/>')), "gilt nicht"),
        ((run("weg", '<w:rStyle w:val="Old"/>'), " bleibt"), "~~weg~~ bleibt"),
        ((run("unsichtbar", '<w:rStyle w:val="Off"/>'), "sichtbar"), "sichtbar"),
    ],
)
def test_word(inside: tuple[str, ...], shown: str) -> None:
    assert read("docx", word_file(w_p(*inside), {"styles": STYLES})) == shown


def test_what_a_form_shows_is_read() -> None:
    def begin(data: str) -> str:
        mark = '<w:r><w:fldChar w:fldCharType="{}">{}</w:fldChar></w:r>'
        return (
            f"{mark.format('begin', f'<w:ffData>{data}</w:ffData>')}<w:r><w:instrText>FORM</w:instrText></w:r>"
            f"{mark.format('end', '')}"
        )

    entries = '<w:listEntry w:val="Bari"/><w:listEntry w:val="Pisa"/>'
    body = w_p("Sede: ", begin(f'<w:ddList><w:result w:val="1"/>{entries}</w:ddList>')) + w_p(
        begin("<w:checkBox><w:default w:val='0'/><w:checked/></w:checkBox>"), " sì"
    )
    assert read("docx", word_file(body)) == "Sede: Pisa\n\n☒ sì"


def test_slides() -> None:
    runs = (
        "<a:r><a:t>Folie 12 </a:t></a:r><a:r><a:rPr><a:sym typeface='Symbol'/></a:rPr><a:t>\uf06d</a:t></a:r>"
        "<a:r><a:t>m, </a:t></a:r><a:r><a:rPr strike='sngStrike'/><a:t>alt</a:t></a:r>"
    )
    shape = f"<p:sp><p:txBody><a:p>{runs}</a:p></p:txBody></p:sp>"
    assert read("pptx", deck_file([slide(shape)])) == "Folie 12 μm, ~~alt~~"


def test_opendocument() -> None:
    styles = (
        '<style:style style:name="S"><style:text-properties style:font-name="Symbol"/></style:style>'
        '<style:style style:name="X"><style:text-properties style:text-line-through-style="solid"/></style:style>'
    )
    body = (
        '<text:p>film de 12 <text:span text:style-name="S">\uf06d</text:span>m, '
        '<text:span text:style-name="S">b</text:span>, <text:span text:style-name="X">ancien</text:span> prix</text:p>'
    )
    assert read("odt", odf_file("text", body, styles=styles)) == "film de 12 μm, β, ~~ancien~~ prix"


def test_rich_text() -> None:
    fonts = rb"{\fonttbl{\f0 Arial;}{\f2\fcharset2 Symbol;}{\f4\fcharset2 Wingdings;}}"
    body = rb"\f0 lamina 8 {\f2 m}m, {\f2\u-3920?}C, {\f4\'fc} fatto, "
    body += rb"{\strike vecchio\par prezzo} nuovo \strike a\strike0  b"
    assert read("rtf", b"{\\rtf1\\ansi" + fonts + body + rb"\par}") == (
        "lamina 8 μm, °C, ✓ fatto, ~~vecchio~~\n\n~~prezzo~~ nuovo ~~a~~ b"
    )


def test_web_pages() -> None:
    page = (
        "<p>gap 4 <span style='font-family:Symbol'>m</span>m, <font face=Symbol>&#61616;</font>C, "
        "<s>50 EUR</s> 40 EUR, <span style='text-decoration: line-through'>old</span> new, icon &#xf0b0;</p>"
    )
    assert read("html", page.encode()).strip() == "gap 4 μm, °C, ~~50 EUR~~ 40 EUR, ~~old~~ new, icon \uf0b0"


def test_the_table_of_symbol_is_whole() -> None:
    """Every code of the font has a sign, but for the apple at F0 and the gap at AA…FF that no text holds."""
    assert len(SYMBOL) == 189
    assert "".join(symbol(code, "Symbol") for code in b"abgdmpswDSW") == "αβγδμπσωΔΣΩ"

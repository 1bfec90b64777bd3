from __future__ import annotations

from load.samples import source
from load.samples_office import odf_file
from rove.load.office.odf.odp import OdpLoader
from rove.records import Document

STYLES = (
    '<style:page-layout style:name="PL"><style:page-layout-properties fo:page-width="20cm" fo:page-height="100mm"/>'
    '</style:page-layout><style:master-page style:name="M" style:page-layout-name="PL"/>'
)
HIDDEN = '<style:style style:name="dp"><style:drawing-page-properties presentation:visibility="hidden"/></style:style>'


def load(body: str) -> Document:
    data = odf_file("presentation", body, styles=STYLES, automatic=HIDDEN)
    [document] = OdpLoader().load(source("odp", data, "deck.odp"))
    return document


def frame(text: str, at: str = "", kind: str = "") -> str:
    mark = f'presentation:class="{kind}"' if kind else ""
    return f"<draw:frame {mark} {at}><draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>"


def test_slides_are_pages_in_reading_order_with_notes_comments_and_boxes() -> None:
    right = 'svg:x="12cm" svg:y="4cm" svg:width="6cm" svg:height="2cm"'
    left = right.replace("12cm", "1cm")
    turned = 'svg:width="2cm" svg:height="1cm" draw:transform="rotate (0.5) translate (1cm 8cm)"'
    first = (
        f'<draw:page draw:master-page-name="M">{frame("jobb", right)}<draw:g>{frame("bal", left)}</draw:g>'
        f"{frame('gedreht', turned)}{frame('3', kind='page-number')}{frame('Cím', kind='title')}"
        f"<presentation:notes>{frame('Erre térj ki!', kind='notes')}</presentation:notes>"
        "<office:annotation><dc:creator>Ágnes</dc:creator><text:p>Stimmt das?</text:p></office:annotation></draw:page>"
    )
    second = (
        f'<draw:page draw:style-name="dp">{frame("終わり", kind="title")}<draw:custom-shape><text:p>alak</text:p>'
        "</draw:custom-shape></draw:page>"
    )
    document = load(first + second)
    assert document.text == (
        "# Cím\n\nbal\n\ngedreht\n\njobb\n\n> Note: Erre térj ki!\n\n> Comment (Ágnes): Stimmt das?\n\n# 終わり\n\nalak"
    )
    assert [p.number for p in document.pages] == [1, 2]
    assert document.metadata["hidden_slides"] == ("2",)
    at = document.text.index("jobb")
    [box] = document.boxes_at((at, at + 4))
    assert (box.page, box.left, box.top, box.right, box.bottom) == (1, 0.6, 0.4, 0.9, 0.6)
    assert document.boxes_at((document.text.index("gedreht"), document.text.index("gedreht") + 1))[0].top == 0.8


def test_tables_and_pictures_of_slides() -> None:
    row = "<table:table-row>{}</table:table-row>"
    cells = "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in ("név", "数"))
    body = (
        f"<draw:page><draw:frame><table:table>{row.format(cells)}{row.format(cells)}</table:table></draw:frame>"
        '<draw:frame><draw:image xlink:href="Pictures/a.png"/><svg:title>Hund</svg:title></draw:frame></draw:page>'
    )
    document = load(body)
    assert document.text == "| név | 数 |\n| --- | --- |\n| név | 数 |\n\n![Hund](a.png)"
    assert [b.kind for b in document.blocks] == ["table", "image"]

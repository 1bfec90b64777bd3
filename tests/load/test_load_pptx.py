from __future__ import annotations

from pathlib import Path

import pytest
from tests.cpu_time import at_most

from load.samples import source, zip_file
from load.samples_office import NAMES, deck_file, shape, slide
from rove.errors import InputError
from rove.load.discover import load_documents
from rove.load.office.pptx.loader import PptxLoader
from rove.records import Document


def load(data: bytes) -> Document:
    [document] = PptxLoader().load(source("pptx", data, "deck.pptx"))
    return document


def bullets(*lines: tuple[int, str, str]) -> str:
    """Paragraphs of (level, bullet's XML, text)."""
    return "".join(
        f'<a:p><a:pPr lvl="{depth}">{mark}</a:pPr><a:r><a:t>{text}</a:t></a:r></a:p>' for depth, mark, text in lines
    )


def test_slides_are_pages_and_shapes_come_in_reading_order() -> None:
    first = slide(
        shape("rechts", (600, 200))
        + shape("links oben", (0, 200))
        + shape("links unten", (0, 320))
        + shape("Fuß", (0, 450), kind="ftr")
        + shape("Cím", (0, 0), kind="title", size=(1000, 100))
    )
    document = load(deck_file([first, slide(""), slide(shape("三枚目", (0, 0), kind="ctrTitle"))]))
    assert document.text == "# Cím\n\nlinks oben\n\nlinks unten\n\nrechts\n\n# 三枚目"
    assert [document.text[p.span[0] : p.span[1]] for p in document.pages] == [
        "# Cím\n\nlinks oben\n\nlinks unten\n\nrechts", "", "# 三枚目",
    ]  # fmt: skip
    [box] = document.boxes_at((document.text.index("rechts"), document.text.index("rechts") + 1))
    assert (box.page, box.left, box.top, box.right, box.bottom) == (1, 0.6, 0.4, 1.0, 0.6)
    assert document.title == "Cím"  # "PowerPoint Presentation", as the properties say, is none
    assert document.metadata["pages"] == 3


def test_lists_take_their_bullets_from_where_they_are_stated() -> None:
    number = '<a:buAutoNum type="alphaLcParenR" startAt="2"/>'
    lines = bullets(
        (0, "<a:buChar char='•'/>", "egy"), (1, number, "zwei"), (1, number, "三"), (0, "<a:buNone/>", "keiner")
    )
    document = load(deck_file([slide(shape(lines, (0, 0)))]))
    assert document.text == "- egy\n  - b) zwei\n  - c) 三\n\nkeiner"
    [box] = document.boxes
    assert box.span == (0, len(document.text))


def test_placeholders_inherit_their_place_and_bullets_from_layout_and_master() -> None:
    layout = (
        f"<p:sldLayout {NAMES}><p:cSld><p:spTree>{shape('', (500, 250), kind='body')}</p:spTree></p:cSld></p:sldLayout>"
    )
    master = (
        f"<p:sldMaster {NAMES}><p:cSld><p:spTree>{shape('', (0, 0), kind='body')}</p:spTree></p:cSld><p:txStyles>"
        '<p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr></p:bodyStyle></p:txStyles></p:sldMaster>'
    )
    rels = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="m" '
        'Type="x/slideMaster" Target="../slideMasters/m.xml"/></Relationships>'
    )
    parts = {"slideLayouts/l.xml": layout, "slideMasters/m.xml": master, "slideLayouts/_rels/l.xml.rels": rels}
    data = deck_file([slide(shape("pont", kind="body"))], parts, {1: {"l slideLayout": "../slideLayouts/l.xml"}})
    document = load(data)
    assert document.text == "- pont"
    assert (document.boxes[0].left, document.boxes[0].top) == (0.5, 0.5)


def test_groups_are_scaled_and_alternatives_read_once() -> None:
    group = (
        '<p:grpSp><p:grpSpPr><a:xfrm><a:off x="500" y="0"/><a:ext cx="500" cy="250"/><a:chOff x="0" y="0"/>'
        f'<a:chExt cx="5000" cy="2500"/></a:xfrm></p:grpSpPr>{shape("csoport", (1000, 500), size=(4000, 2000))}'
        "</p:grpSp>"
    )
    ways = f"<mc:Choice>{shape('új')}</mc:Choice><mc:Fallback>{shape('alt')}</mc:Fallback>"
    either = f"<mc:AlternateContent>{ways}</mc:AlternateContent>"
    document = load(deck_file([slide(group + either)]))
    assert document.text == "csoport\n\núj"
    assert (document.boxes[0].left, document.boxes[0].top, document.boxes[0].right) == (0.6, 0.1, 1.0)


def test_tables_charts_diagrams_and_pictures() -> None:
    cell = "<a:tc><a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc>"
    rows = "".join(f"<a:tr>{cell.format(a)}{cell.format(b)}</a:tr>" for a, b in (("Stadt", "数"), ("Bp", "1|2")))
    frame = "<p:graphicFrame><a:graphic><a:graphicData>{}</a:graphicData></a:graphic></p:graphicFrame>"
    picture = (
        '<p:pic><p:nvPicPr><p:cNvPr id="9" name="P" descr="Egy kutya"/></p:nvPicPr><p:blipFill><a:blip r:embed="i"/>'
        "</p:blipFill><p:spPr/></p:pic>"
    )
    shapes = (
        frame.format(f"<a:tbl>{rows}</a:tbl>")
        + frame.format('<c:chart r:id="c"/>')
        + frame.format('<dgm:relIds r:dm="d"/>')
        + picture
    )
    points = '<c:pt idx="0"><c:v>{}</c:v></c:pt><c:pt idx="1"><c:v>{}</c:v></c:pt>'
    chart = (
        "<c:chartSpace {names}><c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Umsatz (Mio. €)</a:t></a:r></a:p>"
        "</c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser><c:tx><c:strRef><c:strCache><c:pt "
        "idx='0'><c:v>2023</c:v>"
        f"</c:pt></c:strCache></c:strRef></c:tx><c:cat><c:strCache>{points.format('Bp', 'Wien')}"
        f"</c:strCache></c:cat><c:val>"
        "<c:numCache>"
        f"{points.format('8.1999999999999993', '4')}</c:numCache></c:val></c:ser></c:barChart></c:plotArea></c:chart>"
        "</c:chartSpace>"
    )
    point = '<dgm:pt modelId="{0}"><dgm:t><a:p><a:r><a:t>{1}</a:t></a:r></a:p></dgm:t></dgm:pt>'
    link = '<dgm:cxn modelId="{0}" srcId="{1}" destId="{2}" srcOrd="{3}"/>'
    diagram = (
        '<dgm:dataModel {names}><dgm:ptLst><dgm:pt modelId="0" type="doc"/>'
        f"{point.format(1, 'Planen')}{point.format(2, 'Bauen')}{point.format(3, '部品')}</dgm:ptLst><dgm:cxnLst>"
        f"{link.format(10, 0, 2, 1)}{link.format(11, 0, 1, 0)}{link.format(12, 2, 3, 0)}{link.format(13, 3, 2, 0)}"
        "</dgm:cxnLst></dgm:dataModel>"
    )
    targets = {"c chart": "../charts/c.xml", "d diagramData": "../diagrams/d.xml", "i image": "../media/image7.jpg"}
    document = load(deck_file([slide(shapes)], {"charts/c.xml": chart, "diagrams/d.xml": diagram}, {1: targets}))
    assert document.text == (
        "| Stadt | 数 |\n| --- | --- |\n| Bp | 1\\|2 |\n\nUmsatz (Mio. €)\n\n|  | 2023 |\n| --- | --- |\n| Bp | 8.2 |\n"
        "| Wien | 4 |\n\n- Planen\n- Bauen\n  - 部品\n\n![Egy kutya](image7.jpg)"
    )
    assert [(b.kind, b.caption) for b in document.blocks] == [
        ("table", ""),
        ("table", "Umsatz (Mio. €)"),
        ("image", ""),
    ]


def test_notes_comments_links_hidden_slides_and_sections() -> None:
    tree = shape("Erre térj ki!", kind="body") + shape("1", kind="sldNum")
    notes = f"<p:notes {NAMES}><p:cSld><p:spTree>{tree}</p:spTree></p:cSld></p:notes>"
    comments = '<p:cmLst {names}><p:cm authorId="0"><p:text>Stimmt das?</p:text></p:cm></p:cmLst>'
    authors = '<p:cmAuthorLst {names}><p:cmAuthor id="0" name="Ágnes"/></p:cmAuthorLst>'
    linked = '<a:p><a:r><a:t>lásd </a:t></a:r>' + "".join(
        f'<a:r><a:rPr><a:hlinkClick r:id="h"/></a:rPr><a:t>{text}</a:t></a:r>' for text in ("i", "tt")
    ) + "</a:p>"  # fmt: skip
    sections = "".join(
        f'<p14:section name="{name}"><p14:sldIdLst><p14:sldId id="{at}"/></p14:sldIdLst></p14:section>'
        for name, at in (("Eleje", 256), ("終わり", 257))
    )
    data = deck_file(
        [slide(shape("Egy", kind="title") + shape(linked)), slide(shape("Kettő", kind="title"), 'show="0"')],
        {"notesSlides/n.xml": notes, "comments/c.xml": comments, "commentAuthors.xml": authors},
        {1: {"n notesSlide": "../notesSlides/n.xml", "c comments": "../comments/c.xml", "h": "https://example.org/x"}},
        presentation=f"<p:extLst><p:ext><p14:sectionLst>{sections}</p14:sectionLst></p:ext></p:extLst>",
    )
    document = load(data)
    assert document.text == (
        "# Eleje\n\n## Egy\n\nlásd [itt](https://example.org/x)\n\n> Note: Erre térj ki!\n\n"
        "> Comment (Ágnes): Stimmt das?\n\n# 終わり\n\n## Kettő"
    )
    assert document.metadata["hidden_slides"] == ("2",)


def test_a_damaged_slide_is_named_and_the_others_are_read() -> None:
    loader = PptxLoader().load(
        source("pptx", deck_file([slide(shape("egy")), "<p:sld", slide(shape("három"))]), "deck.pptx")
    )
    document = next(loader)
    assert document.text == "egy\n\nhárom"
    assert [p.number for p in document.pages] == [1, 2, 3]
    with pytest.raises(InputError, match="slide2") as caught:
        next(loader)
    assert caught.value.outcome == "partial"


def test_thousands_of_shapes_and_deep_groups_are_bounded() -> None:
    with at_most(5):
        many = load(
            deck_file([slide("".join(shape(f"s{n}", (n % 90 * 10, n // 90 * 5), size=(9, 4)) for n in range(5000)))])
        )
    assert len(many.text.split()) == 5000
    deep = "<p:grpSp>" * 100 + shape("tief") + "</p:grpSp>" * 100
    loader = PptxLoader().load(source("pptx", deck_file([slide(shape("fent") + deep)]), "deck.pptx"))
    assert next(loader).text == "fent"
    with pytest.raises(InputError, match="groups"):
        next(loader)


def test_what_is_no_deck_is_refused() -> None:
    for data in (b"PK\x03\x04 no", zip_file({"a": b""}), deck_file([])):
        with pytest.raises(InputError) as caught:
            load(data)
        assert caught.value.outcome in ("damaged", "empty")


@pytest.mark.data
def test_every_real_deck_ends_in_text_or_says_that_it_is_empty(shared_data: Path) -> None:
    loaded = 0
    for path in sorted((shared_data / "files").rglob("*.pptx")):
        try:
            [document] = load_documents(source("pptx", path.read_bytes(), path.name))
        except InputError as error:
            assert error.outcome == "empty", path.name
        else:
            loaded += 1
            assert document.pages
    assert loaded >= 48


@pytest.mark.data
def test_a_real_deck(shared_data: Path) -> None:
    document = load((shared_data / "files/markitdown/packages/markitdown/tests/test_files/test.pptx").read_bytes())
    assert [s.title for s in document.sections][2:] == [
        "A table to test parsing:", "A chart to test parsing:", "A Nested Shape parsing",
        "These Test Strings are in the Image!",
    ]  # fmt: skip
    assert "| 7 | 8 | 9 | 1b92870d-e3b5-4e65-8153-919f4ff45592 | 11 | 12 |" in document.text
    assert (
        "\n\na3f6004b-6f4f-4ea8-bee3-3741f4dc385f\n\n|  | Series 1 |\n| --- | --- |\n| 2000 | 2000 |" in document.text
    )
    assert "- Comment 2:\n  - Sub comment 2" in document.text
    assert "![This phrase of the caption is Human-written.](image2.jpg)" in document.text

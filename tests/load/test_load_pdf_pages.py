"""What stands on a PDF's page, found again: columns, tables, notes, links, forms, boxes."""

from __future__ import annotations

import random
import zlib
from itertools import pairwise

import pytest
from tests.cpu_time import at_most

from load.samples import PARAGRAPHS, pdf_report, source
from load.samples_pages import grid, pdf_pages, picture, picture_file, printed
from rove.errors import InputError
from rove.load import LoadOptions
from rove.load.discover import PLAIN, load_documents
from rove.load.image import ocr
from rove.load.limits import OutOfTime
from rove.load.pdf import loader as pdf
from rove.load.pdf.loader import PdfLoader
from rove.load.transcripts import Transcripts
from rove.records import Document

PROSE = [
    "letters in quiet harbours carry the old engines along",
    "wooden rivers toward the market town where seven boats",
    "wait for a distant light and the brown foxes are asleep",
    "while nobody has counted the days until winter comes by",
]
needs_ocr = pytest.mark.skipif(not ocr.can_read(), reason="neither the extra `scan` nor tesseract is installed")


def load(data: bytes) -> Document:
    [document] = PdfLoader().load(source("pdf", data, "page.pdf"))
    return document


def column(x: float, lines: list[str], *, top: float = 700) -> list[str]:
    return [printed(x, top - 12 * number, line) for number, line in enumerate(lines)]


def test_two_columns_are_read_one_after_the_other_under_what_runs_over_both() -> None:
    left, right = ([f"{side}{n} {line}" for n, line in enumerate(PROSE * 2)] for side in "LR")
    across = printed(50, 760, "An abstract runs over both of the columns and is read before the first one is")
    rows = [both for pair in zip(column(50, left), column(345, right), strict=True) for both in pair]
    text = load(pdf_pages([[across, *rows]])).text
    places = [text.index(mark) for mark in ("An abstract", "L0", "L7", "R0", "R7")]
    assert places == sorted(places)
    assert "|" not in text


def justified(x: float, width: float, words: list[str], *, top: float = 700, step: float = 9) -> list[str]:
    """Words in lines as long as `width`, whose gaps are stretched; a letter of this font is 4.2 points wide."""
    lines: list[list[str]] = [[]]
    for word in words:
        if 4.2 * len(" ".join([*lines[-1], word])) > width:
            lines.append([])
        lines[-1].append(word)
    drawn: list[str] = []
    for number, line in enumerate(lines):
        room = width - 4.2 * sum(map(len, line))
        gap = room / max(1, len(line) - 1) if number < len(lines) - 1 else 4.2
        at = x
        for word in line:
            drawn.append(printed(round(at, 2), top - step * number, word, font="F3", size=7))
            at += 4.2 * len(word) + gap
    return drawn


@pytest.mark.parametrize(("columns", "offset"), [(2, 0), (3, 0), (2, 4)])
def test_justified_columns_whose_gaps_are_as_wide_as_the_gutter(columns: int, offset: int) -> None:
    makes = random.Random(columns)
    texts = [[f"{name}{n}{'x' * makes.randrange(1, 11)}" for n in range(90)] for name in "abc"[:columns]]
    pitch = 500 / columns
    drawn = [justified(50 + pitch * n, pitch - 8, words, top=700 - offset * n) for n, words in enumerate(texts)]
    head = printed(50, 730, "What runs over all of the columns of this page, from one side to the other")
    text = load(pdf_pages([[head, *(line for lines in drawn for line in lines)]])).text
    assert "|" not in text
    assert " ".join(text.split()).endswith(" ".join(word for words in texts for word in words))


def test_a_table_within_a_column_is_still_a_table() -> None:
    left = [f"{PROSE[n % 4].split()[0]}{n}" + "y" * (n % 7) for n in range(130)]
    right = [f"z{n}" + "w" * (n % 9) for n in range(70)]
    rows = [("Ware", "Preis", "Menge"), ("Tee", "12,50", "3"), ("Salz", "7,10", "44"), ("Mehl", "9,99", "5")]
    table = [
        printed(x, 580 - 9 * n, cell, font="F3", size=7)
        for n, row in enumerate(rows)
        for x, cell in zip((310, 390, 460), row, strict=True)
    ]
    text = load(pdf_pages([[*justified(50, 240, left), *justified(302, 240, right), *table]])).text
    assert "| Salz | 7,10 | 44 |" in text
    assert " ".join(left[:20]) in " ".join(text.split())


def test_a_ruled_table_with_a_cell_of_two_lines_and_its_caption() -> None:
    words = [
        printed(72, 720, "Table 1: Prices of the year"),
        *(printed(x, 690, text) for x, text in ((75, "Ware"), (205, "Preis (EUR)"), (305, "Menge"))),
        *(printed(x, 670, text) for x, text in ((75, "A kettle that is made"), (205, "12,50"), (305, "3"))),
        printed(75, 658, "of red copper"),
        *(printed(x, 640, text) for x, text in ((75, "a|b"), (305, "7"))),
    ]
    document = load(pdf_pages([[*words, grid([70, 200, 300, 400], [702, 684, 654, 634])]]))
    [block] = document.blocks
    assert document.text[slice(*block.span)] == (
        "| Ware | Preis (EUR) | Menge |\n| --- | --- | --- |\n"
        "| A kettle that is made of red copper | 12,50 | 3 |\n| a\\|b |  | 7 |"
    )
    assert (block.kind, block.caption) == ("table", "Table 1: Prices of the year")
    [box] = document.boxes_at((document.text.index("12,50"), document.text.index("12,50") + 5))
    assert document.text[slice(*box.span)] == "12,50"
    assert box.left == pytest.approx(205 / 595, abs=0.01)
    assert box.bottom == pytest.approx((842 - 670) / 842, abs=0.01)


def test_a_link_in_a_cell_keeps_its_target() -> None:
    link = "<< /Type /Annot /Subtype /Link /Rect [205 665 300 682] /A << /S /URI /URI (https://example.org/price) >> >>"
    words = [
        *(printed(x, 690, text) for x, text in ((75, "Ware"), (205, "Preis"))),
        *(printed(x, 670, text) for x, text in ((75, "Kessel"), (205, "auf Anfrage"))),
    ]
    document = load(pdf_pages([[*words, grid([70, 200, 310], [702, 684, 664])]], page=f"/Annots [{link}]"))
    assert "| Kessel | [auf Anfrage](https://example.org/price) |" in document.text
    assert [document.text[slice(*box.span)] for box in document.boxes][-1] == "[auf Anfrage](https://example.org/price)"


def test_a_table_without_lines_keeps_its_empty_cells() -> None:
    rows = [("Code", "Place", "Count"), ("K-1", "", "450"), ("", "B-07", "289"), ("K-3", "C-15", "")]
    drawn = [
        printed(x, 700 - 18 * n, cell)
        for n, row in enumerate(rows)
        for x, cell in zip((72, 170, 260), row, strict=True)
        if cell
    ]
    document = load(pdf_pages([[printed(72, 760, "Some prose stands over it."), *drawn]]))
    assert document.text == (
        "Some prose stands over it.\n\n"
        "| Code | Place | Count |\n| --- | --- | --- |\n| K-1 |  | 450 |\n|  | B-07 | 289 |\n| K-3 | C-15 |  |"
    )


def test_a_table_that_goes_on_over_the_page_repeats_its_header() -> None:
    def page(rows: list[tuple[str, str]], top: float) -> list[str]:
        cells = [
            printed(x, top - 16 - 20 * n, cell)
            for n, row in enumerate(rows)
            for x, cell in zip((75, 205), row, strict=True)
        ]
        return [*cells, grid([70, 200, 300], [top - 20 * n for n in range(len(rows) + 1)])]

    first = page([("Name", "Amount"), ("Anna", "1"), ("Béla", "2")], 200)
    document = load(pdf_pages([first, page([("Zoë", "3"), ("Ulf", "4")], 780)]))
    one, two = (document.text[slice(*block.span)] for block in document.blocks)
    assert one.startswith("| Name | Amount |")
    assert two == "| Name | Amount |\n| --- | --- |\n| Zoë | 3 |\n| Ulf | 4 |"


def test_program_text_is_fenced_with_its_indentation() -> None:
    code = [
        printed(72 + 12 * deep, 650 - 12 * n, line, font="F3")
        for n, (deep, line) in enumerate([(0, "def f(x):"), (2, "return x")])
    ]
    document = load(pdf_pages([[*column(72, PROSE), *code]]))
    assert document.text.endswith("```\ndef f(x):\n    return x\n```")
    assert [block.kind for block in document.blocks] == ["code"]


def test_headings_by_weight_and_number() -> None:
    drawn = [
        *(printed(72, y, text, font="F2") for y, text in ((760, "1 Scope"), (700, "1.1 Words"), (640, "2 Rules"))),
        *(line for top in (740, 680, 620) for line in column(72, PROSE[:2], top=top)),
        printed(72, 560, "# of items"),
    ]
    document = load(pdf_pages([drawn]))
    assert [(s.level, s.title) for s in document.sections] == [(1, "1 Scope"), (2, "1.1 Words"), (1, "2 Rules")]
    assert "\\# of items" in document.text


def test_links_remarks_and_footnotes() -> None:
    link = "<< /Type /Annot /Subtype /Link /Rect [130 698 180 712] /A << /S /URI /URI (https://example.org/a) >> >>"
    script = "<< /Type /Annot /Subtype /Link /Rect [72 686 110 699] /A << /S /URI /URI (javascript:alert\\(1\\)) >> >>"
    remark = "<< /Type /Annot /Subtype /Text /Rect [10 10 20 20] /Contents (Is this right?) /T (Ann) >>"
    drawn = [
        printed(72, 700, "This is the place of a note"),
        printed(197.6, 700, "7", size=6, rise=4),
        *column(72, PROSE, top=688),
        printed(72, 60, "7", size=5, rise=3),
        printed(75, 60, "What the note says.", size=8),
    ]
    text = load(pdf_pages([drawn], page=f"/Annots [{link} {script} {remark}]")).text
    assert "](https://example.org/a)" in text
    assert "javascript" not in text
    assert "(https://example.org/a)[^7] letters" in text
    assert "\n\n[^7]: What the note says." in text
    assert text.endswith("> Comment (Ann): Is this right?")


def test_the_values_of_a_form_stand_in_their_places() -> None:
    field = "<< /Type /Annot /Subtype /Widget /FT /Tx /T (name) /V (Erika Muster) /Rect [120 695 260 712] >>"
    ticked = "<< /Type /Annot /Subtype /Widget /FT /Btn /T (ok) /V /Yes /AS /Yes /Rect [120 655 132 667] >>"
    data = pdf_pages(
        [[printed(72, 700, "Name:"), printed(72, 657, "Agreed:")]],
        page="/Annots [3 0 R 4 0 R]",
        catalog="/AcroForm << /Fields [3 0 R 4 0 R] >>",
        objects=(field, ticked),
    )
    text = load(data).text
    assert text.index("Name:") < text.index("Erika Muster") < text.index("Agreed:") < text.index("[x]")


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_boxes_of_a_turned_page_are_where_a_viewer_shows_them(turn: int) -> None:
    cosine, sine = {90: (0, 1), 180: (-1, 0), 270: (0, -1)}[turn]
    shift = {90: (595, 0), 180: (595, 842), 270: (0, 842)}[turn]
    drawn = f"q {cosine} {sine} {-sine} {cosine} {shift[0]} {shift[1]} cm {printed(60, 500, 'Upright words here')} Q"
    width, height = (842, 595) if turn != 180 else (595, 842)
    document = load(pdf_pages([[drawn]], page=f"/Rotate {turn}"))
    assert document.text == "Upright words here"
    [box] = document.boxes
    assert (box.left, box.bottom) == (
        pytest.approx(60 / width, abs=0.01),
        pytest.approx((height - 500) / height, abs=0.01),
    )


def test_text_that_runs_up_a_page_that_is_not_turned_has_its_boxes_there() -> None:
    drawn = f"q 0 1 -1 0 595 0 cm {printed(60, 500, 'Sideways words')} Q"
    document = load(pdf_pages([[drawn]]))
    assert document.text == "Sideways words"
    [box] = document.boxes
    assert box.bottom - box.top > box.right - box.left
    assert box.right == pytest.approx(95 / 595, abs=0.02)


@pytest.mark.parametrize(
    ("font", "text"),
    [
        ("F5", "检索系统需要正确处理这些文件"),
        ("F6", "日本語の文章を書くときは"),
        ("F1", "Fünf große Wölfe"),
        ("F4", "k\x01r\x02"),
    ],
)
def test_letters_of_every_script_come_out(font: str, text: str) -> None:
    wanted = text.replace("\x01", "ő").replace("\x02", "ű")
    assert load(pdf_pages([[printed(72, 700, text, font=font)]])).text == wanted


def test_every_box_holds_its_line() -> None:
    document = load(pdf_report(4))
    assert len(document.boxes) == 4 * 4
    for before, after in pairwise(document.boxes):
        assert before.span[1] <= after.span[0]
        assert before.page <= after.page
    for box in document.boxes:
        assert document.text[slice(*box.span)].strip()
        assert 0 <= box.left < box.right <= 1
        assert 0 <= box.top < box.bottom <= 1
        assert document.page_at(box.span[0]) == box.page


def read_in_part(data: bytes, options: LoadOptions = PLAIN) -> InputError:
    loaded = PdfLoader(options).load(source("pdf", data, "page.pdf"))
    assert next(loaded).text.strip()
    with pytest.raises(InputError) as caught:
        next(loaded)
    assert caught.value.outcome == "partial"
    return caught.value


def test_a_lost_page_leaves_the_others() -> None:
    error = read_in_part(pdf_pages([column(72, PROSE)] * 3, lost=2))
    assert "1 pages (2) are damaged" in str(error)


def test_attached_files_are_documents_of_their_own() -> None:
    attached = (
        "/Names << /EmbeddedFiles << /Names [(plan.txt) << /Type /Filespec /F (plan.txt) /EF << /F 3 0 R >> >>] >> >>"
    )
    stream = "<< /Type /EmbeddedFile /Length 5 >>\nstream\nhello\nendstream"
    data = pdf_pages([column(72, PROSE)], catalog=attached, objects=(stream,))
    document, plan = PdfLoader().load(source("pdf", data, "page.pdf"))
    assert (plan.text, plan.source, plan.metadata["parent"]) == (
        "hello",
        f"{document.source}#plan.txt",
        document.source,
    )
    lost = data.replace(b"plan.txt", b"plan.bin").replace(b"hello", b"\x00\x01\x02\x03\x04")
    assert "plan.bin" in str(read_in_part(lost))


def test_what_was_read_is_kept_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    read, calls = pdf.measured_words, list[int]()

    def slow(page: object) -> object:
        calls.append(1)
        if len(calls) == 3:
            raise OutOfTime
        return read(page)  # type: ignore[arg-type]

    monkeypatch.setattr(pdf, "measured_words", slow)
    assert "page 3 of 4" in str(read_in_part(pdf_report(4)))


def test_crowded_pages_take_no_more_than_their_share_of_time() -> None:
    chance = random.Random(3)
    words = [printed(chance.uniform(0, 590), chance.uniform(0, 840), "ab", size=4) for _ in range(5000)]
    rules = [
        f"{chance.uniform(0, 590)} {chance.uniform(0, 840)} m {chance.uniform(0, 590)} {y} l S" for y in range(900)
    ]
    boxes = [f"{x * 12} {y * 12} 12 12 re S" for x in range(30) for y in range(30)]
    with at_most(8):
        load(pdf_pages([[*words, *rules, *boxes]]))


@needs_ocr
def test_a_scanned_page_is_read_and_a_page_of_text_beside_it_too() -> None:
    data = picture_file(picture(PARAGRAPHS["en"][:44] + "\n" + PARAGRAPHS["en"][45:]), kind="PDF")
    document = load(data)
    assert "quick brown fox" in document.text
    assert document.boxes
    assert document.boxes[0].page == 1


@needs_ocr
def test_a_long_scan_ends_in_part_when_the_time_for_ocr_is_over() -> None:
    transcripts = Transcripts(tell=lambda *page: setattr(transcripts, "max_s", 0.0))
    data = picture_file(*(picture(f"Page of words number {number}") for number in range(3)), kind="PDF")
    error = read_in_part(data, LoadOptions(transcripts=transcripts))
    assert "2 pages (2, 3) are scanned and were not read" in str(error)


@needs_ocr
@pytest.mark.parametrize("kind", ["PDF", "TIFF"])
def test_what_ocr_has_read_once_it_does_not_read_again(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = [picture(f"Page of words number {number}\nand one more line of them") for number in range(2)]
    file = source("pdf" if kind == "PDF" else "image", picture_file(*pages, kind=kind))
    told: list[tuple[str, bytes, int, int]] = []
    [first] = load_documents(file, LoadOptions(transcripts=Transcripts(tell=lambda *page: told.append(page))))
    assert [(page, pages) for _, _, page, pages in told] == [(1, 2), (2, 2)]
    known = {digest: transcript for digest, transcript, _, _ in told}
    told.clear()
    monkeypatch.setattr(ocr.OcrReader, "_transcribed", lambda *_: pytest.fail("read again"))
    options = LoadOptions(transcripts=Transcripts(known, lambda *page: told.append(page)))
    assert list(load_documents(file, options)) == [first]
    assert "number 1" in first.text
    assert [transcript for _, transcript, _, _ in told] == [b"", b""]


@pytest.mark.parametrize("kept", [b"no zlib", zlib.compress(b"0\nupright"), zlib.compress(b"\xff")])
def test_a_damaged_transcript_is_none(kept: bytes) -> None:
    assert Transcripts({"digest": kept}).get("digest") is None


def test_a_scan_without_ocr_is_empty_and_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "reader_of", lambda choice: None)
    with pytest.raises(InputError, match="no OCR is installed") as caught:
        load(picture_file(picture("Some words"), kind="PDF"))
    assert caught.value.outcome == "empty"
    assert "RapidOCR" in caught.value.cure
    assert "tesseract" in caught.value.cure

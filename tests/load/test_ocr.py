"""OCR by each engine that is there: turned, skewed and foreign pages, and which engine is asked."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from load.samples import source
from load.samples_pages import picture, picture_file
from rove.errors import ConfigError, InputError
from rove.ingest.recipe import recipe_of
from rove.load import LoadOptions
from rove.load.discover import load_documents, locate
from rove.load.image import ocr, rapid
from rove.load.image.ocr import SURE, OcrReader, Picture, can_read, reader_of
from rove.load.image.rapid import ReadLine, transcript_of
from rove.load.image.tesseract import TesseractEngine
from rove.load.layout.printed import Word
from rove.load.transcripts import Transcript, Transcripts
from rove.prepare import Preparer, Recipe
from rove.records import Document, PageRead, Prepared, SourceEnd
from rove.sandbox import Limits
from rove.sandbox.pool import Pool
from rove.settings import Settings

CJK = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")
needs_rapid = pytest.mark.skipif(not can_read("rapid"), reason="the extra `scan` is not installed")
needs_tesseract = pytest.mark.skipif(not can_read("tesseract"), reason="tesseract is not installed")
needs_fonts = pytest.mark.skipif(not CJK.is_file(), reason="fonts-noto-cjk is not installed")
engines = pytest.mark.parametrize(
    "engine", [pytest.param("rapid", marks=needs_rapid), pytest.param("tesseract", marks=needs_tesseract)]
)
LINES = [
    "The heron stood in the shallow water",
    "and waited for the fish to come back.",
    "Nobody saw it leave before the dawn,",
    "when 14 boats went out to the islands.",
]


def printed(lines: list[str], *, font: str = "", size: int = 44, width: int = 1240) -> Image.Image:
    """A page of lines of text, black on white, at 200 dots an inch."""
    image = Image.new("L", (width, 300 + 90 * len(lines)), 255)
    chosen = ImageFont.truetype(font, size) if font else ImageFont.load_default(size)
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((150, 150 + 90 * number), line, font=chosen, fill=0)
    return image


def read(image: Image.Image, engine: str) -> Document:
    [document] = load_documents(source("image", picture_file(image), "page.png"), LoadOptions(ocr=engine))
    return document


def ink_within(image: Image.Image, document: Document, words: str) -> tuple[float, float]:
    """The share of a line's box that is dark, and how much of the page the box covers."""
    box = next(one for one in document.boxes if words in document.text[slice(*one.span)])
    across, down = image.size
    cut = image.crop((int(box.left * across), int(box.top * down), int(box.right * across), int(box.bottom * down)))
    return float(np.mean(np.asarray(cut) < 128)), (box.right - box.left) * (box.bottom - box.top)


@engines
@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_a_page_in_any_direction_is_read_and_its_lines_are_found_on_it(engine: str, degrees: int) -> None:
    image = printed([*LINES, *LINES[::-1]]).rotate(degrees, expand=True, fillcolor=255)
    document = read(image, engine)
    assert " ".join(LINES) in " ".join(document.text.split())
    dark, share = ink_within(image, document, "14 boats")
    assert dark > 0.05
    assert share < 0.08


@engines
@pytest.mark.parametrize("degrees", [-2.0, 2.0])
def test_a_skewed_page_keeps_its_lines_apart_and_a_box_covers_its_line(engine: str, degrees: float) -> None:
    image = printed(LINES * 2).rotate(degrees, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    document = read(image, engine)
    assert " ".join(LINES) in " ".join(document.text.split())
    assert ink_within(image, document, "14 boats")[0] > 0.03


@needs_rapid
def test_two_columns_are_read_one_after_the_other() -> None:
    left, right = printed(LINES * 2), printed([line.upper() for line in LINES * 2])
    image = Image.new("L", (2400, left.height), 255)
    image.paste(left.crop((100, 0, 1240, left.height)), (0, 0))
    image.paste(right.crop((100, 0, 1240, left.height)), (1160, 0))
    text = " ".join(read(image, "rapid").text.split())
    assert " ".join(LINES * 2) in text
    assert " ".join(LINES * 2).upper() in text


@needs_rapid
@needs_fonts
@pytest.mark.parametrize(
    "lines",
    [
        ["Комитет собрался 14 марта 2019 года", "и решил повысить ежегодный взнос.", "Опоздавшие получают письмо."],
        ["위원회는 2019년 3월 14일에 열렸으며", "연회비를 인상하기로 결정했습니다.", "회원은 편지를 받습니다."],
    ],
)
def test_a_page_in_a_script_that_rapid_lacks_is_not_kept_as_if_it_were_read(lines: list[str]) -> None:
    documents = load_documents(
        source("image", picture_file(printed(lines, font=str(CJK))), "page.png"), LoadOptions(ocr="rapid")
    )
    with pytest.raises(InputError, match="hardly legible, or in a script") as caught:
        list(documents)
    assert caught.value.outcome in {"partial", "damaged"}


@needs_rapid
@needs_fonts
@pytest.mark.parametrize(
    "lines",
    [["委员会于2019年3月14日召开会议", "决定提高年费。"], ["委員会は三月十四日に開かれ", "値上げを決めました。"]],
)
def test_chinese_and_japanese_lines_have_no_blanks_in_them(lines: list[str]) -> None:
    assert read(printed(lines, font=str(CJK)), "rapid").text.replace("\n", "") == "".join(lines)


@needs_tesseract
@needs_fonts
def test_what_tesseract_has_no_language_for_is_not_kept_as_latin() -> None:
    lines = ["Комитет собрался 14 марта 2019 года", "и решил повысить ежегодный взнос.", "Опоздавшие получают письмо."]
    engine = TesseractEngine()
    if "rus" in engine.installed().split():
        pytest.skip("needs a tesseract without Russian")
    page = Picture(np.asarray(printed(lines, font=str(CJK)), dtype=np.uint8), 200)
    assert engine.read(page, lambda: None).trust < SURE


class Scripted:
    """An engine whose reading is given."""

    def __init__(self, trust: float, word: str) -> None:
        self.said = Transcript(words=(Word(10, 10, 60, 30, word, 16),), trust=trust)
        self.asked = 0

    def installed(self) -> str:
        return "scripted"

    def read(self, picture: Picture, go_on: Callable[[], None]) -> Transcript:
        self.asked += 1
        if not self.said.trust:
            message = "It failed."
            raise InputError(message, cure="None.", outcome="damaged")
        return self.said


@pytest.mark.parametrize(
    ("first", "second", "kept", "doubtful", "asked"),
    [
        (0.99, 0.9, "first", False, 0),
        (0.3, 0.9, "second", False, 1),
        (0.6, 0.3, "first", True, 1),
        (0.0, 0.5, "second", True, 1),
    ],
)
def test_the_second_engine_is_asked_where_the_first_reads_little(
    first: float, second: float, kept: str, doubtful: bool, asked: int
) -> None:
    one, two = Scripted(first, "first"), Scripted(second, "second")
    page = OcrReader((one, two)).read(Picture(np.full((90, 90), 255, np.uint8), 200), 1, 1, Transcripts())
    assert [word.text for word in page.page.words] == [kept]
    assert page.doubtful is doubtful
    assert two.asked == asked


def test_where_every_engine_fails_the_page_fails() -> None:
    with pytest.raises(InputError, match="It failed"):
        OcrReader((Scripted(0.0, ""),)).read(Picture(np.zeros((9, 9), np.uint8), 200), 1, 1, Transcripts())


def test_a_doubtful_page_makes_its_file_one_that_is_read_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "reader_of", lambda choice: OcrReader((Scripted(0.5, "smudge"),)))
    for kind, name in (("PDF", "pdf"), ("TIFF", "image")):
        documents = load_documents(source(name, picture_file(picture("a"), picture("b"), kind=kind), f"scan.{name}"))
        assert next(documents).text.split() == ["smudge", "smudge"]
        with pytest.raises(InputError, match=r"hardly legible, .* 1, 2|hardly legible, .*\(1, 2\)") as caught:
            next(documents)
        assert caught.value.outcome == "partial"


def test_a_line_with_gaps_where_letters_stand_is_not_trusted() -> None:
    quads = np.array([[[0, 0], [800, 0], [800, 40], [0, 40]], [[0, 90], [800, 90], [800, 130], [0, 130]]], np.float32)
    whole = ReadLine("aa bb", (0.1, 0.3, 0.6, 0.9), 0.97)
    made = transcript_of(quads, [whole, ReadLine("14", (0.1, 0.2), 0.3)], 0, (400.0, 100.0))
    assert [word.text for word in made.words] == ["aa", "bb"]
    assert made.trust == pytest.approx((0.97 + 0.3) / 2)


@needs_rapid
def test_rapid_reads_in_the_sandbox_without_network_and_says_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "page.png").write_bytes(picture_file(printed(LINES)))
    pool = Pool(Recipe("none", "none", ocr="rapid"), Limits(), 1)
    found = [item for item in pool.read([(place, "") for place in locate([tmp_path])]) if item is not None]
    pool.close()
    assert [type(item) for item in found] == [PageRead, Prepared, SourceEnd]
    assert isinstance(found[1], Prepared)
    assert "14 boats went out" in found[1].document.text
    assert capfd.readouterr() == ("", "")


@needs_rapid
def test_too_little_memory_for_rapid_is_said(tmp_path: Path) -> None:
    (tmp_path / "page.png").write_bytes(picture_file(printed(LINES * 4)))
    pool = Pool(Recipe("none", "none", ocr="rapid"), Limits(memory_bytes=250_000_000), 1)
    *_, end = [item for item in pool.read([(place, "") for place in locate([tmp_path])]) if item is not None]
    pool.close()
    assert isinstance(end, SourceEnd)
    assert end.outcome in {"damaged", "too-large"}
    assert "max_memory_mb" in end.cure


@needs_rapid
def test_a_page_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rapid, "PAGE_CPU_S", 0.0)
    with pytest.raises(InputError, match="OCR failed on page 1"):
        read(printed(LINES), "rapid")


@needs_rapid
@pytest.mark.parametrize("size", [(1, 1), (3000, 2), (2, 3000), (9000, 40)])
def test_odd_shapes_of_pictures_are_empty(size: tuple[int, int]) -> None:
    with pytest.raises(InputError) as caught:
        read(Image.new("L", size, 255), "rapid")
    assert caught.value.outcome == "empty"


def test_to_ask_what_is_installed_imports_no_engine() -> None:
    asked = "import sys; from rove.load.image.ocr import can_read; can_read()"
    steps = f"{asked}; print(*{{'rapidocr', 'cv2', 'onnxruntime'}} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", steps], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == []


def test_the_setting_takes_the_switch_that_it_was() -> None:
    def ocr_of(value: object) -> str:
        return Settings.model_validate({"load": {"ocr": value}}).load.ocr

    assert [ocr_of(value) for value in (True, False, "true", "false", "rapid")] == [
        "auto",
        "off",
        "auto",
        "off",
        "rapid",
    ]
    assert reader_of("off") is None
    with pytest.raises(ConfigError, match="tesserakt"):
        reader_of("tesserakt")


def test_another_engine_reads_anew_and_auto_is_what_the_switch_was() -> None:
    def pipeline(choice: str) -> str:
        return recipe_of(Settings.model_validate({"load": {"ocr": choice}}), "m", with_chat=False).pipeline

    assert len({pipeline(choice) for choice in ("auto", "off", "rapid", "tesseract")}) == 4


def test_what_was_read_in_part_is_read_again_once_another_engine_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "page.png").write_bytes(picture_file(picture("Some words")))
    [place] = locate([tmp_path])
    monkeypatch.setattr("rove.prepare.reader_of", lambda choice: None)
    monkeypatch.setattr(ocr, "reader_of", lambda choice: None)
    *_, first = Preparer(Recipe("m", "p")).read(place)
    assert isinstance(first, SourceEnd)
    assert first.outcome == "empty"
    *_, again = Preparer(Recipe("m", "p")).read(place, first.fingerprint)
    assert isinstance(again, SourceEnd)
    assert again.unchanged
    reader = OcrReader((Scripted(0.99, "words"),))
    monkeypatch.setattr("rove.prepare.reader_of", lambda choice: reader)
    monkeypatch.setattr(ocr, "reader_of", lambda choice: reader)
    *_, last = Preparer(Recipe("m", "p")).read(place, first.fingerprint)
    assert isinstance(last, SourceEnd)
    assert not last.unchanged
    assert not last.outcome

from __future__ import annotations

import random
from pathlib import Path

import pytest

from load.samples import source
from load.samples_pages import described_png, picture, picture_file
from rove.errors import InputError
from rove.load import LoadOptions
from rove.load.discover import load_documents
from rove.load.image import loader as image
from rove.load.image import ocr
from rove.load.image.loader import ImageLoader
from rove.records import Document

needs_ocr = pytest.mark.skipif(not ocr.can_read(), reason="neither the extra `scan` nor tesseract is installed")


def load(data: bytes, name: str = "picture.png") -> Document:
    [document] = ImageLoader().load(source("image", data, name))
    return document


@pytest.mark.parametrize("text", ["Fünf Wölfe", "őszi tükörfúrógép", "北京的秋天", "東京の地図 [1]"])
def test_what_an_image_says_of_itself_is_its_text(text: str) -> None:
    document = load(described_png(text))
    shown = text.replace("[", "(").replace("]", ")")
    assert document.text == f"![{shown}](picture.png)"
    assert [block.kind for block in document.blocks] == ["image"]
    assert document.metadata == {"width": 40, "height": 30}


def test_without_ocr_an_image_asks_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "reader_of", lambda choice: None)
    with pytest.raises(InputError, match="no OCR is installed") as caught:
        load(picture_file(picture("Some words")))
    assert caught.value.outcome == "empty"
    assert "RapidOCR" in caught.value.cure
    assert "tesseract" in caught.value.cure


def test_where_ocr_is_switched_off_or_not_there_the_setting_is_named() -> None:
    for choice, named in (("off", "load.ocr is 'off'"), ("tesseract", "load.ocr is 'tesseract'")):
        if choice == "tesseract" and ocr.can_read(choice):
            continue
        with pytest.raises(InputError, match=named):
            list(
                ImageLoader(LoadOptions(ocr=choice)).load(source("image", picture_file(picture("Some words")), "x.png"))
            )


def test_too_many_pixels_are_refused_before_they_are_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image, "MAX_PIXELS", 1000)
    with pytest.raises(InputError, match="40 by 30") as caught:
        load(described_png())
    assert caught.value.outcome == "too-large"


@needs_ocr
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP", "BMP"])
def test_text_on_a_picture_is_read_with_its_place(kind: str) -> None:
    document = load(picture_file(picture("A quick brown fox\njumps over the dog"), kind=kind))
    assert "quick brown fox" in document.text
    box = next(box for box in document.boxes if "fox" in document.text[slice(*box.span)])
    assert box.page == 1
    assert 0 < box.left < 0.1
    assert box.right < 0.5
    assert box.bottom < 0.6


@needs_ocr
def test_every_page_of_a_tiff_is_read_and_a_torn_one_in_part() -> None:
    data = picture_file(picture("First page of words"), picture("Second page of words"), kind="TIFF")
    document = load(data, "fax.tif")
    assert [page.number for page in document.pages] == [1, 2]
    assert "Second" in document.text[slice(*document.pages[1].span)]


@needs_ocr
def test_a_picture_without_text_is_empty() -> None:
    with pytest.raises(InputError) as caught:
        load(picture_file(picture("")))
    assert caught.value.outcome == "empty"


def test_bitten_images_end_in_text_or_a_typed_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "reader_of", lambda choice: None)
    chance = random.Random(11)
    for kind in ("PNG", "TIFF", "GIF", "WEBP", "BMP", "JPEG"):
        whole = picture_file(picture("Some words"), kind=kind)
        for _ in range(15):
            bitten = bytearray(whole[: chance.randrange(20, len(whole))])
            for _ in range(6):
                bitten[chance.randrange(len(bitten))] = chance.randrange(256)
            with pytest.raises(InputError) as caught:
                list(load_documents(source("image", bytes(bitten), "x.png")))
            assert caught.value.outcome in {"empty", "damaged", "too-large"}
            assert caught.value.cure


@needs_ocr
@pytest.mark.data
def test_a_real_screenshot_is_read(shared_data: Path) -> None:
    path = next((shared_data / "files").rglob("test_llm.jpg"))
    assert "5bda1dd6" in load(path.read_bytes(), path.name).text

"""Images: what their makers say of them, and the text on them where OCR is there to read it."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from io import BytesIO

import numpy as np
from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

from rove.errors import InputError
from rove.load import LoadOptions
from rove.load.image import FORMATS, MAX_PIXELS, ocr
from rove.load.image.ocr import OcrReader
from rove.load.layout.canonical import canonical_text
from rove.load.layout.furniture import without_furniture
from rove.load.layout.headings import with_headings
from rove.load.layout.order import in_reading_order
from rove.load.layout.printed import Figure, OrderedPage
from rove.load.limits import OutOfTime
from rove.load.markdown import first_title, markdown_sections
from rove.load.text import clean, identify, stem
from rove.load.transcripts import Transcripts
from rove.records import Document, Source

PAGED = ("TIFF",)  # the frames of other formats are the moments of a moving picture: the first one is read
MAX_OCR_PIXELS = 24_000_000
MAX_PAGES = 1_000
SCAN_DPI = (150.0, 1200.0)  # what a scanner says; a camera's or a screen's number means nothing
USUAL_DPI = 150.0
FINE_DPI = 300.0  # what tesseract was made for: coarser pictures are enlarged
DESCRIPTIONS = ("Description", "ImageDescription", "Title", "comment", "Comment")
EXIF_DESCRIPTION = 270
MAX_DESCRIPTION_CHARS = 2_000
CURE = "Open it in its own program and save it again."


DEFAULT = LoadOptions()


class ImageLoader:
    """See `Loader`. The text is the image's own description, if it has one, and what OCR reads on it."""

    def __init__(self, options: LoadOptions = DEFAULT) -> None:
        self.options = options

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        with _open_pillow_image(source) as image:
            described = _description(image)
            width, height = image.size
            sheets = (
                [OrderedPage(1, width, height, (Figure(0, 0, width, height, source.name, described),))]
                if described
                else []
            )
            reader = ocr.reader_of(self.options.ocr)
            missing = _read_frames(image, sheets, reader, self.options.transcripts or Transcripts()) if reader else ""
        if not any(sheet.items for sheet in sheets):
            raise _no_image_text_error(source, missing, self.options.ocr, is_read=reader is not None)
        made = canonical_text(with_headings(without_furniture(sheets), ()))
        sections = markdown_sections(made.text, setext=False)
        yield Document(
            document_id=identify(source),
            source=source.uri,
            kind="image",
            text=made.text,
            title=first_title(sections) or stem(source),
            metadata={"width": width, "height": height},
            sections=sections,
            pages=made.pages,
            blocks=made.blocks,
            boxes=made.boxes,
        )
        if missing:
            message = f"{source.name!r} was read in part: {missing}."
            raise InputError(message, cure=f"{ocr.HELP}, or split it; then add it again.", outcome="partial")


@contextmanager
def _open_pillow_image(source: Source) -> Generator[Image.Image]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)  # the limit here is below Pillow's own
        try:
            image = Image.open(BytesIO(source.data), formats=FORMATS)
        except Image.DecompressionBombError as error:
            raise _too_large_image_error(source, str(error)) from error
        except (UnidentifiedImageError, OSError, ValueError, SyntaxError) as error:
            message = f"{source.name!r} is not a complete image of a known kind: {', '.join(FORMATS)}."
            raise InputError(message, cure=CURE, outcome="damaged") from error
        with image:
            if image.width * image.height > MAX_PIXELS:
                raise _too_large_image_error(source, f"it has {image.width} by {image.height} pixels")
            yield image


def _too_large_image_error(source: Source, why: str) -> InputError:
    message = f"{source.name!r} is too large: {why}, and {MAX_PIXELS} pixels are the limit."
    return InputError(message, cure="Make it smaller, or cut it up.", outcome="too-large")


def _read_frames(image: Image.Image, sheets: list[OrderedPage], reader: OcrReader, transcripts: Transcripts) -> str:
    """Add the pages that OCR reads to `sheets`; return what could not be read, "" where nothing is missing."""
    failed: list[int] = []
    doubtful: list[int] = []
    frames = ImageSequence.Iterator(image) if image.format in PAGED else iter([image])
    number, count = 0, getattr(image, "n_frames", 1) if image.format in PAGED else 1
    try:
        for number, frame in enumerate(frames, 1):
            if number > MAX_PAGES or transcripts.is_over:
                return f"OCR ended before page {number}"
            try:
                read = reader.read(_picture(frame), number, count, transcripts)
                sheet = in_reading_order(read.page)
                doubtful += [number] * read.doubtful
            except (InputError, OSError, ValueError, SyntaxError):  # the last three are Pillow's, for damaged data
                failed.append(number)
                sheet = OrderedPage(number, frame.width, frame.height)
            _add(sheet, sheets)
    except OutOfTime:
        return f"its time was up at page {number}"
    except (OSError, ValueError, SyntaxError):
        return f"it is damaged after page {number}"
    missing = [f"OCR failed on page {', '.join(map(str, failed))}"] if failed else []
    return "; ".join(missing + ocr.doubts(doubtful, lambda pages: f"page {', '.join(map(str, pages))}"))


def _add(sheet: OrderedPage, sheets: list[OrderedPage]) -> None:
    """Put a page after the others; the first may be there already, with the description on it."""
    if sheet.number > len(sheets):
        sheets.append(sheet)
        return
    page = sheets[0].items[0]
    figure = Figure(0.0, 0.0, sheet.width, sheet.height, page.name, page.says) if isinstance(page, Figure) else page
    sheets[0] = OrderedPage(1, sheet.width, sheet.height, (figure, *sheet.items), turns=sheet.turns, skew=sheet.skew)


def _picture(frame: Image.Image) -> ocr.Picture:
    """Make a picture for OCR: upright as its camera was held, grey on white, fine enough and not too large."""
    dpi = float(frame.info.get("dpi", (0.0,))[0] or 0.0)
    dpi = dpi if SCAN_DPI[0] <= dpi <= SCAN_DPI[1] else USUAL_DPI
    upright = ImageOps.exif_transpose(frame)
    if upright.has_transparency_data:
        upright = upright.convert("RGBA")
        upright = Image.alpha_composite(Image.new("RGBA", upright.size, "white"), upright)
    grey = upright.convert("L")
    scale = min(max(FINE_DPI / dpi, 1.0), (MAX_OCR_PIXELS / (grey.width * grey.height)) ** 0.5)
    if scale != 1.0:
        grey = grey.resize((max(1, round(grey.width * scale)), max(1, round(grey.height * scale))))
    return ocr.Picture(np.asarray(grey, dtype=np.uint8), dpi * scale)


def _description(image: Image.Image) -> str:
    """Return what the file says that the picture shows."""
    said = [image.info.get(key) for key in DESCRIPTIONS]
    said.append(image.getexif().get(EXIF_DESCRIPTION))
    texts = (text.decode("utf-8", "replace") if isinstance(text, bytes) else text for text in said)
    found = (" ".join(clean(text).split()) for text in texts if isinstance(text, str))
    return next((text[:MAX_DESCRIPTION_CHARS] for text in found if text.isprintable() and len(text) > 1), "")


def _no_image_text_error(source: Source, missing: str, choice: str, *, is_read: bool) -> InputError:
    if is_read:
        message = f"{source.name!r} shows no text that OCR can read{f': {missing}' if missing else ''}."
        if missing:
            cure = f"{ocr.HELP}, or raise load.max_memory_mb; then add it again."
            return InputError(message, cure=cure, outcome="damaged")
        return InputError(message, cure="Leave it out, or describe it in a text.", outcome="empty")
    message = f"{source.name!r} is an image, and {ocr.lacking(choice)} to read its text."
    return InputError(message, cure=ocr.install_ocr(choice), outcome="empty")

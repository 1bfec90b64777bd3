"""Draws a page, or the picture NAME in there: `python -m rove.serve.pages.draw KIND PAGE SCALE DIGEST FILE [NAME]`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import cast

import pypdfium2
from PIL import Image, ImageOps

from rove.load.image import FORMATS, MAX_PIXELS
from rove.load.inside import picture_inside
from rove.records import Source
from rove.sandbox import Limits
from rove.sandbox.jail import SourceTimer, lock

WIDTH_PX, MAX_HEIGHT_PX = 1_400, 4_200
"""Of a picture at scale 1; at 2 it is twice as wide and as high."""
LIMITS = Limits(cpu_s=20, wall_s=25, memory_bytes=1_000_000_000)


def draw_pdf(data: bytes, page: int, scale: int) -> Image.Image:
    """Draw a page: at most so wide and so high, whatever the file says of itself."""
    pdf = pypdfium2.PdfDocument(data)
    pdf.init_forms()  # pyright: ignore[reportUnknownMemberType]
    sheet = pdf[page - 1]
    width, height = sheet.get_size()
    fit = scale * min(WIDTH_PX / max(width, 1), MAX_HEIGHT_PX / max(height, 1))
    return cast("Image.Image", sheet.render(scale=fit, may_draw_forms=True).to_pil())  # pyright: ignore[reportUnknownMemberType]


def draw_image(data: bytes, page: int, scale: int) -> Image.Image:
    """Draw an image, or a page of one that has several, upright as its camera was held."""
    image = Image.open(BytesIO(data), formats=FORMATS)
    if image.width * image.height > MAX_PIXELS:
        message = f"{image.width} by {image.height} pixels are too many."
        raise ValueError(message)
    if page > 1:
        image.seek(page - 1)
    room = (scale * WIDTH_PX, scale * MAX_HEIGHT_PX)
    image.draft("RGB", room)
    drawn = ImageOps.exif_transpose(image)
    drawn.thumbnail(room)
    if not drawn.has_transparency_data:
        return drawn.convert("RGB")
    return Image.alpha_composite(Image.new("RGBA", drawn.size, "white"), drawn.convert("RGBA"))


DRAWING: dict[str, Callable[[bytes, int, int], Image.Image]] = {"pdf": draw_pdf, "image": draw_image}


def draw(kind: str, page: int, scale: int, digest: str, file: Path, name: str = "") -> None:
    """Draw a page to the standard output, of the very bytes that hash to this SHA-256; `name`: the picture in there.

    Raises:
        ValueError: the file has others.
    """
    data = file.read_bytes()
    if sha256(data).hexdigest() != digest:
        message = f"{file} is not what was read."
        raise ValueError(message)
    if name:
        kind, data = "image", picture_inside(Source(str(file), file.name, data, kind), name)
    DRAWING[kind](data, page, scale).save(sys.stdout.buffer, "PNG")


if __name__ == "__main__":
    lock(LIMITS)
    SourceTimer(LIMITS).begin(0)
    draw(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4], Path(sys.argv[5]), *sys.argv[6:])

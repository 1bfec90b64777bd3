"""The process that draws a page, `python -m rove.serve.drawing FILE PAGE`: bounded, no network, nothing written."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import cast

import pypdfium2
from PIL.Image import Image

from rove.sandbox import Limits
from rove.sandbox.jail import Clock, lock

WIDTH_PX, MAX_HEIGHT_PX = 1_400, 4_200
LIMITS = Limits(cpu_s=20, wall_s=25, memory_bytes=1_000_000_000)


def draw(path: Path, page: int) -> None:
    """Draw a page to the standard output: at most so wide and so high, whatever the file says of itself."""
    pdf = pypdfium2.PdfDocument(path)
    pdf.init_forms()  # pyright: ignore[reportUnknownMemberType]
    sheet = pdf[page - 1]
    width, height = sheet.get_size()
    scale = min(WIDTH_PX / max(width, 1), MAX_HEIGHT_PX / max(height, 1))
    drawn = cast("Image", sheet.render(scale=scale, may_draw_forms=True).to_pil())  # pyright: ignore[reportUnknownMemberType]
    drawn.save(sys.stdout.buffer, "PNG")


if __name__ == "__main__":
    lock(LIMITS)
    Clock(LIMITS).begin(0)
    draw(Path(sys.argv[1]), int(sys.argv[2]))

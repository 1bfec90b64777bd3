"""Boxes as bytes: what a catalog keeps and a pipe carries of thousands of them."""

from __future__ import annotations

import sys
import zlib
from array import array
from collections.abc import Sequence

from rove.records.document import Box

STEPS = 65_535
SPARE_BOXES = 10_000
"""So many more than characters there may be, where the characters are known."""
COLUMNS = 7


def pack_boxes(boxes: Sequence[Box]) -> bytes:
    """Pack boxes, column by column, as little-endian 32-bit words: edges in 65,535ths of the page. b"" for none.

    >>> unpack_boxes(pack_boxes([Box((0, 5), 1, 0.0, 0.2, 1.0, 0.4)]))
    (Box(span=(0, 5), page=1, left=0.0, top=0.2, right=1.0, bottom=0.4),)
    """
    if not boxes:
        return b""
    words = array("I")
    words.extend(box.span[0] for box in boxes)
    words.extend(box.span[1] for box in boxes)
    words.extend(box.page for box in boxes)
    for edge in ("left", "top", "right", "bottom"):
        words.extend(round(min(1.0, max(0.0, getattr(box, edge))) * STEPS) for box in boxes)
    return zlib.compress(_little_endian(words).tobytes(), level=1)


def unpack_boxes(packed: bytes, chars: int | None = None) -> tuple[Box, ...]:
    """Read boxes back; edges are exact to 1/65,535 of the page. `chars`: of the text, where it may not be trusted.

    Raises:
        ValueError: the bytes are not what `pack_boxes` writes.
    """
    if not packed:
        return ()
    words = array("I")
    try:
        most = 0 if chars is None else (chars + SPARE_BOXES) * COLUMNS * words.itemsize
        unpacking = zlib.decompressobj()
        words.frombytes(unpacking.decompress(packed, most))
    except zlib.error as error:
        message = f"{len(packed)} bytes are no packed boxes: {error}"
        raise ValueError(message) from error
    if not unpacking.eof or len(words) % COLUMNS:
        message = f"{len(packed)} bytes are no packed boxes: there is more than there may be, or less"
        raise ValueError(message)
    words = _little_endian(words)
    count = len(words) // COLUMNS
    columns = [words[start : start + count] for start in range(0, count * COLUMNS, count)]
    return tuple(
        Box((start, end), page, left / STEPS, top / STEPS, right / STEPS, bottom / STEPS)
        for start, end, page, left, top, right, bottom in zip(*columns, strict=True)
    )


def _little_endian(words: array[int]) -> array[int]:
    if sys.byteorder == "big":
        words.byteswap()
    return words

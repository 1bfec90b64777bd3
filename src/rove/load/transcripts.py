"""What OCR has said of the pictures of one source, and how long it may go on.

OCR takes seconds a page. So what it said is reported picture by picture and can be kept, and a source whose reading was
cut off goes on at the picture where it stopped.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic

MAX_S = 14_400.0
MAX_BYTES = 64 << 20
"""A transcript that unpacks to more bytes is taken for damaged."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What OCR said of one picture: the quarter turns that set it upright, and its table of words."""

    turns: int
    table: str

    def packed(self) -> bytes:
        """Write it down in few bytes."""
        return zlib.compress(b"%d\n" % self.turns + self.table.encode())

    @classmethod
    def unpacked(cls, data: bytes) -> Transcript:
        """Read it back.

        Raises:
            ValueError: these bytes are no transcript.
        """
        unpacking = zlib.decompressobj()
        try:
            turns, _, table = unpacking.decompress(data, MAX_BYTES).decode().partition("\n")
        except zlib.error as error:
            raise ValueError(str(error)) from error
        return cls(int(turns), table)


def _drop(digest: str, transcript: bytes, page: int, pages: int) -> None:
    """Keep nothing."""


@dataclass(slots=True)
class Transcripts:
    """The pictures of one source, of files within it too.

    `known`: packed transcripts by the digest of their picture. `tell` is told of each picture with its digest, its
    packed transcript (b"" for one that was known), the number of its page and that of the last. `max_s` seconds after
    the first question no further picture is begun.
    """

    known: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    tell: Callable[[str, bytes, int, int], None] = _drop
    max_s: float = MAX_S
    began: float = 0.0

    @property
    def is_over(self) -> bool:
        """Say whether the time for OCR is used up."""
        self.began = self.began or monotonic()
        return monotonic() - self.began >= self.max_s

    def get(self, digest: str) -> Transcript | None:
        """What is known of a picture."""
        try:
            return Transcript.unpacked(self.known[digest]) if digest in self.known else None
        except ValueError:  # what was kept is damaged: the picture is read again
            return None

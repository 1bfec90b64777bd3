"""What OCR has said of the pictures of one source, and how long it may go on.

OCR takes seconds a page. So what it said is reported picture by picture and can be kept, and a source whose reading was
cut off goes on at the picture where it stopped.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic

import msgspec

from rove.load.layout.printed import Word

MAX_S = 14_400.0
MAX_BYTES = 64 << 20
"""A transcript that unpacks to more bytes is taken for damaged."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What OCR said of one picture, in its pixels once it is set upright.

    `turns`: the quarter turns to the right that set it upright; `skew`: the degrees by which its lines then still fall
    to the right, which the places of the words no longer have. `trust`, 0 to 1: the share of what is printed that was
    read for sure. `aside`: lines that run another way, each as one word.
    """

    turns: int = 0
    words: tuple[Word, ...] = ()
    aside: tuple[Word, ...] = ()
    skew: float = 0.0
    trust: float = 1.0

    def packed(self) -> bytes:
        """Write it down in few bytes."""
        return zlib.compress(msgspec.msgpack.encode(self))

    @classmethod
    def unpacked(cls, data: bytes) -> Transcript:
        """Read it back.

        Raises:
            ValueError: these bytes are no transcript.
        """
        try:
            return msgspec.msgpack.decode(zlib.decompressobj().decompress(data, MAX_BYTES), type=cls)
        except (zlib.error, msgspec.DecodeError) as error:
            raise ValueError(str(error)) from error


def _discard_transcript(digest: str, transcript: bytes, page: int, pages: int) -> None:
    """Keep nothing."""


def _go_on() -> None:
    """Let the time run on."""


@dataclass(slots=True)
class Transcripts:
    """The pictures of one source, of files within it too.

    `known`: packed transcripts by the digest of their picture. `tell` is told of each picture with its digest, its
    packed transcript (b"" for one that was known), the number of its page and that of the last. `max_s` seconds after
    the first question no further picture is begun. `go_on` is called while a picture is read, as often as some lines
    of it are: the time that one source may take begins anew.
    """

    known: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    tell: Callable[[str, bytes, int, int], None] = _discard_transcript
    max_s: float = MAX_S
    go_on: Callable[[], None] = _go_on
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

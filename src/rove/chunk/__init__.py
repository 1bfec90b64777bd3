"""Stage 2 of 6: cut a Document into Chunks whose spans are exact.

A new strategy is one file with a `Chunker`, one line in `CHUNKERS`, and a place in `SUPPORTED`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from rove.errors import ConfigError
from rove.records import Document
from rove.registry import Registry


@dataclass(frozen=True, slots=True)
class CutSettings:
    """How to cut: lengths in characters; `separator` and `merge` are read by the strategies that split at one.

    Raises:
        ConfigError: a length is out of range, the overlap is not below the size, or the separator is empty.
    """

    size_chars: int = 512
    overlap_chars: int = 50
    separator: str = "\n"
    merge: bool = False

    def __post_init__(self) -> None:
        if self.size_chars < 1:
            message = f"size_chars is {self.size_chars}; a chunk holds at least 1 character."
            raise ConfigError(message, cure="Set it to 512 or so.")
        if not 0 <= self.overlap_chars < self.size_chars:
            message = f"overlap_chars is {self.overlap_chars}, and must be at least 0 and below size_chars."
            raise ConfigError(message, cure=f"Choose 0 to {self.size_chars - 1}; a tenth of the size is usual.")
        if not self.separator:
            message = "The separator is empty."
            raise ConfigError(message, cure='Give the text to split at, as "\\n".')


class Chunker(Protocol):
    """Cuts one document. Pure: the same document and settings give the same spans."""

    def __init__(self, settings: CutSettings) -> None: ...

    def spans(self, document: Document) -> list[tuple[int, int]]:
        """Return the pieces as spans (start, end) into `document.text`, none blank.

        Starts and ends both rise strictly. Every character that is not white space lies in at least one span; spans
        carry no white space at their ends.
        """
        ...


CHUNKERS = Registry(
    "chunk",
    {
        "size": "rove.chunk.size:SizeChunker",
        "page": "rove.chunk.page:PageChunker",
        "paragraph": "rove.chunk.paragraph:ParagraphChunker",
        "separator": "rove.chunk.separator:SeparatorChunker",
        "header": "rove.chunk.header:HeaderChunker",
    },
)

# Document kind → the strategies that make sense for it, the default first. A kind that is not here is cut as "text".
SUPPORTED: dict[str, tuple[str, ...]] = {
    "pdf": ("size", "page", "separator"),
    "pptx": ("size", "page", "separator"),
    "docx": ("size", "paragraph", "separator"),
    "markdown": ("header", "size", "separator"),
    "text": ("size", "separator"),
    "html": ("size", "separator"),
    "url": ("size", "separator"),
    "csv": ("size", "separator"),
    "xlsx": ("size", "separator"),
    "json": ("size", "separator"),
    "xls": ("size", "separator"),
    "ods": ("size", "separator"),
    "parquet": ("size", "separator"),
    "sqlite": ("size", "separator"),
    "database": ("size", "separator"),
    "xml": ("size", "header", "separator"),
    "ipynb": ("size", "header", "separator"),
    "rst": ("size", "header", "separator"),
    "string": ("size", "separator"),
}

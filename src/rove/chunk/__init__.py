"""Stage 2 of 7: cut a Document into Chunks whose spans are exact.

A new strategy is one file with a `Chunker`, one line in `CHUNKERS`, and a place in `SUPPORTED`. One that needs a model
is a `ModelChunker` in `MODEL_CHUNKERS`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rove.errors import ConfigError
from rove.records import Document, Section
from rove.records.document import Span
from rove.registry import Registry

if TYPE_CHECKING:  # reading and cutting run in a process of their own, which needs no model
    from rove.models import ChatModel, Embedder


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


@dataclass(frozen=True, slots=True)
class Pieces:
    """How a document was cut.

    `sections` are those that the strategy found itself, None where it used the document's. `parents`, in order and
    apart, are the larger spans to read where a piece within them is found. `note` is what a user should know.
    """

    spans: Sequence[Span]
    sections: tuple[Section, ...] | None = None
    parents: Sequence[Span] = ()
    note: str = ""


class Chunker(Protocol):
    """Cuts one document. Pure: the same document and settings give the same spans."""

    def __init__(self, settings: CutSettings) -> None: ...

    def spans(self, document: Document) -> list[Span]:
        """Return the pieces as spans (start, end) into `document.text`, none blank.

        Starts and ends both rise strictly. Every character that is not white space lies in at least one span; spans
        carry no white space at their ends.
        """
        ...


class StructuredChunker(ABC):
    """A `Chunker` that finds more than spans: it inherits from this."""

    @abstractmethod
    def pieces(self, document: Document) -> Pieces:
        """Return the spans, as `Chunker.spans` does, with sections or parents."""


@dataclass(frozen=True, slots=True)
class ChunkModels:
    """The models that a strategy may use; `chat` is None where none is configured."""

    embedder: Embedder
    chat: ChatModel | None = None


class ModelChunker(Protocol):
    """Cuts one document with the help of models, so it cannot run where documents are read."""

    def __init__(self, settings: CutSettings, models: ChunkModels) -> None: ...

    async def pieces(self, document: Document) -> Pieces:
        """Return the pieces; their spans are as `Chunker.spans` promises.

        Raises:
            ServiceError: the embedder failed.
        """
        ...


CHUNKERS = Registry(
    "chunker",
    "rove.chunkers",
    {
        "size": "rove.chunk.size:SizeChunker",
        "page": "rove.chunk.page:PageChunker",
        "paragraph": "rove.chunk.paragraph:ParagraphChunker",
        "separator": "rove.chunk.separator:SeparatorChunker",
        "header": "rove.chunk.header:HeaderChunker",
        "recursive": "rove.chunk.recursive:RecursiveChunker",
        "sentence": "rove.chunk.sentence:SentenceChunker",
        "outline": "rove.chunk.outline:OutlineChunker",
        "parent": "rove.chunk.parent:ParentChunker",
        "columns": "rove.chunk.table_columns:TableColumnsChunker",
    },
)

MODEL_CHUNKERS = Registry(
    "chunker with a model",
    "rove.model_chunkers",
    {
        "semantic": "rove.chunk.semantic:SemanticChunker",
        "outline": "rove.chunk.outline_model:ModelOutlineChunker",
    },
)

ANY_KIND = ("outline", "parent", "semantic", "recursive")
"""Strategies that make sense for every kind; "sentence" does too, and is the default of most."""

_PLAIN = ("sentence", "size", "separator", *ANY_KIND)
_PAGED = ("sentence", "size", "page", "separator", *ANY_KIND)
_WRITTEN = ("sentence", "size", "paragraph", "separator", *ANY_KIND)
_HEADED = ("header", "size", "separator", "sentence", *ANY_KIND)

# Document kind → the strategies that make sense for it, the default first. A kind that is not here is cut as "text".
SUPPORTED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("pdf", "pptx", "odp", "image"), _PAGED),
    **dict.fromkeys(("docx", "odt", "rtf"), _WRITTEN),
    **dict.fromkeys(("markdown", "rst", "ipynb", "ics", "vcf"), _HEADED),
    **dict.fromkeys(("text", "txt", "string", "html", "mhtml", "url", "epub", "eml", "msg", "xml", "json"), _PLAIN),
    **dict.fromkeys(("csv", "xlsx", "xls", "ods", "sqlite", "database", "parquet", "zip"), _PLAIN),
    "schema": ("columns", *_PLAIN),
    "posts": ("recursive", "size", "separator", "sentence", "outline", "parent", "semantic"),
}

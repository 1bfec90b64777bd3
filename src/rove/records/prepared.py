"""What reading hands on: documents that are ready to be embedded and kept, and how each source ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rove.records.chunk import Chunk
from rove.records.document import Document
from rove.records.identity import content_hash


@dataclass(frozen=True, slots=True)
class Prepared:
    """A document that is ready to be kept: its chunks, each with its terms and the key of its vector.

    `ledger_source` is the source that was given, in which the document was found. `signature` is what duplicates are
    found by, b"" where it has not been made. `names` are the keys of the names in each chunk, space-joined; none at all
    where they have not been looked for. `origin` is the SHA-256 of the file that it was read from, in hex, "" where
    that has no pages to be drawn. `version` is the document's, which the ids of the chunks are made of.
    """

    ledger_source: str
    fingerprint: str
    document: Document
    chunks: Sequence[Chunk]
    terms: Sequence[str]
    vector_keys: Sequence[str]
    signature: bytes = b""
    names: Sequence[str] = ()
    origin: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class SourceEnd:
    """How the reading of a source ended; it comes after all its documents.

    `outcome`, `reason` and `cure` are the ledger's, "" where it was read whole. `fingerprint` hashes the source's bytes
    and all that they were read with; `unchanged` says that it is the one that is live, and nothing was read. A `reason`
    without an outcome is a remark: what was left out by rule.
    """

    source: str
    kind: str = ""
    fingerprint: str = ""
    outcome: str = ""
    reason: str = ""
    cure: str = ""
    unchanged: bool = False


@dataclass(frozen=True, slots=True)
class PageRead:
    """Page `page` of `pages` of a source, or of a file in it, that OCR has read; it comes while the rest is read.

    `digest` names the picture; `transcript` is what OCR said of it, packed, b"" where that was known before.
    """

    source: str
    digest: str
    transcript: bytes
    page: int
    pages: int


def vector_key(model: str, text: str) -> str:
    """Name the vector of a text: the same text under the same model (its fingerprint, as text) has one name."""
    return content_hash(model, text)

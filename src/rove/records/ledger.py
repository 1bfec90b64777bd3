"""What became of everything that was given to `add`: nothing is dropped in silence."""

from __future__ import annotations

from dataclasses import dataclass

UNFINISHED = ("queued", "loaded", "chunked", "embedded", "indexed")
STATES = (*UNFINISHED, "live", "failed")
OUTCOMES = ("empty", "unreadable", "encrypted", "unsupported", "too-large", "too-slow", "damaged", "partial",
            "duplicate", "service")  # fmt: skip

UPLOADED = "upload:"
"""What the source of something that was handed in to a server begins with; the server has it, and takes it up again."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """The state of one source: one of `STATES`; where it failed, `outcome`, why, and what to do about it.

    `outcome` is "" for a source that went in whole (a `reason` is then a remark), else one of `OUTCOMES`; `kind` is the
    loader that read it, "" where none did.
    """

    source: str
    state: str
    outcome: str = ""
    reason: str = ""
    cure: str = ""
    attempt: int = 1
    fingerprint: str = ""
    documents: int = 0
    chunks: int = 0
    updated_at: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A document that says the same as an earlier one, `of`, from `of_source`; `kept` is False where it was left out.

    `similarity` is 1 where `exact`, else about the share of their runs of characters that both have (Jaccard).
    """

    document_id: str
    source: str
    ledger_source: str
    of: str
    of_source: str
    similarity: float
    exact: bool
    kept: bool


@dataclass(frozen=True, slots=True)
class KindCount:
    """What came of the sources of one kind (a loader's name; "" where none could be told)."""

    kind: str
    added: int = 0
    unchanged: int = 0
    failed: int = 0
    documents: int = 0
    chunks: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """What one `add` did. Counts are of sources, save `documents` and `chunks`, which count what went in anew.

    `failed` are those with an outcome, partly read ones included; `noted` those that went in with a remark.
    `removed` counts documents whose files have gone from a watched folder; the tokens are what a chat
    model read and wrote to cut documents.
    """

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    failed: tuple[LedgerEntry, ...] = ()
    documents: int = 0
    chunks: int = 0
    seconds: float = 0.0
    embed_seconds: float = 0.0
    noted: tuple[LedgerEntry, ...] = ()
    duplicates: tuple[Duplicate, ...] = ()
    kinds: tuple[KindCount, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0
    removed: int = 0

    @property
    def ok(self) -> bool:
        """True when every source went in."""
        return not self.failed

"""What became of everything that was given to `add`: nothing is dropped in silence."""

from __future__ import annotations

from dataclasses import dataclass

UNFINISHED = ("queued", "loaded", "chunked", "embedded", "indexed")
STATES = (*UNFINISHED, "live", "failed")
OUTCOMES = ("empty", "unreadable", "encrypted", "unsupported", "too-large", "too-slow", "damaged", "partial",
            "duplicate", "service")  # fmt: skip


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """The state of one source: one of `STATES`; where it failed, `outcome`, why, and what to do about it.

    `outcome` is "" for a source that went in whole, else one of `OUTCOMES`; `kind` is the loader that read it, "" where
    none did.
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
class Report:
    """What one `add` did. Counts are of sources, save `documents` and `chunks`, which count what went in anew."""

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    failed: tuple[LedgerEntry, ...] = ()
    documents: int = 0
    chunks: int = 0
    seconds: float = 0.0
    embed_seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """True when every source went in."""
        return not self.failed

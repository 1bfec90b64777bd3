"""What became of everything that was given to `add`: nothing is dropped in silence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

UNFINISHED = ("queued", "loaded", "chunked", "embedded", "indexed")
STATES = (*UNFINISHED, "live", "failed")
OUTCOMES = ("empty", "unreadable", "encrypted", "unsupported", "too-large", "too-slow", "damaged", "partial",
            "duplicate", "service", "gone")  # fmt: skip
GONE = "gone"
"""The outcome of a source that is live, and whose file is not there any more."""

MOST_NAMED = 3
"""Chunks that were lost of which an entry says where they stand."""
RETRY = "Add it again to try these chunks again."

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
class LostChunk:
    """A chunk that could not be kept, and why; `whole` where nothing of its document could.

    `span` lies in the canonical text of the document.
    """

    ledger_source: str
    document_id: str
    span: tuple[int, int]
    reason: str
    cure: str = ""
    whole: bool = False


def without(entry: LedgerEntry, lost: Sequence[LostChunk]) -> LedgerEntry:
    """Return the entry of a source that went in but for these chunks. It is read again when it is added again."""
    left = entry.documents - len({one.document_id for one in lost if one.whole})
    where = ", ".join(f"{start}–{end}" for start, end in [one.span for one in lost[:MOST_NAMED]])
    more = f" and {len(lost) - MOST_NAMED} more" if len(lost) > MOST_NAMED else ""
    reason = f"{len(lost)} of {max(entry.chunks, len(lost))} chunks could not be kept (characters {where}{more})"
    return replace(
        entry,
        state="live" if left > 0 else "failed",
        outcome="partial" if left > 0 else "service",
        reason=" ".join(filter(None, [entry.reason, f"{reason}: {lost[0].reason}"])),
        cure=" ".join(dict.fromkeys(filter(None, [entry.cure, lost[0].cure, RETRY]))),
        fingerprint="",
        documents=max(0, left),
        chunks=max(0, entry.chunks - len(lost)),
    )


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
class SkippedPath:
    """What a folder holds and is not read, by its path, and why: a pipe, or a link that leads nowhere."""

    path: str
    reason: str


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
    `removed` counts documents whose files have gone; the tokens are what a chat model read and wrote to cut documents.
    `system_files` counts what is hidden in folders, and what programs leave there: lock files, thumbnails, ".git".
    `skipped` are links and other things in folders that are not read.
    `moved` counts sources that lie elsewhere by now, with the same bytes: their documents stay what they are.
    `vanished` are those of a folder that are gone from it, or ignored by now, and are still in the base.
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
    system_files: int = 0
    skipped: tuple[SkippedPath, ...] = ()
    moved: int = 0
    vanished: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """True when every source went in."""
        return not self.failed

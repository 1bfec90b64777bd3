"""Duplicates on the way in: documents that say the same as an earlier one are reported, or left out when asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rove.enrich.signature import compared_text, signatures
from rove.records import Duplicate, Prepared
from rove.store.duplicates import Duplicates, NearDuplicate, Signed

SAME = 0.95
"""From this similarity on a document is left out where that is asked for; below, the difference may matter."""


class Deduplicator:
    """`mode` is "report", "skip" or "off"."""

    def __init__(self, duplicates: Duplicates, mode: str) -> None:
        self.duplicates = duplicates
        self.mode = mode

    def sift(self, prepared: Sequence[Prepared]) -> tuple[list[Prepared], list[Duplicate]]:
        """Return the documents that are to be kept, signed, and those that say the same as an earlier one."""
        if self.mode == "off" or not prepared:
            return list(prepared), []
        signed = _with_signatures(prepared)
        asked = [Signed(item.document.document_id, item.signature, item.document.source) for item in signed]
        found = self.duplicates.find(asked)
        alike = [
            Duplicate(
                item.document.document_id,
                item.document.source,
                item.ledger_source,
                duplicate.document_id,
                duplicate.source,
                round(duplicate.similarity, 3),
                duplicate.exact,
                kept=not self._leaves_out(duplicate),
            )
            for item, duplicate in zip(signed, found, strict=True)
            if duplicate is not None
        ]
        kept = [
            item
            for item, duplicate in zip(signed, found, strict=True)
            if duplicate is None or not self._leaves_out(duplicate)
        ]
        return kept, alike

    def _leaves_out(self, duplicate: NearDuplicate) -> bool:
        return self.mode == "skip" and (duplicate.exact or duplicate.similarity >= SAME)


def _with_signatures(prepared: Sequence[Prepared]) -> list[Prepared]:
    """Sign those that were read in this process; those from the sandbox come with their signature."""
    todo = [number for number, item in enumerate(prepared) if not item.signature]
    made = signatures([compared_text(prepared[number].document) for number in todo]) if todo else []
    out = list(prepared)
    for number, signature in zip(todo, made, strict=True):
        out[number] = replace(out[number], signature=signature)
    return out

"""Counts what one `add` does, and makes the report of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rove.ingest.batch import FinishedSource
from rove.ingest.model_cutting import CutNotes
from rove.load.folder_files import LeftOut
from rove.models.usage import Usage
from rove.records import Duplicate, LedgerEntry, Prepared, Report
from rove.records.ledger import KindCount, LostChunk

ALL_KEPT = 'Set load.duplicates to "report" to keep both.'


class ReportBuilder:
    """Counts. Told by the ingest of everything that it does."""

    def __init__(self) -> None:
        self.documents = 0
        self._replaced = self._chunks = self._added = self._unchanged = 0
        self._embed_seconds = 0.0
        self._usage = Usage()
        self._failed: list[LedgerEntry] = []
        self._noted: list[LedgerEntry] = []
        self._duplicates: list[Duplicate] = []
        self._dropped: dict[str, list[Duplicate]] = {}
        self._cut_chunks = Counter[str]()
        self._said: dict[str, str] = {}
        self._kinds: dict[str, Counter[str]] = {}

    def embedded(self, replaced: int, seconds: float) -> None:
        """Documents that were there before, and the embedder's own time."""
        self._replaced += replaced
        self._embed_seconds += seconds

    def noticed(self, alike: Sequence[Duplicate], notes: CutNotes, said: Mapping[str, str]) -> None:
        """Duplicates, and what cutting with models had to say, and putting in corrections, by source."""
        self._duplicates += alike
        for duplicate in alike:
            if not duplicate.kept:
                self._dropped.setdefault(duplicate.ledger_source, []).append(duplicate)
        self._usage += notes.usage
        self._cut_chunks.update(notes.chunks)
        self._said |= {**notes.said, **said}

    def kept(self, fresh: Sequence[Prepared], lost: Sequence[LostChunk]) -> None:
        """Documents that are live now, but for the chunks that were lost last."""
        self.documents += len(fresh) - len({one.document_id for one in lost if one.whole})
        self._chunks += sum(len(item.chunks) for item in fresh) - len(lost)

    def settled(self, entry: LedgerEntry) -> LedgerEntry:
        """Return the entry of a source with what is known of it only now: duplicates left out, chunks, notes."""
        if not any(entry.source in noted for noted in (self._dropped, self._cut_chunks, self._said)):
            return entry
        dropped = self._dropped.get(entry.source, [])
        entry = replace(
            entry,
            documents=max(0, entry.documents - len(dropped)),
            chunks=self._cut_chunks.get(entry.source, entry.chunks),
            reason=" ".join(filter(None, [entry.reason, self._said.get(entry.source, "")])),
        )
        if dropped and not entry.documents and entry.state == "live":
            reason = f"{entry.source} says the same as {dropped[0].of_source}."
            return replace(entry, state="failed", outcome="duplicate", reason=reason, cure=ALL_KEPT, chunks=0)
        return entry

    def ended(self, finished: Sequence[FinishedSource]) -> None:
        """Sources that are done with."""
        for done in finished:
            entry = done.entry
            kind = self._kinds.setdefault(entry.kind, Counter())
            if done.unchanged:
                self._unchanged += 1
                kind["unchanged"] += 1
                continue
            whole = entry.state == "live" and not entry.outcome
            self._added += whole
            kind["added"] += whole
            if whole or done.document_ids:  # what is still there from before came in earlier
                kind["documents"] += entry.documents
                kind["chunks"] += entry.chunks
            if entry.outcome and entry.outcome != "duplicate":
                self._failed.append(entry)
                kind["failed"] += 1
            elif entry.reason and not entry.outcome:
                self._noted.append(entry)

    def noted(self, entry: LedgerEntry) -> None:
        """A remark that is of no source."""
        self._noted.append(entry)

    def lost(self, entries: Sequence[LedgerEntry]) -> None:
        """Sources of which something was lost after they had ended."""
        sources = {entry.source for entry in entries}
        self._failed = [entry for entry in self._failed if entry.source not in sources] + list(entries)

    def report(self, seconds: float, left_out: LeftOut) -> Report:
        """Say it all; `left_out`: of the folders."""
        return Report(
            added=self._added,
            replaced=self._replaced,
            unchanged=self._unchanged,
            failed=tuple(sorted(self._failed, key=lambda entry: entry.source)),
            documents=self.documents,
            chunks=self._chunks,
            seconds=seconds,
            embed_seconds=self._embed_seconds,
            noted=tuple(self._noted),
            duplicates=tuple(self._duplicates),
            kinds=tuple(KindCount(kind, **counts) for kind, counts in sorted(self._kinds.items())),
            input_tokens=self._usage.input_tokens,
            output_tokens=self._usage.output_tokens,
            system_files=left_out.system_files,
            skipped=tuple(left_out.skipped),
        )

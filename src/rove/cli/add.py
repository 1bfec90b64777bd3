"""`rove add`: take in files, folders, pages and databases, with a progress bar; keep folders in step."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePath

import click
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)

from rove.cli.output import embedding_progress, span_of_time
from rove.cli.rest import Rest
from rove.cli.session import FAILED, Session
from rove.errors import count_text
from rove.events import AddStarted, ChunksDeepened, ChunksEmbedded, Event, PageReached, SourceDone, SourcesAt
from rove.load.discover import schema_locations
from rove.load.web.plan import CrawlPlan
from rove.records import Report
from rove.records.ledger import UNFINISHED, UPLOADED

SHOWN_DUPLICATES = 20
SHOWN_VANISHED = 3


class AddBar:
    """Draws an ingest on standard error, in a terminal only."""

    def __init__(self, session: Session) -> None:
        columns = (
            TextColumn("[bold]{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[at]}", markup=False),
            TimeElapsedColumn(),
            TextColumn("{task.fields[rest]}", markup=False),
        )
        quiet = session.output.as_json or not session.output.notes.is_terminal
        self.progress = Progress(*columns, console=session.output.notes, disable=quiet)
        self.task = self.progress.add_task("Adding", total=None, at="sources", rest="")
        self.chunks = self.sources = self.failed = self.deepened = 0
        self.second: TaskID | None = None
        self.rest = Rest()
        self._reading = ""

    def __call__(self, event: Event) -> None:
        """Move the bar."""
        match event:
            case AddStarted(sources, size_bytes):
                self.sources += sources
                self.rest.started(size_bytes + sources)
                self.progress.update(self.task, total=self.sources)
            case ChunksEmbedded(count):
                self.chunks += count
                self.progress.update(self.task, at=self._counts())
            case PageReached(source, page, pages) if pages > 1:
                self.progress.update(
                    self.task, at=f"sources · page {page} of {pages} of {_printable_source_name(source)}"
                )
            case SourcesAt("reading", (*_, source)):
                self._reading = f" · {_printable_source_name(source)}"
                self.progress.update(self.task, at=self._counts())
            case SourceDone(entry, unchanged):
                self.failed += bool(entry.outcome)
                self._ended(entry.source, unchanged=unchanged)
            case ChunksDeepened(count, left):
                if self.second is None:
                    self.second = self.progress.add_task("Embedding", at="passages that can be found already", rest="")
                self.deepened += count
                self.progress.update(self.second, completed=self.deepened, total=self.deepened + left)
            case _:
                pass

    def _ended(self, source: str, *, unchanged: bool) -> None:
        if not self.progress.disable:
            self.rest.ended(_source_file_size(source) + 1, self.progress.tasks[0].elapsed or 0.0, unchanged=unchanged)
        left_s = self.rest.left_s()
        if self.rest.passed >= self.rest.total:
            self._reading, left_s = "", None
        rest = "" if left_s is None else f"about {span_of_time(left_s)} left"
        self.progress.update(self.task, advance=1, at=self._counts(), rest=rest)

    def _counts(self) -> str:
        task = self.progress.tasks[0]
        rate = f" · {task.completed / task.elapsed:.1f} a second" if task.completed and task.elapsed else ""
        return f"sources · {count_text(self.chunks, 'chunk')} · {self.failed} failed{rate}{self._reading}"


def _source_file_size(source: str) -> int:
    """The size of a file of this machine; 0 of what is none."""
    with suppress(OSError, ValueError):
        return Path(source).stat().st_size
    return 0


def _printable_source_name(source: str) -> str:
    """The last part of a source's name, without what a terminal would obey."""
    return "".join(sign if sign.isprintable() else "?" for sign in PurePath(source).name)


def add(
    session: Session,
    sources: tuple[str, ...],
    schema: tuple[str, ...],
    resume: bool,
    prune: bool,
    watch: bool,
    crawl: int | None,
    pages: int,
    sitemap: bool,
    workers: str | None,
) -> int:
    """Run `rove add`."""
    given = (*sources, *(place for one in schema for place in schema_locations(one)))
    if not given and not resume:
        raise click.UsageError("Name a file, a folder or an address, or give --resume.")  # noqa: TRY003 - click prints it
    plan = CrawlPlan(depth=crawl or 0, pages=pages, sitemap=sitemap) if crawl is not None or sitemap else None
    ok = True
    if workers is not None:
        session.settings.setdefault("load", {})["workers"] = workers
    with session.base(create=bool(given), writes=True) as kb:
        bar = AddBar(session)
        with bar.progress:
            if watch:
                with suppress(KeyboardInterrupt):
                    for report in kb.watch(*sources, listener=bar):
                        ok = report.ok
                        print_report(session, report)
                return 0 if ok else FAILED
            try:
                report = (
                    kb.resume(listener=bar) if resume else kb.add(*given, crawl=plan, listener=bar, prune=prune or None)
                )
            except KeyboardInterrupt:
                if (depth := kb.depth()).shallow:
                    session.output.note(embedding_progress(depth, session.again))
                raise
            served = [entry for entry in kb.ledger(*UNFINISHED) if entry.source.startswith(UPLOADED)] if resume else []
    if served:
        session.output.note(
            f"Handed in to a server: {count_text(len(served), 'source')}. It goes on with them: rove serve"
        )
    print_report(session, report, sources)
    return 0 if report.ok else FAILED


def print_report(session: Session, report: Report, sources: Sequence[str] = ()) -> None:
    """Print what an ingest of these sources did."""
    output = session.output
    if output.as_json:
        output.json(report)
        return
    output.line(
        f"{count_text(report.added, 'source')} added "
        f"({count_text(report.documents, 'document')}, {count_text(report.chunks, 'chunk')}), "
        f"{report.unchanged} unchanged, {len(report.failed)} failed, in {report.seconds:.1f} s"
    )
    _show_folders(session, report, sources)
    if report.input_tokens:
        output.line(f"Cut with a chat model: {report.input_tokens} tokens read, {report.output_tokens} written.")
    if len(report.kinds) > 1 and (report.added or report.failed):
        columns = ["type", "added", "unchanged", "failed", "documents", "chunks"]
        rows = [(k.kind or "?", k.added, k.unchanged, k.failed, k.documents, k.chunks) for k in report.kinds]
        output.table(columns, [tuple(map(str, row)) for row in rows])
    _show_duplicates(session, report)
    for entry in report.noted:
        output.line(f"{entry.source}: {entry.reason}")
    if output.terminal and len(report.failed) == 1:
        (entry,) = report.failed
        output.line(f"{entry.source}: {entry.outcome}: {entry.reason} {entry.cure}".rstrip())
    elif report.failed:
        rows = [(entry.source, entry.outcome, entry.reason, entry.cure) for entry in report.failed]
        output.table(["source", "outcome", "reason", "what to do"], rows)


def _show_folders(session: Session, report: Report, sources: Sequence[str]) -> None:
    """Say what folders hold beside documents, and what has become of the files that they held before."""
    line = session.output.line
    if report.system_files:
        line(f"{count_text(report.system_files, 'hidden or system file')} skipped.")
    for one in report.skipped:
        line(f"Skipped: {one.path}: {one.reason}")
    if report.removed:
        line(f"{count_text(report.removed, 'document')} removed: the files are gone.")
    if report.moved:
        line(f"{count_text(report.moved, 'file')} moved or renamed; the documents stay what they are.")
    if gone := report.vanished:
        named = ", ".join(gone[:SHOWN_VANISHED])
        more = f" and {len(gone) - SHOWN_VANISHED} more" if len(gone) > SHOWN_VANISHED else ""
        line(f"{count_text(len(gone), 'file')} {'is' if len(gone) == 1 else 'are'} gone: {named}{more}")
        command = f"rove add {shlex.join(sources)} --prune{session.again}"
        line(f"Their documents stay in the base. This takes them out: {command}")


def _show_duplicates(session: Session, report: Report) -> None:
    alike = report.duplicates
    if not alike:
        return
    left_out = sum(not duplicate.kept for duplicate in alike)
    what = f"{left_out} of them left out" if left_out else "all kept; load.duplicates=skip leaves them out"
    session.output.line(f"The same as an earlier one: {count_text(len(alike), 'document')} ({what}):")
    rows = [
        (duplicate.source, duplicate.of_source, "exact" if duplicate.exact else f"{duplicate.similarity:.2f}")
        for duplicate in alike
    ]
    session.output.table(["document", "says the same as", "how alike"], rows[:SHOWN_DUPLICATES])
    if len(rows) > SHOWN_DUPLICATES:
        session.output.line(f"and {len(rows) - SHOWN_DUPLICATES} more; --json lists all")

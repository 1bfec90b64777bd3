"""`rove add`: take in files and folders, with a progress bar."""

from __future__ import annotations

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from rove.cli.session import FAILED, Session, command
from rove.events import AddStarted, ChunksEmbedded, Event, SourceDone
from rove.records import Report


class Bar:
    """Draws an ingest on standard error, in a terminal only."""

    def __init__(self, session: Session) -> None:
        columns = (
            TextColumn("[bold]Adding"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("sources · {task.fields[chunks]} chunks"),
            TimeElapsedColumn(),
        )
        quiet = session.output.as_json or not session.output.notes.is_terminal
        self.progress = Progress(*columns, console=session.output.notes, disable=quiet)
        self.task = self.progress.add_task("", total=None, chunks=0)
        self.chunks = self.sources = 0

    def __call__(self, event: Event) -> None:
        """Move the bar."""
        match event:
            case AddStarted(sources):
                self.sources += sources
                self.progress.update(self.task, total=self.sources)
            case ChunksEmbedded(count):
                self.chunks += count
                self.progress.update(self.task, chunks=self.chunks)
            case SourceDone():
                self.progress.advance(self.task)
            case _:
                pass


@command("add")
@click.argument("sources", nargs=-1)
@click.option("--resume", is_flag=True, help="Take up what an interrupted add did not finish.")
def add(session: Session, sources: tuple[str, ...], resume: bool) -> int:
    """Take in SOURCES: files, and folders with all below them.

    What is there already and has not changed is left alone, so the same command can be run again at any time. The exit
    status is 1 if a source could not be read; the others are in.
    """
    if not sources and not resume:
        raise click.UsageError("Name a file or a folder, or give --resume.")  # noqa: TRY003 - click prints it
    with session.base() as kb:
        bar = Bar(session)
        with bar.progress:
            report = kb.resume(listener=bar) if resume else kb.add(*sources, listener=bar)
    show(session, report)
    return 0 if report.ok else FAILED


def show(session: Session, report: Report) -> None:
    """Print what an ingest did."""
    if session.output.as_json:
        session.output.json(report)
        return
    session.output.line(
        f"{report.added} sources added ({report.documents} documents, {report.chunks} chunks), "
        f"{report.unchanged} unchanged, {len(report.failed)} failed, in {report.seconds:.1f} s"
    )
    if report.failed:
        rows = [(entry.source, entry.outcome, entry.reason, entry.cure) for entry in report.failed]
        session.output.table(["source", "outcome", "reason", "what to do"], rows)

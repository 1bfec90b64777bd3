"""`rove migrate`: another embedder, while everything goes on being found."""

from __future__ import annotations

import asyncio

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from rove.cli.output import span_of_time
from rove.cli.session import Session
from rove.errors import count_text
from rove.events import ChunksDeepened, ChunksEmbedded, Event
from rove.migration import Migrated, Migration, MigrationEstimate
from rove.settings import read_settings

STOPPED = 130


def migrate(session: Session, to: str, only_estimate: bool, switch_only: bool) -> int:
    """Run `rove migrate`."""
    migration = Migration(read_settings(session.location, **session.settings), to)
    bar = _Bar(session)
    try:
        return asyncio.run(_run_migration(session, migration, bar, only_estimate=only_estimate, deep=not switch_only))
    except KeyboardInterrupt:
        if migration.began:
            left = count_text(bar.left, "passage") if bar.left is not None else "What is left"
            session.output.note(f"{left} can be found as before; go on with the same command, or with: rove add")
        else:
            session.output.note("Nothing was changed.")
        return STOPPED


async def _run_migration(session: Session, migration: Migration, bar: _Bar, *, only_estimate: bool, deep: bool) -> int:
    estimate = await migration.estimate()
    if only_estimate and session.output.as_json:
        session.output.json(estimate)
        return 0
    session.output.note(_migration_estimate_text(estimate))
    if only_estimate:
        return 0
    with bar.progress:
        bar.start(estimate)
        migrated = await migration.run(bar, deep=deep)
    _show_migration_result(session, migrated)
    return 0


def _migration_estimate_text(estimate: MigrationEstimate) -> str:
    if not estimate.passages + estimate.others:
        return f"[{estimate.after}] has reached every passage."
    others = f" and {estimate.others:,} memories and summaries" if estimate.others else ""
    took = f"about {span_of_time(estimate.seconds)}, by a sample"
    return f"[{estimate.after}] has {estimate.passages:,} of {estimate.of:,} passages{others} to reach: {took}."


def _show_migration_result(session: Session, migrated: Migrated) -> None:
    output = session.output
    if output.as_json:
        output.json(migrated)
        return
    if migrated.left:
        output.line(
            f"The base has the embedder [{migrated.after}], which has yet to reach {migrated.left:,} of "
            f"{migrated.passages:,} passages; the one before finds these. Go on: rove migrate, or rove add"
        )
    else:
        output.line(f"All {migrated.passages:,} passages are [{migrated.after}]'s; nothing is left of the one before.")
    if migrated.lost:
        rows = [(one.ledger_source, one.document_id, one.reason, one.cure) for one in migrated.lost]
        output.table(["source", "document", "reason", "what to do"], rows)
    for line in migrated.settings:
        output.line(line, style="yellow")


class _Bar:
    """Draws it on standard error, in a terminal only. `left`: passages yet to be reached, once that is known."""

    def __init__(self, session: Session) -> None:
        columns = (TextColumn("[bold]Migrating"), BarColumn(), MofNCompleteColumn(), TextColumn("passages"))
        quiet = session.output.as_json or not session.output.notes.is_terminal
        self.progress = Progress(
            *columns, TimeElapsedColumn(), TimeRemainingColumn(), console=session.output.notes, disable=quiet
        )
        self._task = self.progress.add_task("", total=None)
        self.left: int | None = None

    def start(self, estimate: MigrationEstimate) -> None:
        """Say how far it goes."""
        self.progress.update(self._task, total=estimate.others + estimate.passages)

    def __call__(self, event: Event) -> None:
        """Move the bar."""
        match event:
            case ChunksEmbedded(count):
                self.progress.update(self._task, advance=count)
            case ChunksDeepened(count, left):
                self.left = left
                self.progress.update(self._task, advance=count)
            case _:
                pass

"""`rove doctor`: is the base sound, and if not, mend it."""

from __future__ import annotations

from rove.cli.add import AddBar
from rove.cli.output import embedding_progress
from rove.cli.session import FAILED, Session
from rove.errors import count_text
from rove.rebuild import Rebuilt
from rove.store.health import Health
from rove.store.shallow import Depth
from rove.sync.rebuilding import rebuild_base


def doctor(session: Session, source: str | None) -> int:
    """Run `rove doctor`."""
    if source is not None:
        bar = AddBar(session)
        with bar.progress:
            rebuilt = rebuild_base(source, session.location, listener=bar, **session.settings)
        return _show_rebuilt(session, rebuilt)
    with session.base(writes=True) as kb:
        health = kb.doctor()
    if session.output.as_json:
        session.output.json(health)
        return FAILED if health.left or (health.unmended and health.problems) else 0
    _print_health(session, health)
    if health.shallow:
        session.output.line(embedding_progress(Depth(health.chunks, health.shallow), session.again))
    return FAILED if health.left or (health.unmended and health.problems) else 0


def _print_health(session: Session, health: Health) -> None:
    if health.unmended:
        session.output.note(f"Nothing is mended, and the snapshot was not looked at: {health.unmended}")
    for problem in health.problems:
        session.output.line(f"{'found' if health.unmended else 'mended'}: {problem}", style="yellow")
    for problem in health.left:
        session.output.line(f"not mended: {problem}", style="red")
    if health.rebuilt:
        session.output.line("the index was made anew", style="yellow")
    if health.ok or not health.unmended:
        session.output.line(f"{count_text(health.chunks, 'chunk')}, catalog and index agree", style="green")
    if health.originals:
        session.output.line(f"{count_text(health.originals, 'file')} kept, to show their pages")


def _show_rebuilt(session: Session, rebuilt: Rebuilt) -> int:
    output = session.output
    if output.as_json:
        output.json(rebuilt)
        return FAILED if rebuilt.lost else 0
    _print_health(session, rebuilt.health)
    output.line(f"The new catalog has {count_text(rebuilt.documents, 'document')}.")
    if rebuilt.lost:
        output.line(
            f"Lost or in doubt, and to be added again: {count_text(len(rebuilt.lost), 'source')}", style="yellow"
        )
        output.table(["source", "reason"], [(entry.source, entry.reason) for entry in rebuilt.lost])
    for path in rebuilt.aside:
        output.note(f"Kept aside: {path} (delete it when you miss nothing; erasing documents does not reach it)")
    return FAILED if rebuilt.lost else 0

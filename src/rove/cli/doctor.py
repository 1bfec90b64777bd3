"""`rove doctor`: is the base sound, and if not, mend it."""

from __future__ import annotations

from rove.cli.session import Session, command


@command("doctor")
def doctor(session: Session) -> None:
    """Compare catalog and index chunk by chunk; mend the index from the catalog.

    The catalog is the truth: an index that is damaged, or lost, is made anew without embedding anything again.
    """
    with session.base() as kb:
        health = kb.doctor()
    if session.output.as_json:
        session.output.json(health)
        return
    for problem in health.problems:
        session.output.line(f"mended: {problem}", style="yellow")
    if health.rebuilt:
        session.output.line("the index was made anew", style="yellow")
    session.output.line(f"{health.chunks} chunks, catalog and index agree", style="green")
    if health.originals:
        session.output.line(f"{health.originals} files kept, to show their pages")

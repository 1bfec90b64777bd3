"""`rove export` and `rove import`."""

from __future__ import annotations

from pathlib import Path

import click

from rove.cli.add import AddBar, print_report
from rove.cli.session import FAILED, Session
from rove.errors import count_text
from rove.exchange import is_document


def export(session: Session, file: Path) -> None:
    """Run `rove export`."""
    with session.base() as kb, click.open_file(str(file), "w", encoding="utf-8", atomic=str(file) != "-") as target:
        count = -1
        for line in kb.export():
            target.write(line + "\n")
            count += is_document(line)
    session.output.note(f"{count_text(count, 'document')} exported")


def import_(session: Session, file: Path) -> int:
    """Run `rove import`."""
    with click.open_file(str(file), encoding="utf-8") as lines, session.base(create=True, writes=True) as kb:
        bar = AddBar(session)
        with bar.progress:
            report = kb.import_(lines, listener=bar)
    print_report(session, report)
    return 0 if report.ok else FAILED

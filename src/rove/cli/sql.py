"""`rove sql`: ask a database: the SQL, its rows, and a sentence."""

from __future__ import annotations

from rove.cli.output import escape_markup
from rove.cli.session import FAILED, Session
from rove.records.sql import SqlReply

SHOWN_CELLS = 20


def sql(
    session: Session,
    question: tuple[str, ...],
    database: str,
    dry_run: bool,
    schema: bool,
    in_documents: bool,
    as_sql: bool,
) -> int:
    """Run `rove sql`."""
    asked = " ".join(question)
    # to ask a database, settings are enough
    with session.base(create=not (schema or in_documents)) as kb:
        if schema:
            part = kb.schema(asked)
            if session.output.as_json:
                session.output.json(part)
            else:
                session.output.line(part.text or "No table was found.")
            return 0 if part.tables else FAILED
        if in_documents:
            reply = kb.ask_tables(asked, dry_run=dry_run)
        else:
            reply = (kb.run_sql if as_sql else kb.ask_database)(asked, database, dry_run=dry_run)
    if session.output.as_json:
        session.output.json(reply)
    else:
        _show_sql_reply(session, reply)
    return 0 if reply.answered or dry_run else FAILED


def _show_sql_reply(session: Session, reply: SqlReply) -> None:
    output = session.output
    if reply.text:
        output.line(reply.text)
    if reply.sql:
        output.marked(f"[dim]{escape_markup(reply.sql)}[/]")
    if reply.rows:
        output.table(list(reply.columns), [tuple(map(str, row)) for row in reply.rows])
    if reply.cut:
        output.note(f"There are more rows than the {len(reply.rows)} that the settings let through.")
    for cell in reply.cells[:SHOWN_CELLS]:
        start, end = cell.span
        output.marked(
            f"[dim]row {cell.row + 1}, column {cell.column + 1}: {escape_markup(cell.document_id)}:{start}-{end}[/]"
        )
    for reading in reply.readings:
        output.marked(f"[dim]It may mean: {escape_markup(reading)}[/]")
    if reply.note:
        output.note(reply.note)

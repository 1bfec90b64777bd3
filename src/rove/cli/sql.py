"""`rove sql`: ask a database: the SQL, its rows, and a sentence."""

from __future__ import annotations

import click

from rove.cli.output import plain
from rove.cli.session import FAILED, Session, command
from rove.records.sql import SqlReply

SHOWN_CELLS = 20


@command("sql", several=True)
@click.argument("question", nargs=-1, required=True)
@click.option("--database", "-d", default="", help="Its name in the settings; not needed where there is one only.")
@click.option("--dry-run", is_flag=True, help="Write and check the SQL, and run nothing.")
@click.option("--schema", is_flag=True, help="Show the tables that QUESTION needs, of those in the base.")
@click.option("--tables", "in_documents", is_flag=True, help="Ask the tables in the documents of the base.")
@click.option("--run", "as_sql", is_flag=True, help="QUESTION is SQL: one SELECT, checked as any other.")
def sql(
    session: Session,
    question: tuple[str, ...],
    database: str,
    dry_run: bool,
    schema: bool,
    in_documents: bool,
    as_sql: bool,
) -> int:
    """Answer QUESTION from the rows of a database that the settings name.

    A chat model writes the SQL, if one is set up; else rules do, over one table. It is checked and only reads. The exit
    status is 1 where there is no answer.
    """
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
        _show(session, reply)
    return 0 if reply.answered or dry_run else FAILED


def _show(session: Session, reply: SqlReply) -> None:
    output = session.output
    if reply.text:
        output.line(reply.text)
    if reply.sql:
        output.marked(f"[dim]{plain(reply.sql)}[/]")
    if reply.rows:
        output.table(list(reply.columns), [tuple(map(str, row)) for row in reply.rows])
    if reply.cut:
        output.note(f"There are more rows than the {len(reply.rows)} that the settings let through.")
    for cell in reply.cells[:SHOWN_CELLS]:
        start, end = cell.span
        output.marked(f"[dim]row {cell.row + 1}, column {cell.column + 1}: {plain(cell.document_id)}:{start}-{end}[/]")
    if reply.note:
        output.note(reply.note)

"""`rove summary`: what documents and their sections say, in few sentences."""

from __future__ import annotations

import click

from rove.cli.output import plain
from rove.cli.session import FAILED, Session, command
from rove.records import DocumentInfo
from rove.records.summary import Summary


@command("summary", several=True)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option("--depth", default=2, show_default=True, help="Levels of sections that are shown; 0: the document alone.")
def summary(session: Session, names: tuple[str, ...], depth: int) -> int:
    """Say what the documents NAME (ids or paths) and their sections say, each sentence with where it stands.

    `rove enrich summaries` makes the summaries first.
    """
    with session.base() as kb:
        infos = kb.named(*names)
        found = [(info, kb.summary(info.document_id)) for info in infos]
    if session.output.as_json:
        session.output.json([one for _, every in found for one in every])
        return 0 if all(every for _, every in found) else FAILED
    for info, every in found:
        if not every:
            session.output.note(f"{info.title or info.source} is not summed up yet. Do it: rove enrich summaries")
        for one in every:
            if len(one.headings) <= depth:
                _show(session, info, one)
    return 0 if all(every for _, every in found) else FAILED


def _show(session: Session, info: DocumentInfo, one: Summary) -> None:
    indent = "  " * len(one.headings)
    title = one.headings[-1] if one.headings else info.title or info.source
    start, end = one.span
    session.output.marked(f"{indent}[bold]{plain(title)}[/] [dim]{plain(info.document_id)}:{start}-{end}[/]")
    for sentence in one.sentences:
        places = ", ".join(f"{first}-{last}" for first, last in sentence.spans)
        session.output.marked(f"{indent}  {plain(sentence.text)} [dim]{places}[/]")

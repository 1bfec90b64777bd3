"""`rove summary`: what documents and their sections say, in few sentences."""

from __future__ import annotations

from rove.cli.output import escape_markup
from rove.cli.session import FAILED, Session
from rove.records import DocumentInfo
from rove.records.summary import Summary


def summary(session: Session, names: tuple[str, ...], depth: int) -> int:
    """Run `rove summary`."""
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
                _show_summary(session, info, one)
    return 0 if all(every for _, every in found) else FAILED


def _show_summary(session: Session, info: DocumentInfo, one: Summary) -> None:
    indent = "  " * len(one.headings)
    title = one.headings[-1] if one.headings else info.title or info.source
    start, end = one.span
    session.output.marked(
        f"{indent}[bold]{escape_markup(title)}[/] [dim]{escape_markup(info.document_id)}:{start}-{end}[/]"
    )
    for sentence in one.sentences:
        places = ", ".join(f"{first}-{last}" for first, last in sentence.spans)
        session.output.marked(f"{indent}  {escape_markup(sentence.text)} [dim]{places}[/]")

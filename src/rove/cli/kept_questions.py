"""`rove questions keep`, `kept` and `forget`: questions that are answered at once, by words that people have named."""

from __future__ import annotations

from pathlib import Path

from rove.cli.inspect import only
from rove.cli.session import Session
from rove.errors import InputError
from rove.evaluate.dataset.questions import read_records
from rove.evaluate.review import YES
from rove.records.document import Span
from rove.sync import Rove


def keep(session: Session, question: str, document: str | None, span: str | None, reviewed: bool) -> None:
    """Run `rove questions keep`."""
    with session.base() as kb:
        if reviewed:
            count = _keep_reviewed(kb, Path(question))
        elif document is None:
            message = "No document is named that answers the question."
            raise InputError(
                message, cure="Name one, as hits give it: rove questions keep QUESTION DOCUMENT --span 0:99"
            )
        else:
            info = only(kb, document)
            size = len(kb.text(info.document_id))
            kb.keep_question(question, info.document_id, _parse_span_option(span) if span else (0, size))
            count = 1
    if session.output.as_json:
        session.output.json({"kept": count})
    else:
        session.output.line(f"{count} kept.")


def _keep_reviewed(kb: Rove, file: Path) -> int:
    if not file.is_file():
        message = f"There is no file {file}."
        raise InputError(message, cure="Make one with: rove questions make FILE")
    good = [row for row in read_records(file) if row.text("status", empty=True) == YES]
    for row in good:
        start, end = row.text("start", empty=True), row.text("end", empty=True)
        document_id = row.text("document_id", "source")
        size = len(kb.text(document_id))
        span = (int(start), int(end)) if start.isdecimal() and end.isdecimal() else (0, size)
        kb.keep_question(row.text("question"), document_id, span)
    if not good:
        message = f"No question of {file} was found good."
        raise InputError(message, cure=f"Say of each what it is: rove questions review {file}", outcome="empty")
    return len(good)


def kept(session: Session) -> None:
    """Run `rove questions kept`."""
    with session.base() as kb:
        found = kb.kept_questions()
    if session.output.as_json:
        session.output.json(found)
        return
    rows = [(one.question, one.document_id, f"{one.span[0]}:{one.span[1]}", one.quote[:80]) for one in found]
    none = "None is kept. Keep one with: rove questions keep QUESTION DOCUMENT --span START:END"
    session.output.table(["question", "document", "span", "answer"], rows, none)


def forget(session: Session, questions: tuple[str, ...], every: bool) -> None:
    """Run `rove questions forget`."""
    if bool(questions) == every:
        message = "Name the questions, or all of them with --all."
        raise InputError(message, cure="See them with: rove questions kept")
    with session.base() as kb:
        gone = kb.forget_kept(*questions)
    if session.output.as_json:
        session.output.json({"forgotten": gone})
    else:
        session.output.line(f"{gone} forgotten.")


def _parse_span_option(text: str) -> Span:
    first, _, last = text.partition(":")
    if not (first.isdecimal() and last.isdecimal()):
        message = f"--span {text!r} is not a span."
        raise InputError(message, cure="Write START:END, as citations give it.")
    return int(first), int(last)

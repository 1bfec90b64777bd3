"""`rove questions`: make questions from a base, review and keep them, judge what runs have found, see who agrees."""

from __future__ import annotations

import asyncio
import getpass
from pathlib import Path

import click

from rove.cli.judging import QUIT, Keys, passage_of, print_passage
from rove.cli.session import Session
from rove.errors import InputError, count_text
from rove.evaluate.agreement import Agreement, agreement
from rove.evaluate.dataset import read_dataset
from rove.evaluate.dataset.dataset_lines import DatasetRow
from rove.evaluate.dataset.questions import read_records
from rove.evaluate.feedback import feedback_of, write_feedback
from rove.evaluate.labels import Vote, gold_of, merge_votes
from rove.evaluate.log import beside
from rove.evaluate.made import write_rows
from rove.evaluate.make_questions import make_questions
from rove.evaluate.review import NO, SKIP, YES, Review, add_review, reviews_of, settle, votes_of, waiting
from rove.evaluate.runs import add_label, pool, read_labels, read_run, unlabelled
from rove.models import chat_model
from rove.sync import Rove

MOST_DOCUMENTS = 5_000
FILE = click.Path(dir_okay=False, path_type=Path)
FOUND = click.Path(exists=True, dir_okay=False, path_type=Path)


def make(session: Session, file: Path, count: int, without_model: bool, force: bool) -> None:
    """Run `rove questions make`."""
    if file.exists() and not force:
        message = f"{file} is there already."
        raise InputError(message, cure="Name another file, or write over it with --force.")
    with session.base() as kb:
        infos = kb.documents()
        chat = None if without_model else chat_model(kb.settings.chat)
        documents = (kb.document(info.document_id) for info in infos[:MOST_DOCUMENTS])
        made = asyncio.run(make_questions(documents, count, chat))
    if not made.questions:
        message = made.failure or "The base has no text to make questions from."
        raise InputError(message, cure="Add documents with headings, or set chat.model.", outcome="empty")
    write_rows(file, (question.row for question in made.questions))
    if session.output.as_json:
        session.output.json({"file": str(file), "questions": len(made.questions), "rejected": made.rejected})
        return
    session.output.line(f"{count_text(len(made.questions), 'question')} in {file}.")
    for reason, number in made.rejected.most_common():
        session.output.note(f"Thrown away: {number} ({reason})")
    if made.failure:
        session.output.note(f"The model was given up: {made.failure}")
    if len(infos) > MOST_DOCUMENTS:
        session.output.note(f"Made from the first {MOST_DOCUMENTS:,} of {len(infos):,} documents.")
    session.output.note(f"Next: rove questions review {file}")


def review(session: Session, file: Path, annotator: str) -> None:
    """Run `rove questions review`."""
    name = annotator or getpass.getuser()
    rows = list(read_records(file))
    left = waiting(rows, reviews_of(file), name)
    keys = Keys(session.output, {"y": "good", "n": "bad", "e": "edit", "s": "skip"})
    done = 0
    with session.base() as kb:
        for number, row in enumerate(left, 1):
            question = row.text("question")
            answer, source = row.text("answer", empty=True), row.text("source", empty=True)
            more = [line for line in (f"Answer: {answer}" if answer else "", f"Source: {source}") if line]
            print_passage(session.output, number, len(left), question, _source_passage(kb, row), *more)
            pressed = keys.ask()
            if pressed.key == QUIT:
                break
            verdict = {"n": NO, "s": SKIP}.get(pressed.key, YES)
            wording = keys.rewrite(question, pressed) if pressed.key == "e" else ""
            add_review(file, Review(name, row.text("id"), verdict, wording if wording != question else ""))
            done += 1
    settle(file)
    _show_questions_progress(session, done, len(left), file)


def judge(session: Session, runs: tuple[Path, ...], annotator: str, depth: int, dataset: Path | None) -> None:
    """Run `rove questions judge`."""
    name = annotator or getpass.getuser()
    texts = {question.question_id: question.text for question in read_dataset(dataset).questions} if dataset else {}
    pools = pool((ranking for run in runs for ranking in read_run(run)), depth)
    left = unlabelled(pools, read_labels(runs[0]), name)
    keys = Keys(session.output, {"1": "relevant", "2": "related", "3": "neither", "s": "skip"})
    done = 0
    with session.base() as kb:
        for number, (found, document_id) in enumerate(left, 1):
            question = found.question or texts.get(found.question_id, "") or found.question_id
            print_passage(
                session.output, number, len(left), question, passage_of(kb, document_id), f"Document: {document_id}"
            )
            pressed = keys.ask()
            if pressed.key == QUIT:
                break
            label = int(pressed.key) if pressed.key.isdecimal() else None
            add_label(runs[0], Vote(name, found.question_id, document_id, label))
            done += 1
    _show_questions_progress(session, done, len(left), runs[0])


def feedback(session: Session, file: Path) -> None:
    """Run `rove questions feedback`."""
    if file.suffix != ".jsonl":
        message = f"{file} does not end in .jsonl."
        raise InputError(message, cure="Name a file that does.")
    with session.base() as kb:
        found = feedback_of(kb.judged_turns())
    write_feedback(found, file)
    if session.output.as_json:
        session.output.json({"file": str(file), "questions": len(found.rankings), "labels": len(found.votes)})
        return
    session.output.line(
        f"{count_text(len(found.rankings), 'question')} with {count_text(len(found.votes), 'label')} in {file}."
    )
    session.output.note(f"Next: rove questions judge {file}")


def agree(session: Session, file: Path, qrels: Path | None) -> None:
    """Run `rove questions agree`."""
    if beside(file, "labels").is_file():
        votes = read_labels(file)
    else:
        votes = votes_of(reviews_of(file))
        if qrels:
            message = f"{file} has no labels."
            raise InputError(message, cure="Judge a run first: rove questions judge RUN")
    if not votes:
        message = f"Nobody has reviewed or judged {file} yet."
        raise InputError(message, cure=f"Do it with: rove questions review {file}")
    if qrels:
        grades = gold_of(merge_votes(votes))
        lines = [f"{question}\t{name}\t{grade}\n" for question, own in grades.items() for name, grade in own.items()]
        qrels.write_text("".join(lines), encoding="utf-8")
    _report(session, agreement(votes))


def _report(session: Session, found: Agreement) -> None:
    if session.output.as_json:
        session.output.json(found)
        return
    shown = [
        ("annotators", str(found.annotators)),
        ("items with two labels or more", str(found.items)),
        ("equal pairs", _agreement_text(found.pairs)),
        ("Cohen's kappa, mean over pairs of annotators", _agreement_text(found.cohen)),
        ("Fleiss' kappa", _agreement_text(found.fleiss)),
        ("Krippendorff's alpha, ordinal", _agreement_text(found.alpha)),
    ]
    session.output.table(["agreement", "value"], shown)


def _show_questions_progress(session: Session, done: int, all_: int, file: Path) -> None:
    if session.output.as_json:
        session.output.json({"file": str(file), "done": done, "left": all_ - done})
    else:
        session.output.line(f"{done} done, {all_ - done} left.")


def _agreement_text(value: float | None) -> str:
    return "cannot be told" if value is None else f"{value:.3f}"


def _source_passage(kb: Rove, row: DatasetRow) -> str:
    start, end = row.text("start", empty=True), row.text("end", empty=True)
    span = (int(start), int(end)) if start.isdecimal() and end.isdecimal() else None
    return passage_of(kb, row.text("document_id", "source"), span)

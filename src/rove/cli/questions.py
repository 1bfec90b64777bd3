"""`rove questions`: make questions from a base, review and keep them, judge what runs have found, see who agrees."""

from __future__ import annotations

import asyncio
import getpass
from pathlib import Path

import click

from rove.cli.judging import QUIT, Keys, passage_of, show
from rove.cli.kept_questions import forget, keep, kept
from rove.cli.session import Session, command
from rove.errors import InputError
from rove.evaluate.agreement import Agreement, agreement
from rove.evaluate.dataset import read_dataset
from rove.evaluate.dataset.dataset_lines import DatasetRow
from rove.evaluate.dataset.questions import rows_of
from rove.evaluate.feedback import feedback_of, write_feedback
from rove.evaluate.labels import Vote, gold_of, merge_votes
from rove.evaluate.log import beside
from rove.evaluate.made import write_rows
from rove.evaluate.make_questions import make_questions
from rove.evaluate.review import NO, SKIP, YES, Review, add_review, reviews_of, settle, votes_of, waiting
from rove.evaluate.runs import add_label, labels_of, pool, read_run, unlabelled
from rove.models import chat_model
from rove.sync import Rove

MOST_DOCUMENTS = 5_000
FILE = click.Path(dir_okay=False, path_type=Path)
FOUND = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group("questions", context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
def questions() -> None:
    """Questions made from your own documents and reviewed by people: to measure with, and to be answered at once."""


@command("make")
@click.argument("file", type=FILE)
@click.option("--count", "-n", default=50, show_default=True, type=click.IntRange(min=1), help="How many, at most.")
@click.option("--without-model", is_flag=True, help="From headings, titles, captions and tables alone.")
@click.option("--force", is_flag=True, help="Write over FILE, if it is there.")
def make(session: Session, file: Path, count: int, without_model: bool, force: bool) -> None:
    """Make questions from the documents of the base, and write them to FILE (.jsonl, .csv or .tsv).

    With the chat model of the settings, one for a passage, held to its words; without one, from headings and tables.
    """
    if file.exists() and not force:
        message = f"{file} is there already."
        raise InputError(message, cure="Name another file, or write over it with --force.")
    with session.base() as kb:
        infos = kb.documents()
        chat = None if without_model else chat_model(kb.settings.chat)
        documents = (kb.document(info.document_id) for info in infos[:MOST_DOCUMENTS])
        made = asyncio.run(make_questions(documents, count, chat))
    if not made.questions:
        message = made.failure or "The base holds nothing that a question could be made from."
        raise InputError(message, cure="Add documents with headings, or set chat.model.", outcome="empty")
    write_rows(file, (question.row for question in made.questions))
    if session.output.as_json:
        session.output.json({"file": str(file), "questions": len(made.questions), "rejected": made.rejected})
        return
    session.output.line(f"{len(made.questions)} questions in {file}.")
    for reason, number in made.rejected.most_common():
        session.output.note(f"Thrown away: {number} ({reason})")
    if made.failure:
        session.output.note(f"The model was given up: {made.failure}")
    if len(infos) > MOST_DOCUMENTS:
        session.output.note(f"Made from the first {MOST_DOCUMENTS:,} of {len(infos):,} documents.")
    session.output.note(f"Next: rove questions review {file}")


@command("review")
@click.argument("file", type=FOUND)
@click.option("--annotator", "-a", default="", help="Your name; the system's user name if left out.")
def review(session: Session, file: Path, annotator: str) -> None:
    """Say of each question in FILE whether it is a good one: y, n, e (edit), s (skip) or q (quit).

    What is said is kept at once, so that you can stop at any time. In a pipe, each line of the input is an answer:
    "y", or "e The question, put better?".
    """
    name = annotator or getpass.getuser()
    rows = list(rows_of(file))
    left = waiting(rows, reviews_of(file), name)
    keys = Keys(session.output, {"y": "good", "n": "bad", "e": "edit", "s": "skip"})
    done = 0
    with session.base() as kb:
        for number, row in enumerate(left, 1):
            question = row.text("question")
            answer, source = row.text("answer", empty=True), row.text("source", empty=True)
            more = [line for line in (f"Answer: {answer}" if answer else "", f"Source: {source}") if line]
            show(session.output, number, len(left), question, _source_passage(kb, row), *more)
            pressed = keys.ask()
            if pressed.key == QUIT:
                break
            verdict = {"n": NO, "s": SKIP}.get(pressed.key, YES)
            wording = keys.rewrite(question, pressed) if pressed.key == "e" else ""
            add_review(file, Review(name, row.text("id"), verdict, wording if wording != question else ""))
            done += 1
    settle(file)
    _done(session, done, len(left), file)


@command("judge")
@click.argument("runs", nargs=-1, required=True, type=FOUND)
@click.option("--annotator", "-a", default="", help="Your name; the system's user name if left out.")
@click.option(
    "--depth", "-d", default=10, show_default=True, type=click.IntRange(min=1), help="Places of each ranking."
)
@click.option("--dataset", type=click.Path(exists=True, path_type=Path), help="Where the questions' texts are.")
def judge(session: Session, runs: tuple[Path, ...], annotator: str, depth: int, dataset: Path | None) -> None:
    """Label what RUNS have found: 1 relevant, 2 related, 3 neither; s (skip) or q (quit).

    A run is a parquet file of a sweep, lines of JSON {question_id, question, documents}, or a TREC run. What any of
    them has among its first places is judged once, in an order that tells no rank. Labels are kept beside the first.
    """
    name = annotator or getpass.getuser()
    texts = {question.question_id: question.text for question in read_dataset(dataset).questions} if dataset else {}
    pools = pool((ranking for run in runs for ranking in read_run(run)), depth)
    left = unlabelled(pools, labels_of(runs[0]), name)
    keys = Keys(session.output, {"1": "relevant", "2": "related", "3": "neither", "s": "skip"})
    done = 0
    with session.base() as kb:
        for number, (found, document_id) in enumerate(left, 1):
            question = found.question or texts.get(found.question_id, "") or found.question_id
            show(session.output, number, len(left), question, passage_of(kb, document_id), f"Document: {document_id}")
            pressed = keys.ask()
            if pressed.key == QUIT:
                break
            label = int(pressed.key) if pressed.key.isdecimal() else None
            add_label(runs[0], Vote(name, found.question_id, document_id, label))
            done += 1
    _done(session, done, len(left), runs[0])


@command("feedback")
@click.argument("file", type=FILE)
def feedback(session: Session, file: Path) -> None:
    """Write what users have said of answers in conversations to FILE (.jsonl), a run that can be judged.

    Its labels lie beside it: what an answer cited that was liked is relevant. Questions whose answer was not liked are
    there without labels. Written again, labels that annotators gave meanwhile stay. Keys that see some documents only
    are left out.
    """
    if file.suffix != ".jsonl":
        message = f"{file} does not end in .jsonl."
        raise InputError(message, cure="Name a file that does.")
    with session.base() as kb:
        found = feedback_of(kb.judged_turns())
    write_feedback(found, file)
    if session.output.as_json:
        session.output.json({"file": str(file), "questions": len(found.rankings), "labels": len(found.votes)})
        return
    session.output.line(f"{len(found.rankings)} questions with {len(found.votes)} labels in {file}.")
    session.output.note(f"Next: rove questions judge {file}")


@command("agree")
@click.argument("file", type=FOUND)
@click.option("--qrels", type=FILE, help="Write the labels, merged, as lines of question, document and grade.")
def agree(session: Session, file: Path, qrels: Path | None) -> None:
    """Say how far the annotators of FILE (questions that were reviewed, or a run that was judged) agree."""
    if beside(file, "labels").is_file():
        votes = labels_of(file)
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
        ("equal pairs", _number(found.pairs)),
        ("Cohen's kappa, mean over pairs of annotators", _number(found.cohen)),
        ("Fleiss' kappa", _number(found.fleiss)),
        ("Krippendorff's alpha, ordinal", _number(found.alpha)),
    ]
    session.output.table(["agreement", "value"], shown)


def _done(session: Session, done: int, all_: int, file: Path) -> None:
    if session.output.as_json:
        session.output.json({"file": str(file), "done": done, "left": all_ - done})
    else:
        session.output.line(f"{done} done, {all_ - done} left.")


def _number(value: float | None) -> str:
    return "cannot be told" if value is None else f"{value:.3f}"


def _source_passage(kb: Rove, row: DatasetRow) -> str:
    start, end = row.text("start", empty=True), row.text("end", empty=True)
    span = (int(start), int(end)) if start.isdecimal() and end.isdecimal() else None
    return passage_of(kb, row.text("document_id", "source"), span)


for one in (make, review, judge, feedback, agree, keep, kept, forget):
    questions.add_command(one)

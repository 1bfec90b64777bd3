"""What the commands take that measure, and make and judge questions."""

from __future__ import annotations

import click

from rove.cli.command import GROUP, command
from rove.cli.values import DOCUMENT, FILE, FOUND, FOUND_ANY, METRIC_HELP, METRICS_OF_ONE, MODES, Known, where_option


@command("eval", "rove.cli.evaluate:eval_")
@click.argument("dataset")
@click.option("--out", "-o", metavar="FOLDER", help="Where the base of a dataset with documents goes.")
@click.option("--metric", "-m", "metrics", multiple=True, default=METRICS_OF_ONE, help=METRIC_HELP)
@click.option(
    "--mode",
    default="hybrid",
    show_default=True,
    type=Known(*MODES),
    help="keyword, semantic, hybrid, gather, or a plug-in's.",
)
@click.option("--rerank/--no-rerank", default=None, help="Look at the best passages again, or not.")
@where_option("Only where this holds.")
@click.option("--top", "-n", "top_k", default=10, show_default=True, help="How many passages are looked at.")
@click.option("--limit", type=click.IntRange(min=1), help="Ask so many of the questions, spread over all of them.")
@click.option("--answers", is_flag=True, help="Let each question be answered too, and measure the answers.")
@click.option("--price", nargs=2, type=float, metavar="IN OUT", help="What the chat model costs for a million tokens.")
@click.option("--parquet", metavar="FILE", help="Write one row for each question.")
def eval_() -> None:
    """Measure one configuration: the base and its settings, over the questions of DATASET.

    DATASET is a file of questions about the base, or a folder with corpus, queries and qrels, whose documents are put
    into a base of their own.
    """


@command("sweep", "rove.cli.sweep:sweep")
@click.argument("grid")
@click.argument("dataset", required=False)
@click.option("--out", "-o", metavar="FOLDER", help="Where bases, results and report go; sweep-GRID by default.")
@click.option("--metric", "-m", "metrics", multiple=True, help=METRIC_HELP)
@click.option("--limit", type=click.IntRange(min=1), help="Ask so many of the questions, spread over all of them.")
@click.option("--processes", default=0, help="How many search at once; 0: as many as pay.")
@click.option("--dry-run", is_flag=True, help="Say what would be done and how long it may take, and stop.")
@click.option("--fresh", is_flag=True, help="Forget what an earlier run has found.")
def sweep() -> None:
    """Run every configuration of GRID (a TOML file, or one that ships: starter, forms, pawsitive) over DATASET.

    DATASET is a folder with corpus, queries and qrels, or a file of questions about the base that --kb names. An
    interrupted sweep goes on where it stopped when the same command is run again.
    """


@click.group("questions", **GROUP)
def questions() -> None:
    """Questions made from your own documents and reviewed by people: to measure with, and to be answered at once."""


@command("make", "rove.cli.questions:make")
@click.argument("file", type=FILE)
@click.option("--count", "-n", default=50, show_default=True, type=click.IntRange(min=1), help="How many, at most.")
@click.option("--without-model", is_flag=True, help="From headings, titles, captions and tables alone.")
@click.option("--force", is_flag=True, help="Write over FILE, if it is there.")
def questions_make() -> None:
    """Make questions from the documents of the base, and write them to FILE (.jsonl, .csv or .tsv).

    With the chat model of the settings, one for a passage, held to its words; without one, from headings and tables.
    """


@command("review", "rove.cli.questions:review")
@click.argument("file", type=FOUND)
@click.option("--annotator", "-a", default="", help="Your name; the system's user name if left out.")
def questions_review() -> None:
    """Say of each question in FILE whether it is a good one: y, n, e (edit), s (skip) or q (quit).

    What is said is kept at once, so that you can stop at any time. In a pipe, each line of the input is an answer:
    "y", or "e The question, put better?".
    """


@command("judge", "rove.cli.questions:judge")
@click.argument("runs", nargs=-1, required=True, type=FOUND)
@click.option("--annotator", "-a", default="", help="Your name; the system's user name if left out.")
@click.option(
    "--depth", "-d", default=10, show_default=True, type=click.IntRange(min=1), help="Places of each ranking."
)
@click.option("--dataset", type=FOUND_ANY, help="Where the questions' texts are.")
def questions_judge() -> None:
    """Label what RUNS have found: 1 relevant, 2 related, 3 neither; s (skip) or q (quit).

    A run is a parquet file of a sweep, lines of JSON {question_id, question, documents}, or a TREC run. What any of
    them has among its first places is judged once, in an order that tells no rank. Labels are kept beside the first.
    """


@command("feedback", "rove.cli.questions:feedback")
@click.argument("file", type=FILE)
def questions_feedback() -> None:
    """Write what users have said of answers in conversations to FILE (.jsonl), a run that can be judged.

    Its labels lie beside it: what an answer cited that was liked is relevant. Questions whose answer was not liked are
    there without labels. Written again, labels that annotators gave meanwhile stay. Keys that see some documents only
    are left out.
    """


@command("agree", "rove.cli.questions:agree")
@click.argument("file", type=FOUND)
@click.option("--qrels", type=FILE, help="Write the labels, merged, as lines of question, document and grade.")
def questions_agree() -> None:
    """Say how far the annotators of FILE (questions that were reviewed, or a run that was judged) agree."""


@command("keep", "rove.cli.kept_questions:keep")
@click.argument("question")
@click.argument("document", required=False, type=DOCUMENT)
@click.option("--span", metavar="START:END", help="The characters of DOCUMENT that answer it; all, if left out.")
@click.option("--reviewed", is_flag=True, help="QUESTION is a file of questions; keep those that were found good.")
def questions_keep() -> None:
    """Keep that a passage of DOCUMENT answers QUESTION: asked so, or alike, it is given at once.

    Or all questions of a file that were reviewed: rove questions keep --reviewed FILE
    """


@command("kept", "rove.cli.kept_questions:kept")
def questions_kept() -> None:
    """List the questions that are kept, each with the words that answer it."""


@command("forget", "rove.cli.kept_questions:forget")
@click.argument("questions", nargs=-1)
@click.option("--all", "every", is_flag=True, help="All of them.")
def questions_forget() -> None:
    """Erase QUESTIONS that are kept; their bytes leave the disk."""


for _one in (
    questions_make,
    questions_review,
    questions_judge,
    questions_feedback,
    questions_agree,
    questions_keep,
    questions_kept,
    questions_forget,
):
    questions.add_command(_one)

"""What the commands take that bring documents in, show them and take them out."""

from __future__ import annotations

import click

from rove.cli.command import command
from rove.cli.values import DOCUMENT, ENRICHERS, FOUND, ORIGIN, REVIEW_KINDS, TARGET, VERDICTS, Known, where_option


@command("add", "rove.cli.add:add")
@click.argument("sources", nargs=-1)
@click.option(
    "--schema",
    metavar="ADDRESS",
    multiple=True,
    help="Take in how the tables of a database, or of a folder of sheets, are made, not their rows.",
)
@click.option("--resume", is_flag=True, help="Take up what an interrupted add did not finish.")
@click.option("--prune", is_flag=True, help="Take out what is gone from folders that were added before.")
@click.option("--watch", is_flag=True, help="Keep the base in step with the folders until interrupted.")
@click.option("--crawl", metavar="DEPTH", type=click.IntRange(0, 20), help="Follow links on the page's host.")
@click.option("--pages", default=100, show_default=True, help="How many pages to take of a site at most.")
@click.option("--workers", metavar="HOW", help="Read and embed on workers: 4 processes, ray, ray://host:10001.")
@click.option("--sitemap", is_flag=True, help="Take what the site's sitemap names too.")
def add() -> None:
    """Take in SOURCES: files, folders with all below them, pages (https://…), databases (postgresql://…).

    What is there already and has not changed is left alone, so the same command can be run again at any time. A file
    that was moved or renamed stays the document that it is. The exit status is 1 if a source could not be read whole;
    the others are in.
    """


@command("enrich", "rove.cli.enrich:enrich")
@click.argument("names", nargs=-1, required=True, metavar="NAME...", type=Known(*ENRICHERS))
@click.option("--yes", "-y", is_flag=True, help="Do not ask before a chat model is used.")
def enrich() -> None:
    """Work out more of the documents that are in the base.

    NAME is "graph" (who does what to whom: triplets for `rove graph` and mode "graph"), "summaries" (what documents
    and their sections say, for `rove summary` and mode "summaries"), "fields" (those that enrich.fields declares, found
    in each document) or "replies" (what was replied to each post).

    No document is read again, and running it twice changes nothing. Before a chat model is used, it says how
    many calls and tokens that will take, and asks.
    """


@command("inspect", "rove.cli.inspect:inspect", several=True)
@click.argument("document", required=False, type=DOCUMENT)
@click.option("--chunks", is_flag=True, help="Show the document's chunks.")
@click.option(
    "--span", metavar="START:END", help="Show these characters of the document, with what stands around them."
)
@click.option("--ledger", is_flag=True, help="Show what became of every source.")
@click.option("--failed", is_flag=True, help="Show the sources that failed, why, and what to do.")
@click.option("--depth", is_flag=True, help="Show how many passages the embedder has yet to reach.")
def inspect() -> None:
    """List the documents of the base; or show one DOCUMENT, by its id or path.

    The beginning of an id, or the end of a path, will do where only one is meant.
    """


@command("summary", "rove.cli.summary:summary", several=True)
@click.argument("names", nargs=-1, required=True, metavar="NAME...", type=DOCUMENT)
@click.option("--depth", default=2, show_default=True, help="Levels of sections that are shown; 0: the document alone.")
def summary() -> None:
    """Say what the documents NAME (ids or paths) and their sections say, each sentence with where it stands.

    `rove enrich summaries` makes the summaries first.
    """


@command("words", "rove.cli.words:words")
@click.argument("word", required=False)
@click.argument("others", nargs=-1)
@click.option("--remove", is_flag=True, help="Take the word out.")
@click.option(
    "--file",
    "-f",
    type=FOUND,
    help="A line an entry: word, tab, others.",
)
def words() -> None:
    """Show the dictionary, or put WORD into it with OTHERS that mean the same: an abbreviation, another spelling.

    Only passages that hold one of these are analysed anew.
    """


@command("delete", "rove.cli.delete:delete")
@click.argument("names", nargs=-1, type=DOCUMENT)
@where_option("Erase what this holds for.")
@click.option("--mentions", is_flag=True, help="Erase kept questions, walks and conversations that name it too.")
@click.option(
    "--erase",
    type=click.Choice(["now", "later"]),
    default="later",
    help="Where the base is in Postgres: write its tables anew at once (now), or leave that to `rove doctor` (later).",
)
def delete() -> None:
    """Erase documents by id, by path or by condition: text, chunks, vectors, and their bytes in the base's folder.

    Of a base in Postgres the bytes stay in the files of its tables until these are written anew: by --erase now, while
    who reads waits, or by `rove doctor`. The log, the copies and the backups of the server are its own.

    The beginning of an id, or the end of a path, will do where only one document is meant.

    What users wrote stays, in kept questions, walks and conversations, unless --mentions is given: then a NAME may also
    be a word that stands in them.
    """


@command("correct", "rove.cli.correcting:correct")
@click.argument("name", type=DOCUMENT)
@click.argument("words", nargs=-1, metavar="[OLD NEW]")
@click.option("--undo", metavar="NUMBER", help='Take a correction back, by its number in the list; "last": the latest.')
def correct() -> None:
    """Let NEW stand in a document where OLD stands; without words, list what was corrected.

    The document gets a new version, and the correction stays when its file is read again. What is taken back stays
    listed.
    """


@command("review", "rove.cli.reviewing:review")
@click.argument("action", required=False, type=click.Choice(VERDICTS))
@click.argument("item_id", required=False, metavar="ID")
@click.argument("words", nargs=-1)
@click.option("--ask", is_flag=True, help="Go through the queue: one thing at a time, a key for each decision.")
@click.option("--decided", is_flag=True, help="List what was decided, by whom and when, and how far people agree.")
@click.option("--kind", "kinds", multiple=True, type=click.Choice(REVIEW_KINDS), help="Only of this kind; repeat it.")
@click.option("--by", metavar="NAME", default="", help="The reviewer; without, who has signed in to this machine.")
@click.option("--most", default=50, show_default=True, type=click.IntRange(1), help="How many of the queue.")
@where_option("Show only what stands in passages for which this holds.")
def review() -> None:
    """Show what waits for your review, the least sure first; or decide about one thing: accept, edit or reject ID.

    That is who does what to whom (what `rove enrich graph` has found), questions that are kept, corrections and themes.
    What is rejected is neither searched nor shown, and a correction is taken back; edit ID WORDS lets other words
    stand: of a triplet SUBJECT PREDICATE OBJECT. Every decision is kept, also when the documents are read or enriched
    again.
    """


@command("export", "rove.cli.exchange:export")
@click.argument("file", type=TARGET)
def export() -> None:
    """Write the base to FILE ("-": standard output) as JSON lines: texts, structure, metadata, vectors, kept files."""


@command("import", "rove.cli.exchange:import_")
@click.argument("file", type=ORIGIN)
def import_() -> None:
    """Take in FILE ("-": standard input), which `rove export` wrote; with another embedder it is embedded anew."""

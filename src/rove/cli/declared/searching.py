"""What the commands take that search and answer."""

from __future__ import annotations

import click

from rove.cli.command import GROUP, command
from rove.cli.values import DIRECTIONS, DOCUMENT, FILE, MODES, NAME_VALUE, Known, where_option


@command("search", "rove.cli.search:search", several=True, served=True)
@click.argument("question", nargs=-1, required=True)
@click.option("--top", "-n", "top_k", type=click.IntRange(min=1), help="How many passages.")
@click.option(
    "--mode",
    "-m",
    default="hybrid",
    show_default=True,
    type=Known(*MODES),
    help=f"One of: {', '.join(MODES)}; or a plug-in's.",
)
@where_option()
@click.option("--min-score", type=float, help="Leave out what scores less; what a score is depends on the mode.")
@click.option("--rerank/--no-rerank", default=None, help="Look at the best passages again, or not.")
@click.option("--verbose", "-v", is_flag=True, help="Show scores, and the place that each list gave a passage.")
def search() -> None:
    """Find the passages that match QUESTION best."""


@command("ask", "rove.cli.ask:ask", several=True, served=True)
@click.argument("question", nargs=-1, required=True)
@where_option()
@click.option("--walk", is_flag=True, help="Search in rounds, from lead to lead, until enough is found.")
@click.option("--tools", is_flag=True, help="Run a tool that surely fits and only reads; its result is a source.")
@click.option("--explain", is_flag=True, help="Show the path of a walk: which fact led to which.")
@click.option("--verbose", "-v", is_flag=True, help="Show the scores of passages.")
def ask() -> None:
    """Answer QUESTION from the base, every sentence cited to exact words.

    Without a chat model (settings table "chat") the answer quotes the sources, and says so.
    """


@command("chat", "rove.cli.chat:chat", several=True)
@where_option()
@click.option(
    "--resume", "-r", is_flag=False, flag_value="last", metavar="[ID]", help="Go on with one that is kept; the latest."
)
@click.option("--list", "-l", "listed", is_flag=True, help="List what is kept.")
@click.option("--keep/--no-keep", default=None, help="Keep it in the base.  [default: in a terminal]")
def chat() -> None:
    """Ask one question after the other; a question may lean on those before it.

    What is kept is found again by --resume, and in the page of a server without keys.

    In a pipe, each line is a question, and an error ends nothing: the exit status says whether there was one. With
    --json each answer is one line of JSON.
    """


@command("themes", "rove.cli.themes:themes", several=True)
@click.option("--top", "-n", "most", type=click.IntRange(min=1), default=8, show_default=True, help="How many.")
@where_option("Only of what passes; all, if several.")
def themes() -> None:
    """Say what the documents are about: passages that are near to one another, named by their headings."""


@command("graph", "rove.cli.graph:graph", several=True)
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option(
    "--document",
    "-d",
    "documents",
    multiple=True,
    metavar="NAME",
    type=DOCUMENT,
    help="What a document says; its id or path.",
)
@click.option("--structure", is_flag=True, help="The document's own graph: sections, chunks, what these speak of.")
@click.option("--direction", type=click.Choice(DIRECTIONS), default="both", show_default=True, help="Which relations.")
@click.option("--depth", default=1, show_default=True, help="Links from a name, up to 5.")
@click.option("--fan", default=20, show_default=True, help="Relations of one entity.")
@click.option("--limit", "-n", default=100, show_default=True, help="Relations in all.")
@where_option("Only of what passes; all, if several.")
@click.option("--out", "-o", type=FILE, help="Write a picture (.html), or .graphml.")
def graph() -> None:
    """Show what the documents say of NAME: who does what to whom, each with the words that say so.

    `rove enrich graph` makes the graph first. Several names show what lies between them.
    """


@command("sql", "rove.cli.sql:sql", several=True)
@click.argument("question", nargs=-1, required=True)
@click.option("--database", "-d", default="", help="Its name in the settings; not needed where there is one only.")
@click.option("--dry-run", is_flag=True, help="Write and check the SQL, and run nothing.")
@click.option("--schema", is_flag=True, help="Show the tables that QUESTION needs, of those in the base.")
@click.option("--tables", "in_documents", is_flag=True, help="Ask the tables in the documents of the base.")
@click.option("--run", "as_sql", is_flag=True, help="QUESTION is SQL: one SELECT, checked as any other.")
def sql() -> None:
    """Answer QUESTION from the rows of a database that the settings name.

    A chat model writes the SQL, if one is set up; else rules do, over one table. It is checked and only reads. The exit
    status is 1 where there is no answer.
    """


@click.group("tools", **GROUP)
def tools() -> None:
    """List the tools of the settings, find those that fit a request, and run one."""


@command("list", "rove.cli.tools:listed")
def tools_list() -> None:
    """List every tool: its source, whether it reads or writes, and what it is for."""


@command("find", "rove.cli.tools:find")
@click.argument("request", nargs=-1, required=True)
@click.option("--top-k", "-n", default=5, show_default=True, type=click.IntRange(1), help="How many at most.")
def tools_find() -> None:
    """Find the tools that fit REQUEST, best first."""


@command("run", "rove.cli.tools:run")
@click.argument("request", nargs=-1, required=True)
@click.option("--tool", default="", help="The tool's name, where it is known.")
@click.option("--set-value", "-v", "values", multiple=True, metavar=NAME_VALUE, help="A value that is settled.")
@click.option("--profile", "-p", multiple=True, metavar=NAME_VALUE, help="What is known of the user.")
@click.option("--dry-run", is_flag=True, help="Show what would be run, and run nothing.")
@click.option("--confirm", is_flag=True, help="Let a tool run that changes something.")
def tools_run() -> None:
    """Run the tool that REQUEST asks for, with values that it says; or ask for what is missing."""


for _one in (tools_list, tools_find, tools_run):
    tools.add_command(_one)

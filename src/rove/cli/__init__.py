"""The command line. Each command is imported when it is called, so that help comes at once."""

from __future__ import annotations

import gc
import sys
import warnings

import click

from rove.errors import meant
from rove.registry import load

COMMANDS = {  # name → its declaration in `rove.cli.declared`, and one line of help
    "add": ("documents:add", "Take in files and folders."),
    "enrich": (
        "documents:enrich",
        "Work out more of documents: a graph, summaries, fields, replies.",
    ),
    "search": ("searching:search", "Find passages."),
    "themes": ("searching:themes", "Say what the documents are about."),
    "graph": ("searching:graph", "Show what the documents say of things, and how these are related."),
    "summary": ("documents:summary", "Say what a document and its sections say."),
    "words": ("documents:words", "Show and change the base's own dictionary."),
    "ask": ("searching:ask", "Answer a question, every sentence cited."),
    "sql": ("searching:sql", "Ask a database: the SQL, its rows, and a sentence."),
    "tools": ("searching:tools", "List and run tools: functions, services, MCP servers, SQL."),
    "questions": (
        "lab:questions",
        "Make questions, review and judge them; keep those that are answered at once.",
    ),
    "chat": ("searching:chat", "Ask on and on, each question with those before it in mind."),
    "eval": ("lab:eval_", "Measure how well one configuration finds."),
    "sweep": ("lab:sweep", "Measure every configuration of a grid, and compare them."),
    "walk": ("walking:walk", "Find out in many rounds, and watch; Ctrl-C steers."),
    "walks": ("walking:walks", "List walks; resume, fork, replay, export or delete one."),
    "flow": (
        "walking:flow",
        "Run graphs of operators: templates, and files of your own; resume a run.",
    ),
    "memory": ("walking:memory", "Show, search, edit and erase what walks have learned."),
    "serve": ("care:serve", "Serve the base over HTTP; let people and keys in."),
    "mcp": ("care:mcp", "Serve the base to a model's program (MCP)."),
    "inspect": ("documents:inspect", "List documents; show one, its chunks, or the ledger."),
    "correct": ("documents:correct", "Correct words of a document; take a correction back."),
    "review": ("documents:review", "Accept, edit or reject what was found in documents."),
    "delete": ("documents:delete", "Erase documents, bytes and all."),
    "doctor": ("care:doctor", "Check the base, and mend its index."),
    "migrate": ("care:migrate", "Move the base to another embedder, without downtime."),
    "train": ("care:train", "Train an embedder on the base's own texts."),
    "completion": ("care:completion", "Let the shell complete commands, options and values."),
    "settings": ("care:settings", "Show every setting: its value, its origin, its meaning."),
    "export": ("documents:export", "Write the base to a file."),
    "import": ("documents:import_", "Take in what export wrote."),
}


OTHERWISE = {
    **dict.fromkeys(("ingest", "index", "load", "upload"), "add"),
    **dict.fromkeys(("query", "find", "retrieve"), "search"),
    **dict.fromkeys(("documents", "docs", "list", "ls", "show"), "inspect"),
    **dict.fromkeys(("remove", "rm", "forget"), "delete"),
    **dict.fromkeys(("status", "check", "repair"), "doctor"),
    **dict.fromkeys(("person", "people", "user", "users"), "serve person"),
    "key": "serve key",
    "config": "settings",
}
"""What other programs call what these commands do, and what somebody may try first."""
SELDOM = (50_000, 20, 50)
"""How many objects are made between two looks for garbage; Python's own first number is 700."""


class Commands(click.Group):
    """A group whose commands are imported when called, not when listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order a newcomer needs them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name."""
        del ctx
        return load(f"rove.cli.declared.{COMMANDS[cmd_name][0]}") if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of a call; where there is none of that name, say which may be meant."""
        name = args[0]
        if name in COMMANDS or name.startswith("-") or ctx.resilient_parsing:
            return super().resolve_command(ctx, args)
        named = OTHERWISE.get(name)
        may_be = f"Did you mean '{named}'?" if named else meant(name, COMMANDS)
        raise click.UsageError(f"There is no command {name!r}. {may_be}".rstrip(), ctx)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table above."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("--kb", "-k", multiple=True, help="The base, as after COMMAND: rove --kb PLACE COMMAND.")
@click.version_option(package_name="rove")
def rove(kb: tuple[str, ...]) -> None:
    """Answers from your own documents, every sentence cited to an exact span.

    The knowledge base is the folder ./kb, or what --kb or the variable ROVE_KB names.
    """
    del kb  # `meant_base` looks for it


def main() -> None:
    """Run the command line."""
    usual = warnings.formatwarning

    def plainly(
        message: Warning | str, category: type[Warning], filename: str, lineno: int, line: str | None = None
    ) -> str:
        ours = category.__module__ == "rove.errors"
        return f"{message}\n" if ours else usual(message, category, filename, lineno, line)

    warnings.formatwarning = plainly
    gc.set_threshold(*SELDOM)  # what is imported is no garbage, and there is much of it
    try:
        rove.main(prog_name="rove")
    except KeyboardInterrupt:
        sys.exit(130)

"""The command line. Each command is imported when it is called, so that help comes at once."""

from __future__ import annotations

import sys

import click

from rove.registry import load

COMMANDS = {
    "add": ("rove.cli.add:add", "Take in files and folders."),
    "enrich": ("rove.cli.enrich:enrich", "Work out more of documents: a graph, summaries, fields, replies."),
    "search": ("rove.cli.search:search", "Find passages."),
    "themes": ("rove.cli.themes:themes", "Say what the documents are about."),
    "graph": ("rove.cli.graph:graph", "Show what the documents say of things, and how these are related."),
    "summary": ("rove.cli.summary:summary", "Say what a document and its sections say."),
    "words": ("rove.cli.words:words", "Show and change the base's own dictionary."),
    "ask": ("rove.cli.ask:ask", "Answer a question, every sentence cited."),
    "sql": ("rove.cli.sql:sql", "Ask a database: the SQL, its rows, and a sentence."),
    "tools": ("rove.cli.tools:tools", "List and run tools: functions, services, MCP servers, SQL."),
    "questions": (
        "rove.cli.questions:questions",
        "Make questions, review and judge them; keep those that are answered at once.",
    ),
    "chat": ("rove.cli.chat:chat", "Ask on and on, each question with those before it in mind."),
    "eval": ("rove.cli.evaluate:eval_", "Measure how well one configuration finds."),
    "sweep": ("rove.cli.sweep:sweep", "Measure every configuration of a grid, and compare them."),
    "walk": ("rove.cli.walk:walk", "Find out in many rounds, and watch; Ctrl-C steers."),
    "walks": ("rove.cli.walks:walks", "List walks; resume, fork, replay, export or delete one."),
    "flow": ("rove.cli.flow:flow", "Run graphs of operators: templates, and files of your own; resume a run."),
    "memory": ("rove.cli.memory:memory", "Show, search, edit and erase what walks have learned."),
    "serve": ("rove.cli.serve:serve", "Serve the base over HTTP; make keys for it."),
    "mcp": ("rove.cli.serve:mcp", "Serve the base to a model's program (MCP)."),
    "inspect": ("rove.cli.inspect:inspect", "List documents; show one, its chunks, or the ledger."),
    "delete": ("rove.cli.delete:delete", "Erase documents, bytes and all."),
    "doctor": ("rove.cli.doctor:doctor", "Check the base, and mend its index."),
    "migrate": ("rove.cli.migrate:migrate", "Move the base to another embedder, without downtime."),
    "train": ("rove.cli.train:train", "Train an embedder on the base's own texts."),
    "settings": ("rove.cli.settings:settings", "Show every setting: its value, its origin, its meaning."),
    "export": ("rove.cli.exchange:export", "Write the base to a file."),
    "import": ("rove.cli.exchange:import_", "Take in what export wrote."),
}


class Commands(click.Group):
    """A group whose commands are imported when called, not when listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name the commands in the order a newcomer needs them."""
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name."""
        del ctx
        return load(COMMANDS[cmd_name][0]) if cmd_name in COMMANDS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands from the table above."""
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="rove")
def rove() -> None:
    """Answers from your own documents, every sentence cited to an exact span.

    The knowledge base is the folder ./kb, or what --kb or the variable ROVE_KB names.
    """


def main() -> None:
    """Run the command line."""
    try:
        rove.main(prog_name="rove")
    except KeyboardInterrupt:
        sys.exit(130)

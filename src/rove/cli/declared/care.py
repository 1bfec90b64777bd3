"""What the commands take that serve a base and care for it."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import get_completion_class

from rove.cli.command import GROUP, command
from rove.cli.values import FILE, RIGHTS, ROLES

COMPLETION = """Print what lets SHELL complete commands, options and values.

\b
bash:  echo 'eval "$(rove completion bash)"' >> ~/.bashrc
zsh:   echo 'eval "$(rove completion zsh)"' >> ~/.zshrc
fish:  echo 'rove completion fish | source' >> ~/.config/fish/config.fish"""
COMPLETE = "_ROVE_COMPLETE"
"""The variable by which a shell asks for completions: what click makes of the name of the program."""


@command("serve", "rove.cli.serve:run")
@click.option("--host", help="The address to listen at; serve.host.")
@click.option("--port", type=click.IntRange(0, 65_535), help="The port to listen at; serve.port.")
@click.option("--host-name", "host_names", multiple=True, help="A name that it is called by, beside serve.hosts.")
@click.option(
    "--await-key", is_flag=True, help="Where it must not listen since nobody may sign in, wait for that, and say so."
)
def run() -> None:
    """Serve the base over HTTP, OpenAI-shaped and MCP, until told to end (Ctrl-C, SIGTERM).

    Without people and keys only this machine is let in. People are let in by: rove serve person NAME; programs by:
    rove serve key NAME
    """


@command("key", "rove.cli.serve:key")
@click.argument("name")
@click.option("--space", "spaces", multiple=True, help="A space that it opens; all, if none is named.")
@click.option(
    "--right",
    "rights",
    multiple=True,
    default=("read",),
    show_default=True,
    type=click.Choice(RIGHTS),
    help="What it lets its holder do.",
)
@click.option("--label", "labels", multiple=True, help="Open only documents with one of these access labels.")
@click.option("--revoke", is_flag=True, help="Take the key of this name out of the settings file instead.")
def key() -> None:
    """Make a key, print it once, and write its hash into the settings file.

    It counts in a server that runs within seconds. Where one is revoked, what is being done for its holder ends.
    """


@command("person", "rove.cli.people:person")
@click.argument("name", required=False)
@click.option("--role", default="reader", show_default=True, type=click.Choice(ROLES), help="What the person may do.")
@click.option("--full-name", default="", help="What the person is called on the page.")
@click.option("--space", "spaces", multiple=True, help="A space that the person sees; all, if none is named.")
@click.option("--label", "labels", multiple=True, help="Show only documents with one of these access labels.")
@click.option("--list", "as_list", is_flag=True, help="List all who may sign in, instead.")
@click.option("--invite", is_flag=True, help="Print a new link for somebody who has forgotten the password, instead.")
@click.option("--disable", is_flag=True, help="Sign the person out and let nobody in by that name, instead.")
@click.option("--enable", is_flag=True, help="Let a disabled person in again, instead.")
@click.option("--remove", is_flag=True, help="Take the person out, instead.")
def person() -> None:
    """Let somebody sign in to the server's page, and print the link by which they choose a password.

    It counts in a server that runs within seconds. From the first person on, nobody is let in without signing in, or a
    key. Over HTTP and on the page administrators do the same.
    """


@command("mcp", "rove.cli.serve:mcp")
def mcp() -> None:
    """Serve the base to a model's program over standard input and output (Model Context Protocol).

    Over HTTP it is at /mcp of `rove serve`.
    """


@command("doctor", "rove.cli.doctor:doctor")
@click.option(
    "--rebuild-from",
    "source",
    metavar="SOURCE",
    help="Make a lost or torn catalog anew: from an export, a backup (a copy of the base's folder or catalog), or "
    '"here", of what this folder still holds.',
)
def doctor() -> None:
    """Compare catalog and index chunk by chunk; mend the index from the catalog.

    The catalog is the truth: an index that is damaged, or lost, is made anew without embedding anything again. A
    catalog that is lost or torn is made anew with --rebuild-from; what is broken is moved aside, and the exit status is
    1 where sources are lost and have to be added again.
    """


@command("migrate", "rove.cli.migrate:migrate")
@click.option("--to", metavar="NAME", default="", help="The new embedder, if the settings do not name it yet.")
@click.option("--estimate", "only_estimate", is_flag=True, help="Only say what it comes to.")
@click.option("--switch-only", is_flag=True, help="Switch, and leave the rest to a server or the next add.")
def migrate() -> None:
    """Move the base to another embedder, without downtime.

    The settings name the new one under [embedder], and how the one before is reached under [embedder.previous] (a
    packaged one needs no word). From the switch on both are searched, until the new one has reached every passage,
    those first that people find. Stop it at any time: the same command goes on, and --to with the old name goes back.
    """


@command("train", "rove.cli.train:train")
@click.argument("file", type=FILE)
def train() -> None:
    """Train FastText vectors on the base's own texts, and write them to FILE.

    The base stays as it is: say in its settings what is printed, then let it have the vectors by rove migrate. Some
    minutes of one core at most, whatever the size of the base, but for very large ones. FILE holds the base's words.
    """


@command("settings", "rove.cli.settings:settings")
@click.argument("names", nargs=-1, metavar="[NAME...]")
def settings() -> None:
    """Show the settings in force, and where each comes from: argument, environment, file, preset or default.

    NAME is a table ("search") or one setting ("search.top_k"); without it all are shown. Keys are never printed.
    """


def _serve_by_default(**options: Any) -> None:  # noqa: ANN401 - what click gives
    if click.get_current_context().invoked_subcommand is None and run.callback:
        run.callback(**options)


serve = click.Group(
    "serve", callback=_serve_by_default, params=run.params, invoke_without_command=True, help=run.help, **GROUP
)
serve.add_command(key)
serve.add_command(person)


@click.command("completion", help=COMPLETION, **GROUP)
@click.argument("shell", type=click.Choice(("bash", "zsh", "fish")))
def completion(shell: str) -> None:
    """Print what lets a shell complete commands, options and values."""
    found = get_completion_class(shell)
    if found is not None:
        click.echo(found(click.Command("rove"), {}, "rove", COMPLETE).source())

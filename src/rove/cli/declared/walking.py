"""What the commands take that run in many steps: walks, what they have learned, and flows."""

from __future__ import annotations

import click

from rove.cli.command import GROUP, command
from rove.cli.values import FILE, WALK, WALK_ACTIONS, where_option


@command("walk", "rove.cli.walk:walk", several=True)
@click.argument("question", nargs=-1, required=True)
@where_option("Only where this holds, at every step; all, if several.")
@click.option("--rounds", type=click.IntRange(min=0), help="At most so many rounds; 0 is without a bound, as below.")
@click.option("--calls", type=click.IntRange(min=0), help="At most so many calls of the chat model.")
@click.option("--tokens", type=click.IntRange(min=0), help="At most so many tokens.")
@click.option("--seconds", type=click.FloatRange(min=0), help="At most so many seconds.")
@click.option("--money", type=click.FloatRange(min=0), help="At most so much, by the prices of the settings.")
def walk() -> None:
    """Find out QUESTION in rounds: what was read gives facts and leads, and the leads are followed.

    Ctrl-C lets the walk rest: facts, leads, the question and the budget can then be changed. Every step is kept; go on
    later with: rove walks resume; further than to its end with: rove walks resume --rounds 2
    """


@command("walks", "rove.cli.walks:walks")
@click.argument("action", type=click.Choice(WALK_ACTIONS), default="list")
@click.argument("walk", required=False, default="last", type=WALK)
@click.option("--at", type=click.IntRange(min=1), help="fork: go on after this event; replay numbers them.")
@click.option("--rounds", type=click.IntRange(min=1), help="resume: go so many rounds further, also if it had ended.")
@click.option("--file", "-f", type=FILE, help="export to it, import from it.")
def walks() -> None:
    """List the walks of the base, or do something with one.

    WALK is its id, the beginning of its id, or "last". A walk that was paused, or whose process was killed, goes on
    with resume; with --rounds one that has ended too, by what the question finds next and the leads that are left. A
    fork goes on from any event of another walk, and leaves that as it is.
    """


@click.group("memory", **GROUP)
def memory() -> None:
    """Show, search, edit and erase what walks have learned from the documents."""


@command("list", "rove.cli.memory:listed")
def memory_list() -> None:
    """List the facts that are remembered, in the order they were learned."""


@command("leads", "rove.cli.memory:leads")
def memory_leads() -> None:
    """List the leads that walks have followed, and whether they ended in the answer, in a fact or in nothing."""


@command("search", "rove.cli.memory:search")
@click.argument("question", nargs=-1, required=True)
@click.option("--top-k", "-n", default=10, show_default=True, type=click.IntRange(1), help="How many at most.")
def memory_search() -> None:
    """Find what is remembered about QUESTION, best first."""


@command("edit", "rove.cli.memory:edit")
@click.argument("memory_id")
@click.argument("text", nargs=-1, required=True)
def memory_edit() -> None:
    """Put the fact MEMORY_ID otherwise. It stays tied to the same words of its source."""


@command("forget", "rove.cli.memory:forget")
@click.argument("memory_ids", nargs=-1, required=True)
def memory_forget() -> None:
    """Erase the facts of these ids, or beginnings of ids; their bytes leave the disk."""


@command("clear", "rove.cli.memory:clear")
@click.option("--yes", is_flag=True, help="Do not ask.")
def memory_clear() -> None:
    """Erase all that walks have learned: facts, and how leads have ended."""


@click.group("flow", **GROUP)
def flow() -> None:
    """Graphs of operators: what add and ask do, put together in other ways, in a file that can be shared.

    FLOW is a file (.toml or .yaml), or the name of a template.
    """


@command("list", "rove.cli.flow:list_")
def flow_list() -> None:
    """List the templates; a file of your own begins well as a copy of one: rove flow show NAME --source."""


@command("operators", "rove.cli.flow:operators")
def flow_operators() -> None:
    """List the operators: what each takes, what it gives, and what it does."""


@command("show", "rove.cli.flow:show")
@click.argument("name", metavar="FLOW")
@click.option("--mermaid", is_flag=True, help="As a Mermaid flowchart.")
@click.option("--svg", is_flag=True, help="As an SVG picture.")
@click.option("--source", is_flag=True, help="The file itself.")
def flow_show() -> None:
    """Draw FLOW."""


@command("check", "rove.cli.flow:check")
@click.argument("name", metavar="FLOW")
def flow_check() -> None:
    """Check FLOW, and say all that is wrong with it: names, types, loops without a bound.

    Where there is a base, what it lacks is said too: a chat model, databases, tools. Nothing is written into it.
    """


@command("run", "rove.cli.flow:run_")
@click.argument("name", metavar="FLOW")
@click.argument("inputs", nargs=-1, metavar="[NAME=VALUE]…")
@where_option("Only where this holds, at every step.")
def flow_run() -> None:
    """Run FLOW; words without NAME= are its first input. A run that was cut off goes on with: rove flow resume.

    The exit status is 3 where a person is asked and nobody is at the terminal.
    """


@command("resume", "rove.cli.flow:resume_")
@click.argument("name", metavar="RUN", default="last")
@click.option("--reply", "-r", multiple=True, metavar="STEP=TEXT", help="What a person answers; see: rove flow runs")
def flow_resume() -> None:
    """Go on with a run: no finished step is done again. RUN is its id, the beginning of it, or "last"."""


@command("runs", "rove.cli.flow:runs_")
def flow_runs() -> None:
    """List the runs that the base keeps, and what they wait for."""


@command("forget", "rove.cli.flow:forget_")
@click.argument("name", metavar="RUN")
def flow_forget() -> None:
    """Delete a run and all that it has kept."""


for _one in (memory_list, memory_leads, memory_search, memory_edit, memory_forget, memory_clear):
    memory.add_command(_one)
for _one in (flow_list, flow_operators, flow_show, flow_check, flow_run, flow_resume, flow_runs, flow_forget):
    flow.add_command(_one)

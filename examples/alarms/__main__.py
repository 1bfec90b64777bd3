"""Run the case: `python -m examples.alarms --alarm backup --to out` writes out/report.html."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import click
from examples.alarms.case import ALARMS, CAUSES, diagnosed, opened
from examples.alarms.live import Live
from examples.alarms.make_data import CATALOG, names
from examples.alarms.service import served


@click.command()
@click.option("--alarm", type=click.Choice(list(ALARMS)), default="backup", help="Which one, and what lies behind it.")
@click.option("--text", help="Another alarm's text, on the same live systems.")
@click.option("--http", is_flag=True, help="Take the tools from a service over HTTP, by its OpenAPI document.")
@click.option("--to", "folder", type=click.Path(path_type=Path), default=Path("alarms-case"), show_default=True)
def main(alarm: str, text: str | None, folder: Path, *, http: bool) -> None:
    """Make the data, take it in, diagnose an alarm, and write the report."""
    asyncio.run(_run(alarm, text or ALARMS[alarm], folder / alarm, http=http))
    if not text:
        click.echo(f"The data was made to hide: {_named(CAUSES[alarm])}")


async def _run(alarm: str, text: str, folder: Path, *, http: bool) -> None:
    async with AsyncExitStack() as stack:
        given = {}
        if http:
            source = await stack.enter_async_context(served(Live(folder / "live.sqlite"), folder))
            given = {"live": (), "tools": {"live": source}}
        kb = await stack.enter_async_context(opened(folder, alarm, **given))
        done = await diagnosed(kb, text)
    page = folder / "report.html"
    page.write_text(str(done.output["page"]), "utf-8")
    click.echo(f"Alarm: {text}\nRoot cause: {_named(done.output['cause'])}\nReport: {page}")


def _named(code: object) -> str:
    """An event by its code and its English name."""
    return f"{code} ({names(CATALOG['events'][code])[0]})" if code else "not confirmed"


if __name__ == "__main__":
    main()

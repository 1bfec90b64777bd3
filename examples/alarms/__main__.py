"""Run the case: `python -m examples.alarms --alarm backup --to out` writes out/report.html."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click
from examples.alarms.case import ALARMS, CAUSES, diagnosed, opened


@click.command()
@click.option("--alarm", type=click.Choice(list(ALARMS)), default="backup", help="Which one, and what lies behind it.")
@click.option("--text", help="Another alarm's text, on the same live systems.")
@click.option("--to", "folder", type=click.Path(path_type=Path), default=Path("alarms-case"), show_default=True)
def main(alarm: str, text: str | None, folder: Path) -> None:
    """Make the data, take it in, diagnose an alarm, and write the report."""
    asyncio.run(_run(alarm, text or ALARMS[alarm], folder / alarm))
    if not text:
        click.echo(f"The data was made to hide: {CAUSES[alarm]}")


async def _run(alarm: str, text: str, folder: Path) -> None:
    async with opened(folder, alarm) as kb:
        done = await diagnosed(kb, text)
    page = folder / "report.html"
    page.write_text(str(done.output["page"]), "utf-8")
    click.echo(f"Alarm: {text}\nRoot cause: {done.output['cause'] or 'not confirmed'}\nReport: {page}")


if __name__ == "__main__":
    main()

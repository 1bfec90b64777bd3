"""Run the case: `python -m examples.financial_report --to out` writes out/report.html and answers some questions."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click
from examples.financial_report.case import QUESTIONS, asked, opened, reported

from rove.records import Answer


@click.command()
@click.option("--question", multiple=True, help="A question of yours; without, some are asked.")
@click.option("--to", "folder", type=click.Path(path_type=Path), default=Path("financial-case"), show_default=True)
def main(question: tuple[str, ...], folder: Path) -> None:
    """Make the reports, take them in, write the report, and answer questions in layers."""
    asyncio.run(_run(question or QUESTIONS, folder))


async def _run(questions: tuple[str, ...], folder: Path) -> None:
    async with opened(folder) as kb:
        done = await reported(kb)
        page = folder / "report.html"
        page.write_text(str(done.output["page"]), "utf-8")
        click.echo(f"Report: {page}")
        for one in questions:
            answered = (await asked(kb, one)).output
            answer = answered["answer"]
            where = f"tool {answered['tool']}" if answered["tool"] else f"layer {answered['layer'] or '-'}"
            click.echo(f"\n{one}\n  [{where}] {answer.text if isinstance(answer, Answer) else ''}")


if __name__ == "__main__":
    main()

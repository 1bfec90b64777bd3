"""The case as a program uses it: a base of the made reports, the report's flow, and the flow of questions."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

from examples.financial_report.analyst import figure_tool, indicator_tool, indicators, named_indicator, notable
from examples.financial_report.make_data import COMPANY, make
from examples.financial_report.paper import financial_paper

from rove import AsyncRove
from rove.flow import Flow, FlowRun, read_flow, run
from rove.records.figures import Computed, Figure

HERE = Path(__file__).parent
OPERATORS = {
    "indicators": indicators,
    "notable": notable,
    "financial-paper": financial_paper,
    "named-indicator": named_indicator,
}
QUESTIONS = (
    "What was the gross margin in 2024?",
    "What does the quick ratio say?",
    "How high were borrowings in the balance sheet of 2025?",
    "Whom did Halden Instruments acquire in 2024?",
    "Warum stieg die Bruttomarge 2025?",
    "Who owns Brava Quartz?",
    "What was the free cash flow in 2022?",
)


def flow(name: str) -> Flow:
    """Read a flow of the case: "report" or "question"."""
    return read_flow(HERE / f"{name}.toml", OPERATORS)


@asynccontextmanager
async def opened(folder: Path, **settings: object) -> AsyncIterator[AsyncRove]:
    """Make the reports in a folder, take them in, and make the graph; `settings`: of the base, such as `chat`.

    What no source says is deleted from answers: they stand in a report, which is read without the sources.
    """
    documents = make(folder)
    settings.setdefault("answer", {"strict": True})
    async with AsyncRove.open(folder / "kb", **settings) as kb:
        await kb.add(documents)
        await kb.enrich("graph")
        yield kb


async def reported(kb: AsyncRove) -> FlowRun:
    """Run the report's flow, and give the base tools of what it read and worked out."""
    done = await run(kb, flow("report"), {"company": COMPANY["name"]})
    ratios, figures = (
        cast("Sequence[Computed]", done.output["ratios"]),
        cast("Sequence[Figure]", done.output["figures"]),
    )
    kb.tools.add(indicator_tool(ratios), figure_tool(figures))
    return done


async def asked(kb: AsyncRove, question: str) -> FlowRun:
    """Run the flow of questions; after `reported`, which makes the tool."""
    return await run(kb, flow("question"), {"question": question})

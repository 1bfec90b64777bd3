"""The case as a program uses it: a base of the made documents with the live tools, and a run of its flow."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from examples.alarms.experts import codes_of, find_root, plan_checks, read_alarm
from examples.alarms.live import Live, restart_host
from examples.alarms.make_data import CATALOG, make
from examples.alarms.paper import alarm_report

from rove import AsyncRove
from rove.flow import Flow, FlowRun, read_flow, run

HERE = Path(__file__).parent
OPERATORS = {
    "read-alarm": read_alarm,
    "codes-of": codes_of,
    "plan-checks": plan_checks,
    "find-root": find_root,
    "alarm-report": alarm_report,
}
ALARMS: Mapping[str, str] = {name: one["text"] for name, one in CATALOG["alarms"].items()}
CAUSES: Mapping[str, str] = {name: one["cause"] for name, one in CATALOG["alarms"].items()}


def flow() -> Flow:
    """Read the flow of the case."""
    return read_flow(HERE / "flow.toml", OPERATORS)


@asynccontextmanager
async def opened(
    folder: Path, alarm: str, live: Sequence[Callable[..., object]] | None = None, **settings: object
) -> AsyncIterator[AsyncRove]:
    """Make the data of an alarm in a folder, take the documents in, and make the graph.

    Args:
        folder: where; what is there of an earlier run is used again.
        alarm: one of `ALARMS`; it decides what the "live" systems measure.
        live: other tools in place of those of the case.
        settings: of the base, such as `chat`.
    """
    documents = make(folder, alarm)
    async with AsyncRove.open(folder / "kb", **settings) as kb:
        await kb.add(documents)
        await kb.enrich("graph")
        kb.tools.add(*(Live(folder / "live.sqlite").tools if live is None else live))
        kb.tools.add(restart_host, effects="writes")
        yield kb


async def diagnosed(kb: AsyncRove, text: str) -> FlowRun:
    """Run the flow on the text of an alarm."""
    return await run(kb, flow(), {"alarm": text})

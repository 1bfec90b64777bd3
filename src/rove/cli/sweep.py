"""`rove sweep`: every configuration of a grid over a dataset, and which of them does it best."""

from __future__ import annotations

import asyncio
from copy import deepcopy
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from shutil import rmtree
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from rove.cli.evaluate import dataset_of
from rove.cli.session import Session
from rove.errors import count_text
from rove.evaluate.compare import PairedComparison
from rove.evaluate.configuration import Tree
from rove.evaluate.dataset import Dataset
from rove.evaluate.estimate import Estimate, estimate
from rove.evaluate.grid import Grid, read_grid
from rove.evaluate.machine import machine_facts
from rove.evaluate.plan import Plan, plan
from rove.evaluate.report.report_page import report_html
from rove.evaluate.results import Results
from rove.evaluate.scoring import check_metrics, need_nearness
from rove.evaluate.sources import fingerprint
from rove.evaluate.study import Study, StudyLine, study
from rove.evaluate.sweep import AskedSome, BaseStarted, Ingesting, Step, Sweep
from rove.registry import load_extra

SHOWN_LINES = 20


class SweepBar:
    """Draws a sweep on standard error, in a terminal only."""

    def __init__(self, session: Session, outcomes: int) -> None:
        columns = (
            TextColumn("[bold]Sweeping"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("searches · base {task.fields[base]} · {task.fields[chunks]} chunks · {task.fields[rate]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        quiet = session.output.as_json or not session.output.notes.is_terminal
        self.progress = Progress(*columns, console=session.output.notes, disable=quiet)
        self.task = self.progress.add_task("", total=outcomes, base="", chunks=0, rate="")
        self.chunks = 0

    def __call__(self, step: Step) -> None:
        """Move the bar."""
        match step:
            case BaseStarted(number, of, _):
                self.progress.update(self.task, base=f"{number} of {of}")
            case Ingesting(count):
                self.chunks += count
                self.progress.update(self.task, chunks=self.chunks)
            case AskedSome(count):
                self.progress.update(self.task, advance=count, rate=self._rate())

    def _rate(self) -> str:
        task = self.progress.tasks[0]
        return f"{task.completed / task.elapsed:.0f} a second" if task.elapsed else ""


def sweep(
    session: Session,
    grid: str,
    dataset: str | None,
    out: str | None,
    metrics: tuple[str, ...],
    limit: int | None,
    processes: int,
    dry_run: bool,
    fresh: bool,
) -> None:
    """Run `rove sweep`."""
    chosen = read_grid(grid)
    if metrics:
        chosen = replace(chosen, metrics=metrics)
    check_metrics(chosen.metrics)
    asyncio.run(_run_sweep(session, chosen, _Call(dataset, out, limit, processes, dry_run, fresh)))


@dataclass(frozen=True, slots=True)
class _Call:
    """What the command line said."""

    dataset: str | None
    out: str | None
    limit: int | None
    processes: int
    dry_run: bool
    fresh: bool


async def _run_sweep(session: Session, grid: Grid, call: _Call) -> None:
    data = await dataset_of(session, call.dataset or grid.dataset, call.limit)
    write_rows = load_extra("rove.evaluate.parquet_rows:write_rows", "parquet", "The table of results")
    folder = Path(call.out or f"sweep-{grid.name}")
    configurations = [replace(one, overrides=_under(session, one.overrides)) for one in grid.configurations]
    planned = plan(configurations, await asyncio.to_thread(fingerprint, data.documents), folder / "bases")
    if call.fresh:
        rmtree(folder, ignore_errors=True)
    results = Results(folder / "results.sqlite")
    try:
        expected = await estimate(planned, data, results)
        announce(session, planned, data, expected)
        if call.dry_run:
            if session.output.as_json:
                session.output.json(
                    {"configurations": len(planned.keys), "distinct": planned.distinct, **asdict(expected)}
                )
            return
        bar = SweepBar(session, sum(len(base.ways) for base in planned.bases) * len(data.questions))
        with bar.progress:
            near = need_nearness(grid.metrics)
            await Sweep(planned, data, results, processes=call.processes, near=near).run(bar)
        found = study(grid, planned, data, results)
        choices = {one.name: one.choices for one in grid.configurations}
        write_rows(folder / "results.parquet", data, found.scores, found.outcomes, choices)
        (folder / "report.html").write_text(report_html(found, machine_facts()), "utf-8")
        print_sweep(session, found, folder, expected)
    finally:
        results.close()


def announce(session: Session, planned: Plan, data: Dataset, expected: Estimate) -> None:
    """Say what is going to be done, and how long it may take."""
    if session.output.as_json:
        return
    made = len(planned.bases) - expected.bases
    session.output.note(
        f"{count_text(len(planned.keys), 'configuration')}, {planned.distinct} of them distinct; "
        f"{count_text(len(data.questions), 'question')}; "
        f"{count_text(len(planned.bases), 'base')}" + (f", {made} of them made already" if made else "")
    )
    if expected.bases:
        about = "about " if expected.sampled else ""
        session.output.note(
            f"{about}{expected.embedded:,} of {about}{expected.chunks:,} chunks are to be embedded (others are alike): "
            f"{expected.tokens:,} tokens at {expected.tokens_per_s:,.0f} a second, {_time(expected.embedding_s)}; "
            f"to read, cut and keep them {_time(expected.other_s)}"
        )
    session.output.note(
        f"{count_text(expected.searches, 'search', 'searches')}, {_time(expected.search_s)}. "
        f"In all about {_time(expected.seconds)}."
    )


def _time(seconds: float) -> str:
    """Write a length of time.

    >>> _time(4.2), _time(150), _time(9000)
    ('4 s', '2.5 min', '2.5 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.1f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _under(session: Session, overrides: Tree) -> dict[str, Any]:
    """What --set says holds for all configurations, save where a choice says otherwise."""
    tree = deepcopy(session.settings)
    for table, values in overrides.items():
        tree[table] = {**tree.get(table, {}), **values}
    return tree


def print_sweep(session: Session, found: Study, folder: Path, expected: Estimate) -> None:
    """Print what a sweep has found: the best configurations, what each choice is worth, and what is never beaten."""
    output, grid = session.output, found.grid
    if output.as_json:
        lines = [{**asdict(line), "coverage": {m: str(c) for m, c in line.coverage.items()}} for line in found.lines]
        report = {"grid": grid.name, "dataset": found.dataset, "baseline": grid.baseline, "estimate": expected}
        more = {"configurations": lines, "effects": found.effects, "frontiers": found.frontiers, "folder": folder}
        output.json({**report, **more})
        return
    output.line(
        f"{grid.title}: {count_text(len(found.lines), 'configuration')}, "
        f"{count_text(len(found.questions), 'question')}",
        style="bold",
    )
    headings = [
        "rank",
        "configuration",
        *(heading for metric in grid.metrics for heading in (metric, "± baseline", "p")),
    ]
    rows = [_study_table_row(line, grid) for line in _top_study_lines(found)]
    output.table([*headings, "scored", "p50 ms", "p95 ms", "chunks"], rows)
    if found.effects:
        output.line()
        output.table(["factor", "choice", "metric", "mean", "± first choice", "p", "pairs"], _effect_table_rows(found))
    metric = grid.metrics[0]
    output.line()
    output.line(f"Not beaten in {metric}, speed and size at once: {', '.join(found.frontiers[metric])}")
    output.note(f"Written to {folder}: report.html, results.parquet")


def _top_study_lines(found: Study) -> list[StudyLine]:
    """The first of the ranking, and the baseline."""
    shown = list(found.lines[:SHOWN_LINES])
    return shown if found.baseline in shown else [*shown, found.baseline]


def _study_table_row(line: StudyLine, grid: Grid) -> list[object]:
    cells: list[object] = [f"{line.mean_rank:g}", line.name + (" (baseline)" if line.name == grid.baseline else "")]
    for metric in grid.metrics:
        cells += [
            _study_number_text(line.means[metric]),
            _interval(line.beside.get(metric)),
            _study_number_text(line.p_values.get(metric)),
        ]
    cells.append(" ".join(dict.fromkeys(str(line.coverage[metric]) for metric in grid.metrics)))
    cells += [f"{line.latency.p50 * 1000:.1f}", f"{line.latency.p95 * 1000:.1f}"] if line.latency else ["", ""]
    return [*cells, line.base.chunks if line.base else ""]


def _effect_table_rows(found: Study) -> list[list[object]]:
    metric = found.grid.metrics[0]
    return [
        [
            effect.factor,
            found.grid.label(effect.factor, effect.choice),
            metric,
            _study_number_text(effect.mean),
            _interval(effect.beside),
            _study_number_text(effect.beside.p_value if effect.beside else None),
            effect.pairs or "",
        ]
        for effect in found.effects
        if effect.metric == metric
    ]


def _study_number_text(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _interval(found: PairedComparison | None) -> str:
    """A difference with the bounds of its interval."""
    if found is None:
        return ""
    difference = found.difference
    return f"{difference.mean:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}]"

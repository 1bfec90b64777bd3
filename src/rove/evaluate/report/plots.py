"""Which plots a report has, and what each is made of."""

from __future__ import annotations

from collections.abc import Sequence

from rove.evaluate.report.curve import Specification, curve
from rove.evaluate.report.dumbbell import Pair, dumbbells
from rove.evaluate.report.intervals import IntervalRow, intervals, verdict
from rove.evaluate.report.scatter import Point, scatter
from rove.evaluate.study import Study, StudyLine
from rove.markup import Markup

MOST_ROWS = 25
MOST_QUESTIONS = 20
MOST_COLUMNS = 400
INTERVAL = (
    "The bar is the 95 % interval (paired bootstrap over the questions): where it crosses 0, chance may explain it."
)


def effects_plot(found: Study, metric: str) -> Markup:
    """What each choice of each factor is worth beside its first one."""
    grid = found.grid
    rows = [
        IntervalRow(
            e.factor, grid.label(e.factor, e.choice), e.beside, f"{e.pairs} pairs" if e.pairs else "compared with"
        )
        for factor in grid.factors
        if len(factor.choices) > 1
        for e in found.effects
        if e.factor == factor.name and e.metric == metric
    ]
    caption = (
        "Each dot is the mean difference between pairs of configurations that differ in this factor only; the hollow "
        f"dot is the choice that the others are compared with. {INTERVAL}"
    )
    return intervals(f"effects-{_dom_id(metric)}", f"What each choice is worth in {metric}", caption, rows,
                     f"difference in {metric}")  # fmt: skip


def beside_plot(found: Study, metric: str) -> Markup:
    """The best configurations beside the baseline."""
    lines = [line for line in found.lines if line.beside.get(metric) and not line.same_as]
    lines = sorted(lines, key=lambda line: -(line.means[metric] or 0.0))
    rows = [IntervalRow("baseline", found.grid.baseline, None, "")]
    shown = lines[:MOST_ROWS]
    rows += [
        IntervalRow("the best" if len(lines) > len(shown) else "the others", line.name, line.beside[metric],
            f"{line.coverage[metric]} questions")
        for line in shown
    ]  # fmt: skip
    more = f" The {len(shown)} best of {len(lines)} are shown." if len(lines) > len(shown) else ""
    return intervals(f"beside-{_dom_id(metric)}", f"{metric} beside the baseline", INTERVAL + more, rows,
                     f"difference in {metric}")  # fmt: skip


def curve_plot(found: Study, metric: str) -> Markup:
    """All configurations, and what they are made of."""
    factors = {f.name: [c.label for c in f.choices] for f in found.grid.factors if len(f.choices) > 1}
    lines = [line for line in found.lines if line.means[metric] is not None and not line.same_as]
    lines = sorted(lines, key=lambda line: -(line.means[metric] or 0.0))
    picked = lines if len(lines) <= MOST_COLUMNS else lines[:: -(-len(lines) // MOST_COLUMNS)]
    specifications = [
        Specification(
            line.name,
            line.means[metric] or 0.0,
            {factor: found.grid.label(factor, line.choices[factor]) for factor in factors},
            "baseline" if line.name == found.grid.baseline else verdict(line.beside.get(metric)),
        )
        for line in picked
    ]
    caption = (
        f"Every column is a configuration, from worst to best in {metric}; the marks below say what it is made of. "
        "Where the marks of a choice crowd to the right, it does well whatever stands beside it. Green: better than "
        "the baseline, its interval above 0; red: worse; grey: open; gold: the baseline."
    )
    if len(picked) < len(lines):
        caption += f" {len(picked)} of {len(lines)} configurations are drawn, evenly spread."
    return curve(f"curve-{_dom_id(metric)}", "All configurations, from worst to best", caption, factors, specifications,
                 metric)  # fmt: skip


def cost_plots(found: Study, metric: str) -> list[Markup]:
    """Quality against time, and against size where sizes differ."""
    lines = [line for line in found.lines if line.means[metric] is not None and not line.same_as]
    plots = [
        scatter(
            "latency",
            f"{metric} against the time of a search",
            "Up is better, left is faster. The line joins what no other configuration beats in both. Times are medians "
            "of single searches, the question's embedding included, taken one after the other.",
            [Point(line.name, line.latency.p50 * 1000, line.means[metric] or 0.0, _point_style(line, found))
             for line in lines if line.latency and line.latency.p50 > 0],
            "ms for a search (p50)",
            metric,
        )
    ]  # fmt: skip
    sizes = {line.base.chunks for line in lines if line.base}
    if len(sizes) > 1:
        plots.append(
            scatter(
                "size",
                f"{metric} against what has to be embedded and kept",
                "Up is better, left costs less to embed, keep and search.",
                [Point(line.name, float(line.base.chunks), line.means[metric] or 0.0, _point_style(line, found))
                 for line in lines if line.base and line.base.chunks],
                "chunks in the base",
                metric,
            )
        )  # fmt: skip
    return plots


def questions_plot(found: Study, metric: str, best: StudyLine) -> Markup | None:
    """The questions at which the best configuration and the baseline differ most; None where they never do."""
    before, after = (found.scores[name].values[metric] for name in (found.grid.baseline, best.name))
    pairs = [
        Pair(found.questions[question], before[question] or 0.0, value)
        for question, value in after.items()
        if value is not None and before.get(question) is not None and value != before[question]
    ]
    pairs.sort(key=lambda pair: (-abs(pair.after - pair.before), pair.label))
    if not pairs:
        return None
    shown = sorted(pairs[:MOST_QUESTIONS], key=lambda pair: pair.before - pair.after)
    caption = f"Hollow: the baseline; full: {best.name}. {len(pairs)} of {len(after)} questions differ" + (
        f"; the {len(shown)} that differ most are shown." if len(shown) < len(pairs) else "."
    )
    return dumbbells("questions", f"Question by question: {metric}", caption, shown, metric)


def best_line(lines: Sequence[StudyLine], metric: str) -> StudyLine:
    """The configuration with the highest mean; of equal ones the quickest."""
    return max(lines, key=lambda line: (line.means[metric] or 0.0, -(line.latency.p50 if line.latency else 0.0)))


def _point_style(line: StudyLine, found: Study) -> str:
    return "baseline" if line.name == found.grid.baseline else ""


def _dom_id(metric: str) -> str:
    return metric.replace("@", "-at-")

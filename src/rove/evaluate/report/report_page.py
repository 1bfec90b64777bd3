"""The page: what was found, in words first, then in plots and tables, and how it was found."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path

from rove.evaluate.report.answer_table import answers_table
from rove.evaluate.report.intervals import interval_text, verdict
from rove.evaluate.report.plots import (
    beside_plot,
    best_line,
    cost_plots,
    curve_plot,
    effects_plot,
    questions_plot,
)
from rove.evaluate.study import Effect, Study, StudyLine
from rove.markup import Markup, join_markup, tag
from rove.paper.figure import Data, table

HERE = Path(__file__).parent
STYLE = HERE.parents[1] / "paper" / "page.css"
MOST_LINES = 500
SECRETS = ("api_key",)
SECTIONS = {
    "factors": "What each choice is worth",
    "configurations": "All configurations",
    "costs": "Quality, time and size",
    "answers": "What the answers are worth",
    "question-by-question": "Question by question",
    "run": "What was run",
    "reading": "How to read this",
}


def report_html(found: Study, machine: Mapping[str, str]) -> str:
    """Write the report of a sweep or a trial as one HTML file; it loads nothing, and can be read without a script."""
    style, script = STYLE.read_text("utf-8"), (HERE / "page.js").read_text("utf-8")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    metric = found.grid.metrics[0]
    best = best_line(found.lines, metric)
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=policy),
        tag("title", f"{found.grid.title} · Rove"),
        tag("style", Markup(style)),
    )
    body = tag(
        "body",
        _study_page_header(found, metric, best),
        tag("main", *_study_page_sections(found, metric, best, machine)),
        tag("footer", "Written by Rove. Everything here is in this file: it loads nothing."),
        tag("script", Markup(script)),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def _study_page_header(found: Study, metric: str, best: StudyLine) -> Markup:
    grid = found.grid
    counts = f"{len(found.lines)} configurations, {len(found.questions)} questions, {found.documents:,} documents"
    sections = [name for name in SECTIONS if found.answers or name != "answers"]
    links = [tag("a", SECTIONS[name], href=f"#{name}") for name in sections]
    return tag(
        "header",
        tag("p", "Rove · the lab", class_="kicker"),
        tag("h1", grid.title),
        tag("p", f"{found.dataset}: {counts}. ", *_verdict(found, metric, best), class_="lead"),
        _cards(found, metric, best),
        tag("nav", *links, aria_label="On this page"),
    )


def _verdict(found: Study, metric: str, best: StudyLine) -> list[str]:
    """The result in a sentence."""
    if best.means[metric] == found.baseline.means[metric]:
        return [f"No configuration has a higher {metric} than the baseline, ", tag("strong", found.grid.baseline), "."]
    beside = best.beside.get(metric)
    words = {"better": "more than chance would explain", "open": "which chance alone could explain", "worse": ""}
    return [
        tag("strong", best.name),
        f" has the highest {metric}, {_score_text(best.means[metric])}; the baseline {found.grid.baseline} has ",
        f"{_score_text(found.baseline.means[metric])}. The difference is {interval_text(beside)}: ",
        f"{words[verdict(beside)]} ",
        "(one pair by itself; of the best among many, expect less on new questions).",
    ]


def _cards(found: Study, metric: str, best: StudyLine) -> Markup:
    baseline = found.baseline
    cards = [("best", _score_text(best.means[metric]), f"{metric} of {best.name}")]
    cards.append(("baseline", _score_text(baseline.means[metric]), f"{metric} of {baseline.name}"))
    strongest = _strongest_effect(found, metric)
    if strongest and strongest.beside:
        label = found.grid.label(strongest.factor, strongest.choice)
        difference = f"{strongest.beside.difference.mean:+.3f}".replace("-", "−")
        cards.append(("what matters most", difference, f"{strongest.factor}: {label}"))
    if best.latency:
        cards.append(("a search takes", f"{best.latency.p50 * 1000:.1f} ms", f"p95 {best.latency.p95 * 1000:.1f} ms"))
    return tag(
        "div",
        *(tag("div", tag("span", what, class_="what"), tag("b", big), tag("span", small), class_="card")
          for what, big, small in cards),
        class_="cards",
    )  # fmt: skip


def _strongest_effect(found: Study, metric: str) -> Effect | None:
    compared = [effect for effect in found.effects if effect.metric == metric and effect.beside]
    return max(compared, key=lambda e: abs(e.beside.difference.mean) if e.beside else 0.0, default=None)


def _study_page_sections(found: Study, metric: str, best: StudyLine, machine: Mapping[str, str]) -> list[Markup]:
    varied = any(len(factor.choices) > 1 for factor in found.grid.factors)
    others = [effects_plot(found, other) for other in found.grid.metrics[1:]] if varied else []
    more = [tag("details", tag("summary", "The same for the other metrics"), *others)] if others else []
    questions = questions_plot(found, metric, best) if best.name != found.grid.baseline else None
    none = tag("p", "At no question do the best configuration and the baseline differ.")
    return [
        _h2_section("factors", *([effects_plot(found, metric), *more] if varied else [tag("p", "Nothing is varied.")])),
        _h2_section("configurations", curve_plot(found, metric), beside_plot(found, metric), _scores_table(found)),
        _h2_section("costs", *cost_plots(found, metric)),
        *([_h2_section("answers", *answers_table(found.answers))] if found.answers else []),
        _h2_section("question-by-question", questions or none, _score_gaps_note(found)),
        _h2_section("run", _study_run_details(found, machine)),
        _h2_section("reading", *_advice_on_reading()),
    ]


def _h2_section(name: str, *parts: str) -> Markup:
    return tag("section", tag("h2", SECTIONS[name], id=name), *parts)


def _scores_table(found: Study) -> Markup:
    """The table of all configurations."""
    metrics = found.grid.metrics
    shown = list(found.lines[:MOST_LINES])
    shown += [] if found.baseline in shown else [found.baseline]
    headings = ["configuration", "mean rank", *(h for m in metrics for h in (m, "± baseline", "p (Holm)")), "p50 ms",
                "p95 ms", "chunks"]  # fmt: skip
    spans = {m: _metric_mean_range(found, m) for m in metrics}
    rows = [_configuration_row(line, found, spans) for line in shown]
    whole = tag(
        "table",
        tag("thead", tag("tr", *(tag("th", heading, scope="col") for heading in headings))),
        tag("tbody", *rows),
        class_="sortable",
    )
    left = len(found.lines) - len(shown)
    note = f" {left} more are in results.parquet." if left else ""
    ties = "share the mean" if found.grid.ties == "mean" else "each have the best of their ranks"
    caption = f"Ranks count from the best, ties {ties}; the mean rank is over the metrics of quality.{note}"
    return tag("div", tag("h3", "Scores, ranks and tests"), tag("div", whole, class_="frame"),
               tag("p", caption), class_="whole")  # fmt: skip


def _metric_mean_range(found: Study, metric: str) -> tuple[float, float]:
    values = [value for line in found.lines if (value := line.means[metric]) is not None] or [0.0]
    return min(values), max(values)


def _configuration_row(line: StudyLine, found: Study, spans: Mapping[str, tuple[float, float]]) -> Markup:
    same = f"equal to {line.same_as}" if line.same_as else None
    cells: list[Markup] = [tag("th", line.name, scope="row", title=same)]
    cells.append(tag("td", f"{line.mean_rank:.3g}"))
    for metric, (low, high) in spans.items():
        mean, beside = line.means[metric], line.beside.get(metric)
        part = 100 * ((mean or low) - low) / (high - low) if high > low else 100
        tip = f"{line.coverage[metric]} questions scored, rank {line.ranks[metric]:g}"
        cells.append(tag("td", _score_text(mean), class_="bar", style=f"--part: {part:.0f}%", title=tip))
        difference = f"{beside.difference.mean:+.3f}".replace("-", "−") if beside else ""
        data = f"{beside.difference.mean:.6f}" if beside else None
        cells.append(
            tag(
                "td",
                difference,
                class_=verdict(beside) if beside else None,
                data_value=data,
                title=interval_text(beside),
            )
        )
        cells.append(tag("td", _score_text(line.p_values.get(metric))))
    latency = line.latency
    cells += [tag("td", f"{s * 1000:.1f}") for s in ((latency.p50, latency.p95) if latency else ())]
    cells.append(tag("td", str(line.base.chunks) if line.base else ""))
    return tag("tr", *cells, class_="baseline" if line.name == found.grid.baseline else None)


def _score_gaps_note(found: Study) -> Markup:
    """Say which questions could not be scored, or not be asked."""
    metric = found.grid.metrics[0]
    unscored = [q for q, value in found.scores[found.grid.baseline].values[metric].items() if value is None]
    errors = sum(line.errors for line in found.lines)
    words: list[str] = []
    if unscored:
        words.append(f"{len(unscored)} questions have no {metric}: nothing is known to be relevant to them.")
    if errors:
        words.append(f"{errors} times a question could not be asked; the reasons are in results.parquet.")
    return tag("p", " ".join(words)) if words else Markup("")


def _study_run_details(found: Study, machine: Mapping[str, str]) -> Markup:
    grid = found.grid
    first = next(one for one in grid.configurations if one.name == grid.baseline)
    asked = {"mode": first.mode, "rerank": first.rerank, "where": list(first.where), "top_k": first.top_k}
    whole = " · ".join(_settings({**asked, **first.overrides}))
    facts = {"grid": grid.name, "dataset": found.dataset, "baseline": grid.baseline, "its settings": whole, **machine}
    pairs = [part for name, value in facts.items() for part in (tag("dt", name), tag("dd", value))]
    factors = [
        (factor.name, choice.label, " · ".join(_settings(choice.given)) or "the default")
        for factor in grid.factors
        for choice in factor.choices
    ]
    bases = {line.base for line in found.lines if line.base}
    made = [
        (str(base.chunks), f"{base.documents:,}", f"{base.seconds:.1f}", f"{base.embedding_s:.1f}",
         f"{base.bytes / 1e6:.1f}", "made in several runs" if base.resumed else "")
        for base in sorted(bases, key=lambda base: base.chunks)
    ]  # fmt: skip
    equal = [line for line in found.lines if line.same_as]
    return join_markup([
        tag("p", grid.about.strip()) if grid.about else Markup(""),
        tag("dl", *pairs),
        tag("h3", "Factors and choices"),
        tag("div", table(Data(["factor", "choice", "sets"], factors)), class_="frame"),
        *(_bases(made) if made else ()),
        tag("p", f"{len(equal)} configurations are equal to another one, and were run once.") if equal else Markup(""),
    ])  # fmt: skip


def _bases(made: Sequence[tuple[str, ...]]) -> list[Markup]:
    return [
        tag("h3", "Bases"),
        tag("div", table(Data(["chunks", "documents", "s to make", "s embedding", "MB", ""], made)), class_="frame"),
        tag("p", "What an earlier base had embedded already is taken over and costs no time here."),
    ]


def _settings(given: Mapping[str, object], path: str = "") -> list[str]:
    """Settings as lines: "chunk.size_chars = 512"."""
    found: list[str] = []
    for key, value in given.items():
        if isinstance(value, Mapping):
            found += _settings({str(k): v for k, v in value.items()}, f"{path}{key}.")  # pyright: ignore
        else:
            found.append(f"{path}{key} = {'(secret)' if key in SECRETS else value}")
    return found


def _advice_on_reading() -> list[Markup]:
    return [
        tag("ul", *(tag("li", words) for words in (
            "A metric is worked out for each question, and its mean over the questions is what the tables show. A "
            "question that a metric cannot score is left out of that metric; the tooltip says how many were scored.",
            "Intervals are percentiles of 95 % over questions drawn with replacement (paired bootstrap). They say what "
            "other questions of the same kind may give, not what other documents may.",
            "p-values come of flipping the signs of the questions' differences at random. Those in the table of all "
            "configurations are corrected for their number (Holm): many comparisons find something by chance alone.",
            "The best of many configurations looks better here than it will on new questions. Choose on one set of "
            "questions, and measure the choice on another.",
            "A time is that of a whole search as it would be by itself: what configurations share is done once, and "
            "its time is added to each. Other work on the machine makes times longer.",
        ))),
    ]  # fmt: skip


def _score_text(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"

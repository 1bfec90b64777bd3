"""docs/reproduction.md: what the checks found, as a page with tables and two pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from reproduce import BASELINE, BEST
from reproduce.effects import Effect, effects, paired
from reproduce.faults import MENDED, Filtered, Overwritten, Standing, filtered, mended_means, overwritten, standings
from reproduce.plots import Bar, Dot, bars, scatter
from reproduce.reranks import Reranks
from reproduce.reranks import compare as compare_reranks
from reproduce.scores import EPSILON, METRICS, TITLES, Agreement, Ranks, digits, published_summary, ranked, summary
from reproduce.scores import compare as compare_scores
from reproduce.study import Config, Study
from rove.evaluate.compare import PairedComparison

SHOWN = 12
PICTURES = {"ndcg": "reproduction-ndcg.svg", "effects": "reproduction-effects.svg"}


@dataclass(frozen=True, slots=True)
class Findings:
    """What all checks found."""

    agreements: list[Agreement]
    best: dict[str, float]
    baseline: dict[str, float]
    ranks: list[Ranks]
    reranks: Reranks
    filtered: list[Filtered]
    overwritten: Overwritten
    standings: list[Standing]
    effects: list[Effect]
    paired: dict[str, PairedComparison]

    @property
    def problems(self) -> list[str]:
        """What did not come out as published; should be empty."""
        found = [f"{a.different} values of {a.metric} differ" for a in self.agreements if a.different]
        found += [f"{config} {query!r} is not explained" for config, query in self.reranks.unexplained]
        return found


def check(study: Study) -> Findings:
    """Run every check."""
    return Findings(
        compare_scores(study),
        summary(study, BEST),
        published_summary(study, BASELINE),
        [ranked(study, BEST), ranked(study, BASELINE)],
        compare_reranks(study),
        filtered(study),
        overwritten(study),
        standings(study),
        effects(mended_means(study, study.stored), study.stored),
        paired(study),
    )


def lines(found: Findings) -> list[str]:
    """The findings in a few lines, for the terminal; the best configuration comes last."""
    r, o = found.reranks, found.overwritten
    return [
        *(f"(a) {a.metric}: {a.compared - a.different} of {a.compared} as published" for a in found.agreements),
        f"(b) {BASELINE} {digits(found.baseline)} (published scores; its rankings are not stored)",
        *(f"(b) ranks of {r.config}: {said_ranks(r)}" for r in found.ranks),
        f"(c) reranks: {r.exact} of {r.compared} as stored, {r.edge} with other posts of the last distance, "
        f"{r.ties} with other ties, {len(r.unexplained)} unexplained",
        f"(d) filters: {o.identical + o.in_ties} of {o.stored} rankings with both are those with the first; "
        f"{o.distinct} of {o.distinct + o.configs} configurations are distinct",
        f"(d) mended, the best of the stored is {found.standings[0].config}",
        *(f"PROBLEM: {problem}" for problem in found.problems),
        f"{BEST} {digits(found.best)}",
    ]


def said_ranks(one: Ranks) -> str:
    """Write a configuration's ranks as the study did, and then ours."""
    published, ours = (" / ".join(f"{rank:g}" for rank in own.values()) for own in (one.published, one.ours))
    return f"{published} → {one.means[0]:.2f} as published; {ours} → {one.means[1]:.2f} where ties share the mean"


def _ranks_row(one: Ranks) -> list[object]:
    published, ours = ([f"{rank:g}" for rank in own.values()] for own in (one.published, one.ours))
    return [f"`{one.config}`", *published, f"{one.means[0]:.2f}", *ours, f"{one.means[1]:.2f}"]


def pictures(found: Findings) -> dict[str, str]:
    """The pictures by their file names."""
    dots = [
        Dot(s.published["ndcg_blind"], s.mended["ndcg"], Config(s.config).filters, s.config) for s in found.standings
    ]
    title = "128 configurations: the published nDCG cannot see what is missing"
    rows = [Bar(e.factor, e.choice, e.means["ndcg"]) for e in found.effects]
    return {
        PICTURES["ndcg"]: scatter(dots, title, "nDCG as published", "nDCG, standard, each post once"),
        PICTURES["effects"]: bars(rows, "Mean standard nDCG by choice, over the stored configurations"),
    }


def write(found: Findings, page: Path, beaten: str) -> None:
    """Write the page, and the pictures beside it; `beaten` is the part on Rove's own pipeline."""
    folder = page.parent / "pictures"
    folder.mkdir(exist_ok=True)
    for name, text in pictures(found).items():
        (folder / name).write_text(text, "utf-8")
    page.write_text(markdown(found, beaten), "utf-8")


def markdown(found: Findings, beaten: str) -> str:
    """Fill the page's text, which stands in `page.md`, with what was found."""
    r, o = found.reranks, found.overwritten
    values = {
        "best": BEST,
        "best_digits": digits(found.best),
        "baseline_digits": digits(found.baseline),
        "ranks": table(
            ["configuration", *(TITLES[m] for m in METRICS), "mean", *(f"ours: {TITLES[m]}" for m in METRICS), "mean"],
            [_ranks_row(one) for one in found.ranks],
        ),
        "epsilon": f"{EPSILON:.0e}",
        "agreements": table(
            ["metric", "compared", "as published", "largest difference"],
            [[TITLES[a.metric], a.compared, a.compared - a.different, f"{a.furthest:.0e}"] for a in found.agreements],
        ),
        "compared": str(r.compared),
        "exact": str(r.exact),
        "edge": str(r.edge),
        "ties": str(r.ties),
        "unexplained": str(len(r.unexplained)),
        "filtered": table(
            ["prefilter", "places", "short questions", "submissions"],
            [[f.filters, f.places, f"{f.short:.1%}", f"{f.submissions:.1%}"] for f in found.filtered],
        ),
        "stored_pairs": str(o.stored),
        "identical": str(o.identical),
        "in_ties": str(o.in_ties),
        "distinct": str(o.distinct),
        "all": str(o.distinct + o.configs),
        "same_configs": str(o.same),
        "doubled": str(o.configs),
        "standings": standings_table(found.standings),
        "effects": table(
            ["factor", "choice", "configurations", *(TITLES[m] for m in MENDED)],
            [[e.factor, e.choice, e.configs, *(e.means[m] for m in MENDED)] for e in found.effects],
        ),
        "paired": table(
            ["choice", "difference in RR", "95 % interval", "p"],
            [
                [
                    title,
                    f"{c.difference.mean:+.3f}",
                    f"{c.difference.low:+.3f} … {c.difference.high:+.3f}",
                    "< 0.001" if c.p_value < 0.001 else f"{c.p_value:.3f}",
                ]
                for title, c in found.paired.items()
            ],
        ),
        "beaten": beaten,
    }
    text = (Path(__file__).parent / "page.md").read_text("utf-8")
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def standings_table(all_: Sequence[Standing]) -> str:
    """The best of the mended configurations, and where they stood."""
    columns = ["configuration", "place", "RR", "ExtRR", "nDCG", "published place", "RR", "ExtRR", "nDCG"]
    rows: list[Sequence[object]] = []
    for s in all_[:SHOWN]:
        after, before = [s.mended[m] for m in MENDED], [s.published[m] for m in METRICS]
        rows.append([s.config, f"{s.place_mended:g}", *after, f"{s.place_published:g}", *before])
    return table(columns, rows)


def table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Write a markdown table, numbers to the right.

    >>> print(table(["a", "b"], [["x", 0.5]]))
    | a | b |
    |---|---:|
    | x | 0.500 |
    """
    head = [f"| {' | '.join(columns)} |", f"|---|{'---:|' * (len(columns) - 1)}"]
    return "\n".join([*head, *(f"| {' | '.join(map(cell, row))} |" for row in rows)])


def cell(value: object) -> str:
    """Write one value: whole numbers with separators, others to three digits."""
    if isinstance(value, int):
        return f"{value:,}"
    return f"{value:.3f}" if isinstance(value, float) else str(value)

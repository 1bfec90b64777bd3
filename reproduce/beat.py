"""Rove's own pipeline on the same questions: `python -m reproduce beat`. What it can and cannot show: beaten.md.

The base holds the 39,441 posts that are published, of the study's 5.5 million: all that its stored rankings or its
labels name, and one subreddit whole. Every search gives 50 chunks, as there; a post counts at its first chunk.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from reproduce import BEST
from reproduce.page import table
from reproduce.study import Config, Study
from rove import Rove, field
from rove.evaluate.compare import PairedComparison, compare
from rove.evaluate.metrics import Scores, measure
from rove.records import Filter
from rove.retrieve.same import apart

DEPTH = 50
METRICS = ("judged@10", "judged@50", "rr", "ext_rr", "ndcg", "ndcg_condensed", "bpref", "recall@50")
TITLES = ("judged@10", "judged@50", "RR", "ExtRR", "nDCG", "nDCG condensed", "bpref", "recall@50")
COMPARED = ("rr", "ndcg", "ndcg_condensed", "bpref")
RULES = ("sentiment", "agree", "disagree")
NO_SHORT = field("is_short_question") == False  # noqa: E712 - a word of the query language
STUDY, STUDY_PLAIN = f"the study's best, {BEST}", f"the study without rules, {Config(BEST).unreranked}"
MATCHED = "Rove, 512+meta: semantic, no short questions"


BASES: dict[str, dict[str, object]] = {
    "default": {},
    "labelled": {"size_chars": 512, "overlap_chars": 102, "prefix": "subreddit"},
}
"""How each base is cut: as Rove does by default (title before the text), and as the study's best (512+meta)."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to search: the base, the mode, whether late interaction reranks, the prefilter, the rules."""

    base: str
    mode: str = "hybrid"
    rerank: bool = False
    where: Filter | None = None
    rules: tuple[str, ...] = ()


WAYS = {
    "Rove, default cut: keyword": Way("default", "keyword"),
    "Rove, default cut: semantic": Way("default", "semantic"),
    "Rove, default cut: semantic, no short questions": Way("default", "semantic", where=NO_SHORT),
    "Rove, default cut: hybrid + rerank": Way("default", rerank=True),
    "Rove, default cut: hybrid + rerank, no short questions": Way("default", rerank=True, where=NO_SHORT),
    "Rove, 512+meta: semantic": Way("labelled", "semantic"),
    MATCHED: Way("labelled", "semantic", where=NO_SHORT),
    f"{MATCHED}, rerank": Way("labelled", "semantic", rerank=True, where=NO_SHORT),
    f"{MATCHED}, the three rules": Way("labelled", "semantic", where=NO_SHORT, rules=RULES),
    "Rove, 512+meta: hybrid + rerank, no short questions": Way("labelled", rerank=True, where=NO_SHORT),
}


@dataclass(frozen=True, slots=True)
class Run:
    """What one way found: its scores, and the median time of a question in milliseconds, None of stored rankings."""

    scores: Scores
    median_ms: float | None


def make_base(folder: Path, name: str, posts: Path, embedder: Mapping[str, object]) -> int:
    """Take the posts in, and work the replies out, unless that has been done; returns the number of chunks."""
    with Rove.open(folder / name, embedder=dict(embedder), chunk=BASES[name]) as kb:
        kb.add(posts)
        kb.enrich("replies")
        return sum(info.chunks for info in kb.documents())


def search_all(folder: Path, study: Study, way: Way, embedder: Mapping[str, object]) -> Run:
    """Ask every question; the posts of the hits, each once."""
    found: dict[str, list[str]] = {}
    times: list[float] = []
    with Rove.open(folder / way.base, embedder=dict(embedder), search={"rules": way.rules}) as kb:
        kb.search("warm up", mode=way.mode)
        for query in study.questions:
            began = time.perf_counter()
            hits = kb.search(query, top_k=DEPTH, mode=way.mode, rerank=way.rerank, where=way.where)
            times.append(1000 * (time.perf_counter() - began))
            found[query] = [str(hit.chunk.metadata["record_id"]) for hit in apart(hits)]
    return Run(measure(METRICS, found, study.gold), median(times))


def stored_run(study: Study, config: str) -> Run:
    """The study's own ranking of every question, scored in the same way."""
    rankings = {query: [p.post for p in study.rankings.get((config, query), ())] for query in study.questions}
    return Run(measure(METRICS, rankings, study.gold), None)


def run(folder: Path, study: Study, embedder: Mapping[str, object], tell: Callable[[str], None]) -> dict[str, Run]:
    """Run the study's two and every way of Rove's."""
    runs = {STUDY: stored_run(study, BEST), STUDY_PLAIN: stored_run(study, Config(BEST).unreranked)}
    for title, way in WAYS.items():
        runs[title] = search_all(folder, study, way, embedder)
        tell(title)
    return runs


def summary_table(runs: Mapping[str, Run]) -> str:
    """One row a run: means over the questions that have a relevant post, what found nothing counting 0."""
    rows: list[Sequence[object]] = []
    for title, made in runs.items():
        means = [mean_of(made.scores, metric) for metric in METRICS]
        rows.append([title, *means, "" if made.median_ms is None else f"{made.median_ms:.0f}"])
    return table(["", *TITLES, "ms a question"], rows)


def mean_of(scores: Scores, metric: str) -> float:
    """The mean; a question that a metric cannot score is left out of it, one without a ranking has found nothing."""
    return scores.mean(metric) or 0.0


def differences_table(runs: Mapping[str, Run]) -> str:
    """Rove's ways against the study's best, paired by question, with 95 % intervals and p-values."""
    rows: list[Sequence[object]] = []
    for title in runs:
        if title in (STUDY, STUDY_PLAIN):
            continue
        made = [compare(runs[title].scores.values[m], runs[STUDY].scores.values[m]) for m in COMPARED]
        rows.append([title, *(said(found) for found in made)])
    return table(["against the study's best", *(TITLES[METRICS.index(m)] for m in COMPARED)], rows)


def said(found: PairedComparison | None) -> str:
    """Write a difference with its interval.

    >>> said(None)
    ''
    """
    if found is None:
        return ""
    d = found.difference
    return f"{d.mean:+.3f} ({d.low:+.3f} … {d.high:+.3f}, p {found.p_value:.2f})"


def page(runs: Mapping[str, Run], chunks: Mapping[str, int]) -> str:
    """The part of the page: its text stands in `beat.md`."""
    text = (Path(__file__).parent / "beat.md").read_text("utf-8")
    values = {
        "table": summary_table(runs),
        "differences": differences_table(runs),
        "bases": " and ".join(f"{count:,}" for count in chunks.values()),
        "coverage": str(runs[STUDY].scores.coverage("ndcg")),
    }
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text

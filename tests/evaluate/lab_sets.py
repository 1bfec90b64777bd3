"""A small dataset in several languages, a grid over it, and a sweep of both; used by the tests of the lab."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rove import Text
from rove.evaluate.dataset import Dataset, Question
from rove.evaluate.grid import Grid, grid_of
from rove.evaluate.plan import Plan, plan
from rove.evaluate.results import Results
from rove.evaluate.scoring import need_nearness
from rove.evaluate.sources import fingerprint
from rove.evaluate.sweep import Step, Sweep

FACTS = {
    "en": "Remote work is approved by the head of unit. The form is kept for {n} years. Travel is paid by the office.",
    "de": "Heimarbeit genehmigt die Leitung der Einheit. Das Formular wird {n} Jahre aufbewahrt. Reisen zahlt das Amt.",
    "hu": "A távmunkát az egység vezetője engedélyezi. Az űrlapot {n} évig őrzik. Az utazást a hivatal fizeti.",
    "zh": "远程办公由部门负责人批准。表格保存{n}年。差旅费由办公室支付。",
    "ja": "在宅勤務は部門長が承認します。書類は{n}年間保管されます。出張費は事務所が支払います。",
}
QUESTIONS = {
    "en": "Who approves remote work?",
    "de": "Wer genehmigt Heimarbeit?",
    "hu": "Ki engedélyezi a távmunkát?",
    "zh": "谁批准远程办公？",
    "ja": "在宅勤務は誰が承認しますか？",
}
TREE: dict[str, Any] = {
    "title": "A small grid",
    "metrics": ["rr", "ndcg@5", "span_recall@3"],
    "common": {"embedder": {"name": "fake"}, "top_k": 5, "load": {"duplicates": "off"}},
    "factors": {
        "size": {
            "small": {"chunk": {"size_chars": 40, "overlap_chars": 8}},
            "large": {"chunk": {"size_chars": 200, "overlap_chars": 20}, "label": "200 characters"},
        },
        "mode": {
            "keyword": {"mode": "keyword"},
            "semantic": {"mode": "semantic"},
            "hybrid": {"mode": "hybrid"},
            "gather": {"mode": "gather", "search": {"k_keyword": 2, "pool_semantic": 4}},
        },
        "rerank": {"no": {"rerank": False}, "yes": {"rerank": True}},
        "filter": {"none": {}, "recent": {"where": ["year>=2020"]}},
    },
    "when": {"rerank": {"mode": ["semantic", "hybrid"]}},
}


def small_dataset() -> Dataset:
    """Six documents in each of five languages; the first of a language answers its question."""
    texts = [
        Text(
            (FACTS[language] if n == 0 else FACTS[language].rpartition(". ")[2] + " ").format(n=n + 3) * (1 + n % 3),
            id=f"{language}-{n}",
            title=f"{language} {n}",
            metadata={"year": 2017 + n, "topic": ("hr", "it")[n % 2]},
        )
        for language in FACTS
        for n in range(6)
    ]
    questions = tuple(Question(f"q-{language}", text, (), language) for language, text in QUESTIONS.items())
    gold = {f"q-{language}": {f"{language}-0": 1, f"{language}-4": 1, f"{language}-1": 0} for language in FACTS}
    return Dataset("small", questions, texts, gold)


def small_grid(**changes: Any) -> Grid:
    return grid_of({**TREE, **changes}, "small")


def planned(grid: Grid, dataset: Dataset, folder: Path) -> Plan:
    return plan(grid.configurations, fingerprint(dataset.documents), folder / "bases")


def swept(grid: Grid, dataset: Dataset, folder: Path, *, processes: int = 1, steps: list[Step] | None = None) -> Plan:
    """Run a sweep; what was found is in `folder`/results.sqlite."""
    made = planned(grid, dataset, folder)
    results = Results(folder / "results.sqlite")
    try:
        sweep = Sweep(made, dataset, results, processes=processes, near=need_nearness(grid.metrics))
        asyncio.run(sweep.run((steps if steps is not None else []).append))
    finally:
        results.close()
    return made


def found(plan: Plan, folder: Path) -> Mapping[str, Mapping[str, tuple[Any, ...]]]:
    """Configuration → question → what was found: documents and spans, in order."""
    results = Results(folder / "results.sqlite")
    try:
        return {
            name: {q: (o.ranking, o.places, o.error) for q, o in results.outcomes(key).items()}
            for name, key in plan.keys.items()
        }
    finally:
        results.close()

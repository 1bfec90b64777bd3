from __future__ import annotations

import asyncio
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lab_sets import small_dataset, small_grid, swept
from lxml import etree

from rove.evaluate.configuration import Configuration
from rove.evaluate.dataset import GoldSpan
from rove.evaluate.lab import Lab
from rove.evaluate.machine import machine_facts
from rove.evaluate.metrics import Scores
from rove.evaluate.one_configuration import evaluate
from rove.evaluate.parquet_rows import write_rows
from rove.evaluate.report.report_page import report_html
from rove.evaluate.results import Results
from rove.evaluate.study import Study, effects, study, undominated
from rove.markup import Markup, tag
from rove.paper.scale import AxisScale, scale_of
from rove.settings import read_settings

HOSTILE = '<script>alert("x")</script><img src=https://evil.example/a.png onerror=alert(1)> & "quoted"'


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """A study of the small grid, one of whose questions is hostile."""
    folder = tmp_path_factory.mktemp("study")
    grid, dataset = small_grid(about=HOSTILE), small_dataset()
    first = replace(dataset.questions[0], text=f"{HOSTILE} {dataset.questions[0].text}")
    spans = {"q-en": (GoldSpan("en-0", (0, 44)),)}
    dataset = replace(dataset, questions=(first, *dataset.questions[1:]), spans=spans)
    plan = swept(grid, dataset, folder)
    results = Results(folder / "results.sqlite")
    found = study(grid, plan, dataset, results)
    results.close()
    choices = {one.name: one.choices for one in grid.configurations}
    write_rows(folder / "results.parquet", dataset, found.scores, found.outcomes, choices)
    rows = pq.read_table(folder / "results.parquet").to_pylist()
    assert len(rows) == len(grid.configurations) * len(dataset.questions)
    assert {row["choice_mode"] for row in rows} == {"keyword", "semantic", "hybrid", "gather"}
    assert any(row["question"].startswith(HOSTILE) and row["rr"] is not None and row["ranking"] for row in rows)
    return found


def test_lines_are_ranked_and_set_beside_the_baseline(made: Study) -> None:
    assert [line.mean_rank for line in made.lines] == sorted(line.mean_rank for line in made.lines)
    for line in made.lines:
        values = list(made.scores[line.name].values["rr"].values())
        assert line.means["rr"] == pytest.approx(sum(values) / len(values))
        assert str(line.coverage["rr"]) == "5/5"
        assert str(line.coverage["span_recall@3"]) == "1/5"
        if line.name == made.grid.baseline:
            assert line.beside["rr"] is None
        else:
            beside = line.beside["rr"]
            assert beside is not None
            assert beside.difference.mean == pytest.approx(line.means["rr"] - made.baseline.means["rr"])
            assert line.p_values["rr"] >= beside.p_value
        assert line.latency is not None
        assert line.latency.p50 > 0
        assert line.base is not None
        assert line.base.documents == 30


def test_an_effect_is_the_mean_of_pairs_that_differ_in_nothing_else(made: Study) -> None:
    effect = next(e for e in made.effects if (e.factor, e.choice, e.metric) == ("size", "large", "rr"))
    assert effect.pairs == 12
    pairs = [(line.name, line.name.replace("large", "small")) for line in made.lines if line.choices["size"] == "large"]
    expected = sum(made.line(a).means["rr"] - made.line(b).means["rr"] for a, b in pairs) / len(pairs)
    assert effect.beside is not None
    assert effect.beside.difference.mean == pytest.approx(expected)


def test_a_factor_with_a_condition_counts_only_where_it_is_varied(made: Study) -> None:
    effect = next(e for e in made.effects if (e.factor, e.choice, e.metric) == ("rerank", "no", "rr"))
    own = [line.means["rr"] for line in made.lines
           if line.choices["rerank"] == "no" and line.choices["mode"] in {"semantic", "hybrid"}]  # fmt: skip
    assert len(own) == 8
    assert effect.mean == pytest.approx(sum(own) / len(own))


def test_effects_of_values_that_are_known() -> None:
    grid = small_grid(factors={"a": {"x": {}, "y": {}}, "b": {"u": {}, "v": {"top_k": 3}}}, when={}, metrics=["rr"])
    values = {"x u": [0.0, 0.2], "x v": [0.4, 0.2], "y u": [0.5, 0.7], "y v": [0.9, 0.7]}
    scores = {name: Scores({"rr": dict(zip("qr", own, strict=True))}) for name, own in values.items()}
    x, y = effects(grid, grid.factors[0], scores)
    assert (x.mean, y.mean) == (pytest.approx(0.2), pytest.approx(0.7))
    assert x.beside is None
    assert y.beside is not None
    assert y.beside.difference.mean == pytest.approx(0.5)
    assert (y.beside.difference.low, y.beside.difference.high) == (pytest.approx(0.5), pytest.approx(0.5))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12))
def test_the_frontier_holds_what_none_beats_and_nothing_else(points: list[tuple[int, int, int]]) -> None:
    named = [(str(i), tuple(map(float, point))) for i, point in enumerate(points)]
    kept = set(undominated(named))
    assert kept
    for name, own in named:
        beaten = any(all(o >= v for o, v in zip(other, own, strict=True)) and other != own for _, other in named)
        assert (name in kept) != beaten


class _Checker(HTMLParser):
    """What a page would load, run or point to."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.outside: list[tuple[str, str]] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name == "id":
                self.ids.append(value or "")
            elif name == "aria-labelledby" or (name == "href" and (value or "").startswith("#")):
                self.targets.append((value or "").removeprefix("#"))
            elif name in {"src", "href", "action", "data", "xlink:href"} or name.startswith("on"):
                self.outside.append((name, value or ""))


def test_the_report_loads_nothing_and_foreign_text_stays_text(made: Study) -> None:
    html = report_html(made, machine_facts())
    checker = _Checker()
    checker.feed(html)
    assert checker.outside == []
    assert checker.tags.count("script") == 1
    assert "img" not in checker.tags
    assert "&lt;script&gt;alert(" in html
    script = html.partition("<script>")[2].partition("</script>")[0]
    digest = b64encode(sha256(script.encode()).digest()).decode()
    policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + digest + "'"
    assert escape(policy) in html
    assert "url(" not in html
    assert "@import" not in html
    assert len(checker.ids) == len(set(checker.ids))
    assert set(checker.targets) <= set(checker.ids)


def test_every_plot_is_well_formed_and_has_its_numbers_as_a_table(made: Study) -> None:
    html = report_html(made, machine_facts())
    script = html[html.index("<script>") : html.index("</script>") + len("</script>")]  # is no XML
    root = etree.fromstring(html.replace("<!doctype html>\n", "").replace(script, ""))
    figures = root.findall(".//figure")
    assert len(figures) >= 7
    assert not [words for words in root.find("body").itertext() if words.strip().lower() in {"nan", "inf"}]
    for figure in figures:
        assert figure.find(".//svg") is not None
        assert figure.findtext("h3")
        assert figure.findtext("figcaption")
        assert len(figure.findall(".//table/tbody/tr")) >= 1
        for spot in figure.iter("circle"):
            assert -1 <= float(spot.get("cx", "nan")) <= 861
    table = root.find(".//table[@class='sortable']")
    assert table is not None
    assert len(table.findall("tbody/tr")) == len(made.lines)


def test_no_key_stands_in_the_report(made: Study) -> None:
    first = replace(made.grid.configurations[0], overrides={"chat": {"api_key": "s3cret", "model": "m"}})
    html = report_html(replace(made, grid=replace(made.grid, configurations=(first,))), machine_facts())
    assert "s3cret" not in html
    assert "chat.api_key = (secret) · chat.model = m" in html


def test_a_sweep_of_one_configuration_has_a_report_too(tmp_path: Path) -> None:
    grid, dataset = small_grid(factors={}, when={}), small_dataset()
    plan = swept(grid, dataset, tmp_path)
    results = Results(tmp_path / "results.sqlite")
    html = report_html(study(grid, plan, dataset, results), machine_facts())
    results.close()
    assert "No configuration has a higher rr" in html
    assert "Nothing is varied." in html


def test_nothing_relevant_means_no_scores_and_no_nan(tmp_path: Path) -> None:
    grid, dataset = small_grid(factors={"mode": {"k": {"mode": "keyword"}, "h": {}}}, when={}), small_dataset()
    dataset = replace(dataset, gold={})
    plan = swept(grid, dataset, tmp_path)
    results = Results(tmp_path / "results.sqlite")
    found = study(grid, plan, dataset, results)
    results.close()
    assert all(line.means["rr"] is None for line in found.lines)
    assert found.frontiers["rr"] == ()
    assert "have no rr" in report_html(found, machine_facts())


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-3.2, 0.001), (0.5, 0.5), (1e-9, 2e-9), (-1e6, 1e6)])
def test_ticks_are_within_their_scale(low: float, high: float) -> None:
    scale = scale_of([low, high], 0, 100)
    ticks = scale.ticks()
    assert ticks
    assert all(scale.low <= tick <= scale.high for tick in ticks)
    assert 0 <= scale.at(low) <= scale.at(high) <= 100


def test_a_logarithmic_scale_has_equal_steps_for_equal_ratios() -> None:
    scale = AxisScale(1, 100, 0, 200, logarithmic=True)
    assert scale.at(10) == pytest.approx(100)
    assert scale.ticks() == [1, 2, 5, 10, 20, 50, 100]


@given(st.text())
def test_no_text_becomes_markup(words: str) -> None:
    made = tag("p", words, title=words)
    assert isinstance(made, Markup)
    assert made.count("<") == 2
    assert made.count('"') == 2


def test_one_configuration_is_evaluated_as_it_searches(tmp_path: Path) -> None:
    dataset = small_dataset()
    settings = read_settings(tmp_path, embedder={"name": "fake"})

    async def run() -> tuple[Scores, int]:
        lab = Lab.open(settings)
        try:
            await lab.base.add(dataset.documents)
            one = Configuration("one", {}, {"embedder": {"name": "fake"}}, mode="keyword")
            found = await evaluate(lab, dataset, one, ["rr", "recall@10"])
            return found.scores, len(found.outcomes)
        finally:
            await lab.close()

    scores, outcomes = asyncio.run(run())
    assert outcomes == len(dataset.questions)
    assert scores.mean("rr") is not None
    assert 0 < scores.mean("rr") <= 1

"""The published study comes out of its data by Rove's own metrics and rules, to the last digit."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from reproduce.faults import mended, with_filters
from reproduce.page import Findings, check, lines, markdown
from reproduce.reranks import agrees, rerank
from reproduce.scores import digits
from reproduce.study import Config, Study
from reproduce.votes import write_dataset

from reproduce import BASELINE, BEST
from rove.evaluate.dataset import read_dataset
from rove.evaluate.grid import read_grid
from rove.retrieve.rules import RULES

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.data


@pytest.fixture(scope="module")
def study(shared_data: Path) -> Study:
    return Study(shared_data / "pawsitive")


@pytest.fixture(scope="module")
def found(study: Study) -> Findings:
    return check(study)


def test_every_published_score_of_a_stored_ranking_comes_out(found: Findings) -> None:
    assert [(a.metric, a.compared, a.different) for a in found.agreements] == [
        ("rr", 3072, 0),
        ("ext_rr", 3072, 0),
        ("ndcg_blind", 3072, 0),
    ]
    assert max(a.furthest for a in found.agreements) < 1e-12


def test_the_best_configuration_and_the_baseline_have_the_published_digits(found: Findings) -> None:
    assert digits(found.best) == "0.742735 0.599379 0.806476"
    assert digits(found.baseline) == "0.626031 0.427189 0.714459"


def test_the_ranks_are_the_published_ones_beside_ours(found: Findings) -> None:
    best, baseline = found.ranks
    assert (list(best.published.values()), list(baseline.published.values())) == ([7, 9, 1], [46, 84, 84])
    assert [round(one.means[0], 2) for one in found.ranks] == [5.67, 71.33]
    assert (list(best.ours.values()), list(baseline.ours.values())) == ([7.5, 9.5, 1.5], [46, 84, 84])
    told = "\n".join(lines(found))
    assert "010010110: 7 / 9 / 1 → 5.67 as published" in told
    assert "000000000: 46 / 84 / 84 → 71.33 as published" in told


def test_the_shipped_grid_ranks_as_published_and_takes_votes_that_are_merged_so(study: Study, tmp_path: Path) -> None:
    grid = read_grid("pawsitive")
    assert (grid.ties, grid.baseline, len(grid.configurations)) == ("best", BASELINE, 160)
    assert {one.top_k for one in grid.configurations} == {50}
    write_dataset(study.folder / "posts.parquet", study.merged, tmp_path / "merged")
    assert read_dataset(tmp_path / "merged").gold == study.gold
    assert read_dataset(study.folder).gold != study.gold


def test_only_the_kraken_questions_lack_rankings(study: Study) -> None:
    without = [query for query in study.questions if (BEST, query) not in study.rankings]
    assert len(without) == 2
    assert all("Kraken" in query for query in without)
    assert all(study.published[config, query].ndcg is None for config in study.configs for query in without)
    assert BASELINE not in study.stored


def test_the_rules_give_every_stored_reranking(found: Findings) -> None:
    reranks = found.reranks
    assert reranks.unexplained == []
    assert reranks.compared == 2688
    assert reranks.exact == 2479


def test_the_order_of_the_rules_matters(study: Study) -> None:
    """A test of the test: applied the other way round, the rules do not give what is stored."""
    rules = [RULES.get(name)() for name in ("disagree", "agree", "sentiment")]
    keys = [key for key in study.rankings if Config(key[0]).rules == ("sentiment", "agree", "disagree")]
    pairs = [
        (study.rankings[Config(config).unreranked, query], study.rankings[config, query]) for config, query in keys
    ]
    right = [(given, stored) for given, stored in pairs if agrees(rerank(given, rules[::-1]), stored)]
    assert len(right) > 300
    assert sum(agrees(rerank(given, rules), stored) for given, stored in right) < len(right) / 2


def test_the_second_filter_was_overwritten(study: Study, found: Findings) -> None:
    both = found.overwritten
    assert both.identical + both.in_ties == both.stored == 768
    assert (both.distinct, both.configs) == (120, 40)
    shares = {f.filters: f for f in found.filtered}
    assert shares["11"].submissions > 0.1
    assert shares["01"].submissions == shares["10"].short == 0
    query = study.questions[3]
    assert not any(place.post.startswith("t3_") for place in mended(study, with_filters(BEST, "11"), query))


def test_the_mended_ranking_is_another_one(found: Findings) -> None:
    twins = {s.config: s for s in found.standings if s.config in {BEST, with_filters(BEST, "11")}}
    before, after = twins[BEST], twins[with_filters(BEST, "11")]
    assert before.place_published == after.place_published
    assert before.place_mended < after.place_mended
    assert all(s.mended["ext_rr"] <= 1 for s in found.standings)


def test_the_page_says_what_was_found(found: Findings) -> None:
    page = (ROOT / "docs" / "reproduction.md").read_text("utf-8")
    beaten = (ROOT / "reproduce" / "beaten.md").read_text("utf-8")
    assert page == markdown(found, beaten)
    pictures = re.findall(r"\]\((pictures/[^)]+)\)", page)
    assert len(pictures) == 2
    assert all((ROOT / "docs" / picture).read_text("utf-8").startswith("<svg") for picture in pictures)
    assert lines(found)[-1] == f"{BEST} 0.742735 0.599379 0.806476"


def test_without_the_data_the_command_says_what_to_do(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "reproduce", "--data", str(tmp_path / "nowhere")],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert "--data FOLDER" in ran.stderr

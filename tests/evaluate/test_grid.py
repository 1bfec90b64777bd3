from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove.errors import ConfigError
from rove.evaluate.grid import SHIPPED, grid_of, read_grid
from rove.evaluate.scoring import check_metrics, metric_names

SIZES = {"a": {"chunk": {"size_chars": 100}}, "b": {"chunk": {"size_chars": 200}}}


def grid(**tree: Any):
    return grid_of(tree, "test")


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4))
def test_a_grid_has_the_product_of_its_choices(counts: list[int]) -> None:
    made = grid(factors={f"f{i}": {f"c{j}": {} for j in range(n)} for i, n in enumerate(counts)})
    assert len(made.configurations) == math.prod(counts)
    assert len({tuple(c.choices.items()) for c in made.configurations}) == math.prod(counts)


def test_what_choices_set_is_put_together_over_what_is_common() -> None:
    made = grid(
        common={"chunk": {"size_chars": 64, "merge": True}, "where": ["lang=en"], "top_k": 7},
        factors={
            "size": SIZES,
            "short": {"no": {}, "yes": {"where": ["short=true"], "search": {"rules": ["agree"]}}},
            "tone": {"no": {}, "yes": {"search": {"rules": ["sentiment"]}}},
        },
    )
    last = made.configurations[-1]
    assert last.overrides["chunk"] == {"size_chars": 200, "merge": True}
    assert last.overrides["search"] == {"rules": ["agree", "sentiment"]}
    assert last.where == ("lang=en", "short=true")
    assert last.top_k == 7
    assert made.configurations[0].where == ("lang=en",)
    assert last.settings("kb").search.rules == ("agree", "sentiment")


def test_two_factors_must_not_set_one_key() -> None:
    with pytest.raises(ConfigError, match=r"size a and other x set chunk\.size_chars"):
        grid(factors={"size": SIZES, "other": {"x": {"chunk": {"size_chars": 90}}}})


def test_a_factor_is_varied_only_where_its_condition_holds() -> None:
    made = grid(
        factors={"mode": {"k": {"mode": "keyword"}, "h": {"mode": "hybrid"}}, "rerank": {"no": {}, "yes": {}}},
        when={"rerank": {"mode": "h"}},
    )
    assert [c.name for c in made.configurations] == ["k no", "h no", "h yes"]


def test_configurations_can_be_excluded_and_named() -> None:
    made = grid(
        factors={"size": SIZES, "mode": {"k": {}, "h": {}}},
        exclude=[{"size": "a", "mode": ["k"]}],
        names="{mode}-{size}",
        baseline={"size": "b", "mode": "h"},
    )
    assert [c.name for c in made.configurations] == ["h-a", "k-b", "h-b"]
    assert made.baseline == "h-b"


@pytest.mark.parametrize(
    ("tree", "named"),
    [
        ({"colour": "red"}, "colour"),
        ({"factors": {"size": {"a": {"chunk": {"size_charz": 9}}}}}, r"factors\.size\.a: chunk\.size_charz"),
        ({"factors": {"size": {"a": {"chunks": {}}}}}, r"factors\.size\.a: there is no 'chunks'"),
        ({"factors": {"size": {"a": {"chunk": {"size_chars": 3}}}}}, r"chunk\.size_chars"),
        ({"factors": {"m": {"a": {"mode": 3}}}}, "mode is 3"),
        ({"factors": {"m": {"a": {"where": ["=="]}}}}, "'=='"),
        ({"common": {"path": "x"}}, "path"),
        ({"factors": {"m": {"a": {}}}, "when": {"n": {"m": "a"}}}, "no factor 'n'"),
        ({"factors": {"m": {"a": {}}}, "exclude": [{"m": "b"}]}, "no choice 'b'"),
        ({"factors": {"m": {"a": {}}}, "exclude": [{"m": "a"}]}, "nothing is left"),
        ({"factors": {"m": {"a": {}}}, "baseline": "z"}, "'z'"),
        ({"factors": {"m": {"a": {}}}, "names": "{n}"}, "no factor 'n'"),
        ({"factors": {"m": {"a": {}, "b": {}}}, "names": "x"}, "Two configurations are named 'x'"),
        ({"factors": {"m": {}}}, "no choices"),
        ({"factors": {f"f{i}": {str(j): {} for j in range(10)} for i in range(5)}}, "100000 configurations"),
    ],
)
def test_a_wrong_grid_is_an_error_that_names_what_is_wrong(tree: dict[str, Any], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        grid_of(tree, "test")


def test_names_are_not_templates() -> None:
    with pytest.raises(ConfigError, match="no factor 'm.__class__'"):
        grid(factors={"m": {"a": {}}}, names="{m.__class__}")


def test_a_missing_grid_and_one_that_is_no_toml(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="starter"):
        read_grid("no-such-grid")
    (tmp_path / "bad.toml").write_text("a = ", "utf-8")
    with pytest.raises(ConfigError, match="not valid TOML"):
        read_grid(tmp_path / "bad.toml")


@pytest.mark.parametrize("name", [file.stem for file in SHIPPED.glob("*.toml")])
def test_grids_that_ship_can_be_read(name: str) -> None:
    made = read_grid(name)
    assert made.about
    for configuration in made.configurations:
        configuration.settings("kb")


def test_the_studys_grid_has_its_160_codes() -> None:
    made = read_grid("pawsitive")
    names = [c.name for c in made.configurations]
    assert len(names) == 160
    assert names[0] == made.baseline == "000000000"
    best = next(c for c in made.configurations if c.name == "010010110")
    assert best.overrides["chunk"]["prefix"] == "subreddit"
    assert best.where == ("is_short_question=false",)
    assert best.overrides["search"]["rules"] == ["sentiment", "agree"]
    both = next(c for c in made.configurations if c.name == "000011000")
    assert both.where == ("is_short_question=false", "is_submission=false")


@pytest.mark.parametrize(
    ("tree", "meant"),
    [
        ({"metrisc": ["rr"]}, "metrics"),
        ({"factors": {"f": {"a": {"mdoe": "keyword"}}}}, "mode"),
        ({"factors": {"f": {"a": {"serach": {"top_k": 3}}}}}, "search"),
        ({"factors": {"f": {"a": {"chunk": {"size_char": 100}}}}}, "size_chars"),
        ({"factors": {"size": SIZES}, "names": "{sise}"}, "size"),
    ],
)
def test_a_misspelt_name_is_told_with_what_was_meant(tree: dict[str, Any], meant: str) -> None:
    with pytest.raises(ConfigError, match=rf"Did you mean '{meant}'\?"):
        grid(**tree)


@pytest.mark.parametrize("name", ["similarty", "simlarity_best@3", "spam_recall", "ndgc@10"])
def test_a_misspelt_metric_is_told_with_what_was_meant(name: str) -> None:
    with pytest.raises(ConfigError, match=r"Did you mean '(similarity|similarity_best|span_recall|ndcg)'\?"):
        check_metrics([name])


def test_the_page_says_what_every_metric_is() -> None:
    page = (Path(__file__).parents[2] / "docs" / "how-to" / "evaluate.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    assert set(re.findall(r"`(\w+)`", " ".join(rows))) == set(metric_names())

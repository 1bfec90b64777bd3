"""Rules that order hits anew: the study's three, age and preference; alone, together, in a real search."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rove import ConfigError, Rove, Text
from rove.retrieve import RETRIEVERS
from rove.retrieve.rules import RULES
from rove.retrieve.rules.apply_rules import ordered
from rove.retrieve.rules.prefer import Prefer
from rove.retrieve.rules.replies import Agree, Disagree, RepliesSentiment
from rove.retrieve.rules.staleness import Staleness

TEXTS = {
    "en": "Remote work is approved by the head of the unit.",
    "de": "Telearbeit genehmigt der Leiter: remote work.",
    "hu": "A távmunkát (remote work) az egységvezető engedélyezi.",
    "zh": "远程办公 remote work 由部门主管批准。",
    "ja": "在宅勤務 remote work は部門長が承認します。",
}
DATES = {"en": "2015-01-01", "de": "2024-01-01T00:00:00Z", "hu": "not a date", "zh": "2023-07-01"}


class Shift:
    """Shifts by what the item says."""

    def shift(self, fields):
        return fields["shift"]


def order(shifts: list[float], scores: list[float] | None = None) -> list[int]:
    rows = list(enumerate(shifts))
    given_scores = scores or [0.0] * len(shifts)
    return [
        row
        for row, _ in ordered(
            rows, [Shift()], fields_of=lambda item: {"shift": item[1]}, score_of=lambda item: given_scores[item[0]]
        )
    ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("kb")
    with Rove.open(base, embedder={"name": "fake"}) as kb:
        for name, text in TEXTS.items():
            metadata = {"lang": name, "draft": name == "ja"} | ({"date": DATES[name]} if name in DATES else {})
            kb.add(Text(text, id=name, metadata=metadata))
    return base


@pytest.fixture
def search(folder: Path) -> Iterator[object]:
    def ask(mode: str = "hybrid", **settings: object):
        with Rove.open(folder, embedder={"name": "fake"}, search=settings) as kb:
            return kb.search("remote work", mode=mode, top_k=5)

    return ask


@given(st.lists(st.floats(-9, 9)))
def test_a_rule_drops_nothing_and_invents_nothing(shifts: list[float]) -> None:
    assert sorted(order(shifts)) == list(range(len(shifts)))


@given(st.lists(st.sampled_from([0.0, inf])))
def test_infinity_leaves_out_and_the_rest_keeps_its_order(shifts: list[float]) -> None:
    assert order(shifts) == [row for row, shift in enumerate(shifts) if shift == 0]


def test_ties_of_the_shifted_rank_go_to_the_higher_score() -> None:
    assert order([1.0, 0.0], [0.9, 0.1]) == [0, 1]
    assert order([1.0, 0.0], [0.1, 0.9]) == [1, 0]


def test_the_study_s_numbers() -> None:
    fields = {"reply_sentiment": -2, "reply_agree_distance": 0.25, "reply_disagree_distance": 0.2500001}
    assert RepliesSentiment().shift(fields) == pytest.approx(0.75 + 2 * 0.7403)
    assert RepliesSentiment().shift({"reply_sentiment": 1}) == pytest.approx(-0.75 - 0.7403)
    assert RepliesSentiment().shift({"reply_sentiment": 0.5}) == pytest.approx(-0.75 - 0.7403 / 2)
    assert Agree().shift(fields) == -1.5
    assert Disagree().shift(fields) == 0
    assert Disagree().shift({"reply_disagree_distance": 0.1}) == 1.5
    for rule in (RepliesSentiment(), Agree(), Disagree()):
        assert rule.shift({}) == rule.shift({"reply_sentiment": 0, "reply_agree_distance": 0.0}) == 0


def test_age_is_bounded_and_can_leave_out() -> None:
    rule = Staleness(today="2024-01-01", days=365.0, ranks=2.0, most=10.0, until_days=4_000)
    assert rule.shift({"date": "2023-01-01"}) == pytest.approx(2.0)
    assert rule.shift({"date": "2018-01-01"}) == 10.0
    assert rule.shift({"date": "2000-01-01"}) == inf
    assert rule.shift({"date": "2030-01-01"}) == rule.shift({"date": 7}) == rule.shift({}) == 0


@pytest.mark.parametrize("name", RULES.names())
def test_every_rule_leaves_a_hit_without_its_fields_where_it_is(name: str) -> None:
    options = {"prefer": {"field": "no-such-field", "value": "x"}}
    assert RULES.get(name)(**options.get(name, {})).shift({}) == 0


@pytest.mark.parametrize(
    "mode", [mode for mode in RETRIEVERS.names() if mode not in {"questions", "summaries", "themes"}]
)
def test_rules_apply_in_every_mode(search, mode: str) -> None:
    plain = [hit.chunk.document_id for hit in search(mode)]
    last = plain[-1]
    options = {"prefer": {"field": "lang", "value": last, "ranks": 99}}
    hits = search(mode, rules=["prefer"], rule_options=options)
    assert [hit.chunk.document_id for hit in hits] == [last, *plain[:-1]]
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert hits[0].sources["rules"].rank == 1
    assert hits[0].sources["rules"].score == len(plain) - 1


def test_a_hit_from_below_the_cut_can_rise_into_it(folder: Path) -> None:
    options = {"rules": ["prefer"], "rule_options": {"prefer": {"field": "lang", "value": "zh", "ranks": 99}}}
    with Rove.open(folder, embedder={"name": "fake"}, search=options) as kb:
        assert [hit.chunk.document_id for hit in kb.search("head of the unit remote work", top_k=1)] == ["zh"]


def test_rules_follow_each_other(search) -> None:
    options = {
        "staleness": {"today": "2024-01-01", "ranks": 9.0},
        "prefer": {"field": "draft", "value": True, "ranks": -inf},
    }
    found = [hit.chunk.document_id for hit in search(rules=["staleness", "prefer"], rule_options=options)]
    assert found[-1] == "en"
    assert "ja" not in found
    assert len(found) == 4


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"rules": ["nonsense"]}, "No rule is named 'nonsense'"),
        ({"rules": ["prefer"]}, r"search\.rule_options\.prefer"),
        ({"rules": ["agree"], "rule_options": {"agree": {"metres": 3}}}, "metres"),
        ({"rules": ["staleness"], "rule_options": {"staleness": {"days": 0}}}, "more than 0"),
        ({"rules": ["staleness"], "rule_options": {"staleness": {"today": "soon"}}}, "must be a date"),
        ({"rule_options": {"agree": {"ranks": 3}}}, "does not name: agree"),
    ],
)
def test_a_wrong_rule_is_an_error_that_says_what_to_mend(
    tmp_path: Path, settings: dict[str, object], says: str
) -> None:
    with pytest.raises(ConfigError) as raised:
        Rove.open(tmp_path, embedder={"name": "fake"}, search=settings)
    assert_says(raised.value, says)


def assert_says(error: ConfigError, says: str) -> None:
    assert says.replace("\\", "") in f"{error} {error.cure}"


def test_prefer_matches_as_a_filter_does() -> None:
    assert Prefer("tags", "b").shift({"tags": ("a", "b")}) == -3.0
    assert Prefer("n", 1).shift({"n": True}) == 0

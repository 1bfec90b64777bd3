"""The study's way to merge votes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from reproduce.votes import published_votes

from rove.evaluate.labels import Vote

labels = st.none() | st.integers(1, 3) | st.just(21)
votes = st.builds(Vote, st.sampled_from("abc"), st.sampled_from("qr"), st.sampled_from("de"), labels)


@settings(deadline=None)
@given(st.lists(votes))
def test_one_annotators_rows_are_kept_in_their_order(given_votes: list[Vote]) -> None:
    own = [(v.question_id, v.document_id) for v in given_votes if v.annotator == "a"]
    assert [(found.question_id, found.document_id) for found in published_votes(given_votes, "a")] == own

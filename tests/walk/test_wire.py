"""Events as JSON and back, whatever they hold; and nothing else is read."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rove import InputError, field
from rove.records import Answer, Chunk, Citation, Conflict, Hit, PathStep, Place, Sentence, Side
from rove.records.filter import AccessFilter, All, Any, Compare, Not
from rove.records.walk_events import FactDelta, WalkEvent
from rove.walk.json_format import filter_of, filter_to_text, from_line, to_line
from rove.walk.state import folded

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
FLOAT = st.floats(allow_nan=False, allow_infinity=False)
VALUE = st.one_of(TEXT, st.integers(-(2**53), 2**53), FLOAT, st.booleans(), st.tuples(TEXT))
META = st.dictionaries(TEXT, VALUE, max_size=2)
for kind, strategy in ((str, TEXT), (float, FLOAT), (int, st.integers(-(2**53), 2**53))):
    st.register_type_strategy(kind, strategy)
PLACE = st.builds(Place)
CHUNK = st.builds(Chunk, headings=st.tuples(TEXT), metadata=META)
HIT = st.builds(Hit, chunk=CHUNK, sources=st.dictionaries(TEXT, PLACE, max_size=1))
CITATION = st.builds(Citation)
SENTENCE = st.builds(Sentence, citations=st.tuples(CITATION))
ANSWER = st.builds(
    Answer,
    sentences=st.tuples(SENTENCE),
    hits=st.tuples(HIT),
    conflicts=st.tuples(st.builds(Conflict, sides=st.tuples(st.builds(Side, citation=CITATION)))),
    path=st.tuples(st.builds(PathStep)),
)
st.register_type_strategy(Answer, ANSWER)
st.register_type_strategy(FactDelta, st.builds(FactDelta, fields=st.dictionaries(TEXT, TEXT, max_size=3)))
EVENT = st.one_of([st.from_type(kind) for kind in get_args(WalkEvent)])
SCALAR = st.one_of(TEXT, st.integers(-(2**53), 2**53), FLOAT, st.booleans())
COMPARE = st.builds(Compare, TEXT, st.sampled_from(["==", ">", "<="]), SCALAR) | st.builds(
    lambda node, name, values: node(name, "in", tuple(values)),
    st.sampled_from([Compare, AccessFilter]),
    TEXT,
    st.lists(SCALAR, max_size=3),
)
FILTER = st.recursive(
    COMPARE,
    lambda node: st.builds(Not, node) | st.builds(All, st.tuples(node, node)) | st.builds(Any, st.tuples(node)),
    max_leaves=6,
)


@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=80)
@given(event=EVENT)
def test_every_event_comes_back_as_it_was(event: WalkEvent) -> None:
    assert from_line(to_line(event)) == event
    assert "\n" not in to_line(event)


@settings(deadline=None, suppress_health_check=list(HealthCheck), max_examples=25)
@given(events=st.lists(EVENT, max_size=6))
def test_a_state_is_the_same_from_events_that_went_over_the_wire(events: list[WalkEvent]) -> None:
    state = folded(events)
    assert folded(from_line(to_line(event)) for event in events) == state
    assert state.events == sum(not isinstance(event, FactDelta) for event in events)
    half = len(events) // 2
    assert folded(events[half:], folded(events[:half])) == state


@settings(deadline=None)
@given(where=FILTER)
def test_every_filter_comes_back_as_it_was(where: Compare) -> None:
    assert filter_of(filter_to_text(where)) == where


def test_no_filter_is_no_text() -> None:
    assert filter_to_text(None) == ""
    assert filter_of("") is None
    assert filter_of(filter_to_text(field("a").exists() & (field("b") != 2))) == field("a").exists() & (field("b") != 2)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "null",
        "[]",
        '{"event":"Nothing","data":{}}',
        '{"event":"Resumed","data":{"round":"1"}}',
        '{"event":"Resumed","data":{}}',
        '{"event":"Resumed","data":{"round":1},"more":1}',
        '{"event":"Resumed","data":{"round":1}',
        '{"event":"__class__","data":{"round":1}}',
    ],
)
def test_nothing_else_is_read(line: str) -> None:
    with pytest.raises(InputError, match="not an event of a walk"):
        from_line(line)
    with pytest.raises(InputError):
        filter_of('["Any",["Compare","a","~",1]]')

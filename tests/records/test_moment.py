"""Times of words: each span of a recording's text has its seconds, across minutes, in chunks and after corrections."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rove.prepare import Preparer, Recipe
from rove.records import Document
from rove.records.boxes import pack_boxes, unpack_boxes
from rove.records.moment import TimeSpan, boxes_of, time_at, time_of, times_field

SAID = [(0.0, 2.5, "It rains."), (58.0, 63.0, "The lease ends."), (3599.5, 3725.25, "It is long.")]


def spoken(kind: str = "audio") -> Document:
    text, boxes = "# Call\n\n", []
    for start_s, end_s, words in SAID:
        span = len(text), len(text) + len(words)
        boxes += boxes_of(span, TimeSpan(start_s, end_s))
        text += words + " "
    return Document("d", "/call.mp3", kind, text.strip(), "Call", "en", boxes=tuple(boxes))


def span_of(document: Document, words: str) -> tuple[int, int]:
    start = document.text.index(words)
    return start, start + len(words)


@pytest.mark.parametrize(("start_s", "end_s", "words"), SAID)
def test_words_have_their_seconds_across_minutes_and_as_they_are_kept(start_s: float, end_s: float, words: str) -> None:
    document = spoken()
    kept = replace(document, boxes=unpack_boxes(pack_boxes(document.boxes)))
    for one in (document, kept):
        time = time_at(one, span_of(one, words))
        assert time
        assert time.start_s == pytest.approx(start_s, abs=0.051)
        assert time.end_s == pytest.approx(end_s, abs=0.051)
    assert all(0 <= box.left <= box.right <= 1 for box in document.boxes)


def test_a_span_of_several_is_said_from_the_first_to_the_last() -> None:
    document = spoken()
    assert time_at(document, span_of(document, "rains. The lease")) == TimeSpan(0.0, 63.0)
    assert time_at(document, (0, 6)) is None, "the title is not said"
    assert time_at(spoken("pdf"), span_of(document, "It rains.")) is None, "boxes of a print are no times"


def test_chunks_know_when_each_of_their_words_is_said() -> None:
    document = spoken()
    [*chunks] = Preparer(Recipe("m", "p")).prepare(document, "/call.mp3").chunks
    for start_s, _, words in SAID:
        span = span_of(document, words)
        chunk = next(one for one in chunks if one.span[0] <= span[0] and span[1] <= one.span[1])
        time = time_of(chunk, span)
        assert time
        assert time.start_s == pytest.approx(start_s, abs=0.051)
        outside = (chunk.span[1] + 1, chunk.span[1] + 2)
        assert time_of(chunk, outside) is None
    assert time_of(replace(chunks[0], metadata={})) is None
    assert time_of(replace(chunks[0], metadata=times_field(chunks[0].span, TimeSpan(1.0, 2.0)))) == TimeSpan(1.0, 2.0)

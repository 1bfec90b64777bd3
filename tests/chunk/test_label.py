from __future__ import annotations

import pytest

from rove.chunk.cut import cut_document
from rove.chunk.label import label_of
from rove.errors import ConfigError
from rove.records import Chunk, Document

SUBREDDITS = {"UPSers": "UPS", "GeneralMotors": "General Motors, GM", "sysadmin": "System Administrator"}


def post(text: str, subreddit: str = "UPSers") -> Document:
    metadata = {"subreddit": subreddit, "subreddit_max_chars": 17, "is_submission": True}
    return Document("d", "posts.parquet#t3_d", "posts", text, title="A title", metadata=metadata)


def labelled(document: Document, size_chars: int, labels: dict[str, str]) -> list[Chunk]:
    label = label_of(document, "subreddit", labels)
    assert label is not None
    return label.put_on(cut_document(document, strategy="size", size_chars=label.room(size_chars), overlap_chars=20))


@pytest.mark.parametrize("labels", [{}, SUBREDDITS])
@pytest.mark.parametrize("subreddit", ["UPSers", "GeneralMotors"])
@pytest.mark.parametrize("text", ["How long is a shift? It depends. " * 60, "配送には何時間かかりますか。" * 80])
def test_label_blank_line_and_text_keep_within_the_size(text: str, subreddit: str, labels: dict[str, str]) -> None:
    document = post(text, subreddit)
    chunks = labelled(document, 128, labels)
    assert len(chunks) > 5
    shown = labels.get(subreddit, subreddit)
    longest = max(map(len, labels.values()), default=17)
    for chunk in chunks:
        assert chunk.indexed_text == f"{shown}\n\n{chunk.text}"
        assert len(chunk.text) <= 128 - longest - 2
        assert chunk.text == document.text[slice(*chunk.span)]
    assert max(len(chunk.text) for chunk in chunks) > 128 - longest - 25


def test_no_prefix_at_all() -> None:
    document = post("Just the text.")
    label = label_of(document, "", {})
    assert label is not None
    assert label.room(512) == 512
    assert [chunk.indexed_text for chunk in label.put_on(cut_document(document))] == ["Just the text."]


def test_headings_stay_where_there_is_no_such_field() -> None:
    assert label_of(post("x"), "headings", {}) is None
    assert label_of(post("x"), "department", {}) is None


def test_a_size_without_room_is_refused() -> None:
    label = label_of(post("x"), "subreddit", SUBREDDITS)
    assert label is not None
    assert label.room(23) == 1
    with pytest.raises(ConfigError, match="takes 22"):
        label.room(22)

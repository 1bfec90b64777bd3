from __future__ import annotations

from collections import Counter
from io import BytesIO
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.cpu_time import at_most

from load.samples import PARAGRAPHS, source
from load.samples_posts import Row, comment, lines, parquet, submission, thread
from rove.errors import InputError
from rove.load.discover import Location
from rove.load.posts.clean import Fate, clean_posts
from rove.load.posts.columns import normalised
from rove.load.posts.loader import PostsLoader
from rove.load.posts.names import find_columns, looks_like_posts
from rove.prepare import Preparer, Recipe
from rove.records import Document, SourceEnd, content_hash


def load(data: bytes, name: str = "posts.parquet") -> tuple[dict[str, Document], str]:
    """The documents by the names of their posts, and what the loader says of the cleaning."""
    reading = PostsLoader().load(source("posts", data, name))
    documents: dict[str, Document] = {}
    while True:
        try:
            document = next(reading)
        except StopIteration as end:
            return documents, str(end.value)
        documents[str(document.metadata["record_id"])] = document


def load_bad(data: bytes) -> tuple[list[Document], InputError]:
    good: list[Document] = []
    with pytest.raises(InputError) as caught:
        for document in PostsLoader().load(source("posts", data, "posts.jsonl")):
            good.append(document)  # noqa: PERF402 - what came before the error is what is looked at
    return good, caught.value


@pytest.mark.parametrize("write", [lines, parquet])
def test_a_thread_keeps_its_tree(write: object) -> None:
    assert callable(write)
    documents, note = load(write(thread()))
    assert note == ""
    assert [d.text for d in documents.values()] == list(PARAGRAPHS.values())
    assert [d.metadata.get("depth", 0) for d in documents.values()] == [0, 1, 2, 3, 4]
    assert [d.metadata["replies"] for d in documents.values()] == [1, 1, 1, 1, 0]
    last = documents["t1_3"]
    assert last.title == "Re: Title a"
    assert (last.metadata["parent"], last.metadata["root"], last.metadata["is_submission"]) == ("t1_2", "t3_a", False)
    assert last.document_id == content_hash(last.source)
    assert last.source.endswith("#t1_3")
    assert last.kind == "posts"


def test_the_rules_and_their_counts() -> None:
    long = "Ez egy robot üzenete, és mindig ugyanaz."
    assert len(long.encode()) > 35
    assert len("x" * 35) == 35
    rows = [
        submission("a", "Miért esik az eső?"),
        submission("b", ""),
        submission("c", " \n", title="  "),
        comment("gone", "[deleted]", "t3_a"),
        comment("gone2", "[removed]", "t3_a"),
        comment("kept", "[deleted] by me", "t3_a"),
        comment("blank", " \u3000\t", "t3_a"),
        comment("null", None, "t3_a"),
        *(comment(f"bot{n}", long, "t3_a") for n in range(8)),
        *(comment(f"seven{n}", long + "!", "t3_a") for n in range(7)),
        *(comment(f"short{n}", "x" * 35, "t3_a") for n in range(9)),
        comment("kept", "again", "t3_a"),
    ]
    documents, note = load(parquet(rows))
    assert Counter(name.rstrip("0123456789") for name in documents) == {
        "t3_a": 1, "t3_b": 1, "t1_kept": 1, "t1_seven": 7, "t1_short": 9
    }  # fmt: skip
    assert documents["t3_b"].text == "Title b"
    assert documents["t1_kept"].text == "[deleted] by me"
    for said in ("1 whose text is \"[deleted]\"", "1 whose text is \"[removed]\"", "8 with a text of over 35 bytes",
                 "3 without text", "1 with the id of an earlier one", "1 empty submissions took"):  # fmt: skip
        assert said in note


def test_a_frequent_text_is_counted_in_bytes_and_across_batches() -> None:
    text = "雨が降っている理由は?"  # 11 characters, 31 bytes
    rows = [submission("a", "A")]
    rows += [comment(f"n{n}", text, "t3_a") for n in range(10)]
    rows += [comment(f"m{n}", text + "です", "t3_a") for n in range(10)]  # 37 bytes
    batch = pq.ParquetFile(BytesIO(parquet(rows))).read().to_batches(max_chunksize=3)
    columns = find_columns(batch[0].schema.names)
    cleaned = clean_posts(normalised(part, columns) for part in batch)
    assert cleaned.counts[Fate.FREQUENT] == 10
    assert cleaned.counts[Fate.KEPT] == 11


def test_short_questions() -> None:
    texts = {"a": "Why?", "b": "なぜですか？", "c": "Why? Because.", "d": "x" * 99 + "?", "e": "x" * 98 + "?\n"}
    documents, _ = load(lines([submission(name, text) for name, text in texts.items()]))
    assert [d.metadata["is_short_question"] for d in documents.values()] == [True, True, False, False, True]


def test_parents_that_are_not_there_are_said() -> None:
    rows = [
        submission("a", "Gyökér"),
        comment("gone", "[removed]", "t3_a"),
        comment("below", "a reply to what was removed", "t1_gone"),
        comment("lost", "a reply to what is not in the file", "t1_zzz"),
        comment("child", "below it", "t1_lost"),
        comment(
            "far", "its submission is elsewhere", "t3_x", link_id="t3_x", permalink="/r/k/comments/x/wo_ist_es/far/"
        ),
    ]
    documents, note = load(parquet(rows))
    assert "2 reply to a post that is not in the file" in note
    below, lost, child, far = (documents[f"t1_{name}"].metadata for name in ("below", "lost", "child", "far"))
    assert (below["depth"], below["parent"], below["parent_missing"]) == (2, "t1_gone", True)
    assert ("depth" not in lost, lost["root"], lost["parent_missing"]) == (True, "t3_a", True)
    assert "depth" not in child
    assert "parent_missing" not in child
    assert (far["depth"], far["root"], far["parent_missing"]) == (1, "t3_x", True)
    assert documents["t1_far"].title == "Re: wo ist es"
    assert documents["t3_a"].metadata["replies"] == 0


def test_rings_and_long_chains_end() -> None:
    chain = [comment(str(n), f"{n}", f"t1_{n - 1}" if n else "t3_a") for n in range(20_000)]
    ring = [comment("x", "x", "t1_y"), comment("y", "y", "t1_x"), comment("self", "s", "t1_self")]
    with at_most(10):
        documents, _ = load(parquet([submission("a", "A"), *chain, *ring]))
    assert documents["t1_19999"].metadata["depth"] == 20_000
    assert all("depth" not in documents[name].metadata for name in ("t1_x", "t1_y", "t1_self"))


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["reddit_name", "reddit_text", "reddit_subreddit", "aware_post_type"], True),
        (["id", "body", "subreddit", "link_id", "author"], True),
        (["id", "selftext", "subreddit", "title"], True),
        (["id", "text", "title"], False),
        (["id", "text", "subreddit"], False),
        (["text", "subreddit", "title"], False),
    ],
)
def test_what_looks_like_posts(names: list[str], expected: bool) -> None:
    assert looks_like_posts(names) is expected


def test_a_dump_of_both_kinds_with_other_names() -> None:
    rows: list[Row] = [
        {"id": "a", "selftext": "Frage", "title": "T", "subreddit": "s", "created_utc": 1704467742.0, "score": 5},
        {
            "id": "b",
            "body": "Antwort",
            "parent_id": "t3_a",
            "link_id": "t3_a",
            "subreddit": "s",
            "created_utc": "1704467743",
        },
    ]
    documents, _ = load(lines(rows))
    assert list(documents) == ["t3_a", "t1_b"]
    assert documents["t3_a"].metadata["date"] == "2024-01-05T15:15:42Z"
    assert documents["t3_a"].metadata["score"] == 5
    assert documents["t1_b"].metadata["date"] == "2024-01-05T15:15:43Z"
    assert documents["t1_b"].metadata["depth"] == 1


@pytest.mark.parametrize("created", [-1, 1 << 60, float("nan"), "soon", None])
def test_a_date_that_is_none_is_left_out(created: object) -> None:
    documents, _ = load(lines([submission("a", "A", created_utc=created)]))
    assert "date" not in documents["t3_a"].metadata


def test_missing_columns_are_named() -> None:
    good, error = load_bad(parquet([{"name": "a", "message": "text"}]))
    assert not good
    assert error.outcome == "unsupported"
    assert "'text' (text or body or selftext)" in error.reason
    assert "'subreddit'" in error.reason
    assert "'message'" in error.reason
    assert error.cure


def test_nothing_that_stays_is_said_with_its_reasons() -> None:
    good, error = load_bad(lines([comment("a", "[deleted]", "t3_a"), submission("b", "", title="")]))
    assert not good
    assert error.outcome == "empty"
    assert "1 whose text is" in error.reason


def test_bad_lines_cost_only_themselves() -> None:
    data = lines(thread()) + b'{"name": "t1_x", "text": "half\n[1]\n\xff\n' + lines([comment("z", "letzter", "t3_a")])
    good, error = load_bad(data)
    assert len(good) == 6
    assert error.outcome == "partial"
    assert "3 parts" in error.reason
    assert "line 6" in error.reason


def test_a_damaged_row_group_costs_only_itself() -> None:
    rows = [submission(f"n{n}", f"text number {n} " + "ő" * 50) for n in range(300)]
    data = bytearray(parquet(rows, group_rows=100))
    file = pq.ParquetFile(BytesIO(bytes(data)))
    column = file.metadata.row_group(1).column(1)
    start = column.dictionary_page_offset or column.data_page_offset
    data[start : start + 40] = b"\xff" * 40
    good, error = load_bad(bytes(data))
    assert error.outcome == "partial"
    assert "row group 2" in error.reason
    assert [d.metadata["record_id"] for d in good] == [f"t3_n{n}" for n in (*range(100), *range(200, 300))]


def test_what_was_dropped_is_the_reason_of_a_source_that_is_live(tmp_path: Path) -> None:
    file = tmp_path / "dump.jsonl"
    file.write_bytes(lines([*thread(), comment("gone", "[removed]", "t3_a")]))
    location = Location(str(file), file.name, "posts", path=file)
    *prepared, end = Preparer(Recipe(model="m", pipeline="p")).read(location)
    assert len(prepared) == 5
    assert isinstance(end, SourceEnd)
    assert end.outcome == ""
    assert end.reason == 'Of 6 posts 5 stay; dropped: 1 whose text is "[removed]".'


@pytest.mark.data
def test_the_real_posts(shared_data: Path) -> None:
    file = shared_data / "pawsitive" / "posts.parquet"
    documents, note = load(file.read_bytes())
    assert len(documents) == 38_156
    assert note.startswith(
        'Of 39441 posts 38156 stay; dropped: 1099 whose text is "[deleted]", 119 whose text is "[removed]", '
        "67 with a text of over 35 bytes that occurs more than 7 times. 235 empty submissions"
    )
    rows = {row["reddit_name"]: row for row in pq.read_table(file).to_pylist()}
    frequent = {
        t for t, n in Counter(r["reddit_text"] for r in rows.values()).items() if n > 7 and len(t.encode()) > 35
    }
    expected = {n for n, r in rows.items() if r["reddit_text"] not in {"[deleted]", "[removed]", *frequent}}
    assert set(documents) == expected
    replies = Counter(rows[name]["reddit_parent_id"] for name in documents)
    for name, document in documents.items():
        depth, above = 0, name
        while (parent := rows[above]["reddit_parent_id"]) in rows:
            depth, above = depth + 1, parent
        if parent is not None:
            depth = depth + 1 if parent == rows[above]["reddit_link_id"] else -1
        assert document.metadata.get("depth", -1 if depth < 0 else 0) == depth
        assert document.metadata["replies"] == replies[name]


@pytest.mark.data
def test_another_real_dump(shared_data: Path) -> None:
    documents, _ = load((shared_data / "retrieval" / "reddit_posts" / "corpus.parquet").read_bytes())
    assert len(documents) > 10_000
    assert all(d.metadata["is_submission"] for d in documents.values())
    assert documents["t3_1fb0bg"].metadata["score"] == 3073
    assert documents["t3_1fb0bg"].metadata["date"] == "2013-05-30T00:38:40Z"

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rove.errors import InputError
from rove.evaluate.dataset import read_dataset

VOTES = {
    "run": ["00", "00", "00", "02", "02"],
    "query": ["Q?", "Q?", "Q?", "Q?", "R?"],
    "reddit_name": ["t1_a", "t1_a", "t1_b", "t1_b", "t3_c"],
    "annotator": ["x", "y", "x", "x", "x"],
    "label": [1, 1, 2, 1, 3],
}


def test_votes_of_several_rounds_add_up(tmp_path: Path) -> None:
    pq.write_table(pa.table({"reddit_name": ["t1_a"]}), tmp_path / "posts.parquet")
    pq.write_table(pa.table(VOTES), tmp_path / "labels.parquet")
    dataset = read_dataset(tmp_path)
    assert [question.text for question in dataset.questions] == ["Q?", "R?"]
    assert dataset.gold == {"Q?": {"t1_a": 1, "t1_b": 1}, "R?": {"t3_c": 0}}
    assert list(dataset.documents) == [tmp_path / "posts.parquet"]


def test_labels_without_a_column_are_an_error_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "posts.parquet").touch()
    pq.write_table(pa.table({"query": ["Q?"]}), tmp_path / "labels.parquet")
    with pytest.raises(InputError, match="'run'"):
        read_dataset(tmp_path)
    (tmp_path / "labels.parquet").write_bytes(b"no parquet")
    with pytest.raises(InputError, match="not a parquet file"):
        read_dataset(tmp_path)


@pytest.mark.data
def test_the_studys_votes(shared_data: Path) -> None:
    dataset = read_dataset(shared_data / "pawsitive")
    relevant = sum(grade for grades in dataset.gold.values() for grade in grades.values())
    judged = sum(map(len, dataset.gold.values()))
    assert (len(dataset.questions), relevant, judged) == (26, 385, 947)

"""What every layout of datasets promises: it knows its own, reads it, and says what is malformed."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.errors import InputError
from rove.evaluate.dataset import DATASETS, Layout, check_dataset
from rove.testing.contract import Contract


class LayoutContract(Contract):
    """Inherit it, and give `name`, or `make`; and `write`."""

    registry = DATASETS

    def make(self) -> Layout:
        """Return the layout."""
        return self.registered()()

    def write(self, folder: Path) -> Path:
        """Write a dataset of this layout into an empty folder; returns what is to be read: the folder, or a file.

        Raises:
            NotImplementedError: the suite has no `write` of its own.
        """
        message = f"{type(self).__name__} has no dataset to read: give it a `write(self, folder)` that makes one."
        raise NotImplementedError(message)

    def test_it_knows_and_reads_its_own(self, tmp_path: Path) -> None:
        """Each question has an id of its own, and a text; what the gold names is there; it reads the same twice."""
        path, layout = self.write(tmp_path), self.make()
        assert layout.matches(path)
        dataset = layout.read(path)
        assert dataset.name
        assert dataset.questions
        asked = [question.question_id for question in dataset.questions]
        assert len(set(asked)) == len(asked)
        assert all(question.text.strip() for question in dataset.questions)
        assert {*dataset.gold, *dataset.spans, *dataset.sources} <= set(asked)
        assert dataset.gold or dataset.sources
        check_dataset(dataset)
        assert list(dataset.documents) == list(dataset.documents), "documents can be gone through again"
        assert layout.read(path).questions == dataset.questions

    def test_what_is_not_of_this_layout_is_left_to_others(self, tmp_path: Path) -> None:
        """An empty folder, a file of another kind, what is not there."""
        (tmp_path / "empty").mkdir()
        (tmp_path / "notes.bin").write_bytes(b"\0")
        for name in ("empty", "notes.bin", "nowhere"):
            assert not self.make().matches(tmp_path / name)

    def test_a_damaged_file_is_said(self, tmp_path: Path) -> None:
        """Any file may be cut short or overwritten: that is an `InputError` with a cure, or the rest is read."""
        path = self.write(tmp_path)
        files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.is_file())
        damaged = 0
        for file in files:
            whole = file.read_bytes()
            for data in (b"", b"\0\xff" * 40, whole[: len(whole) // 2]):
                file.write_bytes(data)
                try:
                    dataset = self.make().read(path)
                    list(dataset.documents)
                except InputError as error:
                    assert error.cure
                    damaged += 1
            file.write_bytes(whole)
        assert damaged

    def test_what_is_not_there_is_said(self, tmp_path: Path) -> None:
        """To read what does not exist is an error of the caller's."""
        with pytest.raises((InputError, FileNotFoundError)):
            self.make().read(tmp_path / "nowhere")

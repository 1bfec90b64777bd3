"""Files that grow line by line while somebody works; a line once written survives a crash of the program."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from rove.errors import InputError
from rove.evaluate.dataset.dataset_lines import DatasetRow, bad, read_json_lines


def beside(path: Path, ending: str) -> Path:
    """Return the name of a file that belongs to another.

    >>> beside(Path("a/questions.csv"), "reviews").name
    'questions.reviews.jsonl'
    """
    return path.with_name(f"{path.stem}.{ending}.jsonl")


def append(path: Path, values: Mapping[str, object]) -> None:
    """Write one line more; it is on the disk when this returns. A line that broke off earlier is taken away.

    Raises:
        InputError: the file cannot be written.
    """
    line = json.dumps(values, ensure_ascii=False) + "\n"
    try:
        with path.open("ab+") as file:
            _take_away_torn(file)
            file.write(line.encode("utf-8", "surrogatepass"))
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise bad(
            str(path), f"the file cannot be written ({error.strerror})", "Give a folder you may write to."
        ) from error


def read_log(path: Path) -> list[DatasetRow]:
    """Return the lines in their order; [] where there is no file. A last line that broke off is passed over.

    Raises:
        InputError: a line before the last is malformed.
    """
    if not path.is_file():
        return []
    rows: list[DatasetRow] = []
    try:
        for row in read_json_lines(path):
            rows.append(row)
    except InputError:
        if path.read_bytes().endswith(b"\n"):
            raise
    return rows


def _take_away_torn(file: BinaryIO) -> None:
    file.seek(0)
    written = file.read()
    end = written.rfind(b"\n") + 1
    if end < len(written):
        file.truncate(end)

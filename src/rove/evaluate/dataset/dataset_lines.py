"""Lines of JSON and of tables, read one by one; what is wrong is told with file and line."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard, cast

from rove.errors import InputError
from rove.foreign import read_json
from rove.records.source import Metadata, MetaValue
from rove.registry import load_extra

MOST_FIELD_CHARS = 10_000_000


@dataclass(frozen=True, slots=True)
class DatasetRow:
    """One record, and where it stands ("file:line"), for messages."""

    place: str
    values: Mapping[str, object]

    def text(self, *names: str, empty: bool = False) -> str:
        """Return the first of these fields that is there, as text; numbers become text.

        Raises:
            InputError: none is there, or it is blank, unless it may be `empty`; or it is no text.
        """
        for name in names:
            value = self.values.get(name)
            if isinstance(value, int | float) and not isinstance(value, bool):
                value = str(value)
            if value is not None and not isinstance(value, str):
                raise bad(self.place, f"{name!r} is {type(value).__name__}, not text", "Write it in quotes.")
            if value and value.strip():
                return value
        if empty:
            return ""
        named = " or ".join(map(repr, names))
        raise bad(self.place, f"{named} is missing or blank", "Give every line a value for it.")

    def texts(self, *names: str) -> tuple[str, ...]:
        """Return a field as texts: a list of them, or one alone; () where it is missing.

        Raises:
            InputError: it is something else.
        """
        value = next((self.values[name] for name in names if self.values.get(name) is not None), None)
        if value is None:
            return ()
        if isinstance(value, str):
            return (value,) if value.strip() else ()
        if is_texts(value):
            return tuple(text for text in value if text.strip())
        raise bad(self.place, f"{names[0]!r} is neither text nor a list of texts", 'Write ["…", "…"].')

    def metadata(self, *left_out: str) -> Metadata:
        """Return what else is there and can be metadata: texts, numbers, truth values and lists of texts."""
        found: dict[str, MetaValue] = {}
        for name, value in self.values.items():
            if name in left_out:
                continue
            if isinstance(value, str | int | float):
                found[name] = value
            elif is_texts(value):
                found[name] = tuple(value)
        return found


def bad(place: str, what: str, cure: str) -> InputError:
    """Make the error for a malformed place."""
    return InputError(f"{place}: {what}.", cure=cure)


def is_texts(value: object) -> TypeGuard[list[str]]:
    """Say whether a value is a list of texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in cast("list[object]", value))


def read_json_lines(path: Path) -> Iterator[DatasetRow]:
    """Yield an object from each line that is not blank.

    Raises:
        InputError: a line is no JSON object, or the file is not UTF-8.
    """
    for number, line in enumerate(_utf8_lines(path), 1):
        if not line.strip():
            continue
        place = f"{path}:{number}"
        try:
            value = read_json(line, nan=True)
        except ValueError as error:
            raise bad(place, f"this line is not JSON ({error})", "Write one JSON object a line.") from error
        if not isinstance(value, dict):
            raise bad(place, "this line is not a JSON object", "Write one {…} a line.")
        yield DatasetRow(place, cast("dict[str, object]", value))


def read_table(path: Path, *, delimiter: str = ",") -> Iterator[DatasetRow]:
    """Yield a record from each row of a table whose first row names the columns; blank rows are passed over.

    A header with semicolons and no other separator is that of a spreadsheet in a country with decimal commas.

    Raises:
        InputError: the table has no header, a row has more cells than columns, or the file is not UTF-8.
    """
    csv.field_size_limit(MOST_FIELD_CHARS)
    first = next(_utf8_lines(path), "")
    if delimiter not in first and ";" in first:
        delimiter = ";"
    reader = csv.reader(_utf8_lines(path), delimiter=delimiter, strict=True)
    try:
        header = [name.strip().casefold() for name in next(reader, list[str]())]
        if not any(header):
            raise bad(f"{path}:1", "the table has no header", "Name the columns in the first row.")
        for cells in reader:
            if len(cells) > len(header):
                what = f"{len(cells)} cells under {len(header)} columns"
                raise bad(f"{path}:{reader.line_num}", what, "Put cells that hold the separator into quotes.")
            if any(cell.strip() for cell in cells):
                yield DatasetRow(f"{path}:{reader.line_num}", dict(zip(header, cells, strict=False)))
    except csv.Error as error:
        raise bad(f"{path}:{reader.line_num}", f"the row cannot be read ({error})", "Correct its quotes.") from error


def read_parquet(path: Path) -> Iterator[DatasetRow]:
    """Yield a record from each row of a parquet file.

    Raises:
        InputError: it is no parquet file.
        ConfigError: the extra is not installed.
    """
    return load_extra("rove.evaluate.dataset.dataset_parquet:read_rows", "parquet", str(path))(path)


def read_qrels(path: Path, *, header: bool) -> dict[str, dict[str, int]]:
    """Read lines of question id, document id and grade, with tabs between: question → document → grade.

    Four columns are those of TREC (question, iteration, document, grade).

    Raises:
        InputError: a line has another shape, or its grade is not a whole number.
    """
    gold: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_utf8_lines(path), 1):
        if not line.strip() or (header and number == 1):
            continue
        cells = line.rstrip("\r\n").split("\t")
        if len(cells) == 4:
            del cells[1]
        if len(cells) != 3 or not all(map(str.strip, cells)):
            what = f"{len(cells)} cells instead of question id, document id and grade"
            raise bad(f"{path}:{number}", what, "Put one tab between the cells.")
        try:
            gold.setdefault(cells[0], {})[cells[1]] = int(cells[2])
        except ValueError as error:
            raise bad(f"{path}:{number}", f"the grade {cells[2]!r} is not a whole number", "Write 0, 1, 2 …") from error
    return gold


def _utf8_lines(path: Path) -> Iterator[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from file
    except UnicodeDecodeError as error:
        raise bad(str(path), f"the file is not UTF-8 (byte {error.start})", "Save it as UTF-8.") from error
    except OSError as error:
        raise bad(str(path), f"the file cannot be read ({error.strerror})", "Look whether it is there.") from error

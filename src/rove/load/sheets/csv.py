"""CSV, TSV and tables like them: delimiter, quoting, encoding and header row found by what the file holds."""

from __future__ import annotations

import codecs
import csv
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from io import BytesIO, StringIO, TextIOWrapper
from itertools import chain, islice

from rove.errors import InputError
from rove.load.data.long_table import LongTable, table_documents
from rove.load.pipe_table import MAX_COLUMNS
from rove.load.sheets.header import DATE, LOOK_ROWS, Headed, find_header, is_number
from rove.load.text import clean, decode, is_binary, require_text, stem
from rove.records import Document, Source

DELIMITERS = ",;\t|"
QUOTES = "\"'"
SAMPLE_CHARS = 32_768
SAMPLE_ROWS = 200
SUFFIX_BONUS = 1.5
STREAMED_BYTES = 8 << 20  # a file above this is not held as text in one piece
MAX_FIELD_CHARS = 16 << 20
CURE = "Export it again as CSV with every text in double quotes."

csv.field_size_limit(MAX_FIELD_CHARS)


class CsvLoader:
    """See `Loader`. A long file gives several documents; lines above the header are paragraphs before the table."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        stream = _open_csv_text(source)
        sample = stream.read(SAMPLE_CHARS)
        stream.seek(0)
        require_text(sample, source)
        dialect = find_dialect(sample, source.name)
        if _excel_sep_delimiter(sample):
            stream.readline()
        rows = _Rows(dialect.reader(stream))
        first = list(islice(rows, LOOK_ROWS))
        headed = find_header(first) if first else Headed()
        titles = [clean(line) for line in headed.titles]
        table = LongTable(
            title=stem(source),
            header=headed.header,
            rows=chain(first[headed.start :], rows),
            lead="\n\n".join(titles),
            caption=titles[-1] if titles else "",
        )
        yield from table_documents(source, table)
        rows.finish(source)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How separated values are written. `escape` stands before a quote within quotes; "" where it is doubled."""

    delimiter: str = ","
    quote: str = '"'
    escape: str = ""

    def reader(self, lines: Iterable[str]) -> Iterator[list[str]]:
        """Yield the cells of each row."""
        return csv.reader(
            lines,
            delimiter=self.delimiter,
            quotechar=self.quote,
            escapechar=self.escape or None,
            doublequote=not self.escape,
            skipinitialspace=self.delimiter != "\t",
        )


class _Rows:
    """Yields the rows that hold something, and remembers what could not be read."""

    def __init__(self, reader: Iterator[list[str]]) -> None:
        self.reader = reader
        self.count = 0
        self.problem = ""

    def __iter__(self) -> Iterator[list[str]]:
        try:
            for row in self.reader:
                if any(row):
                    self.count += 1
                    if len(row) > MAX_COLUMNS:
                        self.problem = f"row {self.count} has {len(row)} columns, and the first {MAX_COLUMNS} are read"
                    yield row
        except csv.Error as error:
            self.problem = f"after {self.count} rows: {error}"

    def finish(self, source: Source) -> None:
        if self.problem:
            message = f"{source.name!r} was read in part: {self.problem}."
            raise InputError(message, cure=CURE, outcome="partial" if self.count else "damaged")


def find_dialect(sample: str, name: str = "") -> Dialect:
    r"""Return how the file is written, of which `sample` is the beginning.

    Each delimiter is tried, and scored by the share of rows that have the usual number of cells, times the share of
    cells that look like one. The suffix .tsv speaks for tabs.

    >>> find_dialect("név;ár\nkör;1,5\nnégyzet;2,5\n").delimiter
    ';'
    """
    if declared := _excel_sep_delimiter(sample):
        return Dialect(declared)
    lines = sample.splitlines(keepends=True)
    lines = lines[:-1] if len(sample) >= SAMPLE_CHARS and len(lines) > 1 else lines
    escape = "\\" if '\\"' in sample and '""' not in sample else ""
    best, highest = Dialect(escape=escape), 0.0
    for delimiter in DELIMITERS:
        for quote in QUOTES:
            if quote != '"' and not any(f"{mark}{quote}" in sample for mark in (delimiter, "\n")):
                continue
            dialect = Dialect(delimiter, quote, escape)
            score = _score_dialect(lines, dialect)
            if delimiter == "\t" and name.lower().endswith((".tsv", ".tab")):
                score *= SUFFIX_BONUS
            if score > highest:
                best, highest = dialect, score
    if not highest and _is_prose_punctuation(lines, best.delimiter):  # one column, whose commas are of its texts
        return replace(best, delimiter=next((mark for mark in DELIMITERS if mark not in sample), best.delimiter))
    return best


def _excel_sep_delimiter(sample: str) -> str:
    """The delimiter that a first line "sep=;" names for Excel, else ""."""
    line = sample[:8].removeprefix("\ufeff").split("\n", 1)[0]
    return line[4] if line[:4].lower() == "sep=" and line[4:].strip("\r ") and len(line.rstrip()) <= 5 else ""


def _score_dialect(lines: Iterable[str], dialect: Dialect) -> float:
    try:
        rows = [row for row in islice(dialect.reader(lines), SAMPLE_ROWS) if any(row)]
    except csv.Error:
        return 0.0
    widths = Counter(map(len, rows))
    if dialect.delimiter in ",;" and len(widths) > 1 and _is_prose_punctuation(lines, dialect.delimiter):
        return 0.0
    # an odd line above the table is no reason against a delimiter; few columns are a weaker sign than many
    width, count = max(widths.items(), key=lambda item: (item[1] * (item[0] - 1) / item[0], item[0]), default=(1, 0))
    cells = [cell for row in rows for cell in row]
    good = sum(map(_is_cell, cells))
    return count / max(1, len(rows)) * (width - 1) / width * good / max(1, len(cells))


def _is_prose_punctuation(lines: Iterable[str], mark: str) -> bool:
    """Say whether each comma is one of a sentence: a space follows it, and no row has several that part numbers."""
    text = "".join(islice(lines, SAMPLE_ROWS))
    return text.count(mark) == text.count(f"{mark} ") > 0


def _is_cell(cell: str) -> bool:
    """Whether this looks like one cell: a number, a date, or text without a delimiter or an odd quote."""
    return is_number(cell) or DATE.fullmatch(cell) is not None or not any(mark in cell for mark in ';\t|"')


def _open_csv_text(source: Source) -> TextIOWrapper | StringIO:
    """Return the text; that of a large UTF-8 file is decoded as it is read."""
    data = source.data
    if len(data) > STREAMED_BYTES and not is_binary(data) and _is_utf8_csv(data):
        return TextIOWrapper(BytesIO(data), encoding="utf-8-sig", newline="")
    return StringIO(decode(data), newline="")


def _is_utf8_csv(data: bytes) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    view = memoryview(data)
    try:
        for start in range(0, len(data), STREAMED_BYTES):
            decoder.decode(view[start : start + STREAMED_BYTES])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True

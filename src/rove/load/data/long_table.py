"""Tables of any length as Documents of bounded size, a run of rows each, under the same header."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from rove.load.markdown import markdown_sections
from rove.load.pipe_table import pipe_table
from rove.load.text import clean, identify
from rove.records import Block, Document, Source, content_hash
from rove.records.source import Metadata, MetaValue

MAX_PART_CHARS = 1_000_000
"""About a thousand chunks: what a change of one row reads again, and what memory one part costs."""


@dataclass(frozen=True, slots=True)
class LongTable:
    """A table whose rows come one at a time. `name` tells it from others of the same source; "" where it is alone.

    `lead` are the paragraphs before it (its heading, its schema); `caption` is the one of them that says what it is.
    """

    title: str
    header: Sequence[str]
    rows: Iterable[Sequence[str]]
    name: str = ""
    lead: str = ""
    caption: str = ""
    metadata: Metadata = field(default_factory=dict[str, MetaValue])


@dataclass(frozen=True, slots=True)
class _TablePart:
    first: int
    rows: list[Sequence[str]]

    @property
    def last(self) -> int:
        return self.first + len(self.rows) - 1


def table_documents(source: Source, table: LongTable) -> Iterator[Document]:
    """Yield the table as one document, or as several where it is long: they name their rows, counted from 1.

    The lead stands in the first alone. None is yielded where there is neither a lead nor a row with text.
    """
    parts = _split_long_table(table.rows)
    part = next(parts, _TablePart(1, []))
    whole = True
    while part is not None:
        after = next(parts, None)
        whole = whole and after is None
        document = _table_part_document(source, table, part, whole=whole)
        if document is not None:
            yield document
        part = after


def _split_long_table(rows: Iterable[Sequence[str]]) -> Iterator[_TablePart]:
    kept: list[Sequence[str]] = []
    first, size = 1, 0
    for row in rows:
        kept.append(row)
        size += sum(map(len, row)) + 3 * len(row)
        if size >= MAX_PART_CHARS:
            yield _TablePart(first, kept)
            first, kept, size = first + len(kept), [], 0
    if kept:
        yield _TablePart(first, kept)


def _table_part_document(source: Source, table: LongTable, part: _TablePart, *, whole: bool) -> Document | None:
    width = max((len(table.header), *map(len, part.rows)))
    header = [*table.header, *[""] * (width - len(table.header))]
    lead = f"{clean(table.lead).strip()}\n\n" if table.lead and part.first == 1 else ""
    rows = clean(pipe_table([header, *part.rows])) if part.rows else ""
    if not rows and not lead:
        return None
    text = f"{lead}{rows}\n" if rows else lead.rstrip() + "\n"
    place = [table.name] if table.name else []
    if not whole:
        place.append(f"row={part.first}-{part.last}")  # as RFC 7111 names the rows of a CSV file
    uri = f"{source.uri}#{'&'.join(place)}" if place else source.uri
    runs = {} if whole else {"first_row": part.first, "last_row": part.last}
    return Document(
        document_id=_identify(source, uri),
        source=uri,
        kind=source.kind,
        text=text,
        title=table.title if whole else f"{table.title} ({part.first}–{part.last})",
        metadata={**table.metadata, **runs},
        sections=markdown_sections(text, setext=False),
        blocks=(Block("table", (len(lead), len(lead) + len(rows)), table.caption if lead else ""),) if rows else (),
    )


def _identify(source: Source, uri: str) -> str:
    if uri == source.uri:
        return identify(source)
    return source.document_id + uri.removeprefix(source.uri) if source.document_id else content_hash(uri)

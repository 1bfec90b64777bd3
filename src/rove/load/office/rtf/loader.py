"""Rich Text Format: headings, lists, tables, links, notes and comments as markdown."""

from __future__ import annotations

from collections.abc import Iterator

from rove.errors import InputError
from rove.load.office.assemble import assemble
from rove.load.office.compose import Piece
from rove.load.office.rtf.reader import RtfReader
from rove.records import Document, Source
from rove.records.source import MetaValue

MARK = b"{\\rtf"


class RtfLoader:
    """See `Loader`. Embedded objects are left out; pictures are named by their number and what is said of them."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        if not source.data.lstrip().startswith(MARK):
            message = f"{source.name!r} is not an RTF: it does not begin with {MARK.decode()!r}."
            raise InputError(message, cure="Open it in a word processor and save it as .rtf again.", outcome="damaged")
        reader = RtfReader(source.data.decode("latin-1"))
        properties: dict[str, MetaValue] = {}
        yield from assemble(source, _rtf_document_pieces(reader, properties), properties, reader.missing)


def _rtf_document_pieces(reader: RtfReader, properties: dict[str, MetaValue]) -> Iterator[Piece]:
    """Yield heads, text and feet; the properties are known after them."""
    body = list(reader.pieces())
    properties.update(reader.info)
    yield from map(Piece, reader.margins.get("header", ()))
    yield from body
    yield from map(Piece, reader.margins.get("footer", ()))

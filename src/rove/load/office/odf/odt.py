"""OpenDocument texts: headings, lists, tables, notes, comments, formulas and pictures as markdown."""

from __future__ import annotations

from collections.abc import Iterator

from rove.load.office.assemble import assemble
from rove.load.office.compose import Piece
from rove.load.office.odf.file import TEXT, OdfFile
from rove.load.office.odf.text import ContentReader
from rove.load.xmltree import Node
from rove.records import Document, Source


class OdtLoader:
    """See `Loader`. Pages are those whose breaks the file names; few programs write them."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        file = OdfFile(source)
        body = file.body("text")
        paged = next(body.iter(f"{TEXT}soft-page-break"), None) is not None
        yield from assemble(source, _odt_document_pieces(file, body), file.properties(), file.missing, paged=paged)


def _odt_document_pieces(file: OdfFile, body: Node) -> Iterator[Piece]:
    reader = ContentReader(file)
    yield from reader.margins("header")
    yield from reader.pieces(body)
    yield from reader.margins("footer")
    yield from reader.footnotes()

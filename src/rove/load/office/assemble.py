"""The last step of the loaders of office files: pieces become a Document, and what is missing becomes an error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from rove.errors import InputError
from rove.load.container import CURE
from rove.load.limits import OutOfTime
from rove.load.markdown import first_title, markdown_sections
from rove.load.office.compose import Piece, compose
from rove.load.text import clean, identify, require_text, stem
from rove.records import Document, Source
from rove.records.source import Metadata

MAX_NAMED = 10
# What Office calls a document until somebody gives it a title.
NO_TITLE = re.compile(
    r"(?:microsoft )?power\s?point[- ]?\S{0,15}|(?:microsoft )?word[- ](?:document|dokument\w*)|untitled|"
    r"(?:presentation|präsentation|bemutató|document|dokument\w*)\s?\d*|演示文稿\s?\d*|プレゼンテーション\s?\d*|文[档書]\s?\d*",
    re.IGNORECASE,
)


def assemble(
    source: Source, pieces: Iterator[Piece], properties: Metadata, missing: list[str], *, paged: bool = False
) -> Iterator[Document]:
    """Yield the one document that the pieces of `source` make; `properties["title"]` becomes its title.

    `missing` is filled while the pieces are made: what could not be read. `paged` is as of `compose`.

    Raises:
        InputError: "empty"; "damaged" - nothing was read, since it is missing; "partial", after the document.
    """
    made = compose(_gather(pieces, missing), paged=paged)
    what = ", ".join(missing[:MAX_NAMED]) + (
        f" and {len(missing) - MAX_NAMED} more" if len(missing) > MAX_NAMED else ""
    )
    if missing and not made.text.strip():
        message = f"Nothing of {source.name!r} could be read; what is missing: {what}."
        raise InputError(message, cure=CURE, outcome="damaged")
    text = require_text(made.text, source)
    sections = markdown_sections(text, setext=False)
    title = str(properties.get("title", ""))
    yield Document(
        document_id=identify(source),
        source=source.uri,
        kind=source.kind,
        text=text,
        title=("" if NO_TITLE.fullmatch(title) else title) or first_title(sections) or stem(source),
        metadata={name: value for name, value in properties.items() if name != "title"}
        | ({"pages": len(made.pages)} if made.pages else {}),
        sections=sections,
        pages=made.pages,
        blocks=tuple(made.blocks),
        boxes=tuple(made.boxes),
    )
    if missing:
        message = f"{source.name!r} was read in part; what is missing: {what}."
        raise InputError(message, cure=CURE, outcome="partial")


def _gather(pieces: Iterator[Piece], missing: list[str]) -> list[Piece]:
    """Return the pieces, each cleaned; where time runs out, those so far, and `missing` says so."""
    found: list[Piece] = []
    try:
        for piece in pieces:
            text = clean(piece.text)
            found.append(piece if text == piece.text else replace(piece, text=text))
    except OutOfTime:
        missing.append("all after that, since the time for one file was up")
    return found

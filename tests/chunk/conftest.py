"""Documents for the chunk tests, made from markdown the way the loader does it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from rove.records import Document, Page, Section

_LINE = re.compile(r"^(```.*|#{1,6} .*)$", re.MULTILINE)


def _sections(text: str) -> tuple[Section, ...]:
    heads: list[tuple[int, int, str]] = []
    fenced = False
    for match in _LINE.finditer(text):
        line = match.group()
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced:
            marks, _, title = line.partition(" ")
            heads.append((match.start(), len(marks), title.strip()))
    found: list[Section] = []
    for index, (start, level, title) in enumerate(heads):
        end = next((h[0] for h in heads[index + 1 :] if h[1] <= level), len(text))
        found.append(Section(title, level, (start, end)))
    return tuple(found)


@pytest.fixture(scope="session")
def make_document() -> Callable[..., Document]:
    """Make a document with its sections, and with pages where the text has form feeds."""

    def make(text: str, kind: str = "markdown", **fields: object) -> Document:
        starts = [0, *(m.end() for m in re.finditer("\f", text)), len(text)]
        pages = [Page(n + 1, (a, b)) for n, (a, b) in enumerate(zip(starts, starts[1:], strict=False))]
        given = {
            "title": "",
            "language": "en",
            "sections": _sections(text),
            "pages": tuple(pages) if "\f" in text else (),
        }
        return Document("doc-1", "doc", kind, text, **{**given, **fields})  # type: ignore[arg-type]

    return make

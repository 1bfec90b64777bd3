"""Keywords in metadata: a text that lists them becomes a list, which filters and sparse search look into."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import regex

from rove.records import Document

KEYWORD_FIELDS = ("keywords", "tags")
_BETWEEN = regex.compile(r"[,，、;；\n]")


def with_keywords(document: Document, names: Collection[str]) -> Document:
    """Return the document with the texts in these fields of its metadata as lists of keywords (mission E.1)."""
    listed = {
        name: keywords_in(value)
        for name in names
        if isinstance(value := document.metadata.get(name), str) and value.strip()
    }
    return replace(document, metadata={**document.metadata, **listed}) if listed else document


def keywords_in(text: str) -> tuple[str, ...]:
    """Return the keywords that a text lists between commas or semicolons, of whatever script, each once.

    >>> keywords_in("校名,校史,简介"), keywords_in("校名、校史；简介，"), keywords_in("open hours")
    (('校名', '校史', '简介'), ('校名', '校史', '简介'), ('open hours',))
    """
    return tuple(dict.fromkeys(bare for part in _BETWEEN.split(text) if (bare := part.strip())))

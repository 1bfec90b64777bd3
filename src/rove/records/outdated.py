"""The fields of documents whose file is gone, empty or damaged by now: the day of their text, whether it is gone."""

from __future__ import annotations

from rove.records.source import Metadata

TEXT_AS_OF, FILE_GONE = "text_as_of", "file_gone"


def day_of(metadata: Metadata) -> str:
    """The day that a document's text is of, as 2026-11-01; "" where it is up to date.

    >>> day_of({"text_as_of": "2026-11-01"}), day_of({"year": 2026})
    ('2026-11-01', '')
    """
    value = metadata.get(TEXT_AS_OF, "")
    return value if isinstance(value, str) else ""

"""A label on every chunk: a field of the document's metadata before the text, within the size that was asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rove.errors import ConfigError
from rove.records import Chunk, Document

HEADINGS = "headings"
SEPARATOR = "\n\n"
"""Between label and text: a blank line."""


@dataclass(frozen=True, slots=True)
class Label:
    """What stands before the text of each chunk in place of title and headings, and the characters it may take."""

    text: str
    reserved: int = 0

    def room(self, size_chars: int) -> int:
        """Return what the label leaves of a chunk's size.

        Raises:
            ConfigError: the label leaves nothing.
        """
        if size_chars <= self.reserved:
            message = f"size_chars is {size_chars}, and the longest label with its blank line takes {self.reserved}."
            raise ConfigError(message, cure="Set it to 256 or more, or give shorter chunk.labels.")
        return size_chars - self.reserved

    def put_on(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Return the chunks with the label as their prefix; `Chunk.indexed_text` adds the second line break."""
        prefix = self.text + SEPARATOR[:-1] if self.text else ""
        return [replace(chunk, prefix=prefix) for chunk in chunks]


def label_of(document: Document, prefix: str, labels: Mapping[str, str]) -> Label | None:
    """Return the label of a document's chunks; None where they keep title and headings.

    `prefix` is "headings" (no label), "" (nothing before the text), or a field of the metadata; a document that lacks
    the field keeps its headings. `labels` says what is written for a value ({"UPSers": "UPS"}), the value itself where
    it is not named. The size shrinks by the longest of `labels`; without any, by the longest value among the
    documents of one source, which a loader gives as `<field>_max_chars`, so that all its chunks have the same size.

    >>> post = Document("d", "d", "posts", "Text.", metadata={"subreddit": "UPSers", "subreddit_max_chars": 17})
    >>> label_of(post, "subreddit", {})
    Label(text='UPSers', reserved=19)
    >>> label_of(post, "subreddit", {"UPSers": "UPS"})
    Label(text='UPS', reserved=5)
    """
    if prefix == HEADINGS:
        return None
    if not prefix:
        return Label("")
    if prefix not in document.metadata:
        return None
    value = str(document.metadata[prefix])
    text = labels.get(value, value)
    widest = document.metadata.get(f"{prefix}_max_chars")
    longest = max(map(len, labels.values())) if labels else widest if isinstance(widest, int) else 0
    return Label(text, max(longest, len(text)) + len(SEPARATOR))

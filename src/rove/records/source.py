"""What is read: bytes with a place they came from, or a text that the caller brings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from mmap import mmap

MetaValue = str | int | float | bool | tuple[str, ...]
Metadata = Mapping[str, MetaValue]
FOLDER = "folder"
"""The field that says where a file lies in the folder that was added: "projects/Milan"."""


@dataclass(frozen=True, slots=True)
class Source:
    """One thing to read.

    `uri` says where it is (absolute path, URL, or the caller's id) and names it in the ledger; `name` is what a
    person calls it (the file's name); `data` are its bytes, of a large parquet file only the first of them, while
    `mapped` is the whole file; `kind` is the loader's name ("markdown", "pdf", …).
    `metadata` is put on every document that is read from it; `document_id` is set only where the caller chose one.
    """

    uri: str
    name: str
    data: bytes
    kind: str
    metadata: Metadata = field(default_factory=dict[str, MetaValue])
    title: str = ""
    document_id: str = ""
    mapped: mmap | None = None

    @property
    def all_bytes(self) -> bytes | mmap:
        """All its bytes, held or mapped."""
        return self.data if self.mapped is None else self.mapped


@dataclass(frozen=True, slots=True)
class Text:
    """A text that the caller brings instead of a file: `kb.add(Text("…", id="note-1", title="Note"))`.

    `id` becomes the document's id; without one the id is made from the text. `kind` chooses the loader
    ("text", "markdown", "html"). Metadata: `records.metadata` says what each value becomes.
    """

    text: str
    id: str = ""
    title: str = ""
    metadata: Metadata = field(default_factory=dict[str, MetaValue])
    kind: str = "text"

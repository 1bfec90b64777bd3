"""The documents as a table shows them: filtered, sorted and counted; no folder of the server is named.

A file of the server's disk is in a folder that is seen from the one that holds all that lie at the same top of the
disk; an upload in that which was dropped, a page in those of its address.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from rove.records import DocumentInfo
from rove.records.ledger import UPLOADED
from rove.serve.questions.results import DocumentOut
from rove.serve.redaction import ADDRESS, public_source
from rove.serve.schema import Reply, Wire
from rove.store.corrections import CORRECTED_AT

TAGS = "tags"
"""The field with tags that people set in the page."""
DROPPED = " › "
"""What parts the folders of a file that was dropped with its folder."""
MOST_FACETS = 500
Sort = Literal["added", "title", "source", "type", "chunks"]
Words = Annotated[list[Annotated[str, Field(max_length=200)]], Field(max_length=50)]
KEYS: Mapping[str, Callable[[Listed], tuple[object, ...]]] = {
    "title": lambda one: (one.title.casefold(),),
    "source": lambda one: (one.folder.casefold(), one.name.casefold()),
    "type": lambda one: (one.info.kind, one.title.casefold()),
    "chunks": lambda one: (one.info.chunks,),
}
"""What documents are sorted by; "added" is the order that they came in."""


class ListQuery(Wire):
    """Which documents, in which order. `words` stand in the title or in the name of the source, in any case.

    `folder` holds its own folders too. Of `type` and of `tag` one has to fit; `corrected`: by a person. `facets`: count
    what there is to choose among, too.
    """

    words: str = Field(default="", max_length=200)
    folder: str = Field(default="", max_length=1_000)
    type: Words = []
    tag: Words = []
    corrected: bool = False
    sort: Sort = "added"
    descending: bool = False
    facets: bool = False
    cursor: int = Field(default=0, ge=0, le=10**9)
    limit: int = Field(default=100, ge=1, le=1_000)

    @property
    def is_all(self) -> bool:
        """Whether nothing is left out."""
        return not (self.words or self.folder or self.type or self.tag or self.corrected)


@dataclass(frozen=True, slots=True)
class Listed:
    """A document and how it is called: its name without folders, and its folder, parted by "/", "" for none."""

    info: DocumentInfo
    name: str
    folder: str

    @property
    def title(self) -> str:
        """What it is called."""
        return self.info.title or self.name

    @property
    def tags(self) -> tuple[str, ...]:
        """What people have set, or the document says itself."""
        value = self.info.metadata.get(TAGS, ())
        return value if isinstance(value, tuple) else (str(value),)


class LineOut(DocumentOut):
    """A line of the table. `folder`: parted by "/"; `tags`: set by people, or else the document's own."""

    folder: str
    tags: list[str]

    @classmethod
    def made(cls, one: Listed) -> LineOut:
        """Make it of a line."""
        return cls(**DocumentOut.of(one.info).model_dump(), folder=one.folder, tags=list(one.tags))


class FacetsOut(Reply):
    """How many documents there are of each type, in each folder (with its own folders) and of each tag, at most 500."""

    types: dict[str, int]
    folders: dict[str, int]
    tags: dict[str, int]


class DocumentList(Reply):
    """A page of documents; `next_cursor` asks for what follows, None at the end.

    `total` counts all that were asked for. `facets`: of all that the key lets see, where they were asked for.
    """

    documents: list[LineOut]
    next_cursor: int | None = None
    total: int = 0
    facets: FacetsOut | None = None


def name_documents(infos: Sequence[DocumentInfo]) -> list[Listed]:
    """Name documents, and say in which folders they are.

    >>> found = [DocumentInfo(str(n), at, "text", "", "en", 1, "") for n, at in enumerate(["/kb/hr/a.md", "/kb/b.md"])]
    >>> [(one.name, one.folder) for one in name_documents(found)]
    [('a.md', 'hr'), ('b.md', '')]
    """
    tops: dict[str, set[str]] = {}
    for info in infos:
        if info.source.startswith("/"):
            tops.setdefault(_top(info.source), set()).add(_lies_in(info.source))
    roots = {top: os.path.commonpath(folders) for top, folders in tops.items()}
    return [_name_document(info, roots) for info in infos]


def select_lines(lines: Iterable[Listed], wanted: ListQuery) -> list[Listed]:
    """Return what was asked for, in the order that was asked for."""
    words, types, tags = wanted.words.casefold(), set(wanted.type), set(wanted.tag)
    found = [
        one
        for one in lines
        if wanted.is_all
        or (
            (not words or words in f"{one.info.title}\n{one.name}".casefold())
            and (not wanted.folder or f"{one.folder}/".startswith(f"{wanted.folder}/"))
            and (not types or one.info.kind in types)
            and (not tags or not tags.isdisjoint(one.tags))
            and (not wanted.corrected or CORRECTED_AT in one.info.metadata)
        )
    ]
    if wanted.sort in KEYS:
        found.sort(key=KEYS[wanted.sort], reverse=wanted.descending)
    elif wanted.descending:
        found.reverse()
    return found


def facets(lines: Iterable[Listed]) -> FacetsOut:
    """Count documents by what a reader can choose among."""
    types, folders, tags = Counter[str](), Counter[str](), Counter[str]()
    for one in lines:
        types[one.info.kind] += 1
        tags.update(set(one.tags))
        folders[one.folder] += 1
    whole = Counter[str]()
    for folder, count in folders.items():
        parts = folder.split("/") if folder else []
        whole.update({"/".join(parts[:depth]): count for depth in range(1, len(parts) + 1)})
    return FacetsOut(types=_most(types), folders=_most(whole), tags=_most(tags))


def _top(source: str) -> str:
    return source.split("/", 2)[1]


def _lies_in(source: str) -> str:
    return source.partition("#")[0].rpartition("/")[0] or "/"


def _name_document(info: DocumentInfo, roots: Mapping[str, str]) -> Listed:
    name = public_source(info.source)
    if info.source.startswith("/"):
        return Listed(info, name, _lies_in(info.source)[len(roots[_top(info.source)]) :].strip("/"))
    if info.source.startswith(UPLOADED):
        *folders, last = name.split(DROPPED)
        return Listed(info, last, "/".join(folders))
    if ADDRESS.match(name) and "://" in name:
        return Listed(info, name, name.partition("://")[2].partition("#")[0].partition("?")[0].rpartition("/")[0])
    return Listed(info, name, "")


def _most(counts: Counter[str]) -> dict[str, int]:
    return dict(sorted(counts.most_common(MOST_FACETS)))

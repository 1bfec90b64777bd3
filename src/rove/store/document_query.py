"""Queries for documents by where they came from, by their titles, or by a part of what they are called."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import ColumnElement, func, or_

from rove.store import tables
from rove.store.dialect import holds, within


@dataclass(frozen=True, slots=True)
class DocumentQuery:
    """Documents of one of some sources or titles, of a kind, or of a folder and with `part` in the title.

    Or `called`: with one of these parts in the title or in the source, and of the folder or one within it. The case of
    ASCII letters in titles does not count. `folder`: what a source begins with, its last slash included. `begun`:
    what the id begins with; with it `within_path`, what the source holds.
    """

    sources: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    part: str = ""
    folder: str = ""
    kind: str = ""
    begun: str = ""
    within_path: str = ""
    called: tuple[str, ...] = ()

    @property
    def condition(self) -> ColumnElement[bool]:
        """Say it in SQL."""
        d = tables.documents.c
        if self.sources:
            return within(d.source, self.sources) | within(d.ledger_source, self.sources)
        if self.titles:
            return within(func.lower(d.title), [_lower_ascii(title) for title in self.titles])
        if self.kind:
            return d.kind == self.kind
        if self.begun:
            begins = func.substr(d.document_id, 1, len(self.begun)) == self.begun
            return begins | holds(d.source, self.within_path) if self.within_path else begins
        size = len(self.folder)
        if self.called:
            held = [
                holds(func.lower(column), _lower_ascii(part)) for part in self.called for column in (d.title, d.source)
            ]
            return or_(*held) & (func.substr(d.source, 1, size) == self.folder) if size else or_(*held)
        in_folder = (func.substr(d.source, 1, size) == self.folder) & ~holds(func.substr(d.source, size + 1), "/")
        return in_folder & holds(func.lower(d.title), _lower_ascii(self.part))


def _lower_ascii(text: str) -> str:
    """Lower the ASCII letters of a text, as SQLite's `lower` does.

    >>> _lower_ascii("ŰRLAP")
    'Űrlap'
    """
    return text.encode().lower().decode()

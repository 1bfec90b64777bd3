"""The user's own dictionary, in the catalog: hot to change, and only what it touches is analysed anew."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from sqlalchemy import delete, select, update

from rove.errors import InputError
from rove.language.dictionary import LEAST_CHARS, MOST_CHARS, Dictionary, without_terms
from rove.records import Chunk, Prepared
from rove.store import tables
from rove.store.catalog import Catalog
from rove.store.database import insert_rows, next_revision
from rove.store.dialect import within
from rove.store.health import refresh

if TYPE_CHECKING:
    from rove.store.store import Store

MOST_OTHERS = 100


class UserWords:
    """The table `dictionary`, and what it changes in `chunks`. Calls block."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._held = (-1, Dictionary({}))

    def current(self) -> Dictionary:
        """The dictionary as it is now; read anew where the base has changed."""
        revision = self.catalog.revision()
        if revision > self._held[0]:
            self._held = (revision, self._read())
        return self._held[1]

    def _read(self) -> Dictionary:
        w = tables.dictionary.c
        with self.catalog.database.read() as connection:
            rows = connection.execute(select(w.word, w.others).order_by(w.word)).all()
        return Dictionary({row.word: row.others.split("\n") if row.others else () for row in rows})

    def applied(self, prepared: Sequence[Prepared]) -> Sequence[Prepared]:
        """Return documents with the terms of what the dictionary finds in their chunks."""
        known = self.current()
        if not known:
            return prepared
        return [
            replace(item, terms=list(map(partial(_add_user_terms, known), item.terms, item.chunks)))
            for item in prepared
        ]

    def change(self, put: Mapping[str, Iterable[str]], remove: Iterable[str] = ()) -> list[int]:
        """Put entries in place of those of the same word, and remove others. The caller holds the base.

        Returns the row numbers of the documents that this touches, of which the index has to be told.

        Raises:
            InputError: a word is too short or too long, there are too many for one entry, or one stands in two.
        """
        after = {word: others for word, others in self._read().entries.items() if word not in set(remove)}
        after |= {word: tuple(dict.fromkeys(others)) for word, others in put.items()}
        _check_dictionary_entries(after)
        before, known = self._read(), Dictionary(after)
        changed = {word for word in {*before.entries, *after} if before.entries.get(word) != after.get(word)}
        touched = Dictionary({w: (*before.entries.get(w, ()), *after.get(w, ())) for w in sorted(changed)})
        terms, documents = self._touched(touched, known)
        c, d = tables.chunks.c, tables.documents.c
        with self.catalog.database.write() as connection:
            connection.execute(delete(tables.dictionary))
            insert_rows(connection, tables.dictionary, [(word, "\n".join(others)) for word, others in after.items()])
            for seq, words in terms.items():
                connection.execute(update(tables.chunks).where(c.seq == seq).values(terms=words))
            revision = next_revision(connection)
            live = within(d.seq, sorted(documents)) & (d.revision > 0)
            connection.execute(update(tables.documents).where(live).values(revision=revision))
        return sorted(documents)

    def _touched(self, touched: Dictionary, known: Dictionary) -> tuple[dict[int, str], set[int]]:
        """The new terms of the chunks that hold a word that has changed, by row number, and their documents' rows."""
        c = tables.chunks.c
        terms: dict[int, str] = {}
        documents = set[int]()
        for rows in self.catalog.pages(select(c.seq, c.document, c.prefix, c.text, c.terms)) if touched else ():
            for row in rows:
                text = f"{row.prefix}\n{row.text}"
                if next(touched.met(text), None) is not None:
                    terms[row.seq] = _with_terms(row.terms, text, known)
                    documents.add(row.document)
        return terms, documents


async def define(store: Store, put: Mapping[str, Iterable[str]], remove: Iterable[str] = ()) -> int:
    """Change the dictionary of a base; returns how many documents this touches. See `UserWords.change`."""
    async with store.writing():
        seqs = await asyncio.to_thread(store.words.change, put, remove)
        await refresh(store.catalog, store.index, seqs)
    return len(seqs)


def _add_user_terms(known: Dictionary, terms: str, chunk: Chunk) -> str:
    return _with_terms(terms, chunk.indexed_text, known)


def _with_terms(terms: str, text: str, known: Dictionary) -> str:
    """A chunk's terms with those of the dictionary behind them."""
    return " ".join(filter(None, (without_terms(terms), *known.terms_in(text))))


def _check_dictionary_entries(entries: Mapping[str, Sequence[str]]) -> None:
    of: dict[str, str] = {}
    for word, others in entries.items():
        if len(others) > MOST_OTHERS:
            message = f"{word!r} has {len(others)} other words."
            raise InputError(message, cure=f"Give at most {MOST_OTHERS}.")
        for one in (word, *others):
            if not LEAST_CHARS <= len(one.strip()) <= MOST_CHARS or one != one.strip() or "\n" in one:
                message = f"{one[:80]!r} is not a word that could be looked for."
                raise InputError(message, cure=f"Give one of {LEAST_CHARS} to {MOST_CHARS} characters, on one line.")
            if of.setdefault(one.casefold(), word) != word:
                message = f"{one!r} stands for {of[one.casefold()]!r} and for {word!r}."
                raise InputError(message, cure="Let it stand for one of them.")

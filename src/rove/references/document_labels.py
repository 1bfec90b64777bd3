"""What documents are called, by title and file: labels of annexes, names, which of several lies nearest. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache
from pathlib import PurePosixPath
from urllib.parse import unquote

from rove.language.folding import fold_words
from rove.records import Document, DocumentInfo
from rove.references.numbered_places import numbered_places
from rove.references.place_words import APPENDED, LANGUAGES, place_words, plain_word
from rove.references.places_within import names_same
from rove.references.text_references import Reference

PARENT = "parent"
"""The field of an attachment that says whose it is."""
SHORTEST_PART = 4  # letters that a name shares with a title that only holds it
_JOINT = re.compile(r"[_\-–—.#]+|(?<=[a-zà-ÿ])(?=[A-Z0-9])")
_CAPITAL_END = re.compile(r"(?<=[^\W\d_])-(?=[A-Za-z]\b|\d)")


@lru_cache(8_192)
def file_name(source: str) -> str:
    """Return the last part of where a document came from, without its type, its words apart.

    >>> file_name("/a/annex-b.docx"), file_name("mail.eml#utemterv.docx"), file_name("https://x.org/Schedule3%20rates.html")
    ('annex b', 'utemterv', 'Schedule 3 rates')
    """
    name = PurePosixPath(unquote(source.rpartition("#")[2] or source)).name
    stem = re.sub(r"\.[A-Za-z0-9]{1,5}\Z", "", name)
    return " ".join(_JOINT.sub(" ", stem).split())


@lru_cache(8_192)
def title_labels(title: str) -> tuple[tuple[str, str, str, bool], ...]:
    """Return what a title numbers: unit, number, word, and whether the title begins with it.

    >>> title_labels("HD-114: Annex B to the Agreement")
    (('appendix', 'B', 'annex', False),)
    """
    places = numbered_places(title, title=True)
    return tuple((one.unit, one.number, one.key, one.span[0] == 0) for one in places if not one.is_inner)


def is_labelled(info: DocumentInfo, reference: Reference) -> int:
    """Return how surely a document is what a reference numbers: 3 by its title's beginning, 2 within it or by its file.

    0 where it is not; 1 where only another word numbers it so ("Appendix B" for "Annex B").
    """
    best = 0
    for name, by_file in ((info.title, False), (file_name(info.source), True)):
        for unit, number, key, first in title_labels(name):
            if unit != reference.unit or not names_same((unit, number), (reference.unit, reference.target)):
                continue
            alike = _same_word(key, reference.key)
            best = max(best, (3 if first and not by_file else 2) if alike else 0)
    return best


def _same_word(one: str, other: str) -> bool:
    """Say whether two words are forms of one; words of different scripts or languages may mean the same.

    >>> _same_word("annex", "annexes"), _same_word("annex", "appendix"), _same_word("附件", "附录")
    (True, False, False)
    """
    if not one or not other:
        return True
    first, second = plain_word(one), plain_word(other)
    size = 2 if ord(first[0]) >= 0x2E80 else 4
    if first[:size] == second[:size]:
        return True
    return _languages(first).isdisjoint(_languages(second))


@lru_cache(1_024)
def _languages(key: str) -> frozenset[str]:
    words = place_words()
    tables = (words.before.whole, words.before.stems, words.after.whole, words.after.stems)
    found = {one.language for table in tables for told in table.values() for one in told if one.key == key}
    return frozenset(found or ({"zh", "ja"} if ord(key[0]) >= 0x2E80 else set(LANGUAGES)))


def stems_of(reference: Reference) -> tuple[str, ...]:
    """Return pieces of words of which the title or the file of a document must hold one to be what is numbered.

    >>> stems_of(Reference("reference", "B", "Annex B", (0, 7), "appendix", key="annex"))
    ('annex',)
    """
    key = reference.key or plain_word(reference.label.split()[0])
    word = re.split(r"[\s\d]", reference.label)[0].casefold() if not reference.label[0].isdigit() else key
    ascii_key = plain_word(key)
    stems = {
        ascii_key[:6] if len(ascii_key) > 6 else ascii_key,
        key[:6],
        word[:6] if ord(word[:1] or "a") < 0x2E80 else word,
    }
    told = [stem if stem.isascii() or ord(stem[0]) >= 0x2E80 else stem[1:] for stem in stems if len(stem) > 1]
    accented = [form for stem in told for form in _non_ascii_stems(stem, reference)]
    return tuple(dict.fromkeys((*told, *accented)))


def _non_ascii_stems(stem: str, reference: Reference) -> Iterable[str]:
    """Yield the beginning of the word as it is written, without its first letter: of others than ASCII case is kept."""
    for word in re.findall(r"[^\W\d_]{4,}", reference.label):
        if not word.isascii() and plain_word(word).startswith(stem[:4]):
            yield word.casefold()[1:6]


def is_called(info: DocumentInfo, name: str, *, whole: bool = False) -> int:
    """Return how surely a document is called by a name: 4 by its title, 3 by its file, 2 where one begins with it.

    1 where one holds it. `whole`: nothing but the title or the file's name counts.
    """
    wanted = fold_words(name)
    title, file = fold_words(info.title), fold_words(file_name(info.source))
    if not wanted:
        return 0
    if wanted == title:
        return 4
    if wanted in {file, fold_words(PurePosixPath(info.source).name)}:
        return 3
    long = len(wanted.split()) > 1 or len(wanted) >= (SHORTEST_PART if wanted.isascii() else 3)
    if whole or not long:
        return 0
    padded = f" {wanted} "
    if f"{title} ".startswith(padded[1:]) or (not wanted.isascii() and title.startswith(wanted)):
        return 2
    return 1 if padded in f" {title} " or padded in f" {file} " else 0


def attachment_of(info: DocumentInfo, document: Document) -> bool:
    """Say whether a document came with another one: as its attachment, as its mail, or beside it in one mail."""
    own, other = document.metadata.get(PARENT), info.metadata.get(PARENT)
    return other == document.source or own == info.source or (own is not None and own == other)


def nearest(infos: Sequence[DocumentInfo], document: Document, words: Collection[str] = ()) -> list[DocumentInfo]:
    """Order documents: what came with it, what shares names with it that the others do not, the nearest folder.

    Of those that are equal, the plainest name comes first. `words`: more names that the right one shares.
    """
    held = {info.document_id: _document_name_words(f"{info.title} {file_name(info.source)}") for info in infos}
    every = set[str]().union(*held.values())
    common = {word for word in every if len(held) > 1 and all(word in names for names in held.values())}
    own = (_document_name_words(f"{document.title} {file_name(document.source)}") | {*words}) - common

    def order(info: DocumentInfo) -> tuple[bool, int, int, int]:
        shared = len(own & held[info.document_id])
        apart = folder_steps(info.source, document.source)
        return not attachment_of(info, document), -shared, apart, len(held[info.document_id])

    return sorted(infos, key=order)


@lru_cache(8_192)
def _document_name_words(text: str) -> frozenset[str]:
    return frozenset(word for word in fold_words(text).split() if len(word) > 1)


def folder_steps(one: str, other: str) -> int:
    """Return how many folders lie between two sources.

    >>> folder_steps("a/b/x.md", "a/b/y.md"), folder_steps("a/annexes/x.md", "a/y.md"), folder_steps("b/x.md", "a/y.md")
    (0, 1, 2)
    """
    here, there = one.split("#")[0].split("/")[:-1], other.split("#")[0].split("/")[:-1]
    shared = next(
        (at for at, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), min(len(here), len(there))
    )
    return len(here) + len(there) - 2 * shared


def is_appended(reference: Reference) -> bool:
    """Say whether what a reference numbers often is a document of its own: an annex, a schedule, an attachment."""
    return reference.kind == "reference" and reference.unit in APPENDED

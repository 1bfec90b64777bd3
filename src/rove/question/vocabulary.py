"""The words of the base as they are written, and which of them is nearest to one that it does not know."""

from __future__ import annotations

import asyncio
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Mapping
from itertools import chain
from threading import Lock
from weakref import WeakKeyDictionary

import regex

from rove.records import Filter
from rove.registry import load
from rove.store.store import Store

MOST_CHARS = 20_000_000  # of a large base so much is read: its frequent words are known by then
MOST_HELD = 8  # vocabularies of a base, of different filters, some MB each
LEAST_LETTERS = 5
FAR_LETTERS = 8  # from here on two slips are mended, below it one
_WORDS = regex.compile(r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{Armenian}\p{Georgian}]{4,40}")


class Vocabulary:
    """How often each word occurs, in small letters. Scripts without spaces are left out.

    >>> known = Vocabulary({"approval": 9, "approved": 4, "parking": 2})
    >>> known.nearest("aproval"), known.nearest("approvla"), known.nearest("parking")
    (['approval'], ['approval'], [])
    """

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._counts = counts
        self._by_length: defaultdict[int, list[str]] = defaultdict(list)
        for word in counts:
            self._by_length[len(word)].append(word)

    def __contains__(self, word: str) -> bool:
        return word.casefold() in self._counts

    def nearest(self, word: str, *, most: int = 5) -> list[str]:
        """Return the words at the least distance, the most frequent first; none for a word that is known.

        Distance: letters left out, put in, changed, or swapped with their neighbour (Damerau 1964); at most 1, and 2
        where the word has `FAR_LETTERS` letters, begins alike, and no word is nearer.
        """
        word = word.casefold()
        if len(word) < LEAST_LETTERS or word in self._counts:
            return []
        reach = 2 if len(word) >= FAR_LETTERS else 1
        about = chain.from_iterable(self._by_length.get(len(word) + more, []) for more in range(-reach, reach + 1))
        scorer = load("rapidfuzz.distance:OSA").distance
        near = load("rapidfuzz.process:extract")(word, about, scorer=scorer, score_cutoff=reach, limit=None)
        least = min((slips for _, slips, _ in near), default=0)
        found = [other for other, slips, _ in near if slips == least and (slips < 2 or other[0] == word[0])]
        return sorted(found, key=lambda other: (-self._counts[other], other))[:most]


def count_words(texts: Iterable[str]) -> Counter[str]:
    """Count the words of texts, up to `MOST_CHARS` characters."""
    counts: Counter[str] = Counter()
    read = 0
    for text in texts:
        counts.update(word.casefold() for word in _WORDS.findall(text))
        read += len(text)
        if read > MOST_CHARS:
            break
    return counts


class _VocabularyCache:
    """The vocabularies of a base, by filter, as of one revision. One is counted at a time, the others wait for it."""

    def __init__(self) -> None:
        self._turn = Lock()
        self._revision = -1
        self._held: OrderedDict[str, Vocabulary] = OrderedDict()

    def get(self, store: Store, where: Filter | None) -> Vocabulary:
        """Return the words of what a filter lets through. Blocks, where they must be counted."""
        with self._turn:
            if (revision := store.documents.revision()) > self._revision:
                self._held.clear()
                self._revision = revision
            key = repr(where)  # which tells True from 1, as filters do
            if key not in self._held:
                own = (" ".join((word, *others)) for word, others in store.words.current().entries.items())
                self._held[key] = Vocabulary(count_words(store.documents.live_texts(where)) + count_words(own))
            self._held.move_to_end(key)
            while len(self._held) > MOST_HELD:
                self._held.popitem(last=False)
            return self._held[key]


_counted: WeakKeyDictionary[Store, _VocabularyCache] = WeakKeyDictionary()


async def vocabulary_of(store: Store, where: Filter | None = None) -> Vocabulary:
    """Return the words of what a filter lets through of a base; counted when first needed, and after each change.

    Counting takes some 2 s for `MOST_CHARS`, in a thread. No shortcut by the words of the whole base is taken, since
    which words are known, and how frequent they are, would tell of documents that the filter hides.
    """
    return await asyncio.to_thread(_counted.setdefault(store, _VocabularyCache()).get, store, where)

"""A dictionary of the user's own: words that are one, however a text is cut, and other words for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import NamedTuple

MARK = "§"
"""What the index term of an entry begins with; no word of a text does."""
LEAST_CHARS, MOST_CHARS = 2, 200


class Met(NamedTuple):
    """An entry's word, or another word for it, as it stands in a text: `text[start:end]`."""

    word: str
    start: int
    end: int


class Dictionary:
    """Finds its words in texts, whatever their case: whole words, and in scripts without spaces anywhere.

    Of words that overlap the one that begins first counts, and of these the longest. Other forms of a word (plurals,
    cases) are other words for it.

    >>> known = Dictionary({"remote work": ("WFH",), "中山大学": ("鸭大",)})
    >>> known.written_out("鸭大的 wfh 规定"), known.written_out("WFHs")
    ('中山大学的 remote work 规定', 'WFHs')
    """

    def __init__(self, entries: Mapping[str, Iterable[str]]) -> None:
        self.entries = {word: tuple(others) for word, others in entries.items()}
        self._of: dict[str, str] = {}
        self._begun: defaultdict[str, list[str]] = defaultdict(list)
        for word, others in self.entries.items():
            for one in (word, *others):
                if (folded := one.casefold()) not in self._of:
                    self._of[folded] = word
                    self._begun[folded[:LEAST_CHARS]].append(folded)
        for words in self._begun.values():
            words.sort(key=len, reverse=True)

    def __bool__(self) -> bool:
        return bool(self.entries)

    def __contains__(self, word: str) -> bool:
        return word.casefold() in self._of

    def met(self, text: str) -> Iterator[Met]:
        """Yield the words that a text holds, in order, apart."""
        folded = text.casefold()
        if len(folded) != len(text):  # a letter that has two small ones would move all that follows
            folded = "".join(letter if len(letter.casefold()) > 1 else letter.casefold() for letter in text)
        at = 0
        while at < len(folded) - 1:
            words = self._begun.get(folded[at : at + LEAST_CHARS], ())
            found = next(
                (word for word in words if folded.startswith(word, at) and _is_whole_word_at(folded, at, word)), None
            )
            if found is not None:
                yield Met(self._of[found], at, at + len(found))
            at += len(found) if found else 1

    def terms_in(self, text: str) -> list[str]:
        """Return the index terms of the entries that a text holds, each once."""
        return list(dict.fromkeys(term_of(one.word) for one in self.met(text))) if self else []

    def written_out(self, text: str) -> str:
        """Put each entry's own word in place of the other words for it."""
        parts: list[str] = []
        last = 0
        for one in self.met(text) if self else ():
            same = text[one.start : one.end].casefold() == one.word.casefold()
            parts += [text[last : one.start], text[one.start : one.end] if same else one.word]
            last = one.end
        return "".join([*parts, text[last:]])

    def names_of(self, name: str) -> tuple[str, ...]:
        """Return all words of the entry that a name is, the name among them; the name alone where there is none."""
        word = self._of.get(name.casefold())
        return (word, *self.entries[word]) if word is not None else (name,)


def term_of(word: str) -> str:
    """Return the index term of an entry."""
    return MARK + blake2b(word.casefold().encode(), digest_size=8).hexdigest()


def without_terms(terms: str) -> str:
    """Return a chunk's terms, space-joined, without those of entries."""
    return " ".join(term for term in terms.split(" ") if not term.startswith(MARK)) if MARK in terms else terms


def _is_whole_word_at(text: str, start: int, word: str) -> bool:
    """Say whether a word stands there for itself: not within a longer one of a script with spaces."""
    end = start + len(word)
    before = start and _is_spaced(text[start - 1]) and _is_spaced(word[0])
    return not (before or (end < len(text) and _is_spaced(text[end]) and _is_spaced(word[-1])))


def _is_spaced(letter: str) -> bool:
    return letter.isalnum() and not "\u3040" <= letter <= "\u9fff" and not "\u0e00" <= letter <= "\u0eff"

"""Cells of tables that a sentence names: by them a chain goes on from the sentence to the row. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rove.answer.extract import Candidate, table_of
from rove.language.find_words import has_word
from rove.language.scripts import is_unspaced
from rove.walk.chain import LONGEST_CHARS, PART, BridgeValue, cells_of, compared_form, grams

KEY = 2
"""Characters by which cells are looked up, which is the length of the shortest."""
SHORT = 3
"""Characters of the shortest cell in a script with spaces between words."""
LONG, SUFFIX = 5, 3
"""From so many characters on a cell may have an ending of so many letters in a sentence: "III. csoportba"."""


class CellValues:
    """The cells of rows that name something: each once in its column, no amount, and none that the question has."""

    def __init__(self, rows: Sequence[Candidate], question: str) -> None:
        self._by_key: dict[str, dict[str, BridgeValue]] = defaultdict(dict)
        cells = [(table_of(row), name, cell) for row in rows for name, cell in cells_of(row)]
        asked = compared_form(question)
        times = Counter((table, name, compared_form(cell)) for table, name, cell in cells)
        for table, name, cell in cells:
            own, value = compared_form(cell), BridgeValue(cell, name)
            if times[table, name, own] == 1 and _is_cell_name(own) and not value.is_amount and not has_word(asked, own):
                self._by_key[own[:KEY]].setdefault(own, value)

    def named_in(
        self, facts: Sequence[Candidate], question: str, before: str = ""
    ) -> list[tuple[BridgeValue, Candidate]]:
        """Return the cells that sentences name, each with its sentence, but for those of `before`.

        Of several of one column, those that stand in a part of a sentence which has words of the question, if any do.
        """
        asked, left = grams(question), compared_form(before)
        found: dict[str, tuple[Candidate, bool]] = {}
        for one in facts:
            said = "" if one.is_row else compared_form(one.citation.quote)
            edges = [0, *(mark.end() for mark in PART.finditer(said)), len(said)]
            is_near = [not asked.isdisjoint(grams(said[start:end])) for start, end in pairwise(edges)]
            for at, own in self._begun_in(said):
                near = is_near[bisect_right(edges, at) - 1]
                if not (left and has_word(left, own)) and (own not in found or near > found[own][1]):
                    found[own] = (one, near)
        values = [(self._by_key[own[:KEY]][own], one, near) for own, (one, near) in found.items()]
        heads = {value.head for value, _, near in values if near}
        return [(value, one) for value, one, near in values if near or value.head not in heads]

    def _begun_in(self, said: str) -> Iterator[tuple[int, str]]:
        """Yield where a word, or a character of a script without spaces, begins a cell, and the longest such cell."""
        end = 0
        for at in range(len(said)):
            if at < end or (at and _is_letter(said[at - 1]) and _is_letter(said[at])):
                continue
            held = [own for own in self._by_key.get(said[at : at + KEY], ()) if _has_cell_name_at(said, own, at)]
            if held:
                longest = max(held, key=len)
                end = at + len(longest)
                yield at, longest


def _is_cell_name(own: str) -> bool:
    if not any(map(str.isalpha, own)):
        return False
    return (KEY if is_unspaced(own[0]) else SHORT) <= len(own) <= LONGEST_CHARS


def _is_letter(char: str) -> bool:
    return char.isalnum() and not is_unspaced(char)


def _has_cell_name_at(said: str, own: str, at: int) -> bool:
    if not said.startswith(own, at):
        return False
    end = at + len(own)
    ending = 0
    while end + ending < len(said) and _is_letter(said[end + ending]) and ending <= SUFFIX:
        ending += 1
    if not ending or not _is_letter(own[-1]):
        return True
    return ending <= SUFFIX and len(own) >= LONG and own[-1].isalpha()

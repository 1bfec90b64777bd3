"""Cells of tables that a sentence names: by them a chain goes on from the sentence to the row. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from rove.answer.extract import Candidate, table_of
from rove.language.find_words import has_word
from rove.language.folding import fold_words
from rove.language.scripts import is_unspaced
from rove.walk.chain import LONGEST_CHARS, PART, BridgeValue, cells_of, compared_form, grams
from rove.walk.question_names import has_name

KEY = 2
"""Characters by which cells are looked up, which is the length of the shortest."""
SHORT = 3
"""Characters of the shortest cell in a script with spaces between words."""
CELL_END = "; "
LONG, SUFFIX = 5, 3
"""From so many characters on a cell may have an ending of so many letters in a sentence: "III. csoportba"."""


class CellValues:
    """The cells of rows that name something: each once in its column, no amount.

    None of a column of which the question has a cell: the others are of what it does not ask about.
    """

    def __init__(self, rows: Sequence[Candidate], question: str) -> None:
        self._by_key: dict[str, dict[str, BridgeValue]] = defaultdict(dict)
        cells = [(table_of(row), name, cell) for row in rows for name, cell in cells_of(row)]
        times = Counter((table, name, compared_form(cell)) for table, name, cell in cells)
        named = {(table, name) for table, name, cell in cells if _is_asked(cell, question)}
        for table, name, cell in cells:
            own, value = compared_form(cell), BridgeValue(cell, name)
            is_key = times[table, name, own] == 1 and _is_cell_name(own) and not value.is_amount
            if is_key and (table, name) not in named:
                self._by_key[own[:KEY]].setdefault(own, value)

    def named_in(
        self, facts: Sequence[Candidate], question: str, before: str = "", led: str = ""
    ) -> list[tuple[BridgeValue, Candidate]]:
        """Return the cells that sentences and other cells name, each with its sentence or row; none of `before`.

        Of several of one column, those that stand in a part of a sentence which has the value that `led` there, if any
        do; else those in a part that has words of the question, if any do.
        """
        asked, left, led = grams(question), compared_form(before), compared_form(led)
        found: dict[str, tuple[Candidate, int]] = {}
        for one in facts:
            cells = [compared_form(cell) for _, cell in cells_of(one)] if one.is_row else []
            said = CELL_END.join(cells) or compared_form(one.citation.quote)
            edges = [0, *(mark.end() for mark in PART.finditer(said)), len(said)]
            nearness = [self._nearness(said[start:end], asked, led) for start, end in pairwise(edges)]
            for at, own in self._begun_in(said, cells):
                near = nearness[bisect_right(edges, at) - 1]
                is_new = not (left and has_word(left, own))
                if is_new and (own not in found or near > found[own][1]):
                    found[own] = (one, near)
        values = [(self._by_key[own[:KEY]][own], one, near) for own, (one, near) in found.items()]
        nearest = {value.head: near for value, _, near in sorted(values, key=lambda found: found[2])}
        return [(value, one) for value, one, near in values if near == nearest[value.head]]

    @staticmethod
    def _nearness(part: str, asked: set[str], led: str) -> int:
        """Return 2 where a part of a sentence has what led to it, 1 where it has words of the question, else 0."""
        return 2 if led and has_word(part, led) else int(not asked.isdisjoint(grams(part)))

    def _begun_in(self, said: str, known: Sequence[str]) -> Iterator[tuple[int, str]]:
        """Yield where a word, or a character of a script without spaces, begins a cell, and the longest such cell.

        `known`: cells that do not count.
        """
        end = 0
        for at in range(len(said)):
            if at < end or (at and _is_letter(said[at - 1]) and _is_letter(said[at])):
                continue
            cells = (own for own in self._by_key.get(said[at : at + KEY], ()) if own not in known)
            held = [own for own in cells if _has_cell_name_at(said, own, at)]
            if held:
                longest = max(held, key=len)
                end = at + len(longest)
                yield at, longest


def _is_cell_name(own: str) -> bool:
    if not any(map(str.isalpha, own)):
        return False
    return (KEY if is_unspaced(own[0]) else SHORT) <= len(own) <= LONGEST_CHARS


def _is_asked(cell: str, question: str) -> bool:
    """Say whether a question has a cell; one of several words with any endings."""
    own = compared_form(cell)
    several = " " in own and has_name(question, fold_words(cell))
    return _is_cell_name(own) and (several or has_word(compared_form(question), own))


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

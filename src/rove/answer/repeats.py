"""What a chat model writes again and again, as a small one does that is caught in a loop, stands once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from rove.answer.reply import ReplyPart

LOOP = 4  # copies that no one writes on purpose
LONGEST_LOOP = 12  # parts
SHORTEST_LOOP = 24  # characters
_WORDS = re.compile(r"(?P<said>[^\W\d_].{2,200}?)(?:(?P=said)){7,}")
_ROWS = re.compile(r"^(?P<said>[ \t]*\|.*)(?:\n(?P=said)){3,}$", re.MULTILINE)
_ENDINGS = " .!?…。！？"
_NUMBERED = re.compile(r"\s*\d")


class Repeats:
    """Holds back what was said already until it is clear whether the reply only goes round, and then leaves it out.

    A part, or a run of parts, that directly follows itself is a repeat; one that comes again elsewhere ("Wait 5
    minutes." after each step) is not. `count`: parts left out. `endless`: nothing new is to be expected.

    >>> one, two = ReplyPart("One.", (), 0), ReplyPart("Two.", (), 1)
    >>> seen = Repeats()
    >>> [part.text for said in (one, one, two, one, two) for part in seen.take(said)] + seen.close(), seen.count
    (['One.', 'Two.'], 3)
    """

    def __init__(self) -> None:
        self.count = 0
        self._given: list[str] = []
        self._known: set[str] = set()
        self._waiting: list[ReplyPart] = []

    @property
    def endless(self) -> bool:
        """True where the reply has come round so often that it will not end by itself."""
        copies = len(self._waiting) // self._period() if self._waiting and self._period() else 0
        return copies >= LOOP - 1

    def take(self, part: ReplyPart) -> list[ReplyPart]:
        """Return what is to be shown now that this part has come."""
        part = unlooped(part)
        said = _repeat_key(part)
        if said in self._known:
            self._waiting.append(part)
            return []
        shown = [*self.close(), part]
        self._known.add(said)
        self._given.append(said)
        return shown

    def rest(self, parts: Iterable[ReplyPart]) -> list[ReplyPart]:
        """Return what is to be shown of a reply that has come to its end with these parts."""
        given = [] if self.endless else [new for part in parts for new in self.take(part)]
        return [*given, *self.close()]

    def close(self) -> list[ReplyPart]:
        """Return what was held back and is no repeat."""
        waiting, self._waiting = self._waiting, []
        if waiting and (size := self._period(waiting)):
            told = max(0, size - len(self._given))  # the first round has a repeat in itself
            self.count += len(waiting) - told
            waiting = waiting[:told]
        self._given += map(_repeat_key, waiting)
        return waiting

    def _period(self, waiting: list[ReplyPart] | None = None) -> int:
        """Return after how many parts what waits comes round; 0 where it does not."""
        waiting = self._waiting if waiting is None else waiting
        run = [*self._given[-LONGEST_LOOP:], *map(_repeat_key, waiting)]
        start = len(run) - len(waiting)
        numbered = any(_NUMBERED.match(part.opening) for part in waiting)
        for size in range(1, LONGEST_LOOP + 1):
            first = max(start, size)
            copies = LOOP - 1 if numbered or first > start else 1
            if len(run) - first >= size * copies and all(run[at] == run[at - size] for at in range(first, len(run))):
                return size
        return 0


def unlooped(part: ReplyPart) -> ReplyPart:
    """Return a sentence in which words that follow themselves eight times and more stand once; a table's rows too.

    >>> unlooped(ReplyPart("It is " + "very, very " * 40 + "old.", (), 0)).text
    'It is very, very old.'
    """
    if len(part.text) < SHORTEST_LOOP:
        return part
    pattern = _ROWS if part.text.lstrip().startswith("|") else _WORDS
    return part if part.block and pattern is _WORDS else replace(part, text=pattern.sub(r"\g<said>", part.text))


def _repeat_key(part: ReplyPart) -> str:
    said = " ".join(part.text.casefold().split())
    return said if part.block else said.rstrip(_ENDINGS) or said

"""What has become of a document's corrections: which stand, where their words are by now, and which were taken back."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rove.records.correction import Correction
from rove.records.document import Span


@dataclass(frozen=True, slots=True)
class MadeCorrection:
    """A correction, and what has become of it. `removed` became `added`, by whom and when.

    `number`: its place among those of its document, from 1. `before`, `after`: the same with a little of what is
    around. `span`: where `added` stands by now; None where it was taken back, or later corrections have changed it.
    `taken_back_by`, `takes_back`: numbers of others.
    """

    number: int
    before: str
    after: str
    removed: str
    added: str
    by: str
    made_at: str
    span: Span | None
    taken_back_by: int | None = None
    takes_back: int | None = None


def history_of(corrections: Sequence[Correction]) -> list[MadeCorrection]:
    """Follow the corrections of a document, given in the order in which they were made.

    One that lets stand again what another one has changed has taken that back, whoever wrote it and however.

    >>> changes = (3, "reins", "rains"), (0, "It", "That"), (5, "rains", "reins")
    >>> made = history_of([Correction("d", *change) for change in changes])
    >>> [(one.removed, one.added, one.span, one.taken_back_by) for one in made]
    [('e', 'a', None, 3), ('I', 'Tha', (0, 3), None), ('a', 'e', (6, 7), None)]
    """
    found: list[MadeCorrection] = []
    for number, one in enumerate(corrections, start=1):
        start, removed, added = _minimal_text_change(one)
        end = start + len(removed)
        opposite = (start, end), added, removed
        undone = next((a for a in reversed(found) if (a.span, a.removed, a.added) == opposite), None)
        found = [_shift_earlier_correction(earlier, start, end, len(added) - len(removed)) for earlier in found]
        if undone:
            found[undone.number - 1] = replace(undone, span=None, taken_back_by=number)
        span, takes_back = (start, start + len(added)), undone.number if undone else None
        made = MadeCorrection(
            number, one.before, one.after, removed, added, one.by, one.made_at, span, takes_back=takes_back
        )
        found.append(made)
    return found


def _minimal_text_change(one: Correction) -> tuple[int, str, str]:
    """Where a correction changes what, without what is the same around it."""
    same = len(os.path.commonprefix([one.before, one.after]))
    before, after = one.before[same:], one.after[same:]
    alike = len(os.path.commonprefix([before[::-1], after[::-1]]))
    return one.start + same, before[: len(before) - alike], after[: len(after) - alike]


def _shift_earlier_correction(earlier: MadeCorrection, start: int, end: int, longer: int) -> MadeCorrection:
    """Move a correction along with what was changed after it; its words are no longer there where that was in them."""
    if earlier.span is None or earlier.span[1] <= start:
        return earlier
    begin, stop = earlier.span
    return replace(earlier, span=(begin + longer, stop + longer) if begin >= end else None)

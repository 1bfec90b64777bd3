"""What can be handed in, a window at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from pathlib import Path

from rove.argument_checks import called, fits_hint, wrong
from rove.load.discover import Location
from rove.records import Text

Given = str | Path | Text | Location
WINDOW = 5_000


def windows(sources: Iterable[Given | Iterable[Given]]) -> Iterator[list[Given]]:
    """Flatten what was given, some thousands at a time, so that an endless iterable of texts takes no more memory.

    Raises:
        InputError: something among it is nothing that can be read.
    """
    items = chain.from_iterable([source] if isinstance(source, Given) else source for source in sources)
    while window := list(islice(items, WINDOW)):
        for item in window:
            if not fits_hint(item, Given):  # it came out of an iterable, into which the check of a call does not look
                raise wrong("add", "sources", item, called(Given))
        yield window

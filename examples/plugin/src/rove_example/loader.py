"""A loader: lyrics with times (LRC), one paragraph for each line."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rove.errors import InputError
from rove.load.text import decode, identify, stem
from rove.records import Document, Source

LINE = re.compile(r"^(?:\[\d{1,3}:\d\d(?:\.\d{1,3})?\])+([^\n]*\S)", re.MULTILINE)


class LyricsLoader:
    """See `rove.load.Loader`."""

    suffixes = (".lrc",)

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        lines = [" ".join(line.split()) for line in LINE.findall(decode(source.data))]
        if not lines:
            message = f"{source.name} holds no lyrics."
            raise InputError(message, cure="Check that it is a file of lyrics with times.", outcome="empty")
        yield Document(identify(source), source.uri, "lyrics", "\n\n".join(lines), title=stem(source))

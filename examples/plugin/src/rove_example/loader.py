"""A loader: subtitles in SubRip format, one paragraph for each cue."""

from __future__ import annotations

import re
from collections.abc import Iterator

from rove.errors import InputError
from rove.load.text import decode, identify, stem
from rove.records import Document, Source

CUE = re.compile(r"\d+\n\d\d:\d\d:\d\d,\d{3} --> [^\n]*\n(.+?)(?=\n\n|\s*\Z)", re.DOTALL)


class SubtitleLoader:
    """See `rove.load.Loader`."""

    suffixes = (".srt",)

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        cues = [" ".join(cue.split()) for cue in CUE.findall(decode(source.data))]
        if not cues:
            message = f"{source.name} holds no subtitles."
            raise InputError(message, cure="Check that it is a SubRip file.", outcome="empty")
        yield Document(identify(source), source.uri, "subtitles", "\n\n".join(cues), title=stem(source))

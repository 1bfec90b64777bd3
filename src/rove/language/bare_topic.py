"""What a heading is about: its words without the number of its section, table or figure."""

from __future__ import annotations

import re

_NUMBERING = re.compile(
    r"\A[\s*_#]*+(?:(?:(?:chapter|section|kapitel|abschnitt|table|figure|tabelle|abbildung|fejezet|táblázat|ábra)\s+)?"
    r"(?:§\s*)?(?:\d+(?:\.\d+)*|[ivxlc]+(?=[.)]))[.):：]?\s+|第[一二三四五六七八九十百\d]+[章节節条條]\s*)",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\A[\s*_#]*+[表图図]\s*\d+(?:[-.]\d+)*[.:：]?\s*")


def bare_topic(heading: str) -> str:
    """Return a heading without its number.

    >>> [bare_topic(heading) for heading in ("1.2 Remote work", "第三章 休暇", "Table 4: Offices", "表1：台数")]
    ['Remote work', '休暇', 'Offices', '台数']
    """
    bare = _LABEL.sub("", _NUMBERING.sub("", heading, count=1), count=1).strip(" .:：*_#")
    return " ".join(bare.split())

"""Definitions: what a document says elsewhere of the terms that a passage uses. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rove.language.sentences import sentence_spans
from rove.records.document import Span

MOST = 4  # definitions that are told of one passage
LONGEST_CHARS = 300
TEXT_CHARS = 400_000  # of a document that are looked through
_DEFINED = re.compile(
    r"^[ \t>*+(\w.)-]{0,8}(?:[“„\"«「『](?P<quoted>[^\n“”„\"«»「」『』]{2,60})[”“\"»」』]"
    r"|\*\*(?P<bold>[^\n*]{2,60})\*\*)",
    re.MULTILINE,
)
_STARTS = re.compile(
    r"(?<=[.。;；]\s)[“„\"«「『](?P<quoted>[^\n“”„\"«»「」『』]{2,60})[”“\"»」』]|(?<=。)「(?P<bold>[^\n「」]{2,60})」"
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A sentence that says what a term means, as it stands at `span`."""

    term: str
    said: str
    span: Span


def definitions(text: str, span: Span, language: str) -> list[Definition]:
    r"""Return what a document's text defines of the terms that stand in `span`, the passage itself left out.

    A definition is a sentence that begins with its term in quotation marks or in bold.

    >>> text = '“Site” means a plant.\n\nThe fee is paid for each Site.'
    >>> [one.said for one in definitions(text, (23, len(text)), "en")]
    ['“Site” means a plant.']
    """
    passage = text[slice(*span)].casefold()
    found: dict[str, Definition] = {}
    for match in (*_DEFINED.finditer(text, 0, TEXT_CHARS), *_STARTS.finditer(text, 0, TEXT_CHARS)):
        term = (match["quoted"] or match["bold"]).strip(" :：")
        if span[0] <= match.start() < span[1] or not term or term.casefold() not in passage:
            continue
        said = text[match.start() : match.start() + LONGEST_CHARS].partition("\n\n")[0]
        start, end = sentence_spans(said, language)[0]
        place = (match.start() + start, match.start() + end)
        found.setdefault(term.casefold(), Definition(term, " ".join(said[start:end].split()), place))
    return list(found.values())[:MOST]


def with_definitions(passage: str, known: Sequence[Definition]) -> str:
    """Return a passage with each definition in parentheses after the first use of its term.

    >>> with_definitions("The fee is paid for each Site.", [Definition("Site", "“Site” means a plant.", (0, 21))])
    'The fee is paid for each Site (“Site” means a plant).'
    """
    for one in known:
        if found := re.search(re.escape(one.term), passage, re.IGNORECASE):
            told = one.said.rstrip(" .。;；")
            passage = f"{passage[: found.end()]} ({told}){passage[found.end() :]}"
    return passage

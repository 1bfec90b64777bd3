"""Other names of a thing, which a text gives in brackets or says outright: "the World Health Organization (WHO)"."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

from rove.enrich.entities import Mention
from rove.enrich.triplets.said import Said
from rove.records.graph import ALIAS

MOST_INITIALS = 10
MOST_BETWEEN = 3
"""Characters between a name and its bracket: a blank, a closing quotation mark."""
_WORDS = tomllib.loads(Path(__file__).with_name("aliases.toml").read_text("utf-8"))
SAYS_ALIAS = frozenset(_WORDS["says"])
"""Predicates that give another name: what they link is one thing."""
_INITIALS = re.compile(r"[^\W\d_]{2,10}s?\Z")


def _alternation_pattern(words: Sequence[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


_CUE = re.compile(rf"\s*(?:{_alternation_pattern(_WORDS['cues'])})(?![a-zà-ÿ])[:：]?\s*", re.IGNORECASE)
_LANGUAGE = re.compile(rf"\s*(?:{_alternation_pattern(_WORDS['languages'])})\s*[:：]\s*", re.IGNORECASE)
_BRACKET = re.compile(r"[(（]([^()（）\n]{2,60})[)）]")
_END = re.compile(r"[,;，；、]")


def aliases_in(text: str, names: Sequence[Mention]) -> Iterator[tuple[Said, int, int]]:
    """Yield other names of the names in a text, each with the span that says so.

    >>> text = "The World Health Organization (WHO) met."
    >>> [one[0].object for one in aliases_in(text, [Mention("World Health Organization", (4, 29))])]
    ['WHO']
    """
    ends = {name.span[1]: name for name in names}
    for match in _BRACKET.finditer(text):
        name = next((ends[at] for at in range(match.start(), match.start() - MOST_BETWEEN, -1) if at in ends), None)
        if name is None or (other := _other(name.name, match[1])) == "":
            continue
        if other.casefold() != name.name.casefold():
            yield Said(name.name, ALIAS, other), name.span[0], match.end()


def _other(name: str, inside: str) -> str:
    """The other name that a bracket holds; "" where it says something else."""
    cue = _LANGUAGE.match(inside) or _CUE.match(inside)
    rest = inside[cue.end() :] if cue else inside
    first = _END.split(rest, maxsplit=1)[0].strip(" \"“”„«»「」'")
    if cue:
        return first if first and not first[0].islower() and not first[0].isdigit() else ""
    return first if _INITIALS.match(first) and are_initials(first, name) else ""


def are_initials(short: str, name: str) -> bool:
    """Say whether a short form is made of the first letters of a name's words, in order, and begins with the first.

    >>> are_initials("WHO", "World Health Organization"), are_initials("USA", "United Kingdom")
    (True, False)
    """
    letters = short.removesuffix("s") if short[:-1].isupper() else short
    words = re.findall(r"[^\W\d_]+", name)
    if len(words) < 2 or not letters.isupper() or len(letters) > MOST_INITIALS:
        return False
    firsts = iter(word[0].upper() for word in words)
    return letters[0] == words[0][0].upper() and all(any(letter == first for first in firsts) for letter in letters)

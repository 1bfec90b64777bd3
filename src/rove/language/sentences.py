"""Where sentences begin and end, as exact offsets; headings, list items and table rows are sentences of their own."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TypedDict, cast

import regex
import sentencex

MAX_SENTENCE_CHARS = 600
WINDOW_CHARS = 8000  # the time that sentencex takes grows faster than its input


class _Bound(TypedDict):
    end_index: int  # characters, not bytes


_bounds = cast("Callable[[str, str], list[_Bound]]", getattr(sentencex, "get_sentence_boundaries"))  # noqa: B009
_SURROGATES = regex.compile("[\ud800-\udfff]")
_MARKER = r"[ \t]*(?:[-*+•·▪◦‣–] |\d{1,3}[.)] |[A-Za-z][.)] |\[[ xX]\] )"
_ALONE = r"[ \t]*(?:#{1,6}[ \t]|\||```|~~~|[-=*_]{3,}[ \t]*$)"
# These begin with a line break, which is found at once, and are looked for in a text with one in front.
_BLOCK_STARTS = re.compile(  # a blank line, a list item, a heading, a table row, a quote
    rf"\n(?=[ \t]*\n|{_MARKER}|{_ALONE}|[ \t]*>)", re.MULTILINE
)
_LINES_ALONE = re.compile(rf"\n{_ALONE}[^\n]*(?=\n)", re.MULTILINE)
_MARKERS = re.compile(rf"\n{_MARKER}")
_CLAUSE = regex.compile(r"[;:,—–](?=\s)|[、；：，،؛]|[.!?…](?=\s)|[。！？]")
_SPACE = regex.compile(r"\s")
_ORDINAL = regex.compile(r"(?<![\p{L}\d.,])(?:\d{1,4}|[IVXLC]{1,7})\.\s*$")
_GOES_ON = regex.compile(r"\s*(?:\p{Ll}|§|(?:\d{1,2}|[IVX]{1,4})[.-])")
_STOPPED = regex.compile(r"(?<![\p{L}.])(\p{L}[\p{L}.]*+)(?<=\.)\s*+$")
_SMALL = regex.compile(r"\s*\p{Ll}")
MAX_SHORTENED = 6  # letters of what is shortened: a longer word before a stop ends a sentence
STOPPED_CHARS = 16
_WITH_ORDINALS = frozenset({"cs", "da", "de", "et", "fi", "hr", "hu", "lv", "nb", "nn", "no", "sk", "sl", "sr", "tr"})


def sentence_spans(text: str, language: str) -> list[tuple[int, int]]:
    r"""Return the sentences of `text` as spans (start, end), in order, apart, trimmed, none blank.

    Every character that is not white space lies in one span. A single line break inside a paragraph ends no sentence,
    in any script; the end of a block does (a heading, list item, table row or blank line). A sentence of more than
    `MAX_SENTENCE_CHARS` is cut at clause marks, else at white space. An unknown language is read as English.

    >>> text = "# News\nIt rained. Dr. Ma stayed\nat home.\n- tea"
    >>> [text[start:end] for start, end in sentence_spans(text, "en")]
    ['# News', 'It rained.', 'Dr. Ma stayed\nat home.', '- tea']
    """
    readable = _SURROGATES.sub("?", text)
    cuts = _sentence_ends(readable, language if len(language) == 2 else "en")
    cuts = _without_abbreviations(readable, cuts, language)
    if language in _WITH_ORDINALS:
        cuts = {end for end in cuts if not _is_within(readable, end)}
    lines = "\n" + readable
    for marker in _MARKERS.finditer(lines):
        cuts.difference_update(range(marker.start() + 1, marker.end()))
    if "\n" in readable:
        cuts.update(match.start() for match in _BLOCK_STARTS.finditer(lines))
        cuts.update(match.end() for match in _LINES_ALONE.finditer(lines))
    spans: list[tuple[int, int]] = []
    start = 0
    for end in (*sorted(cuts), len(text)):
        _append_pieces(spans, text, start, end)
        start = end
    return spans


def _sentence_ends(text: str, language: str) -> set[int]:
    """Ask sentencex window by window; each window begins where the last whole sentence of the one before ended."""
    ends: set[int] = set()
    start = 0
    while start < len(text):
        window = text[start : start + WINDOW_CHARS]
        found = [start + bound["end_index"] for bound in _bounds(language, window)]
        last = start + len(window) >= len(text)
        whole = found if last or len(found) == 1 else found[:-1]
        ends.update(whole)
        start = len(text) if last else whole[-1]
    return ends


def _without_abbreviations(text: str, cuts: set[int], language: str) -> set[int]:
    """Leave out the ends after which a sentence goes on: what was shortened is followed by a small letter, or known.

    Where longer words are followed by small letters too, the text is written without capitals, and that says nothing.
    """
    stops = {end: found[1][:-1] for end in cuts if (found := _STOPPED.search(text[max(0, end - STOPPED_CHARS) : end]))}
    small = {end for end in stops if _SMALL.match(text, end)}
    if any(len(stops[end]) > MAX_SHORTENED and "." not in stops[end] for end in small):
        small = set[int]()
    known = _abbreviations().get(language, frozenset())
    return {end for end in cuts if end not in small and not (end in stops and stops[end].lower() in known)}


@cache
def _abbreviations() -> dict[str, frozenset[str]]:
    table = tomllib.loads(Path(__file__).with_name("sentence_abbreviations.toml").read_text("utf-8"))
    return {language: frozenset(str(words).split()) for language, words in table.items()}


def _is_within(text: str, end: int) -> bool:
    """Say whether what ends there is a number in its order, "2024. január 15-től", and the sentence goes on."""
    return bool(_ORDINAL.search(text[max(0, end - 10) : end]) and _GOES_ON.match(text[end : end + 10]))


def _append_pieces(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    """Append the trimmed span, in pieces of at most `MAX_SENTENCE_CHARS`."""
    stripped = text[start:end].lstrip()
    start = end - len(stripped)
    end = start + len(stripped.rstrip())
    while end - start > MAX_SENTENCE_CHARS:
        cut = _sentence_cut_offset(text, start)
        spans.append((start, start + len(text[start:cut].rstrip())))
        start = cut
        while text[start].isspace():
            start += 1
    if start < end:
        spans.append((start, end))


def _sentence_cut_offset(text: str, start: int) -> int:
    """Return where to cut an over-long sentence: after its last clause mark or white space that is not too early."""
    head = start + MAX_SENTENCE_CHARS // 3
    tail = start + MAX_SENTENCE_CHARS
    for pattern in (_CLAUSE, _SPACE):
        found = [match.end() for match in pattern.finditer(text, head, tail)]
        if found:
            return found[-1]
    return tail

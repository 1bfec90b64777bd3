r"""Names in a text, found without a model: runs of capitals, quotations, katakana, identifiers, the words of links.

What they are good for: two passages that name the same thing are linked by it, and a name that the question does not
hold is a lead. Scripts without capitals give few names of their own; there the titles of documents do what capitals do
elsewhere (`rove.store.name_graph`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rove.language.names import name_key
from rove.language.stopwords import stop_words
from rove.records import Chunk
from rove.records.document import Span

MAX_NAME_CHARS = 80
MAX_QUOTED_WORDS = 8
ARTICLE_CHARS = 4
"""Characters that may stand before the name that a text opens with: "The "."""
CAPITALISED_NOUNS = frozenset({"de", "lb"})
"""Languages that write every noun with a capital, so that one alone says little."""

# The standard library's `re`, which has no \p{Lu}, is five times as fast here as `regex`.
_CAPITAL = "".join(letter for letter in map(chr, range(0x10000)) if letter.isupper())
_PARTICLES = "of|the|de|del|della|der|den|des|di|da|das|do|dos|du|la|le|les|von|van|vom|zu|zum|zur|af|av|ibn|bin|al|el"
_PART = rf"[{_CAPITAL}](?:\.|\w*(?:[-'’.&]\w+)*)"
_RUN = re.compile(
    rf"[{_CAPITAL}](?<!\w.)(?:\.|\w*(?:[-'’.&]\w+)*)"
    rf"(?: (?:& |(?:(?:{_PARTICLES}) ){{1,2}})?{_PART}|(?<=\.){_PART}| \d++(?![.,]?\w))*"
)
# Each pattern opens with a set of characters, by which `re` skips most of a text at once.
_MARKED = re.compile(
    r"[\[`「『《〈“„«\"](?:(?<=\[)(?<!!.)(?P<linked>[^\[\]\n]{2,80})\]\([^()\s]+\)"
    r"|(?<=`)(?P<code>[^`\n]{2,60})`"
    r"|(?<![\[`])(?P<quoted>[^「」『』《》〈〉“”„«»\"\n]{2,60})[」』》〉”“»\"])"
)
_JOINED = re.compile(r"[A-Z_](?:(?<=[a-z][A-Z])|(?<=[a-z0-9]_)[a-z0-9])")
_IDENTIFIER = re.compile(r"[a-z](?<!\w.)(?:[a-z0-9]*(?:_[a-z0-9]+)+|[a-z]*[A-Z][A-Za-z]+)(?!\w)")
_KATAKANA = re.compile(r"[ァ-ヺー](?:[ァ-ヺー]+(?:[・＝=][ァ-ヺー]+)+|[ァ-ヺー]{2,})")
_DOTS = "·・"
_DOTTED = re.compile(rf"[一-鿿]{{1,6}}(?:[{_DOTS}][一-鿿]{{1,6}})+")
_KANJI = re.compile(r"(?<![々-〇㐀-鿿ァ-ヺー])[々-〇㐀-鿿]{2,10}(?![々-〇㐀-鿿])")
_OPENS = re.compile(r"(?:\A|[.!?…:。！？：\n])[^\w]*\Z")
_LETTER = re.compile(r"[^\W\d_]")
_OF_NOUNS = frozenset({"der", "den", "des", "das", "zur", "zum"})
_POSSESSIVE = ("'s", "’s", "'", "’")
_LAST = "s'’."
_LOOK_BACK = 6
_YEAR = 4


class Mention(NamedTuple):
    """A name as it stands in a text: `text[span[0]:span[1]] == name`.

    `sure`: that it is a name and no common word is plain from how it is written; a single capitalised word that opens
    a sentence, or stands in German, may be either.
    """

    name: str
    span: Span
    sure: bool = True


def mentions(text: str, language: str) -> list[Mention]:
    """Return the names in a text, in order, apart. `language`: ISO 639-1, or "und".

    >>> [m.name for m in mentions("Are Christopher Nolan and Sathish Kalathil both film directors?", "en")]
    ['Christopher Nolan', 'Sathish Kalathil']
    >>> [m.name for m in mentions("『羅生門』の監督はクロサワ・アキラです。", "ja")]
    ['羅生門', '監督', 'クロサワ・アキラ']
    """
    found = list(_markup_mentions(text))
    if _JOINED.search(text):
        found += [Mention(match[0], match.span()) for match in _IDENTIFIER.finditer(text)]
    if not text.isascii():
        found += [Mention(match[0], match.span()) for match in _KATAKANA.finditer(text)]
        if any(dot in text for dot in _DOTS):
            found += [Mention(match[0], match.span(), sure=False) for match in _DOTTED.finditer(text)]
        if language == "ja":
            found += [Mention(match[0], match.span(), sure=False) for match in _KANJI.finditer(text)]
    runs = list(_capital_run_mentions(text, language))
    return _drop_mention_overlaps(found + runs) if found else runs


def _drop_mention_overlaps(found: list[Mention]) -> list[Mention]:
    """Sort by place, and keep of two that overlap the one that begins first; the longer one where both do."""
    kept: list[Mention] = []
    ended = 0
    for mention in sorted(found, key=lambda mention: (mention.span[0], -mention.span[1])):
        if mention.span[0] >= ended:
            kept.append(mention)
            ended = mention.span[1]
    return kept


def _markup_mentions(text: str) -> Iterator[Mention]:
    """What marks and links show to be a name; a quotation that is a clause is none."""
    for match in _MARKED.finditer(text):
        kind = str(match.lastgroup)
        raw = match[kind]
        name = raw.strip(" .,;:!?，。、")
        letter = _LETTER.search(name)
        clause = kind == "quoted" and (name[:1].islower() or name.count(" ") >= MAX_QUOTED_WORDS)
        if letter and not clause:
            start = match.start(kind) + raw.index(name)
            yield Mention(name, (start, start + len(name)))


def _capital_run_mentions(text: str, language: str) -> Iterator[Mention]:
    """Runs of capitalised words, without the function words at their ends."""
    stops = stop_words(language)
    nouns = language in CAPITALISED_NOUNS
    for match in _RUN.finditer(text):
        start, end = match.span()
        words = match[0].split(" ")
        opens = _opens(text, start)
        while words and (opens or len(words) == 1) and _is_function_word(words[0], stops):
            start += len(words.pop(0)) + 1
            opens = False
        while words and _is_function_word(words[-1], stops):
            end -= len(words.pop()) + 1
        if not words:
            continue
        end -= _tail(words)
        start = _with_year(text, start)
        if not 1 < end - start <= MAX_NAME_CHARS:
            continue
        name = text[start:end]
        yield Mention(name, (start, end), sure=_is_sure(words, opens, nouns))


def _opens(text: str, start: int) -> bool:
    """Say whether a sentence begins at `start`."""
    if start > 1 and text[start - 1] == " " and text[start - 2].isalnum():  # the usual case, told quickly
        return False
    return _OPENS.search(text, max(0, start - _LOOK_BACK), start) is not None


def _tail(words: list[str]) -> int:
    """How many characters at the end belong to the sentence and not to the name."""
    last = words[-1]
    if last[-1] not in _LAST:
        return 0
    for ending in _POSSESSIVE:
        if last.endswith(ending):
            return len(ending)
    return 1 if last.endswith(".") and (len(words) == 1 or len(last) > 2) else 0


def _with_year(text: str, start: int) -> int:
    """Return where the name begins when the year before it is a part of it: 2010 FIFA World Cup."""
    first = start - _YEAR - 1
    if first < 0 or text[start - 1] != " " or not text[first : start - 1].isdecimal():
        return start
    return start if first and text[first - 1].isalnum() else first


def _is_sure(words: list[str], opens: bool, nouns: bool) -> bool:
    if len(words) > 1:
        return not nouns or _OF_NOUNS.isdisjoint(words)
    return _is_marked(words[0]) or not (nouns or opens)


def _is_function_word(word: str, stops: frozenset[str]) -> bool:
    return word.casefold() in stops and not (len(word) > 1 and word.isupper())


def _is_marked(word: str) -> bool:
    """Say whether a word's own spelling shows a name: NATO, LibreOffice, E5."""
    rest = word[1:]
    return not (rest.isalpha() and rest.islower()) and any(letter.isupper() or letter.isdigit() for letter in rest)


def name_keys(text: str, language: str) -> list[str]:
    """Return the keys of all names in a text, each once, in the order of their first mention."""
    return _mention_keys(mentions(text, language), language)


def chunk_names(chunk: Chunk) -> str:
    """Return the keys of the names in a chunk's own text, space-joined; after a space where it does not open with one.

    What a document opens with is most often what it is about: "The Heinkel HD 23 was a fighter …".
    """
    found = mentions(chunk.text, chunk.language)
    opens = found and found[0].span[0] <= ARTICLE_CHARS
    return ("" if opens else " ") + " ".join(_mention_keys(found, chunk.language)) if found else ""


def _mention_keys(found: Iterable[Mention], language: str) -> list[str]:
    keys = (name_key(mention.name, language) for mention in found)
    return list(dict.fromkeys(key for key in keys if len(key) > 1))

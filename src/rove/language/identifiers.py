"""Names of tables and columns in words: parted at their joints, and each short form spelled out."""

from __future__ import annotations

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

import regex

MOST_MEANINGS = 3
"""A short form of many words is spelled out by so many of them."""
LEAST_SHORT = 3
"""A form of fewer letters that is not listed stays as it is."""
LONGEST_SHORT = 6
"""A form of more letters that is not listed is taken for a word, unless it lacks vowels."""
RUN_CHARS = range(5, 41)
"""Letters of a run that is cut into words."""
_TOKEN = regex.compile(r"[A-Za-z][A-Za-z0-9_$#]*")
_PART = regex.compile(r"\p{Lu}+(?!\p{Ll})|\p{Lu}?\p{Ll}+|\d+|[^\W\d_\p{Lu}\p{Ll}]+")
_VOWELS = regex.compile(r"(?<=.)[aeiou]+")
_DOUBLED = regex.compile(r"(.)\1+")
_TYPES = frozenset(
    [
        "number",
        "text",
        "time",
        "boolean",
        "others",
        "bool",
        "int",
        "integer",
        "tinyint",
        "smallint",
        "mediumint",
        "bigint",
        "int2",
        "int4",
        "int8",
        "serial",
        "bigserial",
        "float",
        "float4",
        "float8",
        "real",
        "double",
        "precision",
        "decimal",
        "numeric",
        "money",
        "char",
        "nchar",
        "varchar",
        "nvarchar",
        "varchar2",
        "nvarchar2",
        "clob",
        "nclob",
        "blob",
        "bytea",
        "binary",
        "varbinary",
        "ntext",
        "tinytext",
        "mediumtext",
        "longtext",
        "date",
        "datetime",
        "datetime2",
        "smalldatetime",
        "timestamp",
        "timestamptz",
        "interval",
        "uuid",
        "json",
        "jsonb",
        "xml",
        "bit",
        "enum",
        "set",
        "null",
        "not",
        "default",
        "unique",
        "primary",
        "foreign",
        "key",
        "references",
        "create",
        "table",
        "constraint",
        "check",
        "index",
        "unknown",
        "string",
        "long",
        "raw",
        "rowid",
        "in",
        "database",
        "column",
        "columns",
    ]
)


@dataclass(frozen=True, slots=True)
class _Lexicon:
    """Words, the commoner first with their place; short forms with what they stand for; forms by how they are made."""

    words: Mapping[str, int]
    short: Mapping[str, tuple[str, ...]]
    tables: Mapping[str, str]
    by_bones: Mapping[str, tuple[str, ...]]


def in_words(name: str) -> str:
    """Return an identifier as a person would say it; what is unknown stays as it is, in lower case.

    A short form of several words gives up to `MOST_MEANINGS` of them, side by side.

    >>> in_words("CUST_ORD_DT"), in_words("custNo"), in_words("empname"), in_words("Singer_ID")
    ('customer order date', 'customer number', 'employee name', 'singer id')
    >>> in_words("stdnt_addr2"), in_words("OCRD")
    ('student address 2', 'business partner customer supplier lead')
    """
    told = _abbreviation_lexicon().tables.get(name.casefold())
    return told or " ".join(map(_expand_name_part, parts(name)))


def parts(name: str) -> list[str]:
    """Return the parts of an identifier in lower case: at underscores, between cases, between letters and digits.

    >>> parts("custOrderNo2"), parts("HTTP_PORT"), parts("SchuhGröße")
    (['cust', 'order', 'no', '2'], ['http', 'port'], ['schuh', 'grösse'])
    """
    return [part.casefold() for part in _PART.findall(name)]


def spelled_out(text: str) -> str:
    """Return the identifiers in a description of a table in words, those alone whose words the text lacks.

    >>> spelled_out("table CUST_ORD; columns: CUST_NBR (number), ORD_DT (order date, date)")
    'customer order; customer number'
    """
    held = {part for token in _TOKEN.findall(text) for part in parts(token)}
    found: dict[str, None] = {}
    for token in dict.fromkeys(_TOKEN.findall(text)):
        if token.casefold() not in _TYPES:
            said = in_words(token)
            if not held.issuperset(said.split()):
                found[said] = None
    return "; ".join(found)


def short_forms(word: str) -> set[str]:
    """Return how a word may stand in a name: its listed short forms, its beginnings, its consonants.

    >>> sorted(short_forms("singer"))
    ['sin', 'sing', 'singe', 'sng', 'sngr']
    """
    word = word.casefold()
    bones = consonants(word)
    beginnings = {word[:size] for size in (3, 4, 5)} | {bones[:size] for size in range(3, len(bones) + 1)}
    return {form for form in {*beginnings, *_short_forms_by_word().get(word, ())} if form != word and len(form) > 1}


@lru_cache(20_000)
def _expand_name_part(part: str) -> str:
    lexicon = _abbreviation_lexicon()
    listed = lexicon.short.get(part, ())
    if is_word(part):
        return " ".join(dict.fromkeys((part, *listed[:MOST_MEANINGS]))) if listed and len(part) < 4 else part
    if listed:
        return " ".join(dict.fromkeys(listed[:MOST_MEANINGS]))
    if len(part) < LEAST_SHORT or not part.isalpha() or not part.isascii():
        return part
    return " ".join(_split_letter_run(part)) or " ".join(_likely_full_words(part)) or part


def is_word(part: str) -> bool:
    """Whether a part of a name, in lower case, is one of the words that names consist of, in any form."""
    words = _abbreviation_lexicon().words
    if part in words:
        return True
    for ending, instead in (("ies", "y"), ("es", ""), ("s", ""), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e")):
        if part.endswith(ending) and len(part) > len(ending) + 2 and part.removesuffix(ending) + instead in words:
            return True
    return False


def _likely_full_words(part: str) -> list[str]:
    """Return the words that a form which is not listed may stand for, the likeliest first, at most two."""
    lexicon = _abbreviation_lexicon()
    bones = consonants(part)
    exact = [word for word in lexicon.by_bones.get(bones, ()) if len(word) > len(part)]
    if len(part) > LONGEST_SHORT and len(bones) < len(part) - 1:
        return []
    begun = [word for word in lexicon.words if word.startswith(part) and len(word) > len(part) + 1]
    longer = (word for word in lexicon.words if len(bones) >= LEAST_SHORT and consonants(word).startswith(bones))
    near = [word for word in longer if has_in_order(part, word)]
    if part == bones:  # without vowels it is no beginning of a word
        return list(dict.fromkeys((*exact, *near, *begun)))[:2]
    return list(dict.fromkeys((*begun, *(word for word in exact if has_in_order(part, word)), *near)))[:2]


def has_in_order(part: str, word: str) -> bool:
    """Whether a word has the letters of a part, in their order."""
    letters = iter(word)
    return all(letter in letters for letter in part)


@lru_cache(20_000)
def consonants(word: str) -> str:
    """The first letter of a word and the consonants after it, doubled ones once."""
    return _DOUBLED.sub(r"\1", _VOWELS.sub("", word))


def _split_letter_run(run: str) -> list[str]:
    """Cut a run of letters into words and short forms with no letter left over; [] where it cannot be.

    Fewer and longer parts are better: each costs 1 to 2.2, and the whole at most half its letters and 1.4.
    """
    if len(run) not in RUN_CHARS:
        return []
    lexicon = _abbreviation_lexicon()
    best: list[tuple[float, tuple[str, ...]] | None] = [(0.0, ()), *[None] * len(run)]
    for end in range(2, len(run) + 1):
        for start in range(max(0, end - 14), end - 1):
            before, piece = best[start], run[start:end]
            if before is None or (cost := _cost(piece, lexicon)) is None:
                continue
            found = (before[0] + cost, (*before[1], piece))
            known = best[end]
            if known is None or found[0] < known[0]:
                best[end] = found
    whole = best[-1]
    return (
        [_expand_name_part(piece) for piece in whole[1]]
        if whole and whole[0] <= len(run) / 2 + 1.4 and len(whole[1]) > 1
        else []
    )


def _cost(piece: str, lexicon: _Lexicon) -> float | None:
    if piece in lexicon.words:
        return 1.0 if len(piece) > 3 else 1.3 if len(piece) > 2 else 1.6
    return (1.6 if len(piece) > 2 else 2.2) if piece in lexicon.short else None


@cache
def _abbreviation_lexicon() -> _Lexicon:
    table = tomllib.loads(Path(__file__).with_name("abbreviations.toml").read_text("utf-8"))
    short: defaultdict[str, list[str]] = defaultdict(list)
    words = dict.fromkeys(
        [*table["words"]["all"].split(), *(word for key in table["short"] for word in key.split("_"))]
    )
    for key, forms in table["short"].items():
        for form in forms.split():
            short[form].append(key.replace("_", " "))
    places = {word: place for place, word in enumerate(words) if len(word) > 1}
    bones: defaultdict[str, list[str]] = defaultdict(list)
    for word in places:
        bones[consonants(word)].append(word)
    by_place = {form: sorted(found, key=lambda word: places.get(word, len(places))) for form, found in short.items()}
    return _Lexicon(
        places,
        {form: tuple(found) for form, found in by_place.items()},
        table["tables"],
        {form: tuple(found) for form, found in bones.items()},
    )


@cache
def _short_forms_by_word() -> Mapping[str, tuple[str, ...]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for form, words in _abbreviation_lexicon().short.items():
        for word in words:
            found[word].append(form)
    return {word: tuple(forms) for word, forms in found.items()}


def meanings(part: str) -> tuple[str, ...]:
    """What the list of short forms says that a part of a name stands for."""
    return _abbreviation_lexicon().short.get(part, ())


def known_words() -> Iterator[str]:
    """The words that names consist of, the commoner first."""
    return iter(_abbreviation_lexicon().words)

"""Units and currencies: their words in many languages, where a text names one, and amounts in another unit."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import cast

import regex

from rove.language.quantities.digits import HARD_SPACE, exact, lower
from rove.records.quantity import Unit

Units = tuple[Unit, ...]
MOST_WORDS = 4
"""Words of a unit's name: "miles per hour"."""
LONGEST_UNSPACED = 12
FOREIGN_CHARS = 5
"""From so many letters on a unit's word counts in a text of any language."""
CODES = frozenset(
    [
        "AED",
        "ARS",
        "AUD",
        "BDT",
        "BGN",
        "BHD",
        "BRL",
        "CAD",
        "CHF",
        "CLP",
        "CNY",
        "COP",
        "CZK",
        "DKK",
        "EGP",
        "EUR",
        "GBP",
        "GEL",
        "HKD",
        "HUF",
        "IDR",
        "ILS",
        "INR",
        "ISK",
        "JOD",
        "JPY",
        "KES",
        "KRW",
        "KWD",
        "KZT",
        "LKR",
        "MXN",
        "MYR",
        "NGN",
        "NOK",
        "NZD",
        "OMR",
        "PHP",
        "PKR",
        "PLN",
        "QAR",
        "RON",
        "RSD",
        "RUB",
        "SAR",
        "SEK",
        "SGD",
        "THB",
        "TRY",
        "TWD",
        "UAH",
        "USD",
        "UYU",
        "VND",
        "ZAR",
    ]
)
WORDLIKE = frozenset({"TRY"})
"""Codes that are words in lower case."""
CURRENCY = "currency:"
_UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}ー"
_PIECE = rf"[^\s\d,;:()|\[\]{{}}\"“”„«»!?<>=+~*{_UNSPACED}。、，；：！？）]"
_SPACED = regex.compile(rf"{_PIECE}[²³23]?(?:{_PIECE})*(?:[ \u00a0]{_PIECE}+[²³]?){{0,{MOST_WORDS - 1}}}")
_RUN = regex.compile(rf"[{_UNSPACED}／/％℃℉㎏㎞㎡°]+(?: [\p{{Katakana}}ー]+)?")
_BEFORE = regex.compile(
    rf"(?:(?<![\p{{L}}\d])(?:[A-Z]{{0,3}}\p{{Sc}}|[A-Z]{{3}}|[A-Za-zČč]{{2,3}}\.?)|(?<=[{_UNSPACED}])\p{{Sc}})"
    r"[ \u00a0]?$"
)
_ENDINGS = {
    "hu": regex.compile(
        r"-?(?:[oaeöáé]?k?(?:ban|ben|ból|ből|ra|re|ig|ért|nak|nek|kal|kel)|[oaeöáé]?[ktsni]|[oaeöé]?[kt]|[oaeöé]s(?:[eéoaá]?[tkn]?|nak|nek|ra|re|ban|ben)?|i|ig|[aeá]?[rtbnlh][aeáéóőöo][kntblzr]?|"
        r"nyi|[eaoöé]?nként(?:i)?|kor|[bcdfghjklmnprstvz]{1,2}[ae]l|[aáeéo]?[nt]|ként|j[ae](?:[it]|val|vel|ért)?|j[aeáé]\w{0,3}|[aáeé]\w?|ért|[oeö]?d[ei]k)"
    ),
    "tr": regex.compile(r"['’]?(?:l[ıiuü]k|y?[aeıiuü]|[dt][ae]n?|n?[ıiuü]n|s[ıiuü]|l[ae]r\w{0,3}|y?l[ae])"),
}
"""What a noun of a language may end in behind a unit's word."""


@dataclass(frozen=True, slots=True)
class NamedUnit:
    """A unit that a text names: what it may be, the likeliest first, and where it ends."""

    units: Units
    end: int


def unit_named(name: str, language: str = "") -> Unit | None:
    """Return the unit of that word or symbol; None where there is none.

    >>> unit_named("km") == unit_named("Kilometer", "de"), unit_named("house")
    (True, None)
    """
    found = units_named(name.strip(), language)
    return found[0] if found else None


@lru_cache(maxsize=4_000)
def units_named(word: str, language: str = "") -> Units:
    """Return what a word may be a unit of, the likeliest first; () where it is none."""
    small = lower(word)
    for shared in (_currencies_by_language().get(language, {}), _currencies_by_language()["und"]):
        if found := shared.get(small) or shared.get(word):
            return found
    if found := _symbols().get(word):
        return found
    known = _units_by_language()
    found = known.get(language, {}).get(small) or known["en"].get(small)
    if found is None and (not language or language == "und" or len(small) >= FOREIGN_CHARS):
        found = _every().get(small)
    if found is None and len(word) > 1:
        found = _small_symbols().get(small)
    return found or ()


def unit_at(text: str, start: int, language: str) -> NamedUnit | None:
    """Return the unit that a text names at `start`: the longest name, with the ending that its language adds.

    `text`: as `fold` returns it.
    """
    run = _RUN.match(text, start)
    if run and regex.match(rf"[{_UNSPACED}]", run[0]):
        for size in range(min(len(run[0]), LONGEST_UNSPACED), 0, -1):
            if units := units_named(run[0][:size], language if language in {"zh", "ja"} else "zh"):
                return NamedUnit(units, start + size)
        return None
    spaced = _SPACED.match(text, start)
    if spaced is None:
        return None
    words = spaced[0].replace(HARD_SPACE, " ").split(" ")
    for count in range(len(words), 0, -1):
        name = " ".join(words[:count])
        if (found := _unit_by_inflected_name(name, language)) is not None:
            return NamedUnit(found.units, start + found.end)
    return None


def currency_before(text: str, end: int, language: str) -> tuple[Units, int] | None:
    """Return the currency whose symbol or code stands right before `end`, and where it starts."""
    found = _BEFORE.search(text, max(end - 6, 0), end)
    if found is None:
        return None
    name = found[0].strip(f" {HARD_SPACE}")
    units = () if name.isalpha() and name.islower() and name not in {"kr"} else units_named(name, language)
    if name.isalpha() and name.isupper() and len(name) == 3 and name not in CODES:
        units = ()
    kept = tuple(unit for unit in units if unit.kind.startswith(CURRENCY))
    return (kept, found.start()) if kept else None


def convert(value: float, unit: Unit, target: Unit) -> float:
    """Return a number in another unit of the same kind.

    >>> convert(5, unit_named("mile"), unit_named("km")), convert(68, unit_named("°F"), unit_named("celsius"))
    (8.04672, 20.0)

    Raises:
        ValueError: they do not measure the same.
    """
    if unit.kind != target.kind:
        message = f"{unit.name} and {target.name} do not measure the same."
        raise ValueError(message)
    return exact((value * unit.factor + unit.plus - target.plus) / target.factor)


def _unit_by_inflected_name(name: str, language: str) -> NamedUnit | None:
    """Return the unit of a name as it stands in a text: behind it may be a full stop, an ending, or what it is per."""
    for shown in dict.fromkeys((name, name.rstrip(".'’-"), name.rstrip(".").removesuffix("'s"))):
        if shown and (units := units_named(shown, language)):
            return NamedUnit(units, len(shown))
    bare = name.rstrip(".'’-")
    for mark in ("-", "'", "’"):
        head, found, _ = bare.partition(mark)
        if found and (units := units_named(head, language)):
            return NamedUnit(units, len(head))
    head, slash, tail = bare.partition("/")
    if slash and (units := units_named(head, language)):
        if units[0].kind.startswith(CURRENCY):
            return NamedUnit(units, len(head))
        return NamedUnit((Unit(bare, bare),), len(bare)) if tail.strip() else NamedUnit(units, len(head))
    ending = _ENDINGS.get(language)
    small = lower(bare)
    for size in range(len(small) - 1, 1, -1) if ending and " " not in bare else ():
        if (units := _units_by_language()[language].get(small[:size])) and ending and ending.fullmatch(small[size:]):
            return NamedUnit(units, len(bare))
    return None


@cache
def _load_unit_table(name: str) -> Mapping[str, Mapping[str, object]]:
    text = files("rove.language.quantities").joinpath(f"{name}.toml").read_text("utf-8")
    return cast("Mapping[str, Mapping[str, object]]", tomllib.loads(text))


@cache
def units_by_name() -> Mapping[str, Unit]:
    """Return every unit by its own name, every currency by its code."""
    made = {
        name: Unit(name.replace("_", " "), str(one["kind"]), float(str(one["factor"])), float(str(one.get("plus", 0))))
        for name, one in _load_unit_table("units").items()
        if "kind" in one
    }
    codes = [*(name for name in _load_unit_table("currencies") if name != "by_language"), *CODES]
    return made | {code: Unit(code, CURRENCY + code) for code in codes}


@cache
def scale_words() -> Mapping[str, Units]:
    """Return the words before a number that say of a temperature by which scale it is: 华氏98.6度."""
    scales = cast("Mapping[str, str]", _load_unit_table("units")["scales"])
    return {word: (units_by_name()[name],) for name, words in scales.items() for word in words.split()}


def unit_words() -> Iterator[tuple[str, Unit]]:
    """Yield the words of all units in all languages, in lower case, those of English first."""
    for word, units in _every().items():
        yield word, units[0]


def _unit_entries(key: str) -> Iterator[tuple[str, Unit]]:
    for table in ("units", "currencies"):
        for name, one in _load_unit_table(table).items():
            unit = units_by_name().get(name)
            for word in str(one.get(key, "")).split() if unit else ():
                yield word.replace("_", " "), cast("Unit", unit)


def _first_unit_by_word(entries: Iterable[tuple[str, Unit]]) -> dict[str, Units]:
    found: dict[str, Units] = {}
    for word, unit in entries:
        found.setdefault(word, (unit,))
    return found


@cache
def _symbols() -> Mapping[str, Units]:
    codes = ((code, unit) for code, unit in units_by_name().items() if code in CODES or unit.kind == CURRENCY + code)
    return _first_unit_by_word([*_unit_entries("symbols"), *codes])


@cache
def _small_symbols() -> Mapping[str, Units]:
    kept = ((lower(word), unit) for word, units in _symbols().items() for unit in units if word not in WORDLIKE)
    return _first_unit_by_word((word, unit) for word, unit in kept if len(word) > 1)


@cache
def _units_by_language() -> Mapping[str, Mapping[str, Units]]:
    keys = {
        key
        for table in ("units", "currencies")
        for one in _load_unit_table(table).values()
        for key in one
        if len(key) == 2
    }
    return {key: _first_unit_by_word((lower(word), unit) for word, unit in _unit_entries(key)) for key in keys}


@cache
def _every() -> Mapping[str, Units]:
    known = _units_by_language()
    made: dict[str, Units] = {}
    for key in ("en", *sorted(known)):
        for word, units in known[key].items():
            made.setdefault(word, units)
    return made


@cache
def _currencies_by_language() -> Mapping[str, Mapping[str, Units]]:
    tables = cast("Mapping[str, Mapping[str, str]]", _load_unit_table("currencies")["by_language"])
    known = units_by_name()
    return {
        language: {word: tuple(known[name] for name in names.split()) for word, names in table.items()}
        for language, table in tables.items()
    }

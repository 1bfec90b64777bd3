"""Numbered places that a text names: a word and a number beside it, "Section 4.2", "12. §", "第三章". Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

from rove.language.quantities.han import han_number
from rove.records.document import Span
from rove.references.place_words import APPENDED, PlaceWord, either, place_words

HAN_NUMBER = "〇零一二两三四五六七八九十百"
BEHIND_CHARS = 40  # of a number, in which its word stands
LISTED = 12  # numbers after one plural word
_SPACED = r"[^\W\u2e80-\u9fff\uac00-\ud7a3\uff00-\uffef]"  # a letter or digit of a script that is written with spaces
_ARABIC = r"\d{1,4}+[a-z]?(?:/[A-Za-z0-9]{1,2})?(?:[.\-–]\d{1,3}[a-z]?(?![a-zA-Z])){0,5}"
_LETTER = r"[A-Z](?:[.\-]?\d{1,3}){0,4}"
_ROMAN = re.compile(r"(?=.)(?:C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})", re.IGNORECASE)
_GAP = r"[ \t\u00a0\u2009\u202f\u3000]"
_NUMBER_SIGN = rf"(?:(?:(?i:no|nr|núm|num|č)\.?|[Nn][º°]|№|N|\#){_GAP}?)"
_SIGN = re.compile(r"(?:no|nr|núm|num|č|n)\.?", re.IGNORECASE)
_LETTERS = r"(?<![^\W\d_])[^\W\d_]{1,40}"
_BEHIND = re.compile(
    rf"(?:(?P<before>{_LETTERS}(?: de)?(?: la)?){_GAP})?"
    rf"(?P<word>{_LETTERS}(?:[-’'][^\W\d_]{{1,40}}){{0,4}}\.?|§{{1,2}}|¶{{1,2}})"
    rf"(?P<gap>{_GAP}{{0,2}}|\n){_NUMBER_SIGN}?[“\"„«‘]?\Z"
)
_RANGE = re.compile(
    rf"{_GAP}?(?:[-–—〜～]|to|bis|through|à|až|до|do|al|au|tot|till)(?:{_GAP}|(?=\d)){{1,2}}(?={_SPACED})|[-–—](?=\d)"
)
_AND = re.compile(
    rf"{_GAP}?(?:[,&、]|(?:,{_GAP})?(?:and|or|und|oder|sowie|et|ou|y|o|e|och|eller|en|of|i|lub|a|nebo|и|или|і|та|és|vagy|ve)(?={_GAP})){_GAP}?"
)
_GOES_ON = re.compile(r"\s+[^\W\d_A-Z]")  # "… kap. A kártya …": a sentence begins there
_FOLLOWING = re.compile(rf"{_GAP}?(ff?)\.?(?!\w)|,?{_GAP}et{_GAP}seqq?\.")
_PARENTHESES = re.compile(r"[ \u00a0]?\((?P<inner>\d{1,2}[a-z]?|[a-z]{1,4})\)(?!\w)|[ \u00a0](?P<letter>[a-z])\)(?!\w)")
_NEXT_WORD = re.compile(r"[ \u00a0](?P<word>[^\W\d_]+\.?)")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_ARTICLES = frozenset("AIEOUY")  # capital letters that are words too


@dataclass(frozen=True, slots=True)
class Place:
    """A place that a text names by a number: "Annex B" is ("appendix", "B").

    `last`: where several are named, the last of them ("pages 14 to 16"). `inner`: what lies within it, outermost first
    ("§ 7 Abs. 2"). `key`: its word, in one form; "" for marks. `is_inner`: it means nothing but beside another place.
    """

    unit: str
    number: str
    span: Span
    last: str = ""
    inner: tuple[tuple[str, str], ...] = ()
    key: str = ""
    is_inner: bool = False


def numbered_places(text: str, language: str = "", *, title: bool = False) -> list[Place]:
    """Return the places that a text names by numbers, in order, none within another.

    `title`: it is a title or a file's name, in which letters may be small ("annex-b").

    >>> [(one.unit, one.number) for one in numbered_places("Schedule 3, 12. § and 第三章; not 12. May", "hu")]
    [('schedule', '3'), ('section', '12'), ('chapter', '3')]
    """
    found = [
        *_after_words(text, language, title=title),
        *_before_words(text, language, title=title),
        *_wide_script_places(text),
    ]
    found.sort(key=lambda one: (one.span[0], -one.span[1]))
    kept: list[Place] = []
    for place in found:
        if not kept or place.span[0] >= kept[-1].span[1]:
            kept.append(_with_parentheses(place, text, language))
        elif place.span[0] == kept[-1].span[0]:
            continue
    return kept


def normal_number(number: str, unit: str) -> str:
    """Return a number in one spelling: Arabic digits, save for letters and for the numbers of appendices.

    >>> normal_number("十二", "chapter"), normal_number("IV", "part"), normal_number("C", "appendix")
    ('12', '4', 'C')
    """
    number = unicodedata.normalize("NFKC", number).strip(". ").replace("–", "-")
    if number and all(character in HAN_NUMBER for character in number):
        return str(han_number(number))
    if unit == "page" and number.islower():
        return number
    if unit not in APPENDED and (roman := roman_number(number)) and (len(number) > 1 or number in "IVXivx"):
        return str(roman)
    return number if len(number) > 1 or unit in {"item", "paragraph"} else number.upper()


def roman_number(number: str) -> int:
    """Return the value of a Roman number, 0 where it is none.

    >>> roman_number("XIV"), roman_number("iv"), roman_number("IC")
    (14, 4, 0)
    """
    if not number or not _ROMAN.fullmatch(number):
        return 0
    values = [{"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}[letter] for letter in number.upper()]
    pairs = zip(values, [*values[1:], 0], strict=True)
    return sum(-value if value < after else value for value, after in pairs)


@cache
def _place_number_pattern() -> re.Pattern[str]:
    """Any number that may stand behind a word; the words for numbers count behind a capital letter only."""
    told = either([*place_words().numbers])
    return re.compile(
        rf"(?<!\w)(?:(?P<arabic>{_ARABIC})|(?P<letter>[IVXLC]{{2,}}+(?:\.\d{{1,3}})*+|{_LETTER})"
        rf"|(?P<small>[ivxl]{{1,7}}+|[b-z])|(?P<told>(?i:{told})))(?!{_SPACED})"
    )


@cache
def _ahead() -> re.Pattern[str]:
    """A number with the mark of an ordinal, and the word after it."""
    between = either(place_words().words.get("between", ()))
    return re.compile(
        rf"(?<![\w.,/-])(?:(?P<number>\d{{1,4}}+(?:/[A-Za-z0-9]{{1,2}})?(?:\.\d{{1,3}}){{0,4}}+)"
        rf"(?P<mark>\.|-?[^\W\d_]{{1,4}}|[ºª])?|(?P<roman>[IVXLC]++|[A-Z])(?P<dot>\.)?)(?P<gap>{_GAP}|\n)?(?:(?P<between>{between}){_GAP})?"
        r"(?P<word>§(?:-[^\W\d_]+)?|[^\W\d_]+\.?)"
    )


@cache
def _wide_patterns() -> re.Pattern[str]:
    words = place_words()
    digits = rf"(?<![{HAN_NUMBER}\d０-９])[{HAN_NUMBER}\d０-９]{{1,9}}"
    introduced = [
        rf"[第제]\s?(?P<{unit}_w>{digits})\s?(?:{either(marks)})(?:[の之](?P<{unit}_s>{digits}))?"
        for unit, marks in words.wide.items()
    ]
    # a word that other characters may belong to ("代表3") begins behind none, or behind one that announces it
    free = r"(?<![\u4e00-\u9fff\uac00-\ud7a3A-Za-z])"
    free += "|(?<=[见見如在由据參参详詳照按从與与和及的或于於以请請对對查阅閱下上本])"
    joined = [
        rf"(?:{free if min(map(len, names)) == 1 else ''})(?:{either(names)})"
        rf"(?:[ \u3000]?第?(?P<{unit}_j>{digits}(?:[-.]\d{{1,3}})*|[A-ZＡ-Ｚ](?:[-.]?\d{{1,3}})*|[IVX]+))号?"
        for unit, told in words.joined.items()
        if (names := [name for name in told if name])
    ]
    dotted = r"\d{1,4}(?:\.\d{1,3})+"
    counted = [
        rf"(?<![\d.第제])(?P<{unit}_c>{dotted if unit == 'section' else digits})\s?(?:{either(marks)})"
        for unit, marks in words.counted.items()
    ]
    return re.compile(
        rf"(?=[\u1100-\u11ff\u2e80-\u9fff\uac00-\ud7a3\d０-９])(?:{'|'.join([*introduced, *joined, *counted])})"
    )


def _before(number: re.Match[str], text: str, language: str) -> tuple[PlaceWord, int, str] | None:
    """Return the word before a number, where it begins, and as it is written; None where none names a place."""
    start = max(0, number.start() - BEHIND_CHARS)
    behind = _BEHIND.search(text, start, number.start())
    if not behind or (not behind["gap"] and behind["word"][-1] not in ".§¶"):
        return None
    if "\n" in behind["gap"] and not number["arabic"]:
        return None
    if behind["before"] and (two := place_words().before.find(f"{behind['before']} {behind['word']}", language)):
        return two, behind.start(), behind["word"]
    for name in ("before", "word") if _SIGN.fullmatch(behind["word"]) else ("word",):  # "Table no. 7"
        written = behind[name] or ""
        elided = re.split("[’']", written)[-1]  # "l’annexe"
        for told in dict.fromkeys((written, elided)):
            if told and (word := place_words().before.find(told, language)):
                return word, behind.end(name) - len(told), told
    return None


def _after_words(text: str, language: str, *, title: bool) -> Iterator[Place]:
    """Places whose number stands after its word."""
    end = 0
    for number in _place_number_pattern().finditer(text):
        if number.start() < end or not (found := _before(number, text, language)):
            continue
        word, start, written = found
        if not _is_number(number, word, written, text, title=title):
            continue
        place = Place(
            word.unit, _normal_place_number(number, word.unit), (start, number.end()), "", (), word.key, word.inner
        )
        for one in _expand_place_list(place, word, text):
            end = one.span[1]
            yield one


def _is_number(number: re.Match[str], word: PlaceWord, written: str, text: str, *, title: bool) -> bool:
    """Say whether letters behind a word are a number, and not a word of the sentence."""
    told, capital = number[0], written[0].isupper() or not written[0].isalpha()
    if number["arabic"]:
        return True
    if number["told"]:
        return capital
    if number["small"]:
        return (
            word.inner
            or (word.unit == "page" and bool(_ROMAN.fullmatch(told)))
            or (
                word.unit in APPENDED
                and (title or (told not in "io" and len(told) == 1 and not _GOES_ON.match(text, number.end())))
            )
        )
    if len(told) > 1 and told.isalpha():
        return bool(_ROMAN.fullmatch(told)) or title
    if capital or title or told not in _ARTICLES:
        return not (written.endswith(".") and not capital and _GOES_ON.match(text, number.end()))
    return not _GOES_ON.match(text, number.end())


def _normal_place_number(number: re.Match[str], unit: str) -> str:
    if number["told"]:
        return place_words().numbers[number["told"].casefold()]
    return normal_number(number[0], unit)


def _expand_place_list(place: Place, word: PlaceWord, text: str) -> Iterator[Place]:
    """Yield a place, and those of the numbers that follow it: "§§ 3 and 5", "pp. 14-16"."""
    apart = word.unit == "page" or word.plural
    first, dash, last = place.number.partition("-")
    if apart and dash:
        place = replace(place, number=first, last=last)
    elif (
        apart
        and (dash := _RANGE.match(text, place.span[1]))
        and (to := _place_number_pattern().match(text, dash.end()))
    ):
        place = replace(place, last=normal_number(to[0], word.unit), span=(place.span[0], to.end()))
    elif followed := _FOLLOWING.match(text, place.span[1]):
        place = replace(place, last=followed[1] or "ff", span=(place.span[0], followed.end()))
    yield place
    for _ in range(LISTED if word.plural else 0):
        again = _AND.match(text, place.span[1])
        number = _place_number_pattern().match(text, again.end()) if again else None
        if not number or number["small"] or number["told"]:
            return
        place = replace(place, number=normal_number(number[0], word.unit), last="", span=number.span())
        yield place


def _before_words(text: str, language: str, *, title: bool) -> Iterator[Place]:
    """Places whose number stands before its word, as an ordinal: "3. fejezet", "the 3rd chapter"."""
    for found in _ahead().finditer(text):
        mark, written, told = found["mark"] or found["dot"] or "", found["word"], found["number"] or found["roman"]
        word = place_words().after.find(written, language) or place_words().after.find(written.rstrip("."), language)
        if word is None or not (mark or written[0] == "§" or word.language == "sv" or found["between"] or title):
            continue
        if word.ordinal != (mark not in {".", ""} and word.language in {"en", "fr"}):
            continue
        if not found["gap"] and written[0] != "§":
            continue
        if told.isalpha() and not (roman_number(told) or word.unit in APPENDED):
            continue
        number = normal_number(told, word.unit)
        end = found.end() if not written.endswith(".") or place_words().after.find(written) else found.end() - 1
        yield Place(word.unit, number, (found.start(), end), "", (), word.key, word.inner)


def _wide_script_places(text: str) -> Iterator[Place]:
    """Places of texts without spaces between words: "第三章", "附件三", "別表第2"."""
    for found in _wide_patterns().finditer(text):
        name, number = next((name, told) for name, told in found.groupdict().items() if told)
        unit = name.partition("_")[0]
        if found[0][-1] == "部" and _HAN.match(text, found.end()):  # "第一部小说": so many, not a part
            continue
        if name.endswith("_j") and unit in {"table", "figure"} and _is_counter_word_at(text, found.end()):
            continue
        told = normal_number(number, unit)
        sub = found.groupdict().get(f"{unit}_s")
        key = (
            "" if not name.endswith("_j") else found[0][: max(1, found.start(name) - found.start())].rstrip(" 第\u3000")
        )
        yield Place(unit, f"{told}-{normal_number(sub, unit)}" if sub else told, found.span(), "", (), key)


def _is_counter_word_at(text: str, end: int) -> bool:
    return text[end : end + 1] in set("人个個名篇种種次年岁歲天日元件位份")


def _with_parentheses(place: Place, text: str, language: str) -> Place:
    """Add what is numbered in parentheses right behind a place: "14(b)", "12. § (2) bekezdése"."""
    end = place.span[1]
    inner = list(place.inner)
    while found := _PARENTHESES.match(text, end):
        if found["letter"] and not inner and place.unit not in {"section", "article", "paragraph"}:
            break
        end = found.end()
        inner.append(
            (
                "item" if (found["inner"] or found["letter"]).isalpha() else "paragraph",
                found["inner"] or found["letter"],
            )
        )
        word = _NEXT_WORD.match(text, end)
        if word and place_words().after.find(word["word"], language) and text[word.end() : word.end() + 1] != ".":
            end = word.end()
    return replace(place, inner=tuple(inner), span=(place.span[0], end))

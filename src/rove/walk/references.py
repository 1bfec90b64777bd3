"""What a text refers to by itself, in many languages: sections, pages, footnotes, links, named headings. Pure."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from rove.language.han import han_number
from rove.records.document import Span
from rove.records.walk_events import LeadKind

MAX_NAMED_CHARS = 100
NAMED_WORDS = 10
SEE_CHARS = 24
HAN_NUMBER = "〇零一二两三四五六七八九十百"
_ROMAN = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_ARABIC = r"\d{1,4}(?:\.\d{1,3}){0,5}"
_SPACED = r"[^\W\u2e80-\u9fff\uac00-\ud7a3]"  # a letter or digit of a script that is written with spaces
_NUMBER = rf"(?:{_ARABIC}|[IVXLC]+|[A-Z](?:\.\d{{1,3}}){{0,4}})(?!{_SPACED})"
_HAN = rf"[{HAN_NUMBER}\d０-９]+"
_GAP = r"[ \t\u00a0\u3000]"
_QUOTED = re.compile(
    r"“([^“”\n]+)”|„([^„“”\n]+)[“”]|\"([^\"\n]+)\"|«([^«»\n]+)»|「([^「」\n]+)」|『([^『』\n]+)』|《([^《》\n]+)》"
)
_LINK = re.compile(
    r"(?<!!)\[(?P<label>[^\[\]\n]*)\]\(\s*+<?(?P<target>[^\s()<>]++)>?[^()\n]*+\)|(?P<bare>https?://[^\s<>()\[\]\"'，。、）】]+)"
)
_FOOTNOTE = re.compile(
    r"\[\^(?P<label>[^\s\[\]^]{1,12})\](?!:)|[（(]\s*(?P<note>[注註]\s*\d{1,3})\s*[)）]|(?<=\w)(?P<raised>[¹²³⁴-⁹⁰]{1,3})(?!\w)"
)
_NAMED_END = re.compile(r"[.,;:!?()\[\]\n。，；：！？（）、]|\s(?:for|on|in|and|of this|um|für|und)\s")
_LETTERED = re.compile(r"\b[a-z]+\.\s+[A-Z]\Z")
_GOES_ON = re.compile(r"\s+[^\W\d_A-Z]")  # "… kap. A kártya …": a sentence begins there
_PLAIN_NUMBER = re.compile(rf"((?:[A-Z]\.)?{_ARABIC})[.):]?(?=\s|$|[、，　])|([{HAN_NUMBER}]+)、|（([{HAN_NUMBER}]+)）")


@dataclass(frozen=True, slots=True)
class Reference:
    """What a text refers to, as it stands at `span`: `label`.

    `kind`: "reference" (a numbered section, chapter, table …), "page", "footnote", "link" or "section" (one that is
    named). `target`: the number ("4.2"), the footnote's label, the address, or the name. `unit`: what is numbered; of
    a name "quoted", "announced" (it stands after "see", and it is not known where it ends), or "named", which is both.
    """

    kind: LeadKind
    target: str
    label: str
    span: Span
    unit: str = ""


def references(text: str) -> list[Reference]:
    """Return what a text refers to, in order; what lies within another one is left out.

    >>> [(r.unit, r.target) for r in references("See Section 4.2, chapter IV and lásd a 3. fejezetet.")]
    [('section', '4.2'), ('chapter', '4'), ('chapter', '3')]
    >>> [(r.kind, r.target) for r in references("参见第三章和第12页。「休暇規程」を参照。")]
    [('reference', '3'), ('page', '12'), ('section', '休暇規程')]
    """
    plainly = [*_links(text), *_footnotes(text), *_pages(text), *_numbered(text)]
    plainly.sort(key=lambda reference: (reference.span[0], -reference.span[1]))
    kept: list[Reference] = []
    for reference in [*plainly, *_named(text)]:
        if not any(_overlap(reference.span, one.span) for one in kept):
            kept.append(reference)
    return sorted(kept, key=lambda reference: reference.span)


def heading_number(title: str) -> tuple[str, str]:
    """Return what a heading numbers, and its number: ("", "") where it has none.

    >>> heading_number("Chapter 3. Travel"), heading_number("4.2 Hotels"), heading_number("第三章 总则")
    (('chapter', '3'), ('', '4.2'), ('chapter', '3'))
    """
    title = title.lstrip("#* \t")
    if found := _patterns()["numbered"].match(title):
        return _unit_and_number(found)
    if found := _PLAIN_NUMBER.match(title):
        return "", normal_number(next(group for group in found.groups() if group), "")
    return "", ""


def normal_number(number: str, unit: str) -> str:
    """Return a number in one spelling: Arabic digits, save for the letters of appendices.

    >>> normal_number("十二", "chapter"), normal_number("IV", "part"), normal_number("C", "appendix")
    ('12', '4', 'C')
    """
    number = unicodedata.normalize("NFKC", number).strip(". ")
    if number and all(character in HAN_NUMBER for character in number):
        return str(han_number(number))
    if unit != "appendix" and re.fullmatch(r"[IVXLC]+", number):
        values = [_ROMAN[letter] for letter in number]
        pairs = zip(values, [*values[1:], 0], strict=True)
        return str(sum(-value if value < after else value for value, after in pairs))
    return number


def _overlap(one: Span, other: Span) -> bool:
    return one[0] < other[1] and other[0] < one[1]


def _links(text: str) -> Iterator[Reference]:
    for found in _LINK.finditer(text):
        target = (found["target"] or found["bare"]).rstrip(".,;:")
        if not target.startswith(("mailto:", "javascript:", "data:", "tel:")):
            yield Reference("link", target, found["label"] or target, found.span())


def _footnotes(text: str) -> Iterator[Reference]:
    for found in _FOOTNOTE.finditer(text):
        if text[text.rfind("\n", 0, found.start()) + 1 : found.start()].strip():  # not where the note itself begins
            target = found["label"] or found["note"] or unicodedata.normalize("NFKC", found["raised"])
            yield Reference("footnote", "".join(target.split()), found[0], found.span())


def _pages(text: str) -> Iterator[Reference]:
    for found in _patterns()["page"].finditer(text):
        number = next(group for group in found.groups() if group)
        yield Reference("page", normal_number(number, "page"), found[0].strip(), found.span())


def _numbered(text: str) -> Iterator[Reference]:
    for found in _patterns()["numbered"].finditer(text):
        if not (_LETTERED.search(found[0]) and _GOES_ON.match(text, found.end())):
            unit, number = _unit_and_number(found)
            yield Reference("reference", number, found[0].strip(), found.span(), unit)


def _named(text: str) -> Iterator[Reference]:
    """Yield what is named: in quotation marks, or after a word that announces it up to where the name must end."""
    for found in _QUOTED.finditer(text):
        name = "".join(group or "" for group in found.groups()).strip()
        if name and len(name) <= MAX_NAMED_CHARS:
            opened = text[max(0, found.start() - SEE_CHARS) : found.start()]
            told = _patterns()["seen"].search(opened) or _patterns()["then"].match(text, found.end())
            yield Reference("section", name, found[0], found.span(), "named" if told else "quoted")
    for found in _patterns()["see"].finditer(text):
        start = found.end()
        end = _NAMED_END.search(text, start, start + MAX_NAMED_CHARS)
        name = text[start : end.start() if end else start + MAX_NAMED_CHARS]
        words = name.split()[:NAMED_WORDS]
        if words and not _QUOTED.match(name.lstrip()):
            yield Reference("section", " ".join(words), name.strip(), (start, start + len(name)), "announced")


def _unit_and_number(found: re.Match[str]) -> tuple[str, str]:
    name, number = next((name, text) for name, text in found.groupdict().items() if text)
    unit = name.partition("_")[0]
    return unit, normal_number(number, unit)


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    told = tomllib.loads(files("rove.walk").joinpath("references.toml").read_text("utf-8"))
    page = told["page"]
    spaced = [
        *(
            rf"(?i:{words}){_GAP}?(?P<{unit}_b>{_NUMBER}|(?<=[录錄録件표图圖図表]){_GAP}?{_HAN})"
            for unit, words in told["before"].items()
        ),
        *(
            rf"(?P<{unit}_a>\d{{1,4}}+(?:\.\d{{1,3}}+){{0,5}}+|[IVXLC]++)\.?{_GAP}(?i:{words})"
            for unit, words in told["after"].items()
        ),
    ]
    wide = [rf"[第제]\s?(?P<{unit}_w>{_HAN})\s?(?:{marks})" for unit, marks in told["wide"].items()]
    return {
        # what each begins with is looked for first: all words one after the other would take most of the time
        "numbered": re.compile(rf"(?=[\w§])(?<!{_SPACED})(?:{'|'.join(spaced)})|{'|'.join(wide)}"),
        "page": re.compile(
            rf"(?<!{_SPACED})(?:{page['before']})\s?(\d{{1,4}})(?!{_SPACED})|(?<![\w.])(\d{{1,4}})\.\s?{page['after']}"
            rf"|(?:第\s?|(?<!{_HAN[:-1]}))({_HAN}+)\s?(?:{page['wide']})"
        ),
        "see": re.compile(rf"(?<!{_SPACED})(?i:{told['see']['before']})\s*+(?:[:：]\s*+)?"),
        "seen": re.compile(rf"(?i:{told['see']['before']})\s*+(?:[:：]\s*+)?\Z"),
        "then": re.compile(rf"\s{{0,8}}(?:{told['see']['after']})"),
    }

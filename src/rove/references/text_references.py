"""What a text refers to by itself, in many languages: places, pages, notes, links, files, works, headings. Pure."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from rove.records.document import Span
from rove.records.walk_events import LeadKind
from rove.references.numbered_places import HAN_NUMBER, Place, normal_number, numbered_places
from rove.references.place_words import LEVELS, either, place_words

MAX_NAMED_CHARS = 100
NAMED_WORDS = 10
SEE_CHARS = 24
GLUE_CHARS = 24  # between a place and the one that it lies within
HEADING_CHARS = 80  # of a heading, in which its number stands
FILE_TYPES = (
    "md|txt|rst|pdf|docx?|odt|rtf|xlsx?|xlsm|ods|csv|tsv|pptx?|odp|html?|eml|msg|json|ya?ml|toml|xml|epub|ipynb|tex|"
    "png|jpe?g|gif|tiff?|svg|zip"
)
_SPACED = r"[^\W\u2e80-\u9fff\uac00-\ud7a3]"  # a letter or digit of a script that is written with spaces
_ARABIC = r"\d{1,4}(?:\.\d{1,3}){0,5}"
_QUOTED = re.compile(
    r"“([^“”\n]+)”|„([^„“”\n]+)[“”]|\"([^\"\n]+)\"|«([^«»\n]+)»|「([^「」\n]+)」|『([^『』\n]+)』|《([^《》\n]+)》"
)
_LINK = re.compile(
    r"(?<!!)\[(?P<label>[^\[\]\n]*)\]\(\s*+<?(?P<target>[^\s()<>]++)>?[^()\n]*+\)|(?P<bare>https?://[^\s<>()\[\]\"'，。、）】]+)"
    r"|\[\[(?P<page>[^\[\]|\n]{1,100})(?:\|(?P<shown>[^\[\]\n]{1,100}))?\]\]"
)
_FILE = re.compile(
    rf"(?<![\w./@-])(?:\.{{0,2}}/)?(?:[\w.\-]{{1,60}}/){{0,6}}[\w\-][\w.\-]{{0,80}}\.(?:{FILE_TYPES})(?![\w/])",
    re.IGNORECASE,
)
_FOOTNOTE = re.compile(
    r"\[\^(?P<label>[^\s\[\]^]{1,12})\](?!:)|[（(]\s*(?P<note>[注註]\s*\d{1,3})\s*[)）]|(?<=\w)(?P<raised>[¹²³⁴-⁹⁰]{1,3})(?!\w)"
)
_ENTRY = re.compile(r"(?<![\w\])!])\[(?P<numbers>\d{1,3}(?:\s?[,;–-]\s?\d{1,3}){0,5})\](?![\[(:\w])")
_SURNAME = r"(?<![\w’'-])[A-ZÀ-ÖØ-Þ][\w’'\-]{1,40}"
_AUTHORS = rf"{_SURNAME}(?:(?:,? (?:and|&|und|et|y|e) {_SURNAME})|(?:,? et al\.?)){{0,2}}"
_YEAR = re.compile(rf"(?P<authors>{_AUTHORS})(?P<open>,? \(|, | )(?P<year>(?:19|20)\d\d)[a-z]?(?=[);,:\]])")
_UNION = "EU|EC|EG|EK|UE|CE|EWG"
_CODE = re.compile(
    r"(?<![\w-])(?:[A-Z]{2,8}(?:[/ -](?:[A-Z]{1,5}|[IVX]{1,8})){0,8}+[ -]?\d[\w./:-]{0,60}(?<![./:-])"
    r"|(?<![\w.])\d{1,3} (?:CFR|USC|U\.S\.C\.) §? ?\d[\d.]{0,30}(?<!\.)"
    rf"|\((?:{_UNION})\)(?: (?:Nr\.|No\.?))? \d{{2,4}}/\d{{1,5}}|\d{{2,4}}/\d{{1,5}}/(?:{_UNION})(?!\w))"
)
_LAW_SHORT = re.compile(r"\s(?P<name>[A-ZÄÖÜ][A-Za-zÄÖÜäöü]{0,6}[A-ZÄÖÜ]{1,3}[A-Za-z]?)(?!\w)")
_SMALL = "of|and|for|on|the|in|der|die|über|und|zur|zum|für|de|la|du|des|del|e|y|és"  # words within a title
_WORDS = (
    rf"(?<![\w’'-])[A-ZÀ-ÞА-Я][\w’'\-]{{0,40}}"
    rf"(?:\s(?:(?:{_SMALL}) ){{0,2}}?(?:[A-ZÀ-ÞА-Я(][\w’'\-)]{{0,40}}|\d[\w/.-]*\w)){{0,7}}"
)
_TITLED = re.compile(rf"(?<![\w.])(?:{_WORDS})")
_PLAIN_NUMBER = re.compile(
    rf"((?:[A-Z]\.)?{_ARABIC})[.):]?(?=\s|$|[、，　])|([{HAN_NUMBER}]+)、|（([{HAN_NUMBER}]+)）|([A-Z]|[IVX]+)[.)]\s"
)
_CAPITAL_BEFORE = re.compile(r"(?<![\w’'-])(?:[A-ZÀ-Þ][\w’'-]{0,40}|of|von|de)\s\Z")
_OPENS = re.compile(r"(?:\A|[.!?:。#|*>\n-])\s{0,4}\Z")
MOST_TITLED = 8
BEFORE_AUTHORS_CHARS = 60
DETERMINED = frozenset({"en", "de", "fr", "es", "it", "pt", "nl", "hu"})
"""Languages that put an article before what is attached."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What a text refers to, as it stands at `span`: `label`.

    `kind`: "reference" (a numbered section, chapter, table …), "page", "footnote" (also an entry of a
    bibliography), "link" (also a file's name) or "section" (one that is named). `target`: the number ("4.2"), the
    footnote's label, the address, or the name. `unit`: what is numbered; of a name "quoted", "announced" (it stands
    after "see", and it is not known where it ends), "named", which is both, "described" ("the chapter on …"), or,
    of `title_candidates`, "titled" (capital letters alone) and "code" ("RFC 2119"); of a link "file" or "attached";
    of a page "next"; of a note "bibliography".

    `last`: the last of several. `inner`: the places within it that are named together with it, outermost first
    ("§ 7 Abs. 2"). `work`: the work that it lies in, by name; "" for the one that the text stands in. `key`: its word.
    """

    kind: LeadKind
    target: str
    label: str
    span: Span
    unit: str = ""
    last: str = ""
    inner: tuple[tuple[str, str], ...] = ()
    work: str = ""
    key: str = ""


def references(text: str, language: str = "") -> list[Reference]:
    """Return what a text in that language refers to, in order; what lies within another one is left out.

    >>> [(r.unit, r.target) for r in references("See Section 4.2, chapter IV and lásd a 3. fejezetet.")]
    [('section', '4.2'), ('chapter', '4'), ('chapter', '3')]
    >>> [(r.kind, r.target, r.work) for r in references("参见第三章和第12页。「休暇規程」第5条による。")]
    [('reference', '3', ''), ('page', '12', ''), ('reference', '5', '休暇規程')]
    """
    plainly = [
        *_links(text),
        *_files(text),
        *_footnotes(text),
        *_place_references(text, language),
        *_bibliography_references(text),
    ]
    plainly.sort(key=lambda reference: (reference.span[0], -reference.span[1]))
    kept: list[Reference] = []
    for reference in [*plainly, *_description_references(text, language), *_name_references(text)]:
        cut = _before_others(reference, kept) if reference.unit == "announced" else reference
        if cut and not _is_taken(cut.span, kept):
            insort(kept, cut, key=_reference_span)
    return kept


def title_candidates(text: str, language: str = "") -> list[Reference]:
    """Return what may be the title or the code of a document: it refers to one only where the base holds it.

    >>> [one.target for one in title_candidates("It follows ISO 9001 and our Travel Policy.")]
    ['ISO 9001', 'Travel Policy']
    """
    taken = references(text, language)
    found = sorted(
        [*_code_references(text), *_title_references(text, language)], key=lambda one: (one.span[0], one.unit != "code")
    )
    kept: list[Reference] = []
    for one in found:
        if not _is_taken(one.span, taken) and not _is_taken(one.span, kept):
            insort(kept, one, key=_reference_span)
    return kept


@lru_cache(4_096)
def heading_number(title: str) -> tuple[str, str]:
    """Return what a heading numbers, and its number: ("", "") where it has none.

    >>> heading_number("Chapter 3. Travel"), heading_number("4.2 Hotels"), heading_number("第三章 总则")
    (('chapter', '3'), ('', '4.2'), ('chapter', '3'))
    """
    title = title.lstrip("#*_ \t")[:HEADING_CHARS]
    places = numbered_places(title, title=True)
    if places and places[0].span[0] == 0 and not places[0].is_inner:
        return places[0].unit, places[0].number
    if found := _PLAIN_NUMBER.match(title):
        return "", normal_number(next(group for group in found.groups() if group), "")
    return "", ""


def _before_others(name: Reference, others: Sequence[Reference]) -> Reference | None:
    """Return a name that ends where another reference begins: "see SET and Chapter 20" names SET."""
    start, end = name.span
    after = bisect_right(others, (start, start), key=_reference_span)
    end = min(others[after].span[0], end) if after < len(others) else end
    label = name.label[: end - start].strip()
    words = label.split()[:NAMED_WORDS]
    told = place_words().words
    if all(word.casefold() in {*told["the"], *told["own"], *told["of"], *told["in"]} for word in words):
        return None
    return replace(name, target=" ".join(words), label=label, span=(start, end)) if words else None


def _reference_span(reference: Reference) -> Span:
    return reference.span


def _is_taken(span: Span, kept: Sequence[Reference]) -> bool:
    """Say whether a span overlaps one of these references, which stand in order and apart."""
    at = bisect_left(kept, span, key=_reference_span)
    return (at > 0 and kept[at - 1].span[1] > span[0]) or (at < len(kept) and kept[at].span[0] < span[1])


def _links(text: str) -> Iterator[Reference]:
    for found in _LINK.finditer(text):
        if found["page"]:
            yield Reference("section", found["page"].strip(), found["shown"] or found["page"], found.span(), "named")
            continue
        target = (found["target"] or found["bare"]).rstrip(".,;:")
        if not target.startswith(("mailto:", "javascript:", "data:", "tel:")):
            yield Reference("link", target, found["label"] or target, found.span())


def _files(text: str) -> Iterator[Reference]:
    for found in _FILE.finditer(text):
        if text.endswith("](", 0, found.start()):  # a picture
            continue
        yield Reference("link", found[0], found[0], found.span(), "file")


def _footnotes(text: str) -> Iterator[Reference]:
    for found in _FOOTNOTE.finditer(text):
        if _goes_before(text, found.start()):  # not where the note itself begins
            target = found["label"] or found["note"] or unicodedata.normalize("NFKC", found["raised"])
            yield Reference("footnote", "".join(target.split()), found[0], found.span())


def _goes_before(text: str, start: int) -> bool:
    return bool(text[text.rfind("\n", 0, start) + 1 : start].strip())


def _bibliography_references(text: str) -> Iterator[Reference]:
    """Entries of a bibliography, by number or by author and year."""
    for found in _ENTRY.finditer(text):
        if not _goes_before(text, found.start()):
            after = text[found.end() : found.end() + 40].strip()
            if not after.startswith(("for ", "is ", "are ", "shows ", "and ")):
                continue
        for one in re.finditer(r"(\d+)(?:\s?[–-]\s?(\d+))?", found["numbers"]):
            start = found.start("numbers")
            span = (start + one.start(), start + one.end())
            yield Reference("footnote", one[1], f"[{one[0]}]", span, "bibliography", one[2] or "")
    for found in _YEAR.finditer(text):
        before = text[max(0, found.start() - BEFORE_AUTHORS_CHARS) : found.start()]
        if found["open"] == " " and not before.rstrip().endswith(("(", ";")):
            continue  # "in May 2020,"
        if found["open"].endswith("(") and " " not in found["authors"] and _CAPITAL_BEFORE.search(before):
            continue  # "Planet Giants (1964)": a title
        end = found.end() + (text[found.end()] == ")" and "(" in found["open"])
        target = f"{found['authors'].split()[0].strip(',')} {found['year']}"
        yield Reference("footnote", target, text[found.start() : end], (found.start(), end), "bibliography")


def _place_references(text: str, language: str) -> Iterator[Reference]:
    """Numbered places, each with what lies within it and with the work that it lies in."""
    places = numbered_places(text, language)
    at = 0
    while at < len(places):
        chain = [places[at]]
        at += 1
        while at < len(places) and (order := _place_chain_order(chain, places, at, text)):
            chain.insert(0 if order < 0 else len(chain), places[at])
            at += 1
        if not all(place.is_inner for place in chain):
            yield _in_its_work(_reference_from_chain(chain, text), text)


def _place_chain_order(chain: Sequence[Place], places: Sequence[Place], at: int, text: str) -> int:
    """Return 1 if the next place lies within the last one of a chain, -1 if it holds all of it, else 0."""
    end, place = max(one.span[1] for one in chain), places[at]
    between = text[end : place.span[0]]
    if len(between) > GLUE_CHARS or not (found := _glue().fullmatch(between)):
        return 0
    level = LEVELS.get(place.unit, 5)
    if "," in between and not found["of"] and _is_enumerated(places, at, text):
        return 0
    if LEVELS.get(chain[-1].unit, 5) < level or (place.is_inner and chain[-1].unit != place.unit):
        return 1 if chain[-1].span[1] == end else 0
    return -1 if level < LEVELS.get(chain[0].unit, 5) and (found["of"] or not between.strip()) else 0


def _is_enumerated(places: Sequence[Place], at: int, text: str) -> bool:
    """Say whether after a comma and a place "and" and another one follow: they stand side by side then."""
    if at + 1 >= len(places) or places[at].is_inner:
        return False
    between = text[places[at].span[1] : places[at + 1].span[0]]
    return (
        len(between) <= GLUE_CHARS
        and not _glue().fullmatch(between)
        and bool(re.fullmatch(r",?\s?\w{1,6}\s(?:\w{1,4}\s)?", between))
    )


def _reference_from_chain(chain: Sequence[Place], text: str) -> Reference:
    outer = chain[0]
    span = min(one.span[0] for one in chain), max(one.span[1] for one in chain)
    inner = [*outer.inner]
    for place in chain[1:]:
        inner += [(place.unit, place.number), *place.inner]
    kind: LeadKind = {"page": "page", "note": "footnote"}.get(outer.unit, "reference")  # pyright: ignore
    unit = "" if kind == "page" else outer.unit
    label = " ".join(text[slice(*span)].split())
    return Reference(kind, outer.number, label, span, unit, outer.last, tuple(inner), "", outer.key)


def _in_its_work(place: Reference, text: str) -> Reference:
    """Add the work that a place lies in, where it is named right before or right after it."""
    before = text[max(0, place.span[0] - MAX_NAMED_CHARS) : place.span[0]]
    for pattern in (_quotation_before(), _code_before(), _work_before()):
        if (found := pattern.search(before)) and not _own_work().search(found["name"]):
            start = place.span[0] - len(before) + found.start("whole")
            return _set_reference_work(place, found["name"], (start, place.span[1]), text)
    if found := _title_before().search(before):
        start = place.span[0] - len(before) + found.start()
        inner = ((place.unit, place.target), *place.inner)
        return replace(
            place,
            kind="section",
            target=found[0],
            unit="named",
            inner=inner,
            span=(start, place.span[1]),
            label=text[start : place.span[1]],
        )
    if (found := _of_work().match(text, place.span[1])) and place.kind != "footnote":
        name = next(filter(None, (_inside_quotes(found["quoted"]), found["code"], found["words"])), "")
        return _set_reference_work(place, name, (place.span[0], found.end()), text)
    if place.label.startswith(("§", "Art")) and (found := _LAW_SHORT.match(text, place.span[1])):
        return _set_reference_work(place, found["name"], (place.span[0], found.end()), text)
    return place


def _set_reference_work(place: Reference, name: str, span: Span, text: str) -> Reference:
    return replace(place, work=name.strip(), span=span, label=" ".join(text[slice(*span)].split()))


def _inside_quotes(told: str | None) -> str:
    return told[1:-1].strip() if told else ""


def _code_references(text: str) -> Iterator[Reference]:
    for found in _CODE.finditer(text):
        yield Reference("reference", found[0], found[0], found.span(), "code")


def _name_references(text: str) -> Iterator[Reference]:
    """Yield what is named: in quotation marks, or after a word that announces it up to where the name must end."""
    for found in _QUOTED.finditer(text):
        name = "".join(group or "" for group in found.groups()).strip()
        if name and len(name) <= MAX_NAMED_CHARS:
            opened = text[max(0, found.start() - SEE_CHARS) : found.start()]
            told = _see_word_before().search(opened) or _then().match(text, found.end())
            yield Reference("section", name, found[0], found.span(), "named" if told else "quoted")
    for found in _see().finditer(text):
        start = found.end()
        end = _NAMED_END.search(text, start, start + MAX_NAMED_CHARS)
        name = text[start : end.start() if end else start + MAX_NAMED_CHARS]
        words = name.split()[:NAMED_WORDS]
        if words and not _QUOTED.match(name.lstrip()) and name.strip().casefold() not in place_words().words["own"]:
            yield Reference("section", " ".join(words), name.strip(), (start, start + len(name)), "announced")


_NAMED_END = re.compile(r"[.,;:!?()\[\]\n。，；：！？（）、]")


def _description_references(text: str, language: str) -> Iterator[Reference]:
    """Yield what is described: "the chapter on winter operation", "the attached price list", "overleaf"."""
    for found in _topic_place_pattern().finditer(text):
        word = place_words().before.find(found["word"], language)
        if word and not word.inner and LEVELS[word.unit] <= LEVELS["paragraph"]:
            span: Span = (found.start(), found.end("name"))
            yield Reference("section", found["name"].strip(), text[slice(*span)].strip(), span, "described")
    for marks, pattern in _description_patterns():
        for found in pattern.finditer(text) if any(map(text.__contains__, marks)) else ():
            yield Reference("section", found["name"].strip(), found[0], found.span(), "described")
    for found in _attachment_pattern().finditer(text):
        opened = text[max(0, found.start() - SEE_CHARS) : found.start()]
        if language in DETERMINED and not _determiner_before().search(opened):  # "the rods attached there"
            continue
        yield Reference("link", found["name"].strip(), found[0].strip(), found.span(), "attached")
    for found in _overleaf().finditer(text):
        yield Reference("page", "", found[0], found.span(), "next")


def _title_references(text: str, language: str) -> Iterator[Reference]:
    """Yield what may be a title by its capital letters: "the Travel Policy", "die Gebührenordnung".

    One word that opens a sentence, or names a kind of place, is none.
    """
    for at, found in enumerate(_TITLED.finditer(text)):
        if at >= MOST_TITLED:
            return
        one = " " not in found[0]
        opens = _OPENS.search(text, max(0, found.start() - 4), found.start())
        if not (one and (opens or place_words().before.find(found[0], language))) and len(found[0]) <= MAX_NAMED_CHARS:
            yield Reference("section", found[0], found[0], found.span(), "titled")


# -- patterns, made of the tables ------------------------------------------------------------------------------------


def _place_word_choices(name: str) -> str:
    return either(place_words().words.get(name, ()))


@cache
def _glue() -> re.Pattern[str]:
    """What stands between two places of which one lies within the other."""
    of, own = (
        f"{_place_word_choices('of')}|{_place_word_choices('in')}",
        f"{_place_word_choices('the')}|{_place_word_choices('own')}",
    )
    return re.compile(rf"\s?(?:[,、·:：–-]\s?)?(?P<of>(?:{of})\s?)?(?:(?i:{own})\s?)?", re.UNICODE)


@cache
def _see() -> re.Pattern[str]:
    words = place_words().words["see"]
    spaced = either([word for word in words if ord(word[0]) < 0x2E80])
    wide = either([word for word in words if ord(word[0]) >= 0x2E80])
    return re.compile(rf"(?:(?<!{_SPACED})(?i:{spaced})(?=[\s:])|(?<!を)(?:{wide}))\s*+(?:[:：]\s*+)?")


@cache
def _see_word_before() -> re.Pattern[str]:
    held = place_words().before.whole
    units = either([word for word, told in held.items() if any(not (one.own or one.inner) for one in told)])
    unit = rf"(?<!\w)(?i:{units})(?:\s(?i:{_place_word_choices('of_name')}))?\s"
    return re.compile(rf"(?:{_see().pattern}|{unit})(?:(?i:{_place_word_choices('the')})\s)?\Z")


@cache
def _then() -> re.Pattern[str]:
    return re.compile(rf"\s{{0,8}}(?:{'|'.join(place_words().words['after'])})")


@cache
def _quotation_before() -> re.Pattern[str]:
    """A name in quotation marks that ends where a place begins."""
    name = r"(?P<name>[^“”„\"«»「」『』《》\n]{1,80})"
    return re.compile(rf"(?P<whole>[“„\"«「『《]{name}[”“\"»」』》])(?:\s?(?:の|的|中の|,|’s|'s))?\s?\Z")


@cache
def _code_before() -> re.Pattern[str]:
    return re.compile(rf"(?P<whole>(?P<name>{_CODE.pattern})),?\s\Z")


@cache
def _work_before() -> re.Pattern[str]:
    """A Chinese or Japanese law or rule that stands right before "第…条"."""
    works = either(place_words().words["works"])
    return re.compile(
        rf"(?P<whole>(?P<name>[\u4e00-\u9fff\u30a1-\u30fa\u30fc\uac00-\ud7a3]{{1,20}}(?:{works})))(?:の|的|의)?\s?\Z"
    )


@cache
def _title_before() -> re.Pattern[str]:
    return re.compile(rf"(?:{either(place_words().titles)})\Z")


@cache
def _own_work() -> re.Pattern[str]:
    works = either(place_words().words["works"])
    return re.compile(rf"(?:本|该|該|此|当|この)(?:{works})\Z|\A(?:同|前)(?:{works})\Z")


@cache
def _of_work() -> re.Pattern[str]:
    """The name of a work after a place: "of the Travel Policy", "der Gebührenordnung"; not "of this Agreement"."""
    of = _place_word_choices("of")
    return re.compile(
        rf",?\s(?:{of})\s?(?:(?:{_place_word_choices('the')})\s)?(?:(?P<quoted>{_QUOTED.pattern})|(?P<code>{_CODE.pattern})|(?P<words>{_WORDS}))"
    )


@cache
def _topic_place_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"(?<!\w)(?P<word>[^\W\d_]+\.?)\s(?:{_place_word_choices('of_name')})\s(?:(?i:{_place_word_choices('the')})\s)?(?=(?P<name>[^\s.,;:!?()\[\]\n“”„\"«»][^.,;:!?()\[\]\n“”„\"«»]{{2,80}}))",
    )


@cache
def _description_patterns() -> list[tuple[Sequence[str], re.Pattern[str]]]:
    return [(marks, re.compile(pattern)) for marks, pattern in place_words().described]


@cache
def _attachment_pattern() -> re.Pattern[str]:
    return re.compile(
        rf"(?<!{_SPACED})(?:{_place_word_choices('attached')})(?:\s|(?=[\u2e80-\u9fff]))(?!to\s)"
        r"(?P<name>[^\s.,;:!?()\n。，、]+(?:[ .-][^\s.,;:!?()\n。，、]+){0,3})",
        re.IGNORECASE,
    )


@cache
def _determiner_before() -> re.Pattern[str]:
    told = [word for name in ("the", "own", "see", "of", "in") for word in place_words().words[name]]
    return re.compile(rf"(?<!\w)(?i:{either(told)})\s\Z")


@cache
def _overleaf() -> re.Pattern[str]:
    return re.compile(rf"(?<!{_SPACED})(?:{_place_word_choices('overleaf')})(?!{_SPACED})", re.IGNORECASE)

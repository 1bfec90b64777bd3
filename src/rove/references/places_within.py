"""Places within one document that a reference may mean: headings, paragraphs, captions, rows, notes, pages. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

from rove.language.folding import fold_words
from rove.language.words import joined_terms
from rove.load.office.numerals import format_numeral
from rove.records import Document, Section
from rove.records.document import Span
from rove.references.numbered_places import numbered_places, roman_number
from rove.references.place_words import APPENDED
from rove.references.text_references import Reference, heading_number

CAPTIONED_CHARS = 600  # what is read after a caption whose table or figure is not marked
PARAGRAPH_CHARS = 4_000  # of a numbered paragraph at most
CAPTION_CHARS = 60  # of a line that goes on in small letters behind its number, and is a caption still
FAR_CAPTION = 200  # characters between a caption and its table
FOLLOWING_PAGES = {"f": 1, "ff": 2}
CAPTIONED = frozenset({"table", "figure", "box"})
SECTIONED = frozenset({"section", "paragraph", "item", "rule", ""})
"""Units that name one another's headings: a heading "Section 7" is what "clause 7" means."""
_TABLE = re.compile(r"(?:^[ \t]*\|[^\n]*\n?)+", re.MULTILINE)
_CAPTION_LINE = re.compile(r"^[ \t*_#]*(\S[^\n]{0,200})$", re.MULTILINE)
_NUMBERED_LINE = re.compile(r"^[ \t*_>-]*(?:§ ?)?(\(?)(\d+(?:\.\d+)*|[a-z]|[ivx]+)(?:[.)]|(?<=\d)(?=\s))", re.MULTILINE)
_DASH = re.compile(r"[-–—>]+")
_PLAIN_NUMBER = re.compile(r"^\s*(?:[A-Z]\.)?\d+(?:\.\d+)*[.):]?\s+")
_PAGE_RANGE = re.compile(r"(?<!\d)(\d{1,6}):(\S{1,20})")


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a document of the base. `title`: the heading that stands there, or the document's.

    `others`: places that may be meant instead, the likeliest first.
    """

    document_id: str
    span: Span | None
    title: str
    others: tuple[Spot, ...] = ()


def spots_within(reference: Reference, document: Document) -> list[Spot]:
    r"""Return the places in the same document that a reference may lead to, the best first.

    Of places that fit equally, the nearest to the reference, by its span, is the best; of one that
    lies in another work there is none.

    >>> text = "# 1 Scope\nSee section 2.\n# 2 Pay\nMonthly."
    >>> sections = (Section("1 Scope", 1, (0, 25)), Section("2 Pay", 1, (25, 42)))
    >>> found = Reference("reference", "2", "section 2", (14, 23), "section")
    >>> [spot.title for spot in spots_within(found, Document("d", "s", "markdown", text, sections=sections))]
    ['2 Pay']
    """
    found = [] if reference.work else list(_outer(reference, document, reference.span[0]))
    return [_narrow_to_inner_place(spot, reference, document) for spot in found]


def spot_within(reference: Reference, document: Document) -> Spot | None:
    """Return the best of `spots_within`; None where there is none."""
    return next(iter(spots_within(reference, document)), None)


def _outer(reference: Reference, document: Document, at: int) -> Iterator[Spot]:
    identity = document.document_id
    match reference.kind:
        case "page":
            yield from _find_page_spots(reference, document, at)
        case "footnote" if reference.unit == "bibliography":
            yield from _find_bibliography_spots(reference, document)
        case "footnote":
            yield from _find_note_spots(reference, document, at)
        case "link":
            anchor = reference.target.partition("#")[2] if reference.target.startswith("#") else ""
            yield from (Spot(identity, one.span, one.title) for one in _sections_by_anchor(anchor, document.sections))
        case "reference" if reference.unit in CAPTIONED:
            yield from _find_caption_spots(reference, document, at)
        case "reference" if reference.unit == "row":
            yield from _find_table_row_spots(reference.target, document, (0, len(document.text)))
        case "reference" if reference.unit != "code":
            yield from _find_number_spots(reference, document, at)
        case _:
            named = _sections_by_heading(names_within(reference), document, inflected=reference.unit == "described")
            if reference.unit == "titled":  # the document's own name, or its section's, is no other place
                named = [one for one in named if not one.span[0] <= at < one.span[1]]
            named.sort(key=lambda one: -len(one.title))
            yield from (Spot(identity, one.span, one.title) for one in named)


# -- numbers -----------------------------------------------------------------------------------------------------------


def _find_number_spots(reference: Reference, document: Document, at: int) -> Iterator[Spot]:
    """Headings of that number, then paragraphs that begin with it."""
    wanted = reference.unit, reference.target
    same = [one for one in document.sections if names_same(heading_number(one.title), wanted)]
    same.sort(key=lambda one: _section_spot_sort_key(one, reference, document, at))
    identity = document.document_id
    for one in same:
        last = _last_section(reference, document.sections, one)
        yield Spot(identity, (one.span[0], max(one.span[1], last.span[1])), one.title)
    if not same and reference.unit in SECTIONED | {"article"}:
        yield from _paragraphs(reference.target, document, _top_section_span_at(document, at))


def _section_spot_sort_key(
    section: Section, reference: Reference, document: Document, at: int
) -> tuple[bool, bool, int, int]:
    """Order sections of one number: of its own unit, then what is no mere line of contents, then the nearest."""
    unit = heading_number(section.title)[0]
    shared = sum(one.span[0] <= section.span[0] < one.span[1] for one in _sections_around_position(document, at))
    bare = not document.text[slice(*section.span)].partition("\n")[2].strip()
    return unit != reference.unit, bare, -shared, abs(section.span[0] - at) if shared else 0


def _sections_around_position(document: Document, at: int) -> list[Section]:
    return [one for one in document.sections if one.span[0] <= at < one.span[1]]


def _top_section_span_at(document: Document, at: int) -> Span:
    """Return the top section that holds a place, or all of the document."""
    outer = _sections_around_position(document, at)
    return outer[0].span if outer and at else (0, len(document.text))


def _last_section(reference: Reference, sections: Iterable[Section], first: Section) -> Section:
    if not reference.last:
        return first
    wanted = reference.unit, reference.last
    after = [one for one in sections if one.span[0] > first.span[0] and names_same(heading_number(one.title), wanted)]
    return next(iter(after), first)


def names_same(held: tuple[str, str], wanted: tuple[str, str]) -> bool:
    """Say whether two numbered places may be one: their numbers are the same, and their units name one another.

    >>> names_same(("section", "7"), ("item", "7")), names_same(("", "2"), ("chapter", "2"))
    (True, True)
    >>> names_same(("chapter", "2"), ("section", "2")), names_same(("appendix", "II"), ("appendix", "2"))
    (False, True)
    """
    if not held[1] or not _same_number(held[1], wanted[1]):
        return False
    if held[0] == wanted[0]:
        return True
    if {held[0], wanted[0]} <= SECTIONED:
        return True
    return "" in {held[0], wanted[0]} and not {held[0], wanted[0]} & (APPENDED | CAPTIONED | {"note", "row"})


def names_place(text: str, place: Reference) -> bool:
    r"""Say whether a text names a place, or has a line that begins with its number.

    >>> place = Reference("reference", "9", "clause 9", (0, 8), "section")
    >>> [names_place(text, place) for text in ("9. Notice\nOne month.", "See section 9.", "It is 9 km.")]
    [True, True, False]
    """
    wanted = place.unit, place.target
    named = any(names_same((one.unit, one.number), wanted) for one in numbered_places(text, title=True))
    return named or any(names_same(heading_number(line), wanted) for line in text.split("\n"))


@lru_cache(4_096)
def _place_number_spellings(number: str) -> frozenset[str]:
    small = number.casefold().replace(" ", "")
    value = roman_number(small)
    return frozenset({small, small.replace(".", "-"), str(value) if value else small})


def _same_number(one: str, other: str) -> bool:
    return one == other or not _place_number_spellings(one).isdisjoint(_place_number_spellings(other))


def _paragraphs(number: str, document: Document, within: Span) -> Iterator[Spot]:
    """Paragraphs whose line begins with a number; those within a span first."""
    found = list(_spans_of_numbered_lines(number, document, (0, len(document.text))))
    found.sort(key=lambda span: not within[0] <= span[0] < within[1])
    for span in found:
        line = document.text[span[0] : span[1]].partition("\n")[0].strip()
        yield Spot(document.document_id, span, line[:80])


def _spans_of_numbered_lines(number: str, document: Document, within: Span) -> Iterator[Span]:
    wanted = number.casefold()
    for found in _NUMBERED_LINE.finditer(document.text, *within):
        dotted = "." in found[2] or found[1] or document.text[found.end() - 1] in ".)"
        if found[2].casefold() == wanted and dotted:
            yield found.start(), _end_of_paragraph(found, document, within[1])


def _end_of_paragraph(start: re.Match[str], document: Document, limit: int) -> int:
    """Return where a numbered paragraph ends: at the next one of its kind, at a heading, or after a while."""
    end = min(limit, start.start() + PARAGRAPH_CHARS)
    shape = start[1], start[2].isdigit(), start[2].count(".")
    for after in _NUMBERED_LINE.finditer(document.text, start.end(), end):
        if (after[1], after[2].isdigit(), after[2].count(".")) == shape or shape[2] > after[2].count(".") > 0:
            end = after.start()
            break
    heading = min((one.span[0] for one in document.sections if start.end() <= one.span[0] < end), default=end)
    return min(end, heading)


def _narrow_to_inner_place(spot: Spot, reference: Reference, document: Document) -> Spot:
    """Go on to what lies within a place, as far as the document shows it."""
    for unit, number in reference.inner:
        if spot.span is None:
            break
        within = next(_find_inner_spots(unit, number, document, spot.span), None)
        if within is None:
            continue
        spot = Spot(spot.document_id, within.span, spot.title if within.title == "" else within.title)
    return spot


def _find_inner_spots(unit: str, number: str, document: Document, span: Span) -> Iterator[Spot]:
    wanted = unit, number
    sections = [
        one for one in document.sections if span[0] <= one.span[0] and one.span[1] <= span[1] and one.span != span
    ]
    identity = document.document_id
    for one in sections:
        if names_same(heading_number(one.title), wanted):
            yield Spot(identity, one.span, one.title)
    if unit in CAPTIONED:
        inner = Reference("reference", number, "", (0, 0), unit)
        yield from (
            one
            for one in _find_caption_spots(inner, document, span[0])
            if one.span and span[0] <= one.span[0] < span[1]
        )
    elif unit == "page":
        yield from (Spot(identity, one.span, "") for one in document.pages if str(one.number) == number)
    else:
        yield from _find_table_row_spots(number, document, span)
        yield from (Spot(identity, one, "") for one in _spans_of_numbered_lines(number, document, span))


# -- tables ------------------------------------------------------------------------------------------------------------


def _find_table_row_spots(code: str, document: Document, within: Span) -> Iterator[Spot]:
    """Rows of tables whose first cell is a code, else those that have it as another cell."""
    wanted = fold_words(code)
    later: list[Spot] = []
    for table in _TABLE.finditer(document.text, *within):
        for row in re.finditer(r"[^\n]+", table[0]):
            cells = [fold_words(cell) for cell in row[0].strip().strip("|").split("|")]
            if wanted in cells:
                start = table.start() + row.start()
                spot = Spot(document.document_id, (start, start + len(row[0])), "")
                if cells[0] == wanted:
                    yield spot
                else:
                    later.append(spot)
    yield from later


def _find_caption_spots(reference: Reference, document: Document, at: int) -> Iterator[Spot]:
    """Find a table or figure by its caption: that of a block, a heading, or a line of its own."""
    wanted = (reference.unit, reference.target)
    for block in document.blocks:
        if _captions(block.caption, wanted):
            yield Spot(document.document_id, block.span, block.caption)
    for one in document.sections:
        if _captions(one.title, wanted):
            yield Spot(document.document_id, one.span, one.title)
    lines = [
        line
        for line in _CAPTION_LINE.finditer(document.text)
        if _captions(line[1], wanted) and not _is_sentence_not_caption(line[1])
    ]
    lines.sort(key=lambda line: abs(line.start() - at) if at else line.start())
    for line in lines:
        yield Spot(document.document_id, _with_table(line, document.text), line[1].strip("*_ "))


def _captions(caption: str, wanted: tuple[str, str]) -> bool:
    unit, number = heading_number(caption)
    return unit == wanted[0] and _same_number(number, wanted[1])


def _is_sentence_not_caption(line: str) -> bool:
    """Say whether a line that begins with "Table 3" is a sentence: "Table 3 shows the rates."."""
    ends = line.rstrip("*_ ").endswith((".", ")", ":")) or len(line) > CAPTION_CHARS
    return ends and bool(re.match(r"[*_#\s]{0,8}[^\W\d]{1,40}\s[\w.-]{0,40}[^\W_]\s[a-zà-ÿ]{1,40}\s", line))


def _with_table(caption: re.Match[str], text: str) -> Span:
    """Return the span of a caption with the table below it, else with the one above it, else with what follows."""
    below = _TABLE.search(text, caption.end(), min(len(text), caption.end() + FAR_CAPTION))
    if below and not text[caption.end() : below.start()].strip():
        whole = _TABLE.match(text, below.start())
        return caption.start(), whole.end() if whole else below.end()
    above = text[: caption.start()].rstrip()
    if above.endswith("|") and caption.start() - len(above) < FAR_CAPTION:
        tables = [one for one in _TABLE.finditer(text, 0, caption.start()) if one.end() >= len(above)]
        if tables:
            return tables[-1].start(), caption.end()
    return caption.start(), min(caption.end() + CAPTIONED_CHARS, len(text))


# -- notes, entries, pages ---------------------------------------------------------------------------------------------


def _find_note_spots(reference: Reference, document: Document, at: int) -> Iterator[Spot]:
    """Find the line that begins with a note's label, outside of where it is referred to; else a numbered note."""
    label = re.escape(reference.target)
    if reference.label.startswith("[^"):
        opening = rf"\[\^{label}\]:"
    elif reference.unit == "note":
        opening = rf"(?:\[\^{label}\]:|{_note_words(reference)}\s?{label}(?!\d)[.):：、\s]|\[?{label}[.)\]:：])"
    else:
        opening = rf"(?:{label}\b|\[?{label}[.)\]:：]?\s)"
    pattern = rf"^[ \t]*{opening}[^\n]*(?:\n(?![ \t]*\n|[ \t]*\[\^|[ \t]*\[?\d)[^\n]+)*"
    spots = [
        Spot(document.document_id, found.span(), reference.label)
        for found in re.finditer(pattern, document.text, re.MULTILINE)
    ]
    if reference.unit == "note":
        sections = [
            one for one in document.sections if names_same(heading_number(one.title), ("note", reference.target))
        ]
        bare = [one for one in document.sections if heading_number(one.title) == ("", reference.target)]
        yield from (Spot(document.document_id, one.span, one.title) for one in sections)
        if not sections and not spots:
            yield from (Spot(document.document_id, one.span, one.title) for one in bare)
    yield from sorted(spots, key=lambda spot: (spot.span or (0, 0))[0] < at)


def _note_words(reference: Reference) -> str:
    word = re.split(r"[\s\d]", reference.label)[0]
    return rf"(?i:{re.escape(word)})" if word else ""


def _find_bibliography_spots(reference: Reference, document: Document) -> Iterator[Spot]:
    """Find an entry of the bibliography: the line that begins with its number, or with its author, and has the year."""
    author, _, year = reference.target.rpartition(" ")
    if author:
        opening = rf"[ \t*_\-•]*(?:\[?\d+[.\])]?\s+)?{re.escape(author)}\b(?=[^\n]*(?:\n[^\n]+)?{year})"
    else:
        opening = rf"[ \t*_\-•]*(?:\[{reference.target}\](?!\()|{reference.target}\.)\s"
    listed = [one for one in document.sections if _LISTS.search(one.title)]
    pattern = re.compile(rf"^{opening}[^\n]*(?:\n(?!\s*\n|[ \t]*\[?\d|#)[^\n]+)*", re.MULTILINE)
    for start, end in [one.span for one in listed] or [(0, len(document.text))]:
        for found in pattern.finditer(document.text, start, end):
            if author and not listed and not found[0].lstrip("*_-• [0123456789].").startswith(author + ","):
                continue
            if not listed and not author and "[" not in found[0][:6]:
                continue
            yield Spot(document.document_id, found.span(), reference.label)


_LISTS = re.compile(r"(?i)references|bibliogra|literatur|works cited|irodalom|sources|quellen|文献|référence|литератур")


def _find_page_spots(reference: Reference, document: Document, at: int) -> Iterator[Spot]:
    """Find a page by the label that is printed on it, else by its place; several from the first to the last."""
    pages = document.pages
    labels = page_labels(document)
    if reference.unit == "next":
        now = next((place for place, page in enumerate(pages) if page.span[0] <= at < page.span[1]), None)
        first = last = None if now is None or now + 1 >= len(pages) else now + 1
    else:
        first = next((place for place, label in enumerate(labels) if label == reference.target), None)
        last = next((place for place, label in enumerate(labels) if label == reference.last), first)
    if first is None:
        return
    if reference.last in FOLLOWING_PAGES:
        last = min(first + FOLLOWING_PAGES[reference.last], len(pages) - 1)
    end = pages[max(first, last or first)].span[1]
    yield Spot(document.document_id, (pages[first].span[0], end), reference.label)


def page_labels(document: Document) -> list[str]:
    """Return what each page is called: the label that the file gives it, else its number.

    The field `page_labels` says where labels begin to differ from the numbers: "1:i,5:1" of a book whose first four
    pages are i to iv, and whose fifth is 1.

    >>> from rove.records.document import Page
    >>> pages = tuple(Page(number, (number, number + 1)) for number in range(1, 5))
    >>> page_labels(Document("d", "s", "pdf", "abcdef", metadata={"page_labels": "1:i,3:1"}, pages=pages))
    ['i', 'ii', '1', '2']
    """
    told = document.metadata.get("page_labels", "")
    starts = {int(found[1]): found[2] for found in _PAGE_RANGE.finditer(str(told).replace(",", " "))}
    labels: list[str] = []
    first, label = 0, ""
    for page in document.pages:
        if page.number in starts:
            first, label = page.number, starts[page.number]
        labels.append(counted_label(label, page.number - first) if label else str(page.number))
    return labels


def counted_label(label: str, count: int) -> str:
    """Return the label that comes so many pages after one.

    >>> counted_label("iii", 2), counted_label("A-9", 1), counted_label("cover", 1)
    ('v', 'A-10', '')
    """
    if value := roman_number(label):
        return format_numeral(value + count, "lowerRoman" if label.islower() else "upperRoman")
    if found := re.search(r"(?<!\d)\d{1,9}\Z", label):
        return f"{label[: found.start()]}{int(found[0]) + count}"
    return label if not count else ""


# -- names -------------------------------------------------------------------------------------------------------------


def names_within(reference: Reference) -> list[str]:
    """Return what may be the name in a reference: all of it in quotation marks, else each beginning, longest first.

    No beginning that a dash goes on from: "File - Properties" is no "File".

    >>> names_within(Reference("section", "CREATE TABLE below", "", (0, 18), "announced"))
    ['CREATE TABLE below', 'CREATE TABLE', 'CREATE']
    """
    if reference.unit not in {"announced", "described", "attached"}:
        return [reference.target]
    words = [*reference.target.split(), ""]
    if len(words) > 2 or reference.target.isascii():
        counts = [count for count in range(len(words) - 1, 0, -1) if not _DASH.fullmatch(words[count])]
        return [" ".join(words[:count]) for count in counts if not _DASH.fullmatch(words[count - 1])]
    return [reference.target[:count] for count in range(len(reference.target), 1, -1)]


def _sections_by_anchor(anchor: str, sections: Iterable[Section]) -> Iterator[Section]:
    wanted = fold_words(unquote(anchor).replace("-", " "))
    yield from (one for one in sections if wanted and wanted in {fold_words(one.title), bare_heading(one.title)})


def _sections_by_heading(names: Sequence[str], document: Document, *, inflected: bool) -> list[Section]:
    """Return the sections whose heading, with its number or without, is one of some names; or is but for endings."""

    def forms(text: str) -> set[str]:
        return {fold_words(text), joined_terms(text, document.language)} - {""} if inflected else {fold_words(text)}

    wanted = set[str]().union(*map(forms, names))
    return [one for one in document.sections if wanted & (forms(bare_heading(one.title)) | {fold_words(one.title)})]


@lru_cache(4_096)
def bare_heading(title: str) -> str:
    """Return a heading's words without its number, folded.

    >>> bare_heading("4.2 Hotels"), bare_heading("Chapter 3: Storage"), bare_heading("§ 9 Nachtarbeit")
    ('hotels', 'storage', 'nachtarbeit')
    """
    unit, number = heading_number(title)
    place = next(iter(numbered_places(title.lstrip("#*_ \t"), title=True)), None) if unit and number else None
    title = title.lstrip("#*_ \t")
    return fold_words(title[place.span[1] :] if place else _PLAIN_NUMBER.sub("", title, count=1))

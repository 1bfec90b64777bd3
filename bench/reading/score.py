"""How much of what stands in a file came out, and what came out that does not stand in it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from unicodedata import normalize

Words = list[str]

# A word: letters and digits of the alphabets that use spaces; one character of Chinese and Japanese each.
WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")
IMAGE = re.compile(r"!\[((?:[^\[\]]|\\.)*)\]\([^()\s]*(?:\s+\"[^\"]*\")?\)")
LINK = re.compile(
    r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\]|\\.)*)\]\(\s*<?((?:[^()\s<>]|\([^()\s]*\))*)>?(?:\s+\"[^\"]*\")?\s*\)"
)
AUTOLINK = re.compile(r"<?\bhttps?://[^\s<>)\]|]+>?")
FENCE_LINE = re.compile(r"^ *(?:```+|~~~+)[^\n]*$", re.M)
COMMENT = re.compile(r"<!--.*?-->", re.S)
FENCE = re.compile(r"^ *(```+|~~~+)[^\n]*\n(.*?)^ *\1", re.M | re.S)
HEADING = re.compile(r"^ {0,3}(#{1,6}) +(.+?) *#*$", re.M)
ROW = re.compile(r"^ *\|(.*)\| *$", re.M)
# A price is none: no digit stands after the first mark or the last.
FORMULA = re.compile(r"\$\$.+?\$\$|(?<![\\$\w])\$(?=[^\s\d$|])[^$\n]*?(?<![\s\\])\$(?!\d)", re.S)
FOOTNOTE = re.compile(r"\[\^[^\]]+\]:?")
LABEL = re.compile(r"^> (?:Note|Comment)\b[^:\n]{0,80}:", re.M)
NUMBER = re.compile(r"[-+]?[\d,]*\.?\d+(?:[eE][-+]?\d+)?%?")
CANDIDATES = 200


@dataclass(slots=True)
class Share:
    """So many of so many."""

    found: float = 0
    of: float = 0

    def add(self, found: float, of: float) -> None:
        self.found, self.of = self.found + found, self.of + of


@dataclass(slots=True)
class Score:
    """Shares by what was looked for, and what was invented."""

    shares: dict[str, Share] = field(default_factory=lambda: defaultdict(Share))

    def __add__(self, other: Score) -> Score:
        total = Score()
        for score in (self, other):
            for name, share in score.shares.items():
                total.shares[name].add(share.found, share.of)
        return total


def score(text: str, truth: Mapping, pages: int, boxed: Share) -> Score:
    """Hold a text that a reader gave against the truth."""
    made = Score()
    plain = plain_text(text)
    _words(words(plain), truth, made)
    _headings(text, truth["headings"], made)
    _tables(text, truth["tables"], made)
    targets = {normal_url(found[2]) for found in LINK.finditer(text)} | {normal_url(u) for u in AUTOLINK.findall(text)}
    links = {normal_url(link) for link in truth["links"]}
    made.shares["links"].add(len(links & targets), len(links))
    said = " ".join(words(LINK.sub(r"\1", IMAGE.sub(r" \1 ", text))))
    for part in ("images", "notes"):
        made.shares[part].add(sum(" ".join(words(item)) in said for item in truth[part]), len(truth[part]))
    fenced = squeezed("\n".join(found[2] for found in FENCE.finditer(text)))
    made.shares["code"].add(sum(squeezed(code) in fenced for code in truth["code"]), len(truth["code"]))
    formulas = len(FORMULA.findall(text))
    made.shares["formulas"].add(min(formulas, truth["formulas"]), truth["formulas"])
    if truth["text"].strip():
        made.shares["pages"].add(min(pages, truth["pages"]), truth["pages"])
    made.shares["boxes"].add(boxed.found, boxed.of)
    return made


def plain_text(text: str) -> str:
    """The text without what markdown adds: comments, targets of links, names of pictures, marks of notes, formulas."""
    for pattern, kept in (
        (COMMENT, " "),
        (FENCE_LINE, " "),
        (IMAGE, r" \1 "),
        (LINK, r"\1"),
        (LABEL, " "),
        (FOOTNOTE, " "),
        (AUTOLINK, " "),
    ):
        text = pattern.sub(kept, text)
    return FORMULA.sub(" ", text) if "$" in text else text


def words(text: str) -> Words:
    return WORD.findall(normalize("NFKC", text).casefold().replace("\u00ad", "").replace("\\", ""))


def squeezed(text: str) -> str:
    return "".join(text.split())


def normal_url(url: str) -> str:
    return url.strip("<>").replace("&amp;", "&").replace("\\", "").rstrip("/").casefold()


def _words(ours: Words, truth: Mapping, made: Score) -> None:
    theirs, spare = words(plain_text(truth["text"])), words(truth["spare"])
    if truth["numeric"]:
        ours, theirs = ([w for w in side if not w[0].isdigit()] for side in (ours, theirs))
    if not theirs:  # a scan: what OCR reads there is not known to be wrong
        return
    kept = Counter(theirs) & Counter(ours)
    made.shares["words"].add(kept.total(), len(theirs))
    if truth["ordered"]:
        made.shares["in order"].add(in_order(theirs, ours), kept.total())
    known = Counter(theirs) + Counter(spare)
    new = Counter(w for w in ours if not (w.isdigit() and len(w) < 4)) - known  # short numbers count lists
    made.shares["invented"].add(new.total(), len(ours))


def in_order(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence, bit by bit (Hyyrö, 2004).

    >>> in_order("abcd", "xacbd")
    3
    """
    places: dict[str, int] = defaultdict(int)
    for at, word in enumerate(a):
        places[word] |= 1 << at
    full = row = (1 << len(a)) - 1
    for word in b:
        met = row & places.get(word, 0)
        row = ((row + met) | (row - met)) & full
    return len(a) - row.bit_count()


def _headings(text: str, truth: Sequence[Mapping], made: Score) -> None:
    """Titles found as headings, whether each goes deeper or higher than the one before, and headings that are none."""
    unfenced = FENCE.sub("", text)
    given = [(len(found[1]), title_key(plain_text(found[2]))) for found in HEADING.finditer(unfenced)]
    wanted = [(heading["level"], title_key(heading["title"])) for heading in truth]
    wanted = [(level, title) for level, title in wanted if title]
    left = defaultdict(list)
    for level, title in reversed(given):
        left[title].append(level)
    pairs = [(level, left[title].pop()) for level, title in wanted if left[title]]
    made.shares["headings"].add(len(pairs), len(wanted))
    steps = [(a, b) for a, b in zip(pairs, pairs[1:], strict=False) if a[0] and b[0]]
    made.shares["levels"].add(sum(sign(a[0] - b[0]) == sign(a[1] - b[1]) for a, b in steps), len(steps))
    if wanted:
        made.shares["false headings"].add(max(0, len(given) - len(pairs)), len(wanted))


def title_key(title: str) -> str:
    """What a title says, without the number before it, which is computed in some files and typed in others.

    >>> title_key("1.2 Two Words"), title_key("2024")
    ('two words', '2024')
    """
    found = words(title)
    named = next((at for at, word in enumerate(found) if not word.isdigit()), 0)
    return " ".join(found[named:])


def sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _tables(text: str, rows: Sequence[Sequence[str]], made: Score) -> None:
    """Cells found in one row of a pipe table with the other cells of their row."""
    given = [[key(cell) for cell in re.split(r"(?<!\\)\|", found[1])] for found in ROW.finditer(text)]
    exact = {tuple(filter(None, row)) for row in given}
    places = defaultdict(list)
    for at, row in enumerate(given):
        for cell in set(filter(None, row)):
            places[cell].append(at)
    for row in rows:
        cells = [k for cell in row if (k := key(cell))]
        if tuple(cells) in exact:
            made.shares["cells"].add(len(cells), len(cells))
            continue
        candidates = Counter(at for cell in set(cells) for at in places.get(cell, ())[:CANDIDATES])
        best = max(((Counter(cells) & Counter(given[at])).total() for at, _ in candidates.most_common(5)), default=0)
        made.shares["cells"].add(best, len(cells))


def key(cell: str) -> str:
    """What a cell says, however it is written: numbers to two places, times left off dates.

    >>> key(" **12.50** "), key("1,234.5"), key("25%"), key("0.25"), key("2024-05-01 00:00:00")
    ('12.5', '1234.5', '0.25', '0.25', '2024 05 01')
    """
    plain = plain_text(IMAGE.sub(" ", cell)).replace("*", "").replace("\\", "").strip()
    if NUMBER.fullmatch(plain):
        number = float(plain.rstrip("%").replace(",", "")) / (100 if plain.endswith("%") else 1)
        return f"{round(number, 2):.12g}"
    return " ".join(words(plain.removesuffix(" 00:00:00")))

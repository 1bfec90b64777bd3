"""What a block's neighbours say of it: its caption, the sentence that leads in to it, the heading right above it."""

from __future__ import annotations

import re

from rove.chunk.boundary import trimmed
from rove.records import Block
from rove.records.document import Span

CAPTION_CHARS = 300
LEAD_IN_CHARS = 200
_NUMBER = r"(?:\d{1,6}|[A-Z]|[IVXL]{1,8})(?:[.\-–]\d{1,6}){0,6}"
_WIDE_NUMBER = r"[\d０-９一二三四五六七八九十]{1,6}(?:[.．\-–—－][\d０-９]{1,6}){0,6}"


def _caption_pattern(labels: str, wide: str) -> re.Pattern[str]:
    """Match "Label 3:", "3. label:", "Label:", "Label 3 Words without a full stop", and 图3 in unspaced scripts."""
    label = rf"(?i:{labels})\b\.?"
    return re.compile(
        rf"[*_>\s]{{0,40}}+(?:(?:{label}\s*{_NUMBER}|{_NUMBER}\.?\s*{label}|{label})[*_]*\s*(?:[:：.|–—-]|$)"
        rf"|{label}\s*{_NUMBER}\s+(?=[^\W\d_a-z])(?=[^\n]*[^.\s][*_\s]*$)"
        rf"|(?:{wide})\s*{_WIDE_NUMBER}\s*(?:[:：.．、\s]|$|[^\W\d_]))"
    )


_TABLES = "Table|Tab|Tabelle|Tableau|Tabla|Tabela|Tabella|Таблица|táblázat"
_FIGURES = "Figure|Fig|Abbildung|Abb|Bild|Figura|Рисунок|Рис|ábra|kép|Chart|Diagramm?|Photo|Foto"
_LISTINGS = "Listing|Code|Example|Beispiel|Quelltext|Programm|kód|lista|példa"
_FORMULAS = "Equation|Eq|Formula|Gleichung|Gl|Formel|egyenlet|képlet"
_CAPTIONS = {
    "table": _caption_pattern(_TABLES, "表格?|표"),
    "image": _caption_pattern(f"{_FIGURES}|{_TABLES}", "插?[図图圖]表?|写真|照片|表|그림"),
    "code": _caption_pattern(f"{_LISTINGS}|{_FIGURES}", "代[码碼]|程序|リスト|コード|例|[図图圖]|코드"),
    "formula": _caption_pattern(_FORMULAS, "公式|数?式|식"),
}
_HEADING = re.compile(r"#{1,6}[ \t][^\n]*")
_SPACE_OR_MARK = re.compile(r"[\s*_>`]+")


def is_caption(paragraph: str, kind: str) -> bool:
    """Say whether a paragraph reads as the caption of a block of this kind.

    >>> tables = ("Table 3: Sales", "2. táblázat: A folyó", "表1 売上高", "Table 3 shows the sales.", "Figure 1: Sales")
    >>> [is_caption(text, "table") for text in tables]
    [True, True, True, False, False]
    """
    return len(paragraph) <= CAPTION_CHARS and kind in _CAPTIONS and _CAPTIONS[kind].match(paragraph) is not None


def reach(text: str, block: Block, floor: int, ceiling: int) -> tuple[Span, str]:
    """Return the block with what belongs to it in floor..ceiling, and its caption, "" where there is none.

    A caption stands right before or right after it, a lead-in ("The rates are:") and bare headings before it.
    """
    (start, end), caption = block.span, block.caption
    before, after = _paragraph_before(text, floor, start), _paragraph_after(text, end, ceiling)
    for place in (before, after):
        found = text[slice(*place)]
        if found and (_is_same_caption(found, caption) if caption else is_caption(found, block.kind)):
            start, end = min(start, place[0]), max(end, place[1])
            caption = caption or _plain_caption(found)
            break
    else:
        if text[slice(*before)].endswith((":", "：")) and before[1] - before[0] <= LEAD_IN_CHARS:
            start = before[0]
    above = _paragraph_before(text, floor, start)
    while above[0] < start and _HEADING.fullmatch(text, *above):
        start = above[0]
        above = _paragraph_before(text, floor, start)
    return (start, end), caption


def _paragraph_before(text: str, floor: int, at: int) -> Span:
    """Return the paragraph that ends before `at`; an empty span where there is none, or one that is too long."""
    low = max(floor, at - CAPTION_CHARS - 2)
    end = low + len(text[low:at].rstrip())
    start = text.rfind("\n\n", low, end) + 2
    if start < 2:
        start = low if low == floor else end
    return trimmed(text, start, end) if start < end else (at, at)


def _paragraph_after(text: str, at: int, ceiling: int) -> Span:
    start, end = trimmed(text, at, min(ceiling, at + CAPTION_CHARS + 2))
    stop = text.find("\n\n", start, end)
    return start, stop if stop >= 0 else end


def _plain_caption(paragraph: str) -> str:
    return " ".join(paragraph.strip("*_> \n").replace("**", "").split())


def _is_same_caption(paragraph: str, caption: str) -> bool:
    """Say whether a paragraph is the caption that a loader named, whatever its marks and label."""
    told, known = _SPACE_OR_MARK.sub("", paragraph), _SPACE_OR_MARK.sub("", caption)
    return bool(known) and known in told and len(told) <= len(known) + 40

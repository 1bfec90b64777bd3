"""HTML: the main content as markdown, without menus, banners, forms and scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from html_to_markdown import (
    ConversionError,
    ConversionOptions,
    InlineDataMedia,
    PreprocessingOptions,
    convert,
)

from rove.errors import InputError
from rove.load.markdown import first_title, markdown_sections
from rove.load.text import clean, decode, identify, require_text, stem
from rove.records import Document, Section, Source
from rove.records.source import MetaValue

BOILERPLATE = [
    "nav", "footer", "aside", "form", "dialog", "iframe",
    "[role=navigation]", "[role=banner]", "[role=contentinfo]", "[role=complementary]", "[role=search]",
    "[role=dialog]", "[aria-modal=true]",
    "[id*=cookie-]", "[class*=cookie-banner]", "[class*=cookie-consent]", "[class*=cookie-notice]",
    "[class*=cookiebar]", "[class*=cookie-bar]", "[id^=onetrust]", "[id^=CybotCookiebot]", ".cc-window",
    "[class*=breadcrumb]", "[class*=pagination]", "[class*=skip-link]", "[class*=skipToContent]", ".hash-link",
    ".headerlink", ".sr-only", ".noprint",
    ".mw-editsection", ".navbox", ".catlinks", ".printfooter", "#p-lang-btn", ".vector-page-toolbar",
]  # fmt: skip
# Where a page says itself what its main content is, in the order in which it is believed.
MAIN = (
    re.compile(r"<(main)\b[^>]*>", re.IGNORECASE),
    re.compile(r"<(\w+)\b[^>]*\brole\s*=\s*[\"']?main\b[^>]*>", re.IGNORECASE),
    re.compile(r"<(article)\b[^>]*>", re.IGNORECASE),
)
MAIN_SHARE = 4  # it is believed when it holds at least a quarter of the page's text
OPAQUE = re.compile(r"<!--.*?-->|<(script|style|noscript|template)\b.*?</\1\s*>", re.IGNORECASE | re.DOTALL)
CHARSET = re.compile(rb"<meta[^>]+charset\s*=\s*[\"']?\s*([\w.:-]+)|<\?xml[^>]+encoding\s*=\s*[\"']([\w.:-]+)", re.I)
HEAD_END = re.compile(r"</head\s*>|<body\b", re.IGNORECASE)
LANGUAGE = re.compile(r"<html\b[^>]*?\b(?:xml:)?lang\s*=\s*[\"']?([A-Za-z]{2,3})\b", re.IGNORECASE)
EMPTY_LINK = re.compile(r"(?<!!)\[[\s\u200b#¶§]*\]\([^()]*\)")
SCRIPT_TARGET = r"\(<?javascript:(?:[^()]|\([^()]*\))*\)"
SCRIPT_LINK = re.compile(rf"(?<!!)\[([^\[\]]*)\]{SCRIPT_TARGET}|(?<=\]){SCRIPT_TARGET}", re.IGNORECASE)
BLANK_LINES = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class Head:
    """What a page's head says of it; "" where it says nothing."""

    title: str = ""
    author: str = ""
    description: str = ""
    url: str = ""


class HtmlLoader:
    """See `Loader`. Links, tables and code are kept; where no main content is found the whole page is."""

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        page = require_text(_decode(source.data), source)
        head = _read_head(page)
        text = _markdown(OPAQUE.sub("", page))
        require_text(text, source)
        sections = markdown_sections(text, setext=False)
        language = LANGUAGE.search(page[:65_536])
        yield Document(
            document_id=identify(source),
            source=source.uri,
            kind="html",
            text=text,
            title=_title(head, sections) or stem(source),
            language=language[1].lower() if language and len(language[1]) == 2 else "und",
            metadata=_fields(head),
            sections=sections,
        )


def _decode(data: bytes) -> str:
    """By the declared charset where it fits the bytes; browsers read "iso-8859-1" as Windows-1252, so do we."""
    found = CHARSET.search(data[:4096])
    name = (found[1] or found[2]).decode("ascii").lower() if found else ""
    if name and not name.startswith(("utf-16", "utf-32", "ucs")):
        name = {"iso-8859-1": "cp1252", "latin1": "cp1252", "us-ascii": "cp1252", "gb2312": "gb18030", "gbk": "gb18030",
                "shift_jis": "cp932", "ks_c_5601-1987": "cp949", "euc-kr": "cp949"}.get(name, name)  # fmt: skip
        try:
            return clean(data.decode(name)) if b"\0" not in data else decode(data)
        except (LookupError, UnicodeDecodeError):
            pass  # the declaration is wrong, as many are: the bytes decide
    return decode(data)


def _markdown(page: str) -> str:
    whole = _convert(page, clean_up=True)
    for part in _main_parts(page):
        text = _convert(part, clean_up=True)
        if len(text) * MAIN_SHARE >= len(whole) and text.strip():
            return text
    return whole if whole.strip() else _convert(page, clean_up=False)


def _main_parts(page: str) -> Iterator[str]:
    """Yield the elements that a page marks as its main content; several articles are a list, not the main content."""
    for pattern in MAIN:
        found = list(pattern.finditer(page))
        if found and (pattern is not MAIN[-1] or len(found) == 1):
            yield page[found[0].start() : _element_end(page, found[0][1], found[0].start())]


def _element_end(page: str, tag: str, start: int) -> int:
    depth = 0
    for found in re.compile(rf"<(/?){tag}\b[^>]*>", re.IGNORECASE).finditer(page, start):
        depth += -1 if found[1] else 1
        if depth == 0:
            return found.end()
    return len(page)


def _options(*, clean_up: bool) -> ConversionOptions:
    return ConversionOptions(
        extract_metadata=False,
        compact_tables=True,
        bullets="-",
        autolinks=False,
        inline_data_media=InlineDataMedia.ALT_TEXT_ONLY,
        exclude_selectors=BOILERPLATE if clean_up else [],
        preprocessing=PreprocessingOptions(enabled=clean_up, preset="standard"),
    )


def _convert(page: str, *, clean_up: bool) -> str:
    try:
        text = convert(page, _options(clean_up=clean_up)).content or ""
    except ConversionError as error:
        message = f"The HTML could not be read: {error}."
        raise InputError(message, cure="Save the page again from a browser.") from error
    text = SCRIPT_LINK.sub(lambda m: m[1] or "", EMPTY_LINK.sub("", clean(text)))
    return BLANK_LINES.sub("\n\n", text).strip() + "\n"


def _read_head(page: str) -> Head:
    """Read the page's head; the body is not parsed for it."""
    end = HEAD_END.search(page)
    head = page[: end.start()] if end else page[:65_536]
    try:
        found = convert(OPAQUE.sub("", head) + "</head><body></body></html>").metadata.document
    except ConversionError:
        return Head()
    title = found.title or found.open_graph.get("title") or ""
    texts = (title, found.author or "", found.description or "", found.canonical_url or "")
    return Head(*(" ".join(clean(text).split()) for text in texts))


def _title(head: Head, sections: tuple[Section, ...]) -> str:
    """The <title>; the first heading instead where the title is that heading and the site's name."""
    heading = first_title(sections)
    return heading if heading and (not head.title or heading.casefold() in head.title.casefold()) else head.title


def _fields(head: Head) -> dict[str, MetaValue]:
    fields = {"author": head.author, "description": head.description, "url": head.url}
    return {key: value for key, value in fields.items() if value}

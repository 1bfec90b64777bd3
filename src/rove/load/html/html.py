"""HTML: the main content as canonical text, without menus, banners, forms and scripts; all of it when asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit

from rove.load import LoadOptions
from rove.load.html.main import drop_boilerplate, drop_unseen, main_content, page_heading
from rove.load.html.parts import Canonical, TextPart, join
from rove.load.html.text import html_parts
from rove.load.html.tree import HtmlNode, decode_page, parse_html
from rove.load.markdown import first_title, markdown_sections
from rove.load.text import clean, identify, require_text, stem
from rove.records import Document, Section, Source
from rove.records.source import MetaValue

DEFAULT = LoadOptions()
# What a page's head calls a fact, in the order in which it is believed.
META_NAMES = {
    "author": ("author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "byl", "parsely-author"),
    "description": ("description", "og:description", "dc.description", "twitter:description"),
    "date": ("article:published_time", "datepublished", "dc.date", "dcterms.created", "dcterms.date", "citation_date",
             "citation_publication_date", "date", "pubdate", "parsely-pub-date", "og:updated_time"),
    "modified": ("article:modified_time", "datemodified", "last-modified", "dcterms.modified"),
    "keywords": ("keywords", "news_keywords"),
    "site": ("og:site_name", "application-name"),
}  # fmt: skip
LANGUAGE_NAMES = ("content-language", "og:locale", "dc.language", "dcterms.language")


@dataclass(frozen=True, slots=True)
class Head:
    """What a page's head says of it; "" where it says nothing. `language` is ISO 639-1."""

    title: str = ""
    language: str = "und"
    fields: dict[str, MetaValue] = field(default_factory=dict[str, MetaValue])


class HtmlLoader:
    """See `Loader`. Links, tables, code and formulas are kept; where no main content is found the whole page is."""

    def __init__(self, options: LoadOptions = DEFAULT) -> None:
        self.keep_boilerplate = options.keep_boilerplate

    def load(self, source: Source) -> Iterator[Document]:
        """See `Loader.load`."""
        page = require_text(decode_page(source.data, _charset(source)), source)
        root = parse_html(page)
        head = read_head(root)
        written = page_text(root, base=_link_base_url(root, source), keep_boilerplate=self.keep_boilerplate)
        if not written.text:
            written = page_text(parse_html(page), base=_link_base_url(root, source), keep_boilerplate=True)
        require_text(written.text, source)
        sections = markdown_sections(written.text, setext=False)
        yield Document(
            document_id=identify(source),
            source=source.uri,
            kind="html",
            text=written.text,
            title=_html_page_title(head, sections) or stem(source),
            language=head.language,
            metadata=head.fields,
            sections=sections,
            blocks=written.blocks,
        )


def page_text(root: HtmlNode, *, base: str = "", keep_boilerplate: bool = False) -> Canonical:
    """Return what a page says, or its main content only; the tree is used up. `base`: see `html_parts`."""
    drop_unseen(root)
    if keep_boilerplate:
        return join(html_parts(root, base=base))
    footers = drop_boilerplate(root)
    main = main_content(root)
    heading = page_heading(root, main)
    inside = set(main.iter())
    below = [part for footer in footers if footer not in inside for part in html_parts(footer, base=base)]
    return join([TextPart(f"# {heading}" if heading else ""), *html_parts(main, base=base), *below])


def read_head(root: HtmlNode) -> Head:
    """Return what the elements <html>, <title>, <meta>, <link> and <time> say of a page."""
    named: dict[str, str] = {}
    for meta in root.iter("meta"):
        for key in (meta.get("property"), meta.get("name"), meta.get("itemprop"), meta.get("http-equiv")):
            named.setdefault(key.lower(), _to_head_line(meta.get("content")))
    fields: dict[str, MetaValue] = {}
    for name, keys in META_NAMES.items():
        if found := next((named[key] for key in keys if named.get(key)), ""):
            fields[name] = found
    if "date" not in fields and (time := next(root.iter("time"), None)) is not None and time.get("datetime"):
        fields["date"] = _to_head_line(time.get("datetime"))
    if keywords := fields.get("keywords"):
        fields["keywords"] = tuple(word for part in str(keywords).split(",") if (word := part.strip()))
    links = (link.get("href").strip() for link in root.iter("link") if link.get("rel").lower() == "canonical")
    if url := next((url for url in links if url), named.get("og:url", "")):
        fields["url"] = clean(url)
    title = next(root.iter("title"), None)
    return Head(
        (_to_head_line("".join(title.itertext())) if title is not None else "") or named.get("og:title", ""),
        _iso_language([root.get("lang"), root.get("xml:lang"), *(named.get(name, "") for name in LANGUAGE_NAMES)]),
        fields,
    )


def _iso_language(tags: list[str]) -> str:
    """Return the first of the tags ("de-AT", "zh_CN") that names a language by two letters, else "und"."""
    names = (tag.replace("_", "-").split("-")[0].strip().lower() for tag in tags)
    return next((name for name in names if len(name) == 2 and name.isalpha()), "und")


def _to_head_line(text: str) -> str:
    return " ".join(clean(text).split())


def _charset(source: Source) -> str:
    """Return the charset that the server named, where the source came from one."""
    kind = str(source.metadata.get("content_type", ""))
    return kind.partition("charset=")[2].split(";")[0].strip("\"' ")


def _link_base_url(root: HtmlNode, source: Source) -> str:
    """Return the address that the links of a fetched page are relative to; "" for a file."""
    if urlsplit(source.uri).scheme not in ("http", "https"):
        return ""
    base = next(root.iter("base"), None)
    page = str(source.metadata.get("url", source.uri))
    try:
        return urljoin(page, base.get("href")) if base is not None else page
    except ValueError:
        return page


def _html_page_title(head: Head, sections: tuple[Section, ...]) -> str:
    """The <title>; the first heading instead where the title is that heading and the site's name."""
    heading = first_title(sections)
    return heading if heading and (not head.title or heading.casefold() in head.title.casefold()) else head.title

"""A report as a page: what was found, the sections, and the sources, which each citation opens at its words."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from rove.markup import Markup, join_markup, tag
from rove.paper.chain_chart import chain
from rove.paper.excerpt import excerpt
from rove.paper.line_chart import chart
from rove.records import Citation, Document, Sentence
from rove.records.document import Span
from rove.records.paper import Fact, Paper, PaperCell, PaperSection, PaperTable

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
Words = Mapping[str, str]


def paper_html(paper: Paper, sources: Mapping[str, Document]) -> str:
    """Write a report as one HTML file without a script; it loads nothing. What was deleted is left out.

    Args:
        paper: the report.
        sources: the documents that it cites, by their ids. What is cited of another, or is not its text, is shown as
            not proved.
    """
    words = report_words(paper.language)
    numbered = _Numbered(sources, words)
    header = list(_render_paper_header(paper, numbered))  # first: numbers are given as the text comes to them
    sections = [_render_paper_section(one, f"part-{place}", numbered) for place, one in enumerate(paper.sections, 1)]
    links = [tag("a", one.title, href=f"#part-{place}") for place, one in enumerate(paper.sections, 1)]
    if numbered.known:
        links.append(tag("a", words["sources"], href="#sources"))
    notes = [tag("section", tag("h2", words["notes"]), *(tag("p", one) for one in paper.notes), id="notes")]
    body = tag(
        "body",
        tag("header", *header, tag("nav", *links, aria_label=words["contents"])),
        tag("main", *sections, *numbered.listed(), *(notes if paper.notes else [])),
        tag("footer", words["made"]),
    )
    style = "".join(files("rove.paper").joinpath(name).read_text("utf-8") for name in ("page.css", "paper.css"))
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=POLICY),
        tag("title", paper.title),
        tag("style", Markup(style)),
    )
    return f"<!doctype html>\n{tag('html', head, body, lang=paper.language)}\n"


@cache
def _all_words() -> Mapping[str, Words]:
    return tomllib.loads(files("rove.paper").joinpath("words.toml").read_text("utf-8"))


def report_words(language: str) -> Words:
    """Return the report's own words in a language; those of English where there are none."""
    return _all_words().get(language, _all_words()["en"])


@dataclass
class _Numbered:
    """Citations by their place, numbered as the text first comes to them."""

    sources: Mapping[str, Document]
    words: Words
    known: dict[tuple[str, Span], Citation] = field(default_factory=dict[tuple[str, Span], Citation])

    def marks(self, citations: Sequence[Citation]) -> Iterator[Markup]:
        for one in citations:
            key = (one.document_id, one.span)
            first = key not in self.known
            self.known.setdefault(key, one)
            number = list(self.known).index(key) + 1
            yield tag(
                "a",
                f"[{number}]",
                href=f"#source-{number}",
                class_="cite",
                id=f"cite-{number}" if first else None,
                title=one.title or one.uri,
            )

    def listed(self) -> Iterator[Markup]:
        if not self.known:
            return
        items = [self._item(number, one) for number, one in enumerate(self.known.values(), 1)]
        yield tag("section", tag("h2", self.words["sources"]), tag("ol", *items, class_="sources"), id="sources")

    def _item(self, number: int, one: Citation) -> Markup:
        document = self.sources.get(one.document_id)
        found = excerpt(one, document)
        headings = document.headings_at(one.span[0]) if document else ()
        place = [one.title or one.uri, *(each for each in headings if each != one.title)]
        if one.place:
            place.append(one.place)
        wrong = [] if found.proved else [tag("p", self.words["unproved"], class_="unproved")]
        back = tag("a", "↑", href=f"#cite-{number}", class_="back", aria_label=self.words["back"])
        name = tag("p", tag("b", f"[{number}] "), " › ".join(place), " ", back, class_="place")
        return tag(
            "li",
            name,
            tag("blockquote", found.markup, lang=_document_lang_code(document)),
            *wrong,
            id=f"source-{number}",
        )


def _document_lang_code(document: Document | None) -> str | None:
    return document.language if document and document.language != "und" else None


def _render_paper_header(paper: Paper, numbered: _Numbered) -> Iterator[Markup]:
    if paper.kicker:
        yield tag("p", paper.kicker, class_="kicker")
    yield tag("h1", paper.title)
    if paper.lead:
        yield tag("p", *_render_sentences(paper.lead, numbered), class_="lead")
    if paper.facts:
        yield tag("div", *(_render_fact_card(one) for one in paper.facts), class_="cards")


def _render_fact_card(one: Fact) -> Markup:
    return tag(
        "div", tag("span", one.label, class_="what"), tag("b", one.value), tag("span", one.note),
        class_=f"card {one.tone}".strip(),
    )  # fmt: skip


def _render_sentences(sentences: Sequence[Sentence], numbered: _Numbered) -> Iterator[str]:
    for place, one in enumerate(one for one in sentences if one.kept):
        if place:
            yield " "
        yield one.text
        if not one.held:
            yield tag("span", numbered.words[one.verdict], class_="doubt")
        yield from numbered.marks(one.citations)


def _render_paper_section(one: PaperSection, name: str, numbered: _Numbered) -> Markup:
    numbers = numbered.words["numbers"]
    paragraphs = [tag("p", *_render_sentences([sentence], numbered)) for sentence in one.sentences if sentence.kept]
    chains = [chain(f"{name}-chain-{place}", each, numbers) for place, each in enumerate(one.chains, 1)]
    charts = [chart(f"{name}-chart-{place}", each, numbers) for place, each in enumerate(one.charts, 1)]
    tables = [_render_paper_table(each, numbered) for each in one.tables]
    notes = [tag("p", each, class_="note") for each in one.notes]
    return tag("section", tag("h2", one.title), *paragraphs, *chains, *charts, *tables, *notes, id=name)


def _render_paper_table(one: PaperTable, numbered: _Numbered) -> Markup:
    def styled(place: int, tone: str = "") -> str | None:
        return " ".join(filter(None, ("words" if place in one.words else "", tone))) or None

    def cell(place: int, given: PaperCell) -> Markup:
        inside = [given.text, *numbered.marks(given.citations)]
        if place == 0:
            return tag("th", *inside, scope="row", class_=styled(place, given.tone))
        return tag("td", *inside, class_=styled(place, given.tone))

    head = [tag("th", heading, scope="col", class_=styled(place)) for place, heading in enumerate(one.headings)]
    rows = [tag("tr", *(cell(place, each) for place, each in enumerate(row))) for row in one.rows]
    caption = [tag("caption", one.caption)] if one.caption else []
    whole = tag("table", *caption, tag("thead", tag("tr", join_markup(head))), tag("tbody", *rows))
    return tag("div", tag("div", whole, class_="frame"), class_="whole")

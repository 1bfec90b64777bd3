"""What of a page counts as its content: text that scripts unfold, and lines that look like menus."""

from __future__ import annotations

from pathlib import Path

import pytest

from load.samples import source
from rove.load.html.html import HtmlLoader

FILES = "files/markitdown/packages/markitdown/tests/test_files"
LONG = "Hosszú bekezdés a farkasokról. Ein langer Absatz über Wölfe. 狼についての段落。关于狼的段落。 " * 6


def text_of(page: str) -> str:
    [document] = HtmlLoader().load(source("html", page.encode()))
    return document.text


@pytest.mark.parametrize(
    "panel",
    [
        f"<div role='tabpanel' hidden><p>PANEL {LONG}</p></div>",
        f"<div class='collapse' style='display: none'><p>PANEL {LONG}</p></div>",
        f"<main><div class='caption' role='contentinfo'>PANEL {LONG}</div><p>{LONG}</main>",
    ],
)
def test_text_under_tabs_and_accordions_stays(panel: str) -> None:
    assert "PANEL" in text_of(f"<p>{LONG}</p>{panel}")


@pytest.mark.parametrize(
    "hidden",
    [
        "<div hidden><p>HIDDEN for a short while</p></div>",
        f"<dialog hidden>HIDDEN {LONG}</dialog>",
        f"<div role='dialog' style='display:none'>HIDDEN {LONG}</div>",
        f"<div class='modal fade' style='display:none'>HIDDEN {LONG}</div>",
        f"<div id='cookie-consent' hidden>HIDDEN {LONG}</div>",
        f"<div hidden>HIDDEN <a href='/a'>{LONG}</a></div>",
        f"<div style='display:none'>HIDDEN{'&zwnj;&nbsp;' * 400}</div>",
        f"<div hidden>HIDDEN<script>{LONG}</script></div>",
        f"<div role='contentinfo'>HIDDEN {LONG}</div>",
    ],
)
def test_hidden_menus_and_dialogs_go(hidden: str) -> None:
    text = text_of(f"<p>{LONG}</p>{hidden}<p>{LONG * 2}</p>")
    assert "HIDDEN" not in text
    assert "Wölfe" in text


@pytest.mark.parametrize(
    "attributes",
    [
        "class='hatnote navigation-not-searchable' role='note'",
        "class='hauptartikel' role='navigation'",
        "class='rellink noprint'",
    ],
)
def test_the_line_that_names_the_main_article_stays(attributes: str) -> None:
    note = f"<div {attributes}>Hauptartikel: <a href='/w'>Wölfe in Ungarn</a></div>"
    assert "[Wölfe in Ungarn](/w)" in text_of(f"<h1>Wolf</h1>{note}<p>{LONG * 3}</p>")


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("test_serp.html", "make charts and graphs with Microsoft Excel"),
        ("test_serp.html", "2020–present: Acquisitions, Xbox Series X/S, and Windows 11"),
        ("test_wikipedia.html", "Main article: [History of Microsoft]"),
        ("test_wikipedia.html", "For a chronological guide, see [Timeline of Microsoft]"),
    ],
)
def test_real_pages(shared_data: Path, name: str, kept: str) -> None:
    assert kept in text_of((shared_data / FILES / name).read_text("utf-8"))


@pytest.mark.parametrize(
    "panel",
    [
        "<div><button>Wer repariert?</button><div hidden>PANEL in Brünn.</div></div>",
        "<h3><button aria-controls='p7'>Wer repariert?</button></h3><div id='p7' style='display:none'>PANEL</div>",
        "<ul><li role='tab' aria-controls='p8'>Wer repariert?</li></ul><p>x</p><div id='p8' hidden>PANEL</div>",
        "<dl><dt>Wer repariert?</dt><dd hidden>PANEL in Brünn.</dd></dl>",
        "<p>Wer repariert?</p><p><a href='#p9'>mehr</a></p><div id='p9' hidden>PANEL in Brünn.</div>",
    ],
)
def test_a_short_answer_that_a_button_unfolds_stays_with_its_question(panel: str) -> None:
    text = text_of(f"<h1>Fragen</h1><p>{LONG}</p>{panel}")
    assert "PANEL" in text
    assert "Wer repariert?" in text


def test_what_a_button_opens_and_is_no_text_goes() -> None:
    page = (
        f"<h1>F</h1><p>{LONG}</p><button aria-controls='m'>Menü</button>"
        "<ul id='m' hidden><li><a href='/a'>MENU eins</a></li><li><a href='/b'>MENU zwei</a></li></ul>"
        "<button aria-controls='d'>Mehr</button><div id='d' role='dialog' hidden>DIALOG</div><div hidden>ALONE</div>"
    )
    assert not {"MENU", "DIALOG", "ALONE", "Menü"} & set(text_of(page).replace("\n", " ").split())


def test_a_warning_beside_the_main_text_stays_and_related_links_go() -> None:
    page = (
        f"<main><h1>Presse</h1><p>{LONG}</p><aside><p>WARNUNG: nie öffnen.</p></aside>"
        "<aside><a href='/x'>RELATED eins</a> <a href='/y'>RELATED zwei</a></aside></main><aside>OUTSIDE</aside>"
    )
    text = text_of(page)
    assert "WARNUNG" in text
    assert "RELATED" not in text
    assert "OUTSIDE" not in text


def test_the_footer_of_a_short_page_says_hours_and_no_rights() -> None:
    page = (
        "<main><h1>Kantine</h1><p>Willkommen.</p></main><footer><p>Geöffnet 11 bis 14 Uhr.</p><p>© 2026 RIGHTS AG</p>"
        "<ul><li><a href='/i'>IMPRINT</a></li></ul></footer>"
    )
    text = text_of(page)
    assert "Geöffnet 11 bis 14 Uhr." in text
    assert "RIGHTS" not in text
    assert "IMPRINT" not in text
    assert "Geöffnet" not in text_of(page.replace("Willkommen.", LONG * 8))

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

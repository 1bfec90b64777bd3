from __future__ import annotations

from pathlib import Path

import pytest

from load.samples import PARAGRAPHS, html_page, source
from rove.errors import InputError
from rove.load.html import HtmlLoader
from rove.records import Document

FILES = "files/markitdown/packages/markitdown/tests/test_files"


def load(page: str | bytes) -> Document:
    [document] = HtmlLoader().load(source("html", page.encode() if isinstance(page, str) else page))
    return document


def test_the_main_content_is_kept_and_the_rest_is_gone() -> None:
    document = load(html_page())
    for text in (*PARAGRAPHS.values(), "[itt](https://example.org/x)", "| kör | 1 |", "# not a heading\nx = 1"):
        assert text in document.text
    for text in ("LOGO", "MENU", "COOKIES", "RELATED", "IMPRESSUM", "evil", "SEND"):
        assert text not in document.text
    assert document.title == "Gyűjtemény"
    assert document.language == "hu"
    assert [s.title for s in document.sections] == ["Gyűjtemény", *(f"Teil {code}" for code in PARAGRAPHS)]


@pytest.mark.parametrize(
    "page",
    [
        "<p>Just a paragraph.</p>",
        "<html><body><nav>Just a paragraph.</nav></body></html>",
        "<html><body><form>Just a paragraph.</form></body></html>",
        "<body class='cookie-banner'><p>Just a paragraph.</body>",
        "<main></main><p>Just a paragraph.</p>",
        "<article>x</article><div><p>Just a paragraph. It is the longer part by far.</p></div>",
    ],
)
def test_a_page_without_main_content_is_not_empty(page: str) -> None:
    assert "Just a paragraph." in load(page).text


def test_an_article_keeps_the_heading_in_its_own_header() -> None:
    assert load("<article><header><h1>Cím</h1></header><p>Szöveg itt.</p></article>").text.startswith("# Cím")


@pytest.mark.parametrize(
    ("charset", "code"), [("shift_jis", "ja"), ("gb2312", "zh"), ("iso-8859-2", "hu"), ("windows-1252", "de")]
)
def test_the_declared_charset_is_believed(charset: str, code: str) -> None:
    page = f"<html><head><meta charset='{charset}'></head><body><p>{PARAGRAPHS[code]}</p></body></html>"
    assert PARAGRAPHS[code] in load(page.encode(charset)).text


def test_a_wrong_declaration_gives_way_to_the_bytes() -> None:
    page = f"<html><head><meta charset='ascii'></head><body><p>{PARAGRAPHS['ja']}</p></body></html>"
    assert PARAGRAPHS["ja"] in load(page).text


def test_a_page_of_scripts_is_empty() -> None:
    with pytest.raises(InputError) as caught:
        load("<html><script>document.write('x')</script><style>a{}</style></html>")
    assert caught.value.outcome == "empty"


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "title", "kept", "gone"),
    [
        (
            "test_blog.html",
            "Does Model and Inference",
            "Large language models (LLMs) are powerful tools",
            "Copyright ©",
        ),
        ("test_wikipedia.html", "Microsoft", "Childhood friends", "Toggle limited content width"),
        ("test_serp.html", "Microsoft wikipedia", "Microsoft Corporation is", "Skip to content"),
    ],
)
def test_real_pages(shared_data: Path, name: str, title: str, kept: str, gone: str) -> None:
    document = load((shared_data / FILES / name).read_bytes())
    assert document.title.startswith(title)
    assert document.language == "en"
    assert kept in document.text
    assert gone not in document.text
    assert "javascript:" not in document.text
    assert len(document.sections) >= 5

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cpu_time import at_most

from load.samples import PARAGRAPHS, html_page, source
from rove.errors import InputError
from rove.load import LoadOptions
from rove.load.html.html import HtmlLoader
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


def text(body: str) -> str:
    return load(f"<html><body><main>{body}</main></body></html>").text.strip()


def test_all_of_a_page_when_asked() -> None:
    [document] = HtmlLoader(LoadOptions(keep_boilerplate=True)).load(source("html", html_page().encode()))
    for words in ("LOGO", "MENU", "COOKIES", "RELATED", "IMPRESSUM", *PARAGRAPHS.values()):
        assert words in document.text
    assert "evil" not in document.text


HEAD_OF_TWO_ROWS = "<tr><th rowspan=2>Ort<th colspan=2>Umsatz<tr><th>2023<th>2024"


@pytest.mark.parametrize(
    ("html", "rows"),
    [
        (f"{HEAD_OF_TWO_ROWS}<tr><td rowspan=2>Wien<td>1<td>2<tr><td>3<td>4",
         ["| Ort | Umsatz / 2023 | Umsatz / 2024 |", "| --- | --- | --- |", "| Wien | 1 | 2 |", "| Wien | 3 | 4 |"]),
        ("<tr><td>a<td>b<tr><td>1<td>2", ["| a | b |", "| --- | --- |", "| 1 | 2 |"]),
        ("<tr><th>név<td>x<tr><th>数<td>y", ["|  |  |", "| --- | --- |", "| név | x |", "| 数 | y |"]),
        ("<thead><tr><td>a<td>b<tbody><tr><td colspan=2>wide<tr><td>1<td>2",
         ["| a | b |", "| --- | --- |", "| wide |  |", "| 1 | 2 |"]),
        ("<tfoot><tr><td>sum<td>3<tbody><tr><th>a<th>b<tr><td>1<td>2",
         ["| a | b |", "| --- | --- |", "| 1 | 2 |", "| sum | 3 |"]),
        ("<tr><th>a<th>b<tr><td>x|y<td><ul><li>one<li>two</ul>", 
         ["| a | b |", "| --- | --- |", "| x\\|y | one; two |"]),
    ],
)  # fmt: skip
def test_tables(html: str, rows: list[str]) -> None:
    assert text(f"<table>{html}</table>") == "\n".join(rows)


def test_tables_that_only_place_things_are_text() -> None:
    inner = "<table><tr><th>a<th>b<tr><td>1<td>2</table>"
    assert text(f"<table><tr><td>menu<td><h1>Title</h1><p>Text</p>{inner}</table>") == (
        "menu\n\n# Title\n\nText\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"
    )


def test_captions_are_paragraphs_and_known_to_their_blocks() -> None:
    document = load(
        "<main><table><caption>Tab. 1: <b>Városok</b></caption><tr><th>a<th>b<tr><td>1<td>2</table>"
        "<figure><img src='x y.png' alt='a map'><figcaption>図 1 地図</figcaption></figure>"
        "<figure><img src='z.png'><figcaption>Abb. 2</figcaption></figure>"
        "<figure><figcaption>Listing 3</figcaption><pre><code class='language-python'>x = 1</code></pre></figure>"
    )
    assert [(block.kind, block.caption) for block in document.blocks] == [
        ("table", "Tab. 1: Városok"), ("image", "図 1 地図"), ("image", "Abb. 2"), ("code", "Listing 3"),
    ]  # fmt: skip
    shown = [document.text[slice(*block.span)] for block in document.blocks]
    assert shown[0].startswith("| a | b |")
    assert shown[1:] == ["![a map](x%20y.png)", "![Abb. 2](z.png)", "```python\nx = 1\n```"]
    assert "Tab. 1: Városok\n\n| a" in document.text
    assert "\n\n図 1 地図\n" in document.text


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ul><li>a<ul><li>b<ol start=3><li>c<li>d</ol></ul><li>e</ul>", "- a\n  - b\n    3. c\n    4. d\n- e"),
        ("<ol><li><p>one</p><p>more</p><li>two</ol>", "1. one\n\n  more\n\n2. two"),
        ("<p>a<br>b</p><blockquote><p>q<p>r</blockquote>", "a\nb\n\n> q\n\n> r"),
        ("<h2>A <a href='#x'>¶</a></h2><p># no heading", "## A\n\n\\# no heading"),
        ("<p>E = mc<sup>2</sup>, H<sub>2</sub>O, 1<sup>st</sup>", "E = mc², H2O, 1st"),
        ("<p>漢<ruby>字<rt>じ</rt></ruby>\n日本</p><p>one\ntwo</p>", "漢字日本\n\none two"),
        ("<p>a <code>x  `y`</code> <del>old</del><ins>new</ins> <q>said</q>", "a `` x `y` `` new “said”"),
        ("<pre class='highlight'><span class=lineno>1</span>if x:\n    y<br>  z</pre>", "```\nif x:\n    y\n  z\n```"),
        ("<div class='highlight-sql notranslate'><pre>SELECT ```1```</pre></div>", "````sql\nSELECT ```1```\n````"),
        ("<a href='/x y'><h3>Card</h3><p>Words</p></a>", "### [Card](/x%20y)\n\nWords"),
        ("<p>x<a href='javascript:a()'>y</a><a href=''>z</a><a href='http://[bad'>w</a>", "xyz[w](http://[bad)"),
        ("<p hidden>no</p><p style='display: none'>no</p><p>yes<noscript>no</noscript><svg>no</svg>", "yes"),
        ("<p>x<img src='i.png' alt=' icon' width=16 height=16><img src='data:image/png;base64,AA' alt='A [b]'>",
         "xicon![A (b)](embedded)"),
        ("<dl><dt>Begriff<dd>Erklärung</dl>", "Begriff\n\nErklärung"),
        ("<details><summary>Mehr</summary><p>dazu</details>", "Mehr\n\ndazu"),
    ],
)  # fmt: skip
def test_elements(html: str, expected: str) -> None:
    assert text(html) == expected


TEX = "<semantics><mi>x</mi><annotation encoding='application/x-tex'>{}</annotation></semantics>"
INLINE = TEX.format(r"{\displaystyle x^2}")
DISPLAYED = TEX.format(r"\frac{a}{b}")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<p>a <math>{INLINE}</math> b", "a $x^2$ b"),
        ("<span class='katex-display'><span class=katex><span class='katex-mathml'>"
         f"<math display=block>{DISPLAYED}</math></span>"
         "<span class='katex-html' aria-hidden=true>ab</span></span></span>", "$$\n\\frac{a}{b}\n$$"),
        ("<p><math><msqrt><mi>α</mi><mi>x</mi></msqrt><mo>≤</mo><mfrac><mn>1</mn><msub><mi>y</mi><mi>i</mi></msub>"
         "</mfrac></math>", r"$\sqrt{\alpha x}\leq \frac{1}{y_i}$"),
        ("<p>a<script type='math/tex'>x_1</script><script type='math/tex; mode=display'>y</script>",
         "a$x_1$\n\n$$\ny\n$$"),
        ("<span style='display: none'><math><mi>x</mi></math></span>", "$x$"),
    ],
)  # fmt: skip
def test_formulas(html: str, expected: str) -> None:
    assert text(html) == expected


def test_footnotes_are_tied_to_their_places() -> None:
    html = (
        "<p>Word<sup id=r1><a href='#fn1'>[1]</a></sup> and"
        "<sup><a href='#fn2'>[b]</a></sup>, 5 m<sup><a href='#t'>2</a></sup>"
        "<ol><li id=fn1>First note. <a href='#r1'>↩</a><li id=fn2><p>Second note.</p></ol>"
    )
    assert text(html) == "Word[^1] and[^b], 5 m²\n\n[^1]: First note.\n[^b]: Second note."


def test_the_facts_of_the_head() -> None:
    document = load(
        "<html lang='de-AT'><head><title>T | Site</title><meta name=author content='Ödön  Őri'>"
        "<meta property='article:published_time' content='2024-05-01'><meta property='og:site_name' content='Site'>"
        "<meta name=keywords content='a, b,,c'><meta property='og:description' content='What it is'>"
        "<link rel=canonical href='https://example.org/t'></head><body><h1>T</h1><p>x"
    )
    assert document.metadata == {
        "author": "Ödön Őri", "date": "2024-05-01", "site": "Site", "keywords": ("a", "b", "c"),
        "description": "What it is", "url": "https://example.org/t",
    }  # fmt: skip
    assert (document.title, document.language) == ("T", "de")


LONG = f"<p>{'This is the text that people come for, one sentence after the other, without a link in it. ' * 20}</p>"
MENU = "".join(f"<li><a href='/{n}'>Topic {n}</a></li>" for n in range(30))


@pytest.mark.parametrize(
    "page",
    [
        f"<div><div class='sidebar'><ul>{MENU}</ul></div><div class='text'><h1>Head</h1>{LONG}</div></div>",
        f"<table><tr><td><ul>{MENU}</ul></td><td><h1>Head</h1>{LONG}</td></tr></table>",
        f"<form id=aspnetForm><div><ul>{MENU}</ul></div><div><h1>Head</h1>{LONG}</div></form>",
        f"<h1>Head</h1><main>{LONG}</main><div>{MENU}</div>",
        f"<header class=top><ul>{MENU}</ul></header><h1>Head</h1>{LONG}<div id=related>{MENU}</div>",
    ],
)
def test_menus_go_and_the_text_stays(page: str) -> None:
    document = load(f"<html><body>{page}</body></html>")
    assert document.text.startswith("# Head\n\nThis is the text")
    assert "Topic" not in document.text


def test_a_page_that_is_a_list_of_links_keeps_them() -> None:
    assert load(f"<body><h1>Index</h1><ul>{MENU}</ul>").text.count("Topic") == 30


BAIT = [
    "<div>" * 100_000 + "deep", "<ul><li>" * 20_000 + "deep", "<table><tr><td>" * 5_000 + "deep", "![](" * 30_000,
    "<b>" * 50_000 + "x", "<a href=x>" * 50_000 + "x", "<" * 200_000, "<p " + "a=b " * 50_000 + ">x", "[" * 100_000,
    "<table>" + "<tr><td rowspan=9999 colspan=1000>x" * 3_000, "&" * 100_000, "<math>" * 20_000 + "x", "`" * 100_000,
    "<sup>" * 3_000 + "<a href='#fn1'>1</a>", "<a href='#fn1'>" * 10_000, "x/>" * 50_000, "<x/>" * 50_000,
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(BAIT)))
def test_bait_takes_no_time(number: int) -> None:
    with at_most(5):
        try:
            load(f"<html><body>{BAIT[number]}</body></html>")
        except InputError as error:
            assert error.cure


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


@pytest.mark.parametrize("tags", ["div", "span", "b", "blockquote", "ul li", "table tr td", "section p"])
@pytest.mark.parametrize("times", [300, 3_000, 30_000])
def test_text_is_read_however_deep_it_lies(tags: str, times: int) -> None:
    opened = "".join(f"<{tag}>" for tag in tags.split()) * times
    closed = "".join(f"</{tag}>" for tag in reversed(tags.split())) * times
    page = f"<html><body><p>Before.</p>{opened}In the depth.{closed}<p>After.</p></body></html>"
    document = load(page)
    assert [word for word in ("Before.", "In the depth.", "After.") if word not in document.text] == []

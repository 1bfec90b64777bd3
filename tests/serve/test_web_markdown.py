"""Markdown in the page: laid out, whole and growing; hostile texts stay text; citations and quotations keep places."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Page

from language.test_safe_markdown import ATTACKS, HARMLESS
from markdown_viewers import acts
from rove.language.safe_markdown import fence_code, literal, safe_markdown
from serve.browser import EVIL, Visit, held

pytestmark = pytest.mark.asyncio(loop_scope="module")
DRAFT = """async (text) => {
  const { drawDraft } = await import("/web/answer.js");
  const host = document.createElement("div");
  drawDraft(host, text);
  return host.innerHTML;
}"""
GROWN = """async ([text, step]) => {
  const { drawDraft } = await import("/web/answer.js");
  const bytes = new TextEncoder().encode(text);
  const decoder = new TextDecoder();
  const host = document.createElement("div");
  let sofar = "";
  for (let at = 0; at < bytes.length; at += step) {
    sofar += decoder.decode(bytes.slice(at, at + step), { stream: true });
    drawDraft(host, sofar);
  }
  return host.innerHTML;
}"""
TIMED = """async (text) => {
  const { drawDraft } = await import("/web/answer.js");
  const began = performance.now();
  drawDraft(document.createElement("div"), text);
  return performance.now() - began;
}"""
ANSWER = """async (answer) => {
  const { drawAnswer } = await import("/web/answer.js");
  const host = document.createElement("div");
  host.append(...drawAnswer(answer).filter(Boolean));
  return [host.querySelector(".answer-text").innerHTML, host.querySelector(".left-out li")?.textContent ?? ""];
}"""
SAFE = """async (texts) => {
  const { fenced, literal, safeMarkdown } = await import("/web/safe_markdown.js");
  return texts.map((text) => [literal(text), safeMarkdown(text), fenced(text)]);
}"""
COPIED = """async (words) => {
  const { asMarkdown } = await import("/web/as_markdown.js");
  const cited = { number: 1, title: words, source: words };
  const sql = { text: words, sql: words, columns: [words], rows: [[words]] };
  return [
    { way: "answer", question: words, answer: { text: words, sentences: [{ citations: [cited] }] } },
    { way: "search", question: words, hits: [{ title: words, source: words, rendered: { text: words } }] },
    { way: "database", question: words, sql },
  ].map((entry) => asMarkdown(entry, document.body));
}"""
PLAIN = {
    "One.\nTwo.\n\nThree.": "<p>One.\nTwo.</p><p>Three.</p>",
    "**bold**, *em*, ***both***, _em_ and __bold__": (
        "<p><strong>bold</strong>, <em>em</em>, <strong><em>both</em></strong>, <em>em</em> and "
        "<strong>bold</strong></p>"
    ),
    "**a *b* c**": "<p><strong>a <em>b</em> c</strong></p>",
    "*a **b** c*": "<p><em>a <strong>b</strong> c</em></p>",
    "snake_case_name, 2 * 3 * 4, **open": "<p>snake_case_name, 2 * 3 * 4, **open</p>",
    "**これは**強調": "<p><strong>これは</strong>強調</p>",
    "`a*b*` and ``c`d``": "<p><code>a*b*</code> and <code>c`d</code></p>",
    r"\*not\* \[1]": "<p>*not* [1]</p>",
    "# A\n## B\n# C #": "<h3>A</h3><h4>B</h4><h3>C</h3>",
    "### Deep\n##### Deeper": "<h3>Deep</h3><h4>Deeper</h4>",
    "#no heading": "<p>#no heading</p>",
    "- a\n- b\n  - c\n\n- d": "<ul><li><p>a</p></li><li><p>b</p><ul><li><p>c</p></li></ul></li><li><p>d</p></li></ul>",
    "2. a\n3. b\n   more": '<ol><li value="2"><p>a</p></li><li value="3"><p>b\nmore</p></li></ol>',
    "It was\n1986. A year.": "<p>It was\n1986. A year.</p>",
    "> quoted\n> > twice": "<blockquote><p>quoted</p><blockquote><p>twice</p></blockquote></blockquote>",
    "a\n\n---\n\nb": "<p>a</p><hr><p>b</p>",
    "```py\nx = **1**\n```\nafter": "<pre>Code<code>x = **1**</code></pre><p>after</p>",
    "~~~\nnever closed\n# x": "<pre>Code<code>never closed\n# x</code></pre>",
    "| a | b |\n|:-:|--:|\n| 1 | **2** |\n| x \\| y |": (
        '<div>Table<table><thead><tr><th class="middle">a</th><th class="end">b</th></tr></thead><tbody>'
        '<tr><td class="middle">1</td><td class="end"><strong>2</strong></td></tr>'
        '<tr><td class="middle">x | y</td></tr></tbody></table></div>'
    ),
    "a | b without a rule": "<p>a | b without a rule</p>",
    "Held. [1][2≠?] `[3]` None. [?]": (
        '<p>Held. <span class="cite pending">1</span><span class="cite pending">≠2</span> <code>[3]</code> None. '
        '<span class="unsourced" title="No source was found that says this.">not in the sources</span></p>'
    ),
}
ADDRESS = '<bdi class="address" dir="ltr">{}</bdi>'
HOSTILE = {
    "<script>window.hacked=1</script>": "<p>&lt;script&gt;window.hacked=1&lt;/script&gt;</p>",
    "<img src=x onerror=hacked=1>": "<p>&lt;img src=x onerror=hacked=1&gt;</p>",
    "[press](javascript:window.hacked=1)": f"<p>press ({ADDRESS.format('javascript:window.hacked=1')})</p>",
    "[*press*](https://evil.example/?q=a_(b))": (
        f"<p><em>press</em> ({ADDRESS.format('https://evil.example/?q=a_(b)')})</p>"
    ),
    '![seen](https://evil.example/x.png "t")': f"<p>seen ({ADDRESS.format('https://evil.example/x.png')})</p>",
    "![](data:text/html,x)": f"<p>{ADDRESS.format('data:text/html,x')}</p>",
    "<https://evil.example>": "<p>&lt;https://evil.example&gt;</p>",
    "&lt;b&gt;": "<p>&amp;lt;b&amp;gt;</p>",
    "abc \u202edef\u2066 [1]": '<p>abc def <span class="cite pending">1</span></p>',
    "\ufdd00\ufdd1 \ufdd099\ufdd1": "<p>\ufffd0\ufffd \ufffd99\ufffd</p>",
    "[a](\ufdd05\ufdd1)": "<p>a (" + ADDRESS.format("\ufffd5\ufffd") + ")</p>",
}
SIZE = 40_000
TRIES = 12
"""On a busy machine one measurement says little: what is quadratic is slow in each."""
SLOW = {
    "asterisks": "*" * SIZE,
    "lone asterisks": "*a " * SIZE,
    "pairs": "**a*b_c__d " * SIZE,
    "backticks": " ".join("`" * (n % 300) for n in range(SIZE // 100)),
    "code": "`a" * SIZE,
    "brackets": "[" * SIZE,
    "half links": "[a](" * SIZE,
    "links in links": "[a](b(c" * SIZE,
    "images": "![" * SIZE,
    "quotes": ">" * SIZE,
    "lists": "- " * SIZE,
    "list of lists": "\n".join("  " * (n % 40) + "- x" for n in range(SIZE // 4)),
    "blank lines in lists": "- a\n\n" * (SIZE // 4),
    "only blank lines": "- a" + "\n" * SIZE,
    "a wide table": "|" * SIZE + "\n" + "|-" * SIZE,
    "many short rows": "|a" * 2_000 + "\n" + "|-" * 2_000 + "\n|x" * SIZE,
    "nested tables": "> | a |\n> |-|\n> | | b |\n" * (SIZE // 8),
    "unclosed fences": "```\n~~~\n" * (SIZE // 4),
    "rules": "- " * SIZE + "x",
    "spaces": "# a" + " " * SIZE + "x",
    "hashes": "#" * SIZE + "\n# " + "# " * SIZE + "x",
    "delimiters": "|a|\n|" + " " * SIZE + "-x|",
    "titles": '[](a "' * SIZE,
    "numbers": "[1]" * (SIZE // 4),
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    async with held(tmp_path_factory.mktemp("web")) as made:
        yield made


@pytest_asyncio.fixture(loop_scope="module")
async def page(visit: Visit) -> AsyncIterator[Page]:
    async with visit.page() as page:
        yield page
        assert await page.evaluate("window.hacked") is None
    elsewhere = [url for url in visit.asked if not url.startswith((visit.address, f"blob:{visit.address}"))]
    assert (elsewhere, visit.errors) == ([], [])


def bare(html: str) -> str:
    """Without what every block has that can be scrolled: its name, and what the keyboard needs."""
    for noise in (' scope="col"', ' class="wide" tabindex="0" role="region"'):
        html = html.replace(noise, "")
    for name in ("Code", "Table"):
        html = html.replace(f' aria-label="{name}">', f">{name}")
    return html.replace('<code dir="ltr">', "<code>")


async def test_markdown_is_laid_out_and_all_else_is_text(page: Page) -> None:
    shown = {text: bare(await page.evaluate(DRAFT, text)) for text in (*PLAIN, *HOSTILE)}
    assert shown == {**PLAIN, **HOSTILE}


async def test_a_text_that_grows_comes_to_what_it_is_as_a_whole(page: Page) -> None:
    """In pieces of three bytes, which cut characters, fences and numbers in two."""
    text = "\n\n".join([*PLAIN, *HOSTILE, EVIL, "斑马与シマウマ 🦓 [1]"])
    assert await page.evaluate(GROWN, [text, 3]) == await page.evaluate(DRAFT, text)


async def test_what_has_been_drawn_stays_while_a_text_grows(page: Page) -> None:
    kept = await page.evaluate("""async () => {
      const { drawDraft } = await import("/web/answer.js");
      const host = document.createElement("div");
      drawDraft(host, "One.\\n\\n- a");
      const first = host.firstChild;
      drawDraft(host, "One.\\n\\n- a\\n- b");
      return [host.firstChild === first, host.querySelectorAll("li").length];
    }""")
    assert kept == [True, 2]


async def test_no_text_takes_long(page: Page) -> None:
    """Eight times the text takes some eight times as long: what is quadratic takes sixty-four times, whenever."""
    slow: dict[str, str] = {}
    for name, text in SLOW.items():
        short = long = math.inf
        for _ in range(TRIES):
            short = min(short, await page.evaluate(TIMED, text[: len(text) // 8]))
            long = min(long, await page.evaluate(TIMED, text))
            if long < 30 * max(short, 4.0):
                break
        else:
            slow[name] = f"{short:.1f} ms, then {long:.1f} ms"
    assert slow == {}


def citation(number: int, quote: str) -> dict[str, Any]:
    return {"number": number, "document_id": f"d{number}", "title": f"T{number}", "quote": quote, "span": [0, 1]}


def answer(mode: str, text: str, *sentences: tuple[str, list[dict[str, Any]]]) -> dict[str, Any]:
    held = [
        {"text": said, "citations": cited, "verdict": "quoted" if cited else "unsourced", "deleted": not cited}
        for said, cited in sentences
    ]
    return {"mode": mode, "text": text, "language": "en", "sentences": held, "references": [], "note": ""}


async def drawn(page: Page, given: dict[str, Any]) -> tuple[str, str]:
    text, left_out = await page.evaluate(ANSWER, given)
    for number in (1, 2, 3):
        button = f'<button type="button" class="cite" aria-label="Source {number}: T{number}" title="T{number}">'
        text = text.replace(f"{button}{number}</button>", f"<{number}>")
    return bare(text), left_out


async def test_citations_keep_their_places_in_what_a_model_wrote(page: Page) -> None:
    one, two = citation(1, "q1"), citation(2, "q2")
    text = "## Rules\n\n1. **Work** is free. [1]\n2. See `a[1]`. [2][1]\n\n| x |\n|-|\n| y |\n\n[2]\n\nAs in [7]."
    told = answer(
        "qwen", text, ("**Work** is free.", [one]), ("See `a[1]`.", [two, one]), ("Nobody holds this.", []),
        ("| x |\n|-|\n| y |", [two]),
    )  # fmt: skip
    shown, left_out = await drawn(page, told)
    assert shown == (
        '<h3>Rules</h3><ol><li value="1"><p><strong>Work</strong> is free. <1></p></li>'
        '<li value="2"><p>See <code>a[1]</code>. <2><1></p></li></ol>'
        "<div>Table<table><thead><tr><th>x</th></tr></thead><tbody><tr><td>y</td></tr></tbody></table></div>"
        "<p><2></p><p>As in [7].</p>"
    )
    assert left_out == "Nobody holds this."


async def test_each_number_opens_the_words_of_its_own_sentence(page: Page) -> None:
    same = [("One.", [citation(1, "first")]), ("Two.", [citation(1, "second")])]
    spans = await page.evaluate(
        """async (answer) => {
      answer.sentences.forEach((one, place) => (one.citations[0].title = `T${place}`));
      const { drawAnswer } = await import("/web/answer.js");
      return [...drawAnswer(answer).find(Boolean).querySelectorAll(".cite")].map((one) => one.title);
    }""",
        answer("qwen", "One. [1] Two. [1]", *same),
    )
    assert spans == ["T0", "T1"]


MARKED = """async (answer) => {
  const { drawAnswer } = await import("/web/answer.js");
  const text = drawAnswer(answer).find(Boolean);
  const told = (one) => [one.className, one.textContent, one.getAttribute("aria-label")];
  const buttons = [...text.querySelectorAll("button")].map(told);
  const said = (kind) => [...text.querySelectorAll(kind)].map((one) => one.textContent);
  return [buttons, said(".differing q"), said(".unsourced"), said(".gap")];
}"""


async def test_a_sentence_that_differs_has_its_sources_words_beside_it(page: Page) -> None:
    """Its button opens them; a reader that hears the page is told, too."""
    given = answer(
        "qwen", "Six. [1] Seven. [1≠?] Wine. [?]", ("Six.", [citation(1, "a")]), ("Seven.", [citation(1, "b c")])
    )
    buttons, words, unsourced, _ = await page.evaluate(MARKED, given)
    assert buttons == [["cite", "1", "Source 1: T1"], ["cite differs", "≠1", "Source 1: T1 – it says otherwise"]]
    assert (words, unsourced) == (["b c"], ["not in the sources"])


async def test_a_deleted_sentence_is_one_click_away_in_its_place(page: Page) -> None:
    given = answer(
        "qwen", "One. [1] […] Two. [1]", ("One.", [citation(1, "a")]), ("Gone.", []), ("Two.", [citation(1, "b")])
    )
    assert (await page.evaluate(MARKED, given))[3] == ["[…] Gone."]
    assert (await drawn(page, given))[1] == "", "it is not listed beside the answer, too"


async def test_an_answer_of_the_release_before_is_drawn_without_doubt(page: Page) -> None:
    given = answer("qwen", "Sure. [1] Not sure. [1?]", ("Sure.", [citation(1, "a")]), ("Not sure.", [citation(1, "b")]))
    buttons, *marks = await page.evaluate(MARKED, given)
    assert (buttons, marks) == ([["cite", "1", "Source 1: T1"]] * 2, [[], [], []])


async def test_quotations_stand_as_their_source_has_them(page: Page) -> None:
    """Signs of markdown, HTML and numbers in brackets are the source's; the layout around them is ours."""
    first, second = "# **Not** bold [2] <b>x</b>", "- *a* \u202e[1](javascript:x)"
    lines = f"**They differ:**\n- “{first}” (T1) [1]\n- “{second}” (T2) [2]"
    told = answer(
        "extractive", f"{first} [1]\n\n{second} [2]\n\n{lines}",
        (first, [citation(1, first)]), (second, [citation(2, second)]),
    )  # fmt: skip
    shown, _ = await drawn(page, told)
    quotes = [
        f'<bdi class="quote">{said}</bdi>'
        for said in (
            first.replace("<", "&lt;").replace(">", "&gt;"),
            second,
            f"“{first}”".replace("<", "&lt;").replace(">", "&gt;"),
            f"“{second}”",
        )
    ]
    assert shown == (
        f"<p>{quotes[0]} <1></p><p>{quotes[1]} <2></p><p><strong>They differ:</strong></p>"
        f"<ul><li><p>{quotes[2]} (T1) <1></p></li><li><p>{quotes[3]} (T2) <2></p></li></ul>"
    )


async def test_a_quoted_row_is_laid_out_as_a_table_and_its_cells_stand_as_their_source_has_them(page: Page) -> None:
    head, row = "| **City** | Head |\n| --- | --- |", "| Oslo [2] | <b>Ada</b> *Dahl* |"
    told = answer("extractive", f"{head}\n{row.removesuffix(' |')} [1] |", (f"{head}\n{row}", [citation(1, row)]))
    shown, _ = await drawn(page, told)
    assert shown.count("<table") == shown.count("</table>") == 1
    assert all(f'<bdi class="quote">{cell}</bdi>' in shown for cell in ("**City**", "Oslo [2]"))
    assert '<bdi class="quote">&lt;b&gt;Ada&lt;/b&gt; *Dahl*</bdi> <1>' in shown


async def test_a_quotation_in_code_is_itself(page: Page) -> None:
    words = "held “so *it* is” and no more"
    told = answer("qwen", f"See `{words}`.\n\n~~~\n{words}\n~~~", ("See.", [citation(1, "so *it*  is")]))
    shown, _ = await drawn(page, told)
    assert shown == f"<p>See <code>{words}</code>.</p><pre>Code<code>{words}</code></pre>"


async def test_fixed_sentences_are_no_markdown(page: Page) -> None:
    for mode in ("refused", "clarifying"):
        shown, _ = await drawn(page, answer(mode, "Do you mean *A* or\n# B?"))
        assert shown == '<p><bdi class="quote">Do you mean *A* or\n# B?</bdi></p>'
    shown, _ = await drawn(page, answer("unsourced", "No source.\n\n*So* it is. [1]", ("No source.", []), ("x", [])))
    assert shown == "<p>No source.</p><p><em>So</em> it is. [1]</p>"


async def test_what_is_copied_is_made_safe_as_exports_are(visit: Visit) -> None:
    texts = [
        *ATTACKS,
        *HARMLESS,
        "It is **so**. [1]\n\n1. `<b>`\n   ```sh\n   cat <in\n   ```",
        "    <b>\n\tx",
        "2024. R&D &lt;",
    ]
    async with visit.page() as page:
        made = await page.evaluate(SAFE, texts)
        assert made == [[literal(text), safe_markdown(text), fence_code(text)] for text in texts]
        for attack in ATTACKS:
            assert not [text for text in await page.evaluate(COPIED, attack) if acts(text.partition("\n")[2])]

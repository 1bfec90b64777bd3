"""Sources in a real browser: cards, documents at the exact words, grids, pages, search within, related questions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import pytest
import pytest_asyncio
from playwright.async_api import Page

from load.samples_data import workbook
from rove import Text
from serve.browser import EVIL, Visit, ask, held, violations

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]
DEMO = Path(__file__).parents[2] / "demo" / "documents"
KINDS = """# Kinds

1. One **bold *and* both** 😀 here[^1]
2. Two, `code` and [a link](https://evil.example/x)
   - deep \\*not a star\\* &amp; so on

> quoted words

| City | Head |
| --- | --- |
| Oslo | *Ingrid* a \\| b |

```python
for x in y:
    pass
```

![A cat](https://evil.example/cat.png)
"""
LONG = "\n\n".join(f"## Part {n}\n\nThe words of part {n} are {n * 7}, and no others." for n in range(900))
ROWS = "Name,Number\n" + "\n".join(f"r{n},{n}" for n in range(1_500))
INTRUDERS = "img, script, svg:not(.icon), [onerror], [onload], a[href^='javascript' i]"
MARKS = "marks => marks.map((one) => one.textContent).join('')"
SPANS = {
    "ld *and* both** 😀 he": "ld and both 😀 he",
    "both** 😀 here[^1]\n2. Two, `co": "both 😀 hereTwo, co",
    "link](https://evil.example/x)\n   - deep \\*not": "linkdeep *not",
    "; so": "& so",
    "slo | *Ingrid* a \\| b": "sloIngrid a | b",
    "x in y:\n    pa": "x in y:\n    pa",
}
VIEWS = {
    "kinds": ".document", "rows.csv": ".grid", "receipt.pdf": ".sheet img", "xiujia-zhidu.html": ".document",
    "book.xlsx": ".grid", "autogen.docx": ".document",
}  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    folder = tmp_path_factory.mktemp("source")
    async with held(folder) as opened:
        (folder / "book.xlsx").write_bytes(workbook("xlsx"))
        (folder / "rows.csv").write_text(ROWS, "utf-8")
        await opened.town.spaces._spaces["hr"].kb.add(
            Text(KINDS, id="kinds", title="Kinds", kind="markdown"),
            Text(LONG, id="long", title="Long", kind="markdown"),
            folder / "book.xlsx", folder / "rows.csv",
            DEMO / "files" / "autogen.docx", DEMO / "files" / "inventory-report.pdf",
            DEMO / "handbook" / "xiujia-zhidu.html", DEMO / "handbook" / "mobiles-arbeiten.md",
        )  # fmt: skip
        yield opened


async def address(visit: Visit, source: str, start: int = 0, end: int = 0) -> str:
    """Where the page shows a document, by the name of its file or its id."""
    infos = await visit.town.spaces._spaces["hr"].kb.documents()
    (found,) = [one.document_id for one in infos if source in {one.document_id, one.source.rpartition("/")[2]}]
    return f"document/{quote(found, safe='')}{f'/{start}-{end}' if end else ''}"


async def open_at(visit: Visit, page: Page, source: str, start: int = 0, end: int = 0) -> None:
    await visit.go(page, await address(visit, source, start, end))
    await page.wait_for_selector(".document, .sheet img")


async def until(page: Page, holds: str) -> None:
    """Wait until an expression holds. Not by `wait_for_function`, which the page's policy forbids."""
    for _ in range(200):
        if await page.evaluate(holds):
            return
        await page.wait_for_timeout(50)
    pytest.fail(f"It never holds: {holds}")


async def test_the_exact_words_are_marked_across_marks_items_cells_and_lines(visit: Visit) -> None:
    async with visit.page() as page:
        for words, shown in SPANS.items():
            start = KINDS.index(words)
            await open_at(visit, page, "kinds", start, start + len(words))
            assert await page.eval_on_selector_all(".document mark", MARKS) == shown, words
        assert await page.locator(".document :is(ol ul, blockquote, table th, pre code, .picture)").count() == 6
        assert await page.locator("main :is(a[href*='evil'], img)").count() == 0


async def test_what_a_document_says_stays_text(visit: Visit) -> None:
    async with visit.page(f"document/{quote(f'zebra-{EVIL}', safe='')}") as page:
        await page.wait_for_selector(".document")
        assert "<script>window.hacked=1</script>" in await page.locator(".document").inner_text()
        assert "<img src=x" in await page.locator("h1").inner_text()
        assert await page.locator(f"main :is({INTRUDERS})").count() == 0
        assert await page.evaluate("window.hacked") is None


async def test_cards_have_the_words_before_a_click_and_open_at_them(visit: Visit) -> None:
    async with visit.page() as page:
        await ask(page, "Wie viele Tage in der Woche darf man mobil arbeiten?")
        card = page.locator(".source-card").first
        await card.wait_for()
        assert "bis zu drei Tage in der Woche" in await card.locator("blockquote").first.inner_text()
        assert "mobiles-arbeiten.md" in await card.locator(".facts").inner_text()
        await page.locator(".answer-text .cite").first.focus()
        assert await page.locator(".source-card.lit").count() == 1
        await card.locator("button.link").focus()
        assert await page.locator(".answer-text .cite.lit").count() >= 1
        await page.keyboard.press("Enter")
        await page.wait_for_selector("#source mark")
        marked = await page.eval_on_selector_all("#source mark", MARKS)
        assert "bis zu drei Tage in der Woche" in " ".join(marked.split())
        assert "##" not in await page.locator("#source .document").inner_text()
        assert await violations(page) == []
        await page.click("#source a.icon-button")
        await page.wait_for_selector("main.view-document mark")
        assert await page.eval_on_selector_all("main mark", MARKS) == marked


async def test_related_questions_are_asked_by_a_click(visit: Visit) -> None:
    async with visit.page() as page:
        await ask(page, "Wie viele Tage in der Woche darf man mobil arbeiten?")
        first = page.locator(".related-question").first
        await first.wait_for()
        words = await first.inner_text()
        assert words.endswith("?")
        assert await violations(page) == []
        await first.click()
        await page.locator("#turn-2 h2", has_text=words).wait_for()
        await page.locator("#turn-2 .source-card").first.wait_for()


async def test_a_long_document_comes_as_one_scrolls_and_is_gone_through_by_its_outline(visit: Visit) -> None:
    async with visit.page() as page:
        start = LONG.index("## Part 450\n")
        await open_at(visit, page, "long", start + 3, start + 11)
        text = page.locator(".document")
        assert await page.locator("main mark").inner_text() == "Part 450"
        assert "Part 449" in await text.inner_text()
        assert "Part 10\n" not in await text.inner_text()
        top = await page.locator("main mark").evaluate("one => one.getBoundingClientRect().top")
        await page.evaluate("document.querySelector('.more').click()")  # a real click would scroll there first
        await page.wait_for_selector(".document:has-text('Part 370')")
        moved = await page.locator("main mark").evaluate("one => one.getBoundingClientRect().top")
        assert abs(moved - top) < 3
        await page.evaluate("scrollTo(0, document.body.scrollHeight)")
        await page.wait_for_selector(".document:has-text('Part 600')")
        await page.click(".outline >> text='Part 20'")
        await page.wait_for_selector(".document:has-text('The words of part 20 are')")
        numbers = "all => all.map((one) => Number(one.textContent.slice(5)))"
        headings = await page.eval_on_selector_all(".document h2", numbers)
        assert headings == list(range(headings[0], headings[-1] + 1))


async def test_words_are_found_within_a_document_and_one_goes_from_one_to_the_next(visit: Visit) -> None:
    async with visit.page() as page:
        await open_at(visit, page, "long")
        await page.fill("main input[type=search]", "PART 777")
        await page.wait_for_selector(".count:has-text('1 of 2')")
        lit = "[...CSS.highlights.get('rove-now')].map(String)"
        assert await page.evaluate(lit) == ["Part 777"]
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".count:has-text('2 of 2')")
        assert await page.evaluate(lit) == ["part 777"]
        at = await page.evaluate("[...CSS.highlights.get('rove-now')][0].getBoundingClientRect().top / innerHeight")
        assert 0.1 < at < 0.9
        await page.keyboard.press("Escape")
        await until(page, "CSS.highlights.size === 0")
        await page.fill("main input[type=search]", "nowhere at all")
        await page.wait_for_selector(".count:has-text('Not found')")


async def test_a_sheet_is_a_grid_whose_rows_go_on(visit: Visit) -> None:
    async with visit.page() as page:
        await open_at(visit, page, "rows.csv")
        assert await page.locator(".grid .letters th").all_inner_texts() == ["A", "B"]
        frame = page.locator(".wide:has(.grid)")
        for _ in range(6):
            await frame.evaluate("one => one.scrollTo(0, one.scrollHeight)")
            await page.wait_for_timeout(300)
        assert await page.locator(".grid").count() == 1
        as_numbers = "all => all.map((one) => Number(one.textContent))"
        numbers = await page.eval_on_selector_all(".grid tbody .number", as_numbers)
        assert len(numbers) > 600
        assert numbers == list(range(2, len(numbers) + 2))
        row = page.locator(".grid tbody tr").nth(500)
        assert (await row.inner_text()).split() == ["502", "r500", "500"]
        letters = await page.locator(".grid .letters th").first.bounding_box()
        box = await frame.bounding_box()
        assert letters and box and abs(letters["y"] - box["y"]) < 4  # still in sight
        await page.fill("main input[type=search]", "r1400")
        await page.wait_for_selector(".count:has-text('1 of 1')")
        assert await page.evaluate("[...CSS.highlights.get('rove-now')].map(String)") == ["r1400"]


async def test_pages_are_turned_zoomed_searched_and_fetched_ahead(visit: Visit) -> None:
    async with visit.page() as page:
        await open_at(visit, page, "inventory-report.pdf")
        fetched = "performance.getEntriesByType('resource').filter((one) => one.name.includes('/picture'))"
        await until(page, f"{fetched}.length >= 2")
        asked = [url for url in visit.asked if "/picture" in url]
        assert "version=" in asked[-1]
        await page.fill("input[type=number]", "2")
        await page.keyboard.press("Enter")
        await page.wait_for_selector(".sheet img[alt^='Page 2']")
        assert len([url for url in visit.asked if "/picture" in url]) == len(asked)  # it was there already
        await page.fill("main input[type=search]", "variance")
        await page.wait_for_selector(".count:has-text('1 of')")
        await page.wait_for_selector(".sheet img[alt^='Page 1'] ~ .box")
        width = (await page.locator(".sheet").bounding_box() or {})["width"]
        for _ in range(3):
            await page.locator("[aria-label='Larger']").click()
        await page.wait_for_selector("[aria-label='Fit the width']:has-text('200 %')")
        await until(page, "document.querySelector('.sheet img')?.naturalWidth > 2000")
        assert (await page.locator(".sheet").bounding_box() or {})["width"] == pytest.approx(2 * width, rel=0.01)
        await page.keyboard.press("Control+0")
        await page.wait_for_selector("[aria-label='Fit the width']:has-text('100 %')")
        await page.route("**/picture?*", lambda route: None)  # it never comes
        await page.reload()
        await page.wait_for_selector(".sheet .skeleton")


async def test_a_word_document_and_a_chinese_page_are_laid_out(visit: Visit) -> None:
    async with visit.page() as page:
        await open_at(visit, page, "autogen.docx")
        assert await page.locator(".document :is(h2, h3)").count() > 2
        text = await page.locator(".document").inner_text()
        assert "**" not in text
        assert "](" not in text
        await open_at(visit, page, "xiujia-zhidu.html")
        assert await page.locator(".document h3").first.inner_text() == "年假"
        await page.fill("main input[type=search]", "年假")
        await page.wait_for_selector(".count:has-text('1 of')")


async def test_a_scope_is_chosen_kept_and_made_a_filter(visit: Visit) -> None:
    put = """async (id) => {
      const { scopeOf } = await import("/web/scope.js");
      const host = document.createElement("div");
      const heading = document.createElement("h1");
      heading.textContent = "Scope";
      document.querySelector("main").replaceChildren(heading, host);
      window.told = [];
      window.scope = scopeOf(host, { id, onChange: (where) => window.told.push(where ?? null) });
    }"""
    async with visit.page() as page:
        await page.evaluate(put, "c1")
        await page.click(".scope-toggle")
        assert await page.evaluate("document.activeElement.type") == "search"
        await page.keyboard.type("kinds")
        await page.locator(".scope-list .check", has_text="Kinds").click()
        await page.fill(".scope-panel input[type=search]", "html")
        await page.locator(".scope-list .check", has_text="html").first.click()
        file = {"field": "document_id", "op": "in", "value": ["kinds"]}
        kind = {"field": "type", "op": "in", "value": ["html"]}
        assert await page.evaluate("window.scope.where()") == {"and": [file, kind]}
        assert await violations(page) == []
        await page.keyboard.press("Escape")
        await page.locator(".scope-panel").wait_for(state="hidden")
        await page.evaluate(put, "c1")
        assert await page.locator(".chip").count() == 2
        await page.locator(".chip button").last.click()
        assert await page.evaluate("window.told") == [file]
        await page.evaluate(put, "c2")
        assert await page.evaluate("window.scope.where() ?? null") is None


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing_and_a_phone_is_wide_enough(visit: Visit, scheme: str) -> None:
    found: dict[str, list[str]] = {}
    async with visit.page(color_scheme=scheme, viewport={"width": 390, "height": 844}) as page:
        for name, there in VIEWS.items():
            await visit.go(page, await address(visit, name))
            await page.wait_for_selector(there)
            found[name] = await violations(page)
            assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390, name
        await visit.go(page, "ask")
        await ask(page, "Wie viele Tage in der Woche darf man mobil arbeiten?")
        await page.locator(".source-card").first.wait_for()
        found["cards"] = await violations(page)
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= 390
    assert found == dict.fromkeys(found, [])


async def test_nothing_was_asked_of_anyone_else(visit: Visit) -> None:
    """Stands last: over all that the tests above have done."""
    elsewhere = [url for url in visit.asked if not url.startswith((visit.address, f"blob:{visit.address}", "data:"))]
    assert elsewhere == []
    assert visit.errors == []

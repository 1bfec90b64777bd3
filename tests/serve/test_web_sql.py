"""Rows in the page: a database and tables in documents are asked in the one box, cited, kept, and honest where not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from flow.outside import shop
from rove.records import Text
from serve.browser import EVIL, LOOKS, Visit, ask, violations, visiting
from serve.conftest import in_a_task

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]
STAFF = f"name,city,salary\nAnna,Oslo,5000\nUte,Bonn,4000\nLi,Oslo,7000\n{EVIL},Rome,1\n"
TABLE = "# Parts\n\n| Part | Weight |\n| --- | --- |\n| bolt | 41 |\n| nut | 12 |\n"
COUNTED = "How many customers are from Wien?"
SUMMED = {
    "en": "What is the average salary in Oslo?",
    "de": "Wie hoch ist der Durchschnitt von salary in Oslo?",
    "hu": "Mennyi az átlagos salary itt: Oslo?",
    "zh": "Oslo的平均salary是多少？",
    "ja": "Osloの平均salaryはいくらですか？",
}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    folder: Path = tmp_path_factory.mktemp("sql")
    async with in_a_task(visiting(folder, databases={"shop": {"url": shop(folder)}})) as made:
        sheet = folder / "staff.csv"
        sheet.write_text(STAFF, "utf-8")
        base = made.town.spaces._spaces["hr"].kb
        await base.add(sheet, Text(TABLE, id="parts", title="Parts", metadata={"access": ("staff",)}, kind="markdown"))
        yield made


async def rows(page: Page, question: str, source: str) -> None:
    """Ask for rows of a database, "" of the tables in documents."""
    await page.locator(".ways label:has([value=database])").click()
    await page.get_by_label("What to ask").select_option(source)
    await ask(page, question)


async def test_a_database_is_asked_and_the_answer_is_kept_with_its_sql(visit: Visit) -> None:
    async with visit.page("ask") as page:
        await rows(page, COUNTED, "shop")
        reply = page.locator("#turn-1 .sql-reply")
        await reply.wait_for()
        assert "2" in await reply.locator(".sql-text").inner_text()
        assert "SELECT" not in await reply.inner_text()  # it is folded
        await reply.locator("summary").click()
        assert "SELECT" in await reply.locator("pre").inner_text()
        await page.reload()
        await page.locator("#turn-1 .sql-reply .sql-text").wait_for()
        assert COUNTED in await page.locator("#turn-1 h2").inner_text()
        async with visit.town.client("root") as client:
            talk = page.url.partition("#/c/")[2].partition("/")[0]
            told = await client.get(f"/v1/spaces/hr/conversations/{talk}/export")
            assert "```sql\nSELECT" in told.text


async def test_an_answer_says_which_table_a_question_over_rows_is_for_where_it_is_not_from_those(visit: Visit) -> None:
    async with visit.page("ask") as page:
        await ask(page, COUNTED)
        hint = page.locator("#turn-1 .data-hint:visible")
        await hint.wait_for()
        assert "customers" in await hint.inner_text()
        await hint.get_by_role("button").click()
        await page.locator("#turn-2 .sql-text").wait_for()
        assert "2" in await page.locator("#turn-2 .sql-text").inner_text()
        for number, question in enumerate((SUMMED["en"], "Who is Anna?"), 3):
            await ask(page, question)
            await page.locator(f"#turn-{number} .answer-text").wait_for()
            await expect(page.locator(f"#turn-{number} .data-hint:visible")).to_have_count(0)
        assert "6" in await page.locator("#turn-3 .answer-text").inner_text()


async def test_a_value_of_a_table_opens_where_it_stands(visit: Visit) -> None:
    async with visit.page("ask") as page:
        await rows(page, "List name and city", "")
        table = page.locator("#turn-1 .sql-reply table")
        await table.wait_for()
        assert await table.locator("tbody tr").count() == 4
        assert EVIL in await table.inner_text()
        assert await page.locator("main img, main script, main [onerror]").count() == 0
        await table.locator("td:has-text('Bonn') .cite").click()
        await page.wait_for_selector("#source mark")
        assert "Bonn" in await page.locator("#source mark").inner_text()
        await expect(page.locator("#source h2")).to_have_text("staff")
        assert await page.evaluate("window.hacked") is None


async def test_what_is_not_understood_is_not_answered_and_says_what_can_be_done(visit: Visit) -> None:
    async with visit.page("ask") as page:
        await rows(page, "Which customers are unhappy with the weather?", "shop")
        notice = page.locator("#turn-1 .notice")
        await notice.wait_for()
        assert "do not answer this question" in await notice.inner_text()
        assert "Answer" in await notice.locator(".cure").inner_text()
        assert await page.locator("#turn-1 table").count() == 0


async def test_it_is_offered_only_where_there_are_rows_that_the_caller_may_ask(visit: Visit) -> None:
    async with visit.page("ask", holder="lara") as page:  # with labels: tables of documents alone
        way = page.locator(".ways label:has([value=database])")
        await expect(way).to_be_visible()
        await way.click()
        await expect(page.locator(".from")).to_be_hidden()  # there is nothing to choose
        assert await page.locator(".from option").all_inner_texts() == ["Tables in documents"]
    async with visit.town.client("lara") as client:
        talk = (await client.post("/v1/spaces/hr/conversations", json={})).json()["conversation_id"]
        turn = {"way": "database", "database": "shop", "question": COUNTED}
        told = await client.post(f"/v1/spaces/hr/conversations/{talk}/turns", json=turn)
        assert (told.status_code in {200, 403}, '"2"' in told.text) == (True, False)
    async with visit.town.client("otto") as client:
        told = (await client.get("/v1/spaces/it/databases")).json()
        assert told == {"databases": ["shop"], "tables": False}
    async with visit.page("ask") as page:
        await page.evaluate("localStorage.setItem('rove.way', 'database')")
        nothing = '{"databases": [], "tables": false}'
        await page.route("**/databases", lambda route: route.fulfill(body=nothing, content_type="application/json"))
        await visit.go(page, "ask")
        await expect(page.locator(".ways [value=answer]")).to_be_checked()
        await expect(page.locator(".ways label:has([value=database])")).to_be_hidden()


async def test_a_filter_does_not_pass_in_silence_over_a_database(visit: Visit) -> None:
    async with visit.town.client("root") as client:
        talk = (await client.post("/v1/spaces/hr/conversations", json={})).json()["conversation_id"]
        turn = {
            "way": "database",
            "database": "shop",
            "question": COUNTED,
            "where": {"field": "type", "op": "==", "value": "csv"},
        }
        told = (await client.post(f"/v1/spaces/hr/conversations/{talk}/turns", json=turn)).json()
        assert (told["state"], "filter" in told["problem"]["detail"]) == ("failed", True)


async def test_rows_of_an_erased_document_leave_the_conversation(visit: Visit, tmp_path: Path) -> None:
    async with visit.town.client("root") as client:
        base = visit.town.spaces._spaces["it"].kb
        (tmp_path / "stock.csv").write_text(STAFF, "utf-8")
        await base.add(tmp_path / "stock.csv")
        talks = "/v1/spaces/it/conversations"
        talk = (await client.post(talks, json={})).json()["conversation_id"]
        turn = {"way": "database", "question": SUMMED["en"]}
        told = (await client.post(f"{talks}/{talk}/turns", json=turn)).json()
        assert told["sql"]["rows"] == [["6000"]], told
        (info,) = [one for one in await base.documents() if one.kind == "csv"]
        await client.delete("/v1/spaces/it/document", params={"document_id": info.document_id})
        left = (await client.get(f"{talks}/{talk}")).json()["entries"][0]
        assert left["sql"] is None
        assert "left out" in left["note"]
        await base.add(Text("パスワードは部長が承認します。", id="password"))


@pytest.mark.parametrize(("language", "scheme", "width"), LOOKS)
async def test_axe_finds_nothing_and_a_phone_is_wide_enough(
    visit: Visit, language: str, scheme: str, width: int
) -> None:
    async with visit.page(
        "ask", locale=language, color_scheme=scheme, viewport={"width": width, "height": 844}
    ) as page:
        await page.locator(".ways label:has([value=database])").click()
        await page.locator(".from").select_option("")
        await ask(page, SUMMED[language])
        await page.locator("#turn-1 .sql-text").wait_for()
        assert "6000" in (await page.locator("#turn-1 .sql-text").inner_text()).replace(",", "").replace(".", "")
        await page.locator(".from").select_option("shop")
        await ask(page, "Zzyzx?")
        await page.locator("#turn-2 .notice").wait_for()
        assert await violations(page) == []
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= width


async def test_nothing_went_wrong_in_the_page(visit: Visit) -> None:
    """Stands last: over all that the tests above have done."""
    assert visit.errors == []

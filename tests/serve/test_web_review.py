"""Review on the page: a thing with its evidence, decided by buttons and by keys, in five languages, for all eyes."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from rove.records import Text
from serve.browser import EVIL, LOOKS, Visit, violations, visiting
from serve.conftest import HOLDERS, in_a_task

pytestmark = pytest.mark.asyncio(loop_scope="module")
SHOWN = "words => document.querySelector('.review h2').textContent === words"
TEXTS = [
    Text(f"Marie Curie was born in Warsaw {EVIL}.", id="curie", title=f"Notes {EVIL}"),
    Text("Carl Benz gründete die Benz AG.", id="benz", title="Notizen"),
    Text("《呐喊》收录《狂人日记》。", id="luxun", title="笔记"),
    Text("カワサキはモーターを製造する。", id="kawasaki", title="ノート"),
    Text("Petőfi Sándor a Kiskőrösi Híradót olvasta.", id="petofi", title="Jegyzet"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    holders = {**HOLDERS, "rita": {"spaces": ("hr",), "rights": ("read",)}}
    async with in_a_task(visiting(tmp_path_factory.mktemp("review"), holders=holders)) as made:
        kb = made.town.spaces.view("hr", made.town.caller("root")).kb
        await kb.add(*TEXTS)
        await kb.enrich("graph")
        yield made


@pytest.mark.parametrize(("language", "scheme", "width"), LOOKS)
async def test_axe_finds_nothing_and_a_phone_is_wide_enough(
    visit: Visit, language: str, scheme: str, width: int
) -> None:
    looks = {"locale": language, "color_scheme": scheme, "viewport": {"width": width, "height": 844}}
    async with visit.page("review", **looks) as page:
        await page.locator(".review blockquote").wait_for()
        assert await violations(page) == []
        await page.keyboard.press("e")
        await page.locator(".review form input").first.wait_for()
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= width
        assert await violations(page) == []
        assert visit.errors == []


async def test_keys_and_buttons_decide_and_lead_to_the_next(visit: Visit) -> None:
    kb = visit.town.spaces.view("hr", visit.town.caller("root")).kb
    waiting = await kb.review_queue(by="root", kinds=("triplet",))
    async with visit.page("review/triplet") as page:
        heading = page.locator(".review h2")
        assert await heading.inner_text() == " · ".join(waiting[0].words)
        await page.keyboard.press("r")
        await page.wait_for_function(SHOWN, arg=" · ".join(waiting[1].words))
        await page.get_by_role("button", name="Edit", exact=True).click()
        await page.get_by_label("Predicate").fill("includes a story")
        await page.keyboard.press("Enter")
        await page.wait_for_function(SHOWN, arg=" · ".join(waiting[2].words))
        await page.get_by_role("button", name="Accept", exact=True).click()
        await page.wait_for_function(SHOWN, arg=" · ".join(waiting[3].words))
        made = await kb.reviews()
        assert [(one.by, one.verdict, one.item_id) for one in made] == [
            ("root", verdict, one.item_id)
            for verdict, one in zip(("reject", "edit", "accept"), waiting[:3], strict=True)
        ]
        assert made[1].edit[1] == "includes a story"
        assert await page.locator("main img, main script").count() == 0
        assert await page.evaluate("window.hacked") is None
        await page.locator(".review .facts button").click()
        await page.locator("#source :is(mark, .box)").first.wait_for()


async def test_who_only_reads_has_no_queue_to_decide_in(visit: Visit) -> None:
    async with visit.page("ask", holder="rita") as page:
        assert await page.locator("[data-link=documents]").count() == 1
        assert await page.locator("[data-link=review]").count() == 0

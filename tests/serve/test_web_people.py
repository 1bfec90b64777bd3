"""People in the page: who signs in, by which way; who is invited, changed and let out; and what a reader never sees."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from serve.browser import LOOKS, Visit, ask, violations, visiting
from serve.conftest import in_a_task

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.long]
expect.set_options(timeout=20_000)
PASSWORD = "four plain otters sing"
OTHER = "seven quiet herons dance"
PROVIDER = {"issuer": "http://127.0.0.1:9/none", "client_id": "rove", "label": "Nordwind"}
"""A provider that is down: nothing listens there."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def visit(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Visit]:
    async with in_a_task(visiting(tmp_path_factory.mktemp("people"), serve={"oidc": {"nord": PROVIDER}})) as opened:
        await settled_in(opened, "ada", role="administrator", full_name="Ada Lovelace")
        yield opened


async def invited(visit: Visit, name: str, **given: Any) -> str:
    """Let root invite somebody; returns the address in the page that the link leads to."""
    async with visit.town.client("root") as root:
        made = await root.post("/v1/people", json={"name": name, **given})
        assert made.status_code == 201, made.text
        return made.json()["invitation"]["link"].partition("#/")[2]


async def settled_in(visit: Visit, name: str, password: str = PASSWORD, **given: Any) -> None:
    """Invite somebody, who chooses a password."""
    token = (await invited(visit, name, **given)).partition("/")[2]
    async with httpx.AsyncClient(base_url=visit.address, timeout=60) as anybody:
        chosen = await anybody.post("/v1/session/invitation", json={"token": token, "password": password})
        assert chosen.status_code == 200, chosen.text


async def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    """Fill in the door's form, and press its button."""
    await page.fill("[autocomplete=username]", name)
    await page.fill("[autocomplete=current-password]", password)
    await page.keyboard.press("Enter")


@asynccontextmanager
async def signed_in(visit: Visit, name: str, view: str = "ask", **context: Any) -> AsyncIterator[Page]:
    """A page on which somebody has signed in."""
    async with visit.page(view, holder="", **context) as page:
        await sign_in(page, name)
        await page.wait_for_selector("body:not(.outside)")
        yield page


async def held_word(page: Page) -> str | None:
    """What was kept of the password field that is marked as wrong, if the focus is in it."""
    return await page.evaluate("document.activeElement.getAttribute('aria-invalid')")


async def test_who_signs_in_comes_to_what_was_asked_for(visit: Visit) -> None:
    async with visit.page("documents", holder="") as page:
        await expect(page).to_have_title("Sign in – Rove")
        await expect(page.locator("#rail")).to_be_hidden()
        await sign_in(page, "ada", "not this one at all")
        await expect(page.locator(".door > form .form-state")).to_contain_text("nobody of this name with this password")
        assert await held_word(page) == "true"
        await sign_in(page, "nobody-of-that-name", PASSWORD)
        await expect(page.locator(".door > form .form-state")).to_contain_text("nobody of this name with this password")
        await sign_in(page, "ADA")
        await page.wait_for_selector("main.view-documents tbody tr")
        assert page.url.endswith("#/documents")
        assert "Ada Lovelace\nAdministrator" in await page.locator("#rail .me").inner_text()
        assert await page.evaluate("document.cookie") == ""
        assert await page.evaluate("JSON.stringify({...localStorage, ...sessionStorage})") == '{"rove.who":"ada"}'
        await page.reload()
        await page.wait_for_selector("main.view-documents tbody tr")


async def test_who_signs_out_is_out_in_every_tab(visit: Visit) -> None:
    async with signed_in(visit, "ada") as page:
        other = await page.context.new_page()
        await visit.go(other, "documents")
        await other.wait_for_selector("main.view-documents tbody tr")
        await page.fill(".ask-form > textarea", "a secret thought")
        await page.get_by_role("button", name="Sign out").click()
        await page.wait_for_selector(".door")
        assert (await page.request.get(f"{visit.address}/v1/spaces")).status == 401
        assert await page.evaluate("Object.keys(localStorage).filter((name) => name.includes('draft'))") == []
        await other.get_by_role("link", name="Walks").click()
        await expect(other.locator(".door > p.muted")).to_have_text("You have been signed out. Sign in to go on.")
        await sign_in(other, "ada")
        await other.wait_for_selector("main.view-walk h1")


async def test_a_session_that_ends_leads_to_the_door_and_back(visit: Visit) -> None:
    await settled_in(visit, "bela", role="editor")
    async with signed_in(visit, "bela", "documents") as page, visit.town.client("root") as root:
        await page.wait_for_selector("main.view-documents tbody tr")
        assert (await root.patch("/v1/people/bela", json={"role": "reader"})).status_code == 200
        await page.wait_for_timeout(1_200)  # a session is looked at anew once a second
        await page.fill(".tool-words input", "Policy")
        await page.wait_for_selector(".door")
        await sign_in(page, "bela")
        await page.wait_for_selector("main.view-documents tbody tr")
        assert "Reader" in await page.locator("#rail .me").inner_text()
        assert await page.locator("#rail").get_by_role("link", name="People").count() == 0


async def test_a_form_waits_for_who_signs_in_again_and_for_nobody_else(visit: Visit) -> None:
    await settled_in(visit, "edda", role="administrator")
    async with signed_in(visit, "ada", "people") as page:
        for who in ("ada", "edda"):
            await page.get_by_role("button", name="Add a person").click()
            form = page.locator(".adder").first
            await form.get_by_label("Name", exact=True).fill("fanni")
            await form.get_by_label("Full name").fill("Kovács Fanni")
            await page.context.clear_cookies()
            await page.get_by_role("button", name="Make an invitation").click()
            await page.wait_for_selector(".door")
            await sign_in(page, who)
            await page.wait_for_selector("main.view-people tr:has-text('Ada Lovelace')")
            if who == "ada":
                assert await form.get_by_label("Full name").input_value() == "Kovács Fanni"
                await page.get_by_role("button", name="Make an invitation").click()
                link = page.get_by_role("textbox", name="Invitation for Kovács Fanni")
                assert "#/invitation/" in await link.input_value()
                await page.get_by_role("button", name="Close", exact=True).click()
        assert "edda" in await page.locator("#rail .me").inner_text()
        assert "Kovács" not in await page.locator(".adder").first.inner_html()
        assert await page.get_by_label("Full name").count() == 0
    async with visit.town.client("root") as root:  # others of these tests need ada to be the last administrator
        assert (await root.delete("/v1/people/edda", params={"confirm": "edda"})).status_code == 204


async def test_a_form_waits_for_who_signs_in_through_another_service(visit: Visit) -> None:
    async with signed_in(visit, "ada", "people") as page:
        await page.get_by_role("button", name="Add a person").click()
        full_name = page.locator(".adder").first.get_by_label("Full name")
        await full_name.fill("Kovács Fanni")
        await page.context.clear_cookies()
        await page.locator(".adder").first.get_by_label("Name", exact=True).fill("fanni")
        await page.get_by_role("button", name="Make an invitation").click()
        await expect(page.locator(".door .services p")).to_have_text(
            "It opens in a new window; what you have written stays here."
        )
        async with page.context.expect_page() as opened:
            await page.get_by_role("link", name="Sign in with Nordwind").click()
        other = await opened.value
        await expect(other.locator(".door .notice")).to_be_visible()  # the service is down
        await expect(page.locator(".door")).to_be_visible()
        await sign_in(other, "ada")
        await other.wait_for_selector("body:not(.outside)")
        await page.evaluate("dispatchEvent(new Event('focus'))")  # as when somebody comes back to the window
        await expect(full_name).to_have_value("Kovács Fanni")


async def test_what_one_has_begun_to_write_is_not_shown_to_the_next(visit: Visit) -> None:
    await settled_in(visit, "cleo", role="reader")
    async with signed_in(visit, "ada") as page:
        await page.fill(".ask-form > textarea", "a secret thought")
        await page.wait_for_function("Object.keys(localStorage).some((name) => name.includes('draft'))")
        await page.context.clear_cookies()
        await visit.go(page, "ask")
        await sign_in(page, "cleo")
        await page.wait_for_selector("body:not(.outside)")
        assert await page.input_value(".ask-form > textarea") == ""
        assert "cleo" in await page.locator("#rail .me").inner_text()


async def test_an_invitation_lets_somebody_choose_a_password_once(visit: Visit) -> None:
    link = await invited(visit, "chen.wei", full_name="陈伟", role="reader", spaces=["hr"], labels=["staff"])
    async with visit.page(link, holder="") as page:
        await expect(page.get_by_role("heading", level=1)).to_have_text("Welcome, 陈伟")
        rules = page.locator(f"#{await page.locator('[autocomplete=new-password]').get_attribute('aria-describedby')}")
        assert "At least 10 characters" in await rules.inner_text()
        await page.fill("[autocomplete=new-password]", "1234567890")
        await page.get_by_role("button", name="Save and sign in").click()
        await expect(page.locator(".form-state")).not_to_be_empty()
        await page.fill("[autocomplete=new-password]", PASSWORD)
        await page.get_by_label("Show the password").check()
        assert await page.get_attribute("[autocomplete=new-password]", "type") == "text"
        await page.get_by_role("button", name="Save and sign in").click()
        await page.wait_for_selector("#rail .me:has-text('陈伟')")
        assert page.url.endswith("#/ask")
        await visit.go(page, "documents")
        await page.wait_for_selector("tbody tr:has-text('Policy')")
        assert await page.locator("tbody tr:has-text('Nordwind')").count() == 0  # for the board's eyes
        await visit.go(page, "people")
        await page.wait_for_selector("main:has-text('You cannot manage people.')")
    async with visit.page(link, holder="") as page:
        await expect(page.get_by_role("heading", level=1)).to_have_text("This invitation no longer holds.")
        await page.get_by_role("link", name="Sign in").click()
        await page.wait_for_selector("[autocomplete=current-password]")


async def test_an_administrator_lets_somebody_in_changes_and_lets_out(visit: Visit) -> None:
    async with signed_in(visit, "ada", "people") as page, visit.town.client("root") as root:
        await page.get_by_role("button", name="Add a person").click()
        form = page.locator(".adder").first
        await form.get_by_label("Name", exact=True).fill("dora")
        await form.get_by_label("Role").select_option("contributor")
        await form.get_by_label("All spaces").uncheck()
        await page.get_by_role("button", name="Make an invitation").click()
        assert await form.is_visible()  # no space is chosen
        await form.get_by_label("hr", exact=True).check()
        await form.locator("label.check", has_text="Only those").click()
        await form.get_by_label("Only those with one of these access labels", exact=True).last.fill("staff, board")
        await page.get_by_role("button", name="Make an invitation").click()
        link = page.get_by_role("textbox", name="Invitation for dora")
        assert "#/invitation/" in await link.input_value()
        row = page.locator("tr", has=page.locator("th:has-text('dora')"))
        assert "invited" in await row.inner_text()
        made = {one["name"]: one for one in (await root.get("/v1/people")).json()["people"]}["dora"]
        assert (made["role"], made["spaces"], made["labels"]) == ("contributor", ["hr"], ["staff", "board"])
        await page.get_by_role("button", name="Close", exact=True).click()
        await page.get_by_role("button", name="Change dora").click()
        await page.locator(".person-details").get_by_label("Role").select_option("administrator")
        await page.wait_for_selector(".person-details:has-text('An administrator sees all documents.')")
        await page.locator(".person-details").get_by_label("Full name").fill("Dóra")
        await page.get_by_role("button", name="Save").click()
        await page.wait_for_selector("tr:has-text('Dóra'):has-text('Administrator')")
        await expect(page.get_by_role("button", name="Change dora")).to_be_focused()
        made = {one["name"]: one for one in (await root.get("/v1/people")).json()["people"]}["dora"]
        assert (made["full_name"], made["role"], made["labels"]) == ("Dóra", "administrator", None)
        await page.get_by_role("button", name="Change dora").click()
        await page.get_by_role("button", name="Disable").click()
        await page.wait_for_selector("tr:has-text('Dóra'):has-text('disabled')")
        await page.get_by_role("button", name="Change dora").click()
        await page.get_by_role("button", name="Delete dora").click()
        await expect(page.get_by_role("button", name="Delete dora")).to_be_disabled()
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("button", name="Change dora")).to_be_focused()
        await page.keyboard.press("Enter")
        await page.get_by_role("button", name="Delete dora").click()
        await page.get_by_label("Write dora").fill("dora")
        await page.get_by_role("button", name="Delete dora").click()
        await page.get_by_role("button", name="Delete for good").click()
        await row.wait_for(state="detached")
        assert "dora" not in {one["name"] for one in (await root.get("/v1/people")).json()["people"]}


async def test_the_last_administrator_stays(visit: Visit) -> None:
    async with signed_in(visit, "ada", "people", locale="de") as page:
        await page.locator("[data-person=ada]").click()
        await page.get_by_role("button", name="Sperren").click()
        notice = page.locator(".person-details .notice")
        await notice.wait_for()
        assert await notice.locator("[lang=en]").count() == 0, await notice.inner_text()
        await page.wait_for_selector("tr:has-text('Ada Lovelace'):has-text('aktiv')")


async def test_a_key_is_made_shown_once_and_revoked(visit: Visit) -> None:
    async with signed_in(visit, "ada", "people") as page:
        await page.get_by_role("button", name="Make a key").click()
        await page.locator(".spaced .adder").get_by_label("Name").fill("importer")
        await page.locator(".spaced .adder").get_by_label("add", exact=True).check()
        await page.locator(".spaced .adder").get_by_role("button", name="Make a key").click()
        key = await page.get_by_role("textbox", name="The key importer").input_value()
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx.AsyncClient(base_url=visit.address, headers=headers, timeout=60) as program:
            assert (await program.get("/v1/spaces")).json()["rights"] == ["add", "read"]
            await visit.go(page, "people")
            row = page.locator(".keys tr:has-text('importer')")
            assert "read, add" in await row.inner_text()
            assert key not in await page.content()
            await row.get_by_role("button").click()
            await page.get_by_role("button", name="Revoke for good").click()
            await row.wait_for(state="detached")
            assert (await program.get("/v1/spaces")).status_code == 401


async def test_a_key_that_is_revoked_meanwhile_leads_to_the_door(visit: Visit) -> None:
    async with signed_in(visit, "ada") as page, visit.town.client("root") as root:
        key = (await root.post("/v1/keys", json={"name": "guest-key"})).json()["key"]
        await page.get_by_role("button", name="Sign out").click()
        await page.locator("summary", has_text="Use a key instead").click()
        await page.get_by_label("Key", exact=True).fill(key)
        await page.locator(".with-key button").click()
        await page.wait_for_selector("#rail .me:has-text('guest-key')")
        await root.delete("/v1/keys/guest-key")
        await page.get_by_role("link", name="Documents").click()
        await page.wait_for_selector(".door:has-text('You have been signed out')")


async def test_a_key_opens_the_door_too(visit: Visit) -> None:
    async with visit.page("documents", holder="") as page:
        await page.locator("summary", has_text="Use a key instead").click()
        await page.get_by_label("Key", exact=True).fill("rove_of-nobody")
        await page.locator(".with-key button").click()
        await expect(page.locator(".with-key .form-state")).to_have_text("This key is not known here.")
        await page.get_by_label("Key", exact=True).fill(visit.town.keys["otto"])
        await page.locator(".with-key button").click()
        await page.wait_for_selector("main.view-documents tbody tr")
        assert await page.evaluate("localStorage.getItem('rove.key')") is None
        await visit.go(page, "settings")
        assert "a key" in await page.locator(".about-me").inner_text()
        await page.locator("main").get_by_role("button", name="Sign out").click()
        await page.wait_for_selector(".door")
        assert await page.evaluate("sessionStorage.getItem('rove.key')") is None
        await page.evaluate("sessionStorage.setItem('rove.key', 'rove_was-revoked')")
        await visit.go(page, "documents")
        await sign_in(page, "ada")
        await page.wait_for_selector("main.view-documents tbody tr")


async def test_another_password_ends_all_other_sessions(visit: Visit) -> None:
    await settled_in(visit, "emma", role="reader")
    async with signed_in(visit, "emma", "settings") as page, signed_in(visit, "emma", "settings") as other:
        await page.locator("summary", has_text="Change the password").click()
        for old, told in (("no such password", "not the password"), (PASSWORD, "password is changed")):
            await page.fill("[autocomplete=current-password]", old)
            await page.fill("[autocomplete=new-password]", OTHER)
            await page.keyboard.press("Enter")
            await page.wait_for_selector(f".form-state:has-text('{told}')")
        await other.wait_for_timeout(1_200)  # a session is looked at anew once a second
        await other.get_by_role("link", name="Documents").click()
        await other.wait_for_selector(".door")
        await sign_in(other, "emma", OTHER)
        await other.wait_for_selector("main.view-documents tbody tr")
        await visit.go(page, "documents")
        await page.wait_for_selector("main.view-documents tbody tr")


async def test_another_service_that_fails_says_so_at_the_door(visit: Visit) -> None:
    async with visit.page("documents", holder="", locale="hu") as page:
        await page.get_by_role("link", name="Bejelentkezés ezzel: Nordwind").click()
        notice = page.locator(".door .notice")
        await expect(notice).to_contain_text("A bejelentkezés ott nem sikerült.")
        await visit.go(page, "sign-in?problem=no-role")
        await expect(notice).to_contain_text("nincs szerepköre")
        await sign_in(page, "ada")
        await page.wait_for_selector("main.view-documents tbody tr")  # from where it was left


async def test_the_first_person_closes_a_server_that_was_open(tmp_path: Any) -> None:
    async with visiting(tmp_path, holders={}) as visit:
        async with visit.page("settings", holder="") as page:
            assert await page.locator(".door, .me, .account").count() == 0
            await page.get_by_role("link", name="People").click()
            await page.wait_for_selector("main:has-text('from then on everybody has to sign in, you too')")
            assert await violations(page) == []
            await page.get_by_role("button", name="Add the first person").click()
            await page.get_by_label("Name", exact=True).fill("ada")
            await page.get_by_role("button", name="Make an invitation").click()
            await page.get_by_role("textbox", name="Invitation for ada").wait_for()
            assert await violations(page) == []
            async with visit.page("documents", holder="") as other:
                await other.wait_for_selector(".door [autocomplete=current-password]")
                assert await other.locator(".door summary").count() == 0  # there is no key to use
            await page.get_by_role("link", name="Open it").click()
            await page.fill("[autocomplete=new-password]", PASSWORD)
            await page.keyboard.press("Enter")
            await page.wait_for_selector("#rail .me:has-text('ada')")
            await page.get_by_role("link", name="People").click()
            await page.wait_for_selector("tr:has-text('ada'):has-text('you')")
        assert visit.errors == []


@pytest.mark.parametrize(("language", "scheme", "width"), LOOKS)
async def test_axe_finds_nothing_and_a_phone_is_wide_enough(
    visit: Visit, language: str, scheme: str, width: int
) -> None:
    found: dict[str, list[str]] = {}

    async def look(name: str) -> None:
        found[name] = await violations(page)
        told = await page.locator("body").inner_text()
        assert "Bearer" not in told
        foreign = page.locator("main [lang=en]:not(option)").filter(visible=True)
        assert language == "en" or name == "settings" or await foreign.count() == 0, told
        assert await page.evaluate("document.scrollingElement.scrollWidth") <= width, name

    guest = f"guest-{language}"
    link = await invited(visit, guest, full_name="Gast", labels=["staff"])
    looks = {"locale": language, "color_scheme": scheme, "viewport": {"width": width, "height": 844}}
    async with visit.page("documents", holder="", **looks) as page:
        await look("sign-in")
        await sign_in(page, "ada", "not this one at all")
        await expect(page.locator(".form-state").first).not_to_be_empty()
        await page.locator(".door summary").click()
        await look("sign-in refused")
        await visit.go(page, link)
        await page.fill("[autocomplete=new-password]", "1234567890")
        await page.keyboard.press("Enter")
        await expect(page.locator(".form-state")).not_to_be_empty()
        await look("invitation refused")
        await visit.go(page, "invitation/of-nobody")
        await look("invitation gone")
        await visit.go(page, "people")
        await sign_in(page, "ada")
        await page.wait_for_selector(".keys tbody tr")
        await look("people")
        await page.locator(".title-row button").first.click()
        await look("adding")
        await page.locator(f"[data-person={guest}]").click()
        await page.locator(".person-details .row button").nth(1).click()
        await page.wait_for_selector(".once")
        await look("changing, and an invitation")
        await visit.go(page, "settings")
        await page.locator(".account summary").click()
        await look("settings")
    assert found == dict.fromkeys(found, [])


async def test_nothing_went_wrong_in_the_page(visit: Visit) -> None:
    """Stands last: over all that the tests above have done."""
    assert visit.errors == []
    async with signed_in(visit, "ada") as page:
        await ask(page, "Who approves remote work within five days?")
        await page.wait_for_selector("#turn-1 .turn-tools")
    assert [url for url in visit.asked if not url.startswith((visit.address, f"blob:{visit.address}", "data:"))] == []

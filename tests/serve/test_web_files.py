"""The page's files: the same words in each language, no script that makes HTML of a text, no other origin."""

from __future__ import annotations

import json
import re
import shutil
from hashlib import sha256
from pathlib import Path

import pytest

from rove.serve.pages.pictures import page_png
from rove.serve.pages.web_page import FILES, FOLDER, POLICY
from rove.serve.problems import TITLES, AbsentError
from rove.store.originals import Original
from serve.conftest import Town

LANGUAGES = ("en", "de", "hu", "zh", "ja")
SCRIPTS = sorted(FOLDER.glob("*.js"))
RECEIPT = Path(__file__).parents[2] / "demo" / "documents" / "files" / "receipt.pdf"
MOST_LINES = 300
FORBIDDEN = (
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "document.write",
    "eval(",
    "Function(",
    "http:",
    "DOMParser",
)


def words(language: str) -> dict[str, str]:
    return json.loads((FOLDER / "lang" / f"{language}.json").read_text("utf-8"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_says_all(language: str) -> None:
    english, other = words("en"), words(language)
    assert list(other) == list(english)
    slots = re.compile(r"\{\w+\}")
    for name, text in english.items():
        assert other[name].strip()
        assert set(slots.findall(other[name])) == set(slots.findall(text)), name


def test_every_word_that_is_said_is_there() -> None:
    said = {name for path in SCRIPTS for name in re.findall(r"""\bt\("([^"]+)\"""", path.read_text("utf-8"))}
    assert len(said) > 100
    assert said <= set(words("en"))


def test_every_type_of_problem_is_said_in_each_language() -> None:
    english = words("en")
    for language in LANGUAGES:
        told = words(language)
        for kind in TITLES:
            assert told[f"problem.{kind}"], (language, kind)
            assert language == "en" or told[f"problem.{kind}"] != english[f"problem.{kind}"]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_makes_html_of_a_text(script: Path) -> None:
    text = script.read_text("utf-8").replace('"http://www.w3.org/2000/svg"', "")  # a name, and no address
    for word in FORBIDDEN:
        assert word not in text, word
    assert text.startswith("// ")
    assert len(text.splitlines()) <= MOST_LINES


async def test_files_need_no_key_and_lead_nowhere_else(town: Town) -> None:
    async with town.client("") as client:
        for address in FILES:
            reply = await client.get(address)
            assert reply.status_code == 200, address
            assert reply.headers["content-security-policy"] == POLICY
            assert reply.headers["x-content-type-options"] == "nosniff"
        for address in ("/web/", "/web/../page.py", "/web/%2e%2e/page.py", "/web/lang", "//web/main.js", "/page.py"):
            assert (await client.get(address)).status_code == 401, address


async def test_pictures_are_drawn_for_who_may_see_the_document(town: Town, tmp_path: Path) -> None:
    file = tmp_path / "receipt.pdf"
    shutil.copyfile(RECEIPT, file)
    base = town.spaces._spaces["hr"].kb
    await base.add(file)
    (info,) = await base.named(file)
    picture_of, places = "/v1/spaces/hr/picture", "/v1/spaces/hr/places"
    asked = {"document_id": info.document_id}
    async with town.client("lara") as lara, town.client("root") as root:
        for route in (picture_of, places):
            assert (await lara.get(route, params=asked)).status_code == 404
        drawn = await root.get(picture_of, params={**asked, "page": 1})
        assert (drawn.status_code, drawn.headers["content-type"], drawn.content[:4]) == (200, "image/png", b"\x89PNG")
        assert (await root.get(picture_of, params={**asked, "page": 99})).status_code == 404
        there = (await root.get(places, params={**asked, "start": 0, "end": 40})).json()
        assert (there["page"], there["pictures"]) == (1, True)
        assert all(
            0 <= box["left"] < box["right"] <= 1 and 0 <= box["top"] < box["bottom"] <= 1 for box in there["boxes"]
        )
        assert there["boxes"]
        file.write_bytes(file.read_bytes() + b"\n")  # it has changed since it was read: its pages may show other words
        assert not (await root.get(places, params=asked)).json()["pictures"]
        assert (await root.get(picture_of, params=asked)).status_code == 404
        plain = await root.get(places, params={"document_id": "merger", "start": 0, "end": 9})
        no_print = {"page": None, "pages": 0, "pictures": False, "version": "", "boxes": []}
        assert plain.json() == {**no_print, "time": None, "recording": ""}


async def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 and no more")
    with pytest.raises(AbsentError, match="cannot be drawn"):
        await page_png(Original(broken, sha256(broken.read_bytes()).hexdigest()), "pdf", 1)

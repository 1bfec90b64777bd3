"""The page's files: the same words in each language, no script that makes HTML of a text, no other origin."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rove.serve.page import FILES, FOLDER, POLICY
from serve.conftest import Town

LANGUAGES = ("en", "de", "hu", "zh", "ja")
SCRIPTS = sorted(FOLDER.glob("*.js"))
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


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_no_script_makes_html_of_a_text(script: Path) -> None:
    text = script.read_text("utf-8")
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
        "http:",
        "DOMParser",
    ):
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


async def test_pictures_are_for_who_may_see_the_document(town: Town) -> None:
    async with town.client("lara") as lara, town.client("root") as root:
        for route in ("places", "picture"):
            hidden = await lara.get(f"/v1/spaces/hr/{route}", params={"document_id": "merger"})
            assert hidden.status_code == 404
        there = await root.get("/v1/spaces/hr/places", params={"document_id": "merger", "start": 0, "end": 9})
        assert there.json() == {"page": None, "pages": 0, "pictures": False, "boxes": []}
        assert (await root.get("/v1/spaces/hr/picture", params={"document_id": "merger"})).status_code == 404

"""What is seen in phrases of many languages, and what is not: one test for each phrase."""

from __future__ import annotations

from pathlib import Path

import pytest

from rove.references.place_words import LANGUAGES
from rove.references.text_references import Reference, references, title_candidates

LINES = (Path(__file__).parent / "reference_phrases.txt").read_text("utf-8").splitlines()
PHRASES = [tuple(line.split("|")) for line in LINES if line and not line.startswith("#")]
NAMED = {"named", "described", "titled", "code", "file", "attached", "bibliography", "next"}


def seen(one: Reference) -> str:
    """A reference as the file of phrases writes it."""
    inner = "".join(f"/{unit} {number}" for unit, number in one.inner)
    if one.unit in NAMED or one.kind == "link" or (one.kind == "footnote" and one.unit != "note"):
        return f"{one.unit or one.kind}:{one.target}{inner}"
    work = f" in {one.work}" if one.work else ""
    return f"{one.unit or one.kind} {one.target}{'-' if one.last else ''}{one.last}{inner}{work}"


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: "|".join(phrase[:2]))
def test_what_a_phrase_refers_to(phrase: tuple[str, ...]) -> None:
    """Titles in capital letters alone, and codes, count where the file says; names without a known end never."""
    language, *text, wanted = phrase
    said = "|".join(text)
    found = [one for one in references(said, language) if one.unit not in {"quoted", "announced"}]
    if wanted.startswith(("titled:", "code:")):
        found += title_candidates(said, language)
    assert "; ".join(map(seen, found)) == wanted
    assert all(one.label == said[slice(*one.span)] for one in found if one.kind == "reference")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_phrases(language: str) -> None:
    assert sum(phrase[0] == language for phrase in PHRASES) >= 4


def test_a_language_that_is_not_known_sees_the_same_places() -> None:
    """Save for words that are a place in one language only, and another word elsewhere."""
    strict = [
        phrase for phrase in PHRASES if phrase[2] and phrase[0] in {"en", "de", "hu", "zh", "ja"} and len(phrase) == 3
    ]
    alike = sum(
        {seen(one) for one in references(text)} >= {seen(one) for one in references(text, language)}
        for language, text, _ in strict
    )
    assert alike >= 0.95 * len(strict)

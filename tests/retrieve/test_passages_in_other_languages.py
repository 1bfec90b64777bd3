"""Passages in other languages than the question's: the best of each is compared with the best in its own."""

from pathlib import Path

from rove import Rove
from rove.records import Chunk, Hit
from rove.retrieve.other_languages import AS_NEAR, MOST, others_near, raised

ENGLISH = "The rent of the hall is due on the first day of each month, and it is paid in advance."
GERMAN = "Die Miete der Halle ist am ersten Tag eines jeden Monats fällig und wird im Voraus bezahlt."


def hit(name: str, language: str, text: str) -> Hit:
    return Hit(Chunk(name, name, text, (0, len(text)), 0, language=language), 0.0)


def test_the_nearest_of_each_other_language_are_compared_too() -> None:
    ranked = [(f"en{n}", 90.0 - n) for n in range(30)] + [(f"de{n}", 1.0 - n / 10) for n in range(8)]
    near = [*((f"de{n}", 0.9) for n in range(8)), *((f"en{n}", 0.8) for n in range(5)), ("fr0", 0.7)]
    languages = {name: name[:2] for name, _ in near}
    assert others_near(ranked, near, languages, "en", 20) == [*(f"de{n}" for n in range(MOST)), "fr0"]
    assert others_near(ranked, near, languages, "de", 20) == ["fr0"]
    assert others_near(ranked, near, languages, "und", 20) == []


def test_what_surely_is_in_another_language_is_raised_to_the_best_of_the_question_s_own() -> None:
    hits = [hit("e1", "en", ENGLISH), hit("e2", "en", ENGLISH), hit("d1", "de", GERMAN), hit("d2", "de", GERMAN)]
    slip = hit("s", "fr", ENGLISH)
    scores = {"e1": 2.0, "e2": 1.0, "d1": 0.5, "d2": 0.0, "s": -1.0}
    near = dict.fromkeys(scores, 1.0)
    assert raised(scores, near, [*hits, slip], "en") == {"e1": 2.0, "e2": 1.0, "d1": 2.0, "d2": 1.5, "s": -1.0}
    assert raised(scores, near, hits, "de") == {"e1": 2.0, "e2": 1.0, "d1": 0.5, "d2": 0.0}
    far = {**near, "d1": 0.9 - AS_NEAR, "d2": -9.0}
    assert raised(scores, far, hits, "en") == {"e1": 2.0, "e2": 1.0, "d1": 0.5, "d2": 0.0}


def test_a_document_in_another_language_is_found_among_many_in_the_question_s(tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.mkdir()
    for number in range(44):
        (given / f"note{number}.md").write_text(
            f"# Trees of park {number}\n\nHow long a tree in park {number} may stand is up to the town. In front "
            f"of the hall every guest may plant tree {number}.\n",
            "utf-8",
        )
    (given / "parken.md").write_text(
        "# Parken\n\nBesucher dürfen ihr Auto vor dem Rathaus höchstens zwei Stunden abstellen.\n",
        "utf-8",
    )
    with Rove.open(tmp_path / "kb") as kb:
        kb.add(given)
        found = [
            Path(one.uri).name
            for one in kb.search("How long may visitors leave their car in front of the town hall?", top_k=3)
        ]
    assert "parken.md" in found

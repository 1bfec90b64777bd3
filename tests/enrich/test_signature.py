from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest
import rensa
from tests.cpu_time import at_most

from load.samples import PARAGRAPHS
from rove.enrich.signature import SHORT_BYTES, compared_text, signature, signatures
from rove.records import Document
from rove.store.duplicates import HEAD_BYTES, NEAR, SIGNATURE_BYTES, VERSION, estimated

LONG = {
    "en": "The committee met on the third floor and talked about the budget of the library for the coming year. ",
    "de": "Der Ausschuss tagte im dritten Stock und sprach über den Haushalt der Bücherei für das kommende Jahr. ",
    "hu": "A bizottság a harmadik emeleten ülésezett, és a könyvtár jövő évi költségvetéséről tárgyalt hosszan. ",
    "zh": "委员会在三楼开会，讨论了图书馆明年的预算。委员们认为购书经费不足，应当增加。",
    "ja": "委員会は三階で開かれ、来年度の図書館の予算について話し合った。委員は増額を求めた。",
}


def story(language: str, seed: int = 1) -> str:
    """A text of the language that is long enough to be compared: its sentences' words in an order of their own."""
    chance = random.Random(seed)
    unit = LONG[language]
    words = unit.split() if " " in unit else [unit[i : i + 3] for i in range(0, len(unit), 3)]
    joint = " " if " " in unit else ""
    return joint.join(chance.choice(words) + str(chance.randrange(1000)) for _ in range(150))


def jaccard(one: str, other: str) -> float:
    """The similarity that a signature estimates, exactly."""
    runs = [{t[i : i + 5] for i in range(len(t) - 4)} for t in ("".join(x.casefold().split()) for x in (one, other))]
    return len(runs[0] & runs[1]) / len(runs[0] | runs[1])


def typo(text: str) -> str:
    middle = len(text) // 2
    return text[:middle] + "¤" + text[middle + 1 :]


EDITS: dict[str, Callable[[str], str]] = {
    "typo": typo,
    "case and white space": lambda text: "\n\n" + text.upper().replace(" ", "  ") + "\n",
    "boilerplate around": lambda text: "Home | Contact\n\n" + text + "\n\n© 2026",
    "a sentence added": lambda text: text + " " + text[:40][::-1],
    "the end cut": lambda text: text[: len(text) * 95 // 100],
}


@pytest.mark.parametrize("language", LONG)
@pytest.mark.parametrize("edit", EDITS)
def test_an_edited_text_stays_near(language: str, edit: str) -> None:
    text = story(language)
    edited = EDITS[edit](text)
    one, other = signatures([text, edited])
    assert len(one) == len(other) == SIGNATURE_BYTES <= 256
    assert estimated(one, other) == pytest.approx(jaccard(text, edited), abs=0.12)
    assert estimated(one, other) >= NEAR


@pytest.mark.parametrize("language", LONG)
def test_texts_that_share_words_only_are_far(language: str) -> None:
    one, other = signatures([story(language, 1), story(language, 2)])
    assert estimated(one, other) < 0.5


def test_estimates_are_unbiased() -> None:
    texts = [story("en", seed) for seed in range(40)]
    errors: list[float] = []
    for share in (0.2, 0.5, 0.8):
        mixed = [a[: int(len(a) * share)] + b[int(len(b) * share) :] for a, b in zip(texts, texts[1:], strict=False)]
        found = signatures([*texts, *mixed])
        for n, (a, b) in enumerate(zip(texts, mixed, strict=False)):
            errors.append(estimated(found[n], found[len(texts) + n]) - jaccard(a, b))
    assert abs(sum(errors) / len(errors)) < 0.015


@pytest.mark.parametrize("text", PARAGRAPHS.values())
def test_short_texts_have_a_hash_alone(text: str) -> None:
    assert len("".join(text.split()).encode()) < SHORT_BYTES
    one, same, other = signatures([text, f"  {text}\n", text + "!"])
    assert one == same
    assert one != other
    assert len(one) == HEAD_BYTES
    assert estimated(one, other) == 0


def test_exact_is_blind_to_white_space_and_unicode_forms_only() -> None:
    assert signature("Ünnep  é") == signature("U\u0308nnep\te\u0301 ")
    assert len({signature(text) for text in ("C++", "C", "c++", "x²", "x2")}) == 5


def test_records_are_compared_with_their_titles_and_files_without() -> None:
    one, other = (Document(i, i, "text", "Igen.", title=f"Kérdés {i}") for i in "ab")
    assert compared_text(one) == compared_text(other) == "Igen."
    one, other = (replace(d, metadata={"record_id": d.document_id}) for d in (one, other))
    assert len({signature(compared_text(d)) for d in (one, other)}) == 2


def test_neighbours_in_a_batch_do_not_matter() -> None:
    texts = [story(language, seed) for seed in range(5) for language in LONG]
    assert signatures(texts) == [signature(text) for text in texts] == signatures(texts[::-1])[::-1]


def test_signatures_are_the_same_in_every_process_and_version() -> None:
    """They are kept: where this fails, count VERSION up."""
    assert VERSION[1] == rensa.RMinHash.ALGORITHM_VERSION
    assert (
        signature(" ".join(map(str, range(200))))[:26].hex() == "01029154f08591f9caddf03ecb2278e80632aec085f23fa72030"
    )


@pytest.mark.parametrize("text", ["", " ", "\ud800" * 300, "a" * 5_000_000, "\U0010ffff" * 400])
def test_odd_texts_have_signatures(text: str) -> None:
    with at_most(5):
        assert len(signature(text)) in {HEAD_BYTES, SIGNATURE_BYTES}

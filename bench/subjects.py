"""Questions for all that is said of a subject: is it quoted where it is there, and refused where it is not?"""

from __future__ import annotations

import json
import random
import re
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.report import Table, say
from bench.sets import DATA
from rove import Rove, Text
from rove.records import Answer

SETS = {"lohelp_en": "en", "lohelp_de": "de", "cmrc2018_dev": "zh", "jsquad": "ja", "xquad_es": "es"}
"""Sets of documents; of the manuals the subjects are headings, of the others titles of documents."""
PAGES, ASKED, CHARS = 150, 30, (4, 40)
SEED = 12


@dataclass(frozen=True, slots=True)
class Subject:
    """A subject, and in which document it stands."""

    name: str
    document: str
    is_there: bool


def run() -> list[Table]:
    """Ask each set with and without the answers to forms of questions."""
    asked = tomllib.loads(Path(__file__).with_name("subjects.toml").read_text("utf-8"))["asked"]
    rows = [_row(name, asked[language].split("|"), forms) for name, language in SETS.items() for forms in (False, True)]
    return [
        Table(
            f"{ASKED} subjects that stand there and {ASKED} that do not, over {PAGES} documents of each set",
            ["set", "answer.forms", "right", "another document", "refused", "not there: answered", "of these named"],
            rows,
            "Right: what is quoted stands in the document whose heading or title the subject is. Of those that are not "
            'there some are named in passing: "of these named" counts the answers whose quotes and the headings above '
            "have all the words.",
        )
    ]


def _row(name: str, templates: list[str], forms: bool) -> list[object]:
    say(f"subjects {name}, forms {forms}")
    texts, subjects = subjects_of(name)
    right = other = refused = answered = named = 0
    draw = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder, Rove.open(folder, answer={"forms": forms}) as kb:
        kb.add(texts)
        for one in subjects:
            answer = kb.ask(draw.choice(templates).replace("{x}", one.name))
            if not one.is_there:
                answered += not answer.refused
                named += not answer.refused and _names(answer, one.name)
            elif answer.refused:
                refused += 1
            else:
                is_right = any(cited.document_id == one.document for cited in answer.citations)
                right, other = right + is_right, other + (not is_right)
    return [name, "yes" if forms else "no", right, other, refused, answered, named]


def subjects_of(name: str) -> tuple[list[Text], list[Subject]]:
    """Return documents of a set, and subjects of these and of those left out."""
    lines = (json.loads(line) for line in (DATA / name / "corpus.jsonl").read_text("utf-8").splitlines())
    every = [Text(one["text"], id=one["id"], title=one.get("title", ""), kind="markdown") for one in lines]
    draw = random.Random(SEED)
    draw.shuffle(every)
    titles = {text.title for text in every[:PAGES]}
    here = list(_named(every[:PAGES]))
    known = {one[0].casefold() for one in here}
    gone = [one for one in _named(every[PAGES:]) if one[0].casefold() not in known and every and one[0] not in titles]
    draw.shuffle(here)
    draw.shuffle(gone)
    subjects = [Subject(name, place, True) for name, place in dict(here).items()][:ASKED]
    return every[:PAGES], subjects + [Subject(name, place, False) for name, place in dict(gone).items()][:ASKED]


def _named(texts: list[Text]) -> Iterator[tuple[str, str]]:
    """Yield the headings of documents below their first one, or their titles where they have none, with their ids."""
    for text in texts:
        found = re.findall(r"^#{2,4} (.+)$", str(text.text), re.MULTILINE) or [text.title]
        for heading in found[:2]:
            if CHARS[0] <= len(heading.encode()) and len(heading) <= CHARS[1] and heading.replace(" ", "").isalpha():
                yield heading, str(text.id)


def _names(answer: Answer, subject: str) -> bool:
    held = " ".join((*(one.quote for one in answer.citations), *(h for hit in answer.hits for h in hit.chunk.headings)))
    return all(word[:5] in held.casefold() for word in subject.casefold().split())

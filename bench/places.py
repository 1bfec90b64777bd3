"""Questions for all that stands at a numbered place: is just that told, and refused where it is not there?"""

from __future__ import annotations

import random
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.report import Table, say
from bench.walking.files import HALVES, corpora
from rove import Rove
from rove.records.document import Span
from rove.references.numbered_places import numbered_places

ABSENT = 57
"""By which a number is made greater that no document has."""
SEED = 3


@dataclass(frozen=True, slots=True)
class Place:
    """A numbered place that a heading names, the documents' title, and where it stands; no span: nowhere."""

    called: str
    title: str
    document: str
    language: str
    span: Span | None


def run() -> list[Table]:
    """Ask the documents of each set of walks, in one base."""
    asked: dict[str, str] = tomllib.loads(Path(__file__).with_name("places.toml").read_text("utf-8"))["asked"]
    rows = [row for half in HALVES for row in _rows(half, {name: one.split("|") for name, one in asked.items()})]
    return [
        Table(
            "Numbered places of the documents that walks are measured on, and as many that are not there",
            ["set", "language", "places", "that alone", "more", "elsewhere", "refused", "not there: answered"],
            rows,
            "That alone: all that is cited stands at the place; more: also beside it. The documents were written "
            "before any of this, and the questions are worded otherwise than the examples of the model.",
        )
    ]


def _rows(half: str, asked: dict[str, list[str]]) -> Iterator[list[object]]:
    say(f"places {half}")
    draw = random.Random(SEED)
    with tempfile.TemporaryDirectory() as folder, Rove.open(f"{folder}/base") as kb:
        for one in corpora(half):
            one.write(Path(folder) / "files" / one.name)
        kb.add(f"{folder}/files")
        counts: dict[str, list[int]] = {}
        for place in list(_places(kb)):
            if place.language not in asked:
                continue
            question = draw.choice(asked[place.language]).format(p=place.called, d=place.title)
            answer = kb.ask(question)
            spans = [(cited.document_id, cited.span) for cited in answer.citations]
            inside = [_stands_in(place, *one) for one in spans]
            counted = counts.setdefault(place.language, [0] * 6)
            if place.span is None:
                counted[5] += not answer.refused
                continue
            counted[0] += 1
            counted[4 if answer.refused else 1 if inside and all(inside) else 2 if any(inside) else 3] += 1
    yield from ([half, language, *counted] for language, counted in sorted(counts.items()))


def _places(kb: Rove) -> Iterator[Place]:
    for info in kb.documents():
        document, _ = kb.document(info.document_id)
        for section in document.sections if not numbered_places(info.title, info.language, title=True) else ():
            found = next(iter(numbered_places(section.title, info.language, title=True)), None)
            if found is None or found.span[0] or not found.number.isdigit():
                continue
            called = section.title[slice(*found.span)]
            yield Place(called, info.title, info.document_id, info.language, section.span)
            if called.count(found.number) == 1:
                absent = called.replace(found.number, str(int(found.number) + ABSENT))
                yield Place(absent, info.title, info.document_id, info.language, None)


def _stands_in(place: Place, document: str, span: Span) -> bool:
    inside = place.span is not None and place.span[0] <= span[0] and span[1] <= place.span[1]
    return inside and document == place.document

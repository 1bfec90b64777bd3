"""Small bases whose documents are known by their id and version, and what must hold of such a base at any time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from campaign.trial import Faults
from rove.records import Text
from rove.sync import Rove

SENTENCES = (
    "The archive keeps {0} letters about the harbour, and number {1} was never opened by anybody.",
    "Das Archiv bewahrt {0} Briefe über den Hafen, und Nummer {1} wurde bis heute nie geöffnet.",
    "A levéltár {0} levelet őriz a kikötőről, és a(z) {1}. számút máig sosem bontották fel.",
    "档案馆保存着关于港口的{0}封信，其中第{1}封信直到今天也从未有人打开过。",
    "文書館には港についての手紙が{0}通あり、そのうち{1}番は今日まで一度も開かれていない。",
)
SYLLABLES = ("ba", "ce", "di", "fo", "gu", "ha", "ke", "li", "mo", "nu", "pa", "re", "si", "to", "vu", "za")
FAKE: dict[str, Any] = {"embedder": {"name": "fake"}, "chunk": {"size_chars": 240}}
GONE = None


def word(*of: object) -> str:
    """A word that no other document has: `word("d3", 2)` is that of version 2.

    It ends in a digit, so that no language has a stem of it.

    >>> word("d3", 2) != word("d3", 3), word("d3", 2)[-1]
    (True, '7')
    """
    chance = Random(repr(of))
    return "qu" + "".join(chance.choice(SYLLABLES) for _ in range(5)) + "7"


def text_of(name: str, version: int) -> str:
    """The text of a version of a document: a few chunks, each with a word of its own."""
    chance = Random(f"{name} {version}")
    parts = chance.randrange(2, 6)
    sentence = SENTENCES[chance.randrange(len(SENTENCES))]
    lines = [
        f"{word(name, version, part)}: {' '.join(sentence.format(part * 3 + n, n * 7) for n in range(3))}"
        for part in range(parts)
    ]
    return "\n\n".join([f"{word(name, version)} {word(name)}.", *lines, f"{word(name, version, 'end')} ends."])


def document(name: str, version: int) -> Text:
    """A version of a document as it is handed in."""
    return Text(text_of(name, version), id=name, title=f"Title {name}", metadata={"version": version})


@dataclass(slots=True)
class Known:
    """What is known of a base: document → the versions that it may be at, `GONE` for not there.

    `begin` and `end` stand around an operation: in between, each of its documents may be at either.
    """

    may: dict[str, set[int | None]] = field(default_factory=dict[str, set[int | None]])
    ranks: dict[str, set[int | None]] = field(default_factory=dict[str, set[int | None]])

    def begin(self, changes: Mapping[str, int | None]) -> None:
        """These documents are on their way to these versions."""
        for name, version in changes.items():
            self.may.setdefault(name, {GONE}).add(version)

    def end(self, changes: Mapping[str, int | None]) -> None:
        """It is acknowledged."""
        for name, version in changes.items():
            self.may[name] = {version}

    def certain(self) -> dict[str, int]:
        """The documents that are there for certain, at a certain version."""
        return {
            name: version
            for name, versions in self.may.items()
            if len(versions) == 1 and (version := next(iter(versions))) is not GONE
        }

    def gone(self) -> list[str]:
        """The documents that are gone for certain."""
        return [name for name, versions in self.may.items() if versions == {GONE}]


def check_base(kb: Rove, known: Known, faults: Faults) -> dict[str, int]:
    """Hold an open base against what is known of it; returns the version of each document.

    Before anything is mended: what is certain is there, whole, and found. After doctor has been twice: it finds nothing
    any more, and what is there is found by each of its parts.
    """
    found = held(kb, known, faults, "at once")
    search_each(kb, {n: v for n, v in known.certain().items() if n in found}, faults, "at once")
    kb.doctor()
    again = kb.doctor()
    faults.expect(again.ok, f"doctor still finds {again.problems} right after it has mended")
    after = held(kb, known, faults, "after doctor")
    search_each(kb, after, faults, "after doctor")
    for name in known.gone():
        hits = kb.search(word(name), mode="keyword", top_k=5)
        faults.expect(
            all(hit.chunk.document_id != name for hit in hits), f"{name} was deleted, acknowledged, and is still found"
        )
    return after


def held(kb: Rove, known: Known, faults: Faults, when: str) -> dict[str, int]:
    """The version that each document is at, each once and whole."""
    names = [info.document_id for info in kb.documents()]
    faults.expect(len(names) == len(set(names)), f"{when}: a document is there twice: {sorted(names)}")
    found: dict[str, int] = {}
    for name in dict.fromkeys(names):
        text = kb.text(name)
        versions = [v for v in known.may.get(name, ()) if v is not GONE and text_of(name, v) == text]
        if faults.expect(versions, f"{when}: {name} is at none of {known.may.get(name)}: {text[:80]!r}"):
            found[name] = versions[0]
            _whole(kb, name, text, faults, when)
    for name, versions in known.may.items():
        faults.expect(name in found or GONE in versions or name in names, f"{when}: {name} at {versions} is lost")
    return found


def _whole(kb: Rove, name: str, text: str, faults: Faults, when: str) -> None:
    _, chunks = kb.document(name)
    faults.expect(all(text[slice(*chunk.span)] == chunk.text for chunk in chunks), f"{when}: {name} has wrong spans")
    covered = sum(chunk.span[1] - chunk.span[0] for chunk in chunks)
    faults.expect(covered >= len(text.strip()) - 8 * len(chunks), f"{when}: {name} has {covered} of {len(text)} chars")


def search_each(kb: Rove, versions: Mapping[str, int], faults: Faults, when: str) -> None:
    """Each document is found by its first and its last word."""
    for name, version in versions.items():
        for wanted in (word(name, version), word(name, version, "end")):
            hits = kb.search(wanted, mode="keyword", top_k=5)
            ids = [hit.chunk.document_id for hit in hits]
            faults.expect(name in ids, f"{when}: {name} at version {version} is not found by {wanted!r}, only {ids}")


def residue(base: Path, words: Iterable[str]) -> list[str]:
    """Files of a base that still hold one of these words."""
    wanted = [one.encode() for one in words]
    return [
        str(path.relative_to(base))
        for path in sorted(base.rglob("*"))
        if path.is_file() and _holds_any(path.read_bytes(), wanted)
    ]


def _holds_any(data: bytes, wanted: Collection[bytes]) -> bool:
    return any(one in data for one in wanted)

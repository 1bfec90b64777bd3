"""Ask questions of documents as such in two bases of mixed files, and count what is right, wrong and refused."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath

from bench.clerk.files import write_files
from bench.report import Table, say
from rove import Rove
from rove.records import Answer

HERE = Path(__file__).parent
OUTCOMES = ("right", "wrong", "refused")
MOST_OTHERS = 1
"""Documents that a list may name beside those it should."""


@dataclass(frozen=True, slots=True)
class WholeQuestion:
    """A question of a kind. `known`: what its answer says, in each way, its parts joined with "&"; "*": anything.

    `documents`: those that it is about; `chosen`: the one that it is asked of alone, "" where of all.
    """

    language: str
    kind: str
    question: str
    known: tuple[str, ...]
    documents: tuple[str, ...]
    chosen: str


def questions(half: str) -> list[WholeQuestion]:
    """Read the questions of a half."""
    rows = (line.split("\t") for line in (HERE / f"questions_{half}.tsv").read_text("utf-8").splitlines())
    return [
        WholeQuestion(language, kind, question, _parts(known), _parts(documents), chosen)
        for language, kind, question, known, documents, chosen in rows
    ]


def make_base(half: str, folder: Path) -> None:
    """Write the files of a half, the clerk's among them, and add them to a base at `folder`/kb."""
    write_files(half, folder / "files")
    write_files(half, folder / "files", HERE / f"files_{half}.txt")
    with Rove.open(folder / "kb") as kb:
        kb.add(folder / "files")


def run(halves: Sequence[str] = ("a", "b")) -> list[Table]:
    """Ask every half; see the table's note."""
    tables: list[Table] = []
    for half in halves:
        say(f"whole {half}")
        with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
            make_base(half, Path(folder))
            with Rove.open(Path(folder) / "kb") as kb:
                asked = questions(half)
                tables.append(table(half, asked, [outcome(ask(kb, one), one) for one in asked]))
    return tables


def ask(kb: Rove, one: WholeQuestion) -> Answer:
    """Ask a question, of the document that was chosen for it."""
    sources = [info.source for info in kb.documents() if PurePath(info.source).name == one.chosen]
    return kb.ask(one.question, where={"source": sources} if one.chosen else None)


def outcome(answer: Answer, one: WholeQuestion) -> str:
    """Say what became of a question: "right", "wrong" or "refused"."""
    if answer.mode == "refused":
        return "refused"
    cited = {PurePath(citation.uri).name for sentence in answer.sentences for citation in sentence.citations}
    said = one.known == ("*",) or any(all(part in answer.text for part in way.split("&")) for way in one.known)
    right = said and _CITED.get(one.kind, _some)(cited, set(one.documents))
    return "right" if right else "wrong"


def table(half: str, asked: Sequence[WholeQuestion], became: Sequence[str]) -> Table:
    """Count outcomes by kind."""
    counts = Counter((one.kind, outcome) for one, outcome in zip(asked, became, strict=True))
    kinds = [*dict.fromkeys(one.kind for one in asked)]
    rows: list[list[object]] = [[kind, *(counts[kind, outcome] for outcome in OUTCOMES)] for kind in kinds]
    rows.append(["all", *(sum(1 for outcome in became if outcome == one) for one in OUTCOMES)])
    return Table(f"Documents as such, half {half.upper()}", ["kind", *OUTCOMES], rows, NOTES[half])


NOTES: Mapping[str, str] = {
    "a": "In five languages, without a chat model; this half was in view. Right: the answer says what is known, of the "
    "documents that it is of: a summary of no other, a list of all of them and at most one other.",
    "b": "Looked at as a table only.",
}


def _some(cited: set[str], meant: set[str]) -> bool:
    return not meant or bool(cited & meant)


def _only(cited: set[str], meant: set[str]) -> bool:
    return cited == meant


def _every(cited: set[str], meant: set[str]) -> bool:
    return cited >= meant and len(cited - meant) <= MOST_OTHERS


_CITED: Mapping[str, Callable[[set[str], set[str]], bool]] = {"summary": _only, "list": _every}


def _parts(text: str) -> tuple[str, ...]:
    return tuple(filter(None, text.split("|")))

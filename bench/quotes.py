"""What is quoted without a chat model: does it hold the answer, how much of it does, and how long does a walk go on?

And what is refused: see `bench.refusal`.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import DATA, refusal
from bench.report import Table, say
from bench.sets import by_hash, load, read_lines
from bench.vectors import use_remembered
from bench.walk import CUT_DOWN, MULTI, WHOLE, as_text
from rove import Rove
from rove.evaluate.answers import answer_match
from rove.evaluate.compare import bootstrap
from rove.records import Answer

SETS = ("xquad_en", "xquad_de", "xquad_zh", "jsquad", MULTI)
QUESTIONS = 60


@dataclass(frozen=True, slots=True)
class Quoted:
    """The quotes of one answer, in their order: of each whether it holds a known answer."""

    quotes: tuple[bool, ...]

    @classmethod
    def of(cls, answer: Answer, gold: Sequence[str]) -> Quoted:
        """Read an answer."""
        return cls(tuple(answer_match(sentence.text, gold) == 1 for sentence in answer.sentences))


@dataclass(frozen=True, slots=True)
class Way:
    """How a walk went. `late`: rounds after the first fact that holds a known answer, 0 where none does."""

    quoted: Quoted
    rounds: int
    leads: int
    late: int


def run() -> list[Table]:
    """Ask and walk, each set in a base of its own."""
    remembered = use_remembered()
    rows: list[list[object]] = []
    for name in SETS:
        say(f"quotes {name}")
        rows += measured(name, remembered)
    columns = ["set", "way", "holds the answer", "95 %", "in the first quote", "quotes", "of which hold it"]
    note = (
        f"The first {QUESTIONS} questions with known answers of each set, as its documents are cut elsewhere "
        f"({CUT_DOWN}; {MULTI} whole). No chat model, no memory. Late: rounds a walk goes on after the first fact that "
        "holds a known answer. Intervals by bootstrap over the questions."
    )
    quoted = Table("What is quoted without a chat model", [*columns, "rounds", "leads", "late rounds"], rows, note)
    return [quoted, *refusal.run()]


def measured(name: str, remembered: str) -> list[list[object]]:
    """The two rows of a set: asked, and walked."""
    data = load(name, WHOLE if name == MULTI else CUT_DOWN)
    known = {str(row["id"]): row.get("answers") or [] for row in read_lines(DATA / name / "queries.jsonl")}
    chosen = [query for query in by_hash(data.queries) if known[query]][:QUESTIONS]
    with (
        tempfile.TemporaryDirectory(prefix="rove-bench-") as folder,
        Rove.open(Path(folder), embedder={"name": remembered}, walk={"memory": False}) as kb,
    ):
        kb.add([as_text(doc) for doc in data.docs])
        asked = [Quoted.of(kb.ask(data.queries[query]), known[query]) for query in chosen]
        walked = [way(kb, data.queries[query], known[query]) for query in chosen]
    many = len(chosen)
    numbers = [sum(one.rounds for one in walked) / many, sum(one.leads for one in walked) / many]
    late = sum(one.late for one in walked) / many
    return [
        [name, "ask", *shares(asked), "", "", ""],
        [name, "walk", *shares([one.quoted for one in walked]), *(f"{n:.2f}" for n in (*numbers, late))],
    ]


def way(kb: Rove, question: str, gold: Sequence[str]) -> Way:
    """Walk to the end."""
    walk = kb.walk(question)
    quoted = Quoted.of(walk.answered(), gold)
    state = walk.state
    rounds = [fact.round for fact in state.facts if answer_match(fact.text, gold) == 1]
    return Way(quoted, state.round, len(state.followed) - 1, state.round - min(rounds) if rounds else 0)


def shares(answers: Sequence[Quoted]) -> list[object]:
    """The five columns about quotes."""
    holds = bootstrap([float(any(one.quotes)) for one in answers])
    first = sum(bool(one.quotes) and one.quotes[0] for one in answers)
    quotes = sum(len(one.quotes) for one in answers)
    good = sum(sum(one.quotes) for one in answers)
    found = sum(any(one.quotes) for one in answers)
    between = f"{holds.low:.2f} … {holds.high:.2f}" if holds else ""
    return [f"{found} of {len(answers)}", between, f"{first}", f"{quotes}", f"{good / max(quotes, 1):.2f}"]

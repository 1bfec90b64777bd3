"""Ask a clerk's questions of each half, in one base of mixed files, without a chat model and with a faultless one."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np
from pydantic import BaseModel

from bench.clerk.files import HERE, write_files
from bench.report import Table, say
from rove import Rove
from rove.records import Answer

UNANSWERED = frozenset({"near", "pointer", "absent"})
"""Kinds of questions that no file answers: near misses, what is only pointed to, what is nowhere."""
LANGUAGES = ("en", "de", "hu", "zh", "ja")
WARM_UP = 5
LONGEST = 3
"""How many times as long as the known answer a short one may be."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of a clerk. `known`: what answers it, in each way of saying it; none where no file does."""

    language: str
    kind: str
    question: str
    known: tuple[str, ...]
    document: str

    @property
    def answerable(self) -> bool:
        """Whether a file answers it."""
        return self.kind not in UNANSWERED


def questions(half: str) -> list[Asked]:
    """Read the questions of a half."""
    rows = (line.split("\t") for line in (HERE / f"questions_{half}.tsv").read_text("utf-8").splitlines())
    return [
        Asked(language, kind, question, tuple(filter(None, known.split("|"))), document)
        for language, kind, question, known, document in rows
    ]


def run(halves: Sequence[str] = ("a", "b")) -> list[Table]:
    """Ask every half; see the table's note."""
    return [table for half in halves for table in measured(half)]


def measured(half: str) -> list[Table]:
    """Ask one half's questions: a table without a chat model, one with a faultless one, and what a question takes."""
    asked = questions(half)
    model = FaultlessModel(asked)
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        write_files(half, Path(folder) / "files")
        with Rove.open(Path(folder) / "kb") as kb:
            kb.add(Path(folder) / "files")
            say(f"clerk {half}, no model")
            alone, spent = list[str](), list[float]()
            for one in asked:
                began = process_time()
                answer = kb.ask(one.question)
                spent.append(process_time() - began)
                alone.append(outcome(answer, one))
        with Rove.open(Path(folder) / "kb", chat=model) as kb:
            say(f"clerk {half}, a model")
            helped = [model.outcome(kb.ask(one.question), one) for one in asked]
    return [
        table(f"Half {half.upper()} without a chat model", asked, alone, ALONE),
        table(f"Half {half.upper()} with a faultless model", asked, helped, HELPED),
        cost(f"CPU time of a question, half {half.upper()}", spent[WARM_UP:]),
    ]


def cost(title: str, spent: Sequence[float]) -> Table:
    """Say what questions took, in milliseconds."""
    parts = np.quantile(np.array(spent) * 1000, (0.5, 0.95, 1)).round().astype(int)
    note = f"Milliseconds of the process, retrieval included, without a chat model; the first {WARM_UP} not counted."
    return Table(title, ["questions", "median", "95 %", "most"], [[len(spent), *parts.tolist()]], note)


ALONE = ("right", "cut", "wrong", "quoted", "quoted else", "refused")
HELPED = ("right", "marked", "lost", "refused by it", "never asked", "wrong")


def table(title: str, asked: Sequence[Asked], became: Sequence[str], outcomes: Sequence[str]) -> Table:
    """Count outcomes by language and kind."""
    counts: Counter[tuple[str, str]] = Counter()
    for one, outcome in zip(asked, became, strict=True):
        for group in (
            f"{one.language} {one.kind}",
            f"all {one.kind}",
            f"all {'with' if one.answerable else 'without'} an answer",
        ):
            counts[group, outcome] += 1
    groups = sorted({group for group, _ in counts}, key=_order)
    rows: list[list[object]] = [
        [group, sum(counts[group, outcome] for outcome in outcomes), *(counts[group, outcome] for outcome in outcomes)]
        for group in groups
    ]
    note = (
        "Right, cut, wrong: a few words are set off as the answer (cut: only a part of it). Quoted: no such words, and "
        "a quotation holds the answer; quoted else: none does."
        if outcomes is ALONE
        else "The model replies with the known answer where a reference holds it, else it refuses. Never asked: "
        "refused before. Lost: it replied, and that is not shown."
    )
    return Table(title, ["questions", "many", *outcomes], rows, note)


def _order(group: str) -> tuple[int, str]:
    language = group.partition(" ")[0]
    return (LANGUAGES.index(language) if language in LANGUAGES else len(LANGUAGES), group)


def outcome(answer: Answer, asked: Asked) -> str:
    """Say what became of a question without a chat model: one of `ALONE`."""
    if answer.refused:
        return "refused"
    if answer.short:
        return judged(answer.short.quote, asked.known)
    return "quoted" if any(holds(answer.text, known) for known in asked.known) else "quoted else"


def judged(short: str, known: Sequence[str]) -> str:
    """Say whether a short answer is right, cut, or wrong.

    >>> [judged(short, ["EUR 2,460"]) for short in ("EUR 2,460 a month", "2,460", "EUR 18", "EUR 2,460, of which half")]
    ['right', 'cut', 'wrong', 'right']
    """
    said = plain(short)
    for one in map(plain, known):
        if one in said and len(said) <= max(LONGEST * len(one), len(one) + 20):
            return "right"
    return "cut" if said and any(said in plain(one) for one in known) else "wrong"


def plain(text: str) -> str:
    """Letters and digits alone, however they are written."""
    return "".join(filter(str.isalnum, text.casefold()))


def holds(text: str, known: str) -> bool:
    """Say whether a text has a known answer in it, however it is written."""
    return plain(known) in plain(text)


class FaultlessModel:
    """A chat model that knows the answers, and gives one where a reference holds it; else it refuses."""

    name = "faultless"

    def __init__(self, asked: Sequence[Asked]) -> None:
        self._known: Mapping[str, Asked] = {one.question: one for one in asked}
        self._replied: dict[str, str] = {}

    async def stream(
        self, instructions: str, prompt: str, *, shape: type[BaseModel] | None = None
    ) -> AsyncIterator[str]:
        """See `ChatModel.stream`."""
        del shape
        question = next((text for text in self._known if text in prompt), "")
        reply = self._reply(question, prompt)
        self._replied[question] = reply
        refusal = re.search(r"[“\"「]([^“”\"「」\n]++)[”\"」]", instructions)
        yield reply or (refusal[1] if refusal else "")

    def _reply(self, question: str, prompt: str) -> str:
        known = self._known[question].known if question else ()
        for number, text in re.findall(r"⟦(\d+)\n(.*?)\n\1⟧", prompt, re.DOTALL):
            for one in known:
                if holds(text, one):
                    return f"{one}. [{number}]"
        return ""

    def outcome(self, answer: Answer, asked: Asked) -> str:
        """Say what became of a question with this model: one of `HELPED`."""
        if asked.question not in self._replied:
            return "never asked" if answer.refused else "wrong"
        if answer.refused:
            return "lost" if self._replied[asked.question] else "refused by it"
        if answer.mode != self.name:
            return "lost"
        if not any(holds(answer.text, known) for known in asked.known):
            return "wrong"
        return "marked" if not all(one.held for one in answer.sentences) else "right"

"""`python -m bench small-model`: a real small chat model on questions that were not written for it.

The model is given all the time it takes; how long that is stands beside what came of it.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
import time
import tomllib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from bench import ROOT
from bench.clerk.files import write_files
from bench.clerk.run import Asked, holds, questions
from bench.figures import databases, slots
from bench.figures.outcomes import Case, Outcome
from bench.report import Table, say
from bench.small_model.model import served
from bench.walking.files import corpora
from rove import Rove
from rove.language.detect import detect
from rove.models import chat_model
from rove.models.usage import Usage, metered
from rove.records import Answer
from rove.settings import ChatSettings

LANGUAGES = ("en", "de", "hu", "zh", "ja")
HANDBOOK = ROOT / "demo" / "documents" / "handbook"
PATIENCE_S = 900.0
SAMPLE = {"answer": 3, "cross": 1, "near": 1, "absent": 1}
"""Questions of each kind, in each language, that documents are asked."""
SHOWN = 240


@dataclass(frozen=True, slots=True)
class Try:
    """What became of a question.

    `alone`: the model was given up, and what is there was made without it. `noted`: an answer of the model says that,
    read without it, the passages do not answer.
    """

    case: Case
    seconds: float
    usage: Usage
    alone: bool = False
    noted: bool = False


def run(chosen: Sequence[str] = ()) -> list[Table]:
    """Measure the parts that are named, or all."""
    found: list[Table] = []
    with served() as url:
        settings = {"model": "small", "base_url": url, "timeout_s": PATIENCE_S}
        for name, part in PARTS.items():
            if not chosen or name in chosen:
                say(f"small-model: {name}")
                tries = list(part.tries(settings))
                found += [_table(part, tries), _listed(part, tries)]
    return found


def answers(chat: Mapping[str, object]) -> Iterator[Try]:
    """Ask the clerk's documents some questions of each kind; each answer is checked as any other."""
    yield from _asked_of_files("b", list(_sample(questions("b"))), chat)


def unanswered(chat: Mapping[str, object]) -> Iterator[Try]:
    """Ask the clerk's documents all that no file answers."""
    for half in ("a", "b"):
        yield from _asked_of_files(half, [one for one in questions(half) if not one.answerable], chat)


def _asked_of_files(half: str, asked: Sequence[Asked], chat: Mapping[str, object]) -> Iterator[Try]:
    with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
        write_files(half, Path(folder) / "files")
        with Rove.open(Path(folder) / "kb", chat=chat, answer={"forms": False}) as kb:
            kb.add(Path(folder) / "files")
            for one in asked:
                with _measuring() as measured:
                    answer = kb.ask(one.question)
                outcome = _outcome(answer, one)
                case = Case(one.kind, one.language, outcome, _shown(one.question, answer.text))
                noted = any(note.code == "model-alone" for note in answer.notes)
                yield measured(case, alone=_is_without_model(answer), noted=noted)


def sql(chat: Mapping[str, object]) -> Iterator[Try]:
    """Ask the foreign databases of `bench.figures`; the model writes the SQL."""
    model = chat_model(ChatSettings(**chat))  # pyright: ignore[reportArgumentType] - as a settings file has it
    for name in databases.SETS:
        for one in tomllib.loads(databases.SETS[name].read_text("utf-8"))["databases"]:
            with databases.opened(one, chat=model) as (connection, asker):
                for language, question, *ways in one["questions"]:
                    with _measuring() as measured:
                        reply = asyncio.run(asker.ask(question))
                    yield measured(databases.case_of(connection, language, ways, reply), alone=reply.by == "rules")


def tools(chat: Mapping[str, object]) -> Iterator[Try]:
    """Send the requests of `bench.figures.slots` to twenty tools; nothing is confirmed."""
    with slots.opened("unseen", chat=chat) as (kb, requests):
        for request in requests:
            with _measuring() as measured:
                made = kb.run_tool(request.text)
            shown = _shown(request.text, slots.shown(made))
            yield measured(Case(request.kind, request.language, slots.judged(made, request), shown))


def walks(chat: Mapping[str, object]) -> Iterator[Try]:
    """Walk a corpus in each language, of those that take two to four steps."""
    first = {one.language: one for one in reversed(corpora("held"))}
    for language in LANGUAGES:
        corpus = first[language]
        with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder:
            corpus.write(Path(folder) / "files")
            settings = {"memory": False, "seconds": 0}
            with Rove.open(Path(folder) / "kb", chat=chat, walk=settings) as kb:
                kb.add(Path(folder) / "files")
                with _measuring() as measured:
                    answer = kb.walk(corpus.question).answered()
        right = bool(re.search(corpus.gold, answer.text))
        outcome = "right" if right else "refused" if answer.refused else "wrong"
        case = Case(corpus.kind, language, outcome, _shown(corpus.question, answer.text))
        yield measured(case, alone=_is_without_model(answer))


def summaries(chat: Mapping[str, object]) -> Iterator[Try]:
    """Sum up each document of the demo's handbook; right is what the model wrote, in the document's language."""
    for path in sorted(HANDBOOK.iterdir()):
        temporary = tempfile.TemporaryDirectory(prefix="rove-bench-")
        with temporary as folder, Rove.open(Path(folder) / "kb", chat=chat, enrich={"ask_model": True}) as kb:
            kb.add(path)
            document = kb.documents()[0]
            with _measuring() as measured:
                kb.enrich("summaries")
            whole = kb.summary(document.document_id)[0]
        alone = "small" not in whole.by
        outcome = "refused" if alone else "right" if detect(whole.text) == document.language else "wrong"
        yield measured(Case("document", document.language, outcome, _shown(path.name, whole.text)), alone=alone)


@contextmanager
def _measuring() -> Generator[Callable[..., Try]]:
    """Measure the block; gives what makes a `Try` of its case, behind it."""
    began, spent = time.perf_counter(), list[float]()
    with metered() as meter:
        yield lambda case, **more: Try(case, spent[0], meter.usage, **more)
    spent.append(time.perf_counter() - began)


def _sample(asked: Iterable[Asked]) -> Iterator[Asked]:
    """Yield the first questions of each kind and language, as many as `SAMPLE` says."""
    left = {(language, kind): many for language in LANGUAGES for kind, many in SAMPLE.items()}
    for one in asked:
        key = one.language, one.kind
        if left.get(key):
            left[key] -= 1
            yield one


def _outcome(answer: Answer, asked: Asked) -> Outcome:
    """Say what became of a question: nothing is shown of one that no file answers."""
    if answer.refused:
        return "refused" if asked.answerable else "right"
    return "right" if any(holds(answer.text, known) for known in asked.known) else "wrong"


def _is_without_model(answer: Answer) -> bool:
    return not answer.refused and answer.mode != "small"


def _shown(question: str, reply: str) -> str:
    return f"{question} → {' '.join(reply.split())[:SHOWN]}"


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the bench: its title, what its numbers mean, and what tries it."""

    title: str
    note: str
    tries: Callable[[Mapping[str, object]], Iterator[Try]]


PARTS = {
    "answers": Part(
        "Answers",
        "Thirty of the clerk's questions over mixed files, the first of each kind. Right: the known answer stands in "
        "the answer, or what no file says is refused.",
        answers,
    ),
    "unanswered": Part(
        "What no file answers",
        "All the clerk's questions, of both halves, that no file answers. Right: refused.",
        unanswered,
    ),
    "sql": Part("SQL", "The questions to databases of `bench figures`, with its measure of what is right.", sql),
    "tools": Part("Tools", "The unseen requests to tools of `bench figures`; what is right is said there.", tools),
    "walks": Part("Walks", "The first corpus of each language in the held set of `bench walking`.", walks),
    "summaries": Part("Summaries", "Right: by the model, in the document's language.", summaries),
}


def _table(part: Part, tries: Sequence[Try]) -> Table:
    groups = {"all": tries} | {
        language: [one for one in tries if one.case.language == language] for language in LANGUAGES
    }
    rows = [_row(name, own) for name, own in groups.items() if own]
    outcomes = ("asked", "right", "wrong", "of these noted", "refused", "without the model")
    return Table(part.title, ("", *outcomes, "s, median", "s, most", "calls", "tokens", "written"), rows, part.note)


def _row(name: str, own: Sequence[Try]) -> list[object]:
    outcomes = [one.case.outcome for one in own]
    seconds = [one.seconds for one in own]
    usage = sum((one.usage for one in own), Usage())
    return [
        name,
        len(own),
        outcomes.count("right"),
        outcomes.count("wrong"),
        sum(one.noted and one.case.outcome == "wrong" for one in own),
        outcomes.count("refused"),
        sum(one.alone for one in own),
        f"{median(seconds):.1f}",
        f"{max(seconds):.1f}",
        *(f"{many / len(own):.1f}" for many in (usage.requests, usage.input_tokens, usage.output_tokens)),
    ]


def _listed(part: Part, tries: Iterable[Try]) -> Table:
    """List what was asked and what came: all of what is written in words, and of calls what was not right."""
    chosen = [one for one in tries if part.title not in {"SQL", "Tools"} or one.case.outcome != "right"]
    rows = [
        [case.outcome, case.kind, case.language, f"{one.seconds:.0f} s", case.shown]
        for one in chosen
        for case in [one.case]
    ]
    return Table(f"{part.title}, one by one", ("outcome", "kind", "language", "took", "asked → came"), rows)

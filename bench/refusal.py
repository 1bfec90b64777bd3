"""Refusing without a chat model: questions whose document is taken out, and questions in which a word is exchanged."""

from __future__ import annotations

import hashlib
import random
import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from train.reader_sets import group, split

from bench import DATA
from bench.report import Table, say
from bench.sets import CROSS, Cap, RetrievalSet, by_hash, load, read_lines
from bench.vectors import use_remembered
from bench.walk import as_text
from rove import Rove
from rove.evaluate.answers import answer_match

SETS = ("xquad_en", "xquad_de", "xquad_es", "xquad_zh", "jsquad", "cmrc2018_dev", "xquad_de>en", "xquad_zh>en")
WHOLE = Cap(docs=1200, queries=10_000, kilobytes=700)
QUESTIONS = 200
EXCHANGED = 60
"""Questions of a set in which a word is exchanged, at most."""
_NAME = re.compile(r"(?<=\s)[A-ZÄÖÜÁÉÍÓÚ][\w'’-]{2,}|\d+|[\u30a1-\u30fa\u30fc]{3,}")
"""A word that begins with a capital and no sentence, a number, a word in katakana."""
_KATAKANA = re.compile("[\u30a1-\u30fa]")


@dataclass(slots=True)
class Refusals:
    """What became of the questions: the refusals of those without an answer and of those with one, then the rest.

    `exchanged`: those of questions with an answer in which a name or number is exchanged.

    `quoted` and `first`: of each question with an answer that was not refused, whether a quote holds it, and the first.
    `short`: of each with a short answer, whether that is right; `invented`: of those without an answer, whether there
    is a short one.
    """

    rightly: list[bool] = field(default_factory=list[bool])
    wrongly: list[bool] = field(default_factory=list[bool])
    exchanged: list[bool] = field(default_factory=list[bool])
    quoted: list[bool] = field(default_factory=list[bool])
    first: list[bool] = field(default_factory=list[bool])
    short: list[bool] = field(default_factory=list[bool])
    invented: list[bool] = field(default_factory=list[bool])


def run() -> list[Table]:
    """Ask each set, in a base of its own."""
    remembered = use_remembered()
    rows: list[list[object]] = []
    for name in SETS:
        say(f"refusal {name}")
        rows.append([name, *numbers(measured(load(name, WHOLE), remembered))])
    columns = [
        *("set", "no answer", "refused", "a short answer all the same", "a word exchanged", "refused"),
        *("an answer", "wrongly refused"),
        *("a quote holds it", "the first does", "a short answer", "right of these"),
    ]
    note = (
        f"At most {QUESTIONS} questions of each set, whose documents neither reader nor judge was trained on. Every "
        "document whose id's SHA-1 is odd in its first byte is taken out. Shares of the questions without an answer, "
        "and with one; the quotes are of all with one, refused or not. Exchanged: one name or number for another of "
        "the set's questions, so that most stand elsewhere in the base. A short answer is right where it is the "
        "known one, holds it and is at most three times as long, or is at least half of it. No chat model."
    )
    return [Table("What is refused without a chat model", columns, rows, note)]


def measured(data: RetrievalSet, embedder: str) -> Refusals:
    """Ask one set's questions of what is left of its documents."""
    documents_of = CROSS.get(data.name, (data.name, data.name))[1]
    known = {str(row["id"]): row.get("answers") or [] for row in read_lines(DATA / documents_of / "queries.jsonl")}
    groups = {doc.id: group(documents_of, doc) for doc in data.docs}
    left = {doc.id for doc in data.docs if hashlib.sha1(doc.id.encode(), usedforsecurity=False).digest()[0] % 2 == 0}
    tested = [
        query
        for query in by_hash(data.queries)
        if all(unseen(name) for name in data.gold[query])
        and split(documents_of, [groups[name] for name in data.gold[query]]) == "test"
    ]
    words = [word for text in data.queries.values() for word in _NAME.findall(text)]
    drawn = random.Random(data.name)
    found = Refusals()
    with (
        tempfile.TemporaryDirectory(prefix="rove-bench-") as folder,
        Rove.open(Path(folder), embedder={"name": embedder}) as kb,
    ):
        kb.add([as_text(doc) for doc in data.docs if doc.id in left])
        for query in tested[:QUESTIONS]:
            answer = kb.ask(data.queries[query])
            if left.isdisjoint(data.gold[query]):
                found.rightly.append(answer.refused)
                found.invented.append(answer.short is not None)
            else:
                if answer.short:
                    found.short.append(any(is_right(answer.short.quote, gold) for gold in known[query]))
                note(found, answer.refused, [s.text for s in answer.sentences], known[query])
                other = with_word_exchanged(data.queries[query], words, drawn)
                if other and len(found.exchanged) < EXCHANGED:
                    found.exchanged.append(kb.ask(other).refused)
    return found


def with_word_exchanged(question: str, words: Sequence[str], drawn: random.Random) -> str:
    """Return a question with a name or number exchanged for one of `words` of its form; "" where there is none.

    >>> with_word_exchanged("Since when has Hall 7 been let?", ["Hall", "7", "9"], random.Random(1))
    'Since when has Hall 9 been let?'
    """
    for own in _NAME.findall(question):
        like = [one for one in words if one not in question and _is_like(one, own)]
        if like:
            return question.replace(own, drawn.choice(like), 1)
    return ""


def _is_like(one: str, other: str) -> bool:
    if one.isdigit() or other.isdigit():
        return one.isdigit() and other.isdigit() and len(one) == len(other)
    return bool(_KATAKANA.match(one)) == bool(_KATAKANA.match(other))


def unseen(document_id: str) -> bool:
    """Say whether the judge was trained without a document: see train/judge.md."""
    return hashlib.sha1(document_id.encode(), usedforsecurity=False).digest()[-1] % 2 == 1


def is_right(short: str, gold: str) -> bool:
    """Say whether a short answer is a known one: see the table's note.

    >>> [is_right(short, "2,460 EUR") for short in ("EUR", "2,460", "about 2,460 EUR a month", "2,460 EUR.")]
    [False, True, True, True]
    """
    said, known = ("".join(filter(str.isalnum, text.casefold())) for text in (short, gold))
    if not said or not known:
        return False
    return (known in said and len(said) <= 3 * len(known)) or (said in known and 2 * len(said) >= len(known))


def note(found: Refusals, refused: bool, quotes: Sequence[str], gold: Sequence[str]) -> None:
    """Note what became of a question that has an answer."""
    holds = [answer_match(text, gold) == 1 for text in quotes]
    found.wrongly.append(refused)
    found.quoted.append(any(holds))
    found.first.append(bool(holds) and holds[0])


def numbers(found: Refusals) -> list[object]:
    """The columns of one set."""
    shares = [f"{sum(own) / max(len(own), 1):.2f}" for own in (found.wrongly, found.quoted, found.first)]
    refused, right = found.rightly, f"{sum(found.short) / max(len(found.short), 1):.2f}"
    exchanged = f"{sum(found.exchanged) / max(len(found.exchanged), 1):.2f}"
    return [
        len(refused), f"{sum(refused) / max(len(refused), 1):.2f}", sum(found.invented),
        len(found.exchanged), exchanged, len(found.wrongly), *shares, len(found.short), right,
    ]  # fmt: skip

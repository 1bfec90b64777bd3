"""Which tables a question needs: of Spider's tables as they are, with names cut short, and all in one warehouse."""

from __future__ import annotations

import hashlib
import random
import re
import tempfile
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from bench import DATA, baselines
from bench.metrics import Quality, measure
from bench.quality import ask
from bench.report import Table, say
from bench.sets import Doc, RetrievalSet, read_gold, read_lines, read_queries
from bench.vectors import use_remembered
from rove import Rove, Text
from rove.language.identifiers import in_words

SET = DATA / "schema_spider_dev"
VARIANTS = ("plain", "cryptic", "unlisted", "warehouse")
HALVES = ("one half", "other half")
MODES = ("keyword", "hybrid")
VOWELS = re.compile(r"(?<=.)[aeiou]")
WORD = re.compile(r"[A-Za-z]+|\d+")


@dataclass(frozen=True, slots=True)
class Style:
    """How one database shortens its names: `cut` is "bones" (consonants), "stem" (beginnings) or "mixed"."""

    cut: str
    joint: str
    upper: bool
    length: int
    unlisted: bool = False

    @classmethod
    def of(cls, database: str, *, unlisted: bool = False) -> Style:
        """Draw one, the same for the same database."""
        chance = random.Random(f"style {database}")
        return cls(
            chance.choice(["bones", "stem", "mixed"]),
            chance.choice(["_", "_", ""]),
            chance.random() < 0.7,
            chance.choice([3, 4, 5]),
            unlisted,
        )

    def name(self, label: str) -> str:
        """Write a label as this database's administrator would."""
        words = [self.word(word) for word in WORD.findall(label)]
        if not self.joint and not self.upper:
            return words[0] + "".join(word.title() for word in words[1:])
        return self.joint.join(words).upper() if self.upper else self.joint.join(words)

    def word(self, word: str) -> str:
        """Shorten a word of four letters or more; the same word always the same way."""
        word = word.lower()
        if len(word) <= 3 or word.isdigit():
            return word
        if self.unlisted:
            return drawn_form(word, self.cut)
        bones = self.cut == "bones" or (self.cut == "mixed" and hashlib.sha256(word.encode()).digest()[0] % 2 == 0)
        return (VOWELS.sub("", word) if bones else word)[: self.length]


def drawn_form(word: str, seed: str) -> str:
    """Draw a beginning of a word and some consonants after it, 3 to 5 letters, that the list of words does not know.

    After 40 draws one that it knows is taken.
    """
    chance = random.Random(f"{seed} {word}")
    form = word[:3]
    for _ in range(40):
        size = min(chance.choice([3, 4, 4, 5]), len(word) - 1)
        head = min(chance.choice([1, 1, 2, 3]), size - 1)
        after = range(head, len(word))
        consonants = [at for at in after if word[at] not in "aeiou"] or list(after)
        if size - head > len(consonants):
            continue
        places = sorted(chance.sample(consonants, size - head))
        if chance.random() < 0.5 and len(word) - 1 in consonants:
            places = sorted({*places[:-1], len(word) - 1})
        form = word[:head] + "".join(word[at] for at in places)
        if word not in in_words(form).split():
            break
    return form


def run(modes: Iterable[str] = MODES) -> list[Table]:
    """Measure every variant in both halves of the databases."""
    rows: list[list[object]] = []
    for variant in VARIANTS:
        say(f"schemas {variant}")
        whole = load(variant)
        runs: dict[str, Mapping[str, list[str]]] = {"bare BM25, no name spelled out": baselines.bm25(whole)}
        with tempfile.TemporaryDirectory(prefix="rove-bench-") as folder, opened(Path(folder) / "kb", whole) as kb:
            runs |= {f"rove {mode}": ask(kb, whole, mode=mode, rerank=mode != "keyword") for mode in modes}
        for method, lists in runs.items():
            for half in HALVES:
                gold = {query: found for query, found in whole.gold.items() if half_of(next(iter(found))) == half}
                rows.append([variant, half, method, len(gold), *numbers(measure(lists, gold))])
    note = (
        "876 tables of 166 databases, the questions of 20 of them. Cryptic: each name is shortened by a rule that is "
        "drawn for its database (consonants, beginnings or both, 3 to 5 letters), labels are dropped, and so is the "
        "database's name. Unlisted: each word is drawn until it is a form that the list of words does not know. "
        "Warehouse: names as they are, without labels and keys, all in one database. The list of "
        "words that names are spelled out with was written with the labels of all databases in view: the two halves "
        "say how much numbers vary, not what a schema of another kind would give."
    )
    columns = ["variant", "databases", "method", "questions", "all@10", "nDCG@10", "recall@10"]
    return [Table("Tables that a question needs", columns, rows, note)]


def numbers(quality: Quality) -> list[str]:
    """The three numbers of a row."""
    return [f"{number:.3f}" for number in (quality.all_found, quality.ndcg, quality.recall)]


def opened(path: Path, data: RetrievalSet) -> Rove:
    """A base of the descriptions."""
    kb = Rove.open(path, embedder={"name": use_remembered(), "threads": 1})
    report = kb.add([Text(doc.text, id=doc.id, title=doc.title) for doc in data.docs])
    if report.failed:
        message = f"{len(report.failed)} documents failed, first {report.failed[0]}"
        raise RuntimeError(message)
    return kb


def half_of(table: str) -> str:
    """Which half the database of a table is in."""
    database = table.partition(".")[0]
    return HALVES[hashlib.sha256(database.encode()).digest()[0] % 2]


def load(variant: str, only: Collection[str] = ()) -> RetrievalSet:
    """The set in one of its variants; `only`: the questions of these."""
    records = read_lines(SET / "corpus.jsonl")
    docs = tuple(described(record, variant) for record in records)
    gold = {query: found for query, found in read_gold(SET).items() if not only or query in only}
    queries = {query: text for query, text in read_queries(SET).items() if query in gold}
    return RetrievalSet(variant, "en", "en", docs, queries, gold)


def described(record: dict, variant: str) -> Doc:
    """One table as a document."""
    if variant == "plain":
        return Doc(record["id"], record["title"], record["text"])
    cut = variant in {"cryptic", "unlisted"}
    style = Style.of(record["db_id"], unlisted=variant == "unlisted") if cut else None
    name = _short(style, _label(record)) if style else record["table"]
    columns = []
    taken: dict[str, int] = {}
    for column in record["columns"]:
        short = _short(style, column["label"]) if style else column["name"]
        taken[short] = taken.get(short, 0) + 1
        short += str(taken[short]) if taken[short] > 1 else ""
        facts = [column["type"], *(["primary key"] if column["pk"] else [])]
        if style and "references" in column:
            facts.append(
                "-> " + ".".join(_short(style, part.replace("_", " ")) for part in column["references"].split("."))
            )
        columns.append(f"{short} ({', '.join(facts)})")
    database = _short(style, record["db_id"].replace("_", " ")) if style else "dw"
    return Doc(record["id"], name, f"table {name} in database {database}; columns: {', '.join(columns)}")


def _label(record: dict) -> str:
    found = re.match(r"table .*? \((.*?)\) in database", record["text"])
    return found[1] if found else record["table"].replace("_", " ")


def _short(style: Style | None, label: str) -> str:
    return style.name(label) if style else label

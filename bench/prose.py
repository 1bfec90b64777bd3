"""Sentences of other people's prose: which of them relate two things, and which pairs of names the graph rightly joins.

`prose.jsonl` holds no text: a sentence is known by its SHA-1. The sets without a folder in `shared/data` are packages
of Debian, unpacked (`dpkg-deb -x PACKAGE FOLDER/NAME`) into the folder that `ROVE_BENCH_PACKAGES` names.
"""

from __future__ import annotations

import gzip
import hashlib
import html
import json
import os
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.report import Table
from bench.sets import Cap, load
from rove.enrich.triplets import triplets_in
from rove.language.sentences import sentence_spans
from rove.records.chunk import Chunk

JUDGED = Path(__file__).with_name("prose.jsonl")
EVERYTHING = Cap(1_000_000, 1, 1_000_000)
PACKAGES = {"libreoffice-help-hu", "libreoffice-help-ja", "manpages-hu"}
NOTE = (
    "Sentences drawn by hash, 28 to 40 a language and half. Half a was in view when the code was written, half b was "
    "judged after it. `relate two`: a person would join two things that the sentence names. Recall: of these, the "
    "share of which a pair that a person would join is found. Exactness: of the pairs found, the share that a person "
    "would join; that both stand in the sentence is true of all. Left out, as their package is not there: {missing}."
)
_MACRO = re.compile(r"\.(B|I|BR|IR|RB|RI|BI)\s+(.*)")
_ESCAPES = ((re.compile(r"\\f.|\\&|\\/|\\,|\\\|"), ""), (re.compile(r"\\-"), "-"), (re.compile(r"\\\(aq"), "'"))


def prose() -> Table:
    """Recall and exactness of what sentences are read for, by half and language."""
    judged = [json.loads(line) for line in JUDGED.read_text("utf-8").splitlines()]
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    missing: set[str] = set()
    for name in dict.fromkeys(one["set"] for one in judged):
        wanted = {one["sentence"]: one for one in judged if one["set"] == name}
        found = dict(_found(name, next(iter(wanted.values()))["language"], wanted))
        missing |= set() if found else {name}
        for key, pairs in found.items():
            one = wanted[key]
            known = {(subject, object_): right for subject, object_, right in one["judged"]}
            right = sum(known.get(pair, False) for pair in pairs)
            for group in ((one["half"], one["language"]), (one["half"], "all")):
                counts[group].update(
                    sentences=1, relate=one["relates"], told=one["relates"] and right > 0,
                    pairs=len(pairs), right=right, unknown=len(pairs - known.keys()),
                )  # fmt: skip
    columns = ["half", "language", "sentences", "relate two", "recall", "pairs found", "not judged", "exactness"]
    rows: list[list[object]] = [
        [*group, c["sentences"], c["relate"], f"{c['told'] / max(c['relate'], 1):.2f}", c["pairs"], c["unknown"],
         f"{c['right'] / max(c['pairs'] - c['unknown'], 1):.2f}"]
        for group, c in sorted(counts.items())
    ]  # fmt: skip
    return Table("Names in prose", columns, rows, NOTE.format(missing=", ".join(sorted(missing)) or "none"))


def _found(name: str, language: str, wanted: dict[str, Any]) -> Iterator[tuple[str, set[tuple[str, str]]]]:
    """Yield the pairs of each wanted sentence of a set."""
    for title, text in _documents(name):
        for start, end in sentence_spans(text, language):
            sentence = " ".join(text[start:end].split())
            key = hashlib.sha1(sentence.encode(), usedforsecurity=False).hexdigest()[:16]
            if key in wanted:
                chunk = Chunk("c", "d", sentence, (0, len(sentence)), 0, language=language)
                yield key, {(one.subject, one.object) for one in triplets_in(chunk, title)}


def _documents(name: str) -> Iterator[tuple[str, str]]:
    if name not in PACKAGES:
        yield from ((doc.title, doc.text) for doc in load(name, EVERYTHING).docs)
        return
    folder = Path(os.environ.get("ROVE_BENCH_PACKAGES", "absent")) / name
    for file in sorted(folder.rglob("*.html")):
        page = file.read_text("utf-8", errors="ignore")
        title = re.search(r"<title>(.*?)</title>", page, re.S)
        parts = re.findall(r'<p [^>]*class="paragraph"[^>]*>(.*?)</p>', page, re.S)
        yield (
            html.unescape(title[1]) if title else "",
            "\n".join(html.unescape(re.sub(r"<[^>]+>", "", part)) for part in parts),
        )
    for file in sorted(folder.rglob("man/hu/*/*.gz")):
        yield file.name.split(".")[0], _manual(gzip.decompress(file.read_bytes()).decode("utf-8", "ignore"))


def _manual(page: str) -> str:
    """The text of a manual's page, without its marks."""
    lines: list[str] = []
    for line in page.splitlines():
        if macro := _MACRO.match(line):
            lines.append(macro[2].replace('"', ""))
        elif not line.startswith(('.\\"', "'\\\"")):
            lines.append("\n\n" if line.startswith((".", "'")) else line)
    text = " ".join(lines)
    for pattern, plain in _ESCAPES:
        text = pattern.sub(plain, text)
    return re.sub(r"[ \t]+", " ", text)

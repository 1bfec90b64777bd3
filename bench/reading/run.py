"""Read all files by all readers, score what came out, and write the tables into the page for readers."""

from __future__ import annotations

import json
import os
import re
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench import ROOT
from bench.peers import PINS, SCRIPTS, prepare, read_pins
from bench.process import ChildError, measured
from bench.reading import READ
from bench.reading.files import File, chosen, manifest
from bench.reading.score import Score, Share, score
from bench.report import Table, facts, say

ROUNDS = 3
ROVE, PEER, RAW, POOL = "reader_rove", "reader_markitdown", "reader_raw", "reader_pool"
NAMES = {ROVE: "Rove", PEER: "markitdown"}
MARKS = re.compile(r"(<!-- measured -->\n).*(<!-- end of measured -->)", re.S)
SHARES = ("words", "in order", "invented", "headings", "levels", "false headings", "cells", "links", "images", "notes",
          "code", "formulas", "pages", "boxes")  # fmt: skip
PLACED = {"pdf", "pptx", "odp", "png", "jpg"}
"""Formats that say where on the page their words stand."""
MOST_NAMED = 3
SURVIVES = """\
Share of what stands in the files that came out, all files of a format together; a file that a reader could not read
counts with nothing. An empty cell: the files have none. *words*: those of the file that came out; *in order*: of these,
in the file's order; *invented*: of the words that came out, those that do not stand in the file (of a page: in its main
part, so that menus count here); *headings*: found as headings; *levels*: of these, the ones that step up or down as in
the file; *false headings*: headings too many, per heading of the file; *cells*: found in one row of a pipe table with
the others of their row; *links*: targets; *images*: alternative texts; *notes*: footnotes, comments and a speaker's
notes; *code*, *formulas*: found as such; *pages*: told apart; *boxes*: share of the text whose place is known.\
"""
SPEED = f"""\
Files per second and MB of file per second, of the files that the reader could read; every file once untimed, then all
of them {ROUNDS} times, the median. Rove, markitdown and the bare parser each in one process; the pool is what
`rove add` uses: two sandboxed processes that also cut the text into chunks and send it back. Peak memory is of the
whole process, its imports included. The bare parser makes no structure: it is the floor. Load average of the machine
at the end, this measurement's own one or two processes included: {{load:.1f}}.\
"""
REFUSED = (
    "Some of these are right: a file without words, one that needs a password, a format that a reader does not know."
)


@dataclass(slots=True)
class Format:
    """What was found of one format: by reader, its score, its cost, and why files could not be read."""

    name: str
    files: Sequence[File]
    scores: dict[str, Score] = field(default_factory=lambda: defaultdict(Score))
    costs: dict[str, Mapping[str, float]] = field(default_factory=dict)
    read: dict[str, int] = field(default_factory=dict)
    errors: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))


def run(only: str = "", *, with_peers: bool = True) -> list[Table]:
    """Measure every format, one after another, each reader in a process of its own."""
    peer = next(peer for peer in read_pins(PINS.read_text("utf-8")) if peer.name == "reading")
    python = prepare(peer)
    grouped: dict[str, list[File]] = defaultdict(list)
    for file in chosen(only):
        grouped[file.format].append(file)
    found = [measure(name, files, python, with_peers=with_peers) for name, files in grouped.items()]
    return [survives(found), speed(found), refused(found)]


def measure(name: str, files: Sequence[File], python: str, *, with_peers: bool) -> Format:
    """Let all readers read the files of one format."""
    say(f"{name}: {len(files)} files")
    folder = READ / re.sub(r"\W+", "-", name)
    listed = manifest(list(files), folder / "manifest.json")
    like = manifest([File(f.format, f.like or f.path) for f in files], folder / "like.json")
    truths = measured([python, "-m", "bench.reading.truth", str(like)])
    found = Format(name, files)
    readers = {ROVE: sys.executable, POOL: sys.executable, **({PEER: python, RAW: python} if with_peers else {})}
    for reader, runner in readers.items():
        try:
            command = [runner, str(SCRIPTS / f"{reader}.py"), str(listed), str(folder / reader), str(ROUNDS)]
            found.costs[reader] = measured(command, timeout_s=1800)
        except ChildError as error:
            say(f"{reader}: {error}")
            continue
        if reader in NAMES:
            judge(found, reader, folder / reader, truths)
    return found


def judge(found: Format, reader: str, folder: Path, truths: Sequence[Mapping | None]) -> None:
    """Score what one reader gave; a file that it could not read counts as one of which nothing came out."""
    found.read[reader] = 0
    for number, (file, truth) in enumerate(zip(found.files, truths, strict=True)):
        got = json.loads((folder / f"{number}.json").read_text("utf-8"))
        if "error" in got:
            found.errors[reader].append(f"{Path(file.path).name}: {got['error']}")
        else:
            found.read[reader] += 1
        if truth is not None:
            if file.like and file.kind != "odp":
                truth = {**truth, "pages": 0}  # LibreOffice breaks the pages anew
            boxed = Share(got.get("boxed", 0), max(1, got.get("chars", 0)) if file.kind in PLACED else 0)
            found.scores[reader] += score(got.get("text", ""), truth, got.get("pages", 0), boxed)


def survives(found: Sequence[Format]) -> Table:
    """What of the files came out."""
    rows = []
    for form in found:
        for reader, name in NAMES.items():
            if reader in form.costs:
                shares = form.scores[reader].shares
                read = f"{form.read[reader]}/{len(form.files)}"
                rows.append([form.name, name, read, *(shown(part, shares[part]) for part in SHARES)])
    return Table("What survives", ["format", "reader", "read", *SHARES], rows, SURVIVES)


def shown(part: str, share: Share) -> str:
    """A percentage and, where they are few enough to be counted, the numbers."""
    if not share.of:
        return ""
    if part in ("words", "in order", "invented", "boxes"):
        return f"{100 * share.found / share.of:.1f} %"
    return f"{100 * share.found / share.of:.0f} % of {share.of:,.0f}"


def speed(found: Sequence[Format]) -> Table:
    """What reading costs."""
    rows = []
    for form in found:
        size = sum(Path(file.path).stat().st_size for file in form.files)
        rates = [rate(form.costs.get(reader)) for reader in (ROVE, POOL, PEER, RAW)]
        peaks = [round(form.costs[r]["peak_mb"]) if r in form.costs else "" for r in (ROVE, PEER, RAW)]
        rows.append([form.name, len(form.files), f"{size / 1e6:.2f}", *rates, *peaks])
    columns = ["format", "files", "MB", "Rove", "Rove, pool of 2", "markitdown", "bare parser", "Rove peak MB",
               "markitdown peak MB", "bare peak MB"]  # fmt: skip
    return Table("Speed and memory", columns, rows, SPEED.format(load=os.getloadavg()[0]))


def rate(cost: Mapping[str, float] | None) -> str:
    if not cost or not cost["files"] or not cost["seconds"]:
        return "–"
    return f"{cost['files'] / cost['seconds']:,.3g} · {cost['bytes'] / 1e6 / cost['seconds']:.2g} MB/s"


def refused(found: Sequence[Format]) -> Table:
    """What could not be read, and what was said about it."""
    rows = []
    for form in found:
        for reader, errors in form.errors.items():
            kinds = ", ".join(f"{error[:160]}" for error in errors[:MOST_NAMED])
            more = f" … and {len(errors) - MOST_NAMED} more" if len(errors) > MOST_NAMED else ""
            rows.append([form.name, NAMES[reader], len(errors), kinds + more])
    return Table("Not read", ["format", "reader", "files", "the first of them"], rows, REFUSED)


def write(page: Path, command: str, tables: Sequence[Table]) -> None:
    """Put the tables between the two marks of the page."""
    text = "\n".join([*facts(command), "", *(table.markdown() for table in tables)])
    page.write_text(MARKS.sub(lambda marks: f"{marks[1]}\n{text}\n{marks[2]}", page.read_text("utf-8")), "utf-8")
    say(f"wrote {page.relative_to(ROOT)}")

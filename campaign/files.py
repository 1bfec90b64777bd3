"""Damaged, hostile and mislabelled files through the sandbox: each has a typed outcome, in time, none kills Rove."""

from __future__ import annotations

import shutil
from itertools import islice
from pathlib import Path
from random import Random

from campaign import DATA
from campaign.trial import Faults, Trial
from load.bad_files import BadFile, damaged_files, good_files, hostile_files, mislabelled_files
from load.endings import Ending, endings
from load.hostile_text import SECRET, SECRET_PATH
from rove.sandbox import Limits

EACH = 100
"""Files of a trial, read by one process; a hundredth of them are hostile ones."""
TOKENS = (
    b"<!DOCTYPE", b"%PDF-", b"PK\x03\x04", b"\x1f\x8b", b"endobj", b"xref", b"<?xml", b"]]>", b"&a;", b"\xff\xfe",
    b"\0" * 64, b"\xef\xbb\xbf", b"{" * 50, b"[" * 50, b"(" * 50, b"<a>" * 30, b"---\n", b"|" * 80, b"%00",
    b"\xe2\x80\xae", b"9" * 40, b"Content-Type: multipart/mixed; boundary=a\n\n--a\n", b"stream\n",
    b"/Length 99999999 ",
)  # fmt: skip
SLOW_S = 30.0


class Files:
    """See `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.good = good_files(DATA)
        self.limits = Limits(cpu_s=8.0)
        self.secret = not Path(SECRET_PATH).exists()
        Path(SECRET_PATH).write_text(SECRET, "ascii")

    def close(self) -> None:
        """Remove the file that hostile ones try to have read."""
        if self.secret:
            Path(SECRET_PATH).unlink(missing_ok=True)

    def trial(self, seed: int) -> Trial:
        """Read a hundred files."""
        faults, folder = Faults(), self.folder / f"files{seed}"
        folder.mkdir()
        try:
            ended = endings(self.files(seed), folder, self.limits)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        for name, ending in ended.items():
            faults += [f"{name}: {fault}" for fault in judged(ending)]
        outcomes = {ending.outcome for ending in ended.values()}
        faults.expect("read" in outcomes, f"not one of {len(ended)} files was read: {sorted(outcomes)}")
        return faults.trial("typed", len(ended))

    def files(self, seed: int) -> list[BadFile]:
        """The files of a seed: a hostile one, mislabelled ones, damaged ones, spliced ones."""
        hostile = list(hostile_files(Random(seed).choice((10, 100, 300))))
        files = [hostile[seed % len(hostile)]]
        files += islice(mislabelled_files(self.good, seed), 9)
        files += islice(damaged_files(self.good, seed), EACH * 6 // 10)
        files += (spliced(self.good, Random(f"{seed} {number}"), number) for number in range(EACH - len(files)))
        return files


def spliced(good: dict[str, bytes], chance: Random, number: int) -> BadFile:
    """A file with blocks of its own repeated, of another put in, or with words that parsers know."""
    name = chance.choice(sorted(good))
    data = bytearray(good[name] or b"\0")
    for _ in range(chance.choice((1, 1, 3))):
        at = chance.randrange(len(data) + 1)
        roll = chance.randrange(3)
        if roll == 0:
            piece = bytes(data[at : at + chance.choice((8, 100, 3_000))]) * chance.choice((2, 10, 100))
        elif roll == 1:
            other = good[chance.choice(sorted(good))]
            start = chance.randrange(len(other) + 1)
            piece = other[start : start + chance.choice((16, 500, 8_000))]
        else:
            piece = chance.choice(TOKENS) * chance.choice((1, 1, 20))
        data[at : at + chance.choice((0, len(piece)))] = piece
    return BadFile(f"{number}-spliced-{name}", bytes(data))


def judged(ending: Ending) -> list[str]:
    """What is wrong with how a file ended."""
    problems = list(ending.problems)
    if ending.wall_s > SLOW_S:
        problems.append(f"took {ending.wall_s:.0f} s")
    return problems

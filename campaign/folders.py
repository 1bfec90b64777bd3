"""Folders as people keep them: files written, renamed, moved, swapped and deleted between adds, held against a model.

The model knows each document by what it says. A file that only changes its place stays the document that it is, as far
as its bytes can be told from others; what is gone is told until it is pruned; what is there is found where it lies.
"""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from campaign.bases import FAKE, text_of, word
from campaign.children import store_of
from campaign.trial import Faults, Trial
from rove.records import Report
from rove.sync import Rove

NAMES = ("a.md", "b.md", "Plan.md", "plan.md", "log.1.txt", "log.2.txt", "é.md", "e\u0301.md", "x y.txt")
FOLDERS = (".", "one", "one/deep", "two", "two.md")
SYSTEM = ("~$a.docx", "Thumbs.db", ".DS_Store", "a.md~", "x.tmp", ".git/config", "__MACOSX/._a.md")
ROUNDS, STEPS = (2, 5), (1, 7)


@dataclass(slots=True)
class Model:
    """What lies in the folder by path, and what the base holds: text → the id that it had when it was last seen."""

    root: Path
    files: dict[str, str] = field(default_factory=dict[str, str])
    held: dict[str, str] = field(default_factory=dict[str, str])
    written: int = 0

    def path(self, name: str) -> Path:
        """Where a file lies."""
        return self.root / name

    def write(self, name: str) -> None:
        """Write a file anew."""
        self.written += 1
        text = f"# {word(self.written, 'head')}\n\n{text_of('f', self.written)}\n"
        self.path(name).parent.mkdir(parents=True, exist_ok=True)
        self.path(name).write_text(text, "utf-8")
        self.files[name] = word("f", self.written)

    def move(self, old: str, new: str) -> None:
        """Rename a file, over another where one is there."""
        self.path(new).parent.mkdir(parents=True, exist_ok=True)
        self.path(old).replace(self.path(new))
        self.files[new] = self.files.pop(old)

    def swap(self, one: str, other: str) -> None:
        """Let two files have each other's name."""
        aside = self.root.parent / "aside"
        self.path(one).replace(aside)
        self.path(other).replace(self.path(one))
        aside.replace(self.path(other))
        self.files[one], self.files[other] = self.files[other], self.files[one]

    def delete(self, name: str) -> None:
        """Delete a file."""
        self.path(name).unlink()
        del self.files[name]


class Folders:
    """See `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def close(self) -> None:
        """Nothing stays open."""

    def trial(self, seed: int) -> Trial:
        """Let a folder live on, and add it again and again."""
        chance, faults, place = Random(seed), Faults(), self.folder / f"folder{seed}"
        model = Model(place / "in")
        model.root.mkdir(parents=True)
        for _ in range(chance.randrange(2, 8)):
            model.write(_name(chance, model))
        rounds, vanished = chance.randrange(*ROUNDS), set[str]()
        try:
            with Rove.open(place / "kb", **FAKE, store=store_of(chance.choice((0, 0, 1)))) as kb:
                for number in range(rounds):
                    before = dict(model.files)
                    for _ in range(chance.randrange(*STEPS) if number else 0):
                        _step(chance, model)
                    prune, shut = chance.random() < 0.4, bool(number) and chance.random() < 0.3
                    if shut:
                        _unmounted(kb, model, faults)
                    report = kb.add(model.root, prune=prune)
                    vanished = _expected_gone(before, model, vanished, report, faults, prune=prune)
                    _compare(kb, model, vanished, faults)
                faults.expect(kb.doctor().ok, "the base is not sound")
        finally:
            shutil.rmtree(place, ignore_errors=True)
        return faults.trial("as the folder is", rounds)


def _name(chance: Random, model: Model) -> str:
    """A name that is free, or has a file already."""
    while True:
        name = str(Path(chance.choice(FOLDERS)) / chance.choice(NAMES))
        if not model.path(name).is_dir() and not any(model.path(str(one)).is_file() for one in Path(name).parents):
            return name


def _step(chance: Random, model: Model) -> None:
    """Do something that people do to folders."""
    files = sorted(model.files)
    what = chance.choice(("write", "move", "move", "swap", "delete", "system", "copy", "folder"))
    if what == "system":
        path = model.root / chance.choice(SYSTEM)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"\x05Anna" + bytes(40))
    elif what == "write" or len(files) < 2:
        model.write(_name(chance, model))
    elif what == "swap":
        model.swap(*chance.sample(files, 2))
    elif what == "delete":
        model.delete(chance.choice(files))
    elif what == "folder":
        _rename_folder(chance, model)
    elif (new := _name(chance, model)) not in model.files:
        old = chance.choice(files)
        if what == "move":
            model.move(old, new)
        else:
            model.path(new).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(model.path(old), model.path(new))
            model.files[new] = model.files[old]


def _rename_folder(chance: Random, model: Model) -> None:
    old, new = chance.sample([name for name in FOLDERS if name != "." and "/" not in name], 2)
    if model.path(old).is_dir() and not model.path(new).exists():
        model.path(old).rename(model.path(new))
        model.files = {
            (new + name.removeprefix(old) if name.startswith(f"{old}/") else name): text
            for name, text in model.files.items()
        }


def _unmounted(kb: Rove, model: Model, faults: Faults) -> None:
    """Take the folder away as a disk that is not mounted, add it with `prune`, and put it back."""
    away = model.root.parent / "away"
    held = len(kb.documents())
    model.root.rename(away)
    for empty in (False, True):
        if empty:
            model.root.mkdir()
        report = kb.add(model.root, prune=True)
        faults.expect(not report.removed and len(kb.documents()) == held, "a folder that is not there was pruned")
    model.root.rmdir()
    away.rename(model.root)


def _expected_gone(
    before: dict[str, str], model: Model, gone: set[str], report: Report, faults: Faults, *, prune: bool
) -> set[str]:
    """What the base holds of files that are gone; what the report says of them is compared."""
    here = Counter(model.files.values())
    fresh = {name for name in before if name not in model.files and _leaves_a_rest(name, before, here)}
    gone = {name for name in gone | fresh if name not in model.files}
    told = {str(Path(source).relative_to(model.root)) for source in report.vanished}
    faults.expect(report.ok, f"an add failed: {[(entry.source, entry.reason) for entry in report.failed][:2]}")
    # whose text has gone for good is told for certain; a copy may have taken the place of another
    certain = {name for name in gone if before.get(name) and not here[before[name]]}
    if not prune and model.files:
        faults.expect(certain <= told, f"gone and not told: {sorted(certain - told)}")
    faults.expect(not told & model.files.keys(), f"told as gone, and there: {sorted(told & model.files.keys())}")
    faults.expect(not (prune and told), "told as gone in spite of being pruned")
    return set() if prune and model.files else told


def _leaves_a_rest(name: str, before: dict[str, str], here: Counter[str]) -> bool:
    """Say whether a file that is gone was not merely moved."""
    return here[before[name]] < Counter(before.values())[before[name]]


def _compare(kb: Rove, model: Model, vanished: set[str], faults: Faults) -> None:
    """Hold what the base holds and finds against the folder."""
    if not model.files:
        return
    listed = {str(Path(info.source).relative_to(model.root)): info for info in kb.documents()}
    faults.expect(len(listed) == len(kb.documents()), "a file is held twice")
    wanted = {*model.files, *vanished}
    faults.expect(
        listed.keys() == wanted, f"held and not there, or there and not held: {sorted(listed.keys() ^ wanted)}"
    )
    now: dict[str, str] = {}
    counts = Counter(model.files.values())
    for name, text in model.files.items():
        if name not in listed:
            continue
        info = listed[name]
        faults.expect(text in kb.text(info.document_id), f"{name} has another text")
        hits = kb.search(text, mode="keyword", top_k=20)
        places = {hit.uri for found in hits for hit in (found, *found.same)}
        faults.expect(str(model.path(name)) in places, f"{name} is not found where it lies")
        faults.expect("text_as_of" not in info.metadata, f"{name} is there, and is told to be of an earlier day")
        if counts[text] == 1:
            known = model.held.get(text, info.document_id)
            faults.expect(known == info.document_id, f"{name} is another document since it has moved")
            now[text] = info.document_id
    for name in vanished & listed.keys():
        faults.expect("text_as_of" in listed[name].metadata, f"{name} is gone, and does not say from when it is")
    faults.expect(len(set(now.values())) == len(now), "two files have one id")
    model.held = now

"""The files of a folder, at any depth, each once; what is hidden, system files and ignored files are left out."""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rove.load.system_files import is_marked, is_of_base, is_system_file, is_system_folder
from rove.records.ledger import SkippedPath
from rove.registry import load
from rove.store.presence import CATALOG, LOCK

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE = ".roveignore"
BASE = (CATALOG, LOCK)
"""Files of a folder that is a base."""
NO_FILE = "It is a pipe, a socket or a device."
NOWHERE = "It is a link that leads nowhere, or to itself."
LOOP = "It is a link to a folder that it lies in."
OUT = "It is a link that leads out of the folder."


@dataclass(slots=True)
class LeftOut:
    """What a walk leaves out: how many hidden and system files and folders, and all else by name, with the reason.

    `base`: the folder of the base that is added to; what it keeps there is left out, and other bases as well.
    `ignored`: these, and the files and folders that patterns name.
    """

    base: Path | None = None
    system_files: int = 0
    skipped: list[SkippedPath] = field(default_factory=list[SkippedPath])
    ignored: list[Path] = field(default_factory=list[Path])

    def add(self, path: Path, reason: str) -> None:
        """Note one by its name."""
        self.skipped.append(SkippedPath(str(path).encode("utf-8", "backslashreplace").decode("utf-8"), reason))


@dataclass(frozen=True, slots=True)
class Ignored:
    """Patterns as in a .gitignore, for what lies under `folder`; those of a folder further in come first."""

    folder: Path
    spec: GitIgnoreSpec
    outer: Ignored | None = None

    def covers(self, path: Path, *, folder: bool = False) -> bool:
        """Say whether a file, or a folder with all in it, is left out."""
        named = path.relative_to(self.folder).as_posix() + ("/" if folder else "")
        said = self.spec.check_file(named).include
        if said is None:
            return self.outer is not None and self.outer.covers(path, folder=folder)
        return said


def folder_files(
    folder: Path, patterns: Sequence[str] = (), left_out: LeftOut | None = None, *, follow_links: bool = True
) -> Iterator[Path]:
    """Yield the files under `folder` in the order of names, and folders that may not be listed; links come last.

    Left out is what is hidden, what `system_files` names or knows by a mark, bases of Rove, what `patterns` name, and
    what a `.roveignore` names in the folder where it lies. A link is followed where what it leads to is not met
    otherwise, so that nothing is read twice; without `follow_links` only within the folder. `left_out` is told of what
    is left out.
    """
    return _Walk(folder, patterns, left_out or LeftOut(), follow_links=follow_links).files()


class _Walk:
    """One walk. `_walked` has each folder met by its real path: as it was reached, and its rules."""

    def __init__(self, folder: Path, patterns: Sequence[str], left_out: LeftOut, *, follow_links: bool) -> None:
        self._folder = folder
        self._rules = Ignored(folder, _spec(patterns))
        self._left_out = left_out
        self._base = left_out.base.resolve() if left_out.base else None
        self._follow_links = follow_links
        self._walked: dict[Path, tuple[Path, Ignored]] = {}
        self._tops: list[Path] = []
        self._links: deque[tuple[Path, Ignored]] = deque()
        self._linked: set[Path] = set()

    def files(self) -> Iterator[Path]:
        """See `folder_files`."""
        refused: list[Path] = []
        yield from self._below(self._folder, self._folder.resolve(), self._rules, refused)
        while self._links:
            link, rules = self._links.popleft()
            yield from self._follow(link, rules, refused)
        yield from refused

    def _below(self, folder: Path, real: Path, rules: Ignored, refused: list[Path]) -> Iterator[Path]:
        self._tops.append(real)
        waiting = [(folder, real, rules)]
        while waiting:
            folder, real, rules = waiting.pop()
            if real in self._walked:
                continue
            try:
                with os.scandir(folder) as found:
                    entries = sorted(found, key=lambda entry: entry.name)
            except OSError:
                refused.append(folder)
                continue
            own = self._programs_own(real, {entry.name for entry in entries})
            if own:
                self._left_out.system_files += 1
                self._left_out.ignored += [folder / name for name in sorted(own)]
                entries = [entry for entry in entries if entry.name not in own]
            rules = _folder_ignore_rules(folder, rules, entries)
            self._walked[real] = folder, rules
            folders = list[str]()
            for entry in entries:
                if self._is_met(entry, folder / entry.name, rules, folders):
                    yield folder / entry.name
            waiting += [(folder / name, real / name, rules) for name in reversed(folders)]

    def _programs_own(self, real: Path, names: set[str]) -> set[str]:
        """Return what is a base's in a folder, or, below the first, all of one that a program has marked as its own."""
        is_base = real == self._base or names.issuperset(BASE)
        if real == self._tops[0]:
            return {name for name in names if is_base and is_of_base(name)}
        return names if is_base or is_marked(names) else set()

    def _is_met(self, entry: os.DirEntry[str], path: Path, rules: Ignored, folders: list[str]) -> bool:
        """Say whether an entry is a file to be read; a folder is put among `folders`, a link is kept for later."""
        try:
            is_link, is_folder = entry.is_symlink(), entry.is_dir(follow_symlinks=False)
            is_file = entry.is_file(follow_symlinks=False)
        except OSError:  # where only a look at the entry itself could say
            return True
        if (is_system_folder if is_folder else is_system_file)(entry.name):
            self._left_out.system_files += entry.name != IGNORE_FILE
        elif rules.covers(path, folder=is_folder):
            self._left_out.ignored.append(path)
        elif is_folder:
            folders.append(entry.name)
        elif is_link:
            self._links.append((path, rules))
        elif not is_file:
            self._left_out.add(path, NO_FILE)
        else:
            return True
        return False

    def _follow(self, link: Path, rules: Ignored, refused: list[Path]) -> Iterator[Path]:
        try:
            real = link.resolve(strict=True)
            mode = real.stat().st_mode
        except PermissionError:
            yield link  # reading it says why
            return
        except (OSError, RuntimeError):
            self._left_out.add(link, NOWHERE)
            return
        if stat.S_ISDIR(mode):
            yield from self._follow_folder(link, real, rules, refused)
        elif not stat.S_ISREG(mode):
            self._left_out.add(link, NO_FILE)
        elif not self._is_met_otherwise(real) and self._may_follow(link, real):
            self._linked.add(real)
            yield link

    def _follow_folder(self, link: Path, real: Path, rules: Ignored, refused: list[Path]) -> Iterator[Path]:
        if is_system_folder(link.name):
            self._left_out.system_files += 1
        elif rules.covers(link, folder=True) or real in self._walked:
            return
        elif any(top.is_relative_to(real) for top in self._tops):
            self._left_out.add(link, LOOP)
        elif self._may_follow(link, real):
            yield from self._below(link, real, rules, refused)

    def _is_met_otherwise(self, real: Path) -> bool:
        """Say whether the file that a link leads to is read where it lies, or by an earlier link."""
        folder, rules = self._walked.get(real.parent, (real.parent, None))
        is_read = rules is not None and not is_system_file(real.name) and not rules.covers(folder / real.name)
        return is_read or real in self._linked

    def _may_follow(self, link: Path, real: Path) -> bool:
        if self._follow_links or real.is_relative_to(self._tops[0]):
            return True
        self._left_out.add(link, OUT)
        return False


def _folder_ignore_rules(folder: Path, outer: Ignored, entries: Sequence[os.DirEntry[str]]) -> Ignored:
    if all(entry.name != IGNORE_FILE for entry in entries):
        return outer
    try:
        lines = (folder / IGNORE_FILE).read_text("utf-8", "replace").splitlines()
    except OSError:
        return outer
    return Ignored(folder, _spec(lines), outer)


def _spec(lines: Iterable[str]) -> GitIgnoreSpec:
    return load("pathspec:GitIgnoreSpec").from_lines(lines)

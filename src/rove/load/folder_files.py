"""The files of a folder, at any depth, without hidden files, ignored files and links that lead out of it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rove.registry import load

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SKIPPED_FOLDERS = {"node_modules", "__pycache__", "__MACOSX"}
IGNORE_FILE = ".roveignore"


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


def folder_files(folder: Path, patterns: Sequence[str] = ()) -> Iterator[Path]:
    """Yield the files under `folder` in the order of names, and folders that may not be listed.

    Left out is what is hidden, `SKIPPED_FOLDERS`, links that lead out of the folder, what `patterns` name, and what a
    `.roveignore` names in the folder where it lies.
    """
    root = folder.resolve()
    refused: list[OSError] = []
    rules = {folder: Ignored(folder, _spec(patterns))}
    for name, folders, files in os.walk(folder, onerror=refused.append):
        parent = Path(name)
        ignored = rules[parent] = _with_file(parent, rules.get(parent) or rules[parent.parent], files)
        # a folder that is a link is either met elsewhere in the walk or lies outside: both ways it is not followed
        folders[:] = sorted(f for f in folders if not is_hidden(f) and not ignored.covers(parent / f, folder=True))
        for file in sorted(files):
            path = parent / file
            leads_out = path.is_symlink() and not _leads_inside(path, root)
            if not is_hidden(file) and not leads_out and not ignored.covers(path):
                yield path
    for error in refused:
        yield Path(error.filename)


def is_hidden(name: str) -> bool:
    """Say whether files or folders of that name are left out of a walk."""
    return name.startswith(".") or name in SKIPPED_FOLDERS


def _with_file(folder: Path, outer: Ignored, files: Sequence[str]) -> Ignored:
    if IGNORE_FILE not in files:
        return outer
    try:
        lines = (folder / IGNORE_FILE).read_text("utf-8", "replace").splitlines()
    except OSError:
        return outer
    return Ignored(folder, _spec(lines), outer)


def _spec(lines: Iterable[str]) -> GitIgnoreSpec:
    return load("pathspec:GitIgnoreSpec").from_lines(lines)


def _leads_inside(link: Path, root: Path) -> bool:
    try:
        return link.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):
        return False

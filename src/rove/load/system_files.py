"""Which files and folders no person has written: lock files, thumbnails, waste baskets, what is hidden."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from fnmatch import translate
from functools import cache
from pathlib import Path, PurePosixPath


def is_system_file(name: str) -> bool:
    """Say whether a file of that name is hidden, or one of `system_files.toml`.

    >>> is_system_file("~$Report.docx"), is_system_file("THUMBS.DB"), is_system_file("report~1.docx")
    (True, True, False)
    """
    return name.startswith(".") or _system_name_pattern("files").match(name.casefold()) is not None


def is_system_folder(name: str) -> bool:
    """Say whether a folder of that name is hidden, or one of `system_files.toml`: it is left out with all in it."""
    return name.startswith(".") or _system_name_pattern("folders").match(name.casefold()) is not None


def is_marked(names: Iterable[str]) -> bool:
    """Say whether one of the files of a folder marks it as a program's own.

    >>> is_marked(["bin", "pyvenv.cfg"]), is_marked(["notes.md"])
    (True, False)
    """
    return any(_system_name_pattern("marks").match(name.casefold()) for name in names)


def is_of_base(name: str) -> bool:
    """Say whether a base keeps a file or folder of that name in its folder."""
    return _system_name_pattern("base").match(name.casefold()) is not None


def lies_in_system(path: str) -> bool:
    """Say whether a file of that path, with slashes, is a system file or lies in such a folder.

    >>> lies_in_system("__MACOSX/a.md"), lies_in_system("./a/b.md"), lies_in_system(".git/config")
    (True, False, True)
    """
    *folders, name = PurePosixPath(path).parts or ("",)
    return is_system_file(name) or any(is_system_folder(folder) for folder in folders if folder != "..")


@cache
def _system_name_pattern(kind: str) -> re.Pattern[str]:
    names: Iterable[str] = tomllib.loads(Path(__file__).with_name("system_files.toml").read_text("utf-8"))[kind]
    return re.compile("|".join(translate(name) for name in names))

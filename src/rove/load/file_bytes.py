"""The bytes of one file, read or mapped, once it is seen to be one that can be read."""

from __future__ import annotations

import os
import stat
from mmap import ACCESS_READ, mmap
from pathlib import Path

from rove.errors import InputError

MAPPED_FROM_BYTES = 64_000_000
HEAD_BYTES = 65_536
PARQUET_MARK = b"PAR1"
SPELLING = "Check the spelling, or leave it out."
AS_TEXT = "Give rove.Text(…) for a text; this was taken for the name of a file."
WORDS, LONGEST_NAME, LONGEST_SUFFIX = 3, 80, 6


def read_file(path: Path, name: str, max_bytes: int) -> tuple[bytes, mmap | None]:
    """Return a file's bytes; of a large parquet file how it begins, and the file mapped.

    Raises:
        InputError: "unreadable", "empty" or "too-large".
    """
    try:
        facts = path.stat()
        if stat.S_ISDIR(facts.st_mode):
            os.listdir(path)  # noqa: PTH208 - a folder is located only where it cannot be listed: this says why
        if not stat.S_ISREG(facts.st_mode):
            message = f"{name} is not a file (a device, a pipe or a folder)."
            raise InputError(message, cure="Give a file or a folder.", outcome="unreadable")
        check_size(name, facts.st_size, max_bytes)
        with path.open("rb") as file:
            if facts.st_size < MAPPED_FROM_BYTES or file.peek(len(PARQUET_MARK))[: len(PARQUET_MARK)] != PARQUET_MARK:
                return file.read(), None
            mapped = mmap(file.fileno(), 0, access=ACCESS_READ)
            return mapped[:HEAD_BYTES], mapped
    except FileNotFoundError as error:
        message = f"{name} does not exist."
        raise InputError(message, cure=AS_TEXT if _is_likely_text(path) else SPELLING, outcome="unreadable") from error
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        cure = "Give this user the right to read it." if isinstance(error, PermissionError) else "Copy it elsewhere."
        cure = AS_TEXT if _is_likely_text(path) else cure
        message = f"{name} cannot be read: {why}."
        raise InputError(message, cure=cure, outcome="unreadable") from error


def _is_likely_text(path: Path) -> bool:
    """Say whether what was given for a path reads as a text: several words that end as no file's name does."""
    long = len(path.name.split()) >= WORDS or len(path.name) > LONGEST_NAME
    return long and not 1 < len(path.suffix.strip()) <= LONGEST_SUFFIX


def check_size(name: str, size: int, max_bytes: int) -> None:
    """See that what is to be read is neither empty nor too large.

    Raises:
        InputError: "empty" or "too-large".
    """
    if size == 0:
        message = f"{name} is empty (0 bytes)."
        raise InputError(message, cure="Give a file with text in it, or leave it out.", outcome="empty")
    if size > max_bytes:
        message = f"{name} has {size} bytes; the limit is {max_bytes}."
        raise InputError(message, cure="Split it, or raise the limit in the settings.", outcome="too-large")

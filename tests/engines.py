"""Every index that can be named, and how the tests reach it: a function that starts its server and gives `store`."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

import pytest

Table = dict[str, object]
IN_FOLDER: dict[str, Table] = {"lancedb": {"index": "lancedb", "resident_chunks": 0}}
ON_SERVERS: dict[str, tuple[str, bool]] = {}
"""Name → the module of tests/ whose `store()` gives the settings table, and if it is quick enough for every run."""


def store_of(name: str) -> Table:
    """The settings table `store` by which a base is searched in that index alone; its server is started if need be."""
    if name in IN_FOLDER:
        return IN_FOLDER[name]
    make: Callable[..., Table] = import_module(ON_SERVERS[name][0]).store
    return make(name) if make.__code__.co_argcount else make()


def named() -> list[object]:
    """The names, as parameters of a test."""
    slow = [pytest.param(name, marks=pytest.mark.servers) for name, (_, quick) in ON_SERVERS.items() if not quick]
    return [*IN_FOLDER, *(name for name, (_, quick) in ON_SERVERS.items() if quick), *slow]

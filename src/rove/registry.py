"""Name → "module:Class [extra]": plug-ins are looked up here, and imported only when they are used."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import Any

from rove.errors import ConfigError, meant


class Registry:
    """A folder's table of plug-ins. Outsiders add to it by an entry point in the group `rove.<folder>`.

    >>> Registry("chunk", {"size": "rove.chunk.size:SizeChunker"}).names()
    ('size',)
    """

    def __init__(self, folder: str, table: Mapping[str, str]) -> None:
        self.folder = folder
        self.table = dict(table)

    def names(self) -> tuple[str, ...]:
        """All names, the packaged ones first, then those of installed plug-ins."""
        return tuple(dict.fromkeys((*self.table, *(e.name for e in self._outside))))

    def get(self, name: str) -> Any:  # noqa: ANN401 - the folder's contract types it at the call
        """Import and return the class of that name.

        Raises:
            ConfigError: no such name, or the extra that it needs is not installed.
        """
        target = self.table.get(name) or next((e.value for e in self._outside if e.name == name), "")
        if not target:
            message = f"No {self.folder} is named {name!r}."
            raise ConfigError(message, cure=f"{meant(name, self.names())}Choose one of: {', '.join(self.names())}.")
        path, _, extra = target.partition(" ")
        try:
            return load(path)
        except ModuleNotFoundError as error:
            if not extra:
                raise
            message = f"{self.folder} {name!r} needs {error.name!r}, which is not installed."
            raise ConfigError(message, cure=f"Run: pip install 'rove{extra}'") from error

    @cached_property
    def _outside(self) -> tuple[Any, ...]:
        return tuple(load("importlib.metadata:entry_points")(group=f"rove.{self.folder}"))


def load(path: str) -> Any:  # noqa: ANN401 - whatever stands there
    """Import "module:name" and return it: the one place where something is imported when it is first used."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


def defer(package: str) -> None:
    """Let a package run when something of its own is first used: importing a module that lies in it runs only that.

    For what a library imports at its start and Rove never uses. A package that has run, or is not installed, is left.
    """
    spec = None if package in sys.modules else find_spec(package)
    if spec is None or spec.loader is None:
        return
    module, run = module_from_spec(spec), spec.loader.exec_module

    def first_used(name: str) -> object:
        del module.__getattr__
        run(module)
        return getattr(module, name)

    module.__getattr__ = first_used
    sys.modules[package] = module

"""Name → "module:Class [extra]": plug-ins are looked up here, and imported only when they are used."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING, Any

from rove.errors import ConfigError, meant
from rove.installing import install_cure

if TYPE_CHECKING:  # takes 30 ms, which only those pay who look for plug-ins
    from importlib.metadata import EntryPoint


class Registry:
    """A table of plug-ins by name: the packaged ones, and those that installed packages add by an entry point.

    `noun` says what one of them is, in messages. `group` is the group of the entry points, e.g. "rove.loaders"; a
    packaged name wins over an entry point of the same name.

    >>> Registry("chunker", "rove.chunkers", {"size": "rove.chunk.size:SizeChunker"}).names()
    ('size',)
    """

    def __init__(self, noun: str, group: str, table: Mapping[str, str]) -> None:
        self.noun = noun
        self.group = group
        self.table = dict(table)

    def names(self) -> tuple[str, ...]:
        """All names, the packaged ones first, then those of installed packages."""
        return (*self.table, *self.outside)

    def get(self, name: str) -> Any:  # noqa: ANN401 - the contract of the registry types it at the call
        """Import and return the class of that name.

        Raises:
            ConfigError: no such name, the extra that it needs is not installed, or an installed plug-in is broken.
        """
        if name in self.table:
            return self._packaged(name)
        if name in self.outside:
            return self._installed(name)
        message = f"No {self.noun} is named {name!r}."
        raise ConfigError(message, cure=f"{meant(name, self.names())}Choose one of: {', '.join(self.names())}.")

    @cached_property
    def outside(self) -> Mapping[str, EntryPoint]:
        """The entry points of installed packages by name, without those whose name is packaged."""
        found: dict[str, EntryPoint] = {}
        for point in load("importlib.metadata:entry_points")(group=self.group):
            if point.name not in self.table:
                found.setdefault(point.name, point)
        return found

    def _packaged(self, name: str) -> Any:  # noqa: ANN401
        path, _, extra = self.table[name].partition(" ")
        return load_extra(path, extra.strip("[]"), f"The {self.noun} {name!r}") if extra else load(path)

    def _installed(self, name: str) -> Any:  # noqa: ANN401
        point = self.outside[name]
        try:
            return point.load()
        except Exception as error:
            package = point.dist.name if point.dist else point.value
            message = f"The {self.noun} {name!r} of the package {package!r} cannot be imported: {error!r}."
            raise ConfigError(message, cure=f"Correct or remove it: pip uninstall {package}") from error


def load(path: str) -> Any:  # noqa: ANN401 - whatever stands there
    """Import "module:name" and return it: the one place where something is imported when it is first used."""
    module, _, attribute = path.partition(":")
    return getattr(import_module(module), attribute)


def load_extra(path: str, extra: str, what: str) -> Any:  # noqa: ANN401 - whatever stands there
    """Import "module:name", which needs an extra, and return it. `what` needs it: the subject of the message.

    Raises:
        ConfigError: the extra is not installed.
    """
    try:
        return load(path)
    except ModuleNotFoundError as error:
        message = f"{what} needs {error.name!r}, which is not installed."
        raise ConfigError(message, cure=install_cure(extra, error.name or "")) from error


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

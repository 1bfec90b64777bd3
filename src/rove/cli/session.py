"""What every command works with: which base, which settings, and how to print."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from rove.cli.command import BAD_CALL, FAILED, usual_base
from rove.cli.output import Output
from rove.errors import ConfigError
from rove.events import Listener
from rove.records import Filter, Hit
from rove.registry import load
from rove.search_operations import SearchOperations
from rove.settings import Address, Settings, located, read_settings
from rove.store.write_queue import is_written

if TYPE_CHECKING:  # the whole engine, which a search does not need
    from rove.sync import Rove

__all__ = ["BAD_CALL", "FAILED", "Session"]

SETTING = re.compile(r"([a-z_]+)\.([a-z0-9_]+)=(.*)", re.S)
PRESET = "preset="
WAITS = "Another process is writing to {place}: this one waits for its turn. Ctrl-C ends it; nothing is lost by that."


class SearchOptions(TypedDict, total=False):
    """What `AsyncRove.search` takes beside the question."""

    top_k: int | None
    where: Filter | None
    mode: str
    rerank: bool | None
    min_score: float | None
    listener: Listener


class Session:
    """One call of a command."""

    def __init__(
        self, kb: Sequence[str], settings: tuple[str, ...], *, as_json: bool = False, output: Output | None = None
    ) -> None:
        """`kb`: where the base is, and the further ones that are read with it.

        `again`: how a command that is shown names them.
        """
        self.location, *others = kb
        also = {"also": [read_settings(other).path for other in others]} if others else {}
        self.settings: dict[str, Any] = {**settings_given(settings), **also}
        self.again = "".join(f" --kb {quote(_redact_location(one))}" for one in kb) if list(kb) != usual_base() else ""
        self.output = output or Output(as_json=as_json)
        self.folder = os.getcwd()  # noqa: PTH109 - a text; what paths are seen from

    @contextmanager
    def base(self, *, create: bool = False, writes: bool = False) -> Generator[Rove]:
        """Open the base for the length of the block. `create`: make the base where there is none.

        `writes`: it is going to be written to; where another process is at that, it is said that this one waits.
        """
        settings = read_settings(self.location, **self.settings)
        if writes and isinstance(settings.path, Path) and is_written(settings.path):
            self.output.note(WAITS.format(place=settings.path))
        opened: type[Rove] = load("rove.sync:Rove")
        with opened(settings, create=create) as kb:
            yield kb

    def search(self, question: str, **options: Unpack[SearchOptions]) -> list[Hit]:
        """Search the base, of which no more is opened than that takes."""
        return asyncio.run(_search_base(read_settings(self.location, **self.settings), question, options))


async def _search_base(settings: Settings, question: str, options: SearchOptions) -> list[Hit]:
    kb = SearchOperations(settings, create=False)
    try:
        return await kb.search(question, **options)
    finally:
        await kb.close()


def settings_given(given: Sequence[str]) -> dict[str, Any]:
    """Return what --set gave as tables.

    >>> settings_given(["search.top_k=5", "preset=framework"])
    {'search': {'top_k': '5'}, 'preset': 'framework'}

    Raises:
        ConfigError: one is not of the form TABLE.KEY=VALUE.
    """
    tree: dict[str, Any] = {}
    for text in given:
        if text.startswith(PRESET):
            tree["preset"] = text.removeprefix(PRESET)
            continue
        found = SETTING.fullmatch(text)
        if not found:
            message = f"--set {text!r} is not a setting."
            raise ConfigError(message, cure="Write TABLE.KEY=VALUE, e.g. search.top_k=5.")
        tree.setdefault(found[1], {})[found[2]] = found[3]
    return tree


def _redact_location(location: str) -> str:
    """A base as it was named, without a password."""
    place = located(location)
    return str(place) if isinstance(place, Address) else location

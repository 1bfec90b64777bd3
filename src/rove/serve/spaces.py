"""Spaces: the bases that are served, by name. What a caller has no right to is not there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from rove.engine import AsyncRove
from rove.errors import ConfigError, EmbedderMovedError, RoveError
from rove.instances import Instances
from rove.models import Embedder
from rove.models.usage import Usage
from rove.retrieve.stand_in import embedder_of
from rove.serve.admission.callers import Caller
from rove.serve.caller_view import CallerView
from rove.serve.documents.jobs import Jobs
from rove.serve.evaluations.runner import Evaluations
from rove.serve.problems import AbsentError
from rove.serve.redaction import hide
from rove.serve.walks.commands import take_commands
from rove.serve.walks.listened import ListenedWalks
from rove.settings import EmbedderSettings, KeySettings, ServeSettings, Settings, SpaceSettings, file_of, read_settings
from rove.settings.place import place_of
from rove.store.database import EMBEDDER
from rove.store.home import home_of
from rove.store.tally import Tally

DEFAULT = "default"
FOLLOW_S, RESTING_S = 2.0, 0.05
"""So often a server looks at least what other machines have written to a base that they share, a query of one row; and
it is told, but at most so often."""
LOOPBACK = ("localhost", "127.0.0.1", "::1")
BUILT_IN_FIELDS = ("document_id", "source", "title", "type", "kind", "language", "page", "parent")
log = logging.getLogger("rove.serve")


@dataclass(frozen=True, slots=True)
class Space:
    """One base that is served."""

    name: str
    kb: AsyncRove
    jobs: Jobs
    evaluations: Evaluations


class Spaces:
    """All bases that are served; models are shared where the settings are the same."""

    def __init__(self, settings: ServeSettings, bases: dict[str, AsyncRove]) -> None:
        self.settings = settings
        hide(kb.settings for kb in bases.values())
        self._spaces = {
            name: Space(name, kb, Jobs(kb, settings.max_queued), Evaluations(kb, settings))
            for name, kb in bases.items()
        }
        self.listened = ListenedWalks()
        self.moved: dict[str, EmbedderMovedError] = {}
        """Spaces that answer nothing until they are opened with the embedder that their base has by now."""
        self._following: list[asyncio.Task[None]] = []
        self.admit(settings.keys)

    @classmethod
    def open(cls, settings: Settings, folder: Path, *, create: bool = True) -> Self:
        """Open what `settings.serve` names, seen from `folder`; without spaces, the base of the settings itself.

        Bases are made in folders that are not there only where `create` is.

        Raises:
            ConfigError: what is set up would not be safe; or a base cannot be opened.
        """
        serve = settings.serve
        trees = _trees(settings, folder)
        check(serve, trees)
        for tree in trees.values() if not create else ():
            home_of(tree.path).check_served()
        models: dict[EmbedderSettings, Embedder] = {}
        bases: dict[str, AsyncRove] = {}
        for name, tree in sorted(trees.items(), key=lambda item: bool(item[1].also)):  # what they read is made before
            bases[name] = AsyncRove(
                tree.model_copy(update={"path": place_of(tree.path, Path.cwd())}),
                Instances(embedder=models.get(tree.embedder)),
            )
            models[tree.embedder] = bases[name].embedder
        return cls(serve, {name: bases[name] for name in trees})

    def admit(self, keys: Mapping[str, KeySettings]) -> dict[str, KeySettings]:
        """Return those of these keys that may count.

        From the first with labels on, no base keeps or suggests what others have asked. Where one leaves out
        duplicates, keys with labels wait for the next start, which says so (`check`).
        """
        labelled = {name for name, key in keys.items() if key.labels is not None}
        bases = [space.kb for space in self._spaces.values()]
        if labelled and any(kb.settings.load.duplicates == "skip" for kb in bases):
            log.error("keys with labels do not count: a base leaves out duplicates", extra={"keys": sorted(labelled)})
            return {name: key for name, key in keys.items() if name not in labelled}
        for kb in bases if labelled else ():
            kb.settings = discreet(kb.settings)
        return dict(keys)

    @property
    def bases(self) -> dict[str, AsyncRove]:
        """The bases by the names of their spaces."""
        return {name: space.kb for name, space in self._spaces.items()}

    def __len__(self) -> int:
        return len(self._spaces)

    def account(self, note_usage: Callable[[Usage], None]) -> None:
        """Have a function told what chat models use for evaluations."""
        for space in self._spaces.values():
            space.evaluations.note_usage = note_usage

    @property
    def tally(self) -> Tally:
        """What limits are counted by: with the other servers of the first base that servers share, if there is one."""
        stores = [space.kb.store for space in self._spaces.values()]
        return next((store for store in stores if store.home.is_shared), stores[0]).team.tally

    async def start(self) -> None:
        """Join the other servers of each base, and take up the jobs and the evaluation that were left."""
        for space in self._spaces.values():
            await space.kb.store.team.start()
            space.jobs.start()
            space.evaluations.start()
            if space.kb.store.home.is_shared:
                following = _follow(space.kb), take_commands(space.kb.store, self.listened)
                self._following += [asyncio.create_task(one) for one in following]
        self._following.append(asyncio.create_task(self._watch()))

    async def _watch(self) -> None:
        """See which bases other processes have moved to another embedder."""
        while True:
            for space in self._spaces.values():
                with suppress(RoveError):  # where it cannot be read now, later
                    await self._look(space)
            await asyncio.sleep(FOLLOW_S)

    async def _look(self, space: Space) -> None:
        try:
            await asyncio.to_thread(space.kb.store.documents.check_embedder)
        except EmbedderMovedError as error:
            if space.name not in self.moved:
                log.error("moved", extra={"space": space.name, "reason": str(error)})  # noqa: TRY400 - no stack
            self.moved[space.name] = error
        else:
            self.moved.pop(space.name, None)

    def would_open(self, settings: Settings, folder: Path) -> bool:
        """Whether these settings name the embedders that these bases have by now. Blocks.

        Not of bases that are read with others, nor where other spaces are served by now: whoever changed that looks on.

        Raises:
            RoveError: that cannot be found out now.
        """
        trees = _trees(settings, folder)
        check(settings.serve, trees)
        if trees.keys() != self._spaces.keys() or any(tree.also for tree in trees.values()):
            return False
        return all(
            str(embedder_of(trees[name].embedder).fingerprint) == space.kb.store.catalog.fact(EMBEDDER)
            for name, space in self._spaces.items()
            if name in self.moved or trees[name].embedder != space.kb.settings.embedder
        )

    def visible(self, caller: Caller) -> list[str]:
        """The names of the caller's spaces."""
        return [name for name in self._spaces if caller.opens(name)]

    def get(self, name: str, caller: Caller) -> Space:
        """Return a space.

        Raises:
            AbsentError: it is not there for this caller.
        """
        space = self._spaces.get(name)
        if space is None or not caller.opens(name):
            message = "There is no such space."
            raise AbsentError(message, cure="List them with: GET /v1/spaces")
        return space

    def view(self, name: str, caller: Caller) -> CallerView:
        """Return the caller's view of a space. Raises as `get` does."""
        return CallerView(name, caller, self.get(name, caller).kb, self.settings.access_field)

    async def close(self) -> None:
        """Let jobs end, and close the bases; an evaluation is left for the next start."""
        for task in self._following:
            task.cancel()
        await asyncio.gather(*self._following, return_exceptions=True)
        await asyncio.gather(*(space.evaluations.stop() for space in self._spaces.values()))
        await asyncio.gather(*(space.jobs.stop(self.settings.drain_s) for space in self._spaces.values()))
        await asyncio.gather(*(space.kb.close() for space in self._spaces.values()))


async def _follow(kb: AsyncRove) -> None:
    """Keep this machine's snapshot near a base that others write to; where that cannot be reached now, later."""
    while True:
        heard = kb.store.news.count
        with suppress(RoveError):
            await kb.store.follow()
        await asyncio.sleep(RESTING_S)
        await kb.store.news.after(heard, FOLLOW_S)


def check(serve: ServeSettings, trees: dict[str, Settings]) -> None:
    """Refuse what would not be safe.

    Raises:
        ConfigError: reached from elsewhere without keys or host names, a key for a space that is not there, labels in a
            field that says something else, or labels beside a base that leaves out duplicates.
    """
    if serve.host not in LOOPBACK:
        if not serve.keys:
            message = f"{serve.host} can be reached from other machines, and there is no key."
            raise ConfigError(message, cure="Make one with: rove serve key NAME; or serve 127.0.0.1.")
        if not serve.hosts:
            message = f"{serve.host} can be reached from other machines, and serve.hosts is empty."
            raise ConfigError(message, cure='Name what it is called by there, e.g. hosts = ["kb.example.org"].')
    if serve.access_field in BUILT_IN_FIELDS:
        message = f"serve.access_field is {serve.access_field!r}, which every document has."
        raise ConfigError(message, cure='Choose another name, e.g. "access".')
    for name, key in serve.keys.items():
        unknown = set(key.spaces) - {*trees, "*"}
        if unknown:
            message = f"The key {name!r} names spaces that are not served: {', '.join(sorted(unknown))}."
            raise ConfigError(message, cure=f"Choose among: {', '.join(trees)}.")
    skipping = [name for name, tree in trees.items() if tree.load.duplicates == "skip"]
    if skipping and any(key.labels is not None for key in serve.keys.values()):
        message = f"{skipping[0]} leaves out duplicates, so that a caller could learn of documents that it may not see."
        raise ConfigError(message, cure='Set load.duplicates to "report", or give no key labels.')


def check_settings(settings: Settings, folder: Path) -> None:
    """Refuse what would not be safe before anything is opened. Raises as `check` does."""
    check(settings.serve, _trees(settings, folder))


def discreet(settings: Settings) -> Settings:
    """Leave out what others have asked: it is neither kept, nor suggested, nor put in place of a question.

    It can name what is hidden, and is kept without labels.
    """
    question = settings.question.model_copy(update={"log": False, "usual_wording": False})
    return settings.model_copy(update={"question": question})


def _trees(settings: Settings, folder: Path) -> dict[str, Settings]:
    """The settings of each space that is served."""
    trees = {name: _settings_of(settings, folder, space) for name, space in settings.serve.spaces.items()}
    return trees or {DEFAULT: settings}


def _settings_of(settings: Settings, folder: Path, space: SpaceSettings) -> Settings:
    """The settings of a space: its own file's where it has one, else the server's, whose `also` is not for it."""
    path, also = place_of(space.path, folder), tuple(place_of(other, folder) for other in space.also)
    file = file_of(path)
    if file == path or file.is_file():
        own = read_settings(path)
        return own.model_copy(update={"also": (*own.also, *also)})
    return settings.model_copy(update={"path": path, "also": also})

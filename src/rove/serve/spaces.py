"""Spaces: the bases that are served, by name. What a caller has no right to is not there."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from rove.engine import AsyncRove
from rove.errors import CatalogReplacedError, ConfigError, EmbedderMovedError, InputError, RoveError
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
from rove.serve.space_checks import check_serving, discreet, embedder_now, skipping
from rove.serve.space_folder import NAMED, NAMED_CURE, TAKEN, TAKEN_CURE, SpaceFolder, folder_of, trees_of
from rove.serve.walks.commands import take_commands
from rove.serve.walks.listened import ListenedWalks
from rove.settings import EmbedderSettings, KeySettings, ServeSettings, Settings
from rove.settings.place import place_of
from rove.store.home import home_of
from rove.store.tally import Tally

FOLLOW_S, RESTING_S = 2.0, 0.05
"""So often a server looks at least what other machines have written to a base that they share, a query of one row; and
it is told, but at most so often."""
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

    def __init__(self, settings: ServeSettings, bases: dict[str, AsyncRove], folder: SpaceFolder) -> None:
        self.settings = settings
        self.folder = folder
        self._changing = asyncio.Lock()
        self._labelled = False
        self._note_usage: Callable[[Usage], None] = lambda _: None
        hide(kb.settings for kb in bases.values())
        self._spaces = {
            name: Space(name, kb, Jobs(kb, settings.max_queued), Evaluations(kb, settings))
            for name, kb in bases.items()
        }
        self.listened = ListenedWalks()
        self.moved: dict[str, EmbedderMovedError | CatalogReplacedError] = {}
        """Spaces that answer nothing until they are opened anew: their base has another embedder or catalog by now."""
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
        trees = trees_of(settings, folder)
        check_serving(serve, trees)
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
        return cls(serve, {name: bases[name] for name in trees}, folder_of(settings, folder))

    def admit(self, keys: Mapping[str, KeySettings]) -> dict[str, KeySettings]:
        """Return those of these keys that may count.

        From the first with labels on, no base keeps or suggests what others have asked. Where one leaves out
        duplicates, keys with labels wait for the next start, which says so (`check_serving`).
        """
        labelled = {name for name, key in keys.items() if key.labels is not None}
        try:
            self.prepare(() if labelled else None)
        except ConfigError:
            said = "keys with labels do not count: a base leaves out duplicates"
            log.error(said, extra={"keys": sorted(labelled)})  # noqa: TRY400 - no stack
            return {name: key for name, key in keys.items() if name not in labelled}
        return dict(keys)

    def as_served(self, name: str, settings: Settings) -> Settings:
        """The settings that a space has here: without what tells others' questions, from the first key with labels on.

        Raises:
            ConfigError: keys have labels, and the base would leave out duplicates.
        """
        if self._labelled and settings.load.duplicates == "skip":
            raise skipping(name)
        return discreet(settings) if self._labelled else settings

    def prepare(self, labels: Sequence[str] | None) -> None:
        """Make the bases ready for a caller with these labels, which None is not.

        Raises:
            ConfigError: one leaves out duplicates.
        """
        if labels is None:
            return
        self._labelled = True
        for space in self._spaces.values():
            if space.kb.settings.load.duplicates == "skip":
                raise skipping(space.name)
        for kb in self.bases.values():
            if (settings := discreet(kb.settings)) != kb.settings:
                kb.settings = settings

    @property
    def bases(self) -> dict[str, AsyncRove]:
        """The bases by the names of their spaces."""
        return {name: space.kb for name, space in self._spaces.items()}

    @property
    def all(self) -> list[Space]:
        """The spaces, in the order of the settings."""
        return list(self._spaces.values())

    def __len__(self) -> int:
        return len(self._spaces)

    def account(self, note_usage: Callable[[Usage], None]) -> None:
        """Have a function told what chat models use for evaluations."""
        self._note_usage = note_usage
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
            await self._start(space)
        self._following.append(asyncio.create_task(self._watch()))

    async def _start(self, space: Space) -> None:
        await space.kb.store.team.start()
        space.jobs.start()
        space.evaluations.start()
        if space.kb.store.home.is_shared:
            following = _follow(space.kb), take_commands(space.kb.store, self.listened)
            self._following += [asyncio.create_task(one) for one in following]

    # -- spaces that come and go -----------------------------------------------------------------------------------

    async def make(self, name: str) -> Space:
        """Make a space in the folder for spaces, and serve it.

        Raises:
            InputError: there is no such folder, or no space can have this name.
            ConfigError: keys have labels, and its base would leave out duplicates.
        """
        async with self._changing:
            if name in self._spaces:
                raise InputError(TAKEN, cure=TAKEN_CURE)
            await asyncio.to_thread(self.folder.make, name)
            return await self._open(name)

    async def remove(self, name: str) -> None:
        """Serve a space of the folder for spaces no more, and take it off the disk with all that it holds.

        Raises:
            InputError: it stands in the settings.
        """
        async with self._changing:
            if name not in self._spaces or not self.is_made(self._spaces[name]):
                raise InputError(NAMED, cure=NAMED_CURE)
            await self._shut(name)
            await asyncio.to_thread(self.folder.remove, name)
        log.info("space removed", extra={"space": name})

    def is_made(self, space: Space) -> bool:
        """Whether a space lies in the folder for spaces."""
        return self.folder.path is not None and space.kb.settings.folder.parent == self.folder.path

    async def _open(self, name: str) -> Space:
        tree = await asyncio.to_thread(self.folder.tree, name)
        tree = self.as_served(name, tree)
        shared = next((s.kb.embedder for s in self._spaces.values() if s.kb.settings.embedder == tree.embedder), None)
        kb = await asyncio.to_thread(AsyncRove, tree, Instances(embedder=shared))
        hide([kb.settings])
        space = Space(name, kb, Jobs(kb, self.settings.max_queued), Evaluations(kb, self.settings))
        space.evaluations.note_usage = self._note_usage
        await self._start(space)
        self._spaces[name] = space
        log.info("space opened", extra={"space": name})
        return space

    async def _shut(self, name: str) -> None:
        space = self._spaces.pop(name)
        self.moved.pop(name, None)
        await space.evaluations.stop()
        await space.jobs.stop(0)
        await space.kb.close()

    async def _follow_folder(self) -> None:
        """Serve what other servers have made in the folder for spaces, and no more what they have taken away."""
        async with self._changing:
            there = set(await asyncio.to_thread(self.folder.names))
            for name in there - self._spaces.keys():
                await self._open(name)
            for name in [name for name, space in self._spaces.items() if name not in there and self.is_made(space)]:
                await self._shut(name)

    async def _watch(self) -> None:
        """See which bases other processes have moved to another embedder, and which spaces they have made."""
        while True:
            if self.folder.path:
                with suppress(RoveError, OSError):  # where it cannot be opened now, later
                    await self._follow_folder()
            for space in list(self._spaces.values()):
                with suppress(RoveError):  # where it cannot be read now, later
                    await self._look(space)
            await asyncio.sleep(FOLLOW_S)

    async def _look(self, space: Space) -> None:
        try:
            await asyncio.to_thread(space.kb.store.documents.check_embedder)
        except (EmbedderMovedError, CatalogReplacedError) as error:
            if space.name not in self.moved:
                event = "moved" if isinstance(error, EmbedderMovedError) else "catalog replaced"
                log.error(event, extra={"space": space.name, "reason": str(error)})  # noqa: TRY400 - no stack
            self.moved[space.name] = error
        else:
            self.moved.pop(space.name, None)

    def would_open(self, settings: Settings, folder: Path) -> bool:
        """Whether these settings name the embedders that these bases have by now. Blocks.

        Not of bases that are read with others, nor where other spaces are served by now: whoever changed that looks on.

        Raises:
            RoveError: that cannot be found out now.
        """
        trees = trees_of(settings, folder)
        check_serving(settings.serve, trees)
        if trees.keys() != self._spaces.keys() or any(tree.also for tree in trees.values()):
            return False
        return all(
            str(embedder_of(trees[name].embedder).fingerprint)
            == embedder_now(space.kb.store, self.moved.get(space.name))
            for name, space in self._spaces.items()
            if name in self.moved or trees[name].embedder != space.kb.settings.embedder
        )

    def visible(self, caller: Caller) -> list[str]:
        """The names of the caller's spaces."""
        return [name for name in self._spaces if caller.opens(name)]

    def named_by_model(self, model: str) -> str:
        """Return the name of the space that an OpenAI client means: the server's only one, whichever model it names."""
        only = next(iter(self._spaces), model)
        return only if len(self._spaces) == 1 else model

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

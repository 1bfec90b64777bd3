"""The people of a server, in the catalog of one of its bases: looked at once a second, for what others have changed."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

from pydantic import ValidationError

from rove.errors import ConfigError, RoveError
from rove.records.person import Person
from rove.serve.admission.callers import Callers
from rove.serve.admission.open_requests import OpenRequests
from rove.serve.people.openid import OpenIdProvider
from rove.serve.people.passwords import Passwords
from rove.serve.people.sessions import Sessions
from rove.serve.people.sign_in_delays import SignInDelays
from rove.serve.space_checks import people_space
from rove.serve.spaces import Spaces
from rove.settings import KeySettings
from rove.store.database import Database
from rove.store.made_keys import MadeKey, MadeKeys
from rove.store.people_log import PeopleLog, is_any

LOOK_S = 1.0
log = logging.getLogger("rove.serve")


class People:
    """Who may sign in to a server, and which keys were made on its page.

    Every server of the same base has the same ones. Changes are made within `changing`; what is being done for those
    who have lost something ends, as with keys of the settings file.
    """

    def __init__(self, spaces: Spaces, open_requests: OpenRequests) -> None:
        """Read them.

        Raises:
            ConfigError: they are kept in another base of these than the settings say.
        """
        self.spaces = spaces
        database = _database_of(spaces)
        self.log = PeopleLog(database)
        self.made_keys = MadeKeys(database)
        self.sessions = Sessions(self.log, spaces.settings, self.admit)
        self.passwords = Passwords()
        self.delays = SignInDelays()
        self.providers = {name: OpenIdProvider(name, one) for name, one in spaces.settings.oidc.items()}
        self._open_requests = open_requests
        self._looking = asyncio.Lock()
        self._changes: str = self.log.changes()
        self._people = self._by_id()
        self.callers = Callers(spaces.settings.keys, self._admitted_keys(), people=self._closes(self._people))

    @property
    def names(self) -> list[str]:
        """The names of those who may sign in, as of the last look."""
        return [person.name for person in self._people.values()]

    def naming(self, space: str) -> list[str]:
        """The names of those who see a space because it is named, not because they see all."""
        return [person.name for person in self._people.values() if space in person.spaces]

    def admit(self, person: Person) -> bool:
        """Make the bases ready for what somebody may see; False where they are not: that is said in the log."""
        try:
            self.spaces.prepare(person.labels)
        except ConfigError as error:
            log.error("a person with labels is not let in", extra={"reason": error.reason})  # noqa: TRY400 - no stack
            return False
        return True

    @asynccontextmanager
    async def changing(self) -> AsyncGenerator[None]:
        """Change people or keys within the block; at its end that counts, and ends what it has to but who asked for it.

        Raises:
            ServiceError: the base cannot be read now.
        """
        async with self._looking:  # else `follow` could end the request that changes something
            yield
            await self._refresh()

    async def _refresh(self) -> None:
        """Let everything count that has changed since the last look."""
        changes = await asyncio.to_thread(self.log.changes)
        if changes == self._changes:
            return
        people, keys = await asyncio.to_thread(self._by_id), await asyncio.to_thread(self._admitted_keys)
        before, self._people, self._changes = self._people, people, changes
        changed = {one.name for one in before.values() if not _has_same_access(one, people.get(one.person_id))}
        changed |= self.callers.replace_made(keys, people=self._closes(people))
        self.sessions.forget()
        log.info("people read", extra={"count": len(people), "changed": sorted(changed)})
        self._open_requests.end(changed)

    async def follow(self) -> None:
        """Look once a second for what other processes have changed, until it is cancelled."""
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                async with self.changing():
                    pass
            except RoveError as error:  # later
                log.warning("people not read", extra={"reason": str(error)})

    def _closes(self, people: Mapping[str, Person]) -> bool:
        """Whether somebody may sign in, so that a server is not open to everybody."""
        return bool(people or self.spaces.settings.oidc)

    def _by_id(self) -> dict[str, Person]:
        people = self.log.people()
        for labelled in [person for person in people if person.labels is not None][:1]:
            self.admit(labelled)  # from the first with labels on, no base keeps what others ask
        return {person.person_id: person for person in people}

    def _admitted_keys(self) -> Mapping[str, KeySettings]:
        return self.spaces.admit({key.name: _settings_from_made_key(key) for key in self.made_keys.listed()})


def _settings_from_made_key(key: MadeKey) -> KeySettings:
    """What a key gives: nothing, where it names what there is not, as one that is damaged."""
    given = {"hash": key.hash, "spaces": key.spaces, "rights": key.rights, "labels": key.labels}
    try:
        return KeySettings.model_validate(given)
    except ValidationError:
        return KeySettings.model_validate({"hash": key.hash, "spaces": (), "rights": (), "labels": ()})


def _has_same_access(before: Person, after: Person | None) -> bool:
    """Whether somebody may do as before, and has not chosen another password."""
    if after is None or _is_chosen_anew(before.password, after.password):
        return False
    given = [(one.role, one.spaces, one.labels, one.disabled) for one in (before, after)]
    return given[0] == given[1]


def _is_chosen_anew(before: str, after: str) -> bool:
    """Whether this is another password, neither the first nor the same one with other parameters of its hash."""
    return before not in ("", after) and before.rsplit("$", 2)[0] == after.rsplit("$", 2)[0]


def _database_of(spaces: Spaces) -> Database:
    """The catalog that keeps people."""
    databases = {name: kb.store.catalog.database for name, kb in spaces.bases.items()}
    name = people_space(spaces.settings, databases)
    elsewhere = [other for other in databases if other != name and is_any(databases[other])]
    if elsewhere and not is_any(databases[name]):
        message = f"The space {name!r}, whose base keeps people, has none, and {elsewhere[0]!r} has some."
        raise ConfigError(message, cure=f'Set serve.people_space = "{elsewhere[0]}".')
    return databases[name]

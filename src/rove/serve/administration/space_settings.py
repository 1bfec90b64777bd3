"""The settings of a space, for administrators of every space: told, and changed in the settings file."""

from __future__ import annotations

import asyncio
import logging
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from rove.engine import AsyncRove, varied
from rove.enrich.declared_values import declared_values
from rove.errors import ConfigError, InputError, meant
from rove.plugins import check_names
from rove.serve.administration.settings_file import changed_text, changed_tree, save_settings, version_of
from rove.serve.administration.settings_schema import Held, SettingsIn
from rove.serve.problems import ChangedError, DeniedError
from rove.serve.spaces import Spaces
from rove.settings import Address, Settings, file_of, settings_of_tree
from rove.settings.described import DescribedSetting, described_settings
from rove.settings.origins import Origin, origin_in, trees_by_origin, value_at

MOST_SAID = 3
CHANGED = "Somebody has changed the settings file since these settings were read."
CHANGED_CURE = "Read the settings again, and change what is still to be changed."
NO_FILE = "The settings of this space come from a program, not from a file."
NO_FILE_CURE = "Whoever runs the server changes them there."
CLOSED = "Settings are not changed over HTTP here."
CLOSED_CURE = 'Whoever runs the server changes them in the file, or sets serve.settings to "safe".'
BROKEN_CURE = "Whoever runs the server corrects the settings file."
NOTHING_CHANGED = "Nothing was changed; give other values."
WHY: Mapping[Held, str] = {
    "secret": "it is a secret, which stands in the environment",
    "file": "it names a place on the server's machine, makes the vectors of the base or guards the server",
    "models": "it says which models are asked, and where",
    "environment": "an environment variable of the server sets it",
    "argument": "it was given when the server was started",
}
HELD_CURE = "Whoever runs the server changes it in the settings file, or takes away what wins over that."
log = logging.getLogger("rove.serve")


@dataclass(frozen=True, slots=True)
class SpaceSettingsFile:
    """The settings of one space. `text` is what its file holds, `text` "" where there is none."""

    spaces: Spaces
    name: str
    place: Path | Address | None
    text: str

    @classmethod
    async def read(cls, spaces: Spaces, name: str) -> SpaceSettingsFile:
        """Read the file of a space's settings: its own, or, where it has none, the server's."""
        place = spaces.bases[name].settings.read_from.place
        return cls(spaces, name, place, await asyncio.to_thread(_read_settings_text, file_of(place)) if place else "")

    @property
    def settings(self) -> Settings:
        """Those in force."""
        return self.spaces.bases[self.name].settings

    @property
    def version(self) -> str:
        """Which state of the file this is."""
        return version_of(self.text)

    @property
    def shared_by(self) -> list[str]:
        """The spaces whose settings stand in the same file."""
        return [name for name, kb in self.spaces.bases.items() if kb.settings.read_from.place == self.place]

    def check_open(self) -> None:
        """See that settings are changed here at all.

        Raises:
            DeniedError: the server's owner lets nobody.
            InputError: there is no file, or it cannot be read as settings.
        """
        if self.place is None:
            raise InputError(NO_FILE, cure=NO_FILE_CURE)
        if self.spaces.settings.settings == "none":
            raise DeniedError(CLOSED, cure=CLOSED_CURE)
        self.of_file()

    def of_file(self) -> Settings:
        """The settings that the file has by now, as this space has them from the next start on.

        Raises:
            InputError: it cannot be read as settings.
        """
        return self._made_of(self._tree())

    def origins(self) -> Mapping[Origin, Mapping[str, Any]]:
        """What each origin says; of a file that cannot be read, nothing."""
        try:
            tree = self._tree()
        except InputError:
            tree = {}
        return trees_by_origin(self.settings, tree)

    def held(self, one: DescribedSetting, origin: Origin) -> Held:
        """Why a setting is not changed here; "" where it is."""
        if one.is_secret:
            return "secret"
        if one.change.by == "file":
            return "file"
        if one.change.by == "models" and self.spaces.settings.settings != "models":
            return "models"
        return origin if origin in {"environment", "argument"} else ""  # pyright: ignore[reportReturnType] - these two

    async def change(self, wanted: SettingsIn, caller: str) -> None:
        """Change settings: those that can count at once do, the others from the next start.

        Raises:
            ChangedError: the file is another by now.
            InputError: there is no such setting, it is held, or its value is none; nothing was changed.
        """
        self.check_open()
        if wanted.version != self.version or self.place is None:
            raise ChangedError(CHANGED, cure=CHANGED_CURE)
        values = self._checked(wanted.values)
        made = self._made_of(changed_tree(self._tree(), values))
        values = {name: _setting_value_to_write(made, name, value) for name, value in values.items()}
        text = changed_text(self.text, values)
        live = {name: _apply_immediate_settings(kb.settings, made, values) for name, kb in self._sharing().items()}
        served = {name: self.spaces.as_served(name, settings) for name, settings in live.items()}
        await asyncio.to_thread(self._check, made, served)
        file = file_of(self.place)
        if await asyncio.to_thread(_read_settings_text, file) != self.text:
            raise ChangedError(CHANGED, cure=CHANGED_CURE)
        await asyncio.to_thread(save_settings, file, self.text, text)
        for name, kb in self._sharing().items():
            held: dict[str, object] = vars(kb)
            held |= vars(varied(kb, served[name]))  # who holds the base goes on with it; what runs, with its own
        folder = self.spaces.folder
        if folder.settings.read_from.place == self.place:
            self.spaces.folder = replace(folder, settings=_apply_immediate_settings(folder.settings, made, values))
        log.info("settings changed", extra={"space": self.name, "settings": sorted(values), "key": caller})

    # -- inside ----------------------------------------------------------------------------------------------------

    def _sharing(self) -> dict[str, AsyncRove]:
        return {name: self.spaces.bases[name] for name in self.shared_by}

    def _tree(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text)
        except (ValueError, RecursionError) as reason:
            message = f"The settings file is not valid TOML: {reason}."
            raise InputError(message, cure=BROKEN_CURE) from None

    def _made_of(self, tree: Mapping[str, Any]) -> Settings:
        """The settings that a file with this tree gives."""
        if self.place is None:
            return self.settings
        try:
            return settings_of_tree(self.place, tree, self.settings.read_from.arguments)
        except ValidationError as error:
            told = [f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors(include_input=False)]
            raise InputError(f"{'; '.join(told[:MOST_SAID])}.", cure=NOTHING_CHANGED) from None
        except ConfigError as error:
            raise InputError(error.reason, cure=error.cure) from None

    def _checked(self, values: Mapping[str, object]) -> dict[str, object]:
        known, origins = described_settings(), self.origins()
        for name in values:
            one = known.get(name)
            if one is None:
                message = f"There is no setting {name!r}."
                raise InputError(message, cure=f"{meant(name, known)}{NOTHING_CHANGED}")
            if held := self.held(one, origin_in(origins, name)):
                reason = WHY[held]
                message = f"{name} is not changed over HTTP: {reason}."
                raise InputError(message, cure=HELD_CURE)
        return dict(values)

    def _check(self, made: Settings, served: Mapping[str, Settings]) -> None:
        """See that what names something names what is there, and that every base can go on with it."""
        try:
            check_names(made)
            for table, declared in (("question.slots", made.question.slots), ("enrich.fields", made.enrich.fields)):
                for name, one in declared.items():
                    tuple(declared_values("", "", one, setting=f"{table}.{name}"))  # a pattern that is none says so
            for name, settings in served.items():
                self.spaces.as_served(name, made)
                varied(self.spaces.bases[name], settings)
        except ConfigError as error:
            raise InputError(error.reason, cure=f"{error.cure} {NOTHING_CHANGED}") from None


def _apply_immediate_settings(now: Settings, made: Settings, names: Mapping[str, object]) -> Settings:
    """The settings in force with those of the new ones that count at once."""
    sections: dict[str, Any] = {}
    for one in (described_settings()[name] for name in names):
        if one.change.counts == "now":
            key = one.name.partition(".")[2]
            section = sections.get(one.table) or getattr(now, one.table)
            sections[one.table] = section.model_copy(update={key: getattr(getattr(made, one.table), key)})
    return now.model_copy(update=sections)


def _setting_value_to_write(made: Settings, name: str, value: object) -> object:
    """What is written for a value: a plain one as it is understood (8, not 8.0), all else as it was given."""
    if not isinstance(value, bool | int | float | str):
        return value
    return value_at(made.model_dump(mode="json"), name)


def _read_settings_text(file: Path) -> str:
    """The file's text, line ends as they are; "" where there is none.

    Raises:
        InputError: it cannot be read.
    """
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return ""
    except (OSError, ValueError) as reason:
        message = f"The settings file cannot be read: {reason}."
        raise InputError(message, cure=BROKEN_CURE) from None

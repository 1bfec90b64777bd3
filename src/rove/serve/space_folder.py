"""The folder in which spaces are made while the server runs, and found again by every server that sees it.

Each is a folder of its own with a base in it, and is called as its folder is. Nothing of it stands in the settings
file, which a person has written and nobody else writes to.
"""

from __future__ import annotations

import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rove.errors import InputError
from rove.settings import Settings, SpaceSettings, file_of, read_settings
from rove.settings.place import place_of
from rove.store.presence import CATALOG
from rove.store.private import make_folder

DEFAULT = "default"
NAME = re.compile(r"\w[\w.-]{0,63}")
TAKEN, TAKEN_CURE = "There is a space of this name already.", "Choose another name."
NAMED, NAMED_CURE = "This space stands in the settings of the server.", "Take it out of serve.spaces there."
NO_FOLDER = "No folder is set in which spaces can be made."
NO_FOLDER_CURE = 'Set serve.spaces_folder in the settings, e.g. "spaces", and start the server again.'


@dataclass(frozen=True, slots=True)
class SpaceFolder:
    """Where spaces are made. `path` None: nowhere. `settings` are the server's, which a space has but for its place.

    `named`: places of spaces that stand in the settings, under names of their own.
    """

    path: Path | None
    settings: Settings
    named: frozenset[Path] = frozenset()

    def names(self) -> list[str]:
        """The spaces that are there. Blocks."""
        found: list[str] = []
        if self.path:
            with suppress(OSError):  # it is made with the first space
                found = [one.parent.name for one in self.path.glob(f"*/{CATALOG}") if one.parent not in self.named]
        return sorted(name for name in found if NAME.fullmatch(name))

    def tree(self, name: str) -> Settings:
        """The settings of a space: its own file's where it has one, else the server's."""
        place = self._place(name)
        if file_of(place).is_file():
            return read_settings(place)
        return self.settings.model_copy(update={"path": place, "also": ()})

    def make(self, name: str) -> None:
        """Make the folder of a new space. Blocks.

        Raises:
            InputError: no folder is set, or this is no name, or there is something of that name.
        """
        if not NAME.fullmatch(name):
            message = "A space is called by up to 64 letters, digits, dots, dashes or underscores."
            raise InputError(message, cure="Begin with a letter or a digit.")
        place = self._place(name)
        if place.exists():
            message = "There is a folder of this name already."
            raise InputError(message, cure=TAKEN_CURE)
        place.parent.mkdir(parents=True, exist_ok=True)
        make_folder(place)

    def remove(self, name: str) -> None:
        """Take a space off the disk, with all that lies in its folder. Blocks."""
        shutil.rmtree(self._place(name), ignore_errors=True)

    def _place(self, name: str) -> Path:
        if self.path is None:
            raise InputError(NO_FOLDER, cure=NO_FOLDER_CURE)
        return self.path / name


def folder_of(settings: Settings, folder: Path) -> SpaceFolder:
    """Where spaces are made, seen from the folder of the settings file."""
    given = settings.serve.spaces_folder
    places = [settings.path, *(place_of(space.path, folder) for space in settings.serve.spaces.values())]
    named = frozenset(place.resolve() for place in places if isinstance(place, Path))
    return SpaceFolder((Path.cwd() / folder / given).resolve() if given else None, settings, named)


def trees_of(settings: Settings, folder: Path) -> dict[str, Settings]:
    """The settings of each space that is served."""
    trees = {name: _load_space_settings(settings, folder, space) for name, space in settings.serve.spaces.items()}
    trees = trees or {DEFAULT: settings}
    made = folder_of(settings, folder)
    return trees | {name: made.tree(name) for name in made.names() if name not in trees}


def _load_space_settings(settings: Settings, folder: Path, space: SpaceSettings) -> Settings:
    """The settings of a space: its own file's where it has one, else the server's, whose `also` is not for it."""
    path, also = place_of(space.path, folder), tuple(place_of(other, folder) for other in space.also)
    file = file_of(path)
    if file == path or file.is_file():
        own = read_settings(path)
        return own.model_copy(update={"also": (*own.also, *also)})
    return settings.model_copy(update={"path": path, "also": also})

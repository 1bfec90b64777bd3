"""Files that are kept elsewhere: what is looked at is copied to this machine, as long as it is kept."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from rove.store.files import FolderFiles, write_whole


class CopiedFiles(ABC):
    """What `Files` that are elsewhere have in common: `local`, and the folder of this machine's copies."""

    def __init__(self, folder: Path) -> None:
        """Take the folder, which is made when something is copied; strays go."""
        self._folder = folder
        self._copies = FolderFiles(folder)
        self._drop_strays()

    @abstractmethod
    def _kept(self, names: Collection[str]) -> Collection[str]:
        """Those of these files that are kept."""

    @abstractmethod
    def _read(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of a file.

        Raises:
            FileNotFoundError: it is not kept.
        """

    def local(self, name: str) -> Path:
        """Copy the file to this machine, if it is not there yet, and say where."""
        path = self._copies.local(name)
        self._drop_strays()
        if not path.is_file():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            with suppress(FileNotFoundError):
                write_whole(path, self._read(name))
        return path

    def _forget(self, names: Collection[str]) -> None:
        """Take away this machine's copies of these files."""
        self._copies.remove([name for name in names if (self._folder / name).is_file()])

    def _drop_strays(self) -> None:
        """Take away copies of files that are kept no longer: another machine may have erased them."""
        copies = self._copies.sizes()
        if copies:
            self._copies.remove(copies.keys() - set(self._kept(list(copies))))

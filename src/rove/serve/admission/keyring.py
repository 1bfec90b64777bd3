"""Keys that change while the server runs: the settings file is checked once a second, and its keys count at once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from pathlib import Path

from rove.errors import RoveError
from rove.serve.admission.callers import Callers
from rove.serve.admission.key_file import revoke
from rove.serve.admission.open_requests import OpenRequests
from rove.settings import KeySettings

LOOK_S = 1.0
Keys = Mapping[str, KeySettings]
log = logging.getLogger("rove.serve")


class Keyring:
    """The keys in a settings file. `read` reads them as the server's start did."""

    def __init__(self, file: Path, read: Callable[[], Keys]) -> None:
        self._file = file
        self._read = read
        self._seen = self._signature()
        self._text = self._current_text() or ""

    def changed(self, before: Keys) -> Keys | None:
        """Return the keys if the file has changed since it was last looked at, else None.

        A file that cannot be read as settings gives nobody anything new, and takes from those whose hashes it no longer
        holds: to let keys out is what must not wait until the file is mended.
        """
        seen = self._signature()
        if seen == self._seen:
            return None
        self._seen = seen
        text = self._current_text()
        if text is None:
            return None
        try:
            keys = self._read()
        except (RoveError, OSError, ValueError) as error:
            log.error("keys not read", extra={"reason": str(error)})  # noqa: TRY400 - no stack
            return {name: key for name, key in before.items() if key.hash in text or key.hash not in self._text}
        self._text = text
        return keys

    def revoke(self, name: str) -> None:
        """Take a key out of the file. Raises as `key_file.revoke` does."""
        revoke(self._file, name)

    def _signature(self) -> tuple[int, int, int] | None:
        try:
            found = self._file.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino

    def _current_text(self) -> str | None:
        """The file's text, "" where there is none; None where it is there and cannot be read."""
        try:
            return self._file.read_text("utf-8", "replace")
        except FileNotFoundError:
            return ""
        except OSError as error:
            log.error("keys not read", extra={"reason": str(error)})  # noqa: TRY400 - no stack
            return None


async def follow(
    keyring: Keyring, callers: Callers, open_requests: OpenRequests, admit: Callable[[Keys], Keys]
) -> None:
    """Let the keys count that the file has, as it changes, and end what is done for callers whose key has changed.

    `admit` makes the bases ready for them, and returns those that may count.
    """
    while True:
        await asyncio.sleep(LOOK_S)
        keys = await asyncio.to_thread(keyring.changed, callers.file_keys)
        if keys is None:
            continue
        changed = callers.replace(admit(keys))
        log.info("keys read", extra={"count": len(callers.keys), "changed": sorted(changed)})
        open_requests.end(changed)

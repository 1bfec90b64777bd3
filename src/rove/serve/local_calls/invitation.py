"""The file in a base's folder that says where a server answers the command line, and the key that both sides prove.

The key is random, is kept nowhere else and is never sent: each side shows by an HMAC over the other's random word that
it has the file. So whoever may read what the base's owner may read is let in, and a process that has got the port of a
server that is gone learns nothing. This module imports next to nothing: the command line has no time for more.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
import stat
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

FILE = "serving.json"
HOST = "127.0.0.1"
PROTOCOL = 1
MAX_LINE = 1 << 20
OTHERS = 0o077
SERVER, CLIENT = "server", "client"
CODE = str(Path(__file__).parents[2])
"""Where the code of this process lies."""
ELSEWHERE = ("ROVE_KB", "ROVE_CACHE")


@dataclass(frozen=True, slots=True)
class Invitation:
    """Where a server listens for the command line. `code`: the folder of its own code; other code may print otherwise.

    `environment`: see `environment_of`. `url`: where the server itself listens, for people who are told of it.
    """

    port: int
    pid: int
    key: str
    space: str
    code: str
    environment: str
    url: str = ""
    protocol: int = PROTOCOL

    def write(self, folder: Path) -> None:
        """Put the file into the folder of the base, whole, for the owner alone.

        Raises:
            OSError: that folder cannot be written to.
        """
        part = folder / f"{FILE}.{os.getpid()}.{secrets.token_hex(4)}"
        handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(asdict(self), file)
        part.replace(folder / FILE)

    def take_away(self, folder: Path) -> None:
        """Take the file away, if it is still this one."""
        with suppress(OSError, ValueError, TypeError):
            if Invitation(**json.loads((folder / FILE).read_text("utf-8"))) == self:
                (folder / FILE).unlink()

    def proof(self, side: str, word: str) -> str:
        """What shows that this side has the key, for the random word of the other."""
        return hmac.new(self.key.encode(), f"{side}:{word}".encode(), "sha256").hexdigest()


def invitation_in(folder: Path) -> Invitation | None:
    """Read the file; None where there is none, or it is not this user's, or others may read or have made it.

    One of a server that is gone is none either: its process is not there.
    """
    try:
        handle = os.open(folder / FILE, os.O_RDONLY | os.O_NOFOLLOW)
        with os.fdopen(handle, encoding="utf-8") as file:
            found = os.fstat(handle)
            if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & OTHERS:
                return None
            told = json.loads(file.read(MAX_LINE))
        invitation = Invitation(**told)
        if invitation.protocol != PROTOCOL:
            return None
        os.kill(invitation.pid, 0)
    except (
        OSError,
        ValueError,
        TypeError,
        RecursionError,
        AttributeError,
    ):  # AttributeError: a system without users of this kind
        return None
    return invitation


def is_proof(given: object, expected: str) -> bool:
    """Compare in constant time."""
    return isinstance(given, str) and hmac.compare_digest(given.encode(), expected.encode())


def environment_of(variables: dict[str, str]) -> str:
    """Return what stands for the settings in an environment: two with the same ones give the same, and it tells none.

    Which base is meant is said otherwise, and where caches are changes no answer.
    """
    ours = sorted(
        item for item in variables.items() if item[0].upper().startswith("ROVE_") and item[0] not in ELSEWHERE
    )
    return hmac.new(b"rove", json.dumps(ours).encode(), "sha256").hexdigest()

"""Addresses that lead into the private network, in any spelling: refused, and nothing may be connected to."""

from __future__ import annotations

import shutil
import socket
from contextlib import suppress
from pathlib import Path
from random import Random
from threading import Thread
from typing import Self

from campaign.trial import Faults, Trial
from rove.sync import Rove

EACH = 10
HOSTS = (
    "127.0.0.1", "localhost", "LOCALHOST.", "2130706433", "0x7f000001", "0x7f.1", "017700000001", "0177.0.0.1", "127.1",
    "0", "0.0.0.0", "127.8.8.8", "[::1]", "[::]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]",
    "[fe80::1]", "[0:0:0:0:0:0:0:1]", "user:pw@127.0.0.1", "example.com@127.0.0.1", "127.0.0.1%2eexample.com",
    "１２７.0.0.1", "127。0。0。1", "ⓛocalhost", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254",
    "100.64.0.1", "[fd00::1]",
    "[::127.0.0.1]", "localhost\t", "127.0.0.1\\@example.com", "127.0.0.1#@example.com", "%31%32%37.0.0.1",
    "0x7f.0x0.0x0.0x1", "127.0.1", "[::ffff:0:127.0.0.1]", "[64:ff9b:1::7f00:1]", "[2002:7f00:1::]",
    "[2606:4700::5efe:127.0.0.1]", "[2001:0:0:0:0:0:80ff:fffe]",
)  # fmt: skip
SCHEMES = ("http", "https", "HTTP", "ftp", "gopher", "file", "javascript", "data", "ws", "jar:http", "view-source:http")
PATHS = ("/", "/latest/meta-data/", "/x?y=http://example.com", "//", "/%2e%2e/", "/#", "\\")


class Listener:
    """Counts who connects to a port of this machine."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET6)
        self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        self.socket.bind(("::", 0))
        self.socket.listen()
        self.port = self.socket.getsockname()[1]
        self.connected = 0
        self._thread = Thread(target=self._accept, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self._thread.join(5)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.socket.accept()
                self.connected += 1
                connection.close()


class Addresses:
    """See `campaign.trial.Attack`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def close(self) -> None:
        """Nothing stays open."""

    def trial(self, seed: int) -> Trial:
        """Have some addresses taken in, as whoever may add would."""
        chance, faults, base = Random(seed), Faults(), self.folder / f"kb{seed}"
        try:
            with Listener() as listener, Rove.open(base, embedder={"name": "fake"}, store={"index": "memory"}) as kb:
                for _ in range(EACH):
                    url = address(chance, listener.port)
                    with faults.typed(url):
                        report = kb.add(url)
                        faults.expect(report.failed, f"{url} was taken in")
                        for entry in report.failed:
                            faults.expect(
                                entry.reason and entry.cure, f"{url}: reason {entry.reason!r}, cure {entry.cure!r}"
                            )
                    faults.expect(not listener.connected, f"{url} was connected to")
                    listener.connected = 0
        finally:
            shutil.rmtree(base, ignore_errors=True)
        return faults.trial("refused", EACH)


def address(chance: Random, port: int) -> str:
    """One that leads to the port of this machine, or anywhere else within."""
    scheme = chance.choice(SCHEMES) if chance.random() < 0.3 else "http"
    return f"{scheme}://{chance.choice(HOSTS)}:{port}{chance.choice(PATHS)}"

"""A process in a pseudo-terminal, as a person has it before them."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time

PATIENCE_S = 120.0


class Terminal:
    """A process in a pseudo-terminal, as a person has it before them."""

    def __init__(self, *arguments: str, **more: str) -> None:
        """`more`: variables of its environment."""
        self.fd, inner = pty.openpty()
        command = [sys.executable, "-c", "from rove.cli import main; main()", *arguments]
        env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40", **more}
        self.process = subprocess.Popen(command, stdin=inner, stdout=inner, stderr=inner, env=env)
        os.close(inner)
        self.screen = ""

    def until(self, wanted: str) -> None:
        """Read on until this is on the screen, after what was waited for before."""
        end = time.monotonic() + PATIENCE_S
        while wanted not in self.screen:
            assert time.monotonic() < end, f"{wanted!r} did not come: {self.screen[-2000:]}"
            assert self._read(), f"it ended without {wanted!r}: {self.screen[-2000:]}"
        self.screen = self.screen.partition(wanted)[2]

    def type(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def interrupt(self) -> None:
        """What Ctrl-C does in a terminal."""
        self.process.send_signal(signal.SIGINT)

    def status(self) -> int:
        end = time.monotonic() + PATIENCE_S
        while self._read():
            if time.monotonic() > end:
                self.process.kill()
        os.close(self.fd)
        return self.process.wait(PATIENCE_S)

    def _read(self) -> bool:
        """Read what there is; False when the process has let go of the terminal."""
        if not select.select([self.fd], [], [], 0.2)[0]:
            return True
        try:
            self.screen += os.read(self.fd, 65_536).decode("utf-8", "replace")
        except OSError:
            return False
        return True

"""Start to end: open the bases, serve them, close them."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from rove.errors import RoveError
from rove.registry import load
from rove.serve.admission.keyring import Keyring
from rove.serve.app import create_app
from rove.serve.awaiting_key import opened
from rove.serve.context import ServerContext
from rove.serve.heaps import share_heaps
from rove.serve.journal import log_json
from rove.serve.local_calls.listener import Answering, listening
from rove.serve.mcp.lazy_endpoint import ENDPOINT
from rove.serve.server import check_address, make_server, with_free_port
from rove.serve.space_checks import check_serving
from rove.serve.space_folder import trees_of
from rove.serve.spaces import Spaces
from rove.settings import Settings

LOOK_S = 2.0
"""So often the settings are read where a base was moved to another embedder, or its catalog was replaced."""
SWITCH_S = 0.001
"""So long a thread may hold up another, as the event loop: Python's 5 ms add up over the many steps of a request."""
log = logging.getLogger("rove.serve")


def serve(
    file: Path, read: Callable[[], Settings], tell: Callable[[str], None], answering: Answering | None = None,
    *, awaits_key: bool = False,
) -> None:  # fmt: skip
    """Serve over HTTP until told to end. `read` reads the settings, and again when `file`, which has the keys, changes.

    Spaces are seen from the file's folder; `tell` says where it listens. Where bases were moved to another embedder, it
    begins anew once the settings name that one. `answering` answers the command line of this machine: see `listening`.
    `awaits_key`: where other machines reach it and there is no key, it says so to all, and serves once there is one.

    Raises:
        ConfigError: what is set up would not be safe, or more than the system lets a process open.
        ServiceError: the port is taken, or the address is none of this machine's.
    """
    log_json()
    sys.setswitchinterval(SWITCH_S)
    share_heaps()
    if awaits_key and not asyncio.run(opened(read, lambda settings: _check_served_trees(settings, file))):
        return
    while asyncio.run(_serve(file, read, tell, answering)):
        log.info(
            "begins anew",
            extra={"reason": "its settings open the bases as they are by now"},
        )


def serve_stdio(settings: Settings, folder: Path) -> None:
    """Serve the Model Context Protocol on standard input and output."""
    log_json()
    asyncio.run(_serve_stdio(settings, folder))


def _check_served_trees(settings: Settings, file: Path) -> None:
    """See `check_serving`."""
    check_serving(settings.serve, trees_of(settings, file.parent))


async def _serve(
    file: Path, read: Callable[[], Settings], tell: Callable[[str], None], answering: Answering | None
) -> bool:
    """Serve until told to end; say whether that was to begin anew."""
    keyring = Keyring(file, lambda: read().serve.keys)
    settings = with_free_port(read())
    _check_served_trees(settings, file)
    check_address(settings.serve)
    spaces = Spaces.open(settings, file.parent, create=False)
    server = make_server(create_app(spaces, keyring), spaces)
    name = f"[{settings.serve.host}]" if ":" in settings.serve.host else settings.serve.host
    url = f"http://{name}:{settings.serve.port}"
    server.beside = listening(spaces.bases, answering, url)
    tell(f"Serving at {url} (Ctrl-C ends it)")
    renewing = asyncio.create_task(_follow_move(spaces, lambda: spaces.would_open(read(), file.parent), server.end))
    await server.serve()
    renewing.cancel()
    (renewed,) = await asyncio.gather(renewing, return_exceptions=True)
    return renewed is True


async def _follow_move(spaces: Spaces, would_open: Callable[[], bool], end: Callable[[], None]) -> bool:
    """End the server once bases were moved or replaced, and the settings, as they are by now, would open them.

    Then it is True.
    """
    fits = False
    while not fits:
        await asyncio.sleep(LOOK_S)
        with suppress(RoveError, OSError, ValueError):  # what cannot be read now, or is half written
            fits = bool(spaces.moved) and await asyncio.to_thread(would_open)
    end()
    return fits


async def _serve_stdio(settings: Settings, folder: Path) -> None:
    spaces = Spaces.open(settings, folder, create=False)
    try:
        await spaces.start()
        await load(ENDPOINT)(ServerContext.of(spaces)).run_stdio()
    finally:
        await spaces.close()

"""Start to end: open the bases, serve them, close them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from rove.registry import load
from rove.serve.admission.keyring import Keyring
from rove.serve.app import create_app
from rove.serve.context import ServerContext
from rove.serve.journal import log_json
from rove.serve.mcp.lazy_endpoint import ENDPOINT
from rove.serve.server import make_server
from rove.serve.spaces import Spaces
from rove.settings import Settings


def serve(file: Path, read: Callable[[], Settings], tell: Callable[[str], None]) -> None:
    """Serve over HTTP until told to end. `read` reads the settings, and again when `file`, which has the keys, changes.

    Spaces are seen from the file's folder; `tell` says where it listens.

    Raises:
        ConfigError: what is set up would not be safe, or more than the system lets a process open.
    """
    log_json()
    keyring = Keyring(file, lambda: read().serve.keys)
    asyncio.run(_serve(read(), file.parent, keyring, tell))


def serve_stdio(settings: Settings, folder: Path) -> None:
    """Serve the Model Context Protocol on standard input and output."""
    log_json()
    asyncio.run(_serve_stdio(settings, folder))


async def _serve(settings: Settings, folder: Path, keyring: Keyring, tell: Callable[[str], None]) -> None:
    spaces = Spaces.open(settings, folder, create=False)
    server = make_server(create_app(spaces, keyring), spaces)
    name = f"[{settings.serve.host}]" if ":" in settings.serve.host else settings.serve.host
    tell(f"Serving at http://{name}:{settings.serve.port} (Ctrl-C ends it)")
    await server.serve()


async def _serve_stdio(settings: Settings, folder: Path) -> None:
    spaces = Spaces.open(settings, folder, create=False)
    try:
        await spaces.start()
        await load(ENDPOINT)(ServerContext.of(spaces)).run_stdio()
    finally:
        await spaces.close()

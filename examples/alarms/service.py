"""The live systems as a service over HTTP with its OpenAPI document, from which Rove takes the same tools."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import uvicorn
from examples.alarms.live import Live
from fastapi import FastAPI, HTTPException, Request


def service(live: Live) -> FastAPI:
    """Each tool is one operation, a GET with its arguments as the query."""
    app = FastAPI(title="Live systems of the shop")
    for tool in live.tools:
        name = str(getattr(tool, "__name__", ""))
        app.get(f"/{name}", operation_id=name, description=tool.__doc__ or "")(tool)

    @app.exception_handler(LookupError)
    async def not_measured(_: Request, error: Exception) -> None:
        raise HTTPException(404, str(error))

    return app


@asynccontextmanager
async def served(live: Live, folder: Path) -> AsyncIterator[dict[str, Any]]:
    """Serve the tools on this machine, their document in `folder`; gives the settings [tools.live] of a base."""
    app = service(live)
    document = await asyncio.to_thread(_written, app.openapi(), folder)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        running = asyncio.create_task(server.serve([listening]))
        try:
            address = f"http://127.0.0.1:{listening.getsockname()[1]}"
            yield {"kind": "openapi", "document": str(document), "base_url": address, "allow_private": True}
        finally:
            server.should_exit = True
            with suppress(asyncio.CancelledError):
                await running


def _written(document: dict[str, Any], folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "openapi.json"
    path.write_text(json.dumps(document, indent=2), "utf-8")
    return path

"""Servers of one base, each as on a machine of its own, and the balancer before them."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx

SPACE = "/v1/spaces/default"
UP_S, STOP_S, AWAY_S = 600.0, 120.0, 60.0
AGAIN_S = 0.1
CUT_OFF = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)


class Server:
    """`rove serve` on one port, with a data folder of its own; it can be stopped, killed and started again."""

    def __init__(self, base: str, machine: Path, environment: Mapping[str, str]) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{probe.getsockname()[1]}"
        port = self.url.rpartition(":")[2]
        limits = ["--set", "serve.requests_per_minute=1000000"]
        self._command = [str(Path(sys.executable).with_name("rove")), "serve", "--kb", base, "--port", port, *limits]
        self._environment = {**os.environ, **environment, "ROVE_DATA": str(machine)}
        self._log = machine.with_name(f"{machine.name}-{port}.log")
        self.process: subprocess.Popen[bytes] | None = None

    async def start(self) -> float:
        """Start it; returns after how many seconds it said that it is up."""
        began = time.perf_counter()
        with self._log.open("ab") as log:
            self.process = await asyncio.to_thread(
                subprocess.Popen, self._command, env=self._environment, stdout=log, stderr=log
            )
        async with asyncio.timeout(UP_S), httpx.AsyncClient(base_url=self.url) as client:
            while not await _is_up(client):
                if self.process.poll() is not None:
                    message = f"a server ended: {self._log.read_text('utf-8')[-400:]}"
                    raise RuntimeError(message)
                await asyncio.sleep(AGAIN_S)
        return time.perf_counter() - began

    async def stop(self, *, kill: bool = False) -> None:
        """End it by SIGTERM, or by SIGKILL."""
        if self.process:
            (self.process.kill if kill else self.process.terminate)()
            await asyncio.to_thread(self.process.wait, STOP_S)


async def _is_up(client: httpx.AsyncClient) -> bool:
    try:
        return (await client.get("/health")).status_code == 200
    except httpx.TransportError:
        return False


class Balancer:
    """Asks the servers in turn; where one refuses the connection, the next, for as long as a minute.

    It does no more: a request that was cut off is the caller's affair. No connection is used twice.
    """

    def __init__(self, servers: list[Server]) -> None:
        limits = httpx.Limits(max_keepalive_connections=0)
        self._clients = [httpx.AsyncClient(base_url=one.url, timeout=120, limits=limits) for one in servers]
        self._turn = 0

    async def close(self) -> None:
        """Close what is open."""
        await asyncio.gather(*(client.aclose() for client in self._clients))

    @asynccontextmanager
    async def stream(self, method: str, path: str, **more: Any) -> AsyncIterator[httpx.Response]:
        """Send a request, and give the reply once its head is there.

        Raises:
            httpx.ConnectError: no server takes connections.
            httpx.TransportError: the request was cut off, see `CUT_OFF`.
        """
        until = time.monotonic() + AWAY_S
        while True:
            client = self._clients[self._turn % len(self._clients)]
            self._turn += 1
            request = client.build_request(method, f"{SPACE}{path}", **more)
            try:
                reply = await client.send(request, stream=True)
            except httpx.ConnectError:
                if time.monotonic() > until:
                    raise
                await asyncio.sleep(AGAIN_S / len(self._clients))
            else:
                break
        try:
            yield reply
        finally:
            await reply.aclose()

    async def send(self, method: str, path: str, **more: Any) -> tuple[int, str]:
        """Send a request; returns the status and the text of the whole reply. Raises as `stream` does."""
        async with self.stream(method, path, **more) as reply:
            await reply.aread()
            return reply.status_code, reply.text


def events_of(text: str) -> list[Any]:
    """The data of the events in a stream."""
    return [json.loads(line.removeprefix("data:")) for line in text.splitlines() if line.startswith("data:")]

"""Real things behind tools, for tests: functions, a service over HTTP, a database, and an MCP server of its own."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Literal

MCP_SERVER = '''
from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("plant")

@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def pump_pressure(pump: str) -> dict:
    """Return the pressure of a pump, in bar."""
    return {"pump": pump, "bar": 4.5}

@server.tool()
def stop_pump(pump: str) -> str:
    """Stop a pump."""
    return f"{pump} stopped"

server.run("stdio")
'''
DOCUMENT: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Hosts", "version": "1"},
    "paths": {
        "/hosts/{host}/load": {
            "parameters": [{"$ref": "#/components/parameters/host"}],
            "get": {
                "operationId": "get_host_load",
                "summary": "Return the load of a host.",
                "parameters": [
                    {"name": "minutes", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 60}},
                    {"name": "unit", "in": "query", "schema": {"type": "string", "enum": ["percent", "cores"]}},
                ],
            },
        },
        "/hosts": {
            "post": {
                "operationId": "add_host",
                "summary": "Add a host.",
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Host"}}},
                },
            }
        },
    },
    "components": {
        "parameters": {"host": {"name": "host", "in": "path", "required": True, "schema": {"type": "string"}}},
        "schemas": {
            "Host": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string"}, "memory_gb": {"type": "number", "nullable": True}},
            }
        },
    },
}


def get_forecast(city: str, day: date, units: Literal["metric", "imperial"] = "metric") -> dict[str, object]:
    """Return the weather forecast for a city on a day.

    Args:
        city: Name of the city.
        day: The day of the forecast.
        units: Units of measure.
    """
    return {"city": city, "day": day, "units": units, "temperature": -3}


async def send_mail(to: str, subject: str) -> str:
    """Send an e-mail to somebody."""
    return f"{subject} sent to {to}"


def database(folder: Path) -> Path:
    """A small database of orders."""
    file = folder / "orders.db"
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER, customer TEXT, total REAL)")
        rows = [(1, "Meier", 20.5), (2, "Kovács", 99.0), (3, "Meier", 7.25)]
        connection.executemany("INSERT INTO orders VALUES (?, ?, ?)", rows)
    connection.close()
    return file


def document(folder: Path, base: str) -> Path:
    """The OpenAPI document of the service at an address."""
    file = folder / "hosts.json"
    file.write_text(json.dumps({**DOCUMENT, "servers": [{"url": base}]}), "utf-8")
    return file


Reply = tuple[int, dict[str, str], bytes]


@contextmanager
def service(answer: Callable[[str, str, bytes], Reply]) -> Iterator[str]:
    """Serve while the block runs: `answer(method, path, body)`. Gives the address."""

    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            status, headers, sent = answer(self.command, self.path, body)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(sent)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(sent)

        do_GET = do_POST = answer

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join(10)


def hosts(method: str, path: str, body: bytes) -> Reply:
    """What the service says: the load of a host, or what was added."""
    told = {"asked": path, "load": 42} if method == "GET" else {"added": json.loads(body)}
    return 200, {"Content-Type": "application/json"}, json.dumps(told).encode()

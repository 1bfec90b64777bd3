"""The packaged sources of tools, each run through the suite that their plug-ins' authors run too."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

from rove.settings import SqlToolSettings, ToolSettings
from rove.testing import ToolSourceContract

sys.path.append(str(Path(__file__).parents[1] / "tools"))
from tool_servers import MCP_SERVER, database, document, hosts, service  # noqa: E402


class TestPython(ToolSourceContract):
    name = "python"
    called = "get_forecast"
    arguments = {"city": "Oslo", "day": "2026-03-01"}

    def settings(self, folder: Path) -> ToolSettings:
        return ToolSettings(kind="python", functions=("tool_servers:get_forecast", "tool_servers:send_mail"))


class TestOpenApi(ToolSourceContract):
    name = "openapi"
    called = "get_host_load"
    arguments = {"host": "db-1", "minutes": 5}
    address = ""

    @pytest.fixture(autouse=True)
    def serving(self) -> Iterator[None]:
        with service(hosts) as address:
            type(self).address = address
            yield

    def settings(self, folder: Path) -> ToolSettings:
        return ToolSettings(kind="openapi", document=str(document(folder, self.address)), allow_private=True)


class TestMcp(ToolSourceContract):
    name = "mcp"
    called = "pump_pressure"
    arguments = {"pump": "P-101"}

    def settings(self, folder: Path) -> ToolSettings:
        file = folder / "server.py"
        file.write_text(MCP_SERVER, "utf-8")
        return ToolSettings(kind="mcp", command=(sys.executable, str(file)), timeout_s=120)


class TestSql(ToolSourceContract):
    name = "sql"
    called = "orders_of"
    arguments = {"customer": "Meier"}

    def settings(self, folder: Path) -> ToolSettings:
        sql = "SELECT id, total FROM orders WHERE customer = :customer ORDER BY id"
        template = SqlToolSettings(sql=sql, description="Orders of a customer.")
        address = SecretStr(f"sqlite:///{database(folder)}")
        return ToolSettings(kind="sql", database=address, templates={"orders_of": template})

"""Databases over HTTP and MCP: named by the owner alone, and not for keys whose labels say nothing of rows."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from rove import Text
from serve.conftest import Opener, Town, listening
from serve.test_serve_mcp import http_client

SQL = "/v1/spaces/hr/sql"
PAY = "# Pay\n\n| Name | Salary |\n| --- | --- |\n| Ann | 5000 |\n| Bo | 7000 |\n"


async def test_a_database_is_asked_by_its_name(open_town: Opener, tmp_path: Path) -> None:
    path = tmp_path / "shop.sqlite"
    with sqlite3.connect(path) as connection:
        connection.executescript("CREATE TABLE orders (id INTEGER PRIMARY KEY, status TEXT);")
        connection.executescript("INSERT INTO orders VALUES (1, 'open'), (2, 'open'), (3, 'closed');")
    connection.close()
    databases = {"shop": {"url": f"sqlite:///{path}"}}
    async with open_town(databases=databases) as town:
        async with town.client("anna") as client:
            asked = {"question": "How many orders are open?", "database": "shop"}
            reply = (await client.post(SQL, json=asked)).json()
            assert (reply["rows"], reply["by"], reply["answered"]) == ([["2"]], "rules", True)
            wrong = await client.post(SQL, json={**asked, "database": f"sqlite:///{path}"})
            assert wrong.status_code in {400, 404, 422}
            assert (await client.post(SQL, json={**asked, "url": f"sqlite:///{path}"})).status_code == 422
        async with town.client("lara") as client:
            assert (await client.post(SQL, json=asked)).status_code == 403
        async with town.client("nobody") as client:
            assert (await client.post(SQL, json=asked)).status_code == 403


async def test_tables_in_documents_are_within_the_labels(town: Town) -> None:
    kb = town.spaces._spaces["hr"].kb
    await kb.add(Text(PAY, id="pay", title="Pay", kind="markdown", metadata={"access": ("board",)}))
    asked = {"question": "What is the average salary?", "tables": True}
    async with town.client("mira") as client:
        reply = (await client.post(SQL, json=asked)).json()
        assert reply["rows"] == [["6000"]]
        assert {PAY[slice(*cell["span"])] for cell in reply["cells"]} == {"5000", "7000"}
    async with town.client("lara") as client:
        assert (await client.post(SQL, json=asked)).json()["answered"] is False
    async with listening(town) as address, http_client(town, address, "mira") as client:
        found = await client.call_tool("ask_database", {**asked, "space": "hr"})
        assert "6000" in found.content[0].text.splitlines()

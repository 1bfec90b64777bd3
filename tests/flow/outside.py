"""What flows ask outside of the documents, for tests: a real SQLite database, a table in a page, and functions."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

STAFF = """# Staff

Table 1: Employees by site

| Name | Site | Salary |
| --- | --- | --- |
| Ann Lee | Oslo | $52,000 |
| Bo Ek | Bergen | $61,500 |
| Cy Dahl | Oslo | $48,250 |
"""
ACCOUNTS = """# Accounts

Table 1: Income statement (in EUR million)

| | 2024 | 2023 |
| --- | --- | --- |
| Revenue | 420.0 | 400.0 |
| Profit (1) | (21.0) | 30.0 |
"""
SHOP = """
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city TEXT, age INT);
INSERT INTO customers VALUES (1, 'Anna', 'Wien', 34), (2, 'Bob', 'London', 51), (3, 'Ute', 'Wien', 40);
CREATE TABLE mitarbeiter (id INTEGER PRIMARY KEY, name TEXT, stadt TEXT);
INSERT INTO mitarbeiter VALUES (1, 'Anna', 'Berlin'), (2, 'Ute', 'Bonn'), (3, 'Udo', 'Bonn');
CREATE TABLE "员工" (id INTEGER PRIMARY KEY, "姓名" TEXT, "城市" TEXT);
INSERT INTO "员工" VALUES (1, '李明', '上海'), (2, '王芳', '上海'), (3, '张伟', '北京');
"""
STOPPED: list[str] = []


def shop(folder: Path) -> str:
    """Make the database in a folder; returns its address."""
    path = folder / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SHOP)
    return f"sqlite:///{path}"


def host_load(host: str, minutes: int = 5) -> dict[str, object]:
    """Return the load of a host.

    Args:
        host: Name of the host.
        minutes: Over how many minutes.
    """
    return {"host": host, "minutes": minutes, "load": 42}


def raum_temperatur(raum: int) -> dict[str, object]:
    """Nennt die Temperatur in einem Raum, in Grad.

    Args:
        raum: Nummer des Raums.
    """
    return {"Raum": raum, "Temperatur": 21.5}


def room_temperature_zh(room: int) -> dict[str, object]:
    """查询房间的温度。

    Args:
        room: 房间号码。
    """
    return {"房间": room, "温度": 19.5}


def stop_host(host: str) -> str:
    """Stop a host.

    Args:
        host: Name of the host.
    """
    STOPPED.append(host)
    return f"{host} is stopped"


def broken_load(host: str) -> float:
    """Return the load of a host that is broken.

    Args:
        host: Name of the host.
    """
    return 1 / len(host[:0])

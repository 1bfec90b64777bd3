"""Make the data of the case: the event catalogue, reviews and topology as documents, and a database of "live" metrics.

Everything is invented; the same seed makes the same data to the byte.
"""

from __future__ import annotations

import random
import sqlite3
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CATALOG = tomllib.loads((HERE / "catalog.toml").read_text("utf-8"))
REVIEWS = tomllib.loads((HERE / "reviews.toml").read_text("utf-8"))["reviews"]
SEED = 20
LANGUAGES = ("en", "de", "zh")
NOW = datetime(2026, 11, 24, 10, 30)  # noqa: DTZ001 - the plant's own clock
MINUTES, FIRST_MINUTES, STEP_MINUTES = 90, 42, 7
TABLES = """
CREATE TABLE metrics (time TEXT, host TEXT, metric TEXT, unit TEXT, value REAL, upper REAL);
CREATE TABLE changes (time TEXT, host TEXT, kind TEXT, text TEXT);
"""


def make(folder: Path, alarm: str) -> Path:
    """Make the documents and the database of one alarm in a folder; returns the folder of the documents."""
    documents = folder / "documents"
    documents.mkdir(parents=True, exist_ok=True)
    for name, text in (*catalogue(), topology(), *reviews()):
        (documents / name).write_text(text, "utf-8")
    live(folder / "live.sqlite", CATALOG["alarms"][alarm])
    return documents


def catalogue() -> Iterator[tuple[str, str]]:
    """The documents of the catalogue: a table of checks, a table of relations, and a section for each event."""
    for key, document in CATALOG["documents"].items():
        events = {code: one for code, one in CATALOG["events"].items() if one["document"] == key}
        keys = ("where", "tool", "arguments", "confirmed", "owner")
        edges = [(code, target) for code, one in events.items() for target in one["leads_to"]]
        rows = [(code, *names(one), *(one[each] for each in keys)) for code, one in events.items()]
        parts = [
            _front(layer="events", language=document["language"]),
            f"# {document['title']}",
            f"## {document['heads'][0]}",
            _table(document["columns"], rows),
            f"## {document['heads'][1]}",
            _table(document["relation"], edges),
        ]
        for code, one in events.items():
            parts += [
                f"## {code} {one['name']}",
                f"{one['names']}",
                one["about"],
                f"### {document['heads'][2]}: {code}",
            ]
            parts.append(one["action"])
        yield document["file"], "\n\n".join(parts) + "\n"


def names(event: Mapping[str, Any]) -> list[str]:
    """The names of an event in English, German and Chinese."""
    own = LANGUAGES.index(CATALOG["documents"][event["document"]]["language"])
    found = event["names"].split(" / ")
    return [*found[:own], event["name"], *found[own:]]


def topology() -> tuple[str, str]:
    """Which host has which role, and what it depends on."""
    hosts = CATALOG["hosts"]
    edges = [(host, other) for host, one in hosts.items() for other in one["needs"]]
    parts = [
        _front(layer="topology", language="en"),
        "# Hosts of the shop",
        "## Roles",
        _table(["Host", "Role"], [(host, one["role"]) for host, one in hosts.items()]),
        "## Dependencies",
        _table(["Host", "Depends on"], edges),
    ]
    return "topology.md", "\n\n".join(parts) + "\n"


def reviews() -> Iterator[tuple[str, str]]:
    """Past incidents, each with its date and how long it took, drawn by the seed."""
    draw = random.Random(SEED)  # noqa: S311 - data, no secret
    for number, one in enumerate(REVIEWS, 1):
        day = NOW.date() - timedelta(days=draw.randrange(20, 700))
        minutes = str(draw.randrange(12, 95))
        fields = {"layer": "reviews", "language": one["language"], "event": one["event"], "date": day.isoformat()}
        front = _front(**fields, minutes=minutes, cause=one["cause"])
        body = (one[each].replace("{minutes}", minutes) for each in ("text", "root", "done", "lesson"))
        yield f"review-{number}.md", "\n\n".join((front, f"# {one['title']}", *body)) + "\n"


def live(path: Path, alarm: Mapping[str, Any]) -> None:
    """Write the metrics of the last ninety minutes: what lies on the way to the alarm goes bad, one after the other."""
    path.unlink(missing_ok=True)
    draw = random.Random(SEED)  # noqa: S311 - data, no secret
    change = alarm["change"]
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(TABLES)
        for code, one in CATALOG["metrics"].items():
            for host, told in CATALOG["hosts"].items():
                if told["role"] == CATALOG["events"][code]["where"]:
                    bad_from = _onset(code, host, alarm)
                    rows = [(*row, one["limit"]) for row in _series(host, one, bad_from, draw)]
                    connection.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?, ?, ?)", rows)
        at = NOW - timedelta(minutes=FIRST_MINUTES + STEP_MINUTES)
        rows = [(change["host"], change["kind"], change["text"])]
        if change["host"] != "app-2":  # a coincidence: at the same time, and without any effect
            rows.append(("app-2", "release", "release shop-admin 2.3.1 rolled out"))
        connection.executemany("INSERT INTO changes VALUES (?, ?, ?, ?)", [(_said(at), *row) for row in rows])
        connection.commit()


def depends(host: str) -> list[str]:
    """A host and all that it depends on, the nearest first."""
    found = [host]
    for one in found:
        found += [other for other in CATALOG["hosts"][one]["needs"] if other not in found]
    return found


def _onset(code: str, host: str, alarm: Mapping[str, Any]) -> int | None:
    """How many minutes before now an event begins at a host; None where it does not."""
    chain = depends(alarm["host"])
    mine = next((one for one in chain if CATALOG["hosts"][one]["role"] == CATALOG["events"][code]["where"]), "")
    if code not in alarm["way"] or host != mine:
        return None
    return FIRST_MINUTES - STEP_MINUTES * (alarm["way"].index(code) - 1)


def _series(
    host: str, one: Mapping[str, Any], bad_from: int | None, draw: random.Random
) -> Iterator[tuple[str, str, str, str, float]]:
    for before in range(MINUTES, -1, -1):
        is_bad = bad_from is not None and before <= bad_from
        level = one["bad"] if is_bad else one["normal"]
        if is_bad and bad_from is not None and bad_from - before < 3:  # it rises within minutes
            level = one["limit"] + (one["bad"] - one["limit"]) * (bad_from - before + 1) / 4
        spread = one["spread"] * (0.5 if one["unit"] == "%" and is_bad else 1.0)
        value = max(0.0, level + draw.uniform(-spread, spread))
        value = min(value, 100.0) if one["unit"] == "%" else value
        yield _said(NOW - timedelta(minutes=before)), host, one["metric"], one["unit"], round(value, 2)


def _said(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%d %H:%M")


def _front(**fields: str) -> str:
    return "---\n" + "".join(f"{name}: {value}\n" for name, value in fields.items()) + "---"


def _table(names: list[str], rows: list[tuple[str, ...]]) -> str:
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)

"""Front matter: the block of fields before a text, as YAML, with its types; what is no YAML is read line by line."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any, cast

import yaml

from rove.records.metadata import stored_fields
from rove.records.source import MetaValue

FIELD = re.compile(r"([A-Za-z_][\w.-]*+):(?:[ \t]++(.*\S)?)?[ \t]*$")
MAX_DEPTH = 32


class _Loader(yaml.SafeLoader):
    """YAML 1.2's core schema, with dates: "no", "on" and 12:30 are text, and so are numbers that begin with a zero.

    It makes nothing but plain values, and knows no aliases, by which a small block could become a huge one.
    """

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012 - as in yaml
    depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:  # noqa: ANN401 - as in yaml
        if self.check_event(yaml.AliasEvent):  # pyright: ignore[reportUnknownMemberType] - yaml has no types
            message = "an alias"
            raise yaml.YAMLError(message)
        self.depth += 1
        if self.depth > MAX_DEPTH:
            message = "too deep"
            raise yaml.YAMLError(message)
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


for _tag, _form, _first in (
    ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
    ("int", "[-+]?(?:0|[1-9][0-9]*)", "-+0123456789"),
    ("float", r"[-+]?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)", "-+0123456789"),
    ("null", "~|null|Null|NULL|", ["~", "n", "N", ""]),
    (
        "timestamp",
        r"\d{4}-\d\d-\d\d(?:[Tt ]+\d\d:\d\d:\d\d(?:\.\d{1,6})?(?:[ \t]*(?:Z|[-+]\d\d:?\d\d))?)?",
        "0123456789",
    ),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"(?:{_form})$"), list(_first))  # pyright: ignore[reportUnknownMemberType]


def front_fields(block: str) -> dict[str, MetaValue] | None:
    r"""Return the fields of a block of front matter; None where the block is something else.

    >>> front_fields("version: 2\ndate: 2024-05-01\ndraft: false\ntags: [a, 3]\nlanguage: no\nid: 007\n")
    {'version': 2, 'date': '2024-05-01', 'draft': False, 'tags': ('a', '3'), 'language': 'no', 'id': '007'}
    >>> front_fields("title: Rove: a guide\ntags:\n- a\n- b\n"), front_fields("A line of prose.\n")
    ({'title': 'Rove: a guide', 'tags': ('a', 'b')}, None)
    """
    try:
        tree: object = yaml.load(block, Loader=_Loader)  # noqa: S506 - a safe loader
    except (yaml.YAMLError, ValueError, RecursionError):  # a ValueError: the 30th of February
        return _by_line(block)
    if not isinstance(tree, dict):
        return None
    fields = stored_fields(cast("Mapping[object, object]", tree))
    return {name: value for name, value in fields.items() if value not in ("", ())} or None


def toml_fields(block: str) -> dict[str, MetaValue] | None:
    r"""Return the fields of a block of TOML; None where it is something else. Tables within are left out.

    >>> toml_fields('title = "Setup"\ndate = 2024-05-01\ntags = ["a", "b"]\n')
    {'title': 'Setup', 'date': '2024-05-01', 'tags': ('a', 'b')}
    """
    try:
        tree = tomllib.loads(block)
    except (tomllib.TOMLDecodeError, ValueError, RecursionError):
        return None
    fields = stored_fields({name: value for name, value in tree.items() if not isinstance(value, dict)})
    return {name: value for name, value in fields.items() if value not in ("", ())} or None


def _by_line(block: str) -> dict[str, MetaValue] | None:
    """Read `key: value` lines and `- item` lists, all as text: people write titles with colons, which YAML refuses."""
    fields: dict[str, MetaValue] = {}
    name = ""
    for line in block.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if found := FIELD.match(line):
            name = found[1]
            fields[name] = _front_matter_value(found[2] or "")
        elif name and line.lstrip().startswith("- "):
            items = fields[name]
            fields[name] = (*(items if isinstance(items, tuple) else ()), _unquote_field(line.lstrip()[2:]))
        elif not name or not line[0].isspace():
            return None
    return {key: value for key, value in fields.items() if value not in ("", ())} if fields else None


def _front_matter_value(value: str) -> MetaValue:
    if value.startswith("[") and value.endswith("]"):
        return tuple(item for part in value[1:-1].split(",") if (item := _unquote_field(part)))
    try:
        typed = stored_fields({"": yaml.load(value, Loader=_Loader)}).get("")  # noqa: S506 - a safe loader
    except (yaml.YAMLError, ValueError, RecursionError):
        typed = None
    return typed if isinstance(typed, bool | int | float) else _unquote_field(value)


def _unquote_field(value: str) -> str:
    value = value.strip()
    return value[1:-1] if len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'" else value

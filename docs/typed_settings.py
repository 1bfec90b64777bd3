"""Write src/rove/settings/tables/*.py, the types of what `Rove.open` takes, from the settings.

`python docs/typed_settings.py` writes; with `--check` it only says, by its exit status, whether they are up to date.
"""

from __future__ import annotations

import re
import sys
import textwrap
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr
from pydantic.fields import FieldInfo

from rove.settings import Settings
from rove.settings.meanings import with_meanings
from rove.settings.place import Address

FOLDER = Path(__file__).parents[1] / "src" / "rove" / "settings" / "tables"
COLUMNS = 120
PARTS = {"embedder", "reranker", "chat", "judge"}
"""Tables in whose place an object can be handed in: `open` names them itself."""
HEAD = '''"""{title}

Written by `python docs/typed_settings.py` from the settings, for completion and type checks; nothing is added here.
"""

from __future__ import annotations

'''
ENTRY = '''

class SettingTables(TypedDict, total=False):
    """The settings that `Rove.open` takes by name, beside models and index."""

{settings}


class AllTables(SettingTables, total=False):
    """These, and the tables of models."""

{models}
'''


def sections(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """Yield the tables below a model, inner ones first, some of them several times."""
    for field in model.model_fields.values():
        for inner in inner_models(field.annotation):
            yield from sections(inner)
            yield inner


def inner_models(annotation: Any) -> Iterator[type[BaseModel]]:  # noqa: ANN401 - whatever stands there
    """Yield the tables that an annotation names."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from inner_models(argument)


def table_name(model: type[BaseModel]) -> str:
    """Name the type of a table: `SearchSettings` → `SearchTable`."""
    return f"{model.__name__.removesuffix('Settings')}Table"


def module_of(model: type[BaseModel]) -> str:
    """Name the module of its type, after the one of its settings: "finding" → "finding_tables"."""
    return f"{model.__module__.rpartition('.')[2]}_tables"


def spelled(annotation: Any) -> str:  # noqa: ANN401 - whatever stands there
    """Write the type of what a setting can be given: lists for tuples, text for secrets, tables for sections."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return spelled(arguments[0])
    if origin is Literal:
        return f"Literal[{', '.join(json_like(value) for value in arguments)}]"
    if origin in (Union, types.UnionType):
        return " | ".join(dict.fromkeys(part for one in arguments for part in spelled(one).split(" | ")))
    if origin is tuple:
        return f"Sequence[{spelled(arguments[0])}]"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"Mapping[{', '.join(map(spelled, arguments))}]"
    return spelled_class(annotation)


def spelled_class(annotation: Any) -> str:  # noqa: ANN401 - whatever stands there
    """Write the type of a setting that is a class."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return table_name(annotation)
    known = {SecretStr: "str | SecretStr", Path: "str | Path", Address: "Address", type(None): "None"}
    if annotation in known:
        return known[annotation]
    return annotation.__name__ if annotation in (str, int, float, bool, object) else "str"


def json_like(value: object) -> str:
    """Write a value as code, with the quotation marks of the house."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def described(name: str, field: FieldInfo) -> str:
    """Write one key: its type, the first sentence of its description, its default."""
    text = " ".join((field.description or "").split())
    text = re.split(r"(?<=[.)])\s+(?=[A-Z0-9`])", text, maxsplit=1)[0]
    default = field.default
    if isinstance(default, (int, float)) or (isinstance(default, str) and default):
        text = f"{text.removesuffix('.')}. Default: {json_like(default)}."
    text = f"{text.removesuffix('.')}."
    said = f'"""{text}"""'.replace('""""', '"""\\"')
    lines = textwrap.wrap(said, COLUMNS - 4, break_long_words=False, break_on_hyphens=False)
    return "\n".join(textwrap.indent(line, "    ") for line in [f"{name}: {spelled(field.annotation)}", *lines])


def table(model: type[BaseModel], leave_out: set[str] = frozenset()) -> str:
    """Write the type of one table."""
    keys = [
        described(name, field) for name, field in with_meanings(model).model_fields.items() if name not in leave_out
    ]
    title = f"The settings of `{model.__name__}`, as a table."
    return f'class {table_name(model)}(TypedDict, total=False):\n    """{title}"""\n\n' + "\n".join(keys)


def imports(body: str, own: set[str], homes: Mapping[str, str]) -> str:
    """Write the imports that a body needs."""
    used = set(re.findall(r"\w+", re.sub(r'""".*?"""|"[^"]*"', "", body, flags=re.S)))
    lines = [
        ("collections.abc", {"Mapping", "Sequence"}),
        ("pathlib", {"Path"}),
        ("typing", {"Literal", "TypedDict"}),
        ("pydantic", {"SecretStr"}),
    ]
    places: dict[str, set[str]] = {}
    for name, home in homes.items():
        places.setdefault(home, set()).add(name)
    lines += sorted(places.items())
    groups: dict[str, list[str]] = {"": [], "pydantic": [], "rove": []}
    for module, names in lines:
        if needed := sorted((names & used) - own):
            root = module.partition(".")[0]
            groups[root if root in groups else ""].append(f"from {module} import {', '.join(needed)}")
    return "\n\n".join("\n".join(group) for group in groups.values() if group)


def modules() -> dict[str, str]:
    """Return what each module of the folder holds, by name."""
    known = list(dict.fromkeys(sections(Settings)))
    homes = {table_name(one): f"rove.settings.tables.{module_of(one)}" for one in known}
    homes["Address"] = "rove.settings.place"
    made: dict[str, str] = {}
    for module in dict.fromkeys(map(module_of, known)):
        own = [one for one in known if module_of(one) == module]
        body = "\n\n\n".join(map(table, own))
        title = f"The types of the tables in `rove.settings.{module.removesuffix('_tables')}`."
        head = HEAD.format(title=title) + imports(body, set(map(table_name, own)), homes)
        made[f"{module}.py"] = f"{head}\n\n\n{body}\n"
    fields = {
        name: described(name, field) for name, field in with_meanings(Settings).model_fields.items() if name != "path"
    }
    settings = "\n".join(text for name, text in fields.items() if name not in PARTS)
    body = ENTRY.format(settings=settings, models="\n".join(fields[name] for name in fields if name in PARTS))
    head = HEAD.format(title="What `Rove.open` takes by name, as types: completion knows each setting, and its values.")
    made["__init__.py"] = f"{head}{imports(body, {'SettingTables', 'AllTables'}, homes)}\n{body}"
    return made


def main(arguments: list[str]) -> int:
    """Write the modules, or check them."""
    made = modules()
    old = {file.name: file.read_text("utf-8") for file in FOLDER.glob("*.py")}
    if "--check" in arguments:
        if old != made:
            sys.stderr.write("src/rove/settings/tables is out of date: run `python docs/typed_settings.py`.\n")
        return int(old != made)
    for name in old.keys() - made.keys():
        (FOLDER / name).unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

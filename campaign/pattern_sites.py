"""Every regular expression of Rove, found without a list: what is compiled at import, and what calls name."""

from __future__ import annotations

import ast
import re
import sys
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FrameType, MappingProxyType
from typing import Any

import regex
import regex._main  # pyright: ignore[reportMissingTypeStubs]

import rove

ROOT = Path(rove.__file__).parent
LIBRARIES = {"re": re, "regex": regex}
ANCHORED = frozenset({"match", "fullmatch"})
SCANNING = frozenset({"search", "finditer", "findall", "sub", "subn", "split", "splititer"})
LANGUAGES = ("en", "de", "hu", "zh", "ja", "fr", "es", "")
MADE_BY_LANGUAGE = (
    "rove.language.quantities.spelled:_numeral_lexicon", "rove.language.quantities.dates:_month_name_patterns",
    "rove.language.quantities.magnitudes:_magnitude_pattern", "rove.language.quantities.magnitudes:_and_half_pattern",
    "rove.language.quantities.numbers:_part_words", "rove.databases.mentions:cue_pattern",
    "rove.language.cue_words:_asking",
)  # fmt: skip
MADE = (
    "rove.language.quantities.clock:_beside_half", "rove.language.quantities.clock:_patterns",
    "rove.language.quantities.labels:_label_word_first_pattern",
    "rove.language.quantities.labels:_label_word_last_pattern", "rove.language.quantities.labels:_telephone",
    "rove.language.quantities.magnitudes:_unit_prefix_pattern", "rove.language.quantities.signs:_minus_word_pattern",
    "rove.language.quantities.together:_range_words",
)  # fmt: skip
"""What makes patterns of tables when it is first called."""


@dataclass(frozen=True, slots=True)
class Site:
    """A pattern: where it stands, the name that it is kept under, and the methods by which the code uses it."""

    file: str
    line: int
    name: str
    library: str
    pattern: str | bytes
    flags: int
    methods: frozenset[str]

    @property
    def key(self) -> str:
        """The file, and what the pattern is kept under."""
        return f"{self.file}:{self.name}"

    @property
    def place(self) -> str:
        """File and line."""
        return f"{self.file}:{self.line}"

    def compiled(self) -> Any:  # noqa: ANN401 - a pattern of one of two libraries
        """Compile it."""
        return LIBRARIES[self.library].compile(self.pattern, self.flags)


@dataclass(frozen=True, slots=True)
class _Call:
    """A call of `re` or `regex` in the source: its lines, its function, its first argument, what it is kept under."""

    file: str
    lines: range
    library: str
    function: str
    pattern: ast.expr
    flags: tuple[ast.expr, ...]
    names: tuple[str, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """The file and each name."""
        return tuple(f"{self.file}:{name}" for name in self.names)

    @property
    def name(self) -> str:
        """What it is kept under, or the function that is called."""
        return self.names[0] if self.names else self.function


def find_sites() -> tuple[list[Site], list[str]]:
    """Return every pattern, and the places of calls whose pattern could not be found out.

    It imports what holds one. What was imported before is read from the source, so that a new process sees the most.
    """
    calls, used = _read()
    seen: dict[Site, None] = {}
    reached: set[int] = set()
    for file, line, library, pattern, flags in _compiled(calls):
        number = next((n for n, call in enumerate(calls) if call.file == file and line in call.lines), None)
        if number is not None:
            reached.add(number)
            call = calls[number]
            seen[Site(file, line, call.name, library, pattern, flags, _methods(call.function, call.keys, used))] = None
    unread: list[str] = []
    for number, call in enumerate(calls):
        if number in reached:
            continue
        methods = _methods(call.function, call.keys, used)
        if not (found := _evaluated(call)):
            unread.append(f"{call.file}:{call.lines[0]}")
        seen |= {Site(call.file, call.lines[0], call.name, call.library, *one, methods): None for one in found}
    return sorted(seen, key=lambda site: (site.file, site.line, str(site.pattern))), unread


def live_sites() -> list[Site]:
    """Return the patterns that modules hold at this moment, in whatever they keep them."""
    used = _read()[1]
    found: dict[Site, None] = {}
    for name, module in sorted(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if name.partition(".")[0] != "rove" or not file.startswith(str(ROOT)):
            continue
        place = Path(file).relative_to(ROOT).as_posix()
        for held, value in list(vars(module).items()):
            for one in _patterns_in(value, 3):
                library = "re" if isinstance(one, re.Pattern) else "regex"
                methods = _methods("compile", (f"{place}:{held}",), used)
                flags = one.flags & ~(0 if library == "re" else regex.VERSION0)
                found[Site(place, 0, held, library, one.pattern, flags, methods)] = None
    return list(found)


def _patterns_in(value: object, deep: int) -> Iterator[Any]:
    if isinstance(value, re.Pattern | regex.Pattern):
        yield value
    elif isinstance(value, dict | MappingProxyType) and deep:
        for part in list(value.values()):
            yield from _patterns_in(part, deep - 1)
    elif isinstance(value, tuple | list | set | frozenset) and deep:
        for part in value:
            yield from _patterns_in(part, deep - 1)
    elif isinstance(value, type) and value.__module__.startswith("rove.") and deep:
        for part in list(vars(value).values()):
            yield from _patterns_in(part, deep - 1)


def _compiled(calls: list[_Call]) -> list[tuple[str, int, str, str | bytes, int]]:
    """Import the modules that hold patterns, and make those that tables are made into; return what was compiled."""
    found: dict[tuple[str, int, str, str | bytes, int], None] = {}

    def listen(library: str, compiling: Callable[..., Any]) -> Callable[..., Any]:
        def compiled(pattern: Any, flags: int, *more: Any) -> Any:  # noqa: ANN401 - as `re._compile`
            frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
            while frame and frame.f_globals.get("__name__", "").partition(".")[0] in {"re", "regex"}:
                frame = frame.f_back
            if frame and isinstance(pattern, str | bytes) and frame.f_code.co_filename.startswith(str(ROOT)):
                file = Path(frame.f_code.co_filename).relative_to(ROOT).as_posix()
                found[file, frame.f_lineno, library, pattern, int(flags)] = None
            return compiling(pattern, flags, *more)

        return compiled

    before = re._compile, regex._main._compile  # pyright: ignore
    re._compile, regex._main._compile = listen("re", before[0]), listen("regex", before[1])  # pyright: ignore
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for file in sorted({call.file for call in calls}):
                import_module("rove." + file.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
            for place in MADE:
                _named(place)()
            for place in MADE_BY_LANGUAGE:
                for language in LANGUAGES:
                    _made(_named(place), language)
    finally:
        re._compile, regex._main._compile = before  # pyright: ignore
    return list(found)


def _named(place: str) -> Callable[..., object]:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def _made(make: Callable[..., object], language: str) -> None:
    if make.__name__ == "cue_pattern":
        for kind in ("count", "most", "least", "sum", "average", "order", "more", "less", "between", "group"):
            make(kind, language)
        return
    make(language)


@cache
def _read() -> tuple[list[_Call], dict[str, set[str]]]:
    """The calls of both libraries, and the uses of names, in all files; kept, since every trial asks for them.

    Of the uses, by "file:NAME", where the name is defined: the methods that are called on it; "" where it is used
    otherwise.
    """
    calls: list[_Call] = []
    used: defaultdict[str, set[str]] = defaultdict(set)
    for path in sorted(ROOT.rglob("*.py")):
        nodes, file = list(ast.walk(ast.parse(path.read_text("utf-8")))), path.relative_to(ROOT).as_posix()
        calls += _calls(file, nodes)
        for key, method in _uses(file, nodes):
            used[key].add(method)
    return calls, used


def _calls(file: str, nodes: list[ast.AST]) -> Iterator[_Call]:
    names: dict[int, tuple[str, ...]] | None = None
    for node in nodes:
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id in LIBRARIES
            and node.func.attr in ANCHORED | SCANNING | {"compile"}
        ):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            later = node.args[1:] if node.func.attr == "compile" else []
            flags = (*later, *(one.value for one in node.keywords if one.arg == "flags"))
            names = _kept_under(nodes) if names is None else names
            kept = names.get(id(node), ())
            yield _Call(file, lines, node.func.value.id, node.func.attr, node.args[0], flags, kept)


def _kept_under(nodes: list[ast.AST]) -> dict[int, tuple[str, ...]]:
    """By the id of each node of an assignment: the names that it is assigned to."""
    found: dict[int, tuple[str, ...]] = {}
    for statement in nodes:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and statement.value is not None:
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            names = tuple(one.id for one in targets if isinstance(one, ast.Name))
            found |= dict.fromkeys(map(id, ast.walk(statement.value)), names)
    return found


def _uses(file: str, nodes: list[ast.AST]) -> Iterator[tuple[str, str]]:
    origins = _origins(nodes)
    methods: dict[int, str] = {}
    for node in nodes:
        if isinstance(node, ast.Attribute):
            held = node.value.value if isinstance(node.value, ast.Subscript) else node.value
            methods[id(held)] = node.attr
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield f"{origins.get(node.id, file)}:{node.id}", methods.get(id(node), "")


def _origins(nodes: list[ast.AST]) -> dict[str, str]:
    """By each name that a file imports from Rove: the file that it comes from."""
    found: dict[str, str] = {}
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("rove."):
            place = node.module.removeprefix("rove.").replace(".", "/")
            file = f"{place}/__init__.py" if (ROOT / place).is_dir() else f"{place}.py"
            found |= {one.asname or one.name: file for one in node.names}
    return found


def _methods(function: str, keys: tuple[str, ...], used: dict[str, set[str]]) -> frozenset[str]:
    """The methods by which a pattern is used: all where that cannot be seen."""
    if function != "compile":
        return frozenset({function})
    methods = {method for key in keys for method in used.get(key, {""})}
    return frozenset(methods) if methods and methods <= ANCHORED | SCANNING else ANCHORED | SCANNING


class _Sample(str):
    """Stands for what a call is given: a word."""

    __slots__ = ()

    def __getattr__(self, _: str) -> _Sample:
        return self

    def __getitem__(self, key: object) -> str:
        return super().__getitem__(key) if isinstance(key, int | slice) else self

    def __call__(self, *_: object, **__: object) -> _Sample:
        return self


class _Names(dict[str, Any]):
    def __missing__(self, name: str) -> object:
        if name in __builtins__:  # pyright: ignore
            raise KeyError(name)
        return _Sample("word")


def _evaluated(call: _Call) -> list[tuple[str | bytes, int]]:
    """Evaluate the pattern of a call that was not reached: what only the call knows is "word", of a table all count."""
    module = sys.modules["rove." + call.file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")]
    names = _Names(vars(module))

    def value_of(node: ast.expr) -> Any:  # noqa: ANN401 - whatever the source has there
        return eval(compile(ast.Expression(node), call.file, "eval"), names)  # noqa: S307 - our own source

    try:
        flags = sum(int(value_of(one)) for one in call.flags)
        table = value_of(call.pattern.value) if isinstance(call.pattern, ast.Subscript) else None
        patterns = list(table.values()) if isinstance(table, dict) else [value_of(call.pattern)]
        for pattern in patterns:
            LIBRARIES[call.library].compile(pattern, flags)
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, re.error, regex.error):
        return []
    return [(pattern if isinstance(pattern, bytes) else str(pattern), flags) for pattern in patterns]

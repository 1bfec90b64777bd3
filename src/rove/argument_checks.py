"""Arguments of public calls, held against the signature: what cannot be meant is an InputError that names it.

A class that is decorated with `all_checked` has every public call checked; its annotations are all that is needed.
"""

from __future__ import annotations

import builtins
import inspect
import types
import typing
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import cache, wraps
from itertools import islice
from numbers import Integral, Real
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin, is_typeddict

from rove.errors import InputError
from rove.records import Filter
from rove.records.filter import BUILT_IN_NAMES, RENAMED, Where, as_filter, fault_of
from rove.records.source import Metadata

P = ParamSpec("P")
R = TypeVar("R")
C = TypeVar("C", bound=type)

MOST_ITEMS = 1_000
"""Of a long list the first ones are looked at."""
PLAIN: Mapping[Any, tuple[tuple[type, ...], str]] = {
    str: ((str,), "text"),
    int: ((Integral,), "a whole number"),
    float: ((Real,), "a number"),
    bool: ((bool,), "True or False"),
}
"""Types that have no parts: what passes for one, and what it is called."""
EXAMPLES = {
    "Filter": 'a filter, as {"topic": "hr"} or field("topic") == "hr"',
    "History": "the `history` of the response before",
    "Budget": "a Budget(rounds=4, calls=24)",
    "Path": "a path",
    "Text": 'a Text("…")',
    "Listener": "a function",
}
ODD_CATEGORIES = {"Cc", "Cs"}
"""Control characters, and halves of surrogate pairs, as Unicode calls them."""
MOST_ID_CHARS = 2_000
NOTHING: Metadata = {}
UNIONS = (Union, types.UnionType)


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The least that a number may be, in an annotation."""

    least: int


Positive = Annotated[int, AtLeast(1)]
"""A whole number from 1 on."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Let a call say which of its arguments is of no type that it takes.

    Raises:
        InputError: an argument is not what the annotation says.
    """
    if hasattr(function, "__checked__"):
        return function

    def check(arguments: tuple[object, ...], named: Mapping[str, object]) -> None:
        owner: Any = arguments[0] if arguments else None
        if getattr(owner, "closed", False) is True:
            raise closed_error(owner.settings.path)
        _check_call_arguments(function, arguments, named)

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        check(args, kwargs)
        return function(*args, **kwargs)

    @wraps(function)
    async def awaited(*args: P.args, **kwargs: P.kwargs) -> Any:  # noqa: ANN401 - what the function gives
        check(args, kwargs)
        return await typing.cast("Any", function(*args, **kwargs))

    made: Any = awaited if inspect.iscoroutinefunction(function) else call
    made.__checked__ = True
    return made


def all_checked(checked_class: C) -> C:
    """Have every public call of a class checked, those that it inherits too. See `checked`; `close` always works."""
    for name in dir(checked_class):
        found = inspect.getattr_static(checked_class, name)
        if not name.startswith("_") and inspect.isfunction(found) and name != "close":
            setattr(checked_class, name, checked(found))
    return checked_class


def closed_error(place: object) -> InputError:
    """Return the error that says that a base is closed."""
    return InputError(f"The base {place} is closed.", cure="Open it again, or stay within its `with` block.")


def wrong(call: str, name: str, value: object, wanted: str) -> InputError:
    """Return the error that says which argument of which call is wrong, what was given, and what is wanted."""
    message = f"{call}: {name} is {value!r:.80}, of type {type(value).__name__}."
    return InputError(message, cure=f"Give {wanted}.", outcome="unsupported")


def _check_call_arguments(
    function: Callable[..., object], arguments: tuple[object, ...], named: Mapping[str, object]
) -> None:
    try:
        given = _signature(function).bind(*arguments, **named)
    except TypeError:  # one too many, one too few: the call itself says it
        return
    parameters, hints = given.signature.parameters, _resolve_type_hints(function)
    for name, value in given.arguments.items():
        if name in hints and parameters[name].kind is not inspect.Parameter.VAR_KEYWORD:
            several = parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
            for one in value if several else (value,):
                _check_one(function.__name__, name, one, hints[name])


def _check_one(call: str, name: str, value: object, hint: object) -> None:
    if not fits_hint(value, hint):
        raise wrong(call, name, value, EXAMPLES["Filter"] if name == "where" else called(hint))
    if name == "where":
        check_filter(as_filter(typing.cast("Where | None", value)))
        return
    if is_dataclass(value) and not isinstance(value, type):
        hints = _resolve_type_hints(type(value))
        for part in fields(value):
            inner = getattr(value, part.name)
            if hints[part.name] in PLAIN and not fits_hint(inner, hints[part.name]):
                raise wrong(call, f"{name}.{part.name}", inner, called(hints[part.name]))


def own_fields(fields: Metadata, what: str, known: Metadata = NOTHING) -> Metadata:
    """Return fields that somebody gives, without those that only repeat what is `known` of the document.

    >>> own_fields({"title": "Policy", "year": 2024}, "metadata", {"title": "Policy"})
    {'year': 2024}

    Raises:
        InputError: one has a name of the system's, and says something else.
    """
    if BUILT_IN_NAMES.isdisjoint(fields):
        return fields
    left = {name: value for name, value in fields.items() if name not in known or known[name] != value}
    if taken := sorted(BUILT_IN_NAMES.intersection(left)):
        names, others = ", ".join(map(repr, taken)), ", ".join(repr(RENAMED + name) for name in taken)
        message = f"{what} cannot have a field of the name {names}: every document has one of its own."
        cure = f"Call it {others}, in filters too."
        raise InputError(message, cure=cure, outcome="unsupported")
    return left


def check_id(value: str, what: str) -> None:
    """See that an id can be kept and found again as it is given: one that is mended would be another's.

    Raises:
        InputError: it is blank, too long, or has a control character or half of a surrogate pair.
    """
    odd = next((char for char in value if unicodedata.category(char) in ODD_CATEGORIES), "")
    if value.strip() and len(value) <= MOST_ID_CHARS and not odd:
        return
    fault = f"holds {odd!a}" if odd else "is blank" if len(value) <= MOST_ID_CHARS else f"has {len(value):,} characters"
    message = f"{what} {value!a:.80} {fault}."
    cure = f"Give one of 1 to {MOST_ID_CHARS:,} characters, without control characters."
    raise InputError(message, cure=cure, outcome="unsupported")


def check_filter(where: Filter | None) -> None:
    """See that a filter can be used: of known parts, and within the bounds.

    Raises:
        InputError: it is not.
    """
    if where is not None and (fault := fault_of(where)):
        message = f"The filter {fault}."
        cure = 'Write field("topic") == "hr"; for many values use field("year").in_([2020, 2021]).'
        raise InputError(message, cure=cure, outcome="unsupported")


_signature = cache(inspect.signature)


@cache
def _resolve_type_hints(of: Callable[..., object] | type) -> Mapping[str, object]:
    """The annotations, evaluated; a name that is imported for type checkers only stands for anything."""
    module = inspect.getmodule(of)
    known = _Lenient({**vars(builtins), **(vars(module) if module else {})})
    return typing.get_type_hints(of, globalns={}, localns=known, include_extras=True)


class _Lenient(dict[str, Any]):
    def __missing__(self, _: str) -> object:
        return Any


def fits_hint(value: object, hint: object) -> bool:
    """Say whether a value can be meant where this is annotated. What cannot be told fits.

    >>> fits_hint(3, int | None), fits_hint(True, int), fits_hint("3", int), fits_hint("a", list[str])
    (True, False, False, False)
    >>> fits_hint(["a"], Iterable[str])
    True
    >>> fits_hint(0, Positive), fits_hint((1, 2), tuple[int, int]), fits_hint((1,), tuple[int, int])
    (False, True, False)
    """
    origin, inner = get_origin(hint), get_args(hint)
    if hint is None or hint is type(None):
        return value is None
    if origin in UNIONS:
        return any(fits_hint(value, one) for one in inner)
    if origin is Literal:
        return value in inner
    if origin is Annotated:
        least = next((one.least for one in inner[1:] if isinstance(one, AtLeast)), None)
        return fits_hint(value, inner[0]) and (least is None or typing.cast("int", value) >= least)
    if origin is tuple and Ellipsis not in inner:
        parts = list(typing.cast("Iterable[object]", value)) if isinstance(value, tuple | list) else []
        return len(parts) == len(inner) and all(map(fits_hint, parts, inner))
    return (
        _is_container_of(value, typing.cast("type", origin), inner)
        if isinstance(origin, type)
        else _is_one(value, hint)
    )


def _is_container_of(value: object, origin: type, inner: tuple[object, ...]) -> bool:
    """Say whether a value is of a type with parts, and these are what they should be. What is read once is left."""
    if not isinstance(value, origin) or isinstance(value, str | bytes):
        return False
    if isinstance(value, Mapping):
        pairs = typing.cast("Mapping[object, object]", value).items()
        return len(inner) != len(("key", "value")) or all(
            fits_hint(key, inner[0]) and fits_hint(one, inner[1]) for key, one in islice(pairs, MOST_ITEMS)
        )
    looked_at = typing.cast("Iterable[object]", value) if isinstance(value, list | tuple | set | frozenset) else ()
    return all(fits_hint(one, inner[0]) for one in islice(looked_at, MOST_ITEMS))


def _is_one(value: object, hint: object) -> bool:
    if hint in PLAIN:
        return isinstance(value, PLAIN[hint][0]) and (hint is bool or not isinstance(value, bool))
    if is_typeddict(hint):
        return isinstance(value, Mapping)
    if not isinstance(hint, type) or hint in {object, Any} or getattr(hint, "_is_protocol", False):
        return True
    return isinstance(value, hint)


def called(hint: object) -> str:
    """Say in words what is annotated.

    >>> called(int | None), called(Positive), called(Mapping[str, object])
    ('a whole number or None', 'a whole number from 1 on', 'a dict')
    """
    origin, inner = get_origin(hint), get_args(hint)
    if origin in UNIONS:
        return _either(list(dict.fromkeys(called(one) for one in inner)))
    if origin is Literal:
        return _either([repr(one) for one in inner])
    if origin is Annotated:
        return f"{called(inner[0])} from {inner[1].least} on"
    if origin is tuple and Ellipsis not in inner:
        return f"a pair: {', '.join(map(called, inner))}"
    if origin is None:
        return _hint_phrase(hint)
    if issubclass(origin, Mapping):
        return f"a dict: {called(inner[0])} → {called(inner[1])}" if inner and inner[1] is not object else "a dict"
    return f"a list of {called(inner[0])}" if issubclass(origin, Iterable) and inner else EXAMPLES["Listener"]


def _either(parts: list[str]) -> str:
    """Join what may be given; a list of all the others is "a list of these"."""
    *others, last = parts
    last = "a list of these" if others and last == f"a list of {_either(others)}" else last
    return f"{', '.join(others)} or {last}" if others else last


def _hint_phrase(hint: object) -> str:
    if hint in PLAIN:
        return PLAIN[hint][1]
    name = getattr(hint, "__name__", "anything")
    return "None" if name == "NoneType" else EXAMPLES.get(name, f"{'an' if name[0] in 'AEIOU' else 'a'} {name}")

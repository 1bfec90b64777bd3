"""Texts on which a regular expression may take long, made up from its own parse tree: what it repeats, repeated."""

from __future__ import annotations

import re
import re._constants as op  # pyright: ignore[reportMissingTypeStubs]
import re._parser as parser  # pyright: ignore[reportMissingTypeStubs]
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

PLAIN = (
    *" \n\t<[]({*_|`\"'1aA漢ァあ\u0301\\=-#:：/.,;!?$~>&@“„「（%", "</", "](", "![", "[a](", "[[", "1.", "1,", "1 ",
    "a.", "a ", "A ", "A. ", "a\n", "\n ", "\n\n", " \n", ". ", "。", "- ", "- a\n", "> ", "| ", "|-", "\n|",
    "a_", "a-", "a'", "a,", "$$", "**", "👩\u200d", "\u200d", "\r", "\r\n", "\0", "http://", "//", "::", "<a ",
    "<!--", "&#", "年", "1年", "第", "ー", "・", "\u3000", "é", "ß", "\u202f",
)  # fmt: skip
"""Pumps that are tried on every pattern."""
END = "\x01"
"""What stands behind a pump: hardly a pattern ends with it."""
_POOL = "a1 \n/([<|`\"'*_-.,:)]>漢A\\"
_CATEGORIES = {"digit": "1", "space": " ", "word": "a", "not_digit": "a", "not_space": "a", "not_word": " "}
_PROPERTIES = {
    "Han": "一-鿿", "Hiragana": "ぁ-ん", "Katakana": "ァ-ヺ", "Lu": "A-Z", "Ll": "a-z", "L": "a-zA-Z",
    "Latin": "a-zA-Z",
    "Nd": "0-9", "P": "!-/", "S": "$+<", "M": "\u0300-\u036f", "Z": " ", "N": "0-9",
}  # fmt: skip
_MOST_BRANCHES = 4
_WIDEST = 3
_DEEPEST = 6
Pump = tuple[str, str]
"""What stands before a pump, and the pump."""


def pumps(pattern: str, flags: int, chance: Random | None = None) -> list[Pump]:
    """Return what to repeat, and after which beginning; with a chance other alternatives and signs are drawn.

    >>> ("", "a/") in pumps("[^/]*/b", 0)
    True
    """
    found = dict.fromkeys(("", one) for one in PLAIN)
    tree = _parsed(pattern, flags)
    if tree is None:
        found |= dict.fromkeys(("", one) for one in sorted(set(pattern)))
        return list(found)
    for pick in (0, 1) if chance is None else (chance.randrange(40), chance.randrange(40)):
        for more in (0, 1):
            found |= dict.fromkeys(_pumped(list(tree), "", _Choice(more, pick), _DEEPEST))
    found |= dict.fromkeys(("", sign) for _, pump in list(found) for sign in pump[:1])
    return [one for one in found if one[1]]


def whole(pattern: str, flags: int) -> str:
    """Return a text that a pattern may accept: `regex` looks at once for what must be there, and gives up else."""
    tree = _parsed(pattern, flags)
    return "" if tree is None else _sample(list(tree), _Choice(1, 0))


def _parsed(pattern: str, flags: int) -> Any:  # noqa: ANN401 - a tree of the standard library's
    """Parse a pattern; one of `regex` is brought near to what `re` reads. None where it is too far."""
    near = re.sub(r"\\[pP]\{\^?(\w+)\}", lambda found: f"\x02{_PROPERTIES.get(found[1], 'a-z')}\x03", pattern)
    within, out = 0, list[str]()
    for at, sign in enumerate(near):
        escaped = at > 0 and near[at - 1] == "\\" and (at < 2 or near[at - 2] != "\\")
        if sign in "\x02\x03":
            out.append("" if within else "[" if sign == "\x02" else "]")
            continue
        if not escaped and sign in "[]":
            within = 1 if sign == "[" else 0
        out.append(sign)
    try:
        return parser.parse("".join(out), flags & (re.I | re.M | re.S | re.X | re.A))
    except (re.error, OverflowError):
        return None


class _Choice:
    """How a sample is drawn. `more`: what need not be there is; `pick`: which sign of a class, which alternative."""

    def __init__(self, more: int, pick: int) -> None:
        self.more, self.pick = more, pick

    def of(self, several: Sequence[Any]) -> Any:  # noqa: ANN401 - as the items
        return several[self.pick % len(several)]


def _pumped(items: list[Any], before: str, choice: _Choice, depth: int) -> Iterator[Pump]:
    """Yield a pump for each few items that follow each other, and for what the items hold."""
    for start in range(len(items)):
        led = before + _sample(items[:start], choice)
        for width in range(1, _WIDEST + 1):
            yield led, _sample(items[start : start + width], choice)
        yield "", _sample(items[: start + 1], choice)
        if depth:
            for inner in _inner(items[start]):
                yield from _pumped(list(inner), led, choice, depth - 1)


def _inner(item: Any) -> list[Any]:  # noqa: ANN401 - a node
    """The sequences within a node."""
    kind, value = item
    if kind in {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}:
        return [value[2]]
    if kind is op.SUBPATTERN:
        return [value[3]]
    if kind is op.BRANCH:
        return value[1][:_MOST_BRANCHES]
    if kind in {op.ASSERT, op.ASSERT_NOT}:
        return [value[1]]
    return [value] if kind is op.ATOMIC_GROUP else []


def _sample(items: Any, choice: _Choice) -> str:  # noqa: ANN401 - a sequence of nodes
    """A text that these nodes accept, without what must stand around them."""
    return "".join(_of_node(kind, value, choice) for kind, value in items)


def _of_node(kind: Any, value: Any, choice: _Choice) -> str:  # noqa: ANN401 - a node
    if kind is op.LITERAL:
        return chr(value)
    if kind is op.NOT_LITERAL:
        return next(sign for sign in _POOL if ord(sign) != value)
    if kind is op.ANY:
        return choice.of("a1. ")
    if kind is op.IN:
        return _of_class(value, choice)
    if kind in {op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT}:
        least, most, inner = value
        return _sample(inner, choice) * min(max(least, choice.more), int(most), 80)
    if kind is op.BRANCH:
        return _sample(choice.of(value[1]), choice)
    inner = [] if kind in {op.ASSERT, op.ASSERT_NOT} else _inner((kind, value))
    return _sample(inner[0], choice) if inner else ""


def _of_class(members: Any, choice: _Choice) -> str:  # noqa: ANN401 - nodes
    """A sign of a class: one of its own, or one of the pool that it does not leave out."""
    if members[0][0] is op.NEGATE:
        free = [sign for sign in _POOL if not any(_holds(one, sign) for one in members[1:])]
        return choice.of(free) if free else "é"
    kind, value = choice.of(members)
    if kind is op.LITERAL:
        return chr(value)
    return chr(value[0]) if kind is op.RANGE else _CATEGORIES[str(value).removeprefix("CATEGORY_").lower()]


def _holds(member: Any, sign: str) -> bool:  # noqa: ANN401 - a node
    kind, value = member
    if kind is op.LITERAL:
        return ord(sign) == value
    if kind is op.RANGE:
        return value[0] <= ord(sign) <= value[1]
    name = str(value).removeprefix("CATEGORY_").lower()
    held = {"digit": sign.isdigit(), "space": sign.isspace(), "word": sign.isalnum() or sign == "_"}[
        name.removeprefix("not_")
    ]
    return held != name.startswith("not_")

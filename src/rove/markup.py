"""HTML and SVG, put together so that no text can become markup: what is not `Markup` is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

VOID = {"meta", "br", "line", "circle", "rect", "path", "col"}


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def tag(name: str, /, *children: str, **attributes: object) -> Markup:
    """Make an element. An attribute loses its trailing underscore, any other becomes a hyphen; None leaves it out.

    >>> tag("p", "a < b", tag("br"), class_="x")
    '<p class="x">a &lt; b<br/></p>'
    """
    said = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_format_attribute_value(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = join_markup(children)
    return Markup(f"<{name}{said}/>" if name in VOID and not inside else f"<{name}{said}>{inside}</{name}>")


def join_markup(children: Sequence[str]) -> Markup:
    """Put elements and texts one after the other.

    >>> join_markup(["<", tag("b", "x")])
    '&lt;<b>x</b>'
    """
    return Markup("".join(child if isinstance(child, Markup) else escape(child) for child in children))


def _format_attribute_value(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)

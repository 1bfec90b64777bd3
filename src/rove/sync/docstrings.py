"""What the blocking calls say of themselves: the words stand once, in the class that they call."""

from __future__ import annotations

from collections.abc import Callable
from inspect import cleandoc, getdoc
from typing import TypeVar

C = TypeVar("C")


def explained_by(explaining: type) -> Callable[[type[C]], type[C]]:
    """Give each call "See `Explaining.call`." of a class the docstring that it points to, for `help`."""
    start = f"See `{explaining.__name__}."

    def explain(blocking: type[C]) -> type[C]:
        for name, member in list(vars(blocking).items()):
            function = getattr(member, "__func__", member)
            pointer = cleandoc(getattr(function, "__doc__", "") or "")
            said = getdoc(getattr(explaining, name, None)) if pointer.startswith(start) else None
            if said:
                rest = pointer.partition("`.")[2].strip() if "`." in pointer else ""
                said = said.replace("`async for", "`for").replace("await ", "")
                function.__doc__ = f"{said}\n\n{rest}".strip()
        return blocking

    return explain

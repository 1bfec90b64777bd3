"""What all suites share: the plug-in that is tested, and tests of asynchronous code that need nothing but pytest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, ClassVar, ParamSpec

from rove.registry import Registry

P = ParamSpec("P")


class Contract:
    """A suite of tests. It tests what `make` returns; by itself that is the plug-in called `name` in the registry."""

    registry: ClassVar[Registry]
    name: ClassVar[str] = ""

    def registered(self) -> Any:  # noqa: ANN401 - the `make` of each suite types it
        """Return the registered class that `name` stands for.

        Raises:
            NotImplementedError: the suite has neither a `name` nor a `make` of its own.
        """
        if not self.name:
            message = f"{type(self).__name__} needs a `name` of the group {self.registry.group!r}, or a `make`."
            raise NotImplementedError(message)
        return self.registry.get(self.name)


def waited(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Let an asynchronous test run to its end on an event loop of its own."""

    @wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run

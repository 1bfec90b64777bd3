"""What settings mean: the docstrings below their fields, read in the source where somebody asks: that takes long."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise
from typing import TypeVar, cast

from pydantic import BaseModel

M = TypeVar("M", bound=type[BaseModel])


def with_meanings(table: M) -> M:
    """Return a table of settings whose fields have what their docstrings say as their `description`.

    >>> from rove.settings.finding import SearchSettings
    >>> with_meanings(SearchSettings).model_fields["top_k"].description is None
    False
    """
    said: dict[str, str] = {}
    for part in reversed([one for one in table.__mro__ if one.__module__.startswith("rove.settings")]):
        body = cast("ast.ClassDef", ast.parse(inspect.getsource(part)).body[0]).body
        for field, below in pairwise(body):
            match field, below:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(text))):
                    said[name] = inspect.cleandoc(text)
                case _:
                    pass
    for name, field in table.model_fields.items():
        field.description = field.description or said.get(name)
    return table

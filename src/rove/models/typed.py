"""Typed replies: a chat model asked for an object of one shape, seen while it is written, validated when it is done."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from json import JSONDecoder
from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from rove.errors import ServiceError
from rove.models import ChatModel

Shape = TypeVar("Shape", bound=BaseModel)
Partial = Callable[[Mapping[str, object]], None]

REPAIR = "Your last reply was not of the right shape: {problem}. Reply again, with nothing but the JSON object."
MAX_CHARS = 200_000  # a reply past this never ends: what was written by then is taken


async def reply_as(
    chat: ChatModel, shape: type[Shape], instructions: str, prompt: str, *, partial: Partial | None = None
) -> Shape:
    """Ask for one JSON object and return it validated.

    Where the endpoint can hold a model to a schema, it is told to; elsewhere the instructions must show the shape by an
    example. What stands around the object (fences, remarks) is ignored. A reply of another shape is asked for once
    more, with what was wrong. An object that broke off is closed where it stands and counts if it validates.

    Args:
        chat: the model.
        shape: a pydantic model; give its strings and lists bounds, since small models can go on for ever.
        instructions: the task, and one example.
        prompt: the material.
        partial: told the object so far, closed where it stands, whenever it has grown.

    Raises:
        ServiceError: the model failed, or both replies were of another shape (then it is not `retryable`).
    """
    problem = ""
    for _ in range(2):
        asked = f"{prompt}\n\n{REPAIR.format(problem=problem)}" if problem else prompt
        written = await _written(chat, shape, instructions, asked, partial)
        try:
            return shape.model_validate(_object(written))
        except ValidationError as error:
            first = error.errors()[0]
            problem = f"{'.'.join(map(str, first['loc'])) or 'the reply'}: {first['msg']}"
    message = f"{chat.name} wrote no {shape.__name__}: {problem}."
    raise ServiceError(message, cure="Raise chat.max_tokens, or choose a larger model.", retryable=False)


async def _written(
    chat: ChatModel, shape: type[BaseModel], instructions: str, prompt: str, partial: Partial | None
) -> str:
    written, last = "", None
    stream = chat.stream(instructions, prompt, shape=shape)
    try:
        async for piece in stream:
            written += piece
            if partial and (found := _object(written)) and found != last:
                last = found
                partial(found)
            if len(written) > MAX_CHARS:
                break
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
    return written


def _object(written: str) -> dict[str, object]:
    r"""Return the first JSON object in a text, closed where it breaks off; {} where there is none.

    >>> _object('Sure! ```json\\n{"a": [1, 2], "b": "x')
    {'a': [1, 2], 'b': 'x'}
    """
    start = written.find("{")
    while start >= 0:
        for read in (_whole, _closed):
            try:
                return cast("dict[str, object]", read(written, start))
            except ValueError:
                continue
        start = written.find("{", start + 1)
    return {}


def _whole(written: str, start: int) -> object:
    return JSONDecoder().raw_decode(written, start)[0]


def _closed(written: str, start: int) -> object:
    return from_json(written[start:], allow_partial="trailing-strings")

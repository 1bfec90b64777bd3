"""Typed replies: a chat model asked for an object of one shape, seen while it is written, validated when it is done."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from itertools import islice
from typing import TypeVar, cast

from pydantic import BaseModel, ValidationError
from pydantic_core import from_json

from rove.errors import CutReplyError, ServiceError
from rove.models import ChatModel

Shape = TypeVar("Shape", bound=BaseModel)
Partial = Callable[[Mapping[str, object]], None]
Reading = Callable[[str], Mapping[str, object]]
"""Makes an object of what is written so far; {} where there is none."""

REPAIR = "Your last reply was not of the right shape: {problem}. Reply again, with nothing but the JSON object."
MAX_CHARS = 200_000  # a reply past this never ends
TOO_LONG = "{model} wrote more than {count} characters."
LARGER_CURE = "Raise chat.max_tokens, or choose a larger model."
GROWTH = 32  # a reply is parsed anew whenever it has grown by one part in so many of its length
TRIES = 8  # places where the object may begin
DEEPEST = 200  # objects and lists within one another; the parser's own bound
_OPENING = re.compile(r'\{(?=\s*(?:["}]|\Z))')
_SIGNS = re.compile(r'"(?:[^"\\]|\\.)*+"?|[{}\[\]]', re.DOTALL)


async def reply_as(
    chat: ChatModel,
    shape: type[Shape],
    instructions: str,
    prompt: str,
    *,
    partial: Partial | None = None,
    reading: Reading | None = None,
) -> Shape:
    """Ask for one JSON object and return it validated.

    Where the endpoint can hold a model to a schema, it is told to; elsewhere the instructions must show the shape by an
    example. What stands around the object (fences, remarks) is ignored. A reply of another shape is asked for once
    more, with what was wrong. An object that the model left open is closed where it stands and counts if it validates;
    of a reply that was cut off it counts only if it is whole.

    Args:
        chat: the model.
        shape: a pydantic model; give its strings and lists bounds, since small models can go on for ever.
        instructions: the task, and one example.
        prompt: the material.
        partial: told the object so far, closed where it stands, whenever it has grown.
        reading: where other forms than one JSON object are understood too.

    Raises:
        CutReplyError: the reply was cut off within the object.
        ServiceError: the model failed, or both replies were of another shape (then it is not `retryable`).
    """
    problem = ""
    for _ in range(2):
        asked = f"{prompt}\n\n{REPAIR.format(problem=problem)}" if problem else prompt
        found = await _stream_typed_reply(chat, shape, instructions, asked, partial, reading or read_object)
        try:
            return shape.model_validate(found)
        except ValidationError as error:
            first = error.errors()[0]
            problem = f"{'.'.join(map(str, first['loc'])) or 'the reply'}: {first['msg']}"
    message = f"{chat.name} wrote no {shape.__name__}: {problem}."
    raise ServiceError(message, cure=LARGER_CURE, retryable=False)


async def _stream_typed_reply(
    chat: ChatModel, shape: type[BaseModel], instructions: str, prompt: str, partial: Partial | None, reading: Reading
) -> Mapping[str, object]:
    written = _Growing(partial, reading)
    stream = chat.stream(instructions, prompt, shape=shape)
    cut: CutReplyError | None = None
    try:
        async for piece in stream:
            if not written.add(piece):
                cut = CutReplyError(TOO_LONG.format(model=chat.name, count=MAX_CHARS), cure=LARGER_CURE)
                break
    except CutReplyError as error:
        cut = error
    finally:
        if isinstance(stream, AsyncGenerator):
            await stream.aclose()
        written.tell()
    if cut and not _is_complete_json_object(written.text):
        raise cut
    return reading(written.text)


class _Growing:
    """A reply that is being written. The listener is told of it each time it has grown by a share of its length.

    So the time to parse it again and again is linear in its length, whether it comes in one piece or in a million.
    """

    def __init__(self, partial: Partial | None, reading: Reading) -> None:
        self._partial, self._reading = partial, reading
        self._pieces: list[str] = []
        self._size = self._told = 0
        self._last: Mapping[str, object] = {}

    @property
    def text(self) -> str:
        """What was written, `MAX_CHARS` at most."""
        self._pieces = ["".join(self._pieces)[:MAX_CHARS]]
        return self._pieces[0]

    def add(self, piece: str) -> bool:
        """Take a piece in; False when no more is wanted."""
        self._pieces.append(piece)
        self._size += len(piece)
        if self._size >= self._told + self._told // GROWTH:
            self.tell()
        return self._size <= MAX_CHARS

    def tell(self) -> None:
        """Tell what there is, unless it was told before."""
        if self._partial is None or self._told == self._size:
            return
        self._told = self._size
        if (found := self._reading(self.text)) and found != self._last:
            self._last = found
            self._partial(found)


def read_object(written: str) -> dict[str, object]:
    r"""Return the first JSON object in a text, closed where it breaks off; {} where there is none.

    >>> read_object('Sure! ```json\\n{"a": [1, 2], "b": "x')
    {'a': [1, 2], 'b': 'x'}
    """
    found = _first_json_object(written)
    return cast("dict[str, object]", _parse_partial_json(found)) if found else {}


def _is_complete_json_object(written: str) -> bool:
    """Say whether the first JSON object in a text is closed there."""
    try:
        from_json(_first_json_object(written), allow_inf_nan=False)
    except ValueError:
        return False
    return True


def _first_json_object(written: str) -> str:
    """Return the text of the first JSON object, as far as it is written."""
    for opening in islice(_OPENING.finditer(written), TRIES):
        found = written[opening.start() : _json_object_end(written, opening.start())]
        with suppress(ValueError):
            _parse_partial_json(found)
            return found
    return ""


def _parse_partial_json(text: str) -> object:
    return from_json(text.encode(), allow_inf_nan=False, allow_partial="trailing-strings")


def _json_object_end(written: str, start: int) -> int:
    """Return where the object that begins here ends: behind its last brace, or where the text does."""
    depth = 0
    for sign in _SIGNS.finditer(written, start):
        depth += sign[0] in "{["
        depth -= sign[0] in "}]"
        if not depth:
            return sign.end()
        if depth > DEEPEST:
            break
    return len(written)

"""An operator that lets the chat model write."""

from __future__ import annotations

from rove.errors import ServiceError
from rove.flow.operator import FlowContext, operator
from rove.models.prompts import fence_material

MOST_CHARS = 100_000
TOO_LONG = "{model} wrote more than {most:,} characters."


@operator(needs=("chat",))
async def write(context: FlowContext, *, task: str, text: str = "") -> str:
    """Let the chat model do a task on a text, which it is shown as material; what it writes is checked by nobody.

    Raises:
        ServiceError: it failed, or wrote without an end.
    """
    chat = context.kb.chat_model()
    if chat is None:
        message = "There is no chat model."
        raise ServiceError(message, cure="Set chat.model.", retryable=False)
    written = ""
    async for piece in chat.stream(task, fence_material(text, "text") if text else task):
        written += piece
        if len(written) > MOST_CHARS:
            raise ServiceError(TOO_LONG.format(model=chat.name, most=MOST_CHARS), cure="Ask for less.", retryable=False)
    return written

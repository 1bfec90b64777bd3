"""How a chat model's reply ended: by itself, or cut off, and then by what, and what can be done about it."""

from __future__ import annotations

from pydantic_ai.models import StreamedResponse
from pydantic_ai.models.openai import OpenAIStreamedResponse

from rove.errors import CutReplyError

LENGTH = "length"
FILTER_CURE = "The provider's filter refused it: put the question otherwise, or choose another model."
CUT_BY = {
    LENGTH: ("{model} has written as much as it may.", "Raise chat.max_tokens."),
    "content_filter": ("The provider ended what {model} wrote.", FILTER_CURE),
    "error": ("{model} ended its reply with an error.", "Look at the model's server, or ask again."),
}
"""By the reasons for finishing that pydantic-ai tells apart, whatever the provider calls them."""
UNFINISHED = "What {model} wrote ended without a finish_reason."
UNFINISHED_CURE = "Look at the model's server, or ask again."


def cut_by(model: str, reason: str) -> CutReplyError:
    """Make the error of a reply that was ended for one of the reasons in `CUT_BY`; asking again helps after an error.

    >>> str(cut_by("gpt", LENGTH))
    'gpt has written as much as it may. Raise chat.max_tokens.'
    """
    message, cure = CUT_BY[reason]
    return CutReplyError(message.format(model=model), cure=cure, retryable=reason == "error")


def cut_off(model: str, response: StreamedResponse) -> CutReplyError | None:
    """Say why the reply of a stream that has ended is not whole; None where it is.

    Where an OpenAI-shaped server gives no reason, pydantic-ai puts "stop" there; among the details there is none.
    """
    reason = response.finish_reason or ""
    if reason in CUT_BY:
        return cut_by(model, reason)
    told = "finish_reason" in (response.provider_details or {})
    if told or (reason and type(response) is not OpenAIStreamedResponse):
        return None
    return CutReplyError(UNFINISHED.format(model=model), cure=UNFINISHED_CURE)

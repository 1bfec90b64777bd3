"""Chat models of any provider through pydantic-ai: text in, text out, no tools, every failure a `ServiceError`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import AsyncExitStack, aclosing
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import httpx
from openai import AsyncOpenAI, DefaultAsyncHttpxClient
from pydantic import BaseModel
from pydantic_ai.direct import model_request_stream
from pydantic_ai.exceptions import (
    AgentRunError,
    ContentFilterError,
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRequestRejectedError,
    ModelTimeoutError,
    UserError,
)
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse, infer_model
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.output import OutputObjectDefinition
from pydantic_ai.providers import Provider, infer_provider, infer_provider_class
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider
from pydantic_ai.settings import ModelSettings

from rove.errors import ConfigError, CutReplyError, ServiceError
from rove.language.token_count import count_tokens
from rove.models.bounded import PLAIN as PLAIN_BODY
from rove.models.bounded import bounds
from rove.models.deadline import seconds_left
from rove.models.endpoint import QUOTED_CHARS, RETRIED, backoff_s, certificates
from rove.models.reply_end import FILTER_CURE, LENGTH, cut_by, cut_off
from rove.models.thinking import ONLY_THINKING, ONLY_THINKING_CURE, note_thought
from rove.models.usage import Usage, account
from rove.proxies import is_loopback, proxy_for
from rove.settings import ChatSettings
from rove.tracing import recording, shows_content

KEY_CURE = "Set ROVE_CHAT__API_KEY (chat.api_key), or the provider's own environment variable."
TIME_OVER = "The time for asking models is over."
TIME_CURE = "Look at the model's server, or raise answer.seconds."
TIMEOUT_CURE = "Raise chat.timeout_s, or look at the server."
CURES: tuple[tuple[type[Exception], str], ...] = (
    (ModelAuthenticationError, KEY_CURE),
    (ModelNotFoundError, "Correct chat.model or chat.base_url (it often ends in /v1)."),
    (ModelQuotaExceededError, "The account's credit is used up: top it up, or choose another chat.model."),
    (ModelContextWindowExceededError, "Lower answer.references, or choose a model with a longer context."),
    (ContentFilterError, FILTER_CURE),
    (ModelRequestRejectedError, "See the provider's message; sending it again cannot help."),
    (ModelTimeoutError, TIMEOUT_CURE),
    (ModelConnectionError, "Is chat.base_url right, and its server up?"),
    (AgentRunError, "Wait, then ask again."),
)
PLAIN = ModelRequestParameters(function_tools=[], native_tools=[], allow_text_output=True)
CHARS_PER_TOKEN = 20  # more than in any language: a reply longer than max_tokens of these ignores the bound
CONNECT_S = 5.0
LONGEST = 10  # times timeout_s: a reply that takes longer never ends
READS = 5
"""Times `timeout_s` that a server on this machine has until its first piece: it may read a prompt for minutes."""
SCHEMA_REFUSED = (400, 404, 415, 422, 501)
MALFORMED = (AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError)
"""What the provider's client raises over events that are no chat completion."""
FINAL = (ModelRequestRejectedError, ModelQuotaExceededError, ContentFilterError)


class PydanticChatModel:
    """Any model that pydantic-ai knows ("provider:model"), or any OpenAI-shaped endpoint (`base_url`). See `ChatModel`.

    One request carries the instructions and one user message, and no tool: whatever a document says, there is nothing
    that it could set off. `timeout_s` bounds the wait for each piece, and `first_piece_s` that for the first one; a
    reply that does not end is broken off (`LONGEST`, `CHARS_PER_TOKEN`). Failures are tried again up to `retries` times
    as long as no piece was handed on; afterwards the reply is cut off. Each reply opens its own connection.

    Raises:
        ConfigError: no such model or provider, its package is missing, or it has no key.
    """

    def __init__(self, settings: ChatSettings) -> None:
        self._key = settings.api_key.get_secret_value()
        self._timeout_s, self._first_s = settings.timeout_s, first_piece_s(settings)
        self._retries = settings.retries
        self._most_chars = CHARS_PER_TOKEN * settings.max_tokens
        self._name = settings.model
        self._model = _build(settings, self._key)
        self._settings = _request_settings(self._model, settings)
        self._holds_schemas = self._model.profile.get("supports_json_schema_output", False)

    def __repr__(self) -> str:
        return f"PydanticChatModel({self._name!r})"

    @property
    def name(self) -> str:
        """See `ChatModel.name`."""
        return self._name

    async def stream(
        self, instructions: str, prompt: str, *, shape: type[BaseModel] | None = None
    ) -> AsyncIterator[str]:
        """See `ChatModel.stream`. An endpoint that refuses a schema is sent none from then on: the instructions do."""
        wanted = self._wanted(shape)
        attempt = 0
        while True:
            if not seconds_left():
                raise ServiceError(TIME_OVER, cure=TIME_CURE, retryable=False)
            started = False
            try:
                async with self._model, aclosing(self._pieces(instructions, prompt, wanted)) as pieces:
                    async for piece in pieces:
                        started = True
                        yield piece
            except (ServiceError, AgentRunError, TimeoutError, *MALFORMED) as error:
                if wanted is not PLAIN and _refuses_schema(error):
                    self._holds_schemas, wanted = False, PLAIN
                    continue
                failure = self._failure(error, self._timeout_s if started else self._first_s)
                wait_s = error.retry_after if isinstance(error, ModelAPIError) else None
            else:
                if started:
                    return
                message = f"{self._name} gave an empty reply."
                failure, wait_s = ServiceError(message, cure="Ask again, or choose another chat.model."), None
            if started:
                raise CutReplyError(failure.reason, cure=failure.cure, retryable=failure.retryable)
            if not failure.retryable or attempt == self._retries:
                raise failure
            await asyncio.sleep(min(backoff_s(attempt, wait_s), seconds_left()))
            attempt += 1

    def _wanted(self, shape: type[BaseModel] | None) -> ModelRequestParameters:
        if shape is None or not self._holds_schemas:
            return PLAIN
        schema = OutputObjectDefinition(shape.model_json_schema(), name=shape.__name__)
        return ModelRequestParameters(output_mode="native", output_object=schema, allow_text_output=True)

    async def _pieces(self, instructions: str, prompt: str, wanted: ModelRequestParameters) -> AsyncGenerator[str]:
        request = ModelRequest(parts=[UserPromptPart(prompt)], instructions=instructions)
        opening = model_request_stream(
            self._model,
            [request],
            model_settings=self._settings,
            model_request_parameters=wanted,
            instrument=_instrumentation(shows_content()) if recording() else False,
        )
        blank, written, thinks = True, "", False
        until = asyncio.get_running_loop().time() + min(self._first_s + LONGEST * self._timeout_s, seconds_left())
        async with AsyncExitStack() as stack:
            try:
                async with asyncio.timeout(min(self._first_s, seconds_left())):
                    response = await stack.enter_async_context(opening)
                    events = aiter(response)
            except BaseException as error:  # one that failed, or is given up, was a call too
                read = 0 if isinstance(error, AgentRunError) else count_tokens(f"{instructions}{prompt}")
                account(Usage(1, read, estimated=True))
                raise
            try:
                while len(written) <= self._most_chars:
                    patience = self._timeout_s if written or thinks else self._first_s
                    async with asyncio.timeout(patience), asyncio.timeout_at(until):
                        event = await anext(events, None)
                    if event is None:
                        break
                    if thought := _event_thinking_text(event):
                        thinks = True
                        note_thought(unicode_of(thought))
                    text = unicode_of(_text_of(event))[: self._most_chars + 1 - len(written)]
                    written += text
                    blank = blank and not text.strip()
                    if text and not blank:
                        yield text
                else:
                    raise cut_by(self._name, LENGTH)
                if cut := cut_off(self._name, response):
                    raise cut
                if blank and thinks:
                    raise ServiceError(ONLY_THINKING.format(model=self._name), cure=ONLY_THINKING_CURE, retryable=False)
            finally:  # a reply that is broken off, by whomever, has cost something too
                account(_usage(response, f"{instructions}{prompt}", written))

    def _failure(self, error: Exception, waited_s: float) -> ServiceError:
        match error:
            case ServiceError():  # past the bounds of a reply
                return error
            case AgentRunError():
                return self._refused(error)
            case TimeoutError():
                message = f"{self._name} wrote nothing for {waited_s:g} s."
                return ServiceError(message, cure=TIMEOUT_CURE)
            case _:
                message = f"{self._name} sent what is no reply: {type(error).__name__}."
                return ServiceError(message, cure="Is chat.base_url that of a chat model?")

    def _refused(self, error: AgentRunError) -> ServiceError:
        final = isinstance(error, FINAL)
        if isinstance(error, ModelHTTPError):
            final = final or (error.status_code < 500 and error.status_code not in RETRIED)
        said = " ".join(str(error).split())
        said = said.replace(self._key, "…") if self._key else said
        cure = next(cure for kind, cure in CURES if isinstance(error, kind))
        return ServiceError(f"{self._name} failed: {said[:QUOTED_CHARS].rstrip('.')}.", cure=cure, retryable=not final)


@cache
def _instrumentation(content: bool) -> InstrumentationSettings:  # noqa: FBT001 - a cache's key
    """Let pydantic-ai record each request by the conventions for generative AI: model, tokens, how it ended."""
    return InstrumentationSettings(
        include_content=content, include_binary_content=False, include_model_request_parameters=False
    )


def _usage(response: StreamedResponse, read: str, written: str) -> Usage:
    """Return what the provider says that a reply has cost, or, where it does not say, what it must be about."""
    said = response.usage
    if said.input_tokens:
        return Usage(1, said.input_tokens, said.output_tokens)
    return Usage(1, count_tokens(read), count_tokens(written), estimated=True)


def _refuses_schema(error: Exception) -> bool:
    """Say whether an endpoint may have refused the schema rather than the question."""
    return isinstance(error, ModelHTTPError) and error.status_code in SCHEMA_REFUSED


def _text_of(event: ModelResponseStreamEvent) -> str:
    """Return the text that an event adds to the reply: "" for thinking and for tool calls, which are not asked for."""
    match event:
        case PartStartEvent(part=TextPart(content=text)):
            return text
        case PartDeltaEvent(delta=TextPartDelta(content_delta=text)):
            return text
        case _:
            return ""


def _event_thinking_text(event: ModelResponseStreamEvent) -> str:
    """Return what an event tells of the model's thinking, where its server keeps that apart."""
    match event:
        case PartStartEvent(part=ThinkingPart(content=text)):
            return text
        case PartDeltaEvent(delta=ThinkingPartDelta(content_delta=text)):
            return text or ""
        case _:
            return ""


def unicode_of(text: str) -> str:
    r"""Return the text with pairs of surrogates as the characters that they mean, and halves of pairs replaced.

    >>> unicode_of("\ud83c\udf5c \ud83c.") == "🍜 �."
    True
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _build(settings: ChatSettings, key: str) -> Model[Any]:
    if settings.base_url:
        if not settings.model:
            message = f"The chat endpoint {settings.base_url} was given no model."
            raise ConfigError(message, cure="Set chat.model to the name that the endpoint uses.")
        return OpenAIChatModel(
            settings.model,
            provider=_Endpoint(settings, key),
        )
    try:
        return infer_model(settings.model, lambda name: _Guarded.guard(_chat_provider_by_name(name, key), settings))
    except UserError as error:
        variable = re.search(r"\b[A-Z][A-Z0-9_]*_(?:API_KEY|TOKEN)\b", str(error))
        if variable:
            message = f"The chat model {settings.model!r} needs an API key."
            cure = f"Set the environment variable {variable.group(0)} or ROVE_CHAT__API_KEY."
            raise ConfigError(message, cure=cure) from None
        message = f"The chat model {settings.model!r} cannot be used: {str(error).rstrip('.')}."
        raise ConfigError(message, cure='Give "provider:model", e.g. "openai:gpt-5", or set chat.base_url.') from None
    except ImportError as error:
        provider = settings.model.partition(":")[0]
        message = f"The chat model {settings.model!r} needs a package that is not installed: {error}"
        raise ConfigError(message, cure=f"Run: pip install 'pydantic-ai-slim[{provider}]'") from None


class _Endpoint(OpenAICompatibleProvider):
    """All its connections, one for each reply, share one set of certificates: to read one takes 30 ms."""

    def __init__(self, settings: ChatSettings, key: str) -> None:
        self._made = _connections(settings.base_url, settings)
        super().__init__("endpoint", base_url=settings.base_url, api_key=key or None)

    def _get_http_client(self, http_client: object, *, warning_stacklevel: int = 3) -> DefaultAsyncHttpxClient:
        del http_client, warning_stacklevel
        self._http_client_factory = self._made
        self._own_http_client = made = self._made()
        return made


def _connections(url: str, settings: ChatSettings) -> Callable[[], DefaultAsyncHttpxClient]:
    """Return what makes connections to a provider: a prompt goes there, through its proxy at most, and nowhere else."""
    hooks = bounds(settings.model, "chat", reply_mb=settings.max_reply_mb, lines=True)

    def connect() -> DefaultAsyncHttpxClient:
        return DefaultAsyncHttpxClient(
            verify=certificates(),
            headers=PLAIN_BODY,
            event_hooks=hooks,
            trust_env=False,
            proxy=proxy_for(url),
            follow_redirects=False,
        )

    return connect


class _Guarded(Provider[Any]):
    """What is changed of a provider that pydantic-ai has made: connections that follow no redirect to another host."""

    @staticmethod
    def guard(provider: Provider[Any], settings: ChatSettings) -> Provider[Any]:
        """Return it, with other connections."""
        made = provider._http_client_factory
        if made is None:
            return provider
        if isinstance(provider.client, AsyncOpenAI):
            made = _connections(provider.base_url, settings)

        def connect() -> Any:  # noqa: ANN401 - a client of httpx, or of its fork
            client = made()
            client.follow_redirects = False
            return client

        first = connect()
        provider._http_client_factory, provider._own_http_client = connect, first
        provider._set_http_client(first)
        return provider


def _chat_provider_by_name(name: str, key: str) -> Provider[Any]:
    try:
        if not key:
            return infer_provider(name)
        return infer_provider_class(name)(api_key=key)  # pyright: ignore[reportCallIssue]
    except ValueError:
        message = f"Unknown provider: {name}"
        raise UserError(message) from None
    except TypeError:
        return infer_provider(name)


def _request_settings(model: Model[Any], settings: ChatSettings) -> ModelSettings:
    """Leave retries and time-outs to us alone, where the provider's client can be told so."""
    chosen = ModelSettings(max_tokens=settings.max_tokens)
    if "max_retries" not in model.unsupported_settings:
        chosen["max_retries"] = 0
    if "timeout" not in model.unsupported_settings:
        chosen["timeout"] = settings.timeout_s
    if settings.base_url:
        chosen["temperature"] = 0.0
        chosen["timeout"] = httpx.Timeout(first_piece_s(settings), connect=min(CONNECT_S, settings.timeout_s))
    return chosen


def first_piece_s(settings: ChatSettings) -> float:
    """Return how long the first piece of a reply is waited for, in seconds.

    >>> first_piece_s(ChatSettings(model="m", base_url="http://localhost:11434/v1"))
    300.0
    >>> first_piece_s(ChatSettings(model="m", base_url="https://models.example.com/v1"))
    60.0
    """
    here = is_loopback(urlsplit(settings.base_url).hostname or "")
    return settings.timeout_s * (READS if here else 1)

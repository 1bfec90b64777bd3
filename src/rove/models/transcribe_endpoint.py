"""Speech by an endpoint of OpenAI's shape: the file goes to POST `{base_url}/audio/transcriptions` as it is."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import takewhile

from pydantic import BaseModel, ConfigDict, FiniteFloat, ValidationError

from rove.errors import ConfigError, InputError, ServiceError
from rove.models.endpoint import Endpoint
from rove.records.moment import Speech, Utterance
from rove.settings import TranscriberSettings

KEY_CURE = "Set ROVE_TRANSCRIBER__API_KEY."
READ_CURE = "Is this an endpoint for transcriptions, with a model that tells times (response_format verbose_json)?"
TICK_S = 0.2
MEGABYTE = 1_000_000
LEAST_LOGPROB, SPEECHLESS, MOST_REPEATED = -1.0, 0.6, 2.4
"""Whisper's own bounds (Radford et al., 2022): segments beyond them are made up of silence, or go round in circles."""


class _Segment(BaseModel):
    model_config = ConfigDict(extra="ignore")

    start: FiniteFloat
    end: FiniteFloat
    text: str
    avg_logprob: FiniteFloat | None = None
    no_speech_prob: FiniteFloat | None = None
    compression_ratio: FiniteFloat | None = None

    @property
    def is_said(self) -> bool:
        """True where the reply does not say itself that these words are guessed."""
        unsure = (self.avg_logprob or 0.0) < LEAST_LOGPROB
        quiet = (self.no_speech_prob or 0.0) > SPEECHLESS and (self.avg_logprob or 0.0) < LEAST_LOGPROB / 2
        return not (unsure or quiet or (self.compression_ratio or 0.0) > MOST_REPEATED)


class _Reply(BaseModel):
    model_config = ConfigDict(extra="ignore")

    segments: list[_Segment]
    language: str | None = None


class EndpointTranscriber:
    """Sends a recording and takes its segments. It is asked by the process that reading processes belong to.

    Raises:
        ConfigError: no address or no model is set.
    """

    def __init__(self, settings: TranscriberSettings) -> None:
        if not settings.base_url or not settings.model:
            message = 'The transcriber "endpoint" needs an address and a model.'
            raise ConfigError(message, cure="Set transcriber.base_url and transcriber.model.")
        self._settings = settings
        self._endpoint = Endpoint(
            settings.base_url,
            settings.api_key.get_secret_value(),
            table="transcriber",
            key_cure=KEY_CURE,
            timeout_s=settings.timeout_s,
            retries=settings.retries,
            reply_mb=settings.max_reply_mb,
        )

    def transcribe(self, name: str, data: bytes, stopped: Callable[[], bool]) -> Speech:
        """Return what is said in a recording, unless it was `stopped`.

        Raises:
            InputError: the recording is larger than may be sent, or asking was stopped.
            ConfigError: the key or the address is refused.
            ServiceError: the endpoint failed after its retries.
        """
        if len(data) > self._settings.max_upload_mb * MEGABYTE:
            message = f"{name!r} has {len(data)} bytes, and {self._settings.max_upload_mb} MB go to the endpoint."
            cure = "Save it as .mp3 or .opus of less, cut it up, or raise transcriber.max_upload_mb."
            raise InputError(message, cure=cure, outcome="too-large")
        return asyncio.run(self._transcribe(name, data, stopped))

    async def _transcribe(self, name: str, data: bytes, stopped: Callable[[], bool]) -> Speech:
        asked: dict[str, object] = {"model": self._settings.model, "response_format": "verbose_json"}
        if self._settings.language:
            asked["language"] = self._settings.language
        posted = self._endpoint.post("audio/transcriptions", asked, self._read, file=(name, data))
        task = asyncio.create_task(posted)
        while not task.done():
            await asyncio.wait([task], timeout=TICK_S)
            if stopped() and not task.done():
                task.cancel()
                message = f"{name!r} was not transcribed: adding was stopped."
                raise InputError(message, cure="Add it again.", outcome="service")
        return task.result()

    def _read(self, reply: bytes) -> Speech:
        try:
            read = _Reply.model_validate_json(reply)
        except ValidationError:
            message = f"{self._endpoint.url} answered with something that holds no segments."
            raise ServiceError(message, cure=READ_CURE, retryable=False) from None
        said = sorted((one for one in read.segments if one.is_said and one.text.strip()), key=lambda one: one.start)
        spans = [(max(one.start, 0.0), one.text.strip(), one.end) for one in said]
        utterances = tuple(Utterance(start, max(end, start), text) for start, text, end in spans)
        return Speech(_code(read.language or self._settings.language), utterances)


def _code(language: str) -> str:
    """Return a language as two letters, "" where the endpoint writes its name: the text then tells.

    >>> _code("de-DE"), _code("german")
    ('de', '')
    """
    letters = "".join(takewhile(str.isalpha, language.lower()))
    return letters if len(letters) == 2 else ""

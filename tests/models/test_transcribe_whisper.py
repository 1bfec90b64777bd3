"""Whisper: it reaches no network, its file is the one that was measured, and words have their times."""

from __future__ import annotations

import socket

import numpy as np
import pytest

from load.samples_sound import samples_of
from load.speech_files import BERLET, LEASE
from rove.errors import ConfigError
from rove.models import transcribe_whisper
from rove.models.transcribe import RATE_HZ
from rove.models.transcribe_whisper import WhisperTranscriber


def test_no_network_is_reached_and_words_have_their_times(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refused)
    monkeypatch.setenv("HF_HUB_OFFLINE", "0")
    transcribe_whisper._load_whisper_model.cache_clear()
    speech = WhisperTranscriber().transcribe(samples_of(LEASE.read_bytes()), "", "")
    assert speech.language == "en"
    assert not speech.unsure
    starts = [one.start_s for one in speech.utterances]
    assert starts == sorted(starts)
    when = {word: one.start_s for one in speech.utterances for word in one.text.split()}
    assert when["lease"] < 1.5 < when["rent"] < 4.5 < when["passport"] < 9.0


def test_the_language_of_a_part_is_heard_or_that_of_the_part_before() -> None:
    whole = samples_of(BERLET.read_bytes())
    heard = WhisperTranscriber()
    said = heard.transcribe(whole, "", "en")
    assert said.language == "hu"
    assert said.unsure, "a program speaks, and hardly a word is understood"
    hungarian = whole[: 5 * RATE_HZ]
    assert heard.transcribe(hungarian, "de", "en").language in {"de", ""}
    assert heard._heard(np.zeros(RATE_HZ, np.float32), "fr") == ["fr"]
    assert len(heard._heard(np.zeros(RATE_HZ, np.float32), "")) > 1, "of silence it is sure of no language"


def test_another_file_than_the_measured_one_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcribe_whisper, "SHA256", "0" * 64)
    transcribe_whisper._load_whisper_model.cache_clear()
    with pytest.raises(ConfigError, match="another model than 00000000"):
        transcribe_whisper._load_whisper_model()
    monkeypatch.setattr(transcribe_whisper, "PARTS", (("no_such_package", "a"),))
    with pytest.raises(ConfigError, match="weights of Whisper are not there"):
        transcribe_whisper._load_whisper_model()

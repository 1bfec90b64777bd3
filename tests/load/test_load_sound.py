"""Recordings: speech becomes text whose words have their seconds; silence, noise and tones become no words."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

from load import samples_sound
from load.samples_sound import RATE_HZ, recording, samples_of, wav
from load.speech_files import LEASE
from rove.errors import InputError
from rove.load import LoadOptions
from rove.load.discover import load_documents
from rove.load.limits import OutOfTime
from rove.load.sniff import sniff
from rove.load.sound import decode
from rove.load.sound.loader import SoundLoader
from rove.load.transcripts import Transcripts
from rove.models.fake import FakeTranscriber
from rove.models.transcribe import TRANSCRIBERS, Samples
from rove.records import Document, Source
from rove.records.moment import Speech, TimeSpan, Utterance, time_at

FAKE, WHISPER = LoadOptions(transcriber="fake"), LoadOptions(transcriber="whisper")
CHANCE = np.random.default_rng(46)
SECONDS = np.arange(20 * RATE_HZ) / RATE_HZ


class Recorder(FakeTranscriber):
    """Says its number, and keeps what it was asked."""

    asked: list[tuple[float, str, str]] = []  # noqa: RUF012 - of the class, which the loader makes anew
    languages: tuple[str, ...] = ("en",)

    def transcribe(self, samples: Samples, language: str, before: str) -> Speech:
        number = len(self.asked)
        self.asked.append((len(samples) / RATE_HZ, language, before))
        said = Utterance(0.5, 1.5, f"Part {number} is said.")
        return Speech(self.languages[number % len(self.languages)], (said,))


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Recorder]]:
    monkeypatch.setattr(Recorder, "asked", [])
    monkeypatch.setitem(TRANSCRIBERS.table, "fake", f"{__name__}:Recorder")
    monkeypatch.setattr("rove.registry.load", lambda path: Recorder if path.endswith(":Recorder") else _load(path))
    return Recorder


def _load(path: str) -> object:
    module, _, name = path.partition(":")
    return getattr(__import__(module, fromlist=[name]), name)


def source(data: bytes, name: str = "call.mp3") -> Source:
    return Source(f"/{name}", name, data, sniff(data, "audio"))


def read(data: bytes, options: LoadOptions = FAKE, name: str = "call.mp3") -> Document:
    [document] = load_documents(source(data, name), options)
    return document


def repeated(times: int, pause_s: float = 3.0) -> bytes:
    pause = np.zeros(int(pause_s * RATE_HZ), np.float32)
    said = samples_of(LEASE.read_bytes())
    return wav(np.concatenate([part for n in range(times) for part in (said * (1 - n / 100), pause)]))


def test_what_is_said_is_read_and_each_word_has_its_second() -> None:
    document = read(LEASE.read_bytes(), WHISPER)
    words = set(re.findall(r"\w+", document.text.lower()))
    assert {"lease", "march", "rent", "940", "euros", "passport", "bristol"} <= words
    assert (document.kind, document.language, document.title) == ("audio", "en", "call")
    assert document.text.startswith("# call\n\n")
    assert document.metadata["length_s"] == pytest.approx(9.0, abs=0.2)
    body = document.text.index("\n\n") + 2
    times = [time_at(document, (at, at + 1)) for at in range(body, len(document.text))]
    seen = [time.start_s for time, sign in zip(times, document.text[body:], strict=True) if time and not sign.isspace()]
    assert len(seen) == sum(not sign.isspace() for sign in document.text[body:]), "every character has its second"
    assert seen == sorted(seen)
    assert max(time.end_s for time in times if time) <= 9.5
    bristol = document.text.index("Bristol")
    said = time_at(document, (bristol, bristol + 7))
    assert said
    assert said.start_s > 3.0


@pytest.mark.parametrize("suffix", samples_sound.FORMATS)
def test_formats_are_known_by_their_bytes_and_titles_by_their_tags(suffix: str) -> None:
    film = suffix in {"mp4", "webm"}
    data = recording(suffix, title="Lease talk", film=film)
    assert sniff(data, "") == ("video" if film else "audio")
    document = read(data, name="x.bin")
    assert document.title == "Lease talk" or suffix in {"wav", "aiff"}
    times = [time_at(document, (box.span[0], box.span[1])) for box in document.boxes]
    assert len(document.boxes) >= 8, "a sentence for each second, of the fake transcriber"
    assert [time.start_s for time in times if time] == pytest.approx(
        [box.left * 60 for box in document.boxes], abs=0.06
    )
    assert document.metadata["length_s"] == pytest.approx(9.0, abs=0.3)


@pytest.mark.parametrize(
    "samples",
    [
        np.zeros(20 * RATE_HZ),
        CHANCE.normal(0, 0.2, 20 * RATE_HZ),
        0.3 * np.sin(2 * np.pi * 440 * SECONDS),
        0.1 * np.sin(2 * np.pi * 98 * SECONDS) * (1 + np.sin(4 * np.pi * SECONDS))
        + CHANCE.normal(0, 0.01, len(SECONDS)),
        np.cumsum(CHANCE.normal(0, 0.002, 20 * RATE_HZ)) % 0.5,
    ],
    ids=["silence", "noise", "tone", "beats", "rumble"],
)
def test_where_nobody_speaks_no_word_is_made_up(samples: np.ndarray) -> None:
    with pytest.raises(InputError, match="No word is made out") as caught:
        read(wav(samples), WHISPER)
    assert caught.value.outcome == "empty"


def test_without_a_transcriber_the_cure_names_the_extra_and_the_endpoint() -> None:
    with pytest.raises(InputError, match="nothing here transcribes speech") as caught:
        read(LEASE.read_bytes(), LoadOptions())
    assert caught.value.outcome == "unsupported"
    assert re.search(r"pip install .*\[audio\]", caught.value.cure)
    assert "transcriber.base_url" in caught.value.cure
    with pytest.raises(InputError, match="transcriber.name is 'off'") as caught:
        read(LEASE.read_bytes(), LoadOptions(transcriber="off"))
    assert caught.value.outcome == "unsupported"


def test_a_long_recording_is_heard_in_parts_and_goes_on_where_it_stopped(recorder: type[Recorder]) -> None:
    data = repeated(14)  # 2 minutes 48
    told: list[tuple[str, bytes, int, int]] = []
    first = read(data, LoadOptions(transcriber="fake", transcripts=Transcripts(tell=lambda *one: told.append(one))))
    parts = [length for length, _, _ in recorder.asked]
    assert len(parts) >= 6
    assert max(parts) <= 28.0
    assert [page for *_, page, _ in told] == sorted(page for *_, page, _ in told)
    assert {pages for *_, pages in told} == {3}
    assert told[-1][2] == 3
    kept = {digest: packed for digest, packed, *_ in told if packed}
    starts = [box.left * 60 + (box.page - 1) * 60 for box in first.boxes]
    assert starts == sorted(starts)
    assert starts[-1] > 140

    half = dict(list(kept.items())[: len(kept) // 2])
    recorder.asked.clear()
    again: list[bytes] = []
    rest = Transcripts(half, lambda _, packed, *__: again.append(packed))
    read(data, LoadOptions(transcriber="fake", transcripts=rest))
    assert sum(map(bool, again)) == len(kept) - len(half)
    assert len(recorder.asked) == len(kept) - len(half)
    recorder.asked.clear()
    assert read(data, LoadOptions(transcriber="fake", transcripts=Transcripts(kept))) == first
    assert recorder.asked == []


def test_where_the_time_is_up_what_was_heard_is_kept(recorder: type[Recorder], monkeypatch: pytest.MonkeyPatch) -> None:
    data = repeated(14)
    documents = load_documents(source(data), LoadOptions(transcriber="fake", transcripts=Transcripts(max_s=1e-9)))
    assert "Part 0 is said." in next(documents).text
    with pytest.raises(InputError, match=r"transcribing ended at [01]:\d\d") as caught:
        next(documents)
    assert caught.value.outcome == "partial"

    recorder.asked.clear()
    hear = Recorder.transcribe

    def slow(self: Recorder, samples: Samples, language: str, before: str) -> Speech:
        if len(self.asked) == 2:
            raise OutOfTime
        return hear(self, samples, language, before)

    monkeypatch.setattr(Recorder, "transcribe", slow)
    documents = load_documents(source(data), LoadOptions(transcriber="fake"))
    assert "Part 1 is said." in next(documents).text
    with pytest.raises(InputError, match="its time was up at") as caught:
        next(documents)
    assert caught.value.outcome == "partial"


def test_the_language_is_heard_part_by_part_and_said_in_the_document(recorder: type[Recorder]) -> None:
    recorder.languages = ("de", "de", "en")
    try:
        document = read(repeated(14))
    finally:
        recorder.languages = ("en",)
    assert document.language == "de"
    assert document.metadata["languages"] == ("de", "en")
    assert recorder.asked[0][1:] == ("", "")
    assert [before for _, _, before in recorder.asked[1:4]] == ["de", "de", "en"]
    recorder.asked.clear()
    read(repeated(2), LoadOptions(transcriber="fake", spoken="hu"))
    assert {language for _, language, _ in recorder.asked} == {"hu"}


def test_damaged_and_soundless_files_say_so() -> None:
    with pytest.raises(InputError) as caught:
        read(b"OggS" + CHANCE.bytes(9_000))
    assert caught.value.outcome == "damaged"
    whole = recording("mp3")
    part = read(whole[: len(whole) // 2])
    assert 3.0 < float(str(part.metadata["length_s"])) < 9.1
    with pytest.raises(InputError, match="has no sound") as caught:
        read(samples_sound.silent_film())
    assert caught.value.outcome == "empty"


def test_words_that_are_said_over_and_over_and_signs_of_markup_are_left_out(
    recorder: type[Recorder], monkeypatch: pytest.MonkeyPatch
) -> None:
    def loop(self: Recorder, samples: Samples, language: str, before: str) -> Speech:
        del self, samples, language, before
        said = ["# Thank you all.", "Thank you all.", "Thank you all.", "Thank you all.", "- Five,", "five,", "five,"]
        return Speech("en", tuple(Utterance(at, at + 1.0, text) for at, text in enumerate(said)))

    monkeypatch.setattr(Recorder, "transcribe", loop)
    document = read(LEASE.read_bytes())
    assert document.text == "# call\n\nThank you all. Thank you all.\n\nFive, five, five,"
    assert len(document.sections) == 1


def test_a_pause_begins_a_paragraph_and_memory_is_bounded_by_a_minute() -> None:
    listened = list(decode.Recording("x", repeated(14, pause_s=1.0)).heard())
    assert len(listened) >= 3
    assert max(sum(len(one.samples) for one in step.stretches) for step in listened) <= 90 * RATE_HZ
    texts = SoundLoader(LoadOptions(transcriber="fake")).load(source(repeated(3)))
    assert next(texts).text.count("\n\n") >= 3
    assert TimeSpan(0.0, 1.0).clock == "0:00–0:01"


def test_words_that_are_not_sure_are_kept_and_said_to_be(
    recorder: type[Recorder], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = Speech("hu", (Utterance(0.5, 1.5, "A méleti szerződés."),), unsure=True)
    monkeypatch.setattr(recorder, "transcribe", lambda *_: said)
    read = load_documents(source(repeated(1)), FAKE)
    assert "A méleti szerződés." in next(read).text
    with pytest.raises(InputError, match=r"perhaps others than were said \(0:00–0:0") as caught:
        next(read)
    assert caught.value.outcome == "partial"

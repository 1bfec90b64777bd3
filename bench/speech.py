"""Speech: errors of words and characters on voices made here and on people's, sound without speech, and CPU time.

`python -m bench speech --sets a` speaks sentences with espeak-ng and flite (Debian packages); `--sets b` takes the
prompts of Debian's telephone exchange, read by people at 8 kHz, clean and with noise, and the music that it plays.
"""

from __future__ import annotations

import gzip
import re
import subprocess
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from shutil import which
from time import process_time

import av
import numpy as np
from rapidfuzz.distance import Levenshtein

from bench import CACHE
from bench.report import Table, facts, say
from rove.errors import InputError
from rove.load import LoadOptions
from rove.load.sound.loader import SoundLoader
from rove.records import Document, Source

FOLDER = CACHE / "speech"
WHISPER = LoadOptions(transcriber="whisper")
UNSPACED = {"zh", "ja"}
SAID = {
    "en": "The boiler in the basement is inspected every winter. Please call the town hall if the pressure falls.",
    "de": "Der Kessel im Keller wird jeden Winter geprüft. Bitte rufen Sie das Rathaus an, wenn der Druck fällt.",
    "hu": "A pincében lévő kazánt minden télen ellenőrzik. Kérjük, hívja a városházát, ha csökken a nyomás.",
    "fr": "La chaudière de la cave est contrôlée chaque hiver. Appelez la mairie si la pression baisse.",
    "zh": "地下室的锅炉每年冬天检查。如果压力下降，请打电话给市政厅。",
    "ja": "地下室のボイラーは毎年冬に点検されます。圧力が下がったら市役所に電話してください。",
}
ESPEAK = {"en": "en-gb", "de": "de", "hu": "hu", "fr": "fr-fr", "zh": "cmn", "ja": "ja"}
FLITE = ("slt", "rms", "awb")
PEOPLE = {"en": "en_US_f_Allison", "fr": "fr_CA_f_June", "es": "es_MX_f_Allison", "it": "it_IT_m_Carlo",
          "ru": "ru_RU_f_IvrvoiceRU"}  # fmt: skip
MUSIC = "asterisk-moh-opsound-wav"
LEAST_CHARS, PROMPTS, MUSIC_S, RATE_HZ = 60, 3, 60, 16_000
NOISE = 0.02
LINE = re.compile(r"^([\w/-]+):\s+(\S.*)$")
BEGIN, END = "<!-- speech -->", "<!-- end of speech -->"
TRACK = ("mp3", "libmp3lame")


@dataclass(frozen=True, slots=True)
class Spoken:
    """A recording, and what is said in it."""

    voice: str
    language: str
    data: bytes
    said: str


def write(file: Path, command: str, tables: Sequence[Table]) -> None:
    """Put the tables into a page, between the marks of this part."""
    before, _, rest = file.read_text("utf-8").partition(BEGIN)
    told = "\n".join(("", *facts(command), "", *(table.markdown().replace("## ", "### ", 1) for table in tables)))
    file.write_text(f"{before}{BEGIN}\n{told}{END}{rest.partition(END)[2]}", "utf-8")


def run(sets: Sequence[str] = ("a", "b")) -> list[Table]:
    """Measure the sets that are named."""
    return [table for name in sets for table in (_made if name == "a" else _people)()]


def _made() -> list[Table]:
    return [_errors("Speech: voices of programs (set a, built on)", list(_voices()))]


def _people() -> list[Table]:
    spoken = list(_prompts())
    noisy = [Spoken(f"{one.voice}, noise, mp3", one.language, _noisy(one.data), one.said) for one in spoken]
    return [_errors("Speech: people on the telephone (set b, not looked at before)", [*spoken, *noisy]), _silences()]


def _voices() -> Iterator[Spoken]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    file = FOLDER / "said.wav"
    for language, text in SAID.items():
        if which("espeak-ng"):
            subprocess.run(["espeak-ng", "-v", ESPEAK[language], "-s", "140", "-w", file, text], check=True)
            yield Spoken("espeak-ng", language, file.read_bytes(), text)
    for voice in FLITE if which("flite") else ():
        subprocess.run(["flite", "-voice", voice, "-t", SAID["en"], "-o", file], check=True)
        yield Spoken(f"flite {voice}", "en", file.read_bytes(), SAID["en"])


def _fetched(package: str) -> Path:
    folder = FOLDER / package
    if not folder.is_dir():
        FOLDER.mkdir(parents=True, exist_ok=True)
        subprocess.run(["apt-get", "download", "-qq", package], cwd=FOLDER, check=True)
        [archive] = FOLDER.glob(f"{package}_*.deb")
        subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)
    return folder


def _prompts() -> Iterator[Spoken]:
    """The first prompts of each language that are long enough, hold no digit, and are not cut up."""
    for language, voice in PEOPLE.items():
        texts = _fetched(f"asterisk-core-sounds-{language}")
        sounds = _fetched(f"asterisk-core-sounds-{language}-wav") / "usr/share/asterisk/sounds" / voice
        [told] = texts.rglob(f"core-sounds-{language}.txt.gz")
        found = 0
        for line in gzip.decompress(told.read_bytes()).decode("utf-8", "replace").splitlines():
            named = LINE.match(line.strip())
            file = sounds / f"{named[1]}.wav" if named else None
            if not named or not file or not file.is_file() or len(named[2]) < LEAST_CHARS or re.search(r"\d", named[2]):
                continue
            yield Spoken(voice, language, file.read_bytes(), re.sub(r"\[.*?\]|\(.*?\)", "", named[2]))
            found += 1
            if found == PROMPTS:
                break


def _errors(title: str, spoken: Sequence[Spoken]) -> Table:
    groups: dict[tuple[str, str], list[Spoken]] = {}
    for one in spoken:
        groups.setdefault((one.language, one.voice), []).append(one)
    rows: list[list[object]] = []
    for (language, voice), ones in groups.items():
        say(f"speech: {language}, {voice}")
        wrong = total = told = 0
        seconds, cpu_s = 0.0, 0.0
        for one in ones:
            began = process_time()
            document = _read(one.data)
            cpu_s += process_time() - began
            seconds += _length_s(one.data)
            wanted = _units(one.said, language)
            wrong += Levenshtein.distance(wanted, _units(_text(document), language))
            total += len(wanted)
            told += document is not None and document.language == language
        unit = "characters" if language in UNSPACED else "words"
        rows.append([f"{language}, {voice}", len(ones), unit, wrong / total, told / len(ones), cpu_s * 60 / seconds])
    columns = ("language, voice", "recordings", "units", "errors a unit", "language right", "CPU s a minute of sound")
    return Table(title, columns, rows)


def _silences() -> Table:
    """Read what holds no speech: each must have no words."""
    folder = _fetched(MUSIC)
    chance, rows = np.random.default_rng(7), list[list[object]]()
    times = np.arange(MUSIC_S * RATE_HZ) / RATE_HZ
    sounds = {file.stem: file.read_bytes() for file in sorted(folder.rglob("*.wav"))}
    sounds = {name: _encoded(_samples(data)[: MUSIC_S * RATE_HZ]) for name, data in sounds.items()}
    sounds |= {
        "silence": _encoded(np.zeros(len(times), np.float32)),
        "white noise": _encoded(chance.normal(0, 0.1, len(times)).astype(np.float32)),
        "dial tone": _encoded((0.2 * np.sin(2 * np.pi * 425 * times)).astype(np.float32)),
    }
    for name, data in sounds.items():
        began = process_time()
        document = _read(data)
        spent = process_time() - began
        rows.append([name, len(_text(document)), spent * 60 / MUSIC_S, _text(document)[:60]])
    columns = ("sound, a minute", "characters that were made up", "CPU s a minute of sound", "which")
    return Table("Speech: sound without speech (set b)", columns, rows)


def _read(data: bytes) -> Document | None:
    try:
        return next(SoundLoader(WHISPER).load(Source("/said", "said", data, "audio")))
    except InputError:
        return None


def _text(document: Document | None) -> str:
    return document.text.partition("\n\n")[2] if document else ""


def _units(text: str, language: str) -> list[str]:
    """Words, or characters, without case, accents of composition and punctuation."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words = re.findall(r"\w+", folded)
    return list("".join(words)) if language in UNSPACED else words


def _samples(data: bytes) -> np.ndarray:
    with av.open(BytesIO(data)) as container:
        resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE_HZ)
        frames = [made for frame in (*container.decode(audio=0), None) for made in resampler.resample(frame)]
    return np.concatenate([frame.to_ndarray().reshape(-1) for frame in frames]).astype(np.float32) / 32768


def _length_s(data: bytes) -> float:
    return len(_samples(data)) / RATE_HZ


def _noisy(data: bytes) -> bytes:
    samples = _samples(data)
    return _encoded(samples + np.random.default_rng(len(data)).normal(0, NOISE, len(samples)).astype(np.float32))


def _encoded(samples: np.ndarray) -> bytes:
    """Make an mp3 of samples, as a telephone's recorder would."""
    file = BytesIO()
    with av.open(file, "w", format=TRACK[0]) as out:
        stream = out.add_stream(TRACK[1], rate=RATE_HZ, layout="mono")
        stream.bit_rate = 32_000
        whole = (np.clip(samples, -1, 1) * 32767).astype(np.int16).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(whole, format="s16", layout="mono")
        frame.sample_rate = RATE_HZ
        resampler = av.AudioResampler(format=stream.codec_context.format, layout="mono", rate=RATE_HZ, frame_size=1152)
        for made in (*resampler.resample(frame), *resampler.resample(None)):
            out.mux(stream.encode(made))
        out.mux(stream.encode(None))
    return file.getvalue()

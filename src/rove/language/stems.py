"""A word form as a term: stemmed by its language, folded, and cut to what every store keeps."""

from __future__ import annotations

import unicodedata
from threading import Lock
from typing import Protocol

import regex
import Stemmer

MAX_TERM_BYTES = 39  # a whitespace tokenizer with max_token_length 40 drops longer ones
STEMMERS = {
    "ar": "arabic",
    "ca": "catalan",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "el": "greek",
    "en": "english",
    "eo": "esperanto",
    "es": "spanish",
    "et": "estonian",
    "eu": "basque",
    "fa": "persian",
    "fi": "finnish",
    "fr": "french",
    "ga": "irish",
    "hi": "hindi",
    "hu": "hungarian",
    "hy": "armenian",
    "id": "indonesian",
    "it": "italian",
    "lt": "lithuanian",
    "ne": "nepali",
    "nl": "dutch",
    "no": "norwegian",
    "pl": "polish",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sr": "serbian",
    "st": "sesotho",
    "sv": "swedish",
    "ta": "tamil",
    "tr": "turkish",
    "yi": "yiddish",
}
_MARKS = regex.compile(r"[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]+")
_LETTERS = str.maketrans({"ł": "l", "ø": "o", "đ": "d", "æ": "ae", "œ": "oe", "ħ": "h", "ı": "i", "þ": "th", "ð": "d"})


class _Snowball(Protocol):
    def stemWord(self, word: str, /) -> str: ...  # noqa: N802 - PyStemmer's name


class Stem:
    """Stems, folds and cuts the forms of one language.

    >>> Stem("de")("häuser"), Stem("und")("müller")
    ('haus', 'muller')
    """

    def __init__(self, language: str) -> None:
        name = STEMMERS.get(language)
        self._snowball: _Snowball | None = Stemmer.Stemmer(name, 0) if name else None  # pyright: ignore[reportUnknownMemberType]
        self._lock = Lock()  # a Snowball stemmer is not to be called by two threads at once

    def __call__(self, form: str) -> str:
        """Return the term: without white space, at most `MAX_TERM_BYTES` in UTF-8, "" where nothing is left."""
        if self._snowball is not None:
            with self._lock:
                form = self._snowball.stemWord(form)
        if not form.isascii():
            form = _MARKS.sub("", unicodedata.normalize("NFKD", form)).translate(_LETTERS)
            form = "".join(unicodedata.normalize("NFC", form).split())
        if len(form) * 4 > MAX_TERM_BYTES and len(data := form.encode()) > MAX_TERM_BYTES:
            return data[:MAX_TERM_BYTES].decode(errors="ignore")
        return form

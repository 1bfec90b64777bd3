"""Which language a text is in: by its script, then by its function words, by a model only where these cannot say."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from functools import cache
from importlib import import_module
from itertools import chain
from threading import Lock
from typing import Protocol, cast

from rove.language.scripts import CLASSES, class_counts
from rove.language.stopwords import languages_of, stop_words

UNKNOWN = "und"
SAMPLE_CHARS = 1500
_LATIN = """
af az bs ca cs cy da de en eo es et eu fi fr ga gl hr hu id is it lt lv ms mt nl no pl pt ro sk sl sq sv sw tl tr vi
"""
LATIN = frozenset(_LATIN.split())
CYRILLIC = frozenset(("be", "bg", "kk", "ky", "mk", "mn", "ru", "sr", "tg", "uk"))
ARABIC = frozenset(("ar", "fa", "ur", "ps", "ug"))
OF_SCRIPT = {
    "greek": "el",
    "armenian": "hy",
    "hebrew": "he",
    "devanagari": "hi",
    "bengali": "bn",
    "tamil": "ta",
    "telugu": "te",
    "thai": "th",
    "lao": "lo",
    "myanmar": "my",
    "georgian": "ka",
    "hangul": "ko",
    "khmer": "km",
}
_WIDE = {"han": 3, "kana": 3, "hangul": 2}  # one such character says about as much as so many letters
_KANA_SHARE = 0.04  # Chinese texts quote a kana now and then, long ones a name or two
_KANA_SHARE_LONG = 0.15
_LONG_HAN = 60
_CLEAR_HITS = 4
_SURE_HITS = 3
_SURE_LETTERS = 24
_NAMES_SHARE = 0.25  # names and terms of another script take up no more of a text
_NO_LETTERS = ("space", "mark", "digit", "other")
_MODEL_CHARS = 400
_FIRST_CHARS = 240  # the beginning is asked first; most texts need no more
_HIT_WEIGHT = 6.0  # one function word against the model's log-likelihood
_PRIOR = {"en": 5.0, "de": 2.0, "fr": 1.5, "es": 1.5, "hu": 1.0, "it": 1.0, "pt": 0.5, "nl": 0.0, "ru": 4.0}
_FAMILIAR = -2.0  # prior of another language that has function words here
_RARE = -5.0
_WORDS = re.compile(r"[^\W\d_]+")
_ASCII_LETTER = re.compile(r"[A-Za-z]")
_URDU = re.compile("[ٹڈڑںےہھ]")
_PASHTO = re.compile("[ټډړښځڅڼ]")
_UIGHUR = re.compile("[ۇۆۈۋې]")
_PERSIAN = re.compile("[پچژگیک]")
_loading = Lock()


class _Model(Protocol):
    def rank(self, text: str, /) -> list[tuple[str, float]]: ...


def detect(text: str, among: Collection[str] | None = None) -> str:
    """Return the ISO 639-1 code of the language of `text`, or "und" where nothing tells it.

    `among` restricts the candidates, e.g. to the languages that a base holds: with one candidate for the text's
    script no model is loaded; with none the answer is "und". Long texts are judged by their beginning and middle.

    >>> detect("勝ったのは誰ですか"), detect("누가 이겼나요"), detect("谁赢了"), detect("12 + 3")
    ('ja', 'ko', 'zh', 'und')
    >>> detect("ki nyerte", among={"hu", "zh"})
    'hu'
    """
    sample = text if len(text) <= 2 * SAMPLE_CHARS else _detection_sample(text)
    script = _script(sample)
    if script in ("latin", "cyrillic"):
        possible = LATIN if script == "latin" else CYRILLIC
        possible = possible if among is None else possible.intersection(among)
        return next(iter(possible)) if len(possible) == 1 else _language_from_words(sample, possible)
    found = _of_script(script, sample)
    if among is None or found in among:
        return found
    alike = ARABIC if script == "arabic" else frozenset({"zh", "ja"}) if script == "han" else frozenset[str]()
    return min(alike.intersection(among), default=UNKNOWN)


def other_language(text: str, language: str) -> str:
    """Return the language of a text that is surely not in `language`; "" where it may be, or where nothing tells.

    Its script says so, or function words that `language` does not have: names, numbers and terms of another language
    do not.

    >>> other_language("The gate is open from eight to five on all days.", "de"), other_language("Tokio 2020", "ja")
    ('en', '')
    """
    sample = text if len(text) <= 2 * SAMPLE_CHARS else _detection_sample(text)
    script, own = _script(sample), _script_of(language)
    if script and own and script != own:
        letters = sum(map(str.isalpha, sample)) * _WIDE.get(script, 1)
        if {script, own} == {"han", "kana"}:
            sure = own == "kana" or _script_share(sample, "kana") > _NAMES_SHARE
        else:
            sure = _script_share(sample, own) < _NAMES_SHARE
        return detect(sample) if sure and letters >= _SURE_LETTERS else ""
    if script not in ("latin", "cyrillic") or not stop_words(language):
        return ""
    words = _WORDS.findall(sample.casefold())
    spoken = [languages for word in words if (languages := languages_of().get(word))]
    found = (*Counter(chain.from_iterable(spoken)).most_common(1), ("", 0))[0][0]
    only = sum(found in languages and language not in languages for languages in spoken)
    own_only = sum(language in languages and found not in languages for languages in spoken)
    return found if found != language and only >= max(_SURE_HITS, 4 * own_only) else ""


def _script_of(language: str) -> str:
    """Return the script that a language is written in, as `_script` names it; "" where that is not known."""
    if language in LATIN or language in CYRILLIC:
        return "latin" if language in LATIN else "cyrillic"
    if language in ARABIC or language in ("zh", "ja"):
        return {"zh": "han", "ja": "kana"}.get(language, "arabic")
    return next((script for script, code in OF_SCRIPT.items() if code == language), "")


def _script_share(text: str, script: str) -> float:
    """Return which part of a text is in a script, by what its characters say."""
    counts = dict(zip(CLASSES, class_counts(text).tolist(), strict=True))
    weights = {name: count * _WIDE.get(name, 1) for name, count in counts.items() if name not in _NO_LETTERS}
    return weights.get(script, 0) / max(1, sum(weights.values()))


def _detection_sample(text: str) -> str:
    middle = len(text) // 2
    return f"{text[:SAMPLE_CHARS]} {text[middle : middle + SAMPLE_CHARS]}"


def _script(sample: str) -> str:
    if sample.isascii():
        return "latin" if _ASCII_LETTER.search(sample) else ""
    counts = dict(zip(CLASSES, class_counts(sample).tolist(), strict=True)) if sample else {}
    counts["latin"] = counts.get("latin", 0) + counts.pop("accented", 0)
    kana = counts.pop("kana", 0)
    han = counts.get("han", 0)
    for name in _NO_LETTERS:
        counts.pop(name, None)
    if kana > (_KANA_SHARE if han < _LONG_HAN else _KANA_SHARE_LONG) * han:
        counts["kana"] = kana + counts.pop("han", 0)
    best = max(counts, key=lambda name: counts[name] * _WIDE.get(name, 1))
    return best if counts[best] else ""


def _of_script(script: str, sample: str) -> str:
    if script == "arabic":
        return _arabic(sample)
    return {"kana": "ja", "han": "zh"}.get(script) or OF_SCRIPT.get(script, UNKNOWN)


def _arabic(sample: str) -> str:
    for letters, language in ((_UIGHUR, "ug"), (_PASHTO, "ps"), (_URDU, "ur"), (_PERSIAN, "fa")):
        if len(letters.findall(sample)) > len(sample) // 200:
            return language
    return "ar"


def _language_from_words(sample: str, possible: frozenset[str]) -> str:
    """Choose by function words where they are clear, else by these and the model together."""
    if not possible:
        return UNKNOWN
    if len(sample) > _FIRST_CHARS and (found := _by_clear_words(sample[:_FIRST_CHARS], possible)):
        return found
    words = _WORDS.findall(sample.casefold())
    votes = _votes(words, possible)
    if found := _clear_vote_winner(votes, len(words), possible):
        return found
    best, _ = (*votes.most_common(1), ("", 0))[0]
    weight = _HIT_WEIGHT / max(1.0, len(words) / 8)
    ranked = {code: score for code, score in _langid_model().rank(sample[:_MODEL_CHARS]) if code in possible}
    if not ranked:
        return best or UNKNOWN
    return max(ranked, key=lambda code: ranked[code] + weight * votes.get(code, 0) + _prior(code))


def _by_clear_words(sample: str, possible: frozenset[str]) -> str:
    words = _WORDS.findall(sample.casefold())
    return _clear_vote_winner(_votes(words, possible), len(words), possible)


def _votes(words: list[str], possible: frozenset[str]) -> Counter[str]:
    votes = Counter(chain.from_iterable(filter(None, map(languages_of().get, words))))
    for language in votes.keys() - possible:
        del votes[language]
    return votes


def _clear_vote_winner(votes: Counter[str], words: int, possible: frozenset[str]) -> str:
    """Return the language whose function words decide alone, "" where none do."""
    hits, second = (*sorted(votes.values(), reverse=True)[:2], 0, 0)[:2]
    best = max(votes, key=votes.__getitem__, default="")
    few = len(possible) <= len(_PRIOR)
    clear = hits >= _CLEAR_HITS and hits - second >= 1.5 * hits**0.5 and hits * 5 >= words
    return best if (few and hits > second) or clear else ""


@cache
def _prior(language: str) -> float:
    return _PRIOR.get(language, _FAMILIAR if stop_words(language) else _RARE)


def load_model() -> None:
    """Load the model that unclear texts need: 0.05 s, once a machine 0.7 s, if files can be written here."""
    _langid_model()


def _langid_model() -> _Model:
    with _loading:
        return _load_langid_model()


@cache
def _load_langid_model() -> _Model:
    return cast("_Model", import_module("rove.language.langid").load(LATIN | CYRILLIC))

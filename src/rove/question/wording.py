"""The words of a question that tell what it is about, as they are written: without function words and particles."""

from __future__ import annotations

import regex

from rove.language.scripts import UNSPACED
from rove.language.stopwords import stop_words

MOST_CHARS = 2_000
_RUNS = regex.compile(rf"{UNSPACED}+|[^\W{UNSPACED[1:-1]}]+(?:[-.'’&][^\W{UNSPACED[1:-1]}]+)*")
_CONTENT = regex.compile(r"[\p{Han}〇々]+|[\p{Katakana}ー]+")
_KANA = regex.compile(r"\p{Hiragana}")
ASKING = "何誰"
"""What asks in Japanese where it stands before a counter or alone: 何日, 誰."""
_PARTICLES = frozenset("的了吗嗎呢吧啊呀是在谁誰请請哪")


def telling_words(text: str, language: str) -> list[str]:
    """Return the telling words in their order, each once. Chinese is cut at its function words, Japanese at its kana.

    >>> telling_words("Who approves remote work?", "en"), telling_words("在宅勤務は誰が承認しますか", "ja")
    (['approves', 'remote', 'work'], ['在宅勤務', '承認'])
    >>> telling_words("谁批准远程办公？", "zh"), telling_words("这个呢？", "zh"), telling_words("他在哪里学习？", "zh")
    (['批准远程办公'], [], ['学习'])
    """
    stops = stop_words(language)
    found: list[str] = []
    for run in _RUNS.findall(text[:MOST_CHARS]):
        if regex.match(UNSPACED, run):
            found += _cjk_content_words(run, language)
        elif (run.isupper() and len(run) > 1) or run.casefold() not in stops:
            found.append(run)
    return list(dict.fromkeys(found))


def _cjk_content_words(run: str, language: str) -> list[str]:
    stops = stop_words(language if language in {"zh", "ja"} else "zh")
    if language == "ja" or _KANA.search(run):
        return [
            piece for piece in _CONTENT.findall(run) if piece not in stop_words("ja") and not set(ASKING) >= set(piece)
        ]
    pieces: list[str] = []
    rest, at = "", 0
    while at < len(run):
        size = next((n for n in (3, 2) if run[at : at + n] in stops), 1 if run[at] in _PARTICLES else 0)
        while size > 1 and len(over := run[at + size - 1 : at + size + 1]) == 2 and over in stops:
            size += 1  # 在哪 and 哪里 are 在哪里
        if size:
            pieces.append(rest)
            rest, at = "", at + size
        else:
            rest, at = rest + run[at], at + 1
    kept = [piece for piece in (*pieces, rest) if piece and piece not in stops]
    return [piece for piece in kept if len(piece) > 1] or kept  # one character left between two cuts tells little

"""Which of the older encodings a text is in, by the letters that its bytes would be.

A text is read in each encoding that its bytes allow, and each reading is scored: letters of one language's alphabet
count for it, and all that no word holds (a letter of no such alphabet, a sign between letters, a capital after a small
letter) against it. Sources: the alphabets of Unicode CLDR's main exemplar sets.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from dataclasses import dataclass, replace

SAMPLE_CHARS = 20_000
LEAST_SCORE = 0.55
FEW_BYTES, WEST_BONUS = 2, 0.3
THAI_WEIGHT = 0.85
"""Nearly every byte is a letter of Thai: what reads as Thai may be Chinese."""
_WEST = ("àâæçéèêëîïôœùûüÿ", "äöüß", "áéíñóúüªº", "áâãàçéêíóôõúü", "àèéìòùîó", "åäöé",
         "åæøéü", "ëïéèöüáó", "áðéíóúýþæö", "àçèéíïòóúü", "äöõüšž")  # fmt: skip
_EAST = ("áéíóöőúüű", "ąćęłńóśźż", "áčďéěíňóřšťúůýž", "áäčďéíĺľňóôŕšťúýž", "ăâîşţ", "čćđšž", "äöüß")
_BALTIC = ("ąčęėįšųūž", "āčēģīķļņšūž", "äöõüšž")
_CYRILLIC = ("абвгдежзийклмнопрстуфхцчшщъыьэюяё", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя'",
             "абвгдђежзијклљмнњопрстћуфхцчџш", "абвгдеёжзійклмнопрстуўфхцчшыьэюя",
             "абвгдежзийклмнопрстуфхцчшщъьюя")  # fmt: skip
_COMMON = "оеаинтсрвлαοιετσνηυρיוהלאמרתשנالينمترعهو"
"""More than every second letter of a text in Cyrillic or Greek is one of these, and of one in Hebrew or Arabic: their
sets hold each other's bytes."""
_GREEK = ("αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ",)
_TURKISH = ("çğıöşüâîû",)
_HEBREW = ("".join(map(chr, range(0x5D0, 0x5EB))),)
_ARABIC = ("".join(map(chr, [*range(0x621, 0x63B), *range(0x641, 0x653), 0x67E, 0x686, 0x698, 0x6AF])),)
_THAI = ("".join(map(chr, [*range(0xE01, 0xE3B), *range(0xE40, 0xE4F)])),)
# The alphabets that texts in each encoding are written in; of two that read alike the first is taken.
ONE_BYTE = {
    "cp1252": _WEST, "cp1250": _EAST, "cp1251": _CYRILLIC, "iso8859_15": _WEST, "iso8859_2": _EAST,
    "koi8_r": _CYRILLIC[:1],
    "koi8_u": _CYRILLIC[1:2], "cp866": _CYRILLIC, "iso8859_5": _CYRILLIC, "mac_cyrillic": _CYRILLIC, "cp1253": _GREEK,
    "iso8859_7": _GREEK, "cp1254": _TURKISH, "cp1255": _HEBREW, "cp1256": _ARABIC, "cp1257": _BALTIC, "cp874": _THAI,
    "mac_roman": _WEST, "mac_latin2": _EAST, "cp850": _WEST, "cp852": _EAST,
}  # fmt: skip
_PUNCTUATION = frozenset("„“”‚‘’–—…«»‹›·•°§€£©®™±×²³½¼¾µ¿¡№†‰¥¢¹\u00a0\u00ad\u200e\u200f،؛؟")
_AFTER_WORDS = frozenset("®™²³¹¼½¾‰…")
_WITHIN = frozenset("’‘·\u00ad\u200d´")
_MARKS = frozenset("、。，．：；？！「」『』（）・ー〜…“”《》①②③④⑤⑥⑦⑧⑨⑩％＋－")  # noqa: RUF001
MANY_BYTES = ("cp932", "euc_jp", "gb18030", "big5", "cp949")


@dataclass(frozen=True, slots=True)
class Guess:
    """An encoding, and how well what it reads looks: 1 is a text whose every letter fits."""

    encoding: str
    score: float


def guess_encodings(sample: bytes) -> list[Guess]:
    """Return the encodings that fit a text with bytes above 127, the best first.

    >>> guess_encodings("Źle ustawiona głowica może spowodować zużycie łożysk.".encode("iso8859_2"))[0].encoding
    'iso8859_2'
    """
    sample = sample[:SAMPLE_CHARS]
    found = [Guess(name, _one_byte_score(sample.decode(name, "replace"), ONE_BYTE[name])) for name in ONE_BYTE]
    if 0 < sum(byte > 127 for byte in sample) <= FEW_BYTES:  # which tell nothing: most texts are of Western Europe
        found[0] = replace(found[0], score=found[0].score + WEST_BONUS)
    for name in MANY_BYTES:
        text = sample.decode(name, "replace").rstrip("\ufffd")  # the sample may end within a character
        found.append(Guess(name, 0.0 if text.count("\ufffd") * 500 > len(text) else _many_bytes_score(text, name)))
    return sorted((guess for guess in found if guess.score >= LEAST_SCORE), key=lambda guess: -guess.score)


def _one_byte_score(text: str, alphabets: tuple[str, ...]) -> float:
    letters: Counter[str] = Counter()
    total = bad = 0.0
    before = " "
    for at, char in enumerate(text):
        if char > "\x7f":
            total += 1
            after = text[at + 1] if at + 1 < len(text) else " "
            if char not in _PUNCTUATION and (char.isalpha() or unicodedata.category(char) == "Mn"):
                letters[char.lower()] += 1
                # a capital within a word that is no capital word
                bad += (0.7 if before.islower() else 0.02) if char.isupper() else 0.0
                # letters of another script stand in words of their own
                bad += char >= "\u0370" and (_is_latin(before) or _is_latin(after))
            elif char not in _PUNCTUATION:
                bad += 2 if "\x80" <= char < "\xa0" or char == "\ufffd" else 1
            elif after.isalpha() and (before.isalpha() or char in _AFTER_WORDS) and char not in _WITHIN:
                bad += 1
        elif "A" <= char <= "Z" and before > "\x7f" and before.islower():
            bad += 0.7
        before = char
    if not total:
        return 0.0
    # Of alphabets that hold all letters, that of which more is used is likelier: so little that it decides ties only.
    fits = max(
        sum(letters[char] for char in alphabet) + 0.01 * sum(char in letters for char in alphabet) / len(alphabet)
        for alphabet in alphabets
    )
    foreign = letters.total() - fits
    found = (total - foreign - bad + 0.03 * sum(letters[char] for char in _COMMON)) / total
    found -= 0.2 * (total - letters.total()) / total  # signs fit any encoding
    return THAI_WEIGHT * found if alphabets is _THAI else found


def _is_latin(char: str) -> bool:
    return char < "\u0250" and char.isalpha()


def _many_bytes_score(text: str, encoding: str) -> float:
    """Of the characters of several bytes, the share that texts of these languages are made of."""
    wide = [char for char in text if char > "\x7f"]
    if not wide:
        return 0.0
    kana = sum("\u3040" <= char <= "\u30ff" for char in wide)
    half_kana = sum("\uff61" <= char <= "\uff9f" for char in wide)
    hangul = sum("\uac00" <= char <= "\ud7a3" for char in wide)
    han = sum("\u4e00" <= char <= "\u9fff" for char in wide)
    marks = sum(char in _MARKS or "\uff10" <= char <= "\uff5a" for char in wide)
    total = len(wide)
    if encoding in ("cp932", "euc_jp"):
        if half_kana and kana and (kana + han) * 5 > total:  # Cyrillic would be half-width kana alone
            return 0.95 * (kana + half_kana + han + marks) / total
        if kana * 10 >= total:
            return (kana + han + marks) / total
        return 0.88 * (sum(_is_level_one(char, encoding) for char in wide) + marks) / total
    if encoding == "cp949":
        # each syllable that Korean uses has its place in KS X 1001, in the order of the alphabet
        usual = sum(len(char.encode("euc_kr", "ignore")) == 2 for char in wide if "\uac00" <= char <= "\ud7a3")
        return (usual - (hangul - usual) - han + marks) / total if hangul else 0.0
    common = sum(_is_level_one(char, encoding) for char in wide if "\u4e00" <= char <= "\u9fff")
    return 0.9 * (common + marks) / total if han and kana * 10 < total else 0.0


SETS = {"gb18030": "gb2312", "big5": "big5", "cp932": "euc_jp", "euc_jp": "euc_jp"}
LEVEL_ONE = {"gb2312": (0xB0, 0xD7), "big5": (0xA4, 0xC6), "euc_jp": (0xB0, 0xCF)}
"""The lead bytes of the usual characters in each national set."""


def _is_level_one(char: str, encoding: str) -> bool:
    """Say whether a Chinese character is among the usual ones, which stand first in each national set."""
    code = char.encode(SETS[encoding], "ignore")
    first, last = LEVEL_ONE[SETS[encoding]]
    return len(code) == 2 and first <= code[0] <= last

"""Words as index terms: one analyser for texts and for questions, whichever store holds the terms.

Words are normalised (NFKC, case), stemmed (Snowball) and folded (accents dropped). Scripts written without spaces, and
Hangul, give overlapping pairs of characters. Compounds and identifiers give their parts and the whole.
"""

from __future__ import annotations

import string
import unicodedata
from operator import add

import regex

from rove.language.stems import Stem
from rove.language.stopwords import stop_words

CACHE_ENTRIES = 20_000
"""Pieces of text remembered by language, some 150 bytes each. With ten times as many, words take 3 % less time."""
CACHED_CHARS = 24  # longer pieces of text between white space seldom come again

DOT_GROUPS = frozenset({"de", "es", "it", "nl", "pt", "da", "id", "tr", "el", "ro"})  # 1.234 is a thousand and more

_HAN = r"\p{Han}〇"
_KANA = r"\p{Hiragana}\p{Katakana}ー\uff9e\uff9f"
_OPEN = r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"  # written without spaces, beside Han and kana
_JOINED = "[-.'@&]"
_ASCII_WORDS = regex.compile(rf"\w+(?:{_JOINED}\w+|,\d{{3}}(?!\d))*", regex.ASCII)
_WORD = rf"[^\W{_HAN}{_KANA}{_OPEN}\p{{Hangul}}]+"
_EMOJI = regex.compile(r"\p{Emoji_Presentation}")
_OPERATOR = regex.compile(r"(?!(.)\1{1,3}+$|[?!]+$)[&|!<>=+*/%^~?@$:-]{2,4}+|&&|\|\|")
"""A sign of a programming language that stands alone, as "&&" or "->"; no rule or table of markdown."""
_SIGNED = regex.compile(r"(?<![\p{Latin}\d_.])(?:\p{Latin}(?:\+\+|#)|\.\p{Lu}{2,4})(?![\p{Latin}_+#])")
"""A name of which the signs are a part: "C++", "F#", ".NET"."""
_UNSPACED_RUN = rf"[{_HAN}{_KANA}]+|[{_OPEN}]+|\p{{Hangul}}+|\p{{Emoji_Presentation}}"
_WORDS = regex.compile(rf"{_UNSPACED_RUN}|{_WORD}(?:{_JOINED}{_WORD}|,\d{{3}}(?!\d))*")
_UNSPACED = regex.compile(rf"[{_HAN}{_KANA}{_OPEN}]")
_HAN_LETTER = regex.compile(f"[{_HAN}]")
_NOT_HAN = regex.compile(f"[^{_HAN}]+")
_HANGUL = regex.compile(r"\p{Hangul}")
_DROPPED = regex.compile(r"[\ud800-\udfff\u00ad\u0640]")  # lone surrogates, soft hyphens, the Arabic tatweel
_PIECES = regex.compile(r"[^\W_]+")
_CAMEL = regex.compile(r"\p{Lu}+(?!\p{Ll})\d*|\p{Lu}?[^\p{Lu}]+")
_NUMBER = regex.compile(r"\d++(?:[.,]\d++)++")
_VERSION = regex.compile(r"[vV]\d++(?:\.\d++)++")
_COMMA_GROUPS = regex.compile(r"\d{1,3}(?:,\d{3})++(?:\.\d+)?")
_DOT_GROUPS = regex.compile(r"\d{1,3}(?:\.\d{3})+")
_EDGES = "".join(set(string.punctuation) - {"_"})
_WHOLE = str.maketrans("", "", "-_'&")
_ENGLISH_TAIL = regex.compile(r"(?:n't|'(?:s|ll|re|ve|d|m))$", regex.IGNORECASE)
_ELISION = {
    "fr": regex.compile(r"^(?:[ldjmtsnc]|qu|jusqu|lorsqu|puisqu|quoiqu)'", regex.IGNORECASE),
    "it": regex.compile(
        r"^(?:[ldcmtsvn]|un|gl|d?all|dell|nell|sull|coll|d?agl|degl|quell|quest|tutt)'", regex.IGNORECASE
    ),
    "ca": regex.compile(r"^[ldmtsn]'", regex.IGNORECASE),
}


def terms(text: str, language: str) -> list[str]:
    """Return the terms to index: those of words in their order, then each stop word that was met, once.

    So a stop word can be found, and does not lengthen the text. `language`: ISO 639-1; one without a stemmer (or
    "und") is folded only. No term holds white space, and none is longer than `stems.MAX_TERM_BYTES` in UTF-8.

    >>> terms("The Panthers' max_connections", "en")
    ['panther', 'maxconnect', 'max', 'connect', 'the']
    >>> terms("東京タワー", "ja")
    ['東京', '京タ', 'タワ', 'ワー', '東', '京']
    """
    return joined_terms(text, language).split()


def joined_terms(text: str, language: str) -> str:
    """Return `terms` joined by single spaces, as indices keep them: quicker than the list."""
    analyser = _analyser(language)
    pieces = text.split()
    found = " ".join(filter(None, map(analyser.__getitem__, pieces)))
    if met := analyser.stop_terms.keys() & pieces:
        stopped = sorted(set(" ".join(map(analyser.stop_terms.__getitem__, met)).split()))
        return " ".join([found, *stopped]) if found else " ".join(stopped)
    return found


def query_terms(text: str, language: str) -> list[str]:
    """Return the terms to search for: those of `terms` without stop words, or with them where nothing else is asked.

    >>> query_terms("How many singers were there?", "en"), query_terms("To be or not to be", "en")
    (['mani', 'singer'], ['to', 'be', 'or', 'not', 'to', 'be'])
    >>> query_terms("Party 🎉?", "en"), query_terms("&& ||", "en"), terms("a && b", "en")
    (['parti', '🎉'], ['&&', '||'], ['&&', 'b', 'a'])
    >>> query_terms("Is it written in C++?", "en"), terms("Only C# (.NET).", "en")
    (['written', 'c', 'c++'], ['c', 'c#', 'net', '.net', 'onli'])
    """
    analyser = _analyser(language)
    if _is_plain_latin_word(text):
        return [term] if (term := analyser.term(text.casefold())) else []
    shouted = text.isupper()
    telling: list[str] = []
    every: list[str] = []
    for word in _find_index_words(text):
        unspaced = _is_unspaced(word)
        named = not (unspaced or shouted) and _is_acronym(word)
        for form in _character_bigrams([word]) if unspaced else analyser.forms(word):
            term = form if unspaced else analyser.term(form)
            every.append(term)
            if named or form not in analyser.stops:
                telling.append(term)
    telling += (name.casefold() for name in _SIGNED.findall(text))
    return [term for term in telling or every or filter(_OPERATOR.fullmatch, text.split()) if term]


def foreign_terms(text: str, language: str, spoken: str) -> list[str]:
    """Return the terms to search documents of `language` for by a question in another one, each once.

    Its function words are left out, lest the German "die" find what dies. What is left, names above all, is analysed in
    both languages.

    >>> foreign_terms("Wann spielten die Denver Broncos?", "en", "de")
    ['spielten', 'denver', 'bronco', 'spielt', 'denv', 'broncos']
    """
    analyser = _analyser(spoken)
    told = " ".join(filter(analyser.__getitem__, text.split())) or text
    return list(dict.fromkeys([*query_terms(told, language), *query_terms(told, spoken)]))


class _Analyser(dict[str, str]):
    """What stands between white space → its terms less the stop words, space-joined, worked out when first met."""

    def __init__(self, language: str) -> None:
        super().__init__()
        self.language = language
        self.stops = stop_words(language)
        self.stop_terms: dict[str, str] = {}
        self.term = Stem(language)
        self.long_chars = 0

    @property
    def is_full(self) -> bool:
        """Whether it holds so many pieces, long ones counted as several, that a new one is to take its place."""
        return len(self) + self.long_chars // CACHED_CHARS > CACHE_ENTRIES

    def __missing__(self, piece: str) -> str:
        core = piece.strip(_EDGES)
        if not piece.isalnum() and (signed := _SIGNED.findall(piece)):
            return self._signed(piece, signed)
        if len(piece) <= CACHED_CHARS and _is_plain_latin_word(core):
            return self._plain(piece, core.casefold())
        return self._any(piece)

    def _plain(self, piece: str, form: str) -> str:
        """Analyse one word of Latin letters, as most are: the result of `_any`, faster."""
        found = self.term(form)
        if form in self.stops:
            self.stop_terms[piece] = found
            found = ""
        self[piece] = found
        return found

    def _signed(self, piece: str, names: list[str]) -> str:
        """Analyse a piece with names of which signs are a part: these, beside what it is without signs."""
        found = " ".join([self._any(piece), *(name.casefold() for name in names)]).strip()
        self[piece] = found
        return found

    def _any(self, piece: str) -> str:
        found: list[str] = []
        stopped: list[str] = []
        unspaced: list[str] = []
        for word in _find_index_words(piece):
            if _is_unspaced(word):
                unspaced.append(word)
                continue
            stop = not _is_acronym(word)
            for form in self.forms(word):
                (stopped if stop and form in self.stops else found).append(self.term(form))
        if unspaced:
            return " ".join([*filter(None, found), *_character_bigrams(unspaced)])
        kept = " ".join(filter(None, found)) or (piece if _OPERATOR.fullmatch(piece) else "")
        if stopped:
            self.stop_terms[piece] = " ".join(filter(None, stopped))
        if stopped or len(piece) <= CACHED_CHARS:
            self[piece] = kept
            self.long_chars += max(len(piece) - CACHED_CHARS, 0)
        return kept

    def forms(self, word: str) -> list[str]:
        """Return the lower-case forms that a word stands for, the whole before its parts."""
        if _is_unspaced(word):
            return _character_bigrams([word])
        if _HANGUL.match(word):
            return _syllables(word)
        if _EMOJI.match(word):
            return [word]
        word = _nfkc_word(word)
        if "'" in word:
            word = self._without_apostrophe(word)
        if word.isalpha() and (word.islower() or word.istitle() or word.isupper()):
            return [word.casefold()]
        if _NUMBER.fullmatch(word):
            return self._number(word)
        if _VERSION.fullmatch(word):
            return [word.casefold(), *self._number(word[1:])]
        parts = [part for piece in _PIECES.findall(word) for part in _CAMEL.findall(piece)]
        if len(parts) <= 1:
            return [part.casefold() for part in parts]
        whole = word.casefold().translate(_WHOLE)
        return list(dict.fromkeys([whole, *(part.casefold() for part in parts if len(part) > 1 or part.isdigit())]))

    def _without_apostrophe(self, word: str) -> str:
        if self.language == "en":
            return _ENGLISH_TAIL.sub("", word) or word
        if self.language in _ELISION:
            return _ELISION[self.language].sub("", word) or word
        return word.replace("'", "") if self.language == "uk" else word

    def _number(self, number: str) -> list[str]:
        if _COMMA_GROUPS.fullmatch(number):
            return [number.replace(",", "")]
        if self.language in DOT_GROUPS and _DOT_GROUPS.fullmatch(number):
            return [number.replace(".", "")]
        return list(dict.fromkeys([number, *number.replace(",", ".").split(".")]))


_analysers: dict[str, _Analyser] = {}


def _analyser(language: str) -> _Analyser:
    """Return the language's analyser: a new one when the old one's cache is full, so that no call sees it emptied."""
    found = _analysers.get(language)
    if found is None or found.is_full:
        found = _analysers[language] = _Analyser(language)
    return found


def _find_index_words(text: str) -> list[str]:
    if text.isascii():
        return _ASCII_WORDS.findall(text)
    return _WORDS.findall(_DROPPED.sub("", text).replace("’", "'"))


def _nfkc_word(word: str) -> str:
    return word if word.isascii() or unicodedata.is_normalized("NFKC", word) else unicodedata.normalize("NFKC", word)


def _is_acronym(word: str) -> bool:
    """Say whether a word is written as an acronym: WHO and IT are names, not stop words."""
    return len(word) > 1 and word.removesuffix("'s").isupper()


def _is_plain_latin_word(word: str) -> bool:
    """Say whether a text is one word of Latin letters, not written as a name is."""
    latin = word.isascii() or (max(word) < "\u0250" and unicodedata.is_normalized("NFKC", word))
    return latin and word.isalpha() and (word.islower() or word.istitle())


def _is_unspaced(word: str) -> bool:
    return "\u2e80" <= word < "\ua000" or (word >= "\u0e00" and bool(_UNSPACED.match(word)))


def _syllables(word: str) -> list[str]:
    """Return a Hangul word's pairs of syllables, and the first of two, which can be a noun and its particle: 물은."""
    word = _nfkc_word(word)
    pairs = list(map(add, word, word[1:]))
    return [*pairs, word[0]] if len(pairs) < 2 else pairs


def _character_bigrams(runs: list[str]) -> list[str]:
    """Return the pairs of characters of each run, and each Han character: 猫 finds 黒猫."""
    if not unicodedata.is_normalized("NFKC", joined := "".join(runs)):
        runs = [run if unicodedata.is_normalized("NFKC", run) else _nfkc_letters(run) for run in runs]
        joined = "".join(runs)
    found: list[str] = []
    for run in runs:
        found += map(add, run, run[1:])
        if len(run) == 1 and not _HAN_LETTER.match(run):
            found.append(run)
    found += _NOT_HAN.sub("", joined)
    return found


def _nfkc_letters(run: str) -> str:
    return "".join(_PIECES.findall(unicodedata.normalize("NFKC", run)))

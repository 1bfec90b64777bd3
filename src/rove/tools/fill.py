"""Parameters filled by rules: from the question, then earlier turns, then the profile; each with its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import regex

from rove.enrich.declared_values import declared_values
from rove.language.quantities.reader import read_quantities
from rove.language.quantities.units import CURRENCY, unit_named
from rove.language.relative_days import days_in
from rove.records.document import Span
from rove.records.quantity import Quantity, TextValue
from rove.records.tool import FilledParameter, ValueOrigin
from rove.settings.values import ValueSettings
from rove.tools.correct import Circumstances, as_said, is_day
from rove.tools.parameters import Parameter, spelled_out
from rove.tools.units import units_said, wanted_unit

NEAR_CHARS = 24
"""How far before or behind a number the words of its parameter may stand."""
FORMATS = {
    "email": r"(?<![\w.+-])[\w.+-]++@[\w-]++(?:\.[\w-]+)+",
    "uri": r"https?://[^\s<>\"'，。）)]+",
    "ipv4": r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])",
    "uuid": r"(?i)\b[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\b",
}
FORMAT_WORDS = {
    **dict.fromkeys(("email", "mail", "recipient", "to"), "email"),
    **dict.fromkeys(("url", "uri", "link"), "uri"),
    "ip": "ipv4",
}
QUERY_WORDS = frozenset(["query", "q", "question", "search", "keyword", "keywords", "term", "terms", "prompt"])
PLACE_WORDS = frozenset(["city", "location", "place", "country", "destination", "town", "region", "area"])
_MARKS = ('""', "“”", "„“", "„”", "«»", "»«", "「」", "『』", "《》", "``")
_QUOTED = regex.compile("|".join(rf"{first}([^{first}{last}]+){last}" for first, last in _MARKS))
_NAME = r"(\p{Lu}[\p{L}\d'’.-]*(?:\s+\p{Lu}[\p{L}\d'’-]*)*)"
_TOLD = r"\s*(?:[:=：＝]|\bis\b|\bnamed\b|\bcalled\b|\bist\b|\bheißt\b|是|为|は|を)?\s*"
_CODE = r"([\p{L}\d]*[\d_/-][\w./-]*|\d+)"
_ZH_OPENING = r"(?<![\p{Han}])(?![请帮查我想给把你])"
_PLACES = {
    "en": rf"\b(?:in|at|for|near|around|to|from|of)\s+{_NAME}",
    "de": rf"\b(?:in|nach|für|bei|von|aus|um)\s+{_NAME}",
    "es": rf"\b(?:en|de|para|a|desde)\s+{_NAME}",
    "fr": rf"\b(?:à|en|de|pour|vers)\s+{_NAME}",
    "hu": r"(?<=[\p{L},:]\s)(\p{Lu}\p{L}+(?:ban|ben|ba|be|on|en|ön|ra|re|ból|ből|ról|ről))\b",
    "zh": rf"(?:在(\p{{Han}}{{2,6}}?)的|{_ZH_OPENING}(\p{{Han}}{{2,4}}?)(?:今天|明天|后天|昨天|的))",
    "ja": r"([\p{Han}\p{Katakana}ー]{2,10})(?:の|で|に|へ|から|まで)",
}
"""What names a place in a sentence, by language: the group is the name."""
_HU_CASE = regex.compile(r"(?:ban|ben|ba|be|ból|ből|ról|ről|ra|re|nak|nek|hoz|hez|höz|tól|től|on|en|ön|ig)$")


@dataclass(frozen=True, slots=True)
class SaidText:
    """A text that values are taken from: the question itself, or an earlier turn."""

    text: str
    origin: ValueOrigin = "question"


def fill_by_rules(
    parameters: Sequence[Parameter], said: Iterable[SaidText], profile: Mapping[str, object], around: Circumstances
) -> dict[str, FilledParameter]:
    """Return what rules find for the parameters, by name, as it is written there.

    The question comes first, an earlier turn fills what it leaves open, and the profile what both do. No words fill two
    parameters.
    """
    found: dict[str, FilledParameter] = {}
    for one in said:
        left = [parameter for parameter in parameters if parameter.name not in found]
        found |= _Filler(one, around).fill(left)
    for parameter in parameters:
        if parameter.name not in found and (key := _profile_key(parameter, profile)):
            found[parameter.name] = FilledParameter(parameter.name, profile[key], "profile", key)
    return found


def overlaps(span: Span, others: Iterable[Span]) -> bool:
    """Say whether a span has a character of one of others."""
    return any(start < span[1] and span[0] < end for start, end in others)


class _Filler:
    """Fills parameters from one text, the most telling kinds first."""

    def __init__(self, said: SaidText, around: Circumstances) -> None:
        self.said, self.around = said, around
        self.taken: list[Span] = []
        self.found: dict[str, FilledParameter] = {}

    def fill(self, parameters: Sequence[Parameter]) -> dict[str, FilledParameter]:
        for find in (self._by_format, self._choices, self._told, self._entities):
            for parameter in self._open(parameters):
                self._take(parameter, find(parameter))
        days = iter(self._free(days_in(self.said.text, self.around.language, self.around.today)))
        for parameter in self._open(parameters):
            if is_day(parameter):
                self._take(parameter, days)
        self._numbers([one for one in self._open(parameters) if one.type in {"integer", "number"}])
        for parameter in self._open(parameters):
            if parameter.type == "string" and not parameter.format and not parameter.choices and not is_day(parameter):
                self._take(parameter, self._texts(parameter))
        return self.found

    def _open(self, parameters: Sequence[Parameter]) -> list[Parameter]:
        return [parameter for parameter in parameters if parameter.name not in self.found]

    def _free(self, found: Iterable[TextValue]) -> Iterator[TextValue]:
        for one in found:
            if not overlaps((one.start, one.end), self.taken):
                yield one

    def _take(self, parameter: Parameter, candidates: Iterator[TextValue]) -> None:
        one = next(self._free(candidates), None)
        if one is None:
            return
        span = (one.start, one.end)
        self.taken.append(span)
        words = self.said.text[one.start : one.end]
        in_question = self.said.origin == "question"
        filled = FilledParameter(parameter.name, one.value, self.said.origin, words, span if in_question else None)
        self.found[parameter.name] = filled

    def _by_format(self, parameter: Parameter) -> Iterator[TextValue]:
        words = parameter.words.split()
        kind = parameter.format or next((FORMAT_WORDS[word] for word in words if word in FORMAT_WORDS), "")
        if parameter.type in {"string", ""} and kind in FORMATS:
            for found in regex.finditer(FORMATS[kind], self.said.text):
                yield TextValue(found.group(), found.start(), found.end())

    def _choices(self, parameter: Parameter) -> Iterator[TextValue]:
        if not parameter.choices or parameter.type == "boolean":
            return
        others = parameter.aliases or {}
        values = {one: (spelled_out(one), *others.get(one, ())) for one in parameter.choices}
        declared = ValueSettings(type="enum", values=values)
        for found in declared_values(self.said.text, self.around.language, declared, setting=parameter.name):
            yield replace(found, value=self.said.text[found.start : found.end])
        measured = {unit_named(choice) for choice in parameter.choices} - {None}
        for unit, (start, end) in units_said(self.said.text, self.around.language) if measured else ():
            if unit in measured:
                yield TextValue(self.said.text[start:end], start, end)

    def _told(self, parameter: Parameter) -> Iterator[TextValue]:
        """What stands behind the parameter's own name: "user anna_k", "city: New York", "ticket INC-7"."""
        if parameter.type not in {"string", ""} or parameter.choices:
            return
        name = r"[\s_-]?".join(map(regex.escape, parameter.words.split()))
        pattern = rf"(?<![\p{{L}}\d])(?i:{name}){_TOLD}(?:{_CODE}|{_NAME})"
        for found in regex.finditer(pattern, self.said.text):
            group = 1 if found[1] else 2
            yield TextValue(
                found[group].rstrip(".?!"), found.start(group), found.start(group) + len(found[group].rstrip(".?!"))
            )

    def _entities(self, parameter: Parameter) -> Iterator[TextValue]:
        free = parameter.type == "string" and not parameter.format and not parameter.choices and not is_day(parameter)
        if free and "currency" in parameter.words.split():
            said = [one for one in units_said(self.said.text, self.around.language) if one[0].kind.startswith(CURRENCY)]
            if len({unit for unit, _ in said}) == 1:  # of two nobody knows which is meant
                yield TextValue(said[0][0].name, *said[0][1])
        elif parameter.is_entity or (free and not set(parameter.words.split()) & (PLACE_WORDS | QUERY_WORDS)):
            yield from self.around.domain.named_in(self.said.text)

    def _numbers(self, parameters: Sequence[Parameter]) -> None:
        """Give numbers to parameters by their unit and by the words beside them; a lone one to the only parameter."""
        text = self.said.text
        read = read_quantities(text, self.around.language)
        free = [one for one in read if one.kind in {"number", "year"} and self._is_free(one.span)]
        pairs: list[tuple[int, int, int]] = []
        for place, parameter in enumerate(parameters):
            wanted = wanted_unit(parameter)
            for number, one in enumerate(free):
                fits = 4 if wanted and any(wanted.kind == reading.kind for reading in one.readings) else 0
                beside = text[max(one.span[0] - NEAR_CHARS, 0) : one.span[1] + NEAR_CHARS].casefold()
                words = [word for word in parameter.words.split() if len(word) > 2 and word.rstrip("s") in beside]
                if (score := fits + len(words)) and (fits or one.unit is None or not wanted):
                    pairs.append((-score, number, place))
        for _, number, place in sorted(pairs):
            self._number(parameters[place], free[number])
        left = [one for one in parameters if one.required and one.name not in self.found]
        usable = [one for one in free if self._is_free(one.span)]
        if len(left) == 1:
            bare = [one for one in usable if one.unit is None]
            sized = [one for one in usable if one.unit is not None]
            least = bare if left[0].type == "integer" or wanted_unit(left[0]) else sized or bare
            usable = usable if len(usable) == 1 else least
            if len(usable) == 1:
                self._number(left[0], usable[0])

    def _number(self, parameter: Parameter, one: Quantity) -> None:
        if parameter.name in self.found:
            return
        words = self.said.text[slice(*one.span)]
        self._take(parameter, iter([TextValue(words, *one.span)]))
        if parameter.name in self.found:
            value = as_said(one, self.said.text, parameter, self.around.language)
            self.found[parameter.name] = replace(self.found[parameter.name], value=value)

    def _is_free(self, span: Span) -> bool:
        return not overlaps(span, self.taken)

    def _texts(self, parameter: Parameter) -> Iterator[TextValue]:
        """A free text: what is quoted, a place by what stands before it, the question itself where that is wanted."""
        text, words = self.said.text, set(parameter.words.split())
        for found in _QUOTED.finditer(text):
            group = next(number for number, one in enumerate(found.groups(), 1) if one is not None)
            yield TextValue(found[group], found.start(group), found.end(group))
        if words & PLACE_WORDS and (pattern := _PLACES.get(self.around.language)):
            for found in regex.finditer(pattern, text):
                group = next(number for number, one in enumerate(found.groups(), 1) if one)
                yield self._trimmed(found[group], found.start(group))
        if words & QUERY_WORDS and self.said.origin == "question" and parameter.required:
            yield TextValue(text.strip(), len(text) - len(text.lstrip()), len(text.rstrip()))

    def _trimmed(self, name: str, start: int) -> TextValue:
        """A name without the full stop behind it and, in Hungarian, without its case."""
        bare = name.rstrip(".'’-")
        stem = _HU_CASE.sub("", bare) if self.around.language == "hu" else bare
        return TextValue(stem if len(stem) > 2 else bare, start, start + len(bare))


def _profile_key(parameter: Parameter, profile: Mapping[str, object]) -> str:
    """Return the profile's key for a parameter: the same words, or those behind others ("home_city" for "city")."""
    own = parameter.words.split()
    for key in profile:
        if spelled_out(key).split() == own:
            return key
    return next((key for key in profile if own and spelled_out(key).split()[-len(own) :] == own), "")

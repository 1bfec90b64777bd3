"""Values that the user declares, found in a text by rule: enums, numbers, dates, and what a pattern finds."""

from __future__ import annotations

from collections.abc import Iterator

import regex

from rove.errors import ConfigError
from rove.language.quantities.dates import whole_days
from rove.language.quantities.reader import numbers_in
from rove.language.scripts import is_unspaced
from rove.records.quantity import TextValue
from rove.settings.values import ValueSettings

PATTERN_TIMEOUT_S = 0.5


def declared_values(
    text: str, language: str, declared: ValueSettings, *, setting: str, today: str = ""
) -> Iterator[TextValue]:
    """Yield what a text has for a value, each with its place: by the pattern first, where there is one.

    Args:
        text: where to look.
        language: of the text, ISO 639-1.
        declared: what the value is. A "text" without a pattern is found by no rule.
        setting: the setting's name, for messages.
        today: YYYY-MM-DD, what "tomorrow" is reckoned from; "" leaves such words alone.

    Raises:
        ConfigError: the pattern is no regular expression.
    """
    if declared.pattern:
        yield from _by_pattern(text, language, declared, setting, today)
    elif declared.type == "enum":
        yield from _choices(text, declared)
    elif declared.type == "number":
        dated = whole_days(text, language, today)
        for number in numbers_in(text, language):
            if not any(day.start < number.end and number.start < day.end for day in dated):
                yield number
    elif declared.type == "date":
        yield from whole_days(text, language, today)


def _by_pattern(text: str, language: str, declared: ValueSettings, setting: str, today: str) -> Iterator[TextValue]:
    """Yield what the pattern finds, read as a value of the declared type."""
    bare = declared.model_copy(update={"pattern": ""})
    for found in _matches(text, declared.pattern, setting):
        if declared.type in {"text", "pattern"}:
            yield found
        elif inner := next(declared_values(found.value, language, bare, setting=setting, today=today), None):
            yield TextValue(inner.value, found.start, found.end)


def _choices(text: str, declared: ValueSettings) -> Iterator[TextValue]:
    """Yield the values that a text names, by their own words or by others for them, the longest words first.

    A single letter counts only as it is written: "a" is an article, "A" may be a room.
    """
    as_written = {word for value, others in declared.values.items() for word in (value, *others)}
    words = {word.casefold(): value for value, others in declared.values.items() for word in (value, *others) if word}
    for word in sorted(words, key=len, reverse=True):
        bounded = regex.escape(word) if is_unspaced(word) else rf"(?<!\w){regex.escape(word)}(?!\w)"
        for found in regex.finditer(bounded, text, flags=regex.IGNORECASE):
            if len(word) > 1 or found.group() in as_written:
                yield TextValue(words[word], found.start(), found.end())


def _matches(text: str, pattern: str, setting: str) -> Iterator[TextValue]:
    try:
        for found in regex.finditer(pattern, text, flags=regex.IGNORECASE, timeout=PATTERN_TIMEOUT_S):
            group = 1 if found.re.groups and found[1] is not None else 0
            if found[group].strip():
                yield TextValue(found[group], found.start(group), found.end(group))
    except regex.error as error:
        message = f"{setting}.pattern is no regular expression: {error}."
        raise ConfigError(message, cure="Correct it.") from None
    except TimeoutError:
        return

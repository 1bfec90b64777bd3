"""Fields of the user's own, found in every document: by rules, and by a chat model held to the document's words (B.3).

What they are is declared in `enrich.fields`; the values have types, so that filters compare numbers as numbers, and
dates as dates.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from math import isfinite
from typing import Annotated

from pydantic import BaseModel, Field

from rove.enrich import EnrichContext, Estimate, Fields
from rove.enrich.declared_values import declared_values
from rove.errors import ConfigError, ServiceError
from rove.language.token_count import count_tokens
from rove.models import ChatModel
from rove.models.prompts import fence_material, prompt
from rove.models.typed import reply_as
from rove.records import DocumentInfo
from rove.records.source import MetaValue
from rove.settings.values import ValueSettings

BATCH = 64
MOST_CHARS = 200_000
"""Of a longer document only so much is looked at by rules."""
EXACT = 2.0**53
"""Whole numbers below this are exact as floats."""
REPLY_TOKENS = 150
"""What a reply is reckoned at before any was seen."""
SHOWN_CHARS = 6_000
"""What the chat model is shown of a document: its beginning."""
FAILED = "The chat model failed at {count} documents, of which only what rules find is kept. {reason}"
NOT_HELD = "{count} values that the chat model named were left out: the document does not hold them."


class Named(BaseModel):
    """A value, as the model writes it."""

    name: str = Field(max_length=100)
    value: str = Field(max_length=300)
    quote: str = Field(max_length=1_000)


class NamedFields(BaseModel):
    """What the model writes."""

    fields: list[Annotated[Named, Field()]] = Field(max_length=30)


class DeclaredFields:
    """See `Enricher`. What a document brought along under such a name stays as it is.

    By rule an enum is the value that is named most often, and any other value the first one; a "text" without a pattern
    is for the chat model alone (`enrich.ask_model`). A value of a model is kept only where its quotation stands in the
    document, and holds the value; of an enum the quotation alone must stand there.
    """

    def __init__(self, context: EnrichContext) -> None:
        self.catalog = context.store.catalog
        self.declared = context.settings.fields
        self.chat = context.chat() if context.settings.ask_model else None
        self.notes: list[str] = []
        self._failed = self._not_held = 0

    async def estimate(self) -> Estimate:
        """See `Enricher.estimate`. Each document is a call at most: none where rules find every field.

        Raises:
            ConfigError: no field is declared.
        """
        self._check()
        infos = await asyncio.to_thread(self.catalog.documents)
        if not self.chat:
            return Estimate(len(infos))
        shown, tokens = 0, count_tokens(prompt("rove.enrich", "fields")) + count_tokens(_describe_fields(self.declared))
        for start in range(0, len(infos), BATCH):
            ids = [info.document_id for info in infos[start : start + BATCH]]
            texts = await asyncio.to_thread(self.catalog.texts, ids)
            shown += sum(count_tokens(text[:SHOWN_CHARS]) for text in texts.values())
        return Estimate(len(infos), len(infos), tokens * len(infos) + shown, REPLY_TOKENS * len(infos))

    def _check(self) -> None:
        if not self.declared:
            message = "The enricher 'fields' has nothing to look for: enrich.fields declares no field."
            raise ConfigError(message, cure='Declare one: [enrich.fields.status] type = "enum", values = {draft = []}')

    async def found(self) -> AsyncIterator[Fields]:
        """See `Enricher.found`.

        Raises:
            ConfigError: no field is declared, or a pattern is no regular expression.
        """
        self._check()
        infos = await asyncio.to_thread(self.catalog.documents)
        reason = ""
        for start in range(0, len(infos), BATCH):
            batch = infos[start : start + BATCH]
            ids = [info.document_id for info in batch]
            texts, own = await asyncio.gather(
                asyncio.to_thread(self.catalog.texts, ids), asyncio.to_thread(self.catalog.own_fields, ids)
            )
            found: dict[str, dict[str, MetaValue | None]] = {}
            for info in batch:
                text, brought = texts.get(info.document_id, ""), own.get(info.document_id, {})
                wanted = {name: value for name, value in self.declared.items() if name not in brought}
                values = await asyncio.to_thread(by_rule, text, info.language, wanted)
                if self.chat and len(values) < len(wanted):
                    try:
                        values = {**await self._by_model(self.chat, info, text, wanted), **values}
                    except ServiceError as error:
                        self._failed, reason = self._failed + 1, error.reason
                found[info.document_id] = {name: values.get(name) for name in wanted}
            yield found
        if self._failed:
            self.notes.append(FAILED.format(count=self._failed, reason=reason))
        if self._not_held:
            self.notes.append(NOT_HELD.format(count=self._not_held))

    async def _by_model(
        self, chat: ChatModel, info: DocumentInfo, text: str, wanted: Mapping[str, ValueSettings]
    ) -> dict[str, MetaValue]:
        listed = _describe_fields(wanted)
        shown = fence_material(f"{info.title}\n{text[:SHOWN_CHARS]}", "document")
        asked = f"Fields:\n{listed}\n\nThe document:\n{shown}"
        wrote = await reply_as(chat, NamedFields, prompt("rove.enrich", "fields"), asked)
        values: dict[str, MetaValue] = {}
        for one in wrote.fields:
            if one.name in wanted:
                value = held_value(one, f"{info.title}\n{text}", info.language, wanted[one.name])
                self._not_held += value is None
                values |= {} if value is None else {one.name: value}
        return values


def by_rule(text: str, language: str, declared: Mapping[str, ValueSettings]) -> dict[str, MetaValue]:
    """Return the values that rules find in a text, with their types.

    >>> by_rule("Status: draft. As of 2024-03-01.", "en", {"as_of": ValueSettings(type="date")})
    {'as_of': '2024-03-01'}
    """
    values: dict[str, MetaValue] = {}
    for name, value in declared.items():
        found = sorted(
            declared_values(text[:MOST_CHARS], language, value, setting=f"enrich.fields.{name}"),
            key=lambda one: one.start,
        )
        if found:
            counts = Counter(one.value for one in found) if value.type == "enum" else Counter([found[0].value])
            kept = typed(counts.most_common(1)[0][0], value)
            values |= {} if kept is None else {name: kept}
    return values


def held_value(named: Named, text: str, language: str, declared: ValueSettings) -> MetaValue | None:
    """Return what a model names with its type, if the document holds it; else None."""
    value, quote = " ".join(named.value.split()), " ".join(named.quote.split())
    if not value or not quote or quote.casefold() not in " ".join(text.split()).casefold():
        return None
    if declared.type == "enum":
        return next((one for one in declared.values if one.casefold() == value.casefold()), None)
    if declared.type == "text" and not declared.pattern:
        return value if value.casefold() in quote.casefold() else None
    meant = _field_values_in(value, language, declared)
    return typed(meant[0], declared) if meant and meant[0] in _field_values_in(quote, language, declared) else None


def typed(value: str, declared: ValueSettings) -> MetaValue | None:
    """Return a value as filters compare it, a number as a number; None for one that is too large to be one."""
    if declared.type != "number":
        return value
    number = float(value)
    if not isfinite(number):
        return None
    return int(number) if number.is_integer() and abs(number) < EXACT else number


def _field_values_in(text: str, language: str, declared: ValueSettings) -> Sequence[str]:
    bare = declared.model_copy(update={"pattern": ""}) if declared.type in {"number", "date"} else declared
    return [one.value for one in declared_values(text, language, bare, setting="enrich.fields")]


def _describe_fields(wanted: Mapping[str, ValueSettings]) -> str:
    return "\n".join(f"{name} ({_describe_field_type(value)}): {value.description}" for name, value in wanted.items())


def _describe_field_type(value: ValueSettings) -> str:
    return f"one of: {', '.join(value.values)}" if value.type == "enum" else value.type

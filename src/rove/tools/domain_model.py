"""The domain model: things that people, and each platform, call by names of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import regex

from rove.language.scripts import is_unspaced
from rove.records.quantity import TextValue
from rove.settings import EntitySettings


@dataclass(frozen=True, slots=True)
class DomainModel:
    """Names of things. Built from the settings' tables `entities`."""

    entities: Mapping[str, EntitySettings]

    def name_on(self, name: str, platform: str) -> str | None:
        """Return what a platform calls a thing that has this name anywhere, in any case; None where nothing has.

        >>> hosts = DomainModel({"db-1": EntitySettings(names=("database",), platforms={"cmdb": "prod-db-01"})})
        >>> hosts.name_on("DB-1", "cmdb"), hosts.name_on("prod-db-01", "monitoring"), hosts.name_on("db-2", "cmdb")
        ('prod-db-01', 'db-1', None)
        """
        wanted = name.casefold().strip()
        for own, entity in self.entities.items():
            if any(known.casefold() == wanted for known in _entity_names(own, entity)):
                return entity.platforms.get(platform, own)
        return None

    def named_in(self, text: str) -> Iterator[TextValue]:
        """Yield the things that a text names, the longest names first: `value` is the name as it is written there."""
        names = {known for own, entity in self.entities.items() for known in _entity_names(own, entity) if known}
        for name in sorted(names, key=lambda one: (-len(one), one)):
            escaped = regex.escape(name)
            bounded = escaped if is_unspaced(name) else rf"(?<![\w-]){escaped}(?![\w-])"
            for found in regex.finditer(bounded, text, flags=regex.IGNORECASE):
                yield TextValue(found.group(), found.start(), found.end())


def _entity_names(own: str, entity: EntitySettings) -> tuple[str, ...]:
    return (own, *entity.names, *entity.platforms.values())

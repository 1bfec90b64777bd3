"""Who somebody of an OpenID provider is here: the name, the role and the labels that its claims give."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from rove.errors import InputError, RoveError
from rove.records.person import Person
from rove.serve.people.openid import Claims
from rove.serve.people.roles import ADMINISTRATOR, highest
from rove.settings import OpenIdSettings
from rove.store.people_log import PeopleLog

LABEL = re.compile(r"[\w.-]{1,64}")
MOST_LABELS = 100
NO_ROLE, NAME_TAKEN, NO_NAME, DISABLED = "no-role", "name-taken", "no-name", "disabled"


class RefusedError(RoveError):
    """The provider has said who it is, and this person is not let in. `word` says why, to the page."""

    def __init__(self, word: str) -> None:
        super().__init__(f"Not let in: {word}.", cure="Look at serve.oidc in the settings, and at the list of people.")
        self.word = word


@dataclass(frozen=True, slots=True)
class Claimed:
    """What claims give."""

    name: str
    full_name: str
    role: str
    labels: tuple[str, ...] | None


def claimed(claims: Claims, settings: OpenIdSettings) -> Claimed:
    """Read claims, which the person may have had a say in, as the settings have it. Role "": none is given.

    Of labels, those that can be none are left out; who has none there sees no document.
    """
    name = re.sub(r"[^\w.-]+", ".", str(_claim_at_path(claims, settings.name_claim) or "")).strip(".")[:64]
    groups = [group for group in _claim_words(_claim_at_path(claims, settings.role_claim)) if group in settings.roles]
    role = highest([settings.roles[group] for group in groups]) or settings.default_role
    labels: tuple[str, ...] | None = None
    if settings.labels_claim and role != ADMINISTRATOR:
        words = _claim_words(_claim_at_path(claims, settings.labels_claim))
        labels = tuple(dict.fromkeys(word for word in words if LABEL.fullmatch(word)))[:MOST_LABELS]
    full_name = claims.get("name")
    return Claimed(name, full_name[:200].strip() if isinstance(full_name, str) else "", role, labels)


def take_in(people: PeopleLog, claims: Claims, settings: OpenIdSettings, taken: Mapping[str, object]) -> Person:
    """Return the person of these claims, put in at the first sign-in, and changed where the provider says so. Blocks.

    Whoever is here by a password keeps the name: a provider does not become somebody by calling a user so. `taken`:
    further names that nobody can have.

    Raises:
        RefusedError: there is no role for this person, no name, or it is another's; or it is disabled.
    """
    subject, found = str(claims["sub"]), claimed(claims, settings)
    person = people.of_subject(settings.issuer, subject)
    if person and person.disabled:
        raise RefusedError(DISABLED)
    role = found.role if settings.role_claim or not person else person.role
    if not role:
        if person:
            people.end_sessions(person.person_id)
        raise RefusedError(NO_ROLE)
    if person is None:
        return _create_openid_person(people, found, settings, subject, taken)
    now: dict[str, Any] = {"role": role, "full_name": found.full_name or person.full_name}
    if settings.labels_claim or role == ADMINISTRATOR:
        now["labels"] = found.labels
    changed = {column: value for column, value in now.items() if getattr(person, column) != value}
    if changed:
        people.change(person.person_id, **changed)
    return people.of_subject(settings.issuer, subject) or person


def _create_openid_person(
    people: PeopleLog, found: Claimed, settings: OpenIdSettings, subject: str, taken: Mapping[str, object]
) -> Person:
    if not found.name:
        raise RefusedError(NO_NAME)
    if found.name.casefold() in taken:
        raise RefusedError(NAME_TAKEN)
    try:
        return people.make(
            found.name,
            full_name=found.full_name,
            role=found.role,
            spaces=settings.spaces,
            labels=found.labels,
            issuer=settings.issuer,
            subject=subject,
        )
    except InputError as error:
        raise RefusedError(NAME_TAKEN) from error


def _claim_at_path(claims: Claims, path: str) -> object:
    """What a claim holds; dots lead into what is nested, unless the claim itself is called so."""
    if path in claims:
        return claims[path]
    name, _, rest = path.partition(".")
    inner = claims.get(name)
    return _claim_at_path(cast("Claims", inner), rest) if rest and isinstance(inner, dict) else None


def _claim_words(value: object) -> list[str]:
    if isinstance(value, str):
        return value.split()
    return [word for word in cast("list[object]", value) if isinstance(word, str)] if isinstance(value, list) else []

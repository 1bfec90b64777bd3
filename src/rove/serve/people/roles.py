"""Roles: names of sets of rights, which people have where keys have the rights themselves."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType

from rove.errors import InputError
from rove.serve.admission.callers import EVERY_SPACE
from rove.store.person import Person

ADMINISTRATOR = "administrator"
ROLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "reader": ("read",),
        "contributor": ("read", "add"),
        "editor": ("read", "add", "delete"),
        ADMINISTRATOR: ("read", "add", "delete", "admin"),
    }
)
"""From the fewest rights to the most."""
LAST = "There would be no administrator of every space any more."
LAST_CURE = "Make somebody else an administrator of every space first, and let them sign in once."
SEES_ALL = "An administrator sees every document, and can have no labels."
SEES_ALL_CURE = "Take the labels away, or choose another role."


def role_of(rights: Collection[str]) -> str:
    """The role with exactly these rights; "" where there is none.

    >>> role_of({"add", "read"}), role_of({"add"})
    ('contributor', '')
    """
    return next((role for role, given in ROLES.items() if set(given) == set(rights)), "")


def highest(roles: Collection[str]) -> str:
    """The one of these roles with the most rights; "" of none."""
    return max(roles, key=list(ROLES).index, default="")


def check_role(role: str, labels: Sequence[str] | None) -> None:
    """See that somebody can have a role with these labels.

    Raises:
        InputError: an administrator sees every document.
    """
    if role == ADMINISTRATOR and labels is not None:
        raise InputError(SEES_ALL, cure=SEES_ALL_CURE)


def check_administrators(before: Sequence[Person], after: Sequence[Person]) -> None:
    """See that a change of people leaves somebody who can change them back. See `people_log.Check`.

    Raises:
        InputError: it takes away the last administrator.
    """
    if any(map(_administers, before)) and not any(map(_administers, after)):
        raise InputError(LAST, cure=LAST_CURE)


def _administers(person: Person) -> bool:
    return person.state == "active" and person.role == ADMINISTRATOR and EVERY_SPACE in person.spaces

"""What goes over the wire about people, their sessions and keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from rove.records.person import Person
from rove.serve.admission.callers import Caller
from rove.serve.people.roles import role_of
from rove.serve.schema import Reply, Wire
from rove.settings import KeySettings
from rove.settings.serving import Label

Name = Annotated[str, Field(pattern=r"^[\w.-]{1,64}$", examples=["anna"])]
FullName = Annotated[str, Field(max_length=200, examples=["Anna Weber"])]
Role = Literal["reader", "contributor", "editor", "administrator"]
Right = Literal["read", "add", "delete", "admin"]
Spaces = Annotated[list[Annotated[str, Field(max_length=64)]], Field(min_length=1, max_length=100)]
Labels = Annotated[list[Label], Field(max_length=100)]
Secret = Annotated[str, Field(max_length=1_000)]
Way = Literal["password", "oidc", "key", "local"]


class SignInIn(Wire):
    """A name and its password."""

    name: str = Field(max_length=200)
    password: Secret


class PasswordIn(Wire):
    """The password as it is, and as it is to be."""

    old: Secret
    new: Secret


class AcceptIn(Wire):
    """What an invitation's link holds, and the password that is chosen."""

    token: str = Field(max_length=200)
    password: Secret


class ProviderOut(Reply):
    """An OpenID provider that people may sign in with: what a path names it, and what a page calls it."""

    name: str
    label: str


class WaysOut(Reply):
    """How somebody may come in. `open`: there are no keys and no people, and everybody of this machine is let in."""

    open: bool
    keys: bool
    password: bool
    oidc: list[ProviderOut]


class CallerOut(Reply):
    """Who asks. `role` "": the rights of a key that no role has. `labels` None: all documents."""

    name: str
    full_name: str
    role: Role | Literal[""]
    rights: list[str]
    spaces: list[str]
    labels: list[str] | None
    way: Way

    @classmethod
    def of(cls, caller: Caller, way: str, full_name: str = "") -> CallerOut:
        """Make it of a caller."""
        labels = None if caller.labels is None else list(caller.labels)
        return cls.model_validate(
            {
                "name": caller.name, "full_name": full_name, "role": role_of(caller.rights),
                "rights": sorted(caller.rights), "spaces": list(caller.spaces), "labels": labels, "way": way,
            }
        )  # fmt: skip


class SessionOut(Reply):
    """How somebody may come in, and who has."""

    ways: WaysOut
    person: CallerOut | None


class InvitedOut(Reply):
    """Whom an invitation is for."""

    name: str
    full_name: str


class PersonIn(Wire):
    """Somebody who is to be let in. `labels` None: all documents."""

    name: Name
    full_name: FullName = ""
    role: Role = "reader"
    spaces: Spaces = Field(default=["*"])
    labels: Labels | None = None


class PersonChangeIn(Wire):
    """What is to be changed; what is left out stays."""

    full_name: FullName = ""
    role: Role = "reader"
    spaces: Spaces = Field(default=["*"])
    labels: Labels | None = None
    disabled: bool = False


class PersonOut(Reply):
    """Somebody who may sign in. `state`: "invited" as long as no password is chosen. `way`: "oidc" by a provider."""

    name: str
    full_name: str
    role: str
    spaces: list[str]
    labels: list[str] | None
    state: Literal["active", "invited", "disabled"]
    way: Literal["password", "oidc"]
    last_seen: str | None
    created: str

    @classmethod
    def of(cls, person: Person) -> PersonOut:
        """Make it of a person."""
        return cls.model_validate(
            {
                "name": person.name, "full_name": person.full_name, "role": person.role, "spaces": list(person.spaces),
                "labels": None if person.labels is None else list(person.labels), "state": person.state,
                "way": "oidc" if person.subject else "password", "last_seen": person.last_seen or None,
                "created": person.created_at,
            }
        )  # fmt: skip


class PeopleOut(Reply):
    """People, what each role gives, and whether a provider says who has which role."""

    people: list[PersonOut]
    roles: dict[str, list[str]]
    oidc_roles: bool
    next_cursor: int | None = None


class InvitationOut(Reply):
    """An invitation to choose a password: its link is told once, and can be used once."""

    token: str
    link: str
    expires: str


class InvitedPersonOut(Reply):
    """Somebody new, and the invitation to hand on."""

    person: PersonOut
    invitation: InvitationOut


class KeyIn(Wire):
    """A key that is to be made. `labels` None: all documents."""

    name: Name
    rights: Annotated[list[Right], Field(min_length=1, max_length=4)] = Field(default=["read"])
    spaces: Spaces = Field(default=["*"])
    labels: Labels | None = None


class KeyOut(Reply):
    """What a key gives. `where`: it stands in the settings file, or was made on the page."""

    name: str
    rights: list[str]
    spaces: list[str]
    labels: list[str] | None
    where: Literal["file", "page"]

    @classmethod
    def of(cls, name: str, key: KeySettings, *, in_file: bool) -> KeyOut:
        """Make it of a key."""
        labels = None if key.labels is None else list(key.labels)
        where = "file" if in_file else "page"
        return cls(name=name, rights=list(key.rights), spaces=list(key.spaces), labels=labels, where=where)


class KeysOut(Reply):
    """Keys that count."""

    keys: list[KeyOut]
    next_cursor: int | None = None


class MadeKeyOut(KeyOut):
    """A new key; `key` is told once."""

    key: str


def with_link(token: str, expires: str, origin: str) -> InvitationOut:
    """Make an invitation that leads to the page at an address."""
    return InvitationOut(token=token, link=f"{origin}/#/invitation/{token}", expires=expires)


def distinct_words(words: Sequence[str]) -> list[str]:
    """Each of the words once, in their order."""
    return list(dict.fromkeys(words))

"""What settings say of an OpenID provider that people sign in with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, model_validator

from rove.settings.section import SettingsSection

Role = Literal["reader", "contributor", "editor", "administrator"]
LOOPBACK = ("localhost", "127.0.0.1", "::1")


class OpenIdSettings(SettingsSection):
    """A provider of OpenID Connect. Roles and labels that it tells are taken over at each sign-in."""

    issuer: Annotated[str, Field(pattern=r"^https?://[^\s?#]+$")]
    """Its address, below which /.well-known/openid-configuration is; https, but on this machine."""
    client_id: str = Field(min_length=1)
    """What it calls this server."""
    client_secret_env: str = ""
    """The environment variable with the secret that it knows this server by; "": it asks for none."""
    label: str = Field(default="", max_length=64)
    """What the page calls it, e.g. "Example Ltd"; "": its name in these settings."""
    scopes: tuple[str, ...] = ("openid", "profile")
    """What it is asked for."""
    name_claim: str = "preferred_username"
    """The claim with the name that somebody has here."""
    role_claim: str = ""
    """The claim with groups or roles, a list or one word; dots lead into it: "realm_access.roles"."""
    roles: Mapping[str, Role] = Field(default_factory=dict)
    """Which of these words is which role here; of several the one with the most rights counts."""
    default_role: Role | Literal[""] = ""
    """The role of who has none by that; "": who has none is not let in."""
    spaces: tuple[str, ...] = ("*",)
    """The spaces that people of this provider see; "*": all."""
    labels_claim: str = ""
    """The claim with the access labels that somebody may see; who has none sees no document. "": all documents."""

    @model_validator(mode="after")
    def _checked(self) -> Self:
        address = urlsplit(self.issuer)
        if address.scheme != "https" and address.hostname not in LOOPBACK:
            message = "an issuer has to be reached by https"
            raise ValueError(message)
        if "openid" not in self.scopes:
            message = 'scopes need "openid"'
            raise ValueError(message)
        return self

"""The types of the tables in `rove.settings.openid`.

Written by `python docs/typed_settings.py` from the settings, for completion and type checks; nothing is added here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypedDict


class OpenIdTable(TypedDict, total=False):
    """The settings of `OpenIdSettings`, as a table."""

    issuer: str
    """Its address, below which /.well-known/openid-configuration is; https, but on this machine."""
    client_id: str
    """What it calls this server."""
    client_secret_env: str
    """The environment variable with the secret that it knows this server by; "": it asks for none."""
    label: str
    """What the page calls it, e.g. "Example Ltd"; "": its name in these settings."""
    scopes: Sequence[str]
    """What it is asked for."""
    name_claim: str
    """The claim with the name that somebody has here. Default: "preferred_username"."""
    role_claim: str
    """The claim with groups or roles, a list or one word; dots lead into it: "realm_access.roles"."""
    roles: Mapping[str, Literal["reader", "contributor", "editor", "administrator"]]
    """Which of these words is which role here; of several the one with the most rights counts."""
    default_role: Literal["reader", "contributor", "editor", "administrator"] | Literal[""]
    """The role of who has none by that; "": who has none is not let in."""
    spaces: Sequence[str]
    """The spaces that people of this provider see; "*": all."""
    labels_claim: str
    """The claim with the access labels that somebody may see; who has none sees no document. "": all documents."""

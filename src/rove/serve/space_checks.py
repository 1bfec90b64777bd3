"""What of the settings of a server would not be safe, and what its bases leave out where keys have labels."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing

from rove.errors import CatalogReplacedError, ConfigError, RoveError
from rove.serve.problems import UnopenedError
from rove.settings import ServeSettings, Settings
from rove.store.database import EMBEDDER, Database, get_fact
from rove.store.home import home_of
from rove.store.people_log import is_any
from rove.store.store import Store

LOOPBACK = ("localhost", "127.0.0.1", "::1")
BUILT_IN_FIELDS = ("document_id", "source", "title", "type", "kind", "language", "page", "parent")


def check_serving(serve: ServeSettings, trees: dict[str, Settings]) -> None:
    """Refuse what would not be safe.

    Raises:
        UnopenedError: reached from elsewhere without keys and people.
        ConfigError: reached from elsewhere without host names, a key for a space that is not there, labels in a
            field that says something else, or labels beside a base that leaves out duplicates.
    """
    if serve.host not in LOOPBACK:
        if not serve.keys and not serve.oidc and not _may_sign_in(serve, trees):
            message = f"{serve.host} can be reached from other machines, and there is no key, nor anybody to sign in."
            cure = "Run: rove serve person NAME --role administrator; or: rove serve key NAME; or serve 127.0.0.1."
            raise UnopenedError(message, cure=cure)
        if not serve.hosts:
            message = f"{serve.host} can be reached from other machines, and serve.hosts is empty."
            raise ConfigError(message, cure='Name what it is called by there, e.g. hosts = ["kb.example.org"].')
    for name, provider in serve.oidc.items():
        if provider.client_secret_env and not os.environ.get(provider.client_secret_env):
            message = f"serve.oidc.{name} takes its secret from {provider.client_secret_env}, which is not set."
            raise ConfigError(message, cure="Set that environment variable.")
    if serve.access_field in BUILT_IN_FIELDS:
        message = f"serve.access_field is {serve.access_field!r}, which every document has."
        raise ConfigError(message, cure='Choose another name, e.g. "access".')
    for name, key in serve.keys.items():
        unknown = set(key.spaces) - {*trees, "*"}
        if unknown:
            message = f"The key {name!r} names spaces that are not served: {', '.join(sorted(unknown))}."
            raise ConfigError(message, cure=f"Choose among: {', '.join(trees)}.")
    leaving_out = [name for name, tree in trees.items() if tree.load.duplicates == "skip"]
    if leaving_out and any(key.labels is not None for key in serve.keys.values()):
        raise skipping(leaving_out[0])


def people_space(serve: ServeSettings, spaces: Iterable[str]) -> str:
    """The space whose base keeps people.

    Raises:
        ConfigError: the settings name one that is not served.
    """
    names = list(spaces)
    if serve.people_space and serve.people_space not in names:
        message = f"serve.people_space is {serve.people_space!r}, which is not served."
        raise ConfigError(message, cure=f"Choose among: {', '.join(names)}.")
    return serve.people_space or names[0]


def _may_sign_in(serve: ServeSettings, trees: dict[str, Settings]) -> bool:
    """Whether people are kept already, in a base that is not open yet."""
    home = home_of(trees[people_space(serve, trees)].path)
    try:
        home.check_there()
    except ConfigError:
        return False
    database = Database(home.dialect())
    try:
        return is_any(database)
    finally:
        database.close()


def discreet(settings: Settings) -> Settings:
    """Leave out what others have asked: it is neither kept, nor suggested, nor put in place of a question.

    It can name what is hidden, and is kept without labels.
    """
    question = settings.question.model_copy(update={"log": False, "usual_wording": False})
    return settings.model_copy(update={"question": question})


def skipping(name: str) -> ConfigError:
    """Make the error that says: keys with labels do not go with this base."""
    message = f"{name} leaves out duplicates, so that a caller could learn of documents that it may not see."
    return ConfigError(message, cure='Set load.duplicates to "report", or give no key labels.')


def embedder_now(store: Store, replaced: RoveError | None) -> str:
    """The embedder of a base by now; of one whose catalog was replaced, as the catalog says that is there."""
    if not isinstance(replaced, CatalogReplacedError):
        return store.catalog.fact(EMBEDDER)
    store.home.check_there()
    if not replaced.reopens:
        raise replaced
    with closing(Database(store.home.dialect())) as another, another.read() as connection:
        return get_fact(connection, EMBEDDER)

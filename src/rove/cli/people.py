"""`rove serve person`: who may sign in to a server, written into its base, whether it runs or not."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rove.cli.serve import NAME, needed, settings_of
from rove.cli.session import Session
from rove.errors import ConfigError
from rove.records.person import Person
from rove.registry import load
from rove.serve.local_calls.invitation import invitation_in
from rove.settings import Settings, file_of, located
from rove.settings.place import place_of
from rove.store.database import Database
from rove.store.home import home_of
from rove.store.people_log import PeopleLog, folded

EVERYWHERE = ("0.0.0.0", "::")
TITLES = ("name", "full name", "role", "spaces", "labels", "state", "last seen")


def person(
    session: Session,
    name: str | None,
    role: str,
    full_name: str,
    spaces: tuple[str, ...],
    labels: tuple[str, ...],
    as_list: bool,
    invite: bool,
    disable: bool,
    enable: bool,
    remove: bool,
) -> None:
    """Run `rove serve person`."""
    settings = settings_of(session, {})
    chosen = [flag for flag in (as_list, invite, disable or enable, remove) if flag]
    if (name is None) != as_list or len(chosen) > 1 or (disable and enable):
        message = "This takes a NAME, or --list; and one of --invite, --disable, --enable and --remove at most."
        raise ConfigError(message, cure="rove serve person NAME --role administrator; or: rove serve person --list")
    with _open_people_log(session, settings) as people:
        if name is None:
            _show_people(session, people)
        elif not chosen:
            _check_new_person(settings, name, role, labels, spaces, session)
            given = labels or None
            _invite_person(session, settings, people, people.make(
                name, full_name=full_name, role=role, spaces=spaces or ("*",), labels=given,
            ))  # fmt: skip
        elif invite:
            _invite_person(session, settings, people, _person_by_name(people, name))
        else:
            _change_person(session, people, _person_by_name(people, name), remove=remove, disable=disable)


def names_of(session: Session, settings: Settings) -> list[str]:
    """The names of who may sign in to the base, folded; none where there is no base yet."""
    try:
        home_of(_people_base_place(session, settings)).check_there()
    except ConfigError:
        return []
    with _open_people_log(session, settings) as people:
        return [folded(one.name) for one in people.people()]


def _show_people(session: Session, people: PeopleLog) -> None:
    found = people.people()
    if session.output.as_json:
        session.output.json([_person_as_json(one) for one in found])
        return
    rows = [
        (one.name, one.full_name, one.role, ", ".join(one.spaces), _person_labels(one), one.state, one.last_seen)
        for one in found
    ]
    session.output.table(TITLES, rows, "Nobody has been let in by name. Let somebody in with: rove serve person NAME")


def _person_labels(one: Person) -> str:
    return "all" if one.labels is None else ", ".join(one.labels)


def _change_person(session: Session, people: PeopleLog, found: Person, *, remove: bool, disable: bool) -> None:
    if remove:
        people.remove(found.person_id)
    else:
        people.change(found.person_id, disabled=disable)
    left = people.people()
    state = next((one.state for one in left if one.person_id == found.person_id), "removed")
    if session.output.as_json:
        session.output.json({"name": found.name, "state": state})
        return
    session.output.note(f"{found.name} is {state} now; a server that runs sees that within seconds.")
    if not any(one.role == "administrator" and one.state == "active" for one in left):
        session.output.note("No administrator is left who can sign in: rove serve person NAME --role administrator")


def _invite_person(session: Session, settings: Settings, people: PeopleLog, found: Person) -> None:
    token, expires = people.invite(found.person_id)
    serve = settings.serve
    host = (*serve.hosts, "127.0.0.1")[0] if serve.host in EVERYWHERE else serve.host
    host = f"[{host}]" if ":" in host else host
    origin = serve.public_url.rstrip("/") or f"http://{host}:{_port(session, settings)}"
    link = f"{origin}/#/invitation/{token}"
    if session.output.as_json:
        session.output.json({**_person_as_json(found), "token": token, "link": link, "expires": expires})
        return
    session.output.line(link)
    session.output.note(f"This is shown once, and valid until {expires[:16]}: {found.name} chooses a password there.")


def _port(session: Session, settings: Settings) -> int:
    """Return the port of the server that runs, else that of the settings."""
    place = _people_base_place(session, settings)
    running = invitation_in(place) if isinstance(place, Path) else None
    return (urlsplit(running.url).port if running else None) or settings.serve.port


def _check_new_person(
    settings: Settings, name: str, role: str, labels: tuple[str, ...], spaces: tuple[str, ...], session: Session
) -> None:
    """Refuse what the server would refuse."""
    if not NAME.fullmatch(name):
        message = f"{name!r} cannot be the name of a person."
        raise ConfigError(message, cure="Use up to 64 letters, digits, dots, dashes and underscores.")
    if folded(name) in {"local", *map(folded, settings.serve.keys)}:
        message = f"There is a key called {name!r}."
        raise ConfigError(message, cure="Choose another name.")
    needed("rove.serve.people.roles:check_role")(role, labels or None)
    unknown = set(spaces) - {*_trees(session, settings), "*"}
    if unknown:
        message = f"{', '.join(sorted(unknown))}: no such space is served."
        raise ConfigError(message, cure=f"Choose among: {', '.join(_trees(session, settings))}.")


def _person_by_name(people: PeopleLog, name: str) -> Person:
    found = people.get(name)
    if found is None:
        message = f"There is nobody called {name!r}."
        raise ConfigError(message, cure="See: rove serve person --list")
    return found


def _person_as_json(one: Person) -> dict[str, Any]:
    return {
        "name": one.name, "full_name": one.full_name, "role": one.role, "spaces": one.spaces, "labels": one.labels,
        "state": one.state, "last_seen": one.last_seen or None, "created": one.created_at,
    }  # fmt: skip


def _trees(session: Session, settings: Settings) -> dict[str, Settings]:
    return load("rove.serve.space_folder:trees_of")(settings, file_of(located(session.location)).parent)


def _people_base_place(session: Session, settings: Settings) -> Any:  # noqa: ANN401 - a folder, or an address
    trees = _trees(session, settings)
    name = load("rove.serve.space_checks:people_space")(settings.serve, trees)
    return place_of(trees[name].path, Path.cwd())


@contextmanager
def _open_people_log(session: Session, settings: Settings) -> Generator[PeopleLog]:
    database = Database(home_of(_people_base_place(session, settings)).dialect())
    try:
        yield PeopleLog(database)
    finally:
        database.close()

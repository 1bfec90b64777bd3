"""The files of `serve.flows`, changed over HTTP: what a person has written stays to the letter."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from rove.errors import ConfigError, InputError, ServiceError
from rove.flow import checked, read_flow
from rove.flow.definition import SUFFIXES, templates
from rove.serve.administration.settings_file import BEFORE, put_in_place, version_of
from rove.serve.flows.editing_schema import FlowFileOut, FlowFilesOut, FlowSourceOut, FlowTemplateOut
from rove.serve.flows.flow_draft import check_flow_length
from rove.serve.flows.served import served_plans
from rove.serve.problems import AbsentError, ChangedError, DeniedError

PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
TOML = ".toml"
TAKEN = {"runs"}
"""Names that addresses of the server have already."""


@dataclass(frozen=True, slots=True)
class FlowFolder:
    """The folder that `serve.flows` names, "" where none is set. All calls block.

    `closed`: the server's owner lets nobody change anything over HTTP.

    Raises:
        InputError: no folder is set, or a name is not plain.
        DeniedError: it is closed.
        AbsentError: there is no such flow.
        ChangedError: somebody has changed the file since.
        ServiceError: it cannot be read or written.
    """

    folder: str
    closed: bool = False

    def listed(self) -> FlowFilesOut:
        """All files of flows, also those with faults, and those that were deleted."""
        place = Path(self.folder)
        files = sorted(place.iterdir()) if self.folder and place.is_dir() else []
        served = served_plans(self.folder) if files else {}
        told = [self._told(file, file.stem in served) for file in files if file.suffix in SUFFIXES]
        for file in files:
            kept = file.with_suffix("")
            if file.suffix == BEFORE and kept.suffix == TOML and not kept.exists():
                told.append(
                    FlowFileOut(
                        name=kept.stem, file=kept.name, version="", served=False, faults=0,
                        here=bool(PLAIN.fullmatch(kept.stem)), deleted=True,
                    )
                )  # fmt: skip
        flows = [read_flow(name) for name in templates()]
        copies = [FlowTemplateOut(name=one.name, about=one.about, text=one.text) for one in flows]
        return FlowFilesOut(folder=bool(self.folder), closed=self.closed, files=told, templates=copies)

    def source(self, name: str, *, before: bool = False) -> FlowSourceOut:
        """The text of a file; `before`: as it was before the last change."""
        file = self._file(name)
        kept = self._before(file)
        text = self._text(kept if before else file)
        version = version_of(self._text(file)) if file.exists() else ""
        return FlowSourceOut(name=name, text=text, version=version, before=kept.is_file())

    def save(self, name: str, text: str, version: str) -> FlowSourceOut:
        """Write a file, new or in place of the version that was seen."""
        file = self._open(name)
        check_flow_length(text)
        old = self._seen(file, version)
        try:
            file.parent.mkdir(exist_ok=True)
            put_in_place(file, old, text)
        except OSError as error:
            raise _unwritten(error) from error
        return self.source(name)

    def rename(self, name: str, wanted: str, version: str) -> FlowSourceOut:
        """Call a file something else; no other file is written over."""
        file, new = self._open(name), self._open(wanted)
        self._text(file)
        self._seen(file, version)
        if new.exists():
            named = wanted
            message = f"There is a flow {named!r} already."
            raise InputError(message, cure="Choose another name.")
        try:
            file.rename(new)
        except OSError as error:
            raise _unwritten(error) from error
        return self.source(wanted)

    def delete(self, name: str, version: str) -> None:
        """Take a file away; it can be fetched back as the state before."""
        file = self._open(name)
        self._text(file)
        self._seen(file, version)
        try:
            file.replace(file.with_name(file.name + BEFORE))
        except OSError as error:
            raise _unwritten(error) from error

    # -- inside ----------------------------------------------------------------------------------------------------

    def _told(self, file: Path, served: bool) -> FlowFileOut:
        here = file.suffix == TOML and bool(PLAIN.fullmatch(file.stem))
        try:
            flow = read_flow(file)
            faults, text = len(checked(flow)[1]), flow.text
        except ConfigError:
            faults, text = 1, ""
        return FlowFileOut(
            name=file.stem, file=file.name, version=version_of(text), served=served, faults=faults, here=here,
            deleted=False,
        )  # fmt: skip

    def _open(self, name: str) -> Path:
        """The file of a name, where files may be changed."""
        if self.closed:
            message = "Flows are not changed over HTTP here."
            raise DeniedError(message, cure='Whoever runs the server changes them, or sets serve.settings to "safe".')
        return self._file(name)

    def _file(self, name: str) -> Path:
        if not self.folder:
            message = "No folder for flows is set up."
            raise InputError(message, cure="Whoever runs the server names one in the setting serve.flows.")
        if not PLAIN.fullmatch(name) or name in TAKEN:
            given = name[:100]
            message = f"{given!r} cannot be the name of a flow's file."
            raise InputError(message, cure="Use letters from a to z, digits, - and _, 64 at most.")
        return Path(self.folder) / f"{name}{TOML}"

    def _before(self, file: Path) -> Path:
        there = file.resolve()  # of a link, it stands beside what the link leads to
        return there.with_name(there.name + BEFORE)

    def _text(self, file: Path) -> str:
        try:
            return file.read_bytes().decode()
        except FileNotFoundError as error:
            message = "There is no such flow."
            raise AbsentError(message, cure="List them with: GET /v1/spaces/SPACE/flows/files") from error
        except (OSError, UnicodeDecodeError) as error:
            message = "The flow's file cannot be read."
            raise ServiceError(message, cure="Whoever runs the server looks at it.", retryable=False) from error

    def _seen(self, file: Path, version: str) -> str:
        """The text of a file, if it is the one that was seen."""
        text = self._text(file) if file.exists() else ""
        if version_of(text) != version:
            message = "Somebody has changed this flow since it was read."
            raise ChangedError(message, cure="Read it again, and change what is still to be changed.")
        return text


def _unwritten(error: OSError) -> ServiceError:
    reason = error.strerror
    message = f"The flow's file cannot be written: {reason}."
    return ServiceError(
        message,
        cure="Make room on the disk, or let the user that the server runs as write to the folder.",
        retryable=False,
    )

"""Evaluations on disk: each is a folder `evaluations/<id>` of the base, with its questions, its record and its report.

`record.json` is written after the questions and before the reply: a folder without it was never acknowledged.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from secrets import token_hex

from pydantic import ValidationError

from rove.serve.evaluations.schema import EvaluationOut
from rove.serve.problems import AbsentError
from rove.store.files import write_whole

FOLDER, RECORD, REPORT, PAGE, RESULTS = "evaluations", "record.json", "report.json", "report.html", "results.sqlite"
QUESTIONS = "questions"
EVALUATION_ID = re.compile(r"[0-9a-f]{16}")


class EvaluationFolders:
    """The evaluations of one base."""

    def __init__(self, base: Path) -> None:
        self.folder = base / FOLDER

    def begin(self) -> Path:
        """Make the folder of a new evaluation, whose name is its id."""
        folder = self.folder / token_hex(8)
        self.folder.mkdir(mode=0o700, exist_ok=True)
        folder.mkdir(mode=0o700)
        return folder

    def of(self, evaluation_id: str) -> Path:
        """The folder of an evaluation.

        Raises:
            AbsentError: there is none of that id.
        """
        folder = self.folder / evaluation_id
        if not EVALUATION_ID.fullmatch(evaluation_id) or not (folder / RECORD).is_file():
            message = "There is no such evaluation."
            raise AbsentError(message, cure="List them with: GET /v1/spaces/SPACE/evaluations")
        return folder

    def keep(self, record: EvaluationOut) -> None:
        """Write a record; it is on the disk when this returns."""
        write_whole(self.folder / record.evaluation_id / RECORD, [record.model_dump_json().encode()])

    def end(self, record: EvaluationOut) -> None:
        """Keep a record of what ended without a report; what was only kept to go on from makes room for it."""
        self._clear(record.evaluation_id)
        self.keep(record)

    def get(self, evaluation_id: str) -> EvaluationOut:
        """Read a record. Raises as `of` does."""
        return EvaluationOut.model_validate_json((self.of(evaluation_id) / RECORD).read_bytes())

    def records(self) -> list[EvaluationOut]:
        """All records that can be read, the latest first."""
        found: list[EvaluationOut] = []
        for path in self.folder.glob(f"*/{RECORD}"):
            try:
                found.append(EvaluationOut.model_validate_json(path.read_bytes()))
            except (OSError, ValidationError):
                continue
        return sorted(found, key=lambda record: record.began_at, reverse=True)

    def tidy(self) -> None:
        """Take away what was never acknowledged."""
        for folder in self.folder.iterdir() if self.folder.is_dir() else ():
            if folder.is_dir() and not (folder / RECORD).is_file():
                shutil.rmtree(folder, ignore_errors=True)

    def finish(self, record: EvaluationOut, report: bytes, page: bytes) -> None:
        """Keep the report, then the record that says it is there; what was only kept to go on from goes."""
        folder = self.folder / record.evaluation_id
        write_whole(folder / REPORT, [report])
        write_whole(folder / PAGE, [page])
        self.keep(record)
        self._clear(record.evaluation_id)

    def file(self, evaluation_id: str, name: str) -> bytes:
        """Read a file of an evaluation that is done.

        Raises:
            AbsentError: there is no such evaluation, or it has no report.
        """
        try:
            return (self.of(evaluation_id) / name).read_bytes()
        except FileNotFoundError:
            message = "This evaluation has no report."
            raise AbsentError(message, cure="Wait until it is done, or begin another.") from None

    def delete(self, evaluation_id: str) -> None:
        """Take an evaluation off the disk. Raises as `of` does."""
        folder = self.of(evaluation_id)
        (folder / RECORD).unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)

    def _clear(self, evaluation_id: str) -> None:
        for left in (self.folder / evaluation_id).glob(f"{RESULTS}*"):
            left.unlink(missing_ok=True)

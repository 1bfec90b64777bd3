"""What goes over the wire of the status: what runs, the load, the disk, what failed."""

from __future__ import annotations

from datetime import datetime

from rove.serve.administration.process_figures import MachineOut, ProcessOut
from rove.serve.documents.job import State
from rove.serve.evaluations.schema import State as EvaluationState
from rove.serve.redaction import Said
from rove.serve.schema import Reply


class JobNowOut(Reply):
    """A job that is not done; `trouble`: why it waits."""

    space: str
    job_id: str
    caller: str
    state: State
    expected: int
    ended: int
    cut: int
    chunks: int
    shallow: int
    left_s: float | None
    trouble: Said


class EvaluationNowOut(Reply):
    """An evaluation that runs."""

    space: str
    evaluation_id: str
    name: str
    state: EvaluationState
    asked: int
    expected: int


class IndexOut(Reply):
    """The index beside the catalog, where the settings name one: whether it answers, how many chunks it holds."""

    name: str
    works: bool
    chunks: int
    ms: float
    detail: Said = ""


class SpaceNowOut(Reply):
    """A space. `shallow`: chunks that the embedder has yet to reach; `moved`: it answers nothing until the next start.

    `disk_free_bytes` of `disk_bytes`: where the folder of its base lies; None where that cannot be said. `in_database`:
    its base lives in a database. `problem`: why it could not be looked at.
    """

    name: str
    documents: int
    chunks: int
    shallow: int
    moved: bool
    in_database: bool
    disk_free_bytes: int | None
    disk_bytes: int | None
    index: IndexOut | None
    problem: Said = ""


class LimitOut(Reply):
    """A limit of the settings, and how much of it is in use; None where that is counted for each key."""

    name: str
    value: int
    used: int | None


class FailureOut(Reply):
    """Requests of one route that ended with one status since the start; `request`: the last one's number in the log."""

    status: int
    route: str
    count: int
    at: datetime
    request: str


class StatusOut(Reply):
    """What runs. `replies` by "2xx" and so on; `gone`: clients that left before a reply. Counts are since the start."""

    version: str
    started_at: datetime
    uptime_s: float
    process: ProcessOut
    machine: MachineOut
    spaces: list[SpaceNowOut]
    jobs: list[JobNowOut]
    evaluations: list[EvaluationNowOut]
    walks: int
    requests: int
    streams: int
    limits: list[LimitOut]
    replies: dict[str, int]
    tokens_read: int
    tokens_written: int
    failures: list[FailureOut]

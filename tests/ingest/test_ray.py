"""Workers on Ray: through Ray's client and a local Ray, the base is the one that is made without."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from ray_cluster import forget_token, ray_cluster
from worker_bases import FAKE, check_once, ranked, rows, texts

from rove import ConfigError, Rove, ServiceError

pytestmark = [
    pytest.mark.servers,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # Ray leaves sockets open
    pytest.mark.usefixtures("processes_that_ray_leaves"),
]


@pytest.fixture
def alone(tmp_path: Path) -> Path:
    with Rove.open(tmp_path / "alone", **FAKE) as kb:
        kb.add(texts(300))
    return tmp_path / "alone"


def test_a_cluster_through_its_client(tmp_path: Path, alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which has fewer places than are asked for, as where one of its machines has just gone: nothing waits for one."""
    monkeypatch.setattr("rove.ingest.workers.on_ray.START_S", 3_000.0)  # longer than any test may take
    with TemporaryDirectory(prefix="rk") as folder, ray_cluster(Path(folder)) as cluster:
        workers = f"ray://127.0.0.1:{cluster.client_port}?workers=3"
        with Rove.open(tmp_path / "kb", **FAKE, load={"workers": workers}) as kb:
            assert kb.add(texts(300)).documents == 300
            assert 1 <= len(cluster.actors()) <= 2
            found = ranked(kb)
    check_once(tmp_path / "kb", rows(alone))
    with Rove.open(alone, **FAKE) as kb:
        assert ranked(kb) == found


@pytest.mark.filterwarnings("ignore:Ray Client connection timed out")
def test_nothing_answers(tmp_path: Path) -> None:
    with (
        Rove.open(tmp_path / "kb", **FAKE, load={"workers": "ray://127.0.0.1:9"}) as kb,
        pytest.raises(ServiceError, match=r"Ray on ray://127.0.0.1:9 cannot be reached") as failed,
    ):
        kb.add(texts(300))
    assert "RAY_AUTH_MODE" in failed.value.cure


@pytest.mark.parametrize("workers", ["ray?cores=2", "ray?workers=many", "ray://head:10001?x=1"])
def test_what_is_not_understood_is_said_at_the_opening(tmp_path: Path, workers: str) -> None:
    with pytest.raises(ConfigError, match="not understood"):
        Rove.open(tmp_path / "kb", **FAKE, load={"workers": workers})


def test_a_local_ray_has_a_token_of_its_own(tmp_path: Path, alone: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RAY_ADDRESS", "RAY_AUTH_MODE", "RAY_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    forget_token()
    with Rove.open(tmp_path / "kb", **FAKE, load={"workers": "ray?workers=2"}) as kb:
        assert kb.add(texts(300)).ok
        assert os.environ["RAY_AUTH_MODE"] == "token"
        assert len(os.environ["RAY_AUTH_TOKEN"]) == 64
    forget_token()
    check_once(tmp_path / "kb", rows(alone))

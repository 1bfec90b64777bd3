"""OpenSearch with its k-NN plug-in: a real node of Maven's artifacts, a process of its own. It ends with the tests."""

from __future__ import annotations

import json
import shutil
import subprocess
import urllib.request
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from http.client import HTTPException
from pathlib import Path

import maven
import own_server
from own_server import OwnServer, free_port

VERSION = "2.19.6"
"""The last that runs on Java 17."""
PLUGINS = "org.opensearch.plugin"
PARTS = (
    ("org.opensearch", "opensearch", VERSION, "jar"),
    ("org.opensearch", "opensearch-plugin-classloader", VERSION, "jar"),
    ("org.apache.logging.log4j", "log4j-core", "2.25.4", "jar"),
    (PLUGINS, "transport-netty4-client", VERSION, "jar"),
    (PLUGINS, "analysis-common", VERSION, "jar"),
    (PLUGINS, "lang-painless", VERSION, "jar"),
    (PLUGINS, "opensearch-knn", f"{VERSION}.0", "zip"),
)
MODULES = {
    "transport-netty4": ("org.opensearch.transport.Netty4Plugin", ("transport-netty4-client", "netty-")),
    "analysis-common": ("org.opensearch.analysis.common.CommonAnalysisPlugin", ("analysis-common",)),
    "lang-painless": (
        "org.opensearch.painless.PainlessPlugin",
        ("lang-painless", "opensearch-scripting-painless-spi", "asm-", "antlr4-"),
    ),
}
"""The class of each module, and how the names of its files begin: Maven has no layout of a distribution."""
LEASES = """
import java.util.List;
import org.opensearch.common.settings.Setting;
import org.opensearch.index.IndexService;
import org.opensearch.plugins.Plugin;

public class Leases extends Plugin {
    public List<Setting<?>> getSettings() {
        return List.of(IndexService.RETENTION_LEASE_SYNC_INTERVAL_SETTING);
    }
}
"""
"""A plug-in of the tests, as OpenSearch's own have one: a shard can be told to look sooner than every 30 s whether it
may let go of what is deleted."""
SOON = {"index.soft_deletes.retention_lease.sync_interval": "500ms"}
DESCRIPTOR = """
name={name}
description={name}
version={version}
classname={kind}
java.version=11
opensearch.version={version}
"""
LOGS = """
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%p] %c{1.} %m%n
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
"""
START_S = 120


def _lay(folder: Path) -> None:
    """Lay out what a distribution holds: `lib`, and a folder with a descriptor for each module and plug-in."""
    (folder / "bin").mkdir()
    for name, (kind, files) in MODULES.items():
        module = folder / "modules" / name
        module.mkdir(parents=True)
        for file in [one for one in (folder / "lib").iterdir() if one.name.startswith(files)]:
            file.rename(module / file.name)
        (module / "plugin-descriptor.properties").write_text(
            DESCRIPTOR.format(name=name, kind=kind, version=VERSION), "utf-8"
        )
        (module / "plugin-security.policy").write_text("grant { permission java.security.AllPermission; };\n", "utf-8")
    (plugin,) = (folder / "lib").glob("opensearch-knn*.zip")
    with zipfile.ZipFile(plugin) as packed:
        packed.extractall(folder / "plugins" / "opensearch-knn")
    plugin.unlink()
    if javac := shutil.which("javac"):
        _lay_leases(folder, javac)


def _lay_leases(folder: Path, javac: str) -> None:
    own = folder / "plugins" / "leases"
    own.mkdir()
    source = folder / "Leases.java"
    source.write_text(LEASES, "utf-8")
    subprocess.run([javac, "-cp", f"{folder / 'lib'}/*", "-d", folder, source], check=True)
    with zipfile.ZipFile(own / "leases.jar", "w") as packed:
        packed.write(folder / "Leases.class", "Leases.class")
    (own / "plugin-descriptor.properties").write_text(
        DESCRIPTOR.format(name="leases", kind="Leases", version=VERSION), "utf-8"
    )


def _home() -> Path:
    return maven.home(f"opensearch-{VERSION}-leases", PARTS, _lay)


@dataclass
class Server(OwnServer):
    """One node. See `OwnServer`. `own`: its settings."""

    own: dict[str, object] = field(default_factory=dict)
    heap: str = "512m"
    port: int = field(default_factory=free_port)
    inner_port: int = field(default_factory=free_port)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"

    def start(self, *, wait: bool = True) -> None:
        """Start it, and wait until its shards can be asked."""
        home = _home()
        config = self.folder / "config"
        config.mkdir(exist_ok=True)
        (config / "log4j2.properties").write_text(LOGS, "utf-8")
        settings = {
            "node.name": self.folder.name, "path.data": str(self.folder / "data"), "path.logs": str(self.folder),
            "network.host": "127.0.0.1", "http.port": self.port, "transport.port": self.inner_port,
            "bootstrap.system_call_filter": False, "cluster.routing.allocation.disk.threshold_enabled": False,
            "action.destructive_requires_name": True, "node.max_local_storage_nodes": 1,
            "discovery.type": "single-node", **self.own,
        }  # fmt: skip
        lines = (f"{name}: {json.dumps(value)}" for name, value in settings.items() if value is not None)
        (config / "opensearch.yml").write_text("\n".join(lines), "utf-8")
        temporary = self.folder / "tmp"
        temporary.mkdir(exist_ok=True)
        self.process = maven.run(
            self.folder,
            [
                f"-Xms{self.heap}", f"-Xmx{self.heap}", "-Djava.security.manager=allow",
                f"-Djava.io.tmpdir={temporary}", "-Dlog4j2.disable.jmx=true", "-Djava.awt.headless=true",
                f"-Dopensearch.path.home={home}", f"-Dopensearch.path.conf={config}",
                "-cp", f"{home / 'lib'}/*", "org.opensearch.bootstrap.OpenSearch",
            ],
            {"OPENSEARCH_TMPDIR": str(temporary)},
        )  # fmt: skip
        if wait:
            self.wait()

    def wait(self, *, status: str = "yellow") -> None:
        """Wait until it is well."""
        self.wait_until(lambda: self._is(status), START_S)

    def _is(self, status: str) -> bool:
        try:
            self.ask("GET", f"/_cluster/health?wait_for_status={status}&timeout=20s")
        except (OSError, HTTPException):
            return False
        return True

    def ask(self, method: str, path: str, body: object = None) -> dict[str, object]:
        """Be somebody else on the server, who may do everything."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"content-type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=60) as reply:
            return json.loads(reply.read())

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """See `OwnServer.kill`."""
        maven.kill(process)

    def settings(self, **other: object) -> dict[str, object]:
        """The settings `store.server` that reach it."""
        return {"url": self.url, "timeout_s": 20.0, **other}

    def table(self, **other: object) -> dict[str, object]:
        """The settings `store` by which a base is searched in it."""
        return {"index": "opensearch", "resident_chunks": 0, "server": self.settings(**other)}


def new() -> Server:
    """Start one, which ends with the tests."""
    return own_server.started(Server(own_server.folder("opensearch")))


def cluster(count: int, heap: str = "320m") -> Sequence[Server]:
    """Nodes of one cluster, not yet started."""
    nodes = [own_server.lasting(Server(own_server.folder("opensearch"))) for _ in range(count)]
    seeds = [f"127.0.0.1:{node.inner_port}" for node in nodes]
    for node in nodes:
        node.heap = heap
        node.own = {
            "discovery.type": None, "cluster.name": nodes[0].folder.name, "discovery.seed_hosts": seeds,
            "cluster.initial_cluster_manager_nodes": [one.folder.name for one in nodes],
        }  # fmt: skip
    return nodes


@cache
def started() -> Server:
    """The one that runs until the tests end. Indexes called `rove_test_…` let go soon of what is deleted there."""
    server = new()
    if (_home() / "plugins" / "leases").is_dir():
        soon = {"index_patterns": ["rove_test_*"], "template": {"settings": SOON}}
        server.ask("PUT", "/_index_template/rove_test", soon)
    return server
